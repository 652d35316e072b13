"""Rule book of Sssnake, after B. & B. Micksch: the French rules, and rulings on open points.

Players lengthen their snakes at head and tail until one bites its tail; the die decides who lays
which card where. Comments cite rulings by number: (D) deduced from the text, (R) ruled.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import combinations_with_replacement
from types import MappingProxyType

from engine import options
from engine.draws import DIE, SssnakePosition, Turn
from engine.errors import RecordError
from engine.fields import ENDS, SnakeField, fields_at_start
from engine.game import (
    Change,
    Facts,
    Game,
    Move,
    Outcome,
    ScoreLine,
    Start,
    Verdict,
    Violation,
    not_your_turn,
    outcome_of,
    says,
)
from engine.lattice import Cell
from engine.placement import Layout, Placement
from engine.routes import pocket
from engine.sentences import options_of, rules_of, summary_of, why
from engine.snakes import card
from engine.tiles import TileSet

say = rules_of("sssnake")
TEXT = options_of("sssnake")


class Sssnake(Game[SssnakePosition]):
    """The rule book."""

    facts = Facts(
        name="sssnake",
        several_fields=True,
        title="Sssnake",
        lattice="square",
        fewest_players=2,
        most_players=4,
        player_names=None,
        options=(options.one_of("rolls", TEXT["rolls"], "told", "trust"),),
        summary=summary_of("sssnake"),
        rules=tuple(say),
        actions=("roll", "place", "discard", "pass"),
        move_keys=("snake",),
        counts=("out",),
    )

    # --- opening ---------------------------------------------------------------------------

    def opening(self, start: Start, tile_set: TileSet) -> SssnakePosition:
        """Return the first position: big cards alone, or the layout of a game in progress."""
        first = start.players.index(start.next) if start.next else 0
        position = SssnakePosition(
            tile_set,
            start.players,
            start.options.get("rolls") == "trust",
            fields_at_start(start, tile_set),
            MappingProxyType(dict(start.out)),
            Turn(first),
        )
        for tile in start.out:
            if tile not in position.pile_kinds:
                known = ", ".join(position.pile_kinds)
                raise RecordError(
                    f"out.{tile}", f"is not a card of the pile; the cards of the pile are {known}"
                )
        return position

    # --- legal moves -----------------------------------------------------------------------

    def legal_moves(self, position: SssnakePosition) -> list[Move]:
        """List every possible roll if one is due, else every card that may be laid or discarded."""
        if self._is_over(position):
            return []
        if position.turn.value is None and not position.on_trust:
            return list(_rolls(position))
        return [*_places(position), *_discards(position)]

    # --- judge -----------------------------------------------------------------------------

    def judge(self, position: SssnakePosition, move: Move) -> Verdict:
        """Say whether a move is legal, with every rule that it breaks."""
        if self._is_over(position):
            return Verdict() if move.do == "pass" else Verdict((Violation(say.GAME_OVER),))
        judge = {
            "roll": _judge_roll,
            "place": _judge_place,
            "discard": _judge_discard,
            "pass": _judge_pass,
        }[move.do]
        return Verdict(tuple(judge(position, move)))

    # --- apply -----------------------------------------------------------------------------

    def apply(self, position: SssnakePosition, move: Move) -> SssnakePosition:
        """Return the position after a move."""
        if move.do == "pass" or self._is_over(position):
            return position
        if move.do == "roll":
            return position if position.on_trust else replace(position, turn=_drawn(position, move))
        assert move.tile is not None
        if move.do == "discard":
            out = {**position.out, move.tile: position.out.get(move.tile, 0) + 1}
            after = replace(position, out=MappingProxyType(out))
        else:
            assert move.at is not None and move.turns is not None
            owner, laid = _owner(position, move), card(position.box[move.tile], move.turns)
            fields = list(position.fields)
            fields[owner] = fields[owner].with_card(move.at, laid)
            after = replace(position, fields=tuple(fields))
        return replace(after, turn=_turn_after(after, move))

    # --- outcome ---------------------------------------------------------------------------

    def outcome(self, position: SssnakePosition) -> Outcome:
        """Count the missing cards as minus points (ruling 3); fewest wins, ties share."""
        owned = dict(zip(position.players, position.fields, strict=True))
        lines = {p: (_line(p, field),) for p, field in owned.items()}
        unreachable = [p for p, field in owned.items() if field.route is None]
        return outcome_of(lines, over=self._is_over(position), without=unreachable)

    def _is_over(self, position: SssnakePosition) -> bool:
        """Say whether a snake is closed (ruling 5) or the pile is used up (ruling 3).

        On trust the discarded cards are unknown: the game is over when no card left fits a snake.
        """
        if any(field.is_closed for field in position.fields):
            return True
        if position.on_trust:
            return not any(
                position.fits(owner, tile)
                for owner in range(len(position.players))
                for tile in position.pile_kinds
                if position.is_left(tile)
            )
        return not position.turn.hand and not position.pile

    # --- the table -------------------------------------------------------------------------

    def layout(self, position: SssnakePosition) -> Layout:
        """Return what lies on the table: every field with its big card."""
        return Layout.of(
            *(field.big for field in position.fields),
            *(
                Placement(laid.tile, cell, laid.turns, field.number)
                for field in position.fields
                for cell, laid in field.cards.items()
            ),
        )

    def inspect(self, position: SssnakePosition) -> tuple[Violation, ...]:
        """Return the rules that the table itself breaks."""
        broken: list[Violation] = []
        for player, field in zip(position.players, position.fields, strict=True):
            apart = tuple(sorted(field.cards.keys() - field.snake_cells))
            if apart:
                broken.append(says(say.NOT_AT_AN_END, *apart, case="apart", snake=player))
            broken += _hopeless(player, field)
            for tile in position.pile_kinds:
                cells = tuple(sorted(at for at, c in field.cards.items() if c.tile == tile))
                if cells and position.left[tile] < 0:
                    broken.append(_none_left(position, tile, *cells, snake=player))
        return tuple(broken)

    def readings(self, position: SssnakePosition, change: Change) -> list[Move]:
        """Return the moves that laid one card, one for each player who may have laid it."""
        laid = tuple(change.laid.cards)
        if len(laid) != 1 or change.lifted.placements():
            return []
        new = laid[0]
        owner = next((i for i, f in enumerate(position.fields) if f.number == new.field), None)
        if owner is None:
            return []
        players = [position.players[p] for p, snake in position.due(new.tile) if snake == owner]
        return [
            Move(p, "place", new.tile, new.at, new.turns, snake=position.players[owner])
            for p in players or [position.to_move]
        ]


# --- rolling and drawing -----------------------------------------------------------------------


def _rolls(position: SssnakePosition) -> Iterator[Move]:
    """Yield every roll of the die with every multiset of cards that the pile can give."""
    player = position.players[position.turn.roller]
    kinds = [tile for tile in position.pile_kinds if position.is_left(tile)]
    for value in DIE:
        for tiles in combinations_with_replacement(kinds, min(value, position.pile)):
            if all(tiles.count(tile) <= position.left[tile] for tile in set(tiles)):
                yield Move(player, "roll", value=value, tiles=tiles)


def _judge_roll(position: SssnakePosition, move: Move) -> Iterator[Violation]:
    assert move.value is not None
    if position.on_trust:
        yield says(say.ROLLS_ON_TRUST)
        return
    yield from not_your_turn(say.NOT_YOUR_TURN, position, move)
    if position.turn.value is not None:
        yield says(say.ALREADY_ROLLED, turn=position.players[position.turn.roller])
        return
    if move.tiles is None:
        return
    due, drawn = min(move.value, position.pile), len(move.tiles)
    if drawn != due:
        case = "short" if due < move.value else ""
        yield says(say.WRONG_DRAW, case=case, n=due, value=move.value, drawn=drawn)
    for tile in dict.fromkeys(move.tiles):
        if move.tiles.count(tile) > max(0, position.left.get(tile, 0)):
            yield _none_left(position, tile)


def _drawn(position: SssnakePosition, move: Move) -> Turn:
    """Return the turn after a roll; from a short pile the roller's own share comes first (R).

    It is the turn of whoever rolled: the table may have overruled a roll out of turn.
    """
    assert move.value is not None
    roller = position.players.index(move.player)
    hand = move.tiles if move.tiles is not None else (None,) * min(move.value, position.pile)
    if not hand:
        return Turn(position.left_of(roller))
    return Turn(roller, move.value, hand, min(move.value - 1, len(hand)))


# --- laying a card -----------------------------------------------------------------------------


def _places(position: SssnakePosition) -> Iterator[Move]:
    """Yield every way to lay a card in hand."""
    for tile in position.at_hand:
        yield from _places_of(position, tile)


def _places_of(position: SssnakePosition, tile: str) -> Iterator[Move]:
    for player, owner in position.due(tile):
        yield from _laid(position, player, owner, tile, position.turn.may_close)


def _laid(
    position: SssnakePosition, player: int, owner: int, tile: str, may_close: bool
) -> Iterator[Move]:
    names = position.players
    for cell, turns in position.fields[owner].placements(position.box[tile], may_close):
        yield Move(names[player], "place", tile, cell, turns, snake=names[owner])


def _owner(position: SssnakePosition, move: Move) -> int:
    """Return whose snake a card was laid on; by default the player's own."""
    return position.players.index(move.snake or move.player)


