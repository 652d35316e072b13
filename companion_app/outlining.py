"""Colour and width of the outlines that are drawn around tiles in a picture."""

from __future__ import annotations

from collections.abc import Sequence

from engine.draw.palette import coat

PLAIN = "#ffffff"


def ink_of(tile: str, colours: Sequence[str]) -> str:
    """Return the colour of a tile's outline: that of its snake, else white."""
    colour = tile.partition("/")[0]
    return coat(colour, colours).base if colour in colours else PLAIN


def stroke_px(size_px: tuple[int, int]) -> float:
    """Return the width of outlines, in pixels, for a picture of a given size."""
    return max(size_px) / 400
