"""Light that changes: what a picture of before would look like now, if only lamps had changed."""

from __future__ import annotations

from math import hypot

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.float32]
Mask = NDArray[np.bool_]

COARSE = 8
"""Light changes slowly from place to place: means of so many pixels will do."""
BRIGHT = 60.0
"""Darker pixels come in few steps and say less about the light."""
BURNT = 250.0
"""Brighter ones say nothing."""
FLAT_FROM, MOST_SHARE, BEYOND = 150.0, 80.0, 10.0
"""The curve of a camera flattens towards white: pixels from so many levels on follow the light only
in part, where they are brighter by so much than so many of a hundred, which tell the light."""
ROUNDS = 5
LEAST_OFF = 0.02
"""Pixels that fit better than that do not count for more."""
MOST = 1.1
"""The light may become three times as bright: so much is e to the power of that."""
STIFF = 4.0
"""How far the field is held to be even, in pixels that say so."""
DIM = 4.0
"""Levels that are added before pixels are divided."""
FINE = 4.0
"""Edges of tiles, without what is wider than so many pixels, tell whether a picture stayed."""
SAME_EDGES = 0.8
SHIFTED_PX, CLEAR = 1.2, 0.06
"""How far edges must have moved, and how many of them together."""
BESIDE_PX, CLEAR_BESIDE = 9, 0.3
"""How wide a brush draws what may be an arm, and how many edges beside it must have moved: on an
even table there is only noise."""
LIT_LEVELS, LIT_SHARE = 4.0, 0.45
"""Light changes so much of a picture by so many levels; no arm covers that much at once."""


def in_light_of(now: Picture, before: Picture) -> Picture:
    """Return an older picture as bright, and of the tint, that a newer one has in each part.

    A lamp stands at one side of a table, so its change is a smooth field for each colour. What is
    new covers less than half of the picture, and counts the less the worse it fits. White on
    a darker table may be anything from as it was to as the light wants it, whichever is nearest to
    the newer one.
    """
    one, other = _coarse(now), _coarse(before)
    rows, columns = one.shape[:2]
    basis = _basis(rows, columns)
    change = np.log((one + 1) / (other + 1)).reshape(-1, 3)
    bright = np.clip(other.reshape(-1, 3).max(axis=1) / BRIGHT, 0.05, 1)
    bright[one.reshape(-1, 3).max(axis=1) > BURNT] = 0.05
    fit = np.zeros((basis.shape[1], 3))
    fit[0] = np.median(change, axis=0)
    stiff = np.diag([0.0, *[STIFF] * (basis.shape[1] - 1)])
    for _ in range(ROUNDS):
        off = np.abs(change - basis @ fit).max(axis=1)
        weighed = basis * (bright / (off + LEAST_OFF))[:, None]
        fit = np.linalg.solve(weighed.T @ basis + stiff, weighed.T @ change)
    field = np.exp(np.clip(basis @ fit, -MOST, MOST)).astype(np.float32)
    wide = cv2.resize(field.reshape(rows, columns, 3), (now.shape[1], now.shape[0]))
    lit = np.asarray(cv2.multiply(before, wide), np.float32)
    most = np.percentile(other.reshape(-1, 3), MOST_SHARE, axis=0)
    flat = before > np.maximum(FLAT_FROM, most + BEYOND)
    ends = lit[flat], before[flat]
    lit[flat] = np.clip(now[flat], np.minimum(*ends), np.maximum(*ends))
    return lit


def is_other_light(now: Picture, before: Picture) -> bool:
    """Say whether most of a picture has become brighter or darker, with all its edges in place."""
    off = np.abs(_coarse(now) - _coarse(before)).max(axis=2)
    if float((off > LIT_LEVELS).mean()) < LIT_SHARE:
        return False
    one, other = _edges(now), _edges(before)
    size = float(np.sqrt((one * one).sum() * (other * other).sum()))
    return size > 0 and float((one * other).sum()) / size > SAME_EDGES


def carried_over(old: Picture, before: Picture, now: Picture) -> Picture:
    """Return an older picture with what the light has changed from one frame to the next."""
    return np.asarray(old * ((now + DIM) / (before + DIM)), np.float32)


def is_shifted(now: Picture, before: Picture, without: Mask) -> bool:
    """Say whether all edges have moved together: the camera was knocked, and nobody came in.

    Args:
        now: a picture.
        before: an older one.
        without: where something is that may be an arm; the edges beside it must have moved too.
    """
    brush = np.ones((BESIDE_PX, BESIDE_PX), np.uint8)
    rest = cv2.dilate(without.astype(np.uint8), brush) == 0
    one, other = (_edges(picture).astype(np.float64) for picture in (before, now))
    return _have_moved(one, other, CLEAR) and _have_moved(one * rest, other * rest, CLEAR_BESIDE)


def _have_moved(one: NDArray[np.float64], other: NDArray[np.float64], clear: float) -> bool:
    window = cv2.createHanningWindow((one.shape[1], one.shape[0]), cv2.CV_64F)
    (x, y), response = cv2.phaseCorrelate(one, other, window)
    return response > clear and hypot(x, y) > SHIFTED_PX


def _coarse(picture: Picture) -> Picture:
    size = max(1, picture.shape[1] // COARSE), max(1, picture.shape[0] // COARSE)
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.float32)


def _basis(rows: int, columns: int) -> NDArray[np.float64]:
    """Return what a smooth field is made of, at every sample: even, slopes and bends."""
    ys, xs = np.mgrid[-1 : 1 : rows * 1j, -1 : 1 : columns * 1j]
    parts = [np.ones_like(xs), xs, ys, xs * xs, xs * ys, ys * ys]
    return np.stack(parts, axis=-1).reshape(-1, len(parts))


def _edges(picture: Picture) -> Picture:
    grey = np.log(picture.mean(axis=2) + DIM)
    return np.asarray(grey - cv2.GaussianBlur(grey, (0, 0), FINE), np.float32)
