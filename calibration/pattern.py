"""What to look for in calibration photographs: our printed sheet, or any chessboard."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from calibration.errors import PatternError
from calibration.sheet import Sighting, find_sheet

FEWEST_INNER, MOST_INNER = 3, 60
DETECT_PX = 1280
"""Longest side of the picture that is searched for a chessboard: if it shows none, the search takes
0.4 s at 640 pixels and grows with the area."""
REFINE_WINDOW_PX = 11
"""Window of corner refinement, the same as in OpenCV's own sample, so that errors compare."""
REFINE_STOP = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 30, 0.001)


@dataclass(frozen=True)
class Pattern:
    """A flat board whose corners can be found in a picture."""

    inner: tuple[int, int] | None = None
    """Inner corners of a chessboard across and down; ``None`` for the printed sheet."""

    @property
    def in_millimetres(self) -> bool:
        """Whether the board's size is known, so that it gives the table in millimetres."""
        return self.inner is None

    @property
    def words(self) -> str:
        """The pattern's name in messages."""
        if self.inner is None:
            return "the calibration sheet"
        return f"a chessboard of {self.inner[0]} x {self.inner[1]} inner corners"

    def find(self, gray: Any) -> Sighting | None:
        """Return the pattern's corners in a grey picture; ``None`` if it is not seen."""
        return find_sheet(gray) if self.inner is None else _find_chessboard(gray, self.inner)


def parse_pattern(text: str) -> Pattern:
    """Return the pattern that ``sheet`` or ``chessboard:9x6`` names.

    Raises:
        PatternError: it is neither.
    """
    if text == "sheet":
        return Pattern()
    match = re.fullmatch(r"chessboard:(\d{1,3})x(\d{1,3})", text)
    if match is None:
        raise PatternError(f"{text!r} is no pattern; use sheet, or chessboard:9x6")
    across, down = int(match[1]), int(match[2])
    if not all(FEWEST_INNER <= count <= MOST_INNER for count in (across, down)):
        raise PatternError(
            f"a chessboard of {across} x {down} inner corners cannot be used; "
            f"count the corners inside, {FEWEST_INNER} to {MOST_INNER} each way"
        )
    return Pattern((across, down))


def _find_chessboard(gray: Any, inner: tuple[int, int]) -> Sighting | None:
    scale = min(1.0, DETECT_PX / max(gray.shape))
    small = cv2.resize(gray, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    found, corners = cv2.findChessboardCorners(small, inner)
    if not found:
        return None
    whole = ((corners.reshape(-1, 1, 2) + 0.5) / scale - 0.5).astype(np.float32)
    window = (REFINE_WINDOW_PX, REFINE_WINDOW_PX)
    refined = cv2.cornerSubPix(gray, whole, window, (-1, -1), REFINE_STOP)
    board = np.zeros((inner[0] * inner[1], 3))
    board[:, :2] = np.mgrid[0 : inner[0], 0 : inner[1]].T.reshape(-1, 2)
    return Sighting(np.asarray(refined, np.float64).reshape(-1, 2), board)
