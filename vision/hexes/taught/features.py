"""What cells of taught boards and the sides between them are known by, in numbers.

Colours are logarithms, in which light is a shift.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core.crop import patch_corners
from vision.hexes.taught.boards import CUT_PX, ROOM, Patches
from vision.hexes.taught.clay import rim_colours

Floats = NDArray[np.float64]

SMALL_PX, INNER = 28, 0.72
"""Cells are looked at so small, and so much of them: outlines miss a little."""
QUANTILES = (0.15, 0.5, 0.85)
FEATURES = 3 * len(QUANTILES)
DARKEST = 30.0
"""Is added to brightness before the logarithm: colours that are hardly there say little, and lamps
change them most."""
ALONG_PX, ACROSS_PX = 14, 26
"""How far from the middle of a side is looked, along it and across, in a cut of 112 pixels, in
which a cell is 66 wide."""
LINES = ((1.0, 4.0), (2.0, 6.0))
"""Lines are looked for that stand out from a blur of the second width after one of the first."""
NEAR_PX, BESIDE_PX, END_PX = 8, 12, 3
"""A line so near to the middle of a side is its own; from the second on it is another."""
FAINT = 0.02
"""Lines that stand out by less than that, as a logarithm, are no clearer for being even."""
WAYS = 2
"""A side is seen by its brightness and by how red it is."""
SIDE_FEATURES = 4 * WAYS * len(LINES)


def cell_features(patches: Patches) -> Floats:
    """Return the darker, middle and lighter blue, green and red of cells, N x 9, as logarithms."""
    inside = _inside()
    rows = np.empty((len(patches), FEATURES))
    for number, patch in enumerate(patches):
        small = cv2.resize(patch, (SMALL_PX, SMALL_PX), interpolation=cv2.INTER_AREA)
        shown = np.log(small[inside] + DARKEST)
        rows[number] = np.quantile(shown, QUANTILES, axis=0).ravel()
    return rows


def rim_features(patches: Patches) -> Floats:
    """Return the same of the rims of cells alone: what clay leaves to be seen of a tile."""
    rims = rim_colours(patches)
    rows = [np.quantile(rim, QUANTILES, axis=0).ravel() for rim in rims]
    return np.array(rows).reshape(-1, FEATURES)


def _inside() -> NDArray[np.bool_]:
    middle = (SMALL_PX - 1) / 2
    corners = (patch_corners(6, SMALL_PX) - middle) / ROOM * INNER + middle
    mask = np.zeros((SMALL_PX, SMALL_PX), np.uint8)
    cv2.fillConvexPoly(mask, np.round(corners * 16).astype(np.int32), 1, shift=4)
    return mask.astype(bool)


def side_views(patches: Patches) -> Floats:
    """Return how bright and how red it is about sides, as logarithms, N x 2 x 29 x 53."""
    middle = CUT_PX // 2
    rows = slice(middle - ALONG_PX, middle + ALONG_PX + 1)
    columns = slice(middle - ACROSS_PX, middle + ACROSS_PX + 1)
    shown = np.log(patches[:, rows, columns].astype(np.float64) + DARKEST)
    return np.stack([shown.mean(axis=3), shown[..., 2] - shown[..., 0]], axis=1)


def side_features(views: Floats) -> Floats:
    """Return the clearest dark and light line at sides and beside them, N x 16.

    Grain comes and goes along a side, the line between two tiles does not: what counts is how much
    a line stands out against how unevenly it does. That is the same in every light.
    """
    count, ways, rows, columns = views.shape
    flat = np.ascontiguousarray(views.reshape(-1, columns))
    middle, found = columns // 2, []
    for fine, broad in LINES:
        lines = _blurred(flat, fine) - _blurred(flat, broad)
        lines = lines.reshape(count, ways, rows, columns)
        clear = lines.mean(axis=2) / (lines.std(axis=2) + FAINT)
        own = clear[..., middle - NEAR_PX : middle + NEAR_PX + 1]
        beside = np.concatenate(
            [clear[..., END_PX : middle - BESIDE_PX + 1],
             clear[..., middle + BESIDE_PX : -END_PX]], axis=2
        )  # fmt: skip
        found += [own.min(axis=2), own.max(axis=2), beside.min(axis=2), beside.max(axis=2)]
    return np.concatenate(found, axis=1)


def _blurred(rows: Floats, wide_px: float) -> Floats:
    """Return each row blurred by itself."""
    if not len(rows):
        return rows
    size = 2 * round(4 * wide_px) + 1
    return np.asarray(cv2.sepFilter2D(rows, cv2.CV_64F, cv2.getGaussianKernel(size, wide_px),
                                      np.ones(1)))  # fmt: skip
