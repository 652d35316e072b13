"""Joins parts of a layout that lost sight of each other: a hand, a cup, or a soft picture between.

Cards that lie on the continued lattice of a field, edge to edge like its own, belong to it. What
touches the field belongs to it however crooked it lies; what lies off must fit, and be packed as
closely as cards in play are: stocks beside a layout may be in line with it by chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from engine.tiles import TileSet
from vision.cards import CardGroup, SeenCard, turned_cell
from vision.lattice import mapped
from vision.looks import BACK
from vision.settle import broken_share

Array = NDArray[np.float64]

FEWEST_OWN = 4
"""Cards that a lattice must have to be continued beyond what touches it."""
TOUCHING, NEAR, FAR = 1, 2, 6
"""Cells from an island to the field: beside it, beyond one hidden card, beyond a hand."""
FEWEST_NEAR, FEWEST_FAR = 2, 4
"""Cards of an island that is to be trusted there; one that touches may be alone."""
TOUCHING_OFF, OFF = 0.42, 0.27
"""Pitches that an island may lie off where the nearest card of the field expects it."""
MOST_TURNED_DEG = 18.0
MOST_LOOSE = 0.045
"""Cards of an island that does not touch lie at most that much further from each other than the
pitch; in stocks they do by 0.05 to 0.4."""
MOST_BROKEN = 0.34
"""Share of sides inside such an island that may not carry on: fouls are few, stocks are sorted."""
SURE_ALONE = 0.5
"""How sure a single card must be found and read."""


def with_islands(
    group: CardGroup, others: Sequence[CardGroup], tile_set: TileSet, farthest: int = FAR
) -> tuple[CardGroup, tuple[CardGroup, ...]]:
    """Return a field with the islands that continue it, and the groups that were taken.

    Args:
        group: the field.
        others: what may belong to it.
        tile_set: the box.
        farthest: cells that an island may lie off; fields of other players begin there.
    """
    taken: list[CardGroup] = []
    left = sorted(others, key=lambda other: -len(other.cards))
    while True:
        field = _Field.of(group)
        reach = farthest if len(group.cards) >= FEWEST_OWN else TOUCHING
        found = None if field is None else _next_island(field, left, tile_set, reach)
        if found is None:
            break
        # An island may be what the next one touches.
        island, moved = found
        group = CardGroup((*group.cards, *moved), group.fit)
        taken.append(island)
        left = [other for other in left if other is not island]
    return group, tuple(taken)


def _next_island(
    field: _Field, others: Sequence[CardGroup], tile_set: TileSet, farthest: int
) -> tuple[CardGroup, tuple[SeenCard, ...]] | None:
    for other in others:
        moved = _continued(field, other, tile_set, farthest)
        if moved:
            return other, moved
    return None


@dataclass(frozen=True, eq=False)
class _Field:
    """A field's cells, and how far off its cards lie there."""

    cell_from_px: Array
    cells: Array
    """N x 2, all cells of all cards."""
    off: Array
    """N x 2: from the cell to where its card really lies, in pitches."""

    @classmethod
    def of(cls, group: CardGroup) -> _Field | None:
        """Return the same of a group; nothing where its lattice is none."""
        if np.linalg.matrix_rank(group.fit.px_from_cell) < 3:
            return None
        back = np.asarray(np.linalg.inv(group.fit.px_from_cell), np.float64)
        places = mapped(back, np.stack([card.outline_px.mean(axis=0) for card in group.cards]))
        middles = np.stack([np.mean(card.cells, axis=0) for card in group.cards])
        counts = [len(card.cells) for card in group.cards]
        cells = np.array([cell for card in group.cards for cell in card.cells], float)
        return cls(back, cells, np.repeat(places - middles, counts, axis=0))

    def place(self, px: Array) -> Array:
        """Return where pixels lie in cells, as the nearest card of the field would count."""
        raw = mapped(self.cell_from_px, px)
        apart = np.linalg.norm(raw[:, None] - self.cells[None], axis=2)
        return np.asarray(raw - self.off[apart.argmin(axis=1)])

    def away(self, cells: Array) -> Array:
        """Return how many cells each lies off, diagonals counting one."""
        return np.asarray(np.abs(cells[:, None] - self.cells[None]).max(axis=2).min(axis=1))


def _continued(
    field: _Field, other: CardGroup, tile_set: TileSet, farthest: int
) -> tuple[SeenCard, ...] | None:
    """Return an island's cards by the field's own cells, or nothing where they do not fit."""
    if len(other.cards) == 1 and not _sure(other.cards[0]):
        return None
    cells = [cell for card in other.cards for cell in card.cells]
    places = field.place(mapped(other.fit.px_from_cell, np.array(cells, float)))
    turns = _turns(field, other)
    if turns is None or not np.isfinite(places).all():
        return None
    nearest = int(field.away(places).argmin())
    first = turned_cell(cells[nearest], turns)
    x, y = np.round(places[nearest])
    shift = (int(x) - first[0], int(y) - first[1])
    moved = tuple(card.turned(turns, tile_set).moved(shift) for card in other.cards)
    target = np.array([cell for card in moved for cell in card.cells], float)
    if not _fits(field, target, places, other, farthest):
        return None
    off = field.away(target).min() > TOUCHING
    broken = broken_share(moved, tile_set) if off else 0.0
    return moved if broken is not None and broken <= MOST_BROKEN else None


def _sure(card: SeenCard) -> bool:
    return (
        card.why is None and card.best is not None and card.best.tile != BACK
        and card.confidence >= SURE_ALONE and card.found >= SURE_ALONE
    )  # fmt: skip


def _turns(field: _Field, other: CardGroup) -> int | None:
    """Return the quarter turns from an island's axes to the field's, if they are whole ones."""
    ends = np.array([(-0.5, 0), (0.5, 0)]) + np.array(other.cards[0].at, float)
    start, end = mapped(field.cell_from_px, mapped(other.fit.px_from_cell, ends))
    angle = float(np.degrees(np.arctan2(end[1] - start[1], end[0] - start[0])))
    turns = round(angle / 90)
    return turns % 4 if abs(angle - 90 * turns) <= MOST_TURNED_DEG else None


def _fits(field: _Field, target: Array, places: Array, other: CardGroup, farthest: int) -> bool:
    away = field.away(target)
    off = np.linalg.norm(places - target, axis=1)
    if away.min() == TOUCHING:
        return bool(off[away <= NEAR].max() <= TOUCHING_OFF)
    fewest = FEWEST_NEAR if away.min() <= NEAR else FEWEST_FAR
    if not 0 < away.min() <= farthest or len(other.cards) < fewest:
        return False
    return bool(off.max() <= OFF) and _looseness(field, target, other) <= MOST_LOOSE


def _looseness(field: _Field, target: Array, other: CardGroup) -> float:
    """Return how much further than the pitch an island's cards lie from their neighbours."""
    own = [cell for card in other.cards for cell in card.cells]
    places = mapped(field.cell_from_px, mapped(other.fit.px_from_cell, np.array(own, float)))
    steps = [
        float(np.linalg.norm(places[i] - places[j])) for i, j in combinations(range(len(own)), 2)
        if np.abs(target[i] - target[j]).sum() == 1
    ]  # fmt: skip
    return float(np.median(steps)) - 1 if steps else np.inf
