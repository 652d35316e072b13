"""Where tiles may lie: growing snakes, gifts and troubles, heads, hats, and replacing tiles.

These functions judge the table alone. Turn order, what is left in the box and what players said
are judged in ``tiles`` and in ``engine.games.carnival``.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.carnival.position import CarnivalPosition
from engine.carnival.snakes import (
    BODY,
    LOGS,
    SNAKE_TILES,
    Snake,
    is_straight,
    joined_snakes,
    trace_snakes,
    with_card,
)
from engine.carnival.words import named, says
from engine.game import Move, Violation
from engine.lattice import Cell, square_neighbour, square_neighbours
from engine.sentences import carnival as say
from engine.snakes import Card, card
from engine.tiles import TileKind

BESIDE_SNAKES = frozenset({"gift", "trouble"})
NEVER_REPLACED = frozenset({"gift", "trouble", "house", "head", "hat", "crossing-log"})
NEVER_REPLACING = frozenset({"gift", "trouble", "house", "head", "hat"})


def placing(position: CarnivalPosition, move: Move) -> Iterator[Violation]:
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


def replacing(position: CarnivalPosition, move: Move) -> Iterator[Violation]:
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
    after = trace_snakes(with_card(position.cards, cell, laid), position.house)
    joined = [pair for pair in joined_snakes(after.values()) if pair not in before]
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
    snake = position.snake_at.get(cell)
    colour = snake.colour if snake else "loose"
    kept = snake.kept_edges(cell) if snake else ()
    if new.kind.role in BODY and new.kind.colour != colour:
        case = "" if snake else "loose"
        yield says(say.WRONG_COLOUR, cell, case=case, colour=colour, other=new.kind.colour)
    if is_straight(new.kind) != is_straight(lying.kind):
        yield says(say.WRONG_SHAPE, cell, what=named(new.kind), lying=named(lying.kind))
    elif any(new.strand_at[edge] < 0 for edge in kept):
        yield says(say.CONNECTION_LOST, cell, colour=colour)
    elif new.kind.role in LOGS or new.kind.colour == colour:
        yield from _joining(position, cell, new, kept)
