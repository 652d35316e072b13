"""Finds hex boards in a picture and locates their cells.

A first network marks the inside of boards on a reduced copy of the picture. A second one sees each
mark rectified, as if from above, and locates the board's fixed points; after three rounds, each
with a better rectification, the error is a few hundredths of a cell. One lens distortion is fitted
to all boards together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import sqrt

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core.crop import Pyramid, drawn_between, shrunk
from vision.core.types import LIKELIER, Bgr, Points
from vision.detect.hex_seams import board_shares, on_its_seams
from vision.hexes.models import HexModels
from vision.hexes.plane import (
    FIXED,
    HALF_TURN,
    OUTLINE_RADIUS,
    REACH,
    STEADY,
    TURNED,
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
MOST_UNSTEADY = 0.35
"""A board that still moves this far, in cell widths, after all looks is a scrap or none: held-out
boards that the picture's edge cut in half moved by 0.43, all whole ones by 0.05 at most."""

CUT_CELLS, CUT_BARE, CUT_SHOWN = 3.0, 0.25, 0.8
"""A mark without a placed board is part of one if it has at least this many cells, and the network
that detects tiles shows bare cells, and bare cells or tiles, with these mean probabilities: six cut
boards had 0.92 and more, loose tiles on stone 0.78 at most."""

COARSE = 4
"""Step in pixels, about half a cell, between computed coordinates; the others are interpolated."""
_STEPS = (np.arange(0, CROP_PX + COARSE, COARSE) + 0.5) / CROP_PX * 2 * CROP_REACH - CROP_REACH
_CROP_PLANE = np.stack(np.meshgrid(_STEPS, _STEPS), axis=-1).reshape(-1, 2)


def crop(pyramid: Pyramid, board: HexBoard) -> Bgr:
    """Return a board as the second network sees it, rectified as if from above."""
    spread = board.cell_px() * 2 * CROP_REACH / CROP_PX
    places = board.px(_CROP_PLANE).reshape(len(_STEPS), -1, 2)
    return pyramid.sampled(drawn_between(places, COARSE, (CROP_PX, CROP_PX)), spread)


@dataclass(frozen=True, eq=False)
class FoundBoards:
    """The boards that were found in a picture."""

    boards: tuple[HexBoard, ...] = ()
    """Placed boards, the surest first, each in one of its six turns."""
    scraps: tuple[Points, ...] = ()
    """Two corners of each visible part of another board that is too small to locate its cells."""


