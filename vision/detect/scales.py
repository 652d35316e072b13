"""Chooses the scale at which the network sees a picture: small first, larger where tiles are small.

A look is one pass of the network over a picture or a part of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.core.types import LIKELIER, SAME_PLACE, TOLD, Bgr, Points, width_of
from vision.detect.network import CellKind, FoundCell, TileMaps, TileNetwork, found_cells

MOST_ENLARGED = 1.5
"""Maximum factor by which a picture is enlarged."""


@dataclass(frozen=True, slots=True)
class DetectSettings:
    """How closely to look; widths and sides are in pixels of the network's input."""

    first_long_px: int = 640
    """Long side of the picture in the first look."""
    longest_px: int = 2560
    """Maximum long side of the larger looks that follow where nothing is found."""
    least_wide_px: float = 30.0
    """Tiles narrower than this in the first look get a closer one."""
    wanted_wide_px: float = 44.0
    most_unlike: float = 2.0
    """If a tenth of the tiles are narrower than the median by more than this factor, they determine
    the scale of the closer look, as at the far end of a steep view."""
    most_enlarged: float = MOST_ENLARGED
    doubtful_share: float = 1.0
    """If a larger share of tiles is doubtful, another look uses the default ``wanted_wide_px``."""
    known_wide_px: float = 44.0
    """Width of tiles in the single look that is enough where their real width is known."""
    quick_at_once: bool = False
    """Whether the single look at tiles of known width runs the quick copy of the network. Of 123
    held-out tables with a profile it read the same 121 exactly."""


DEFAULT = DetectSettings()
QUICK = DetectSettings(
    least_wide_px=25.0,
    wanted_wide_px=33.0,
    most_unlike=1.3,
    doubtful_share=0.08,
    known_wide_px=30.0,
    quick_at_once=True,
)
"""For boxes that the network was trained on: as many held-out tables are read exactly, and a look
takes little more than half as long. Of 13 tables, the two that went wrong had more than 15 % of
doubtful tiles, the others up to 10 %. On photographs of a box that the network never saw, two more
of 20 layouts went wrong."""

LEAST_KNOWN_PX = 20.0
"""Tiles of a known width that turn out narrower than this get a closer look: the camera hangs
higher now, or the view is steep."""
MOST_AT_ONCE_PIXELS, MOST_NET_PIXELS = 6e5, 1.7e6
"""Limits in pixels of the network's input, which determine time and memory. If a single look at
tiles of known width would exceed the first, a small look locates them before; no closer look
exceeds the second."""
MOST_WIDE_PX = 140.0
"""Maximum tile width in a closer look: dice beside two large cards would demand more, and the
network was not trained on wider tiles."""
LEAST_AGREED = 0.35
"""Minimum share of a tile's area that must vote for it to count as clear."""
MARGIN, BEYOND = 1.5, 4.0
"""Margin around tiles in a closer look, and what is added where they reach its edge, in widths."""
DOUBTFUL, FEW_SEEN = 0.7, 4
"""Tiles below the first confidence are doubtful. Where no more than the second number are seen, all
below ``TOLD`` are, since one missed tile is then a large part of the layout."""
MOST_WIDENED, AT_SIDE = 3, 0.35
"""Maximum tries to widen a closer look, and how near to its edge tiles cause one, in widths."""
LIKELY = 0.3
"""Minimum probability for pixels to be part of a closer look, and for cells to be counted."""
CLOSER = 1.15
"""A closer look must be at least this many times as large to be worth while."""

Box = tuple[int, int, int, int]
"""Left, top, right and bottom, in pixels of the picture."""


@dataclass(frozen=True, eq=False)
class Look:
    """The result of one look: the cells found, and the network's maps that show them."""

    cells: tuple[FoundCell, ...]
    maps: TileMaps
    missed: tuple[FoundCell, ...] = ()
    """Cells that a first look showed and this closer one does not: on a wall of bricks either may
    be wrong, and only a stage that knows the box can tell."""

    def clear(self) -> list[FoundCell]:
        """Return the cells that enough of their area votes for."""
        return [cell for cell in self.cells if cell.agreed >= LEAST_AGREED]


