"""Explains why no layout was read: tiles too small, over-exposed, hidden, or of another box.

On a tiled table the detector may find only the table's own squares. Much smaller tiles are then
searched at the largest magnification that the network supports.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.setfile import built_in_names, built_in_set
from engine.tiles import TileSet
from vision.classify.reader import shipped_reader
from vision.classify.reading import CellReading
from vision.core.crop import cut
from vision.core.types import (
    LIKELIER,
    NEAREST,
    SMALLEST_PX,
    SURE,
    TOLD,
    UNKNOWN_TILE,
    Advice,
    Bgr,
    Detection,
    Detections,
    Points,
    width_of,
)
from vision.detect.network import found_cells, shipped_network
from vision.detect.scales import DEFAULT, closest
from vision.layout.cards import SeenCard
from vision.layout.quality import TOO_BRIGHT, leaves, look_at
from vision.layout.reconstruct import Reconstruction

BY_CORNERS = 1.6
"""Outlines whose centres are closer, in widths, may touch at their corners."""
CLOSE = replace(DEFAULT, most_enlarged=2.5)
"""Detector scales to search for very small tiles, of 7 pixels and more."""
FEWEST = 4
"""Least number of small outlines to report: a few may be specks on the table."""
MANY = 8
"""Least number of small outlines if hardly any larger one was found: crosswords show a few."""
MOST_READ = 24
"""At most this many outlines are read to recognise another box."""
TEXT = "These are not tiles of {box}; they look like {other}."
TEXT_OF_NONE = "These are not tiles of {box}, nor of any other box of square tiles known here."
AS_WIDE = 0.35
"""Largest difference between the log widths of cards on one table."""


@dataclass(frozen=True, eq=False)
class Visible:
    """Outlines of a table's cards, by visibility."""

    whole: tuple[Points, ...]
    cut_off: tuple[Points, ...] = ()
    covered: tuple[Points, ...] = ()
    burnt: tuple[Points, ...] = ()
    beside: tuple[Points, ...] = ()
    """Cards that are not known to be in play."""

    @classmethod
    def of(cls, table: Reconstruction, size_px: tuple[int, int]) -> Visible:
        """Return the visibility of the cards of a reconstructed table."""
        cut_off = [card.outline_px for card in table.laid if card.cut_off]
        covered: list[Points] = []
        for group in table.lost:
            at_edge = any(_at_edge(card, size_px) for card in group.cards)
            (cut_off if at_edge else covered).extend(card.outline_px for card in group.cards)
        return cls(
            tuple(card.outline_px for card in table.laid if not card.cut_off),
            tuple(cut_off),
            tuple(covered),
            beside=tuple(np.asarray(entry.outline) for entry in table.aside),
        )


def _at_edge(card: SeenCard, size_px: tuple[int, int]) -> bool:
    """Say whether the picture's edge cuts a card, or a cell beside it."""
    around = card.centre_px + 2 * (card.outline_px - card.centre_px)
    return card.cut_off or leaves(around, size_px)


def visible_unread(
    bgr: Bgr, seen: Visible, every: Detections, scale: float, *, known: bool
) -> Visible:
    """Return the visible outlines of a table on which no layout was read, for a known box.

    Args:
        bgr: the picture.
        seen: the outlines of stocks and lost cards.
        every: all outlines, whether cards or not.
        scale: pixels of the full-size picture per pixel of ``bgr``.
        known: whether any outline surely shows a card of the box.
    """
    hidden = hidden_outlines(every, seen.beside) if seen.beside else ()
    size = (bgr.shape[1], bgr.shape[0])
    cut_off = (*(one for one in hidden if leaves(one, size)), *seen.cut_off)
    covered = (*(one for one in hidden if not leaves(one, size)), *seen.covered)
    burnt = burnt_outlines(bgr, every)
    small = () if burnt else small_outlines(bgr, every, scale)
    if small and not known:
        return Visible(small, cut_off, covered, burnt, seen.beside)
    # If cards of the box were read, small outlines are a stock and do not explain the failure.
    beside = (*(small if known else seen.beside), *few_small(every, scale))
    return Visible((), cut_off, covered, burnt, beside)


def hidden_outlines(every: Detections, beside: Sequence[Points]) -> tuple[Points, ...]:
    """Return outlines that may be a hidden layout: as wide as the stocks' cards, but far from them.

    Args:
        every: all outlines, whether cards or not.
        beside: outlines of the stocks' cards.
    """
    middles = np.stack([outline.mean(axis=0) for outline in beside])
    usual = float(np.median([width_of(outline) for outline in beside]))
    outlines = [one.corners_px for one in (*every.found, *every.faint)]
    return tuple(
        outline
        for outline in outlines
        if abs(math.log(width_of(outline) / usual)) < AS_WIDE
        and np.linalg.norm(middles - outline.mean(axis=0), axis=1).min() > BY_CORNERS * usual
    )


def small_outlines(bgr: Bgr, every: Detections, scale: float) -> tuple[Points, ...]:
    """Return outlines of tiles that are too small, in a picture in which nothing was read.

    Args:
        bgr: the picture.
        every: outlines, none of which shows a tile of the box.
        scale: pixels of the full-size picture per pixel of ``bgr``.
    """
    found = [*every.found, *every.faint]
    widths = [one.across_px * scale for one in found]
    if len(found) >= FEWEST and float(np.median(widths)) < SMALLEST_PX:
        return tuple(one.corners_px for one in found)
    scale_at_most = closest(math.inf, (0, 0, bgr.shape[1], bgr.shape[0]), CLOSE)
    cells = found_cells(shipped_network().look(bgr, scale_at_most), (every.shape,))
    small = tuple(
        cell.corners_px
        for cell in cells
        if cell.confidence >= LIKELIER and width_of(cell.corners_px) * scale < SMALLEST_PX
    )
    return small if len(small) >= (FEWEST if len(found) >= FEWEST else MANY) else ()


