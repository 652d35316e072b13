"""How an older picture would look if only the lamps, or only the camera, had changed."""

from __future__ import annotations

from functools import lru_cache
from math import ceil, hypot

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.float32]
Mask = NDArray[np.bool_]

COARSE = 8
"""Downscaling factor for the light field, which varies slowly over the picture."""
BRIGHT = 60.0
"""Level below which pixels get less weight: dark ones are coarsely quantised."""
BURNT = 250.0
"""Level above which pixels are saturated and get the least weight."""
FLAT_FROM, MOST_SHARE, BEYOND = 150.0, 80.0, 10.0
"""A camera's response flattens towards white: pixels follow the light only in part above this
level and above this percentile of the picture plus this many levels."""
ROUNDS = 5
"""Rounds of iteratively reweighted least squares."""
LEAST_OFF = 0.02
"""Residual below which a pixel's weight no longer grows."""
MOST = 1.1
"""Largest change of light as a natural logarithm: a factor of three."""
STIFF = 4.0
"""Ridge penalty on the light field's slopes and curvature."""
DIM = 4.0
"""Levels added before pixels are divided."""
FINE = 4.0
"""Blur, in pixels, that is subtracted to leave the edges of tiles."""
SAME_EDGES = 0.8
"""Correlation of edges above which a picture has not moved."""
SHIFTED_PX, CLEAR = 1.2, 0.06
"""Least shift of a moved picture in pixels, and least response of the phase correlation."""
BESIDE_PX, CLEAR_BESIDE = 9, 0.3
"""Dilation of what may be an arm, and least response of the rest of the picture: on a uniform
table the rest is only noise."""
LIT_LEVELS, LIT_SHARE = 4.0, 0.45
"""Least change in levels, and share of pixels with it, by a lamp; no arm covers that much."""
MOST_CORNERS, QUALITY, APART_PX = 200, 0.02, 5
"""Number, quality and spacing of the corners that are tracked between the pictures."""
WINDOW_PX, HALVINGS = 15, 3
"""Window and pyramid levels of the Lucas-Kanade optical flow."""
BACK_PX = 0.7
"""Largest error, in pixels, of a corner tracked forward and back again."""
FITS_PX = 1.0
"""Largest reprojection error of a RANSAC inlier, in pixels."""
LEAST_CORNERS, LEAST_SHARE = 16, 0.6
"""Fewest inliers of the homography, and their least share of the tracked corners."""
MOVED_PX = 1.2
"""Median motion in pixels below which the camera has not moved."""
MOST_MOVED = 0.08
"""Largest motion by a knock, as a share of the width; beyond it too much border is new."""


def in_light_of(now: Picture, before: Picture) -> Picture:
    """Return an older picture relit with the brightness and tint of a newer one.

    A lamp stands at one side of a table, so its change is a smooth field for each colour channel.
    The fit is robust: new objects cover less than half of the picture and are weighted down by
    their residual. Near-white pixels may take any value between unchanged and relit; the one
    nearest to the newer picture is used.
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
    flat = np.flatnonzero(before > np.maximum(FLAT_FROM, most + BEYOND))
    ends = lit.take(flat), before.take(flat)
    lit.put(flat, np.clip(now.take(flat), np.minimum(*ends), np.maximum(*ends)))
    return lit


def is_other_light(now: Picture, before: Picture) -> bool:
    """Say whether much of a picture has changed its brightness while its edges stayed in place."""
    off = np.abs(_coarse(now) - _coarse(before)).max(axis=2)
    if float((off > LIT_LEVELS).mean()) < LIT_SHARE:
        return False
    one, other = _edges(now), _edges(before)
    size = float(np.sqrt((one * one).sum() * (other * other).sum()))
    return size > 0 and float((one * other).sum()) / size > SAME_EDGES


def carried_over(old: Picture, before: Picture, now: Picture) -> Picture:
    """Return an older picture multiplied by the ratio of two consecutive frames."""
    return np.asarray(old * ((now + DIM) / (before + DIM)), np.float32)


def is_shifted(now: Picture, before: Picture, without: Mask) -> bool:
    """Say whether all edges have moved together, so that the camera was knocked.

    Args:
        now: a picture.
        before: an older picture.
        without: mask of what may be an arm; the edges outside it must have moved too.
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


