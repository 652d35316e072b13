"""Looks at a picture as closely as its tiles need: small at first, then larger where tiles lie.

What comes out are the cells of one look and the maps that they were read from.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core.stages import stage
from vision.core.types import Bgr, Points, width_of
from vision.detect.network import CellKind, FoundCell, TileMaps, TileNetwork, found_cells

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class DetectSettings:
    """How closely to look and how sure to be."""

    first_long_px: int = 640
    """Long side of the picture at the first look."""
    longest_px: int = 2560
    """Where nothing is found, larger looks are taken up to this."""
    least_wide_px: float = 30.0
    """Tiles narrower than that at the first look are looked at again."""
    wanted_wide_px: float = 44.0
    most_unlike: float = 2.0
    """Where a tenth of the tiles are narrower than the usual one by more, they say how closely to
    look: at the far end of a steep view."""
    most_wide_px: float = 140.0
    """No look makes tiles wider: dice beside two large cards would ask for it, and the network
    learnt from none."""
    most_enlarged: float = 1.5
    most_net_px: float = 1.7e6
    """Pixels of the network's picture, which time and memory follow."""
    least_agreed: float = 0.35
    """Share of a tile's area that must vote for it to count at the first look."""
    least_confidence: float = 0.5
    """Below that a tile is not taken, unless it lies on a grid of others."""
    least_on_grid: float = 0.3
    least_faint: float = 0.2
    """Below that a tile is not even looked at by whoever knows the box."""
    least_doubt: float = 0.1
    most_doubtful: float = 1.4
    few_doubtful: float = 2.0
    """Where doubtful cells outnumber the sure ones by so much, nothing is a tile: on chessboards
    they do 1.8 times and more, on 60 held-out tables never."""
    surely: float = 0.9
    enough_sure: int = 2
    """Unless so many are quite sure; on chessboards none was."""
    most_change: float = 0.3
    """Tiles that are larger or smaller than the others around them by more, as a natural
    logarithm, are none."""
    most_change_faint: float = 0.5
    """The same of such as are only looked at by whoever knows the box, at the others' size."""
    doubtful_share: float = 1.0
    hardly_doubtful: float = 0.7
    doubtful_wide_px: float = 46.0
    """Where more than this share of tiles is less sure than that, all are looked at so closely."""
    few_seen: int = 4
    few_doubted: float = 0.8
    """The same where so few are seen at all: what is missed then is a large part of them."""
    seams_wide_px: float = 60.0
    seams_wanted_px: float = 84.0
    """Hexes narrower than the first are looked at once more, as wide as the second, for their
    seams."""
    least_short_px: float = 0.0
    wanted_short_px: float = 26.0
    """Tiles whose shorter side is less at the end of a steep view are looked at again, so that it
    is as long as the second; of 30 tables that were read exactly none but such of small tiles had
    less than 18.9 at their far end, one that was not had 17.4."""
    margin: float = 1.5
    """Room around the tiles at the second look, in tiles."""
    beyond: float = 4.0
    """What is added to it where tiles reach its end, likewise."""
    known_wide_px: float = 44.0
    """Where it is known how wide tiles are, one look is enough, at which they are so wide."""
    least_known_px: float = 20.0
    """Unless they turn out to be narrower: the camera hangs higher now, or the view is steep."""
    quick_at_once: bool = False
    """Whether that look is taken by the quick copy of the network. Of 123 held-out tables with a
    profile it read the same 121 exactly."""
    most_at_once_px: float = 6e5
    """If that look would be larger, a first one says where tiles lie; there is no third."""


DEFAULT = DetectSettings()
QUICK = DetectSettings(
    least_wide_px=25.0, wanted_wide_px=33.0, most_unlike=1.3, doubtful_share=0.08,
    known_wide_px=30.0, quick_at_once=True, least_short_px=18.5,
)  # fmt: skip
"""For boxes that the network learnt from: as many held-out tables are read exactly, and a look
takes little more than half as long. Of 13 tables the two that went wrong so had more than 15 in
100 doubtful tiles, the others up to 10. On photographs of a box that the network never saw two of
20 layouts more went wrong."""


MOST_WIDENED, AT_SIDE = 3, 0.35
"""How often a look is widened, and how near to its side tiles reach then, in widths."""
MISSED = 0.5
"""A cell of a look is not seen by another one that shows none nearer, in widths."""
LIKELY = 0.3
"""Pixels that show a tile with more probability are looked at again."""


Box = tuple[int, int, int, int]
"""Left, top, right and bottom."""


