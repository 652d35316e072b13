"""A look that shows no known card: where the known ones were seen tells where a new one lies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion_app.live.places import Point, middle
from engine.lattice import Cell

LEAST = 3
"""So many cards that do not lie in one row show how the lattice lies in the picture."""
OFF_CELL = 0.25
"""A card whose middle is farther from that of its cell, in cells, lies on another lattice."""
CORNERS = 4
QUARTERS = 4


@dataclass(frozen=True)
class PixelLattice:
    """How cells lie in the picture, near the cards that showed it."""

    cells_from_px: NDArray[np.float64]
    """2 x 3: takes a pixel, and 1, to cells."""

    def cell_at(self, point: Point) -> Cell | None:
        """Return the cell whose middle is at a point; ``None`` between cells."""
        at = self.cells_from_px @ np.array([*point, 1.0])
        cell = np.round(at)
        if float(np.abs(at - cell).max()) > OFF_CELL:
            return None
        return int(cell[0]), int(cell[1])

    def quarters(self, outline: Any) -> int:
        """Return how far a card is turned clockwise, by its outline from its upper left corner."""
        corners = np.asarray(outline, np.float64)
        right = corners[1] + corners[2] - corners[0] - corners[3]
        x, y = self.cells_from_px[:, :2] @ right
        return round(float(np.arctan2(y, x)) / (np.pi / 2)) % QUARTERS


def lattice_through(centres_px: Mapping[Cell, Point]) -> PixelLattice | None:
    """Return the lattice that cards were seen in; ``None`` where they are few or lie in a row."""
    cells = np.array(list(centres_px), np.float64).reshape(-1, 2)
    if len(cells) < LEAST or np.linalg.matrix_rank(cells - cells[0]) < 2:
        return None
    pixels = np.array([[*centres_px[cell], 1.0] for cell in centres_px])
    found, *_ = np.linalg.lstsq(pixels, cells, rcond=None)
    return PixelLattice(found.T)


def places_by(
    lattice: PixelLattice, entries: Iterable[Mapping[str, Any]]
) -> list[tuple[Cell, int]] | None:
    """Return cell and quarters of every card; ``None`` where one lies on another lattice."""
    found = []
    for entry in entries:
        outline = entry.get("outline") or ()
        centre = middle(outline)
        cell = None if centre is None or len(outline) != CORNERS else lattice.cell_at(centre)
        if cell is None:
            return None
        found.append((cell, lattice.quarters(outline)))
    return found