@lru_cache(maxsize=4)
def _basis(rows: int, columns: int) -> NDArray[np.float64]:
    """Return the quadratic polynomial basis of the light field at every sample."""
    ys, xs = np.mgrid[-1 : 1 : rows * 1j, -1 : 1 : columns * 1j]
    parts = [np.ones_like(xs), xs, ys, xs * xs, xs * ys, ys * ys]
    return np.stack(parts, axis=-1).reshape(-1, len(parts))


def _edges(picture: Picture) -> Picture:
    grey = np.log(picture.mean(axis=2) + DIM)
    return np.asarray(grey - cv2.GaussianBlur(grey, (0, 0), FINE), np.float32)


# --- a knocked camera ----------------------------------------------------------------------------


def as_if_knocked(now: Picture, before: Picture) -> tuple[Picture, Picture] | None:
    """Return both pictures, the older one warped to the new view, cropped to what both show.

    A homography is fitted, since a knock also turns the camera and parts of the picture move
    differently. ``None`` if the corners have not moved, or not together.
    """
    fit = _motion(now, before)
    if fit is None:
        return None
    height, width = now.shape[:2]
    rim = np.array([[(0, 0), (width, 0), (width, height), (0, height)]], np.float32)
    off = cv2.perspectiveTransform(rim, fit)[0] - rim[0]
    if not float(np.abs(off).max()) <= MOST_MOVED * width:
        return None
    left, right = (max(0, ceil(v) + 1) for v in (off[[0, 3], 0].max(), -off[[1, 2], 0].min()))
    top, bottom = (max(0, ceil(v) + 1) for v in (off[[0, 1], 1].max(), -off[[2, 3], 1].min()))
    moved = cv2.warpPerspective(before, fit, (width, height), flags=cv2.INTER_CUBIC)
    shown = slice(top, height - bottom), slice(left, width - right)
    return np.ascontiguousarray(now[shown]), np.asarray(moved[shown], np.float32, order="C")


def _motion(now: Picture, before: Picture) -> NDArray[np.float64] | None:
    """Return the homography by which most corners have moved; ``None`` if there is none."""
    one, other = _grey(before), _grey(now)
    corners = np.asarray(cv2.goodFeaturesToTrack(one, MOST_CORNERS, QUALITY, APART_PX), np.float32)
    # A uniform picture has no corners at all.
    if corners.ndim < 3 or len(corners) < LEAST_CORNERS:
        return None
    there, found = _followed(one, other, corners)
    back, found_back = _followed(other, one, there)
    same = np.abs(back - corners).max(axis=(1, 2)) < BACK_PX
    kept = same & found & found_back
    start, end = corners[kept], there[kept]
    if len(start) < LEAST_CORNERS:
        return None
    fit, fits = cv2.findHomography(start, end, cv2.RANSAC, FITS_PX)
    if fit is None or int(fits.sum()) < max(LEAST_CORNERS, LEAST_SHARE * len(start)):
        return None
    away = np.linalg.norm(end - start, axis=2)[fits.ravel() > 0]
    return np.asarray(fit, np.float64) if float(np.median(away)) > MOVED_PX else None


def _followed(
    one: NDArray[np.uint8], other: NDArray[np.uint8], corners: Picture
) -> tuple[Picture, NDArray[np.bool_]]:
    there, found, _ = cv2.calcOpticalFlowPyrLK(
        one,
        other,
        corners,
        np.empty_like(corners),
        winSize=(WINDOW_PX, WINDOW_PX),
        maxLevel=HALVINGS,
    )
    return np.asarray(there, np.float32), found.ravel() > 0


def _grey(picture: Picture) -> NDArray[np.uint8]:
    """Return a picture in grey with stretched shadows, so that corners in the dark count too."""
    grey = np.sqrt(np.clip(picture.mean(axis=2), 0, 255) / 255) * 255
    return np.asarray(grey, np.uint8)
