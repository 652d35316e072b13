"""The geometry of the printed calibration sheet, and its detection in a picture.

The sheet is a ChArUco board: a chessboard with a marker in every white square, so that each corner
has a known number even if a hand covers half of the sheet. Printing and detection share the
constants below.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import cv2
import numpy as np

from calibration.profile import Points

SQUARES = (5, 7)
"""Squares across and down; both odd, since OpenCV changed its boards of even size in 4.6."""
SQUARE_MM = 35.0
MARKER_MM = 26.0
DICTIONARY = "DICT_4X4_50"
FEWEST_CORNERS = 8
"""Least number of seen corners, of 24; fewer lie too close together to determine the tilt."""
DETECT_PX = 1600
"""Longest side of the picture that is searched for markers; corners are refined at full size."""
BENT = 0.02
"""RANSAC threshold of the flat sheet, as a share of its length in the picture. A wide lens bends
the sheet by 1 %; a wrongly numbered corner is a whole square off, 14 %."""


@dataclass(frozen=True, eq=False)
class Sighting:
    """Points of a flat board and where a camera saw them."""

    seen_px: Points
    """Pixels of the points, N x 2."""
    board: Points
    """Points of the board, N x 3, the last column zero: in millimetres, or in squares of unknown
    size."""

    def __post_init__(self) -> None:
        count = len(self.seen_px)
        if self.seen_px.shape != (count, 2) or self.board.shape != (count, 3):
            raise ValueError(
                f"a sighting is N x 2 pixels and N x 3 points of the board, but got "
                f"{self.seen_px.shape} and {self.board.shape}"
            )

    def in_pixels_of(self, mapped: Any) -> Sighting:
        """Return the same sighting with other pixel coordinates."""
        return Sighting(np.asarray(mapped, np.float64).reshape(-1, 2), self.board)


@cache
def charuco_board() -> Any:
    """Return OpenCV's object for the board, in millimetres."""
    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, DICTIONARY))
    return cv2.aruco.CharucoBoard(SQUARES, SQUARE_MM, MARKER_MM, dictionary)


def find_sheet(gray: Any) -> Sighting | None:
    """Return the sheet's corners in a grey picture; ``None`` if it is not seen."""
    scale = min(1.0, DETECT_PX / max(gray.shape))
    small = cv2.resize(gray, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    corners, numbers, _, _ = cv2.aruco.CharucoDetector(charuco_board()).detectBoard(small)
    if numbers is None or len(numbers) < FEWEST_CORNERS:
        return None
    board_mm, _ = charuco_board().matchImagePoints(corners, numbers)
    board_mm = np.asarray(board_mm, np.float64).reshape(-1, 3)
    seen_px = (np.asarray(corners, np.float64).reshape(-1, 2) + 0.5) / scale - 0.5
    if scale < 1:
        seen_px = _refined(gray, seen_px, board_mm, round(1 / scale))
    flat = _flat(seen_px, board_mm)
    if flat.sum() < FEWEST_CORNERS:
        return None
    return Sighting(seen_px[flat], board_mm[flat])


def white_squares_mm() -> Any:
    """Return points of white paper beside the markers, N x 2, in millimetres."""
    edge = (SQUARE_MM - MARKER_MM) / 4
    return np.array(
        [
            (column * SQUARE_MM + dx, row * SQUARE_MM + SQUARE_MM / 2)
            for column in range(SQUARES[0])
            for row in range(SQUARES[1])
            if (column + row) % 2 == 1
            for dx in (edge, SQUARE_MM - edge)
        ]
    )


def _refined(gray: Any, seen_px: Any, board_mm: Any, reach: int) -> Any:
    """Return the corners refined at full size, within a third of a square."""
    to_px, _ = cv2.findHomography(board_mm[:, :2], seen_px, cv2.RANSAC, 3.0 * reach)
    square_px = SQUARE_MM * np.sqrt(abs(np.linalg.det(to_px[:2, :2]))) if to_px is not None else 0
    window = int(np.clip(min(square_px / 6, 2 * reach + 3), 3, 11))
    points = seen_px.astype(np.float32).reshape(-1, 1, 2)
    stop = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 30, 0.001)
    return cv2.cornerSubPix(gray, points, (window, window), (-1, -1), stop).reshape(-1, 2)


def _flat(seen_px: Any, board_mm: Any) -> Any:
    """Return the mask of corners that fit a flat sheet: the inliers of a homography."""
    length = float(np.linalg.norm(np.ptp(seen_px, axis=0)))
    to_px, inside = cv2.findHomography(board_mm[:, :2], seen_px, cv2.RANSAC, BENT * length)
    if to_px is None:
        return np.zeros(len(seen_px), bool)
    return inside.reshape(-1).astype(bool)
