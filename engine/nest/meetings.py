"""Where snakes meet: joined colours, crowds, and duels, which are two snakes at one cell.

This module implements rulings 1, 4 and 5.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from engine.game import Violation, in_order_from, says
from engine.lattice import Cell, square_neighbours
from engine.nest.position import COLOURS, Agreed, Box, NestPosition
from engine.sentences import rules_of
from engine.snakes import Card, Chain, Web

say = rules_of("schlangennest")

CROWD_AT_ONE, CROWD_AT_TWO = 3, 4
"""The forbidden numbers of snakes at one empty cell, and at two adjacent empty cells."""


class Ends:
    """The ends at empty cells, when the chains over one more card are known."""

    def __init__(self, web: Web, laid_at: Cell | None = None, joined: Iterable[Chain] = ()) -> None:
        self.web = web
        self._laid_at = laid_at
        self._changed = {end: chain for chain in joined for end in chain.ends}

    @property
    def changed(self) -> list[Cell]:
        """The empty cells that a changed chain reaches."""
        return sorted({cell for cell, _ in self._changed})

    @property
    def all(self) -> list[Cell]:
        """The empty cells that any chain reaches."""
        return sorted({cell for cell, _ in (*self._changed, *self.web.open)} - {self._laid_at})

    def at(self, cell: Cell) -> list[Chain]:
        """Return the chain of each end that faces an empty cell."""
        if cell == self._laid_at:
            return []
        found, known = [], self.web.open
        for edge in range(4):
            chain = self._changed.get((cell, edge)) or known.get((cell, edge))
            if chain is not None:
                found.append(chain)
        return found

    def snakes_at(self, cell: Cell) -> set[str]:
        """Return the colours of the snakes that reach a cell; grey chains are not snakes."""
        return {colour for chain in self.at(cell) for colour in chain.colours}


# --- rule 1, no two colours


def colours_joined(
    position: NestPosition, snake: Chain, laid_at: Cell | None = None
) -> Iterator[Violation]:
    """Yield the violation of a snake with two colours; the cell of the new card comes first."""
    if len(snake.colours) < 2:
        return
    if is_newly_joined(position, snake, laid_at):
        one, *others = sorted(snake.colours, key=colour_order)
        cells = sorted({cell for cell, _ in snake.strands}, key=lambda c: (c != laid_at, c))
        yield Violation(say.COLOURS_JOINED, tuple(cells), {"one": one, "other": listed(others)})


def is_newly_joined(position: NestPosition, snake: Chain, laid_at: Cell | None) -> bool:
    """Say whether a table, or a card laid on it, joins colours that may not be joined.

    Joints within the set-up are not judged, nor later cards by joints that people let stand.
    """
    owned = any(position.agreed.owner(colour) for colour in snake.colours)
    let_stand = position.is_joined and not position.agreed.irregular
    if owned and (laid_at is None or not let_stand):
        return True
    strands = {strand for strand in snake.strands if strand[0] != laid_at}
    before = {one for own in position.web.snakes.values() for one in own}
    coloured = [set(one.colours) for one in before if not strands.isdisjoint(one.strands)]
    if owned:
        return not any(colours >= snake.colours for colours in coloured)
    return len(coloured) > 1 and len(set.union(*coloured)) > 1


# --- rule 4, three snakes at one place, four at two


def crowds(ends: Ends, cells: Iterable[Cell], before: Web | None = None) -> Iterator[Violation]:
    """Yield the violations by crowds at some empty cells and beside them.

    Args:
        ends: the ends that face each cell.
        cells: the empty cells.
        before: the chains before the move; crowds there to which it adds no snake are not judged.
    """
    reached = None if before is None else Ends(before)
    for place in crowded_places(ends, cells):
        snakes = set[str]().union(*(ends.snakes_at(cell) for cell in place))
        if reached and snakes <= set[str]().union(*(reached.snakes_at(cell) for cell in place)):
            continue
        if len(place) == 1:
            named = listed(sorted(snakes, key=colour_order))
            yield Violation(say.THREE_AT_ONE_PLACE, place, {"snakes": named})
        else:
            yield Violation(say.FOUR_AT_TWO_PLACES, place)


def crowded_places(ends: Ends, cells: Iterable[Cell]) -> Iterator[tuple[Cell, ...]]:
    """Yield the crowded cells among ``cells``, and the crowded pairs that include one of them."""
    pairs = set()
    for cell in cells:
        here = ends.snakes_at(cell)
        if not here:
            continue
        if len(here) >= CROWD_AT_ONE:
            yield (cell,)
        for beside in square_neighbours(cell):
            there = ends.at(beside)
            if not there or len(here.union(*(end.colours for end in there))) < CROWD_AT_TWO:
                continue
            pair = (min(cell, beside), max(cell, beside))
            if pair not in pairs:
                pairs.add(pair)
                yield pair


def is_crowded(position: NestPosition) -> bool:
    """Say whether the table has a crowd already: by the set-up, or one that people let stand."""
    ends = Ends(position.web)
    return any(True for _ in crowded_places(ends, ends.all))


# --- rule 5, all four ends of two snakes at one place


@dataclass(frozen=True, slots=True)
class Closing:
    """A place where a snake must be closed, and the edges at which its ends arrive."""

    cell: Cell
    edges: frozenset[int]
    colour: str
    other: str
    """The colour of the other snake, whose ends face the same cell."""

    @property
    def is_straight(self) -> bool:
        """Say whether the ends arrive from opposite sides."""
        one, other = sorted(self.edges)
        return other - one == 2

    def shape(self, position: NestPosition) -> str:
        """Return the shape to close with; the tail only if no straight is left (R: no head)."""
        if not self.is_straight:
            return "curve"
        return "straight" if position.left(f"{self.colour}/straight") > 0 else "tail"

    def closes(self, position: NestPosition, cell: Cell, laid: Card) -> bool:
        """Say whether a card closes the snake as required."""
        return (
            cell == self.cell
            and laid.kind.shape == self.shape(position)
            and self.edges.issuperset(laid.strands[0].edges)
        )


def must_close_at(position: NestPosition, colour: str) -> Closing | None:
    """Return where a snake must be closed because both ends of another snake face that cell."""
    ends = position.ends(colour)
    if len(ends) != 2 or ends[0][0] != ends[1][0]:
        return None
    cell = ends[0][0]
    duel = duel_at(position.agreed, position.web.facing(cell))
    if duel is None:
        return None
    other = next(c for snake in duel for c in sorted(snake.colours) if c != colour)
    return Closing(cell, frozenset(edge for _, edge in ends), colour, other)


def duel_at(agreed: Agreed, ends: list[Chain]) -> tuple[Chain, Chain] | None:
    """Return the two players' snakes whose four ends all face one cell, the older one first.

    Set-up snakes do not count: ruling 10 lists the rules that apply to them, without this one.
    """
    if len(ends) != 4:
        return None
    one, _, _, other = sorted(ends, key=lambda chain: chain.first)
    if ends.count(one) != 2 or ends.count(other) != 2:
        return None
    played = all(any(agreed.owner(c) for c in snake.colours) for snake in (one, other))
    return (one, other) if played else None


def unclosable(
    position: NestPosition, laid: Card, ends: Ends, cells: Iterable[Cell]
) -> Iterator[Violation]:
    """Yield new duels at adjacent edges that the next player cannot close with a curve."""
    for cell in cells:
        duel = duel_at(position.agreed, ends.at(cell))
        if duel is None or duel_at(position.agreed, position.web.facing(cell)) is not None:
            continue
        edges = sorted(edge for _, edge in duel[0].ends)
        if edges[1] - edges[0] == 2:
            continue
        colours = [colour for snake in duel for colour in sorted(snake.colours)]
        closers = next_of(position, laid, colours)
        if closers and not any(curves_left(position, laid, colour) for colour in closers):
            params = {"one": colours[0], "other": colours[-1], "colour": listed(closers)}
            yield Violation(say.CANNOT_BE_CLOSED, (cell,), params)


def next_of(position: NestPosition, laid: Card, colours: list[str]) -> list[str]:
    """Return the colours among two snakes that move next after a card is laid."""
    agreed, mover = position.agreed, position.to_move
    if agreed.two_snakes == "both":
        acted = (*position.acted, laid.kind.colour)
        due = [c for c in agreed.colours[mover] if c not in acted and c in colours]
        if due and position.has_any_begun:
            return due
    order = in_order_from(position.players, mover)
    for player in (*order[1:], order[0]):
        own = [colour for colour in colours if colour in agreed.colours[player]]
        if own:
            return own
    return []


def curves_left(position: NestPosition, laid: Card, colour: str) -> bool:
    """Say whether a colour has a curve left after a card is laid."""
    tile = f"{colour}/curve"
    # A curve that is turned is on the table already, so it does not leave the stock.
    being_laid = laid.tile == tile and not position.is_loop(colour)
    return position.left(tile) - being_laid > 0


# --- words


def none_left(position: NestPosition, tile: str) -> Violation:
    """Return the violation that no copy of a tile is left; it points at the copies laid."""
    cells = sorted(at for at, lying in position.cards.items() if lying.tile == tile)
    case = "over" if position.left(tile) < 0 else ""
    return says(say.NONE_LEFT, *cells, case=case, tile=tile, n=position.box[tile].count)


def outside(position: NestPosition, box: Box | None, *cells: Cell) -> Violation:
    """Return the violation that straights and curves with a bounding box do not fit the field."""
    size = position.agreed.field.size
    if size is None or box is None:
        return says(say.OUTSIDE_FIELD, *cells)
    left, top, right, bottom = box
    wide, high = sorted((right - left + 1, bottom - top + 1))
    a, b = sorted(size)
    return says(say.OUTSIDE_FIELD, *cells, case="size", wide=wide, high=high, a=a, b=b)


def colour_order(colour: str) -> int:
    """Return the sort key of a colour: its index in the box."""
    return COLOURS.index(colour)


def listed(names: Iterable[str]) -> str:
    """Return names as words of a sentence: ``red, yellow and green``."""
    *first, last = names
    return " and ".join((", ".join(first), last)) if first else last
