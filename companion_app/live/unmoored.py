"""Places new cards in a look without known cards, by where the known ones were last seen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion_app.live.places import Point, middle
from engine.lattice import Cell

LEAST = 3
"""Fewest cards, not all in one line, that an affine map from pixels to cells is fitted to."""
OFF_CELL = 0.25
"""Largest distance of a card's centre from its cell's centre, in cells, on the same lattice."""
CORNERS = 4
QUARTERS = 4


@dataclass(frozen=True)
class PixelLattice:
    """An affine map from pixels to cells, valid near the cards that it was fitted to."""

    cells_from_px: NDArray[np.float64]
    """2 x 3 matrix from homogeneous pixels to cells."""

    def cell_at(self, point: Point) -> Cell | None:
        """Return the cell whose centre is near a point in pixels; ``None`` between cells."""
        at = self.cells_from_px @ np.array([*point, 1.0])
        cell = np.round(at)
        if float(np.abs(at - cell).max()) > OFF_CELL:
            return None
        return int(cell[0]), int(cell[1])

    def quarters(self, outline: Any) -> int:
        """Return a card's quarter turns clockwise; its outline starts at its upper left corner."""
        corners = np.asarray(outline, np.float64)
        right = corners[1] + corners[2] - corners[0] - corners[3]
        x, y = self.cells_from_px[:, :2] @ right
        return round(float(np.arctan2(y, x)) / (np.pi / 2)) % QUARTERS


def lattice_through(centres_px: Mapping[Cell, Point]) -> PixelLattice | None:
    """Fit the lattice to cards seen; ``None`` if they are too few or lie in one line."""
    cells = np.array(list(centres_px), np.float64).reshape(-1, 2)
    if len(cells) < LEAST or np.linalg.matrix_rank(cells - cells[0]) < 2:
        return None
    pixels = np.array([[*centres_px[cell], 1.0] for cell in centres_px])
    found, *_ = np.linalg.lstsq(pixels, cells, rcond=None)
    return PixelLattice(found.T)


def places_by(
    lattice: PixelLattice, entries: Iterable[Mapping[str, Any]]
) -> list[tuple[Cell, int]] | None:
    """Return cell and quarter turns of every card; ``None`` if one is off this lattice."""
    found = []
    for entry in entries:
        outline = entry.get("outline") or ()
        centre = middle(outline)
        cell = None if centre is None or len(outline) != CORNERS else lattice.cell_at(centre)
        if cell is None:
            return None
        found.append((cell, lattice.quarters(outline)))
    return found
