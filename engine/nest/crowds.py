"""How many snakes reach an empty cell: the forbidden patterns of ruling 4."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from engine.lattice import Cell, square_neighbours
from engine.snakes import Chain, Web

CROWD_AT_ONE, CROWD_AT_TWO = 3, 4
"""The forbidden numbers of snakes at one empty cell, and at two adjacent empty cells."""

EndsAt = Callable[[Cell], tuple[Chain, ...]]
"""A function that returns the chain of each end that faces an empty cell."""


def ends_at(web: Web, changed: Mapping[Cell, tuple[Chain, ...]] | None = None) -> EndsAt:
    """Return a look-up of the ends at an empty cell, with changed cells replaced."""
    facing = {**web.facing, **changed} if changed else web.facing

    def look_up(cell: Cell) -> tuple[Chain, ...]:
        return facing.get(cell, ())

    return look_up


def snakes_at(ends: tuple[Chain, ...]) -> set[str]:
    """Return the colours of the snakes that reach a cell; grey chains are not snakes."""
    return {colour for end in ends for colour in end.colours}


def crowded_places(ends: EndsAt, cells: Iterable[Cell]) -> Iterator[tuple[Cell, ...]]:
    """Yield the crowded cells among ``cells``, and the crowded pairs that include one of them."""
    pairs = set()
    for cell in cells:
        here = ends(cell)
        most_here = _most_snakes(here)
        if not most_here:
            continue
        if most_here >= CROWD_AT_ONE and len(snakes_at(here)) >= CROWD_AT_ONE:
            yield (cell,)
        for beside in square_neighbours(cell):
            there = ends(beside)
            if (
                there
                and most_here + _most_snakes(there) >= CROWD_AT_TWO
                and len(snakes_at(here + there)) >= CROWD_AT_TWO
            ):
                pair = (min(cell, beside), max(cell, beside))
                if pair not in pairs:
                    pairs.add(pair)
                    yield pair


def _most_snakes(ends: tuple[Chain, ...]) -> int:
    """Return an upper bound of the number of snakes at some ends, counting duplicates."""
    count = 0
    for end in ends:
        count += len(end.colours)
    return count
