"""Finds hex boards in a picture and locates their cells.

A first network marks the inside of boards on a reduced copy of the picture. A second one sees each
mark rectified, as if from above, and locates the board's fixed points; after three rounds, each
with a better rectification and its lens distortion, the error is a few hundredths of a cell.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core.crop import Pyramid, drawn_between, shrunk
from vision.core.types import LIKELIER, Bgr, Points
from vision.hexes.models import HexModels
from vision.hexes.plane import (
    FIXED,
    OUTLINE_RADIUS,
    REACH,
    STEADY,
    HexBoard,
    fitted,
    spread_as,
)

FINDER_PX = 640
"""Longer side of the reduced copy on which boards are searched."""
FINDER_STEP = 32
STRIDE = 4
"""Pixels of the reduced copy per pixel of the map that marks boards."""
SHRINK = 0.8
"""The network marks boards at this share of their size, so that marks of neighbours stay apart."""
LEAST_MARK_PX = 30
"""Marks of fewer map pixels are no board; a board with cells of 24 px has 60 at 12 MP."""
MOST_STARTS = 12
"""Maximum number of marks that are examined, the largest first."""
CROP_PX = 128
CROP_REACH = 7.0
"""Cell widths that the second network sees to each side of a board's centre."""
ROUNDS, MOST_ROUNDS = 3, 8
"""Number of looks at a board, and the maximum for one that is not steady by then."""

COARSE = 4
"""Step in pixels, about half a cell, between computed coordinates; the others are interpolated."""
_STEPS = (np.arange(0, CROP_PX + COARSE, COARSE) + 0.5) / CROP_PX * 2 * CROP_REACH - CROP_REACH
_CROP_PLANE = np.stack(np.meshgrid(_STEPS, _STEPS), axis=-1).reshape(-1, 2)


def crop(pyramid: Pyramid, board: HexBoard) -> Bgr:
    """Return a board as the second network sees it, rectified as if from above."""
    spread = board.cell_px() * 2 * CROP_REACH / CROP_PX
    places = board.px(_CROP_PLANE).reshape(len(_STEPS), -1, 2)
    return pyramid.sampled(drawn_between(places, COARSE, (CROP_PX, CROP_PX)), spread)


def boards_in(pyramid: Pyramid, most: int, models: HexModels) -> tuple[HexBoard, ...]:
    """Return up to ``most`` boards of a picture, the surest first, each in one of its six turns."""
    small, scale = finder_input(pyramid.whole)
    columns, rows = (-(-round(length * scale) // STRIDE) for length in pyramid.size_px)
    marks = (models.mark(small)[0][:rows, :columns] > 0).astype(np.uint8)
    found = sorted(_hanging_together(marks, scale), key=len, reverse=True)
    boards: list[HexBoard] = []
    for points in found[:MOST_STARTS]:
        start = spread_as(points, STRIDE / scale, OUTLINE_RADIUS * SHRINK, pyramid.size_px)
        board = _refined(pyramid, start, models)
        if board is not None and not any(_same(board, other) for other in boards):
            boards.append(board)
    boards.sort(key=lambda board: -board.confidence)
    return tuple(boards[:most])


def finder_input(bgr: Bgr) -> tuple[Bgr, float]:
    """Return the reduced copy for the first network, and its pixels per pixel of the picture."""
    small, (scale, _) = shrunk(bgr, min(1.0, FINDER_PX / max(bgr.shape[:2])))
    pad = -small.shape[0] % FINDER_STEP, -small.shape[1] % FINDER_STEP
    # A board cut by the edge is marked better with replicated borders than with grey ones.
    filled = cv2.copyMakeBorder(small, 0, pad[0], 0, pad[1], cv2.BORDER_REPLICATE)
    return np.asarray(filled, np.uint8), scale


def _hanging_together(marks: NDArray[np.uint8], scale: float) -> Iterator[Points]:
    """Yield the picture coordinates of each connected mark that may be a board."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(marks, connectivity=4)
    for label in range(1, count):
        if int(stats[label, cv2.CC_STAT_AREA]) >= LEAST_MARK_PX:
            ys, xs = np.nonzero(labels == label)
            marked = np.stack([xs, ys], axis=1).astype(np.float64) * STRIDE + (STRIDE - 1) / 2
            yield (marked + 0.5) / scale - 0.5


# --- the view from above -------------------------------------------------------------------------


def _refined(pyramid: Pyramid, board: HexBoard, models: HexModels) -> HexBoard | None:
    """Return a board after successive looks at it, or ``None`` if it is none."""
    for number in range(MOST_ROUNDS):
        moved, confidence = models.place(crop(pyramid, board))
        if confidence < LIKELIER / 4:
            return None
        unsteady = float(np.hypot(*moved.T).mean())
        placed = fitted(board.px(FIXED + moved), board)
        board = replace(placed, confidence=confidence, unsteady=unsteady)
        if number + 1 >= ROUNDS and unsteady < STEADY:
            break
    return board if board.confidence >= LIKELIER else None


def _same(one: HexBoard, other: HexBoard) -> bool:
    """Say whether the centre of one board lies on another."""
    apart = np.hypot(*(one.middle() - other.middle()))
    return bool(apart < REACH * min(one.cell_px(), other.cell_px()))
