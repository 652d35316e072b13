"""Scores of Carnival: printed points, gifts, troubles, tokens and hats, cell by cell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from engine.carnival.position import CarnivalPosition, Hat, Token
from engine.carnival.snakes import BODY, LOGS, Snake, hidden_head, named
from engine.game import Answer, OpenQuestion, Reason, ScoreLine
from engine.lattice import Cell, square_neighbours
from engine.sentences import rules_of, why
from engine.snakes import Card

say = rules_of("carnival")

DIAMOND_POINTS = 4
GIFT_POINTS = 1
WINNING = BODY | {"head"}
"""Roles that gain points beside gifts; all but diamonds lose points beside troubles."""


def score_lines(position: CarnivalPosition, player: str) -> tuple[ScoreLine, ...]:
    """Return a player's points with their reasons (rulings 7, 8 and 10)."""
    lines: list[ScoreLine] = []
    for colour in position.agreed.colours[player]:
        lines += _snake_lines(position, position.snakes[colour])
    lines += _token_lines(position, player)
    return tuple(lines)


def token_worth(position: CarnivalPosition, token: Token) -> int:
    """Return the points of a token, minus the troubles that touch its tile (ruling 7)."""
    if token.worth is not None:
        return token.worth
    return _points_of_token(position) - _troubles_at(position, token.cell)


def open_questions(position: CarnivalPosition) -> tuple[OpenQuestion, ...]:
    """Return the questions about diamonds and hats of unknown owners, with scores by answer.

    An unknown diamond or hat counts for nobody; each answer shows the scores with that one known.
    """
    return (*_diamond_questions(position), *_hat_questions(position))


def points_near(position: CarnivalPosition, cell: Cell) -> dict[str, int]:
    """Return what counts in a cell and where a tile in it changes what counts, by player.

    A tile changes nothing else, so the difference is what a move gains.
    """
    found: dict[str, int] = {}
    cells = _touched(position, cell)
    for touched in cells:
        laid = position.cards.get(touched)
        if laid is not None and laid.kind.role in WINNING:
            owner = position.agreed.owner(laid.kind.colour)
            if owner is not None:
                points = laid.kind.points + sum([n for n, _, _ in _sides(position, touched, laid)])
                found[owner] = found.get(owner, 0) + points
    for token in position.tokens:
        if token.player is not None and token.cell in cells:
            found[token.player] = found.get(token.player, 0) + token_worth(position, token)
    for hat in position.hats:
        wearer = position.agreed.owner(hat.snake)
        if hat.at == cell and wearer is not None:
            found[wearer] = found.get(wearer, 0) + position.box[hat.tile].points
    return found


def _touched(position: CarnivalPosition, cell: Cell) -> set[Cell]:
    """Return a cell, those beside it, and those beside the gifts there that a log spoils."""
    cells = {cell, *square_neighbours(cell)}
    if position.agreed.logs_spoil_gifts:
        gifts = [near for near in cells if position.role_at(near) == "gift"]
        cells.update(*map(square_neighbours, gifts))
    return cells


# --- snakes (ruling 8)


def _snake_lines(position: CarnivalPosition, snake: Snake) -> Iterator[ScoreLine]:
    for step in snake.steps:
        laid = position.cards[step.cell]
        if laid.kind.role not in WINNING:
            continue
        if laid.kind.points:
            tile = {"tile": named(laid.kind)}
            yield ScoreLine(laid.kind.points, why.PRINTED, (step.cell,), tile)
        for points, reason, near in _sides(position, step.cell, laid):
            yield ScoreLine(points, reason, (step.cell, near), {"colour": snake.colour})
    for hat in position.hats:
        if hat.snake == snake.colour:
            names = {"tile": named(position.box[hat.tile]), "colour": snake.colour}
            yield ScoreLine(position.box[hat.tile].points, why.HAT, (hat.at,), names)


def _sides(
    position: CarnivalPosition, cell: Cell, laid: Card
) -> Iterator[tuple[int, Reason, Cell]]:
    """Yield what the gifts and troubles beside a snake's tile are worth to the snake."""
    cards = position.cards
    for near in square_neighbours(cell):
        beside = cards.get(near)
        if beside is None:
            continue
        kind = beside.kind
        if kind.role == "gift" and _is_whole(position, near):
            gift = kind.points or position.box.extras.get("gift_points", GIFT_POINTS)
            yield int(gift), why.GIFT_SIDE, near
        elif kind.role == "trouble" and laid.kind.role != "diamond":
            yield -abs(kind.points), why.TROUBLE_SIDE, near


