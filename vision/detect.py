"""Finds tiles on a bare photo: no board, no marker, no calibration, no idea what is on them.

The whole picture is looked at small; where tiles are too small for that, the part with tiles is
looked at again, larger. What comes out are outlines; which of them form a layout is the next
stage's question.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.hex_outlines import laid_hexes
from vision.lattice import fit_outlines, grouped_outlines
from vision.network import TileMaps, TileNetwork, shipped_network
from vision.outline import agreed_outlines
from vision.probe import DEFAULT as PROBE
from vision.probe import probe
from vision.types import Bgr, Detection, Detections, Points, Shape, width_of
from vision.votes import CellKind, FoundCell, found_cells

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
    careful: bool = False
    """Looks four times, in mirrors: corners are a fifth closer, and it takes four times as long."""
    doubtful_share: float = 1.0
    hardly_doubtful: float = 0.7
    doubtful_wide_px: float = 46.0
    """Where more than this share of tiles is less sure than that, all are looked at so closely."""
    seams_wide_px: float = 60.0
    seams_wanted_px: float = 84.0
    """Hexes narrower than the first are looked at once more, as wide as the second, for their
    seams."""
    margin: float = 1.5
    """Room around the tiles at the second look, in tiles."""
    known_wide_px: float = 44.0
    """Where it is known how wide tiles are, one look is enough, at which they are so wide."""
    least_known_px: float = 20.0
    """Unless they turn out to be narrower: the camera hangs higher now, or the view is steep."""
    most_at_once_px: float = 6e5
    """If that look would be larger, a first one says where tiles lie; there is no third."""


DEFAULT = DetectSettings()
QUICK = DetectSettings(
    least_wide_px=25.0, wanted_wide_px=33.0, most_unlike=1.3, doubtful_share=0.08,
    known_wide_px=30.0,
)  # fmt: skip
"""For boxes that the network learnt from: as many held-out tables are read exactly, and a look
takes little more than half as long. Of 13 tables the two that went wrong so had more than 15 in
100 doubtful tiles, the others up to 10. On photographs of a box that the network never saw two of
20 layouts more went wrong."""
LIKELY = 0.3
"""Pixels that show a tile with more probability are looked at again."""
PROBED = 0.8
"""A tile that was only expected is less sure than one that was found."""


@dataclass(frozen=True, eq=False)
class Look:
    """The cells of one picture, and the maps that they were read from."""

    cells: tuple[FoundCell, ...]
    maps: TileMaps


def detect_tiles(
    bgr: Bgr, shape: Shape | None = None, *, network: TileNetwork | None = None,
    settings: DetectSettings = DEFAULT, wide_px: float | None = None,
) -> Detections:  # fmt: skip
    """Return the outlines of all tiles in a picture.

    Args:
        bgr: the picture.
        shape: which tiles to look for; without, whichever the picture shows more of.
        network: by default the one that the repository ships.
        settings: thresholds.
        wide_px: about how wide tiles are, where that is known.
    """
    kinds: tuple[CellKind, ...] = ("square", "hex") if shape is None else (shape,)
    looker = network or shipped_network()
    seen = look_for(bgr, kinds, looker, settings, wide_px)
    if shape is None:
        squares = sum(cell.agreed for cell in seen.cells if cell.kind == "square")
        shape = "square" if squares >= sum(cell.agreed for cell in seen.cells) / 2 else "hex"
    height, width = bgr.shape[:2]
    corners, confidence = _tiles(bgr, seen, shape, settings)
    if shape == "hex" and len(corners):
        maps = _seam_maps(bgr, seen.maps, corners, looker, settings)
        corners, confidence = laid_hexes(bgr, maps, corners, confidence)
    found = tuple(
        Detection(outline, float(sure), cut_off=_is_cut(outline, width, height))
        for outline, sure in zip(corners, confidence, strict=True)
    )
    return Detections((width, height), shape, found)


def _tiles(bgr: Bgr, seen: Look, shape: Shape, settings: DetectSettings) -> tuple[Array, Array]:
    """Return outlines and confidences of one shape's tiles: found, agreed, and what they miss."""
    size_px = (bgr.shape[1], bgr.shape[0])
    cells = [cell for cell in seen.cells if cell.kind == shape]
    agreed = np.array([_agreed(cell, size_px) for cell in cells])
    sure = agreed * np.array([max(cell.shares) for cell in cells])
    strong = int((sure >= settings.least_confidence).sum())
    doubtful = int(((sure >= settings.least_doubt) & (sure < settings.least_confidence)).sum())
    nothing = np.zeros((0, 4 if shape == "square" else 6, 2)), np.zeros(0)
    surest = int((sure >= settings.surely).sum())
    many = doubtful > max(settings.most_doubtful * strong, settings.few_doubtful)
    if not strong or (many and surest < settings.enough_sure):
        return nothing
    corners = np.stack([cell.corners_px for cell in cells])
    _, change, _ = agreed_outlines(corners, sure**2, shape, size_px)
    kept = (np.abs(change) < settings.most_change) & (sure >= settings.least_on_grid)
    corners, sure = corners[kept], sure[kept]
    kept = sure >= settings.least_confidence
    for tiles in [] if kept.all() else grouped_outlines(corners, shape):
        if len(tiles) >= 3 and (sure[tiles] >= settings.least_confidence).sum() >= 2:
            kept[tiles] = True
    if not kept.any():
        return nothing
    fits = fit_outlines(corners[kept], shape, PROBE.fewest_tiles)
    probed = probe(bgr, seen.maps, shape, corners[kept], fits)
    corners = np.concatenate([corners[kept], *[p.corners_px[None] for p in probed]])
    sure = np.concatenate([sure[kept], [PROBED * p.shown for p in probed]])
    outlines, _, _ = agreed_outlines(corners, sure**2, shape, size_px)
    return outlines, np.clip(sure, 0, 1)


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
        maps = network.look(bgr, scale, careful=settings.careful)
        cells = found_cells(maps, kinds)
        clear = [cell for cell in cells if cell.agreed >= settings.least_agreed]
        if clear:
            look = _closer(bgr, kinds, network, settings, Look(cells, maps))
            return _without_doubt(bgr, kinds, network, settings, look)
        larger = scale * 2
        if larger > settings.most_enlarged or larger * long_side > settings.longest_px * 1.01:
            return Look(cells, maps)
        scale = larger


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
    maps = network.look(bgr, scale)
    cells = found_cells(maps, kinds)
    if not any(cell.agreed >= settings.least_agreed for cell in cells):
        return None
    return _closer(bgr, kinds, network, enough, Look(cells, maps))


