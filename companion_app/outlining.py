"""How what was read is outlined in a picture: in which colour, and how wide."""

from __future__ import annotations

from collections.abc import Sequence

from engine.draw.palette import coat

PLAIN = "#ffffff"


def ink_of(tile: str, colours: Sequence[str]) -> str:
    """Return the colour that a tile is outlined in: that of its snake, else white."""
    colour = tile.partition("/")[0]
    return coat(colour, colours).base if colour in colours else PLAIN


def stroke_px(size_px: tuple[int, int]) -> float:
    """Return how wide outlines are in a picture of such a size."""
    return max(size_px) / 400
