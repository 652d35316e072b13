"""Snake tiles of the hex games, decoded from their turns.

``0`` goes straight on, ``+`` turns right by 60 degrees, ``-`` left. A single hex is written
``1`` and two hexes ``2`` in tile names; both have the empty turn string, so their paths are the
names ``"1"`` and ``"2"`` themselves.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from engine.lattice import HEX_STEPS, Cell, hex_neighbours

TURNS = {"0": 0, "+": 1, "-": -1}


def path_cells(path: str) -> tuple[Cell, ...]:
    """Return the cells of a tile in walking order from ``(0, 0)``, the first step eastwards."""
    if path == "1":
        return ((0, 0),)
    side = 0
    cells: list[Cell] = [(0, 0), HEX_STEPS[0]]
    for turn in "" if path == "2" else path:
        side = (side + TURNS[turn]) % 6
        q, r = cells[-1]
        cells.append((q + HEX_STEPS[side][0], r + HEX_STEPS[side][1]))
    return tuple(cells)


def is_path(path: object) -> bool:
    """Say whether a text is a tile: known turns, and only consecutive hexes touch."""
    if path in ("1", "2"):
        return True
    if not isinstance(path, str) or not path or set(path) - set(TURNS) or len(path) > 20:
        return False
    cells = path_cells(path)
    return all(
        (cells[j] in hex_neighbours(cells[i])) == (j == i + 1)
        for i in range(len(cells))
        for j in range(i + 1, len(cells))
    )


def free_shape(cells: Iterable[Cell]) -> tuple[Cell, ...]:
    """Return a canonical form of cells, invariant under rotation, reflection and translation."""
    listed = tuple(cells)
    shapes = []
    for flip in (False, True):
        turned = [(r, q) for q, r in listed] if flip else list(listed)
        for _ in range(6):
            turned = [(-r, q + r) for q, r in turned]
            left = min(turned)
            shapes.append(tuple(sorted((q - left[0], r - left[1]) for q, r in turned)))
    return min(shapes)


@cache
def path_shape(path: str) -> tuple[Cell, ...]:
    """Return the free shape of a tile from its turns."""
    return free_shape(path_cells(path))
