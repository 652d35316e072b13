"""Describes what to read in a picture: which box or shape, on which grid, by which camera.

A camera profile predicts how wide tiles are and what white looks like. It may be outdated, and
tiles may be printed in another size: the profile saves network passes and corrects colours, but is
never trusted for where a tile lies.
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
"""Tile width that is enough to read: where tiles are at least twice or four times as wide, the
picture is decoded at a half or a quarter."""
SIDE_PX = 40.0
"""Side of the square at the picture's centre on which the scale is measured."""
MOST_GAIN = 2.5
"""White-balance gains outside 1 / MOST_GAIN to MOST_GAIN are taken for a mistake and ignored."""


@dataclass(frozen=True, eq=False)
class ReadRequest:
    """What the reader knows before it reads a picture."""

    shape: Shape
    tile_set: TileSet | None = None
    """The box whose tiles may lie there; ``None`` for tiles of any box, all named ``unknown``."""
    grid: tuple[int, int] | None = None
    """Columns and rows where the whole picture is one grid of squares."""
    profile: Profile | None = None
    """The camera profile, scaled to the picture's size with ``for_size``."""

    @property
    def game(self) -> str | None:
        """The game of the box; ``None`` for tiles that were taught without one."""
        return (self.tile_set.game or None) if self.tile_set is not None else None

    @property
    def set_name(self) -> str | None:
        """The name of the box."""
        return self.tile_set.name if self.tile_set is not None else None

    @property
    def is_loose(self) -> bool:
        """Whether the tiles are squares of a known box that may lie anywhere in the picture."""
        return self.tile_set is not None and self.shape == "square" and self.grid is None

    @property
    def needs_colours(self) -> bool:
        """Whether tiles of the box differ by colour."""
        return self.tile_set is not None and len(self.tile_set.colours) > 1


def expected_wide_px(request: ReadRequest, scale: float = 1.0) -> float | None:
    """Return the expected tile width in pixels at the picture's centre, if the profile has one.

    Args:
        request: what is read; its profile is scaled to the whole picture's size.
        scale: pixels of the whole picture per pixel of the reduced one.
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
    """Return how many pixels a picture needs for its tiles to be readable, given the profile."""
    wide = expected_wide_px(request) if request.shape == "square" else None
    if wide is None or request.profile is None:
        return WORKING_PIXELS
    width, height = request.profile.size_px
    reduce = next((r for r in (4, 2) if wide >= r * READ_WIDE_PX), 1)
    return min(WORKING_PIXELS, -(-width * height // reduce**2))


def in_white_light(patches: Patches, profile: Profile | None) -> Patches:
    """Return tile patches white-balanced by the profile; unchanged where it has no usable light."""
    if profile is None or profile.light is None:
        return patches
    gains = np.array(profile.light.gains_bgr, np.float32)
    if not np.isfinite(gains).all() or gains.max() > MOST_GAIN or gains.min() < 1 / MOST_GAIN:
        return patches
    return np.asarray(np.clip(patches * gains + 0.5, 0, 255).astype(np.uint8))