def look_for(
    bgr: Bgr,
    kinds: tuple[CellKind, ...],
    network: TileNetwork,
    settings: DetectSettings = DEFAULT,
    wide_px: float | None = None,
) -> Look:
    """Return all cells of some kinds, from a look at the scale that they need."""
    looker = _Looker(bgr, kinds, network, settings)
    known = None if wide_px is None else looker.at_once(wide_px)
    if known is not None:
        return known
    scale = looker.first_scale()
    first = looker.look(scale)
    while not first.clear():
        scale *= 2
        if scale > settings.most_enlarged or scale * max(bgr.shape[:2]) > settings.longest_px + 1:
            return first
        first = looker.look(scale)
    last = looker.without_doubt(looker.closer(first, settings.least_wide_px))
    return replace(last, missed=_missed(first, last))


def _missed(first: Look, last: Look) -> tuple[FoundCell, ...]:
    """Return the clear cells of the first look where the last one shows none."""
    if first is last:
        return ()
    seen = np.array([cell.centre_px for cell in last.cells]).reshape(-1, 2)
    return tuple(
        cell
        for cell in first.clear()
        if (
            np.linalg.norm(seen - cell.centre_px, axis=1) > SAME_PLACE * width_of(cell.corners_px)
        ).all()
    )


@dataclass(frozen=True, eq=False)
class _Looker:
    """Takes looks at one picture for cells of some kinds."""

    bgr: Bgr
    kinds: tuple[CellKind, ...]
    network: TileNetwork
    settings: DetectSettings

    def look(self, scale: float, box: Box | None = None, *, quick: bool = False) -> Look:
        """Return a look at a part of the picture made ``scale`` times as large."""
        maps = self.network.look(self.bgr, scale, box, quick=quick)
        return Look(found_cells(maps, self.kinds), maps)

    def first_scale(self) -> float:
        """Return the scale of the first look at the whole picture."""
        return float(min(1.0, self.settings.first_long_px / max(self.bgr.shape[:2])))

    def at_once(self, wide_px: float) -> Look | None:
        """Return a look at the scale for tiles of a known width; ``None`` if it shows no tile."""
        height, width = self.bgr.shape[:2]
        scale = min(self.settings.known_wide_px / wide_px, self.settings.most_enlarged)
        least_px = LEAST_KNOWN_PX
        if width * height * scale**2 > MOST_AT_ONCE_PIXELS:
            scale, least_px = self.first_scale(), self.settings.least_wide_px
        look = self.look(scale, quick=self.settings.quick_at_once)
        return self.closer(look, least_px) if look.clear() else None

    def closer(self, first: Look, least_px: float) -> Look:
        """Return a larger look at the part with tiles, if these are narrower than ``least_px``."""
        outlines = [cell.corners_px for cell in first.clear()]
        widths = [width_of(corners) for corners in outlines]
        usual, narrow, broad = (float(width) for width in np.quantile(widths, (0.5, 0.1, 0.9)))
        wide = min(usual, self.settings.most_unlike * narrow)
        if wide * first.maps.scale[0] >= least_px:
            return first
        wanted = min(self.settings.wanted_wide_px / wide, MOST_WIDE_PX / broad)
        places = np.concatenate([*outlines, _shown_px(first.maps, self.kinds)])
        box, look = box_around(places, MARGIN * wide, self.bgr), first
        for _ in range(MOST_WIDENED):
            scale = closest(wanted, box, self.settings)
            if scale < first.maps.scale[0] * CLOSER:
                break
            look = self.look(scale, box)
            wider = _widened(box, look, wide, self.bgr)
            if wider == box:
                break
            # Tiles continue beyond the box, where the first look saw none.
            box = wider
        return look

    def without_doubt(self, look: Look) -> Look:
        """Return a closer look if too many tiles are doubtful and it shows more likely ones."""
        seen = [one for one in self._sure(look) if one >= LIKELY]
        least = TOLD if len(seen) <= FEW_SEEN else DOUBTFUL
        if sum(one < least for one in seen) <= self.settings.doubtful_share * len(seen):
            return look
        wanted = DEFAULT.wanted_wide_px
        closer = replace(self, settings=replace(self.settings, wanted_wide_px=wanted))
        second = closer.closer(look, wanted)
        # A closer look does not help with a card that fills the input, or a lone one on a fold.
        likely = [sum(one >= LIKELIER for one in self._sure(each)) for each in (look, second)]
        return second if likely[1] > likely[0] else look

    def _sure(self, look: Look) -> list[float]:
        """Return the confidence of each cell of a look."""
        height, width = self.bgr.shape[:2]
        return [agreed_share(cell, (width, height)) * max(cell.shares) for cell in look.cells]


