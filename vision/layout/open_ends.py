"""Says where a layout's snakes go on beyond its cards, and whether a card there carries them on.

A card in play is laid to the open end of a snake. So where one leaves the layout and no table is
seen, a card may lie whose outline nobody found, and its print must go on where the others' ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from engine.lattice import Cell, opposite, square_neighbour
from engine.tiles import GREY, TileSet
from vision.layout.cards import SeenCard
from vision.layout.settle import SURE, carries_on, sides_of

Sides = Mapping[tuple[Cell, int], str | None]


def open_sides(cards: Iterable[SeenCard], tile_set: TileSet) -> Sides:
    """Return for each side of the cards that are surely read what leaves there."""
    return dict(sides_of((card for card in cards if card.confidence >= SURE), tile_set))


def is_open(cell: Cell, sides: Sides) -> bool:
    """Say whether a snake goes on into a cell."""
    return any(colour is not None for _, colour in _met(cell, sides))


def goes_on(
    card: SeenCard, sides: Sides, tile_set: TileSet, *, surely_a_card: bool = False
) -> bool:
    """Say whether all that ends at a card goes on in it, and at least one snake does.

    A straight log goes on anywhere, and so do planks of a table: it must lie between two others.

    Args:
        card: the one in question.
        sides: what leaves the others.
        tile_set: the box.
        surely_a_card: whether one snake is enough, since no table looks like it.
    """
    own = dict(sides_of([card], tile_set))
    met = [(own.get((card.at, edge)), colour) for edge, colour in _met(card.at, sides)]
    joined = sum(None not in pair and carries_on(*pair) for pair in met)
    if surely_a_card:
        return joined > 0
    fewest = 2 if _is_straight_log([own.get((card.at, edge)) for edge in range(4)]) else 1
    return joined >= fewest and all(carries_on(one, other) for one, other in met)


def _is_straight_log(leaving: Sequence[str | None]) -> bool:
    return leaving in ([GREY, None, GREY, None], [None, GREY, None, GREY])


def _met(cell: Cell, sides: Sides) -> Sequence[tuple[int, str | None]]:
    """Return the sides of a cell that others lie at, and what leaves these towards it."""
    every = ((edge, (square_neighbour(cell, edge), opposite(edge))) for edge in range(4))
    return [(edge, sides[key]) for edge, key in every if key in sides]