def _without_doubt(
    bgr: Bgr, kinds: tuple[CellKind, ...], network: TileNetwork, settings: DetectSettings,
    look: Look,
) -> Look:  # fmt: skip
    """Return a look that is close enough for tiles that another one was not sure of."""
    size_px = (bgr.shape[1], bgr.shape[0])
    sure = np.array([_agreed(cell, size_px) * max(cell.shares) for cell in look.cells])
    seen = int((sure >= settings.least_on_grid).sum())
    doubtful = seen - int((sure >= settings.hardly_doubtful).sum())
    if doubtful <= settings.doubtful_share * seen:
        return look
    wanted = settings.doubtful_wide_px
    closer = replace(settings, least_wide_px=0.87 * wanted, wanted_wide_px=wanted)
    second = _closer(bgr, kinds, network, closer, look)
    again = np.array([_agreed(cell, size_px) * max(cell.shares) for cell in second.cells])
    # A card that fills the net's picture, or a lone one on a fold, is seen better from afar.
    return second if _surely(again, settings) >= _surely(sure, settings) else look


def _surely(sure: Array, settings: DetectSettings) -> int:
    """Return how many cells of a look count on their own."""
    return int((sure >= settings.least_confidence).sum())


def _closer(
    bgr: Bgr, kinds: tuple[CellKind, ...], network: TileNetwork, settings: DetectSettings,
    first: Look,
) -> Look:  # fmt: skip
    """Return a second, larger look at the part with tiles, where the first was too small."""
    scale = first.maps.scale[0]
    clear = [cell for cell in first.cells if cell.agreed >= settings.least_agreed]
    if not clear:
        return first
    widths = [width_of(cell.corners_px) for cell in clear]
    usual, narrow, broad = (float(width) for width in np.quantile(widths, (0.5, 0.1, 0.9)))
    wide = min(usual, settings.most_unlike * narrow)
    if wide * scale >= settings.least_wide_px:
        return first
    every = np.concatenate([*[cell.corners_px for cell in clear], _shown_px(first.maps, kinds)])
    box = _box_around(every, settings.margin * wide, bgr)
    wanted = min(settings.wanted_wide_px / wide, settings.most_wide_px / broad)
    closer = _closest(wanted, box, settings)
    if closer < scale * 1.15:
        return first
    maps = network.look(bgr, closer, box, careful=settings.careful)
    return Look(found_cells(maps, kinds), maps)


def _seam_maps(
    bgr: Bgr, maps: TileMaps, corners: Array, network: TileNetwork, settings: DetectSettings
) -> TileMaps:
    """Return a look at hexes from which their seams can be told, the one at hand if it will do."""
    wide = float(np.median([width_of(outline) for outline in corners]))
    scale = float(np.sqrt(maps.scale[0] * maps.scale[1]))
    box = _box_around(corners.reshape(-1, 2), settings.margin * wide / 2, bgr)
    closer = _closest(settings.seams_wanted_px / wide, box, settings)
    if wide * scale >= settings.seams_wide_px or closer < scale * 1.15:
        return maps
    return network.look(bgr, closer, box, careful=settings.careful)


Box = tuple[int, int, int, int]
"""Left, top, right and bottom."""


def _box_around(points: Points, room: float, bgr: Bgr) -> Box:
    height, width = bgr.shape[:2]
    left, top = np.clip(np.floor(points.min(axis=0) - room), 0, (width - 1, height - 1)).astype(int)
    right, bottom = np.clip(
        np.ceil(points.max(axis=0) + room), (left + 1, top + 1), (width, height)
    )
    return int(left), int(top), int(right), int(bottom)


def _closest(wanted: float, box: Box, settings: DetectSettings) -> float:
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


def _is_cut(corners: Points, width: int, height: int) -> bool:
    outside = (corners < -1.0) | (corners > np.array([width, height], float))
    return bool(outside.any())


def _agreed(cell: FoundCell, size_px: tuple[int, int]) -> float:
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
