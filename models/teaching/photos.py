"""Says which photographs to learn from should be taken again, and why."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vision import Picture, Points
from vision.core.crop import cut
from vision.layout.quality import CLIPPED, TEXTS, assess

PALE, BURNT = 150, 0.8
"""Where one colour is as light as a camera can tell and no other is darker than that, light has
taken the print's colour away. A photograph is burnt if so much of a usual tile is like that: in one
of 80 drawn ones it was 0.99, in the others 0.6 at most."""


def why_again(picture: Picture, outlines: Sequence[Points]) -> str | None:
    """Return why a photograph should be taken again, in the owner's words; nothing if it will do.

    Args:
        picture: the photograph.
        outlines: the tiles in it, in its own pixels.
    """
    quality = assess(picture.bgr, outlines, scale=picture.scale)
    if not quality.ok:
        return quality.advice[0].text
    return TEXTS["bright"] if outlines and _is_burnt(picture, outlines) else None


def _is_burnt(picture: Picture, outlines: Sequence[Points]) -> bool:
    tiles = cut(picture.bgr, outlines)
    lost = (tiles.max(axis=3) >= CLIPPED) & (tiles.min(axis=3) >= PALE)
    return bool(np.median(lost.mean(axis=(1, 2))) > BURNT)
