"""Places new cards in a look without known cards, by where the known ones were last seen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from companion_app.live.places import Point, middle
from engine.lattice import Cell

CellsFromPx = NDArray[np.float64]
"""Map from homogeneous pixels to cells: affine, 2 x 3, or 3 x 3 in perspective.

Valid near the cards that it was fitted to."""
LEAST = 3
"""Fewest cards, not all in one line, that an affine map from pixels to cells is fitted to."""
OFF_CELL = 0.25
"""Largest distance of a card's centre from its cell's centre, in cells, on the same lattice."""
CORNERS = 4
QUARTERS = 4


def lattice_through(centres_px: Mapping[Cell, Point]) -> CellsFromPx | None:
    """Fit the lattice to cards seen; ``None`` if they are too few or lie in one line."""
    cells = np.array(list(centres_px), np.float64).reshape(-1, 2)
    if len(cells) < LEAST or np.linalg.matrix_rank(cells - cells[0]) < 2:
        return None
    pixels = np.array([[*centres_px[cell], 1.0] for cell in centres_px])
    found, *_ = np.linalg.lstsq(pixels, cells, rcond=None)
    return np.asarray(found.T, np.float64)


class Place(NamedTuple):
    """Where a card lies on a lattice."""

    cell: Cell
    quarters: int
    """Quarter turns, clockwise."""
    off: float
    """Distance of its centre from that of the cell, in cells."""
    askew: float
    """By how much of a quarter turn it is turned beside the lattice; at most a half."""


def place_by(lattice: CellsFromPx, entry: Mapping[str, Any]) -> Place | None:
    """Return where a card lies; ``None`` without its corners.

    The outline of a card starts at its upper left corner.
    """
    outline = entry.get("outline") or ()
    centre = middle(outline)
    if centre is None or len(outline) != CORNERS:
        return None
    at = cells_at(lattice, [centre])[0]
    cell = np.round(at)
    corners = cells_at(lattice, outline)
    x, y = corners[1] + corners[2] - corners[0] - corners[3]
    quarters = float(np.arctan2(y, x)) / (np.pi / 2)
    return Place(
        (int(cell[0]), int(cell[1])),
        round(quarters) % QUARTERS,
        float(np.abs(at - cell).max()),
        abs(quarters - round(quarters)),
    )


def cells_at(lattice: CellsFromPx, points: Iterable[Point]) -> NDArray[np.float64]:
    """Return points in cells, N x 2; the lattice may be seen in perspective."""
    found = np.array([[x, y, 1.0] for x, y in points]) @ lattice.T
    return np.asarray(found[:, :2] / found[:, 2:] if len(lattice) == 3 else found)


def places_by(
    lattice: CellsFromPx, entries: Iterable[Mapping[str, Any]]
) -> list[tuple[Cell, int]] | None:
    """Return cell and quarter turns of every card; ``None`` if one is off the lattice."""
    found = []
    for entry in entries:
        place = place_by(lattice, entry)
        if place is None or place.off > OFF_CELL:
            return None
        found.append((place.cell, place.quarters))
    return found
