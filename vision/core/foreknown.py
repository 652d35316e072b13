"""What a profile of the camera says before a look: how wide tiles are, what is white.

A profile may be of a table that was set up anew since, and tiles may be printed in another size:
what it says spares looks and helps colours, and is never trusted for where a tile lies.
"""

from __future__ import annotations

import numpy as np

from calibration.profile import Profile
from vision.core.crop import Patches
from vision.core.request import ReadRequest
from vision.intake.picture import WORKING_PIXELS

READ_WIDE_PX = 36.0
"""Tiles so wide are read as well as wider ones: a picture in which they are twice as wide or more
is decoded at a half."""
SIDE_PX = 40.0
"""Of the square in the picture's middle that the scale is measured at."""
MOST_GAIN = 2.5
"""A light of which a channel would have to be raised by more is no light but a mistake."""


def expected_wide_px(request: ReadRequest, scale: float = 1.0) -> float | None:
    """Return how many pixels wide tiles are in the picture's middle, if the profile can say.

    Args:
        request: what is read, with the profile for the whole picture's size.
        scale: pixels of the whole picture for one of the picture at hand.
    """
    profile, box = request.profile, request.tile_set
    if profile is None or profile.table is None or box is None:
        return None
    corners = np.array([(0.0, 0.0), (1, 0), (1, 1), (0, 1)]) - 0.5
    seen = corners * SIDE_PX + np.array(profile.size_px) / 2
    x, y = profile.mm(seen).T
    area = abs(float(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)))) / 2
    if not np.isfinite(area) or area <= 0:
        return None
    return box.pitch_mm * SIDE_PX / float(np.sqrt(area)) / scale


def pixels_enough(request: ReadRequest) -> int:
    """Return how many pixels a picture needs for its tiles to be read, by what the profile says."""
    wide = expected_wide_px(request) if request.shape == "square" else None
    if wide is None or request.profile is None:
        return WORKING_PIXELS
    width, height = request.profile.size_px
    reduce = next((r for r in (4, 2) if wide >= r * READ_WIDE_PX), 1)
    return min(WORKING_PIXELS, -(-width * height // reduce**2))


def in_white_light(patches: Patches, profile: Profile | None) -> Patches:
    """Return tiles as they would look where white paper has no colour."""
    if profile is None or profile.light is None:
        return patches
    gains = np.array(profile.light.gains_bgr, np.float32)
    if not np.isfinite(gains).all() or gains.max() > MOST_GAIN or gains.min() < 1 / MOST_GAIN:
        return patches
    return np.asarray(np.clip(patches * gains + 0.5, 0, 255).astype(np.uint8))
