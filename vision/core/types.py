"""The values that pass between the stages of seeing, one type between two stages.

Picture -detect-> Detections -crop, classify-> CellReadings -lattice-> LatticeFit -reconstruct->
a table state (``core/tables.py``). Pixels are those of the upright picture; ``(0, 0)`` is the
centre of its upper left one. Arrays are checked here once and trusted everywhere else.
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
"""Why a tile is not named surely: it is none of the box."""
BACK = "back"
"""Every face-down card, as table states have it."""
QUARTERS = 4

SAME_PLACE, NEAREST, BESIDE = 0.35, 0.7, 1.25
"""Outlines whose middles are closer, in widths, are of one tile, cannot both be tiles, and lie side
by side."""
SMALLEST_PX = 24.0
"""A tile must be so wide, measured as the root of its area; hexes as if they were squares."""
CLIPPED = 250
"""Where all channels are at or above it, the camera saw nothing but light."""

# How sure is sure: the confidences that stages accept, one meaning each.
LIKELIER = 0.5
"""What is surer is likelier than not."""
DOUBTED = 0.75
"""What nobody can see for sure is so sure at most: it is asked about."""
TOLD = 0.8
"""Tiles that are less sure are told to be unsure."""
EXPECTED = 0.8
"""How sure it is that a card lies where it was only expected, once it is read there."""
SURE = 0.9
"""Readings as sure say something about others: where they lie, and what the light does."""
CLEAR = 0.98
"""So surely a card is read whose outline alone would not be taken."""
BEYOND_DOUBT = 0.99
"""Readings that nothing else can outvote."""


@dataclass(frozen=True, eq=False)
class Frame:
    """One camera picture, blue-first bytes, and the moment it was taken."""

    bgr: Bgr
    taken_at_s: float = 0.0
    """Seconds of the source's clock."""

    def __post_init__(self) -> None:
        if self.bgr.ndim != 3 or self.bgr.shape[2] != 3 or self.bgr.dtype != np.uint8:
            raise ValueError(
                "a frame is height x width x 3 of uint8, "
                f"but got {self.bgr.shape} of {self.bgr.dtype}"
            )


def width_of(corners_px: Points) -> float:
    """Return the root of a square's area, or of that which a hex of such a flat width has."""
    # In plain numbers: for four corners NumPy takes ten times as long.
    corners = corners_px.tolist()
    following = [*corners[1:], corners[0]]
    twice = sum(x * v - y * u for (x, y), (u, v) in zip(corners, following, strict=True))
    area = abs(twice) / 2
    return math.sqrt(area if len(corners) == 4 else area * 2 / math.sqrt(3))


@dataclass(frozen=True, eq=False)
class Detection:
    """A tile-shaped outline in the picture: somebody's card, whatever is printed on it."""

    corners_px: Points
    """Its corners in clockwise order as seen, 4 for a square and 6 for a hex cell."""
    confidence: float
    """How sure it is that a tile lies here, 0 to 1."""
    cut_off: bool = False
    """True when a corner lies outside the picture."""

    def __post_init__(self) -> None:
        if self.corners_px.shape not in ((4, 2), (6, 2)):
            raise ValueError(f"a tile has 4 or 6 corners, but got {self.corners_px.shape}")

    @cached_property
    def centre_px(self) -> Points:
        """Return the middle of the outline, where its diagonals meet."""
        return np.asarray(self.corners_px.mean(axis=0))

    @cached_property
    def across_px(self) -> float:
        """Return how wide the tile is in the picture: the square root of a square's area."""
        return width_of(self.corners_px)


@dataclass(frozen=True, eq=False)
class Detections:
    """All outlines that one picture shows, before anybody knows what they are."""

    size_px: tuple[int, int]
    """Width and height of the picture."""
    shape: Shape
    found: tuple[Detection, ...]
    faint: tuple[Detection, ...] = ()
    """Outlines that are too doubtful to count, unless their print is surely read."""


@dataclass(frozen=True, eq=False)
class LatticeFit:
    """Tiles that lie edge to edge on one grid, and that grid."""

    cells: Mapping[Cell, int]
    """By cell: the number of the detection that lies there."""
    px_from_cell: NDArray[np.float64]
    """Homography from cell coordinates (cell centres are whole numbers) to pixels, 3 x 3."""
    residual: float
    """How far tiles lie off the grid on average, as a share of the pitch."""


@dataclass(frozen=True)
class Guess:
    """One possible reading of a tile."""

    tile: str
    turns: int
    confidence: float


@dataclass(frozen=True)
class Advice:
    """What would make a picture better, in the owner's words, with the place."""

    what: str
    """``blur``, ``dark``, ``glare``, ``small``, ``cut-off``, ``covered`` or ``unknown-tile``."""
    text: str
    box: tuple[int, int, int, int] | None = None
    """Left, top, width and height in pixels; ``None`` for the whole picture."""
    looks_like: str | None = None
    """The box that an unknown tile seems to come from, where there is one."""


@dataclass(frozen=True)
class Quality:
    """Whether a picture is good enough, and what would help."""

    ok: bool = True
    advice: tuple[Advice, ...] = ()


@dataclass(frozen=True, slots=True, order=True)
class Look:
    """One cell of a card, turned so many quarters clockwise against its patch."""

    tile: str
    cell: int = 0
    """Which of the card's cells, for cards that cover more than one."""
    turns: int = 0

    def __str__(self) -> str:
        return f"{self.tile}#{self.cell}@{self.turns}"

    @classmethod
    def parse(cls, text: str) -> Look:
        """Return the look that a text like ``blue/curve#0@1`` names."""
        tile, _, rest = text.rpartition("#")
        cell, _, turns = rest.partition("@")
        return cls(tile, int(cell), int(turns))


def period_of(tile_set: TileSet, tile: str) -> int:
    """Return the quarter turns after which a card means the same; 1 for a back."""
    return tile_set[tile].period if tile in tile_set else 1
