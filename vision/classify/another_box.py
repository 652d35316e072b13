"""Says that a picture shows another game than the one that it is read for, and which."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.setfile import built_in_names, built_in_set
from engine.tiles import TileSet
from vision.classify.reader import CellReading, shipped_reader
from vision.core.confidences import SURE
from vision.core.crop import cut
from vision.core.types import UNKNOWN_TILE, Advice, Bgr, Detection

FEWEST, MOST = 4, 24
"""So many outlines at least say something about a game, and no more are looked at."""
MOSTLY = 0.5
FOUND = 0.8
"""Outlines that are found less surely may be the table's own pattern."""
TEXT = "These are not tiles of {box}; they look like {other}."
TEXT_OF_NONE = "These are not tiles of {box}, nor of any other box of square tiles known here."


def another_box(
    bgr: Bgr, found: Sequence[Detection], readings: Sequence[CellReading], tile_set: TileSet
) -> Advice | None:
    """Return that most outlines show no tile of the box, and which box they look like.

    Args:
        bgr: the picture.
        found: the outlines.
        readings: what each of them is, read for the box.
        tile_set: the box.
    """
    clear = [(one, said.why) for one, said in zip(found, readings, strict=True)
             if one.confidence >= FOUND]  # fmt: skip
    strange = [one for one, why in clear if why == UNKNOWN_TILE]
    if len(strange) < FEWEST or len(strange) <= MOSTLY * len(clear):
        return None
    some = sorted(strange, key=lambda one: -one.confidence)[:MOST]
    patches, across = cut(bgr, [one.corners_px for one in some]), [one.across_px for one in some]
    shares = {}
    for name in built_in_names():
        if name != tile_set.name and built_in_set(name).lattice == "square":
            read = shipped_reader(name).read(patches, across)
            shares[name] = float(np.mean([one.is_whole(SURE) for one in read]))
    other = max(shares, key=lambda name: shares[name], default=None)
    if other is None or shares[other] <= MOSTLY:
        return Advice(UNKNOWN_TILE, TEXT_OF_NONE.format(box=tile_set.title or tile_set.name))
    text = TEXT.format(box=tile_set.title or tile_set.name, other=built_in_set(other).title)
    return Advice(UNKNOWN_TILE, text, looks_like=other)
