"""Words painted into pictures, in a font that this machine has; the same words look the same."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

Picture = NDArray[np.uint8]
Bgr = tuple[int, int, int]
FONTS = tuple(
    Path("/usr/share/fonts") / folder / "DejaVuSans-Bold.ttf"
    for folder in ("truetype/dejavu", "dejavu", "TTF", "dejavu-sans-fonts")
)
"""Where a font of most scripts lies on the systems that have it; else Pillow's own, of Latin."""
LARGEST_PX = 2000


def write(
    canvas: Picture, at: tuple[float, float], words: str, size_px: float, colour: Bgr,
    anchor: str = "start",
) -> None:  # fmt: skip
    """Paint a line of words into a picture, standing on ``at``: its start, middle or end."""
    font = _font(round(size_px))
    left, top, right, bottom = (round(side) for side in font.getbbox(words, anchor="ls"))
    x = at[0] - {"start": 0, "middle": 0.5, "end": 1}[anchor] * font.getlength(words)
    mask = Image.new("L", (max(1, right - left), max(1, bottom - top)))
    ImageDraw.Draw(mask).text((-left, -top), words, 255, font, anchor="ls")
    _blend(canvas, np.asarray(mask), (round(x) + left, round(at[1]) + top), colour)


def length(words: str, size_px: float) -> float:
    """Return how many pixels a line of words is long."""
    return _font(round(size_px)).getlength(words)


def _blend(canvas: Picture, mask: Picture, at: tuple[int, int], colour: Bgr) -> None:
    left, top = (max(0, -side) for side in at)
    x, y = (max(0, side) for side in at)
    mask = mask[top : top + max(0, canvas.shape[0] - y), left : left + max(0, canvas.shape[1] - x)]
    if not mask.size:
        return
    part = canvas[y : y + mask.shape[0], x : x + mask.shape[1]]
    share = mask[..., None] / 255.0
    part[:] = np.rint(part * (1 - share) + np.array(colour) * share).astype(np.uint8)


@lru_cache(maxsize=16)
def _font(size_px: int) -> ImageFont.FreeTypeFont:
    size = max(1, min(LARGEST_PX, size_px))
    for path in FONTS:
        if path.is_file():
            return ImageFont.truetype(path, size)
    font = ImageFont.load_default(size)
    assert isinstance(font, ImageFont.FreeTypeFont)
    return font