def _judge_place(position: SssnakePosition, move: Move) -> Iterator[Violation]:
    assert move.tile is not None
    if not position.on_trust and position.turn.value is None:
        yield says(say.NOT_ROLLED, turn=position.to_move)
    yield from _wrong_hands(position, move)
    yield from _wrong_card(position, move.tile)
    yield from _wrong_on_field(position, move)


def _wrong_hands(position: SssnakePosition, move: Move) -> Iterator[Violation]:
    """Yield the violations by a wrong player or a wrong snake (ruling 4)."""
    assert move.tile is not None
    names = position.players
    due = [(names[player], names[owner]) for player, owner in position.due(move.tile)]
    snakes = [owner for player, owner in due if player == move.player]
    if not snakes:
        yield says(say.NOT_YOUR_TURN, turn=position.to_move, player=move.player)
        snakes = [owner for _, owner in due]
    snake = names[_owner(position, move)]
    if snake not in snakes:
        due_snakes = " or ".join(dict.fromkeys(snakes))
        case = _case_of_snake(position, snakes)
        yield says(say.WRONG_SNAKE, case=case, snake=snake, due=due_snakes)


def _case_of_snake(position: SssnakePosition, snakes: list[str]) -> str:
    """Return the case that says why a card must go on one particular snake."""
    if len(set(snakes)) != 1 or position.turn.value is None:
        return ""
    if position.turn.own:
        return "own"
    return "neighbour" if position.turn.value == 1 else "given"


