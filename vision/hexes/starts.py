"""Where hex boards may lie: what a network marks on a small copy, and first guesses from that."""

from __future__ import annotations

from math import cos, radians, sin, sqrt

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core.pyramid import Pyramid, shrunk
from vision.core.types import Bgr, Points
from vision.hexes.models import HexModels
from vision.hexes.plane import OUTLINE_RADIUS, HexBoard
from vision.hexes.scraps import STRIDE, hanging_together

Floats = NDArray[np.float32]

FINDER_PX = 640
"""Longer side of the copy that boards are looked for on."""
FINDER_STEP = 32
SHRINK = 0.8
"""The network marks so much of a board's size, so that marks of neighbours stay apart."""
CELLS_SHRINK = 0.95
"""Share of a board's size that its cells take up, without the rim."""
LEAST_MARK_PX = 30
"""Marks of fewer map pixels are no board; one whose cells are 24 px wide has 60 at 12 MP."""


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
        (len(points), spread_as(points, size_px, STRIDE / scale))
        for points in hanging_together(marks, scale, LEAST_MARK_PX)
    ]
    return [board for _, board in sorted(found, key=lambda item: -item[0])[:12]]


def spread_as(
    points: Points, size_px: tuple[int, int], grain: float, shrink: float = SHRINK
) -> HexBoard:
    """Return a board that is spread as points are, turned as fits them best.

    Args:
        points: places on it, evenly.
        size_px: the picture's width and height.
        grain: how far points are apart.
        shrink: how much of the board's size they take up.
    """
    middle = points.mean(axis=0)
    away = points - middle
    values, vectors = np.linalg.eigh(away.T @ away / len(away) + np.eye(2) * grain**2 / 12)
    # A regular hexagon of radius 1 has variance 5/24 along every axis.
    root = vectors @ np.diag(np.sqrt(values * 24 / 5)) @ vectors.T / (OUTLINE_RADIUS * shrink)
    flat = away @ np.linalg.inv(root).T
    best = min((radians(turn) for turn in range(0, 60, 5)), key=lambda t: _outside(flat, t, shrink))
    c, s = cos(best), sin(best)
    px_from_plane = np.eye(3)
    px_from_plane[:2, :2] = root @ np.array([[c, -s], [s, c]])
    px_from_plane[:2, 2] = middle
    width, height = size_px
    return HexBoard(px_from_plane, ((width - 1) / 2, (height - 1) / 2), np.hypot(width, height) / 2)


def _outside(flat: Points, turn: float, shrink: float) -> float:
    """Return how far points stick out of a board that is turned so, summed."""
    sides = turn + np.radians(60 * np.arange(6) + 30)
    reach = flat @ np.stack([np.cos(sides), np.sin(sides)])
    return float(np.maximum(reach.max(axis=1) - OUTLINE_RADIUS * shrink * sqrt(3) / 2, 0).sum())
