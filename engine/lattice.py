"""Square and hex lattices: cells, sides, steps and turns.

Square cells are ``(x, y)``, x to the right, y down; sides are numbered clockwise from the top.
Hex cells are axial ``(q, r)`` with pointy tops: q grows to the east, r to the south-east. Hex
sides are numbered clockwise from the east, so that +1 is a turn right by 60 degrees.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

Cell = tuple[int, int]
"""One place of a lattice."""
Number = TypeVar("Number", int, float)

N, E, S, W = range(4)
EDGE_NAMES = "NESW"
SQUARE_STEPS: tuple[Cell, ...] = ((0, -1), (1, 0), (0, 1), (-1, 0))
CORNER_STEPS: tuple[Cell, ...] = ((1, -1), (1, 1), (-1, 1), (-1, -1))

HEX_SIDE_NAMES = ("E", "SE", "SW", "W", "NW", "NE")
HEX_STEPS: tuple[Cell, ...] = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))


def opposite(edge: int) -> int:
    """Return the opposite side of a cell, which is also the touching side of the neighbour."""
    return (edge + 2) % 4


def square_neighbour(cell: Cell, edge: int) -> Cell:
    """Return the cell beyond one side of a square cell."""
    step = SQUARE_STEPS[edge]
    return (cell[0] + step[0], cell[1] + step[1])


def square_neighbours(cell: Cell) -> tuple[Cell, ...]:
    """Return the four cells that share a side, clockwise from the top."""
    x, y = cell
    return ((x, y - 1), (x + 1, y), (x, y + 1), (x - 1, y))


def quarter_turned(point: tuple[Number, Number], turns: int) -> tuple[Number, Number]:
    """Return where a cell or point goes by quarter turns clockwise about ``(0, 0)``."""
    x, y = point
    for _ in range(turns % 4):
        x, y = -y, x
    return (x, y)


def cells_around(cell: Cell) -> tuple[Cell, ...]:
    """Return the eight cells that share a side or a corner."""
    x, y = cell
    return square_neighbours(cell) + tuple((x + dx, y + dy) for dx, dy in CORNER_STEPS)


def hex_neighbours(cell: Cell) -> tuple[Cell, ...]:
    """Return the six neighbours of a hex cell, clockwise from the east."""
    q, r = cell
    return ((q + 1, r), (q, r + 1), (q - 1, r + 1), (q - 1, r), (q, r - 1), (q + 1, r - 1))


def hex_board(side: int) -> tuple[Cell, ...]:
    """Return the cells of a hexagonal board, row by row; side 6 has 91 of them."""
    reach = side - 1
    return tuple(
        (q, r)
        for r in range(-reach, reach + 1)
        for q in range(max(-reach, -reach - r), min(reach, reach - r) + 1)
    )


def bounding_box(cells: Iterable[Cell]) -> tuple[int, int, int, int] | None:
    """Return left, top, right and bottom (all inclusive), or ``None`` without cells."""
    listed: Sequence[Cell] = tuple(cells)
    if not listed:
        return None
    xs = [x for x, _ in listed]
    ys = [y for _, y in listed]
    return (min(xs), min(ys), max(xs), max(ys))
