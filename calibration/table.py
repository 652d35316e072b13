"""The table as the printed sheet on it shows it: its plane, and the light on it."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np

from calibration.errors import PatternError
from calibration.profile import Lens, Light, TablePlane
from calibration.sheet import Sighting, white_squares_mm

CLIPPED = 252
"""Pixels at or above this level are clipped, and their colour is unknown."""
FEWEST_PLACES = 3
FOR_SLOPE = 6
DIMMEST = 12.0
"""White paper with a channel below this level is too dark to measure."""
MOST_COLOURED = 3.0
"""Largest ratio between the channels of white paper; candle light reaches it."""


def plane_from_sheet(sighting: Sighting, lens: Lens) -> TablePlane:
    """Return the plane that the sheet lies on, from its corners in the picture.

    Raises:
        PatternError: the corners do not lie on a plane.
    """
    straight = lens.straight_px(sighting.seen_px)
    board_mm = sighting.board[:, :2]
    mm_from_px, _ = cv2.findHomography(straight, board_mm)
    if mm_from_px is None:
        raise PatternError("the sheet was seen, but not flat; lay it on the table and try again")
    mapped = cv2.perspectiveTransform(straight.reshape(-1, 1, 2), mm_from_px).reshape(-1, 2)
    residual = float(np.sqrt(((mapped - board_mm) ** 2).sum(axis=1).mean()))
    return TablePlane(mm_from_px, "sheet", residual)


def light_from_sheet(bgr: Any, sighting: Sighting) -> Light | None:
    """Return the light on the sheet; ``None`` if its white is too dark or clipped."""
    px_from_mm, _ = cv2.findHomography(sighting.board[:, :2], sighting.seen_px)
    if px_from_mm is None:
        return None
    # Sample only between corners that were seen: a hand may cover the rest of the sheet.
    low, high = sighting.board[:, :2].min(axis=0), sighting.board[:, :2].max(axis=0)
    white_mm = white_squares_mm()
    inside = ((white_mm >= low) & (white_mm <= high)).all(axis=1)
    places = cv2.perspectiveTransform(white_mm[inside].reshape(-1, 1, 2), px_from_mm)
    places = places.reshape(-1, 2)
    height, width = bgr.shape[:2]
    seen = ((places >= 1) & (places < (width - 2, height - 2))).all(axis=1)
    samples = np.array([_around(bgr, x, y) for x, y in places[seen]]).reshape(-1, 3)
    return _fitted(places[seen], samples, (width, height))


def _around(bgr: Any, x: float, y: float) -> Any:
    column, row = round(float(x)), round(float(y))
    return np.median(bgr[row - 1 : row + 2, column - 1 : column + 2].reshape(-1, 3), axis=0)


def _fitted(places_px: Any, samples: Any, size_px: tuple[int, int]) -> Light | None:
    good = (samples.max(axis=1) < CLIPPED) & (samples.min(axis=1) >= DIMMEST)
    if good.sum() < FEWEST_PLACES:
        return None
    places, samples = places_px[good] / size_px - 0.5, samples[good]
    level = samples.mean(axis=1)
    slope = np.zeros(2)
    if good.sum() >= FOR_SLOPE and (np.ptp(places, axis=0) > 0.15).all():
        slope = _slope(places, level)
    even = samples / ((1 + slope[0] * places[:, 0]) * (1 + slope[1] * places[:, 1]))[:, None]
    blue, green, red = (float(v) for v in np.clip(np.median(even, axis=0), 1, 255))
    if max(blue, green, red) > MOST_COLOURED * min(blue, green, red):
        return None
    return Light((blue, green, red), (float(slope[0]), float(slope[1])))


def _slope(places: Any, level: Any) -> Any:
    """Return the brightness gradient across and down, relative to the centre, by a robust fit."""
    terms = np.column_stack([np.ones(len(places)), places])
    weights = np.ones(len(places))
    solved = np.array([1.0, 0, 0])
    for _ in range(5):
        solved, *_ = np.linalg.lstsq(terms * weights[:, None], level * weights, rcond=None)
        off = np.abs(terms @ solved - level)
        weights = np.sqrt(1 / np.maximum(off, float(np.median(off)) + 1e-6))
    return np.clip(solved[1:] / max(float(solved[0]), 1.0), -1.5, 1.5)