def _is_whole(position: CarnivalPosition, gift: Cell) -> bool:
    """Say whether a gift gives points at all: where so agreed, a log beside it spoils it."""
    if not position.agreed.logs_spoil_gifts:
        return True
    return not any(position.role_at(near) in LOGS for near in square_neighbours(gift))


# --- diamonds (ruling 7)


def _token_lines(position: CarnivalPosition, player: str) -> Iterator[ScoreLine]:
    each = _points_of_token(position)
    for token in position.tokens:
        if token.player == player:
            yield _token_line(position, token)
    if position.earlier_tokens.get(player):
        yield ScoreLine(each * position.earlier_tokens[player], why.EARLIER_TOKENS)


def _token_line(position: CarnivalPosition, token: Token) -> ScoreLine:
    worth, full = token_worth(position, token), _points_of_token(position)
    laid = position.cards.get(token.cell)
    tile = named(laid.kind) if laid and token.worth is None else "diamond"
    if worth == full:
        return ScoreLine(worth, why.TOKEN, (token.cell,), {"tile": tile})
    less = str(full - worth)
    return ScoreLine(worth, why.INSTEAD_OF_TOKEN, (token.cell,), {"tile": tile, "value": less})


def _points_of_token(position: CarnivalPosition) -> int:
    return int(position.box.extras.get("diamond_points", DIAMOND_POINTS))


def _troubles_at(position: CarnivalPosition, cell: Cell) -> int:
    beside = (position.cards.get(near) for near in square_neighbours(cell))
    return sum(abs(b.kind.points) for b in beside if b and b.kind.role == "trouble")


# --- what the table does not tell


def _diamond_questions(position: CarnivalPosition) -> Iterator[OpenQuestion]:
    """Ask who laid each diamond.

    Tokens given for a game in progress are counted in full, so then only diamonds beside troubles
    are asked about, because their tokens are worth less.
    """
    told = position.earlier_tokens
    for token in position.tokens:
        worth = token_worth(position, token)
        if token.player is not None or (told and worth == _points_of_token(position)):
            continue
        change = worth - _points_of_token(position) if told else worth
        scores = _scores(position)
        answers = tuple(
            Answer(player, {**scores, player: scores[player] + change})
            for player in position.players
            if not told or told.get(player)
        )
        yield OpenQuestion(f"Who laid {_which_diamond(position, token)}?", answers, (token.cell,))


def _which_diamond(position: CarnivalPosition, token: Token) -> str:
    """Return a diamond in words: its colour and, among several, its number from the house."""
    laid = position.cards[token.cell]
    found = position.runs_through.get(token.cell)
    steps = [step.cell for step in found[0].steps] if found else []
    alike = [cell for cell in steps if position.cards[cell].tile == laid.tile]
    if token.cell not in alike or len(alike) == 1:
        return f"the {named(laid.kind)}"
    return f"{named(laid.kind)} number {alike.index(token.cell) + 1}, counted from the house"


def _hat_questions(position: CarnivalPosition) -> Iterator[OpenQuestion]:
    for hat in position.hats:
        if hat.maybe:
            answers = tuple(
                Answer(colour, _scores(_with_wearer(position, hat, colour))) for colour in hat.maybe
            )
            worn = named(position.box[hat.tile])
            whose = " or ".join(hat.maybe)
            yield OpenQuestion(f"Whose is the {worn}: {whose}?", answers, (hat.at,))


def _with_wearer(position: CarnivalPosition, hat: Hat, colour: str) -> CarnivalPosition:
    worn = replace(hat, snake=colour, maybe=())
    hats = tuple(worn if h is hat else h for h in position.hats)
    head = hidden_head(position.snakes[colour], hat.at, position.cards, position.box)
    return (position.with_tile(hat.at, head) if head else position).but(hats=hats)


def _scores(position: CarnivalPosition) -> dict[str, int]:
    return {p: sum(line.points for line in score_lines(position, p)) for p in position.players}
