"""Draws the calibration sheet as a known camera would see them."""

from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np

from calibration.profile import Lens
from calibration.sheet import SQUARE_MM, SQUARES, Sighting, charuco_board, find_sheet

SIZE_PX = (960, 720)
TRUE_LENS = Lens(
    SIZE_PX,
    np.array([[760.0, 0, 488.0], [0, 762.0, 351.0], [0, 0, 1]]),
    np.array([-0.21, 0.09, 0.0008, -0.0005, 0.0]),
)
PX_PER_MM = 6
MARGIN_MM = 30


@dataclass(frozen=True)
class View:
    """Where the camera is: tilts and turn in degrees, how far away, and what it looks past."""

    tilt: tuple[float, float] = (0.0, 0.0)
    turn: float = 0.0
    away_mm: float = 420.0
    aside_mm: tuple[float, float] = (0.0, 0.0)

    def straight_from_mm(self, lens: Lens) -> Any:
        """Return the homography from sheet millimetres to straightened pixels."""
        down, across = np.radians(self.tilt)
        turned = _about(2, np.radians(self.turn)) @ _about(0, down) @ _about(1, across)
        middle = np.array([SQUARES[0] * SQUARE_MM / 2, SQUARES[1] * SQUARE_MM / 2, 0])
        place = np.array([*self.aside_mm, self.away_mm]) - turned @ middle
        return lens.matrix @ np.column_stack([turned[:, 0], turned[:, 1], place])


VIEWS = (
    View((20, 5), 10),
    View((-25, 10), 95),
    View((5, -30), 45, 460),
    View((-15, -20), -30, 400, (30, 10)),
    View((30, 20), 5, 480, (-40, 0)),
    View((-30, 15), 170, 440, (0, -30)),
    View((12, 28), -60, 430, (20, 20)),
    View((0, 0), 90, 400),
)


def seen(view: View, lens: Lens = TRUE_LENS, **spoilt: float) -> Any:
    """Return the picture, grey, that a lens gives of the sheet on a grey table."""
    return seen_plane(_sheet(), view, lens, **spoilt)


def sheet_in(picture: Any) -> Sighting:
    """Return where the sheet is in a picture that shows it."""
    sighting = find_sheet(picture)
    assert sighting is not None
    return sighting


def seen_plane(
    plane: Any, view: View, lens: Lens = TRUE_LENS, *, blur: float = 0.6, noise: float = 1.5
) -> Any:
    """Return the picture of a drawing on the table, ``PX_PER_MM`` with ``MARGIN_MM`` around."""
    width, height = lens.size_px
    grid = np.stack(np.meshgrid(np.arange(width), np.arange(height)), -1).reshape(-1, 2)
    straight = lens.straight_px(grid.astype(np.float64))
    mm_from_straight = np.linalg.inv(view.straight_from_mm(lens))
    mm = cv2.perspectiveTransform(straight.reshape(-1, 1, 2), mm_from_straight).reshape(-1, 2)
    at = ((mm + MARGIN_MM) * PX_PER_MM - 0.5).astype(np.float32).reshape(height, width, 2)
    # Shrinking by sampling would make false edges, so the drawing is softened first.
    soft = cv2.GaussianBlur(plane, (0, 0), 0.45 * PX_PER_MM / (760 / view.away_mm))
    picture = cv2.remap(
        soft, at, np.empty(0), cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=110
    )
    if blur:
        picture = cv2.GaussianBlur(picture, (0, 0), blur)
    rough = np.random.default_rng(5).normal(0, noise, picture.shape)
    return np.clip(picture + rough, 0, 255).astype(np.uint8)


def smaller(lens: Lens, times: int) -> Lens:
    """Return the lens of the same camera at a lower resolution."""
    scale = np.diag([1 / times, 1 / times, 1.0])
    size = (lens.size_px[0] // times, lens.size_px[1] // times)
    return replace(lens, size_px=size, matrix=scale @ lens.matrix)


def _sheet() -> Any:
    size = (SQUARES[0] * int(SQUARE_MM) * PX_PER_MM, SQUARES[1] * int(SQUARE_MM) * PX_PER_MM)
    board = charuco_board().generateImage(size)
    border = MARGIN_MM * PX_PER_MM
    paper = np.pad(board, border // 2, constant_values=255)
    return np.pad(paper, border - border // 2, constant_values=110)


def _about(axis: int, angle: float) -> Any:
    vector = np.zeros(3)
    vector[axis] = angle
    return cv2.Rodrigues(vector)[0]