def _none_left(
    position: SssnakePosition, tile: str, *cells: Cell, snake: str | None = None
) -> Violation:
    return says(say.NONE_LEFT, *cells, snake=snake, tile=tile, n=position.box[tile].count)


def _wrong_card(position: SssnakePosition, tile: str) -> Iterator[Violation]:
    if position.turn.is_untold:
        if not position.is_left(tile):
            yield _none_left(position, tile)
    elif tile not in position.turn.hand:
        yield says(say.NOT_DRAWN, tile=tile)


def _wrong_on_field(position: SssnakePosition, move: Move) -> Iterator[Violation]:
    """Yield the rules that a card breaks on the snake it is laid on (rulings 1, 2 and 5)."""
    assert move.tile is not None and move.at is not None and move.turns is not None
    owner = _owner(position, move)
    name, field, cell = position.players[owner], position.fields[owner], move.at
    laid = card(position.box[move.tile], move.turns)
    if cell in field.across:
        yield says(say.CELL_TAKEN, cell, snake=name)
    elif not field.edges_faced(cell):
        yield says(say.NOT_AT_AN_END, cell, *(end for end, _ in field.open_ends), snake=name)
    elif not field.meets_an_end(cell, laid):
        yield says(say.NOT_JOINED, cell, snake=name)
    else:
        after = field.with_card(cell, laid)
        yield from _hopeless(name, after)
        if after.is_closed and not position.turn.may_close:
            yield says(say.CLOSES_TOO_EARLY, cell, snake=name, player=move.player)


