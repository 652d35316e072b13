"""What a picture is to be read as: which box or shape, on which grid, seen by which camera.

A profile of the camera says before a look how wide tiles are and what is white. It may be of a
table that was set up anew since, and tiles may be printed in another size: what it says spares
looks and helps colours, and is never trusted for where a tile lies.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.profile import Profile
from engine.tiles import TileSet
from vision.core.crop import Patches
from vision.core.outline import SQUARE_UNIT
from vision.core.types import Shape
from vision.intake.picture import WORKING_PIXELS

READ_WIDE_PX = 36.0
"""Tiles so wide are read as well as wider ones: a picture in which they are twice as wide or more
is decoded at a half."""
SIDE_PX = 40.0
"""Of the square in the picture's middle that the scale is measured at."""
MOST_GAIN = 2.5
"""A light of which a channel would have to be raised by more is no light but a mistake."""


@dataclass(frozen=True, eq=False)
class ReadRequest:
    """What the reader is told before it looks."""

    shape: Shape
    tile_set: TileSet | None = None
    """The box whose tiles may lie there; ``None`` for tiles of any box, all named ``unknown``."""
    grid: tuple[int, int] | None = None
    """Columns and rows where the whole picture is one grid of squares."""
    profile: Profile | None = None
    """The camera; to be asked for the picture's size with ``for_size``."""

    @property
    def game(self) -> str | None:
        """The rule book of the box; none for tiles that were taught without one."""
        return (self.tile_set.game or None) if self.tile_set is not None else None

    @property
    def set_name(self) -> str | None:
        """The name of the box."""
        return self.tile_set.name if self.tile_set is not None else None

    @property
    def is_loose(self) -> bool:
        """Whether squares of a known box lie anywhere in the picture."""
        return self.tile_set is not None and self.shape == "square" and self.grid is None

    @property
    def needs_colours(self) -> bool:
        """Whether tiles of the box differ by colour."""
        return self.tile_set is not None and len(self.tile_set.colours) > 1


def expected_wide_px(request: ReadRequest, scale: float = 1.0) -> float | None:
    """Return how many pixels wide tiles are in the picture's middle, if the profile can say.

    Args:
        request: what is read, with the profile for the whole picture's size.
        scale: pixels of the whole picture for one of the picture at hand.
    """
    profile, box = request.profile, request.tile_set
    if profile is None or profile.table is None or box is None:
        return None
    corners = SQUARE_UNIT / 2
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
