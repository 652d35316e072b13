"""A picture at several sizes, to be looked at from anywhere."""

from __future__ import annotations

import cv2
import numpy as np

from vision.types import Bgr, Points

GREY = 128
"""What lies outside a picture."""


class Pyramid:
    """A picture and its halves, made when first asked for."""

    def __init__(self, bgr: Bgr) -> None:
        self._levels = [bgr]

    @property
    def whole(self) -> Bgr:
        """Return the picture itself."""
        return self._levels[0]

    @property
    def size_px(self) -> tuple[int, int]:
        """Return its width and height."""
        height, width = self._levels[0].shape[:2]
        return width, height

    def sampled(self, px: Points, shape: tuple[int, int], spread_px: float) -> Bgr:
        """Return the colours at pixels given row by row; grey outside the picture.

        Args:
            px: rows * columns x 2.
            shape: rows and columns of the result.
            spread_px: how far neighbouring samples are apart; a coarser copy is taken for it.
        """
        level = 0
        while spread_px >= 2.0 and min(self._level(level).shape[:2]) > 32:
            level, spread_px = level + 1, spread_px / 2
        picture = self._level(level)
        places = (px + 0.5) / 2**level - 0.5
        places = np.clip(places, -30000, 30000).astype(np.float32).reshape(*shape, 2)
        border = (GREY, GREY, GREY)
        out = cv2.remap(
            picture, places[..., 0], places[..., 1], cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_CONSTANT, borderValue=border,
        )  # fmt: skip
        return np.asarray(out, np.uint8)

    def _level(self, level: int) -> Bgr:
        while len(self._levels) <= level:
            last = self._levels[-1]
            height, width = last.shape[0] // 2 * 2, last.shape[1] // 2 * 2
            half = cv2.resize(last[:height, :width], (width // 2, height // 2), None, 0, 0,
                              cv2.INTER_AREA)  # fmt: skip
            self._levels.append(np.asarray(half, np.uint8))
        return self._levels[level]