def _hopeless(player: str, field: SnakeField) -> Iterator[Violation]:
    """Yield why head and tail can no longer be joined (ruling 2)."""
    if field.dead_ends:
        case = "" if len(field.dead_ends) > 1 else ENDS[field.ends.index(field.dead_ends[0])]
        yield says(say.DEAD_END, *(cell for cell, _ in field.dead_ends), case=case, snake=player)
    elif field.route is None:
        # An end that is not walled in reaches the outside, so at least one end is walled in.
        rooms = [pocket(field.across, cell) for cell, _ in field.ends]
        shut_in = [end for end, room in zip(ENDS, rooms, strict=True) if room is not None]
        case = shut_in[0] if len(shut_in) == 1 else ""
        cells = sorted(cell for room in rooms for cell in room or ())
        yield says(say.NOT_FEASIBLE, *cells, case=case, snake=player)


# --- putting a card out of the game ------------------------------------------------------------


def _discards(position: SssnakePosition) -> Iterator[Move]:
    """Yield the legal discards."""
    players = range(len(position.players)) if position.on_trust else [position.turn.roller]
    for player in players:
        for tile in position.at_hand:
            if not any(True for _ in _instead(position, player, tile)):
                yield Move(position.players[player], "discard", tile)


def _instead(position: SssnakePosition, player: int, tile: str) -> Iterator[Move]:
    """Yield the moves that forbid a discard, because a card can be laid (ruling 4).

    Any own card that fits must be laid first. If the hand is unknown, only the discarded card is
    known. On trust the card may be the first of two own cards, which is not offered to the
    neighbour and may not close the snake.
    """
    if position.on_trust:
        yield from _laid(position, player, player, tile, may_close=False)
    elif position.turn.own and not position.turn.is_untold:
        yield from _places(position)
    else:
        yield from _places_of(position, tile)


def _judge_discard(position: SssnakePosition, move: Move) -> Iterator[Violation]:
    assert move.tile is not None
    roller = position.players[position.turn.roller]
    if not position.on_trust:
        if move.player != roller:
            yield says(say.NOT_THE_ROLLER, turn=roller)
        if position.turn.value is None:
            yield says(say.NOT_ROLLED, turn=roller)
            return
    yield from _wrong_card(position, move.tile)
    player = position.players.index(move.player)
    yield from _could_be_laid(_instead(position, player, move.tile))


def _could_be_laid(instead: Iterable[Move]) -> Iterator[Violation]:
    places = list(instead)
    for tile, snake in dict.fromkeys((move.tile, move.snake) for move in places):
        if tile is not None and snake is not None:
            cells = {m.at for m in places if (m.tile, m.snake) == (tile, snake) and m.at}
            yield says(say.COULD_BE_LAID, *sorted(cells), snake=snake, tile=tile)


# --- passing -----------------------------------------------------------------------------------


def _judge_pass(position: SssnakePosition, move: Move) -> Iterator[Violation]:
    """Yield why a player may not pass.

    A roll, a placement or a discard is always possible, so nobody needs to pass. On trust a player
    who can lay nothing may pass.
    """
    if position.on_trust and not any(m.player == move.player for m in _places(position)):
        return
    yield from not_your_turn(say.NOT_YOUR_TURN, position, move)
    to_roll = position.turn.value is None and not position.on_trust
    yield says(say.MUST_MOVE, case="roll" if to_roll else "", player=move.player)


# --- turns -------------------------------------------------------------------------------------


def _turn_after(position: SssnakePosition, move: Move) -> Turn:
    """Return the turn after a card was laid or discarded; ``position`` is after the move."""
    assert move.tile is not None
    turn = position.turn
    if position.on_trust:
        # The player may go on, unless the card went to the neighbour: that ends the turn.
        player = position.players.index(move.player)
        given = move.do == "place" and _owner(position, move) != player
        return Turn(position.left_of(player) if given else player)
    if turn.value is None:
        return turn
    # A closed snake ends the game at once, and the cards in hand are dropped (ruling 5).
    closed = any(field.is_closed for field in position.fields)
    rest = None if closed else turn.without(move.tile)
    return rest or Turn(position.left_of(turn.roller))


# --- score -------------------------------------------------------------------------------------


def _line(player: str, field: SnakeField) -> ScoreLine:
    route, params = field.route, {"snake": player}
    if route is None:
        cells = tuple(cell for cell, _ in field.ends)
        return ScoreLine(0, why.UNREACHABLE, cells, params, player)
    if not route:
        return ScoreLine(0, why.CLOSED, (), params, player)
    return ScoreLine(-len(route), why.MISSING, route, params | {"n": str(len(route))}, player)
