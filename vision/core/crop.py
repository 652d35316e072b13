"""Cuts tiles out of a picture: the one cut that training, teaching and play all use.

A patch is upright by its outline: the first corner of a square comes to the upper left, the first
corner of a hex to the top. Which way up the print is, is for the reader to say. What lies around
a hex is painted over, since it would fill a fourth of the patch.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core.types import Bgr, Points

Patches = NDArray[np.uint8]

PATCH_PX = 64
MARGIN = 0.04
"""Free space around the outline as a share of the patch: outlines miss by about so much."""
SHRUNK_ABOVE = 2
"""Tiles so many times wider than the patch are averaged before they are cut."""
MOST_FINER = 4
"""Tiles wider than the patch are cut finer and then averaged, so many times at most."""
AROUND_PX = 8
SIDES_OF_A_SQUARE = 4
HEX_ANGLES = np.arange(6) * np.pi / 3 - np.pi / 2


def cut(bgr: Bgr, outlines: Sequence[Points], size_px: int = PATCH_PX) -> Patches:
    """Return the tiles inside the outlines as patches, N x size x size x 3.

    Args:
        bgr: the picture.
        outlines: 4 or 6 corners each, clockwise as seen, in pixels.
        size_px: width and height of a patch.
    """
    patches = np.empty((len(outlines), size_px, size_px, 3), np.uint8)
    for number, corners in enumerate(outlines):
        patches[number] = cut_one(bgr, corners, size_px)
        if len(corners) != SIDES_OF_A_SQUARE:
            patches[number] = alone(patches[number])
    return patches


def alone(patch: Bgr) -> Bgr:
    """Return the patch of a hex without its neighbours, which fill the patch's corners."""
    inside = hex_inside(patch.shape[0])
    out = patch.copy()
    out[~inside] = np.round(patch[inside].mean(axis=0)).astype(np.uint8)
    return out


@lru_cache(maxsize=4)
def hex_inside(size_px: int) -> NDArray[np.bool_]:
    """Return which pixels of a patch a hex covers."""
    mask = np.zeros((size_px, size_px), np.uint8)
    cv2.fillConvexPoly(mask, np.round(patch_corners(6, size_px)).astype(np.int32), 1)
    return mask.astype(bool)


def cut_one(bgr: Bgr, corners_px: Points, size_px: int = PATCH_PX) -> Bgr:
    """Return one tile as a patch; what lies beyond the picture repeats its edge."""
    corners = np.asarray(corners_px, np.float64)
    part, corners = _surroundings(bgr, corners)
    longest = _longest_side(corners)
    shrink = int(longest // (SHRUNK_ABOVE * size_px))
    if shrink > 1 and min(part.shape[:2]) >= shrink:
        width, height = part.shape[1] // shrink, part.shape[0] // shrink
        part = part[: height * shrink, : width * shrink]
        part = np.asarray(cv2.resize(part, (width, height), interpolation=cv2.INTER_AREA), np.uint8)
        corners, longest = (corners + 0.5) / shrink - 0.5, longest / shrink
    finer = min(max(round(longest / size_px), 1), MOST_FINER)
    fine_px = size_px * finer
    patch_from_px = _homography(corners, patch_corners(len(corners), fine_px))
    patch = cv2.warpPerspective(
        part, patch_from_px, (fine_px, fine_px), flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )  # fmt: skip
    if finer > 1:
        patch = cv2.resize(patch, (size_px, size_px), interpolation=cv2.INTER_AREA)
    return np.asarray(patch, np.uint8)


def _surroundings(bgr: Bgr, corners: Points) -> tuple[Bgr, Points]:
    """Return the part of a picture around a tile, and the tile's corners in it."""
    # In plain numbers: for four corners NumPy takes many times as long.
    axes = zip(*corners.tolist(), strict=True)
    spans = [_span(min(axis), max(axis), end)
             for axis, end in zip(axes, bgr.shape[1::-1], strict=True)]  # fmt: skip
    (left, right), (top, bottom) = spans
    return bgr[top:bottom, left:right], corners - np.array([left, top], float)


def _span(low: float, high: float, end: int) -> tuple[int, int]:
    """Return from where to where a tile reaches along one axis, with some room around it."""
    first = min(max(math.floor(low) - AROUND_PX, 0), end - 1)
    return first, min(max(math.ceil(high) + AROUND_PX + 1, first + 1), end)


@lru_cache(maxsize=32)
def patch_corners(count: int, size_px: int = PATCH_PX) -> Points:
    """Return where the corners of an outline come to lie in a patch."""
    inner = (1 - 2 * MARGIN) * size_px
    if count == 4:
        unit = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
    else:
        unit = np.stack([np.cos(HEX_ANGLES), np.sin(HEX_ANGLES)], axis=1) / 2
    corners = np.asarray(unit * inner + (size_px - 1) / 2)
    corners.flags.writeable = False
    return corners


def _homography(source: Points, target: Points) -> NDArray[np.float64]:
    if len(source) == 4:
        return np.asarray(
            cv2.getPerspectiveTransform(source.astype(np.float32), target.astype(np.float32))
        )
    matrix, _ = cv2.findHomography(source, target)
    if matrix is None:
        # Six corners on one line are no hex: any patch will do, the reader will not know it.
        return np.eye(3)
    return np.asarray(matrix)


def _longest_side(corners: Points) -> float:
    points = corners.tolist()
    longest = max(math.dist(a, b) for a, b in zip(points, [*points[1:], points[0]], strict=True))
    return longest * (1.0 if len(points) == 4 else 2.0)
