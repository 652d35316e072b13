"""Joins parts of a layout that lost sight of each other: a hand, a cup, or a soft picture between.

What touches a field on a lattice of its own belongs to it if the score of joints says so. What lies
off must fit the field's lattice, be no sorted stock, and nowhere may bare table be seen between: a
layout hangs together. That it does belong cannot be seen, so these cards are asked about.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.lattice import Cell
from engine.tiles import TileSet
from vision.core.ground import HIDDEN, Ground
from vision.core.lattice import cells_beside, mapped
from vision.core.looks import BACK
from vision.core.stages import stage
from vision.layout.cards import CardGroup, SeenCard, turned_cell
from vision.layout.fields import EVEN, likely_joined
from vision.layout.stocks import is_part_of_stock

Array = NDArray[np.float64]

TOUCHING, FAR = 1, 6
"""Cells from an island to the field: beside it, beyond a hand."""
FEWEST_OWN, FEW = 2, 4
"""Cards that a field must have to be continued beyond what touches it, and for a card alone."""
SURE_ALONE = 0.5
"""How sure a single card must be found and read."""
OFF, ANY_CELL = 0.27, 0.5
"""Pitches that an island may lie off where the nearest card expects it, and one that touches."""
ON_CELL = 0.8
"""A card whose middle lies nearer to a cell's along both axes, in pitches, is seen there."""
MOST_TURNED_DEG = 18.0
ASKED = 0.7
"""How sure cards beyond something that hides the way to them are: nobody sees that they belong."""


@stage("islands", without=lambda group, *_: (group, ()))
def with_islands(
    group: CardGroup, others: Sequence[CardGroup], tile_set: TileSet, ground: Ground | None = None
) -> tuple[CardGroup, tuple[CardGroup, ...]]:
    """Return a field with the islands that continue it, and the groups that were taken.

    Args:
        group: the field.
        others: what may belong to it.
        tile_set: the box.
        ground: what the table looks like, to see whether it is seen between; without, only what
            touches is taken.
    """
    taken: list[CardGroup] = []
    left = sorted(others, key=lambda other: -len(other.cards))
    while True:
        field = LaidField.of(group)
        # An island may be what the next one touches.
        found = field and next((
            (other, cards) for other in left
            if (cards := _continued(group, field, other, left, tile_set, ground))
        ), None)  # fmt: skip
        if not found:
            return group, tuple(taken)
        group = CardGroup((*group.cards, *found[1]), group.fit)
        taken.append(found[0])
        left = [other for other in left if other is not found[0]]


@dataclass(frozen=True, eq=False)
class _Placed:
    """An island by a field's own cells."""

    turns: int
    shift: Cell
    target: Array
    """Its cells, N x 2."""
    away: int
    """How many cells it lies off."""
    off: float
    """Pitches that its cards lie beside these cells, those near to the field."""

    def cards(self, other: CardGroup, tile_set: TileSet) -> tuple[SeenCard, ...]:
        """Return its cards, turned and moved."""
        return tuple(card.turned(self.turns, tile_set).moved(self.shift) for card in other.cards)


def _placed(field: LaidField, other: CardGroup) -> _Placed | None:
    """Return where a group lies by a field's cells; nothing where it lies askew."""
    cells = [cell for card in other.cards for cell in card.cells]
    places = field.place(mapped(other.fit.px_from_cell, np.array(cells, float)))
    turns = _turns(field, other)
    if turns is None or not np.isfinite(places).all():
        return None
    nearest = int(field.away(places).argmin())
    first = turned_cell(cells[nearest], turns)
    x, y = np.round(places[nearest])
    shift = (int(x) - first[0], int(y) - first[1])
    moved = [turned_cell(cell, turns) for cell in cells]
    target = np.array([(x + shift[0], y + shift[1]) for x, y in moved], float)
    away = field.away(target)
    off = np.linalg.norm(places - target, axis=1)[away <= away.min() + 1]
    return _Placed(turns, shift, target, int(away.min()), float(off.max()))


def _continued(
    group: CardGroup, field: LaidField, other: CardGroup, others: Sequence[CardGroup],
    tile_set: TileSet, ground: Ground | None,
) -> tuple[SeenCard, ...]:  # fmt: skip
    """Return an island's cards by the field's own cells; none where it does not continue it."""
    if len(other.cards) == 1 and not _sure(other.cards[0]):
        return ()
    placed = _placed(field, other)
    if placed is None or not TOUCHING <= placed.away <= FAR:
        return ()
    likely = 0.0
    if placed.away == TOUCHING and placed.off < ANY_CELL:
        likely = likely_joined(group.cards, placed.cards(other, tile_set), tile_set)
    elif ground is not None and len(group.cards) >= (FEWEST_OWN if len(other.cards) > 1 else FEW):
        fits = placed.away > TOUCHING and placed.off <= OFF
        fits = fits and not is_part_of_stock(other, tile_set)
        likely = ASKED * (fits and _is_hidden(field, placed, other, others, ground))
    if likely < EVEN:
        return ()
    cards = placed.cards(other, tile_set)
    return tuple(replace(card, laid=min(card.laid, likely)) for card in cards)


