"""Reads a die that lies in view: one to three pips on a small plain square.

Nothing is trained. A die is a square much smaller than a tile, of one colour, with pips exactly at
their standard places. Anything that deviates is not answered; players then enter the roll.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core.types import Bgr, Points, width_of

PATCH_PX = 48
SMALLEST, LARGEST = 0.18, 0.5
"""Least and largest width of a die, in tile widths: 8 to 22 mm for a tile of 45 mm."""
LEAST_PX = 12.0
"""Least width of a die: a pip is a fifth of it, and cannot be resolved below."""
LEAST_FILLED, SQUARE = 0.8, 0.72
"""Least share of its bounding rectangle that a die fills, and least ratio of its sides."""
EDGE_PX = 1.0
LEAST_CONTRAST = 40.0
"""Least difference between the clearest pip and the die's colour, in levels of 255."""
PIP_SHARE, BARE_SHARE = 0.5, 0.33
"""Least share of the clearest pip's difference for a pip, and most for a bare place; a value in
between is doubtful."""
SPOTS = tuple((x, y) for y in (2, 4, 6) for x in (2, 4, 6))
"""Centres of possible pips, in eighths of a side."""
MIDDLE, DIAGONALS = frozenset({4}), (frozenset({0, 8}), frozenset({2, 6}))
"""Indices of the spot in the middle, and of the two at opposite corners."""
BETWEEN = ((3, 3), (5, 3), (3, 5), (5, 5), (4, 1), (1, 4))
"""Places between the pips and near the edge, in eighths of a side, that are bare on every die."""


@dataclass(frozen=True, eq=False)
class Die:
    """A die in view."""

    value: int
    outline_px: Points


def read_die(bgr: Bgr, tiles: Sequence[Points]) -> Die | None:
    """Return the die that a picture shows; ``None`` without one, with several, or when in doubt.

    Args:
        bgr: the picture.
        tiles: the outlines of tiles, which give the scale; no die is sought inside them.
    """
    if not tiles:
        return None
    width = float(np.median([width_of(np.asarray(tile, np.float64)) for tile in tiles[:40]]))
    found: list[Die] = []
    for outline in _small_squares(bgr, tiles, width):
        value = _pips(bgr, outline)
        if value is not None and not any(_same(outline, other.outline_px) for other in found):
            found.append(Die(value, outline))
    return found[0] if len(found) == 1 else None


def _small_squares(bgr: Bgr, tiles: Sequence[Points], width: float) -> Iterator[Points]:
    """Yield the outlines of squares of a die's size outside the tiles."""
    low, high = max(LEAST_PX, SMALLEST * width), LARGEST * width
    if high < low:
        return
    taken = np.zeros(bgr.shape[:2], np.uint8)
    for tile in tiles:
        cv2.fillPoly(taken, [np.round(np.asarray(tile)).astype(np.int32).reshape(-1, 1, 2)], 255)
    edges = _edges(bgr)
    edges[taken > 0] = 0
    rims, _ = cv2.findContours(edges, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    for rim in rims:
        _, _, across, down = cv2.boundingRect(rim)
        if not low <= max(across, down) <= 1.6 * high:
            continue
        hull = cv2.convexHull(rim)
        middle, size, angle = cv2.minAreaRect(hull)
        if cv2.contourArea(hull) < LEAST_FILLED * size[0] * size[1]:
            continue
        # Contours run around the dilated edges, so the die is smaller by their thickness.
        inner = max(size[0] - 2 * EDGE_PX, 1.0), max(size[1] - 2 * EDGE_PX, 1.0)
        if low <= min(inner) and max(inner) <= high and min(inner) > SQUARE * max(inner):
            yield np.asarray(cv2.boxPoints((middle, inner, angle)), np.float64)


def _edges(bgr: Bgr) -> NDArray[np.uint8]:
    """Return the Canny edges of all three channels, with gaps of a pixel closed."""
    blue, green, red = (cv2.Canny(colour, 40, 110) for colour in cv2.split(bgr))
    edges = cv2.max(cv2.max(blue, green), red)
    return np.asarray(cv2.dilate(edges, np.ones((2, 2), np.uint8)), np.uint8)


def _pips(bgr: Bgr, outline: Points) -> int | None:
    """Return the number of pips on a square; ``None`` if it is no die with one to three."""
    unit = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32) * (PATCH_PX - 1)
    warp = cv2.getPerspectiveTransform(outline.astype(np.float32), unit)
    patch = cv2.warpPerspective(bgr, warp, (PATCH_PX, PATCH_PX)).astype(np.float32)
    bare = np.median([_mean(patch, *place) for place in BETWEEN], axis=0)
    away = np.array([_away(_mean(patch, *spot), bare) for spot in SPOTS])
    plain = np.array([_away(_mean(patch, *place), bare) for place in BETWEEN])
    most = float(away.max())
    doubtful = (away > BARE_SHARE * most) & (away < PIP_SHARE * most)
    if most < LEAST_CONTRAST or doubtful.any() or float(plain.max()) > BARE_SHARE * most:
        return None
    pips = frozenset(np.flatnonzero(away >= PIP_SHARE * most).tolist())
    return len(pips) if pips == MIDDLE or pips - MIDDLE in DIAGONALS else None


def _mean(patch: NDArray[np.float32], x: int, y: int) -> NDArray[np.float32]:
    """Return the colour of a place in a patch, averaged over a few pixels."""
    column, row = x * PATCH_PX // 8, y * PATCH_PX // 8
    return np.asarray(patch[row - 2 : row + 3, column - 2 : column + 3].mean(axis=(0, 1)))


def _away(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    return float(np.abs(one - other).max())


def _same(one: Points, other: Points) -> bool:
    return bool(np.hypot(*(one.mean(axis=0) - other.mean(axis=0))) < 0.5 * width_of(one))
