"""What may be laid in Carnival: listing and judging a tile by the table and by what is left.

Turn order is judged in ``engine.games.carnival``; hands are hidden.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from engine.carnival.position import NEVER_REPLACED, CarnivalPosition
from engine.carnival.snakes import (
    BODY,
    LOGS,
    PLAIN,
    SNAKE_TILES,
    Snake,
    is_straight,
    joined_snakes,
    named,
)
from engine.game import Move, Violation, says
from engine.lattice import Cell, square_neighbour, square_neighbours
from engine.sentences import rules_of
from engine.snakes import Card, card
from engine.tiles import TileKind

say = rules_of("carnival")

BESIDE_SNAKES = frozenset({"gift", "trouble"})
NEVER_REPLACING = frozenset({"gift", "trouble", "house", "head", "hat"})
NO_OWN_TILE = "no-own-tile"
LAST_ROUND_TILES = frozenset({"head", "hat"})

# --- listing -------------------------------------------------------------------------------------


def layable(position: CarnivalPosition, player: str) -> Iterator[Move]:
    """Yield the moves that are legal for a player with every tile that is left in hand."""
    last = position.last_round
    roles = SNAKE_TILES - {"head"} | BESIDE_SNAKES if last is None else {last.phase[:-1]}
    for move in candidates(position, player, position.kinds_left(roles)):
        if is_legal(position, move):
            yield move


def is_legal(position: CarnivalPosition, move: Move) -> bool:
    """Say whether a tile may be laid, by all but the order of turns."""
    return not any(True for _ in judge_tile(position, move))


def candidates(
    position: CarnivalPosition, player: str, kinds: Iterable[TileKind]
) -> Iterator[Move]:
    """Yield the moves with some kinds that come into question, with their declarations."""
    kinds = list(kinds)
    for ways in (_growing, _giving, _swapping, _hatting):
        for kind in kinds:
            tells = NO_OWN_TILE if _must_be_declared(position, player, kind) else None
            for do, cell, turns, snake in ways(position, kind):
                yield Move(player, do, kind.name, cell, turns, snake=snake, declares=tells)


Way = tuple[str, Cell, int, str | None]
"""What is done, where, in which turn, and for a hat on whose head."""


def _growing(position: CarnivalPosition, kind: TileKind) -> Iterator[Way]:
    """Yield the ways to lay a tile at the ends of snakes (ruling 1)."""
    if kind.role not in SNAKE_TILES:
        return
    met: dict[Cell, set[int]] = {}
    for snake in position.snakes.values():
        if (
            snake.end
            and snake.faces
            and not snake.is_blocked
            and kind.colour in (None, snake.colour)
        ):
            met.setdefault(snake.faces, set()).add(snake.end[1] ^ 2)
    for cell, edges in sorted(met.items()):
        for turns in range(kind.period):
            at = card(kind, turns).strand_at
            if any(at[edge] >= 0 for edge in edges):
                yield "place", cell, turns, None


def _giving(position: CarnivalPosition, kind: TileKind) -> Iterator[Way]:
    """Yield the ways to lay a gift or a trouble beside a snake (ruling 3)."""
    if kind.role in BESIDE_SNAKES:
        for cell in position.beside_snakes:
            yield "place", cell, 0, None


def _swapping(position: CarnivalPosition, kind: TileKind) -> Iterator[Way]:
    """Yield the ways to replace a tile by a log, or a log by a tile (rulings 4 and 5)."""
    if kind.role in NEVER_REPLACING:
        return
    for cell, lying, kept in position.replaceable:
        if is_straight(kind) == is_straight(lying) and (kind.role in LOGS or lying.role == "log"):
            for turns in range(kind.period):
                at = card(kind, turns).strand_at
                if all(at[edge] >= 0 for edge in kept):
                    yield "replace", cell, turns, None


def _hatting(position: CarnivalPosition, kind: TileKind) -> Iterator[Way]:
    """Yield the ways to put a hat on a bare head (ruling 9)."""
    if kind.role == "hat":
        places = sorted(hat_places(position), key=lambda place: place[0])
        cells = [cell for cell, _ in places]
        for cell, colour in places:
            yield "place", cell, 0, colour if cells.count(cell) > 1 else None


def _must_be_declared(position: CarnivalPosition, player: str, kind: TileKind) -> bool:
    """Say whether a player must declare to have no own tile before laying this one (ruling 2)."""
    return (
        position.agreed.asks
        and kind.role in PLAIN
        and position.agreed.owner(kind.colour) not in (None, player)
    )


def declared(position: CarnivalPosition, move: Move, kind: TileKind) -> Move:
    """Return the move with the declaration of ruling 2, if it needs one."""
    if _must_be_declared(position, move.player, kind):
        return replace(move, declares=NO_OWN_TILE)
    return move


# --- judging a tile ------------------------------------------------------------------------------


def judge_tile(position: CarnivalPosition, move: Move) -> Iterator[Violation]:
    """Yield every rule that laying a tile breaks, except the order of turns."""
    assert move.tile is not None
    kind = position.box[move.tile]
    if position.left(kind) < 1:
        case = "" if kind.colour in (None, *position.house.exits) else "left-out"
        tile, n = named(kind), kind.count
        yield says(say.NONE_LEFT, move.at, case=case, tile=tile, n=n, colour=kind.colour)
    yield from _judge_round(position, move, kind)
    if move.declares != NO_OWN_TILE and _must_be_declared(position, move.player, kind):
        yield says(say.UNDECLARED, move.at, player=move.player, tile=named(kind))
    yield from (_placing if move.do == "place" else _replacing)(position, move)


def _judge_round(position: CarnivalPosition, move: Move, kind: TileKind) -> Iterator[Violation]:
    """Yield the violation by a tile that may not be laid in this phase of the game (ruling 9)."""
    last = position.last_round
    if kind.role not in LAST_ROUND_TILES:
        if last is not None:
            yield says(say.ONLY_HEADS_AND_HATS, move.at)
    elif last is None:
        yield says(say.LAST_ROUND_ONLY, move.at, what=kind.role)
    elif last.phase != f"{kind.role}s":
        yield says(say.HEADS_BEFORE_HATS, move.at, case="hats" if last.phase == "hats" else "")


def _placing(position: CarnivalPosition, move: Move) -> Iterator[Violation]:
    """Yield the rules that laying a tile on an empty cell breaks."""
    assert move.tile is not None and move.at is not None and move.turns is not None
    kind, cell = position.box[move.tile], move.at
    if kind.role == "hat":
        yield from _hat(position, cell, move.snake)
        return
    if kind.role == "head" and position.agreed.owner(kind.colour) != move.player:
        yield says(say.NOT_YOUR_HEAD, cell, colour=kind.colour, player=move.player)
    if cell in position.cards:
        yield _taken(position, cell)
    if kind.role in BESIDE_SNAKES:
        yield from _beside(position, move.player, kind, cell)
    elif kind.role in SNAKE_TILES:
        yield from _growth(position, cell, card(kind, move.turns))


def _replacing(position: CarnivalPosition, move: Move) -> Iterator[Violation]:
    """Yield the rules that replacing a tile by another breaks (rulings 4 and 5)."""
    assert move.tile is not None and move.at is not None and move.turns is not None
    kind, cell = position.box[move.tile], move.at
    lying = position.cards.get(cell)
    if lying is None:
        yield Violation(say.NOTHING_TO_REPLACE, (cell,))
        return
    broken = list(_unfit_to_swap(kind, lying.kind, cell))
    yield from broken
    if not broken:
        yield from _swap(position, cell, lying, card(kind, move.turns))


# --- growing (ruling 1) --------------------------------------------------------------------------


def _growth(position: CarnivalPosition, cell: Cell, laid: Card) -> Iterator[Violation]:
    """Yield why a tile does not extend its snake, or a log any snake."""
    colour = laid.kind.colour
    own = position.snakes.get(colour) if colour else None
    if own is not None and own.end and own.is_blocked:
        yield _blocked(position, own)
        return
    met = [_met_edge(snake, laid) for snake in position.snakes_at_end(cell)]
    edge = next((edge for edge in met if edge is not None), None)
    if edge is not None:
        yield from _joining(position, cell, laid, (edge,))
    else:
        where = own.end[0] if own and own.end else None
        case = _why_not_at_an_end(position, cell, own) if own or not colour else ""
        yield says(say.NOT_AT_AN_END, cell, where, case=case, colour=colour)


def _why_not_at_an_end(position: CarnivalPosition, cell: Cell, own: Snake | None) -> str:
    """Return the case that says why a tile extends no snake."""
    if own is None:
        return "log-turned" if position.snakes_at_end(cell) else "no-end"
    if own.end is None:
        return "capped"
    return "turned" if own.grows_at(cell) else ""


def _blocked(position: CarnivalPosition, snake: Snake) -> Violation:
    assert snake.end is not None and snake.faces is not None
    lying = named(position.cards[snake.faces].kind)
    return says(say.BLOCKED, snake.end[0], snake.faces, colour=snake.colour, lying=lying)


def _taken(position: CarnivalPosition, cell: Cell) -> Violation:
    return says(say.CELL_TAKEN, cell, lying=named(position.cards[cell].kind))


def _met_edge(snake: Snake, laid: Card) -> int | None:
    """Return the edge by which a tile joins the end of a snake that points at it.

    Only a log or a tile of the snake's colour can join; any other tile gives ``None``.
    """
    if snake.end is None or laid.kind.colour not in (None, snake.colour):
        return None
    edge = snake.end[1] ^ 2
    return edge if laid.strand_at[edge] >= 0 else None


def _joining(
    position: CarnivalPosition, cell: Cell, laid: Card, kept: tuple[int, ...]
) -> Iterator[Violation]:
    """Yield the violation by a tile or a log that joins two snakes that were not joined before.

    The kept edges join one snake only, so nothing is traced unless another edge meets a tile.
    """
    exits = (edge for edge in range(4) if laid.strand_at[edge] >= 0 and edge not in kept)
    if not any(square_neighbour(cell, edge) in position.cards for edge in exits):
        return
    before = joined_snakes(position.snakes.values())
    after = joined_snakes(position.with_tile(cell, laid).snakes.values())
    joined = [pair for pair in after if pair not in before]
    for one, other in joined[:1]:
        yield says(say.TWO_SNAKES_JOINED, cell, one=one, other=other)


# --- gifts and troubles (ruling 3) ---------------------------------------------------------------


def _beside(
    position: CarnivalPosition, player: str, kind: TileKind, cell: Cell
) -> Iterator[Violation]:
    if not any(position.role_at(near) in SNAKE_TILES for near in square_neighbours(cell)):
        yield says(say.GIFT_ALONE, cell, what=kind.role)
    for snake in position.snakes_at_end(cell):
        if position.agreed.owner(snake.colour) != player and snake.end:
            yield says(say.BLOCKS_AN_END, cell, snake.end[0], what=kind.role, colour=snake.colour)


# --- hats (ruling 9) -----------------------------------------------------------------------------


def hat_places(position: CarnivalPosition) -> list[tuple[Cell, str]]:
    """Return the cells where a hat can go, each with the colour of the head."""
    return [(_hat_place(position, snake), snake.colour) for snake in position.bare_heads()]


def wearers_at(position: CarnivalPosition, cell: Cell) -> list[str]:
    """Return the colours of the bare heads whose hat would go to a cell."""
    return [colour for place, colour in hat_places(position) if place == cell]


def _hat_place(position: CarnivalPosition, snake: Snake) -> Cell:
    assert snake.front is not None
    return snake.steps[-1].cell if snake.front in position.cards else snake.front


def _hat(position: CarnivalPosition, cell: Cell, whose: str | None) -> Iterator[Violation]:
    wearers = wearers_at(position, cell)
    bare = next((s for s in position.bare_heads() if s.steps[-1].cell == cell), None)
    if not wearers and bare and bare.front:
        yield says(say.HAT_IN_FRONT, cell, bare.front, colour=bare.colour)
    elif cell in position.cards and position.role_at(cell) != "head":
        yield _taken(position, cell)
    elif not wearers or whose not in (None, *wearers):
        yield Violation(say.NO_BARE_HEAD, (cell,))
    elif whose is None and len(wearers) > 1:
        heads = [position.snakes[colour].steps[-1].cell for colour in wearers]
        yield says(say.WHICH_HEAD, cell, *heads, one=" or ".join(wearers[:-1]), other=wearers[-1])


# --- replacing (rulings 4 and 5) -----------------------------------------------------------------


def _unfit_to_swap(new: TileKind, lying: TileKind, cell: Cell) -> Iterator[Violation]:
    """Yield why a tile of one role can never replace a tile of another."""
    if lying.role in NEVER_REPLACED:
        yield says(say.NOT_REPLACEABLE, cell, what=named(lying))
    if new.role in NEVER_REPLACING or (new.role in BODY and lying.role in BODY):
        yield says(say.NOT_A_REPLACEMENT, cell, what=named(new), lying=named(lying))


def _swap(position: CarnivalPosition, cell: Cell, lying: Card, new: Card) -> Iterator[Violation]:
    snake, kept = position.runs_through.get(cell, (None, ()))
    colour = snake.colour if snake else "loose"
    if new.kind.role in BODY and new.kind.colour != colour:
        case = "" if snake else "loose"
        yield says(say.WRONG_COLOUR, cell, case=case, colour=colour, other=new.kind.colour)
    if is_straight(new.kind) != is_straight(lying.kind):
        yield says(say.WRONG_SHAPE, cell, what=named(new.kind), lying=named(lying.kind))
    elif any(new.strand_at[edge] < 0 for edge in kept):
        yield says(say.CONNECTION_LOST, cell, colour=colour)
    elif new.kind.role in LOGS or new.kind.colour == colour:
        yield from _joining(position, cell, new, kept)