def touching_cards(
    field: LaidField, other: CardGroup, tile_set: TileSet
) -> tuple[SeenCard, ...] | None:
    """Return the cards of a group that touches a field, by the field's own cells."""
    placed = _placed(field, other)
    if placed is None or placed.away != TOUCHING or placed.off >= ANY_CELL:
        return None
    return placed.cards(other, tile_set)


def _is_hidden(
    field: LaidField, placed: _Placed, island: CardGroup, others: Sequence[CardGroup],
    ground: Ground,
) -> bool:  # fmt: skip
    """Say whether cells that show neither table nor cards lead from an island to the field."""
    own = {(int(x), int(y)) for x, y in field.cells}
    steps = {(int(x), int(y)) for x, y in placed.target}
    reached = set(steps)
    seen = [mapped(field.cell_from_px, other.centres_px) for other in others if other is not island]
    for left in range(FAR, 0, -1):
        edge = cells_beside(steps)
        if edge & own:
            return True
        cells = field.within(sorted(edge - reached), left - 1)
        if seen and cells:
            far = off_cells(cells, np.concatenate(seen)) >= ON_CELL
            cells = [cell for cell, one in zip(cells, far, strict=True) if one]
        if not cells:
            return False
        shown = ground.shown(field.outlines(np.array(cells, float)))
        steps = {cell for cell, share in zip(cells, shown, strict=True) if share < HIDDEN}
        reached |= steps
    return False


def _sure(card: SeenCard) -> bool:
    """Say whether a single card is one."""
    return (
        card.why is None and card.best is not None and card.best.tile != BACK
        and card.confidence >= SURE_ALONE and card.found >= SURE_ALONE
    )  # fmt: skip


def _turns(field: LaidField, other: CardGroup) -> int | None:
    """Return the quarter turns from an island's axes to the field's, if they are whole ones."""
    ends = np.array([(-0.5, 0), (0.5, 0)]) + np.array(other.cards[0].at, float)
    start, end = mapped(field.cell_from_px, mapped(other.fit.px_from_cell, ends))
    angle = float(np.degrees(np.arctan2(end[1] - start[1], end[0] - start[0])))
    turns = round(angle / 90)
    return turns % 4 if abs(angle - 90 * turns) <= MOST_TURNED_DEG else None


def off_cells(cells: Sequence[Cell], places: Array) -> Array:
    """Return how far each cell lies from the nearest of some places, along the farther axis."""
    apart = np.abs(np.array(cells, float)[:, None] - places[None])
    return np.asarray(apart.max(axis=2).min(axis=1))


@dataclass(frozen=True, eq=False)
class LaidField:
    """A field's cells, and how far off its cards lie there."""

    px_from_cell: Array
    cell_from_px: Array
    cells: Array
    """N x 2, all cells of all cards."""
    off: Array
    """N x 2: from the cell to where its card really lies, in pitches."""

    @classmethod
    def of(cls, group: CardGroup) -> LaidField | None:
        """Return the same of a group; nothing where its lattice is none."""
        if np.linalg.matrix_rank(group.fit.px_from_cell) < 3:
            return None
        back = np.asarray(np.linalg.inv(group.fit.px_from_cell), np.float64)
        places = mapped(back, group.centres_px)
        counts = [len(card.cells) for card in group.cards]
        cells = np.array([cell for card in group.cards for cell in card.cells], float)
        first = np.cumsum([0, *counts[:-1]])
        middles = np.add.reduceat(cells, first) / np.array(counts, float)[:, None]
        off = np.repeat(places - middles, counts, axis=0)
        return cls(group.fit.px_from_cell, back, cells, off)

    def place(self, px: Array) -> Array:
        """Return where pixels lie in cells, as the nearest card of the field would count."""
        raw = mapped(self.cell_from_px, px)
        apart = np.linalg.norm(raw[:, None] - self.cells[None], axis=2)
        return np.asarray(raw - self.off[apart.argmin(axis=1)])

    def outlines(self, cells: Array) -> Array:
        """Return outlines of cells as the nearest card would lay them, N x 4 x 2."""
        apart = np.linalg.norm(cells[:, None] - self.cells[None], axis=2)
        laid = cells + self.off[apart.argmin(axis=1)]
        corners = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
        return mapped(self.px_from_cell, (laid[:, None] + corners).reshape(-1, 2)).reshape(-1, 4, 2)

    def within(self, cells: Sequence[Cell], steps: int) -> list[Cell]:
        """Return those cells from which so many steps, none of them diagonal, lead to the field."""
        if not cells:
            return []
        apart = np.abs(np.array(cells, float)[:, None] - self.cells[None]).sum(axis=2).min(axis=1)
        return [cell for cell, far in zip(cells, apart, strict=True) if far <= steps]

    def away(self, cells: Array) -> Array:
        """Return how many cells each lies off, diagonals counting one."""
        return np.asarray(np.abs(cells[:, None] - self.cells[None]).max(axis=2).min(axis=1))
