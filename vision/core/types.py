"""Defines the values that pass between the stages of vision, one type between two stages.

Picture -detect-> Detections -crop, classify-> CellReadings -lattice-> LatticeFit -reconstruct->
a table state (``core/tables.py``). Pixels are those of the upright picture; ``(0, 0)`` is the
centre of its upper left pixel. Arrays are checked here once and trusted everywhere else.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.lattice import Cell
from engine.tiles import TileSet

Shape = Literal["square", "hex"]
Bgr = NDArray[np.uint8]
Points = NDArray[np.float64]

UNKNOWN_TILE = "unknown-tile"
"""Reason and advice code for a tile that does not belong to this box."""
BACK = "back"
"""Tile name of every face-down card in a table state."""
QUARTERS = 4

SAME_PLACE, NEAREST, BESIDE = 0.35, 0.7, 1.25
"""Distances between outline centres, in tile widths. Below the first, two outlines show one tile;
below the second, only one can be a tile; below the third, they lie side by side."""
SMALLEST_PX = 24.0
"""Minimum width of a readable tile, as ``width_of`` measures it."""
CLIPPED = 250
"""A pixel with all channels at or above this level is over-exposed."""

# Confidence thresholds that all stages share, one meaning each.
LIKELIER = 0.5
"""A hypothesis above this confidence is likelier true than false."""
DOUBTED = 0.75
"""Confidence limit for tiles that are not clearly seen: it keeps them unsure."""
TOLD = 0.8
"""Tiles below this confidence are reported as unsure."""
EXPECTED = 0.8
"""Confidence that a tile lies where the lattice predicted one, once it has been found there."""
SURE = 0.9
"""Readings at or above this confidence serve as evidence about other tiles and about the light."""
CLEAR = 0.98
"""Reading confidence that a card needs when its outline alone would be rejected."""
BEYOND_DOUBT = 0.99
"""Readings at or above this confidence are not overruled by other evidence."""


@dataclass(frozen=True, eq=False)
class Frame:
    """One camera picture as BGR bytes, with its capture time."""

    bgr: Bgr
    taken_at_s: float = 0.0
    """Capture time in seconds on the source's clock."""

    def __post_init__(self) -> None:
        if self.bgr.ndim != 3 or self.bgr.shape[2] != 3 or self.bgr.dtype != np.uint8:
            raise ValueError(
                "a frame is height x width x 3 of uint8, "
                f"but got {self.bgr.shape} of {self.bgr.dtype}"
            )


def width_of(corners_px: Points) -> float:
    """Return a tile's width: the square root of a square's area, or a hex's width across flats."""
    # Plain Python floats: for four corners NumPy takes ten times as long.
    corners = corners_px.tolist()
    following = [*corners[1:], corners[0]]
    twice = sum(x * v - y * u for (x, y), (u, v) in zip(corners, following, strict=True))
    area = abs(twice) / 2
    return math.sqrt(area if len(corners) == 4 else area * 2 / math.sqrt(3))


@dataclass(frozen=True, eq=False)
class Detection:
    """A tile-shaped outline in the picture, whatever is printed on the tile."""

    corners_px: Points
    """Corners in clockwise order as seen: 4 for a square, 6 for a hex cell."""
    confidence: float
    """Confidence that a tile lies here, 0 to 1."""
    cut_off: bool = False
    """True when a corner lies outside the picture."""

    def __post_init__(self) -> None:
        if self.corners_px.shape not in ((4, 2), (6, 2)):
            raise ValueError(f"a tile has 4 or 6 corners, but got {self.corners_px.shape}")

    @cached_property
    def centre_px(self) -> Points:
        """Return the mean of the outline's corners."""
        return np.asarray(self.corners_px.mean(axis=0))

    @cached_property
    def across_px(self) -> float:
        """Return the tile's width in the picture, as ``width_of`` measures it."""
        return width_of(self.corners_px)


@dataclass(frozen=True, eq=False)
class Detections:
    """All tile outlines of one picture, before any tile is read."""

    size_px: tuple[int, int]
    """Width and height of the picture."""
    shape: Shape
    found: tuple[Detection, ...]
    faint: tuple[Detection, ...] = ()
    """Outlines too doubtful to count as tiles unless their print is read with high confidence."""


@dataclass(frozen=True, eq=False)
class LatticeFit:
    """Tiles that lie edge to edge on one lattice, and that lattice."""

    cells: Mapping[Cell, int]
    """Index of the detection in each occupied cell."""
    px_from_cell: NDArray[np.float64]
    """Homography from cell coordinates (cell centres are whole numbers) to pixels, 3 x 3."""
    residual: float
    """Mean distance of tiles from their lattice positions, as a share of the pitch."""


@dataclass(frozen=True)
class Guess:
    """One possible reading of a tile."""

    tile: str
    turns: int
    confidence: float


@dataclass(frozen=True)
class Advice:
    """What would make a picture better, as a sentence for people, and where in the picture."""

    what: str
    """``blur``, ``dark``, ``glare``, ``small``, ``cut-off``, ``covered`` or ``unknown-tile``."""
    text: str
    box: tuple[int, int, int, int] | None = None
    """Left, top, width and height in pixels; ``None`` for the whole picture."""
    looks_like: str | None = None
    """Name of the box that an unknown tile seems to come from, if any matches."""


@dataclass(frozen=True)
class Quality:
    """Whether a picture is good enough, and what would help."""

    ok: bool = True
    advice: tuple[Advice, ...] = ()


@dataclass(frozen=True, slots=True, order=True)
class Look:
    """One cell of a card, with its clockwise quarter turns relative to the patch."""

    tile: str
    cell: int = 0
    """Index of the cell within a card that covers more than one."""
    turns: int = 0

    def __str__(self) -> str:
        return f"{self.tile}#{self.cell}@{self.turns}"

    @classmethod
    def parse(cls, text: str) -> Look:
        """Return the look that a string such as ``blue/curve#0@1`` names."""
        tile, _, rest = text.rpartition("#")
        cell, _, turns = rest.partition("@")
        return cls(tile, int(cell), int(turns))


def period_of(tile_set: TileSet, tile: str) -> int:
    """Return the number of turns after which a tile repeats itself; 1 for one outside the box."""
    return tile_set[tile].period if tile in tile_set else 1