@dataclass(frozen=True, eq=False)
class Look:
    """The cells of one picture, and the maps that they were read from."""

    cells: tuple[FoundCell, ...]
    maps: TileMaps
    missed: tuple[FoundCell, ...] = ()
    """Cells that a first look showed and this closer one does not: on a wall of bricks either may
    be wrong, and only whoever knows the box can tell."""

    def clear(self, settings: DetectSettings) -> list[FoundCell]:
        """Return the cells that enough of the maps agree on."""
        return [cell for cell in self.cells if cell.agreed >= settings.least_agreed]


def look_for(
    bgr: Bgr, kinds: tuple[CellKind, ...], network: TileNetwork,
    settings: DetectSettings = DEFAULT, wide_px: float | None = None,
) -> Look:  # fmt: skip
    """Return all cells of some kinds, looked at as closely as they need."""
    known = None if wide_px is None else _at_once(bgr, kinds, network, settings, wide_px)
    if known is not None:
        return known
    long_side = max(bgr.shape[:2])
    scale = min(1.0, settings.first_long_px / long_side)
    while True:
        maps = network.look(bgr, scale)
        look = Look(found_cells(maps, kinds), maps)
        if look.clear(settings):
            first = look
            look = _closer(bgr, kinds, network, settings, look)
            look = _without_doubt(bgr, kinds, network, settings, look)
            look = _at_far_end(bgr, kinds, network, settings, look)
            return replace(look, missed=_missed(first, look, settings))
        larger = scale * 2
        if larger > settings.most_enlarged or larger * long_side > settings.longest_px * 1.01:
            return look
        scale = larger


def _missed(first: Look, last: Look, settings: DetectSettings) -> tuple[FoundCell, ...]:
    """Return the clear cells of a look at whose places a closer one shows none."""
    if first.maps is last.maps:
        return ()
    seen = np.array([cell.centre_px for cell in last.cells]).reshape(-1, 2)
    return tuple(
        cell for cell in first.clear(settings)
        if (np.linalg.norm(seen - cell.centre_px, axis=1)
            > MISSED * width_of(cell.corners_px)).all()
    )  # fmt: skip


def _at_once(
    bgr: Bgr, kinds: tuple[CellKind, ...], network: TileNetwork, settings: DetectSettings,
    wide_px: float,
) -> Look | None:  # fmt: skip
    """Return the look that tiles of a known width need; nothing where it shows none."""
    height, width = bgr.shape[:2]
    scale = min(settings.known_wide_px / wide_px, settings.most_enlarged)
    enough = replace(settings, least_wide_px=settings.least_known_px)
    if width * height * scale**2 > settings.most_at_once_px:
        scale, enough = min(1.0, settings.first_long_px / max(height, width)), settings
    maps = network.look(bgr, scale, quick=settings.quick_at_once)
    look = Look(found_cells(maps, kinds), maps)
    return _closer(bgr, kinds, network, enough, look) if look.clear(settings) else None


@stage("scales: doubtful", without=lambda *given: given[-1])
def _without_doubt(
    bgr: Bgr, kinds: tuple[CellKind, ...], network: TileNetwork, settings: DetectSettings,
    look: Look,
) -> Look:  # fmt: skip
    """Return a look that is close enough for tiles that another one was not sure of."""
    sure = _confidences(look, bgr)
    seen = sure[sure >= settings.least_on_grid]
    few = len(seen) <= settings.few_seen
    hardly = settings.few_doubted if few else settings.hardly_doubtful
    if (seen < hardly).sum() <= settings.doubtful_share * len(seen):
        return look
    wanted = settings.doubtful_wide_px
    closer = replace(settings, least_wide_px=0.87 * wanted, wanted_wide_px=wanted)
    second = _closer(bgr, kinds, network, closer, look)
    # A card that fills the net's picture, or a lone one on a fold, is seen better from afar.
    again = _surely(_confidences(second, bgr), settings)
    return second if again >= _surely(sure, settings) else look


@stage("scales: far end", without=lambda *given: given[-1])
def _at_far_end(
    bgr: Bgr, kinds: tuple[CellKind, ...], network: TileNetwork, settings: DetectSettings,
    look: Look,
) -> Look:  # fmt: skip
    """Return a look that is close enough for tiles that a steep view shows hardly any height of."""
    clear = [cell.corners_px for cell in look.clear(settings)]
    if not clear or kinds != ("square",):
        return look
    sides = np.linalg.norm(np.diff(np.stack(clear)[:, :3], axis=1), axis=2)
    short = float(np.quantile(sides.min(axis=1), 0.1))
    if short * look.maps.scale[0] >= settings.least_short_px:
        return look
    wide = float(np.quantile([width_of(corners) for corners in clear], 0.1))
    wanted = settings.wanted_short_px / short
    closer = _looked_closer(bgr, kinds, network, settings, look, wide, wanted)
    sure = [_surely(_confidences(one, bgr), settings) for one in (look, closer)]
    return closer if sure[1] >= sure[0] else look


