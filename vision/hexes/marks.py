"""What a network marks as boards on a small copy: first guesses at them, and scraps of others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import cos, radians, sin, sqrt

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core.pyramid import Pyramid, shrunk
from vision.core.types import Bgr, Points
from vision.detect.hex_seams import board_shares
from vision.hexes.models import HexModels
from vision.hexes.plane import OUTLINE_RADIUS, HexBoard

Floats = NDArray[np.float32]

FINDER_PX = 640
"""Longer side of the copy that boards are looked for on."""
FINDER_STEP = 32
STRIDE = 4
"""Pixels of that copy for one of the map that marks boards."""
SHRINK = 0.8
"""The network marks so much of a board's size, so that marks of neighbours stay apart."""
LEAST_MARK_PX = 30
"""Marks of fewer map pixels are no board; one whose cells are 24 px wide has 60 at 12 MP."""
LEAST_SHARE, LEAST_OF_SCRAP = 0.25, 0.8
"""How surely the network for tiles must show bare cells where a board is marked that cannot be
placed, and bare cells or tiles: six cut boards had 0.92 and more, loose tiles on stone 0.78 at
most."""
SCRAP_CELLS, BESIDE = 3.0, 1.15
"""Marks of fewer cells than that are no scrap of a board, nor such within so many times the size of
a board: a tile of which all is seen may lie on more."""
MOST_NEARER = 2.0
"""How many times wider than the nearest board's cells are at most: planes go on to a horizon."""


def finder_input(bgr: Bgr) -> tuple[Bgr, float]:
    """Return the copy that the first network sees, and its pixels for one of the picture."""
    small, (scale, _) = shrunk(bgr, min(1.0, FINDER_PX / max(bgr.shape[:2])))
    pad = -small.shape[0] % FINDER_STEP, -small.shape[1] % FINDER_STEP
    # What the edge cuts is marked better if it goes on than if it ends in grey.
    filled = cv2.copyMakeBorder(small, 0, pad[0], 0, pad[1], cv2.BORDER_REPLICATE)
    return np.asarray(filled, np.uint8), scale


def marks_of(pyramid: Pyramid, models: HexModels) -> tuple[Floats, float]:
    """Return logits of the inside of boards, and the copy's pixels for one of the picture."""
    small, scale = finder_input(pyramid.whole)
    columns, rows = (-(-round(length * scale) // STRIDE) for length in pyramid.size_px)
    return models.mark(small)[0][:rows, :columns], scale


def starts_of(marks: NDArray[np.uint8], scale: float, size_px: tuple[int, int]) -> list[HexBoard]:
    """Return first guesses at boards, the largest first."""
    found = [
        (len(points), _spread_as(points, size_px, STRIDE / scale))
        for points in hanging_together(marks, scale, LEAST_MARK_PX)
    ]
    return [board for _, board in sorted(found, key=lambda item: -item[0])[:12]]


def _spread_as(points: Points, size_px: tuple[int, int], grain: float) -> HexBoard:
    """Return a board that is spread as points are, turned as fits them best.

    Args:
        points: places on it, evenly.
        size_px: the picture's width and height.
        grain: how far points are apart.
    """
    middle = points.mean(axis=0)
    away = points - middle
    values, vectors = np.linalg.eigh(away.T @ away / len(away) + np.eye(2) * grain**2 / 12)
    # A regular hexagon of radius 1 has variance 5/24 along every axis.
    root = vectors @ np.diag(np.sqrt(values * 24 / 5)) @ vectors.T / (OUTLINE_RADIUS * SHRINK)
    flat = away @ np.linalg.inv(root).T
    best = min((radians(turn) for turn in range(0, 60, 5)), key=lambda t: _outside(flat, t))
    c, s = cos(best), sin(best)
    px_from_plane = np.eye(3)
    px_from_plane[:2, :2] = root @ np.array([[c, -s], [s, c]])
    px_from_plane[:2, 2] = middle
    width, height = size_px
    return HexBoard(px_from_plane, ((width - 1) / 2, (height - 1) / 2), np.hypot(width, height) / 2)


def _outside(flat: Points, turn: float) -> float:
    """Return how far points stick out of a board that is turned so, summed."""
    sides = turn + np.radians(60 * np.arange(6) + 30)
    reach = flat @ np.stack([np.cos(sides), np.sin(sides)])
    return float(np.maximum(reach.max(axis=1) - OUTLINE_RADIUS * SHRINK * sqrt(3) / 2, 0).sum())


def scraps_of(
    bgr: Bgr, shown: Floats, scale: float, boards: Sequence[HexBoard]
) -> tuple[Points, ...]:
    """Return the corners of marks that lie on no board; nothing without a board to go by.

    The network that looks for tiles knows tablecloths better, and is asked too.
    """
    half = STRIDE / scale / 2
    found = []
    for mark in _marks_beside(shown, scale, boards) if boards else ():
        bare, laid = board_shares(bgr, mark.points, mark.cell_px)
        if bare >= LEAST_SHARE and bare + laid >= LEAST_OF_SCRAP:
            low, high = mark.points.min(axis=0), mark.points.max(axis=0)
            found.append(np.array([low - half, high + half]))
    return tuple(found)


@dataclass(frozen=True, eq=False)
class _Mark:
    """Where a board may be that is not placed."""

    points: Points
    cell_px: float
    """How wide cells are there."""


def _marks_beside(shown: Floats, scale: float, boards: Sequence[HexBoard]) -> Iterator[_Mark]:
    """Yield the marks, of some cells or more, that lie on no board.

    All boards lie on one table: the nearest one tells how wide cells are.
    """
    left = shown.copy()
    for board in boards:
        cv2.fillPoly(left, [_on_the_map(board, scale)], -np.inf)
    least = min(board.cell_px() for board in boards)
    for points in hanging_together((left > 0).astype(np.uint8), scale, 1):
        middle = points.mean(axis=0)
        near = min(boards, key=lambda board: float(np.hypot(*(board.middle() - middle))))
        cell_px = float(np.clip(near.cell_px_at(middle), least, MOST_NEARER * near.cell_px()))
        cells = len(points) / ((cell_px * scale / STRIDE) ** 2 * sqrt(3) / 2)
        if cells >= SCRAP_CELLS:
            yield _Mark(points, cell_px)


def _on_the_map(board: HexBoard, scale: float) -> NDArray[np.int32]:
    """Return the corners of a board and of what is beside it on the map that marks boards."""
    corners = board.outline()
    wide = (corners - corners.mean(axis=0)) * BESIDE + corners.mean(axis=0)
    at = ((wide + 0.5) * scale - 0.5 - (STRIDE - 1) / 2) / STRIDE
    return np.asarray(np.round(at), np.int32)


def hanging_together(marks: NDArray[np.uint8], scale: float, least: float) -> Iterator[Points]:
    """Yield the places in the picture of marks that hang together, so many or more."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(marks, connectivity=4)
    for label in range(1, count):
        if int(stats[label, cv2.CC_STAT_AREA]) >= least:
            ys, xs = np.nonzero(labels == label)
            marked = np.stack([xs, ys], axis=1).astype(np.float64) * STRIDE + (STRIDE - 1) / 2
            yield (marked + 0.5) / scale - 0.5
