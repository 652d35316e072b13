"""The profile of one camera over one table: lens, table plane, light and a reference picture.

It converts pixels to millimetres; ``profile_file`` saves and loads it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.errors import ProfileError

Array = NDArray[Any]
Points = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Lens:
    """A camera's lens: OpenCV's pinhole model with the distortion ``k1 k2 p1 p2 k3``."""

    size_px: tuple[int, int]
    matrix: Array
    distortion: Array
    rms_px: float | None = None
    """Root mean square reprojection error of board corners; ``None`` for an assumed lens."""
    used: int = 0
    pictures: int = 0

    def straight_px(self, points_px: Points) -> Points:
        """Return points, N x 2, without the lens's distortion."""
        points = np.asarray(points_px, np.float64).reshape(-1, 1, 2)
        if not self.distortion.any():
            return points.reshape(-1, 2)
        straight = cv2.undistortPoints(points, self.matrix, self.distortion, P=self.matrix)
        return np.asarray(straight, np.float64).reshape(-1, 2)


@dataclass(frozen=True, eq=False)
class TablePlane:
    """The map from straightened pixels to millimetres on the table top."""

    mm_from_px: Array
    """Homography, 3 x 3; its origin and rotation on the table are arbitrary."""
    learnt_from: str
    """What it was learnt from: the ``sheet``."""
    residual_mm: float = 0.0
    """Typical error of the points that it was learnt from."""


@dataclass(frozen=True)
class Light:
    """The light on this table, as seen on white paper."""

    white_bgr: tuple[float, float, float]
    """Levels of white paper at the centre of the picture."""
    slope: tuple[float, float] = (0.0, 0.0)
    """Relative increase of brightness from the left edge to the right, and from the upper edge to
    the lower."""

    @property
    def gains_bgr(self) -> tuple[float, float, float]:
        """White balance: the factors of the channels that make white neutral; 1 for green."""
        blue, green, red = self.white_bgr
        return (green / blue, 1.0, green / red)


@dataclass(frozen=True, eq=False)
class Profile:
    """What calibration learnt about one camera over one table; unknown parts are ``None``."""

    size_px: tuple[int, int]
    """Width and height of the camera's pictures."""
    lens: Lens | None = None
    table: TablePlane | None = None
    light: Light | None = None
    reference: Array | None = field(default=None, repr=False)
    """A small grey picture of the table, to detect that the camera was knocked."""

    def straight_px(self, points_px: Points) -> Points:
        """Return points, N x 2, without the lens's distortion."""
        if self.lens is None:
            return np.asarray(points_px, np.float64).reshape(-1, 2)
        return self.lens.straight_px(points_px)

    def mm(self, points_px: Points) -> Points:
        """Return the points on the table, in millimetres, that pixels show."""
        return mapped(self._plane().mm_from_px, self.straight_px(points_px))

    def for_size(self, size_px: tuple[int, int]) -> Profile:
        """Return the profile scaled to pictures of another size.

        Raises:
            ProfileError: the pictures have another aspect ratio.
        """
        if size_px == self.size_px:
            return self
        across, down = size_px[0] / self.size_px[0], size_px[1] / self.size_px[1]
        if abs(across / down - 1) > 0.01:
            raise ProfileError(
                f"the profile was made for pictures of {times(self.size_px)} pixels, and this "
                f"one has {times(size_px)}: calibrate again with the camera as it is set now"
            )
        # Pixel coordinates refer to pixel centres, so scaling is about the corner at -0.5.
        scaled = np.array([[across, 0, (across - 1) / 2], [0, down, (down - 1) / 2], [0, 0, 1.0]])
        lens, table = self.lens, self.table
        if lens is not None:
            lens = replace(lens, size_px=size_px, matrix=scaled @ lens.matrix)
        if table is not None:
            table = replace(table, mm_from_px=table.mm_from_px @ np.linalg.inv(scaled))
        return replace(self, size_px=size_px, lens=lens, table=table)

    def _plane(self) -> TablePlane:
        if self.table is None:
            raise ProfileError(
                "the profile does not know the table; calibrate with the sheet flat on it"
            )
        return self.table


def mapped(homography: Array, points: Points) -> Points:
    """Return where a homography takes points."""
    flat = np.asarray(points, np.float64).reshape(-1, 1, 2)
    return np.asarray(cv2.perspectiveTransform(flat, homography), np.float64).reshape(-1, 2)


def times(size_px: tuple[int, int]) -> str:
    """Return a size in words."""
    return f"{size_px[0]} x {size_px[1]}"