def _confidences(look: Look, bgr: Bgr) -> Array:
    size_px = (bgr.shape[1], bgr.shape[0])
    return np.array([agreed_share(cell, size_px) * max(cell.shares) for cell in look.cells])


def _surely(sure: Array, settings: DetectSettings) -> int:
    """Return how many cells of a look count on their own."""
    return int((sure >= settings.least_confidence).sum())


def _closer(
    bgr: Bgr, kinds: tuple[CellKind, ...], network: TileNetwork, settings: DetectSettings,
    first: Look,
) -> Look:  # fmt: skip
    """Return a second, larger look at the part with tiles, where the first was too small."""
    scale = first.maps.scale[0]
    clear = first.clear(settings)
    if not clear:
        return first
    widths = [width_of(cell.corners_px) for cell in clear]
    usual, narrow, broad = (float(width) for width in np.quantile(widths, (0.5, 0.1, 0.9)))
    wide = min(usual, settings.most_unlike * narrow)
    if wide * scale >= settings.least_wide_px:
        return first
    wanted = min(settings.wanted_wide_px / wide, settings.most_wide_px / broad)
    return _looked_closer(bgr, kinds, network, settings, first, wide, wanted)


def _looked_closer(
    bgr: Bgr, kinds: tuple[CellKind, ...], network: TileNetwork, settings: DetectSettings,
    first: Look, wide: float, wanted: float,
) -> Look:  # fmt: skip
    """Return a look at all that another one shows, at a scale or nearly so, if that is closer.

    Args:
        bgr: the picture.
        kinds: of cells to look for.
        network: what looks.
        settings: thresholds.
        first: the other look.
        wide: about how wide tiles are, in pixels of the picture.
        wanted: the scale.
    """
    clear = [cell.corners_px for cell in first.clear(settings)]
    box = box_around(np.concatenate([*clear, _shown_px(first.maps, kinds)]),
                      settings.margin * wide, bgr)  # fmt: skip
    look = first
    for _ in range(MOST_WIDENED):
        closer = closest(wanted, box, settings)
        if closer < first.maps.scale[0] * 1.15:
            break
        maps = network.look(bgr, closer, box)
        look = Look(found_cells(maps, kinds), maps)
        wider = _widened(box, look, wide, bgr, settings)
        if wider == box:
            break
        # Tiles go on where the first look saw none.
        box = wider
    return look


def _widened(box: Box, look: Look, wide: float, bgr: Bgr, settings: DetectSettings) -> Box:
    """Return a box with more room where tiles reach its sides, unless it ends the picture."""
    clear = [cell.corners_px for cell in look.clear(settings)]
    if not clear:
        return box
    points = np.concatenate(clear)
    low, high = points.min(axis=0), points.max(axis=0)
    room, more = AT_SIDE * wide, settings.beyond * wide
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
    """Return a box around points with room on all sides, as far as the picture goes."""
    height, width = bgr.shape[:2]
    left, top = np.clip(np.floor(points.min(axis=0) - room), 0, (width - 1, height - 1)).astype(int)
    right, bottom = np.clip(
        np.ceil(points.max(axis=0) + room), (left + 1, top + 1), (width, height)
    )
    return int(left), int(top), int(right), int(bottom)


def closest(wanted: float, box: Box, settings: DetectSettings) -> float:
    """Return the scale that is wanted for a part of a picture, or the largest that it may have."""
    area = (box[2] - box[0]) * (box[3] - box[1])
    return min(wanted, settings.most_enlarged, float(np.sqrt(settings.most_net_px / area)))


def _shown_px(maps: TileMaps, kinds: tuple[CellKind, ...]) -> Points:
    """Return two corners of a box around all that looks like tiles, specks left out."""
    shown = np.maximum.reduce([maps.share(kind) for kind in kinds])
    mask = cv2.erode((shown > LIKELY).astype(np.uint8), np.ones((2, 2), np.uint8))
    ys, xs = np.nonzero(mask)
    if not len(xs):
        return np.zeros((0, 2))
    return maps.picture_px(np.array([(xs.min(), ys.min()), (xs.max(), ys.max())], float))


def agreed_share(cell: FoundCell, size_px: tuple[int, int]) -> float:
    """Return the share that agrees on a cell, of what the picture shows of it."""
    return min(1.0, cell.agreed / max(_share_inside(cell.corners_px, *size_px), 0.2))


def _share_inside(corners: Points, width: int, height: int) -> float:
    """Return about how much of an outline lies in the picture, by its box."""
    # In plain numbers: for four corners NumPy takes five times as long.
    shown = whole = 1.0
    for places, end in zip(zip(*corners.tolist(), strict=True), (width, height), strict=True):
        low, high = min(places), max(places)
        shown *= min(max(high, 0.0), end) - min(max(low, 0.0), end)
        whole *= high - low
    return float(shown / max(whole, 1e-9))