def few_small(every: Detections, scale: float) -> tuple[Points, ...]:
    """Return outlines that may be small tiles, even if few: others may be too small to be found.

    Args:
        every: outlines, none of which shows a tile of the box.
        scale: pixels of the full-size picture per pixel of the outlines.
    """
    return tuple(
        one.corners_px
        for one in (*every.found, *every.faint)
        if one.confidence >= LIKELIER and one.across_px * scale < SMALLEST_PX
    )


def unread(seen: Visible, every: Detections) -> Detections:
    """Return the outlines at which a table state has no card.

    Args:
        seen: the outlines of the table's cards.
        every: all outlines, whether cards or not.
    """
    cards = (*seen.whole, *seen.cut_off, *seen.covered, *seen.beside)
    middles = np.stack([outline.mean(axis=0) for outline in cards])
    left = tuple(
        one
        for one in every.found
        if np.linalg.norm(middles - one.centre_px, axis=1).min() > NEAREST * one.across_px
    )
    return replace(every, found=left, faint=())


def burnt_outlines(bgr: Bgr, every: Detections) -> tuple[Points, ...]:
    """Return outlines that are mostly clipped to white, if there are several.

    Args:
        bgr: the picture.
        every: outlines, none of which was read as a tile of the box.
    """
    found = (*every.found, *every.faint)
    likely = [one.corners_px for one in found if one.confidence >= LIKELIER]
    if len(likely) < FEWEST:
        return ()
    clipped = look_at(bgr, likely).clipped
    burnt = tuple(
        outline for outline, share in zip(likely, clipped, strict=True) if share > TOO_BRIGHT
    )
    return burnt if len(burnt) >= FEWEST else ()


def another_box(
    bgr: Bgr, found: Sequence[Detection], readings: Sequence[CellReading], tile_set: TileSet
) -> Advice | None:
    """Return advice if the outlines show tiles of another box, naming the box they look like.

    Boxes share prints: a curve with some grey beside it may be read surely as a card of two boxes.
    So the boxes are compared: one that surely reads more of the outlines, and most of those that
    this box reads too, is the box on the table.

    Args:
        bgr: the picture.
        found: the outlines.
        readings: what each outline shows by itself, by the reader of the box.
        tile_set: the box.
    """
    clear = [
        (one, said) for one, said in zip(found, readings, strict=True) if one.confidence >= TOLD
    ]
    if len(clear) < FEWEST:
        return None
    # A die is no card of any box: it is much smaller, and must not have every look read again.
    usual = np.median([one.across_px for one, _ in clear])
    strange = sum(
        said.why == UNKNOWN_TILE and abs(np.log(one.across_px / usual)) <= AS_WIDE
        for one, said in clear
    )
    if not strange:
        return None
    some = sorted(clear, key=lambda pair: -pair[0].confidence)[:MOST_READ]
    box = tile_set.title or tile_set.name
    own = np.array([said.is_whole(SURE) for _, said in some])
    other = _box_that_reads_more(bgr, [one for one, _ in some], own, tile_set)
    if other is not None:
        text = TEXT.format(box=box, other=built_in_set(other).title)
        return Advice(UNKNOWN_TILE, text, looks_like=other)
    if strange < FEWEST or strange <= LIKELIER * len(clear):
        return None
    return Advice(UNKNOWN_TILE, TEXT_OF_NONE.format(box=box))


def _box_that_reads_more(
    bgr: Bgr, some: Sequence[Detection], own: NDArray[np.bool_], tile_set: TileSet
) -> str | None:
    """Return the built-in box that reads most of the outlines, and more of them than this one.

    Args:
        bgr: the picture.
        some: the outlines.
        own: whether this box surely reads each of them.
        tile_set: this box.
    """
    sure = {
        name: _surely_read(bgr, some, own, name)
        for name in built_in_names()
        if name != tile_set.name and built_in_set(name).lattice == "square"
    }
    other = max(sure, key=lambda name: int(sure[name].sum()), default=None)
    if other is None:
        return None
    read = int(sure[other].sum())
    is_most = read >= FEWEST and read > max(LIKELIER * len(some), own.sum())
    shared = not own.any() or (sure[other] & own).sum() > LIKELIER * own.sum()
    return other if is_most and shared else None


def _surely_read(
    bgr: Bgr, some: Sequence[Detection], own: NDArray[np.bool_], name: str
) -> NDArray[np.bool_]:
    """Return for each outline whether it surely shows a tile of a built-in box.

    What this box does not read itself is read first: a box that reads none of it cannot read more
    than this one, and is asked no further. On most tables that is a die or two.
    """
    sure = np.zeros(len(some), bool)
    for part in (~own, own):
        asked = [one for one, is_in in zip(some, part, strict=True) if is_in]
        patches = cut(bgr, [one.corners_px for one in asked])
        said = shipped_reader(name).read(patches, [one.across_px for one in asked])
        sure[part] = [one.is_whole(SURE) for one in said]
        if not sure.any():
            break
    return sure
