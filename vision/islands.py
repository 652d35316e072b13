"""Joins parts of a layout that lost sight of each other: a hand or the picture's edge between them.

Cards that lie on the continued lattice of a field, edge to edge like its own, belong to it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.lattice import Cell
from engine.tiles import TileSet
from vision.cards import CardGroup, SeenCard, turned_cell
from vision.lattice import mapped

FEWEST_OWN, FEWEST_OTHER = 4, 2
"""Cards that a lattice must have to be continued, and an island to be trusted."""
MOST_OFF = 0.27
"""Pitches that any card of an island may lie off the continued lattice."""
FARTHEST = 2
"""Cells from an island to the field; stocks that lie further off may be in line by chance."""


def with_islands(
    group: CardGroup, others: Sequence[CardGroup], tile_set: TileSet
) -> tuple[CardGroup, tuple[CardGroup, ...]]:
    """Return a field with the islands that continue it, and the groups that were taken."""
    taken = []
    for other in sorted(others, key=lambda o: -len(o.cards)):
        moved = _continued(group, other, tile_set)
        if moved:
            group = CardGroup((*group.cards, *moved), group.fit)
            taken.append(other)
    return group, tuple(taken)


def _continued(
    group: CardGroup, other: CardGroup, tile_set: TileSet
) -> tuple[SeenCard, ...] | None:
    """Return an island's cards by the field's own cells, or nothing where they do not fit."""
    if len(group.cards) < FEWEST_OWN or len(other.cards) < FEWEST_OTHER:
        return None
    cells = [cell for card in other.cards for cell in card.cells]
    if np.linalg.matrix_rank(group.fit.px_from_cell) < 3:
        return None
    back = np.asarray(np.linalg.inv(group.fit.px_from_cell), np.float64)
    places = mapped(back, mapped(other.fit.px_from_cell, np.array(cells, float)))
    if not np.isfinite(places).all() or np.abs(places - np.round(places)).max() > MOST_OFF:
        return None
    target: list[Cell] = [(int(x), int(y)) for x, y in np.round(places)]
    for turns in range(4):
        first = turned_cell(cells[0], turns)
        shift = (target[0][0] - first[0], target[0][1] - first[1])
        moved = [card.turned(turns, tile_set).moved(shift) for card in other.cards]
        if [cell for card in moved for cell in card.cells] == target:
            return tuple(moved) if _near(group, target) else None
    return None


def _near(group: CardGroup, cells: Sequence[Cell]) -> bool:
    own = {cell for card in group.cards for cell in card.cells}
    if own.intersection(cells):
        return False
    apart = [max(abs(x - u), abs(y - v)) for x, y in cells for u, v in own]
    return min(apart) <= FARTHEST