def boards_in(pyramid: Pyramid, most: int, models: HexModels) -> FoundBoards:
    """Return up to ``most`` boards of a picture, and the scraps of others."""
    small, scale = finder_input(pyramid.whole)
    columns, rows = (-(-round(length * scale) // STRIDE) for length in pyramid.size_px)
    marks = (models.mark(small)[0][:rows, :columns] > 0).astype(np.uint8)
    found = sorted(hanging_together(marks, scale, LEAST_MARK_PX), key=len, reverse=True)
    boards: list[HexBoard] = []
    for points in found[:MOST_STARTS]:
        start = spread_as(points, STRIDE / scale, OUTLINE_RADIUS * SHRINK, pyramid.size_px)
        board = _refined(pyramid, start, models)
        if board is not None and not any(_same(board, other) for other in boards):
            boards.append(board)
    boards.sort(key=lambda board: -board.confidence)
    scraps = [
        np.array([points.min(axis=0), points.max(axis=0)])
        for points in (found if 0 < len(boards) < most else ())
        if _is_scrap(pyramid.whole, points, STRIDE / scale, boards)
    ]
    return FoundBoards(_with_one_lens(pyramid, boards[:most], models), tuple(scraps))


def _is_scrap(bgr: Bgr, points: Points, grain: float, boards: Sequence[HexBoard]) -> bool:
    """Say whether a mark that lies on no board is part of one that could not be placed.

    All boards lie on one table, so the nearest one gives the cell width. The network that detects
    tiles is more reliable on tablecloths, so it must agree.
    """
    middle = points.mean(axis=0)
    near = min(boards, key=lambda board: float(np.hypot(*(board.middle() - middle))))
    cell_px = near.cell_px_at(middle)
    cells = len(points) * (grain / cell_px) ** 2 * 2 / sqrt(3)
    away = np.hypot(*(near.middle() - middle)) / near.cell_px()
    if away < OUTLINE_RADIUS or cells < CUT_CELLS:
        return False
    bare, laid = board_shares(bgr, points, cell_px)
    return bare >= CUT_BARE and bare + laid >= CUT_SHOWN


def finder_input(bgr: Bgr) -> tuple[Bgr, float]:
    """Return the reduced copy for the first network, and its pixels per pixel of the picture."""
    small, (scale, _) = shrunk(bgr, min(1.0, FINDER_PX / max(bgr.shape[:2])))
    pad = -small.shape[0] % FINDER_STEP, -small.shape[1] % FINDER_STEP
    # A board cut by the edge is marked better with replicated borders than with grey ones.
    filled = cv2.copyMakeBorder(small, 0, pad[0], 0, pad[1], cv2.BORDER_REPLICATE)
    return np.asarray(filled, np.uint8), scale


def hanging_together(marks: NDArray[np.uint8], scale: float, least: float) -> Iterator[Points]:
    """Yield the picture coordinates of each connected mark of at least ``least`` map pixels."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(marks, connectivity=4)
    for label in range(1, count):
        if int(stats[label, cv2.CC_STAT_AREA]) >= least:
            ys, xs = np.nonzero(labels == label)
            marked = np.stack([xs, ys], axis=1).astype(np.float64) * STRIDE + (STRIDE - 1) / 2
            yield (marked + 0.5) / scale - 0.5


# --- the view from above -------------------------------------------------------------------------


def _refined(pyramid: Pyramid, start: HexBoard, models: HexModels) -> HexBoard | None:
    """Return the steadiest of a board's successive looks, or ``None`` if it is not good enough."""
    board, looks = start, []
    for number in range(MOST_ROUNDS):
        moved, confidence = models.place(crop(pyramid, board))
        seen = board.px(FIXED + moved)
        if confidence < LIKELIER / 4 or not _is_sound(seen):
            break
        unsteady = float(np.hypot(*moved.T).mean())
        board = replace(fitted([seen], board)[0], confidence=confidence, unsteady=unsteady)
        looks.append(board)
        if number + 1 >= ROUNDS and unsteady < STEADY:
            break
    # Looks that oscillate may end far off: on pink cloths from 0.12 and 0.08 to 0.4.
    best = min(looks, key=lambda look: look.unsteady, default=start)
    placed = looks and best.confidence >= LIKELIER and best.unsteady < MOST_UNSTEADY
    return best if placed else None


def _is_sound(seen: Points) -> bool:
    """Say whether the corner cells are still in clockwise order and some pixels apart."""
    corners = seen[7:13]
    edges = np.roll(corners, -1, axis=0) - corners
    after = np.roll(edges, -1, axis=0)
    bends = edges[:, 0] * after[:, 1] - edges[:, 1] * after[:, 0]
    return bool((bends > 0).all() and np.hypot(*edges.T).min() > REACH)


def _with_one_lens(
    pyramid: Pyramid, boards: Sequence[HexBoard], models: HexModels
) -> tuple[HexBoard, ...]:
    """Return boards placed once more, with one lens that fits all of them.

    Each is looked at upright and upside down. A board on which the two looks disagree, or that the
    picture's edge cuts, is placed by its seams.
    """
    if not boards:
        return ()
    looks = [_looked_at(pyramid, board, models) for board in boards]
    placed = fitted([np.mean(both, axis=0) for both in looks], boards[0])
    found = []
    for board, new, both in zip(boards, placed, looks, strict=True):
        spread = float(np.hypot(*np.std(both, axis=0).T).mean()) / max(board.cell_px(), 1e-6)
        own = replace(new, confidence=board.confidence, unsteady=spread)
        unsure = spread > STEADY or _is_cut(pyramid, own)
        found.append(on_its_seams(pyramid.whole, own) if unsure else own)
    return tuple(found)


def _looked_at(pyramid: Pyramid, board: HexBoard, models: HexModels) -> list[Points]:
    """Return the fixed points in pixels, as seen with the board upright and upside down."""
    views = [board.turned(turn) for turn in (0, HALF_TURN)]
    seen = [view.px(FIXED + models.place(crop(pyramid, view))[0]) for view in views]
    return [seen[0], seen[1][TURNED[HALF_TURN]]]


def _is_cut(pyramid: Pyramid, board: HexBoard) -> bool:
    px = board.px(FIXED)
    return bool(((px < 0) | (px > np.array(pyramid.size_px))).any())


def _same(one: HexBoard, other: HexBoard) -> bool:
    """Say whether the centre of one board lies on another."""
    apart = np.hypot(*(one.middle() - other.middle()))
    return bool(apart < REACH * min(one.cell_px(), other.cell_px()))
