"""A knocked camera: warps an older picture to how it would look if only the camera had moved."""

from __future__ import annotations

from math import ceil

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.float32]

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
        one, other, corners, np.empty_like(corners), winSize=(WINDOW_PX, WINDOW_PX),
        maxLevel=HALVINGS,
    )  # fmt: skip
    return np.asarray(there, np.float32), found.ravel() > 0


def _grey(picture: Picture) -> NDArray[np.uint8]:
    """Return a picture in grey with stretched shadows, so that corners in the dark count too."""
    grey = np.sqrt(np.clip(picture.mean(axis=2), 0, 255) / 255) * 255
    return np.asarray(grey, np.uint8)