def _widened(box: Box, look: Look, wide: float, bgr: Bgr) -> Box:
    """Return a box enlarged where tiles reach its sides, up to the picture's edge."""
    clear = [cell.corners_px for cell in look.clear()]
    if not clear:
        return box
    points = np.concatenate(clear)
    low, high = points.min(axis=0), points.max(axis=0)
    room, more = AT_SIDE * wide, BEYOND * wide
    left, top = (
        max(0, int(side - more)) if at < side + room else side
        for side, at in zip(box[:2], low, strict=True)
    )
    right, bottom = (
        min(end, int(side + more)) if at > side - room else side
        for side, at, end in zip(box[2:], high, bgr.shape[1::-1], strict=True)
    )
    return left, top, right, bottom


def box_around(points: Points, room: float, bgr: Bgr) -> Box:
    """Return a box around points with a margin on all sides, clipped to the picture."""
    height, width = bgr.shape[:2]
    left, top = np.clip(np.floor(points.min(axis=0) - room), 0, (width - 1, height - 1)).astype(int)
    right, bottom = np.clip(
        np.ceil(points.max(axis=0) + room), (left + 1, top + 1), (width, height)
    )
    return int(left), int(top), int(right), int(bottom)


def closest(wanted: float, box: Box, settings: DetectSettings = DEFAULT) -> float:
    """Return the wanted scale for a part of a picture, or the largest one allowed."""
    area = (box[2] - box[0]) * (box[3] - box[1])
    return min(wanted, settings.most_enlarged, float(np.sqrt(MOST_NET_PIXELS / area)))


def _shown_px(maps: TileMaps, kinds: tuple[CellKind, ...]) -> Points:
    """Return two corners of a box around all pixels that look like tiles, specks left out."""
    shown = np.maximum.reduce([maps.share(kind) for kind in kinds])
    mask = cv2.erode((shown > LIKELY).astype(np.uint8), np.ones((2, 2), np.uint8))
    ys, xs = np.nonzero(mask)
    if not len(xs):
        return np.zeros((0, 2))
    return maps.picture_px(np.array([(xs.min(), ys.min()), (xs.max(), ys.max())], float))


def agreed_share(cell: FoundCell, size_px: tuple[int, int]) -> float:
    """Return the share of a cell's visible area that votes for it, at most 1."""
    return min(1.0, cell.agreed / max(_share_inside(cell.corners_px, *size_px), 0.2))


def _share_inside(corners: Points, width: int, height: int) -> float:
    """Return about how much of an outline lies in the picture, by its bounding box."""
    # Plain Python floats: for four corners NumPy takes five times as long.
    shown = whole = 1.0
    for places, end in zip(zip(*corners.tolist(), strict=True), (width, height), strict=True):
        low, high = min(places), max(places)
        shown *= min(max(high, 0.0), end) - min(max(low, 0.0), end)
        whole *= high - low
    return float(shown / max(whole, 1e-9))
