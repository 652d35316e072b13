"""A picture at several sizes, to be looked at from anywhere."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core.types import Bgr, Points

GREY = 128
"""What lies outside a picture."""
FAR = 30000
"""OpenCV counts places in 16 bits; these are outside any picture."""
_ALREADY = np.empty(0, np.float32)
"""A second map for OpenCV where the first has both coordinates."""


def shrunk(bgr: Bgr, scale: float, *, quick: bool = False) -> tuple[Bgr, tuple[float, float]]:
    """Return a picture ``scale`` times as large, and its exact scales across and down.

    It is halved as often as can be, which is quick; only what is left to do is averaged over
    fractions of pixels. Drawn straight between pixels instead, which takes 4 ms less, tiles of a
    box that the network never saw were lost in 3 of 20 photographs; of 350 held-out tables of our
    own boxes all were found as before. A few rows and columns at the far edges may be left out.

    Args:
        bgr: the picture.
        scale: below 1 it is made smaller.
        quick: draws straight between pixels.
    """
    small, halves = bgr, 0
    while scale <= 0.5 and min(small.shape[:2]) >= 4:
        small, halves, scale = halved(small), halves + 1, scale * 2
    height, width = small.shape[:2]
    size = max(1, round(width * scale)), max(1, round(height * scale))
    scales = size[0] / (width << halves), size[1] / (height << halves)
    if size == (width, height):
        return small, scales
    how = cv2.INTER_AREA if scale < 1 and not quick else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(small, size, interpolation=how), np.uint8), scales


def halved(bgr: Bgr) -> Bgr:
    """Return a picture half as wide and high; an odd last row or column is left out."""
    height, width = bgr.shape[0] // 2, bgr.shape[1] // 2
    even = bgr[: height * 2, : width * 2]
    return np.asarray(cv2.resize(even, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def drawn_between(coarse: Points, step: int, shape: tuple[int, int]) -> NDArray[np.float32]:
    """Return the places of all pixels of a view, drawn straight between some of them.

    Args:
        coarse: places of pixels 0, ``step``, 2 ``step``, … of both axes, rows x columns x 2; the
            last ones lie at or beyond the view's edges.
        step: pixels between two of them.
        shape: rows and columns of the view.
    """
    fine = cv2.remap(
        np.asarray(coarse, np.float32), _steps(step, shape), _ALREADY, cv2.INTER_LINEAR
    )
    return np.asarray(fine, np.float32)


@lru_cache(maxsize=4)
def _steps(step: int, shape: tuple[int, int]) -> NDArray[np.float32]:
    """Return where between some of its pixels all of a view's lie."""
    rows, columns = (np.arange(length, dtype=np.float32) / step for length in shape)
    return np.stack(np.meshgrid(columns, rows), axis=-1)


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

    def sampled(self, px: NDArray[np.float32], spread_px: float) -> Bgr:
        """Return the colours at pixels; grey outside the picture.

        Args:
            px: rows x columns x 2.
            spread_px: how far neighbouring samples are apart; a coarser copy is taken for it.
        """
        level = 0
        while spread_px >= 2.0 and min(self._level(level).shape[:2]) > 32:
            level, spread_px = level + 1, spread_px / 2
        picture = self._level(level)
        places = np.clip((px + np.float32(0.5)) / 2**level - np.float32(0.5), -FAR, FAR)
        out = cv2.remap(picture, places, _ALREADY, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT,
                        borderValue=(GREY, GREY, GREY))  # fmt: skip
        return np.asarray(out, np.uint8)

    def _level(self, level: int) -> Bgr:
        while len(self._levels) <= level:
            self._levels.append(halved(self._levels[-1]))
        return self._levels[level]
