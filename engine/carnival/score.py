"""Scores of Carnival: printed points, gifts, troubles, tokens and hats, cell by cell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from engine.carnival.position import Agreed, CarnivalPosition, Hat, Token
from engine.carnival.snakes import BODY, LOGS, Snake, hidden_head, with_card
from engine.carnival.words import named
from engine.game import Answer, OpenQuestion, ScoreLine
from engine.lattice import Cell, square_neighbours
from engine.sentences import carnival as say
from engine.snakes import Card, Cards

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


# --- snakes (ruling 8) ---------------------------------------------------------------------------


def _snake_lines(position: CarnivalPosition, snake: Snake) -> Iterator[ScoreLine]:
    for step in snake.steps:
        laid = position.cards[step.cell]
        if laid.kind.role in WINNING:
            yield from _tile_lines(position, snake.colour, step.cell, laid)
    for hat in position.hats:
        if hat.snake == snake.colour:
            names = {"tile": named(position.box[hat.tile]), "colour": snake.colour}
            yield ScoreLine(position.box[hat.tile].points, say.HAT, (hat.at,), names)


def _tile_lines(
    position: CarnivalPosition, colour: str, cell: Cell, laid: Card
) -> Iterator[ScoreLine]:
    if laid.kind.points:
        yield ScoreLine(laid.kind.points, say.PRINTED, (cell,), {"tile": named(laid.kind)})
    for near in square_neighbours(cell):
        beside = position.cards.get(near)
        if beside is None:
            continue
        if beside.kind.role == "gift" and is_whole(near, position.cards, position.agreed):
            points = beside.kind.points or position.box.extras.get("gift_points", GIFT_POINTS)
            yield ScoreLine(points, say.GIFT_SIDE, (cell, near), {"colour": colour})
        elif beside.kind.role == "trouble" and laid.kind.role != "diamond":
            cost = abs(beside.kind.points)
            yield ScoreLine(-cost, say.TROUBLE_SIDE, (cell, near), {"colour": colour})


def is_whole(gift: Cell, cards: Cards, agreed: Agreed) -> bool:
    """Say whether a gift gives points at all: where so agreed, a log beside it spoils it."""
    if not agreed.logs_spoil_gifts:
        return True
    beside = (cards.get(near) for near in square_neighbours(gift))
    return not any(lying and lying.kind.role in LOGS for lying in beside)


# --- diamonds (ruling 7) -------------------------------------------------------------------------


def _token_lines(position: CarnivalPosition, player: str) -> Iterator[ScoreLine]:
    each = _points_of_token(position)
    for token in position.tokens:
        if token.player == player:
            yield _token_line(position, token)
    if position.earlier_tokens.get(player):
        yield ScoreLine(each * position.earlier_tokens[player], say.EARLIER_TOKENS)


def _token_line(position: CarnivalPosition, token: Token) -> ScoreLine:
    worth, full = token_worth(position, token), _points_of_token(position)
    laid = position.cards.get(token.cell)
    tile = named(laid.kind) if laid and token.worth is None else "diamond"
    if worth == full:
        return ScoreLine(worth, say.TOKEN, (token.cell,), {"tile": tile})
    less = str(full - worth)
    return ScoreLine(worth, say.INSTEAD_OF_TOKEN, (token.cell,), {"tile": tile, "value": less})


def _points_of_token(position: CarnivalPosition) -> int:
    return int(position.box.extras.get("diamond_points", DIAMOND_POINTS))


def _troubles_at(position: CarnivalPosition, cell: Cell) -> int:
    beside = (position.cards.get(near) for near in square_neighbours(cell))
    return sum(abs(b.kind.points) for b in beside if b and b.kind.role == "trouble")


# --- what the table does not tell ----------------------------------------------------------------


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
    snake = position.snake_at.get(token.cell)
    steps = [step.cell for step in snake.steps] if snake else []
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
    cards = with_card(position.cards, hat.at, head) if head else position.cards
    return replace(position, hats=hats, cards=cards)


def _scores(position: CarnivalPosition) -> dict[str, int]:
    return {p: sum(line.points for line in score_lines(position, p)) for p in position.players}
