"""A field of cards as it really lies: cells, and how far off them its cards are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.lattice import Cell
from vision.core.lattice import mapped
from vision.layout.cards import CardGroup

Array = NDArray[np.float64]


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
