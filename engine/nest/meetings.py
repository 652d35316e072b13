"""Where snakes meet: joined colours, crowds, and duels, which are two snakes at one cell.

This module implements rulings 1, 4 and 5.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from engine.game import Violation
from engine.lattice import Cell, square_neighbour
from engine.nest.crowds import EndsAt, crowded_places, snakes_at
from engine.nest.position import Agreed, NestPosition, in_order_from
from engine.nest.words import colour_order, listed
from engine.sentences import schlangennest as say
from engine.snakes import Card, Chain, Web

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
    before: dict[int, set[str]] = {}
    for cell, number in snake.strands:
        if cell != laid_at:
            edge = position.cards[cell].strands[number].edges[0]
            chain = position.web.chain_at[cell][edge]
            before[chain] = set(position.web.chains[chain].colours)
    coloured = [colours for colours in before.values() if colours]
    if owned:
        return not any(colours >= snake.colours for colours in coloured)
    return len(coloured) > 1 and len(set.union(*coloured)) > 1


# --- rule 4, three snakes at one place, four at two


def crowds(ends: EndsAt, cells: Iterable[Cell], before: Web | None = None) -> Iterator[Violation]:
    """Yield the violations by crowds at some empty cells and beside them.

    Args:
        ends: the ends that face each cell.
        cells: the empty cells.
        before: the chains before the move; crowds there to which it adds no snake are not judged.
    """
    for place in crowded_places(ends, cells):
        snakes = set[str]().union(*(snakes_at(ends(cell)) for cell in place))
        reached = [before.facing.get(cell, ()) for cell in place] if before is not None else []
        if snakes <= set[str]().union(*map(snakes_at, reached)):
            continue
        if len(place) == 1:
            named = listed(sorted(snakes, key=colour_order))
            yield Violation(say.THREE_AT_ONE, place, {"snakes": named})
        else:
            yield Violation(say.FOUR_AT_TWO, place)


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
    if len(ends) != 2:
        return None
    cells = {square_neighbour(*end) for end in ends}
    if len(cells) != 1:
        return None
    cell = cells.pop()
    duel = duel_at(position.agreed, position.web.facing[cell])
    if duel is None:
        return None
    other = next(c for snake in duel for c in sorted(snake.colours) if c != colour)
    return Closing(cell, frozenset(edge ^ 2 for _, edge in ends), colour, other)


def duel_at(agreed: Agreed, ends: tuple[Chain, ...]) -> tuple[Chain, Chain] | None:
    """Return the two players' snakes whose four ends all face one cell.

    Set-up snakes do not count: ruling 10 lists the rules that apply to them, without this one.
    """
    if len(ends) != 4:
        return None
    one, *rest = ends
    others = [snake for snake in rest if snake is not one]
    if len(others) != 2 or others[0] is not others[1]:
        return None
    other = others[0]
    played = all(any(agreed.owner(c) for c in snake.colours) for snake in (one, other))
    return (one, other) if played else None


def unclosable(
    position: NestPosition, laid: Card, ends_at: EndsAt, changed: Iterable[Cell]
) -> Iterator[Violation]:
    """Yield new duels at adjacent edges that the next player cannot close with a curve."""
    for cell in changed:
        there = ends_at(cell)
        if len(there) != 4:
            continue
        duel = duel_at(position.agreed, there)
        was = duel_at(position.agreed, position.web.facing.get(cell, ()))
        if duel is None or was is not None:
            continue
        edges = sorted(edge for at, edge in duel[0].ends)
        if edges[1] - edges[0] == 2:
            continue
        colours = [colour for snake in duel for colour in sorted(snake.colours)]
        closers = next_of(position, laid, colours)
        if closers and not any(curves_left(position, laid, colour) for colour in closers):
            params = {"one": colours[0], "other": colours[-1], "colour": listed(closers)}
            yield Violation(say.CANNOT_CLOSE, (cell,), params)


def next_of(position: NestPosition, laid: Card, colours: list[str]) -> list[str]:
    """Return the colours among two snakes that move next after a card is laid."""
    agreed, mover = position.agreed, position.to_move
    if agreed.two_snakes == "both":
        acted = (*position.acted, laid.kind.colour)
        due = [c for c in agreed.colours[mover] if c not in acted and c in colours]
        if due and any(position.has_begun(c) for own in agreed.colours.values() for c in own):
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
