"""A pattern seen in one picture: which points of the board were found at which pixels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]


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
