"""Says why nothing was read: tiles may lie there that are too small, or that light has burnt.

On a tiled table the first look may find the table's own squares and nothing else; much smaller ones
are seen when it is looked at as closely as the network can.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vision.core.types import Bgr, Detections, Points, width_of
from vision.detect.network import shipped_network
from vision.detect.scales import closest
from vision.detect.settings import DEFAULT
from vision.detect.votes import found_cells
from vision.layout.measures import look_at
from vision.layout.quality import SMALLEST_PX, TOO_BRIGHT

CLOSE = replace(DEFAULT, most_enlarged=2.5)
"""How closely tiles are looked for that are so small that none was found: of 7 pixels and more."""
SURELY, FEWEST = 0.5, 4
"""How surely small squares must be found, and how many: specks on a table are none."""
MANY = 8
"""The same where no larger ones were found: a few of a crossword's may be seen."""

AS_WIDE, APART = 0.35, 1.6
"""Cards of one table are so much alike wide, as a logarithm; and what lies further from a stock's
cards, in widths, is none of them."""


def hidden_outlines(every: Detections, beside: Sequence[Points]) -> tuple[Points, ...]:
    """Return what may be the layout where stocks are all that is seen: cards that are hardly seen.

    Args:
        every: all outlines, cards or not.
        beside: outlines of the stocks' cards.
    """
    middles = np.stack([outline.mean(axis=0) for outline in beside])
    usual = float(np.median([width_of(outline) for outline in beside]))
    outlines = [one.corners_px for one in (*every.found, *every.faint)]
    return tuple(
        outline for outline in outlines
        if abs(math.log(width_of(outline) / usual)) < AS_WIDE
        and np.linalg.norm(middles - outline.mean(axis=0), axis=1).min() > APART * usual
    )  # fmt: skip


def small_outlines(bgr: Bgr, every: Detections, scale: float) -> tuple[Points, ...]:
    """Return outlines of tiles that are too small, in a picture in which nothing was read.

    Args:
        bgr: the picture.
        every: outlines, none of which shows a tile of the box.
        scale: pixels of the whole picture for one of ``bgr``.
    """
    found = [*every.found, *every.faint]
    widths = [one.across_px * scale for one in found]
    if len(found) >= FEWEST and float(np.median(widths)) < SMALLEST_PX:
        return tuple(one.corners_px for one in found)
    scale_at_most = closest(math.inf, (0, 0, bgr.shape[1], bgr.shape[0]), CLOSE)
    cells = found_cells(shipped_network().look(bgr, scale_at_most), (every.shape,))
    small = tuple(
        cell.corners_px for cell in cells
        if cell.confidence >= SURELY and width_of(cell.corners_px) * scale < SMALLEST_PX
    )  # fmt: skip
    return small if len(small) >= (FEWEST if len(found) >= FEWEST else MANY) else ()


def few_small(every: Detections, scale: float) -> tuple[Points, ...]:
    """Return outlines that may be small tiles, however few: more may be too small to be found.

    Args:
        every: outlines, none of which shows a tile of the box.
        scale: pixels of the whole picture for one of that in which they were found.
    """
    return tuple(
        one.corners_px for one in (*every.found, *every.faint)
        if one.confidence >= SURELY and one.across_px * scale < SMALLEST_PX
    )  # fmt: skip


def burnt_outlines(bgr: Bgr, every: Detections) -> tuple[Points, ...]:
    """Return outlines that show nothing but light, in a picture in which nothing was read.

    Args:
        bgr: the picture.
        every: outlines, none of which shows a tile of the box.
    """
    found = (*every.found, *every.faint)
    likely = [one.corners_px for one in found if one.confidence >= SURELY]
    if len(likely) < FEWEST:
        return ()
    clipped = look_at(bgr, likely).clipped
    burnt = tuple(
        outline for outline, share in zip(likely, clipped, strict=True) if share > TOO_BRIGHT
    )
    return burnt if len(burnt) >= FEWEST else ()
