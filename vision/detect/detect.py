"""Finds tiles on a bare photo: no board, no marker, no calibration, no idea what is on them.

The whole picture is looked at small; where tiles are too small for that, the part with tiles is
looked at again, larger. What comes out are outlines; which of them form a layout is the next
stage's question.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.core.ground import HARDLY_TABLE, HIDDEN, Ground
from vision.core.lattice import cells_beside, fit_outlines, grouped_outlines, mapped
from vision.core.outline import agreed_outlines
from vision.core.types import EXPECTED, Bgr, Detection, Detections, Points, Shape, width_of
from vision.detect.hex_outlines import laid_hexes
from vision.detect.network import (
    CellKind,
    FoundCell,
    TileMaps,
    TileNetwork,
    found_cells,
    shipped_network,
)
from vision.detect.probe import DEFAULT as PROBE
from vision.detect.probe import probe
from vision.detect.scales import (
    DEFAULT,
    QUICK,
    DetectSettings,
    Look,
    agreed_share,
    box_around,
    closest,
    look_for,
)

__all__ = ["DEFAULT", "QUICK", "DetectSettings", "detect_tiles"]

Array = NDArray[np.float64]


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
    corners, confidence, faint = _tiles(bgr, seen, shape, settings)
    if shape == "hex" and len(corners):
        maps = _seam_maps(bgr, seen.maps, corners, looker, settings)
        corners, confidence = laid_hexes(bgr, maps, corners, confidence)
    found, doubtful = (
        tuple(
            Detection(outline, float(sure), cut_off=_is_cut(outline, width, height))
            for outline, sure in zip(outlines, surely, strict=True)
        )
        for outlines, surely in ((corners, confidence), faint)
    )
    return Detections((width, height), shape, found, doubtful)


Outlines = tuple[Array, Array]
"""N x corners x 2, and how sure each is."""


def _tiles(
    bgr: Bgr, seen: Look, shape: Shape, settings: DetectSettings
) -> tuple[Array, Array, Outlines]:
    """Return outlines and confidences of one shape's tiles: found, agreed, and what they miss.

    Beside them such as were seen too faintly.
    """
    size_px = (bgr.shape[1], bgr.shape[0])
    cells = [cell for cell in seen.cells if cell.kind == shape]
    agreed = np.array([agreed_share(cell, size_px) for cell in cells])
    sure = agreed * np.array([max(cell.shares) for cell in cells])
    strong = int((sure >= settings.least_confidence).sum())
    doubtful = int(((sure >= settings.least_doubt) & (sure < settings.least_confidence)).sum())
    nothing = np.zeros((0, 4 if shape == "square" else 6, 2)), np.zeros(0)
    surest = int((sure >= settings.surely).sum())
    many = doubtful > max(settings.most_doubtful * strong, settings.few_doubtful)
    corners = np.stack([cell.corners_px for cell in cells]) if cells else nothing[0]
    if not strong or (many and surest < settings.enough_sure):
        hinted = sure >= settings.least_faint
        return *nothing, (corners[hinted], sure[hinted])
    outlines, change, _ = agreed_outlines(corners, sure**2, shape, size_px)
    changed = np.abs(change)
    kept = (changed < settings.most_change) & (sure >= settings.least_on_grid)
    kept[kept] = _taken(corners[kept], sure[kept], shape, settings)
    dim = ~kept & (changed < settings.most_change_faint) & (sure >= settings.least_faint)
    # Dice beside one large card say that it is none: whoever knows the box can tell.
    outgrown = ~kept & (sure >= settings.surely)
    outlines[outgrown] = corners[outgrown]
    dim |= outgrown
    faint = _with_missed((outlines[dim], sure[dim]), seen, shape)
    if not kept.any():
        return *nothing, faint
    corners, sure = corners[kept], sure[kept]
    fits = fit_outlines(corners, shape, PROBE.fewest_tiles)
    probed = probe(bgr, seen.maps, shape, corners, fits)
    corners = np.concatenate([corners, *[p.corners_px[None] for p in probed]])
    sure = np.concatenate([sure, [EXPECTED * p.shown for p in probed]])
    outlines, _, _ = agreed_outlines(corners, sure**2, shape, size_px)
    return outlines, np.clip(sure, 0, 1), faint


def _with_missed(faint: Outlines, seen: Look, shape: Shape) -> Outlines:
    """Return faint outlines with such as only a first look at the picture showed."""
    missed = [cell for cell in seen.missed if cell.kind == shape]
    if not missed:
        return faint
    corners = np.stack([cell.corners_px for cell in missed])
    sure = np.array([cell.confidence for cell in missed])
    return np.concatenate([faint[0], corners]), np.concatenate([faint[1], sure])


def _taken(
    corners: Array, sure: Array, shape: Shape, settings: DetectSettings
) -> NDArray[np.bool_]:
    """Return which outlines are tiles: sure ones, and doubtful ones on a grid with some of them."""
    taken = np.asarray(sure >= settings.least_confidence)
    for tiles in [] if taken.all() else grouped_outlines(corners, shape):
        if len(tiles) >= 3 and (sure[tiles] >= settings.least_confidence).sum() >= 2:
            taken[tiles] = True
    return taken


def _seam_maps(
    bgr: Bgr, maps: TileMaps, corners: Array, network: TileNetwork, settings: DetectSettings
) -> TileMaps:
    """Return a look at hexes from which their seams can be told, the one at hand if it will do."""
    wide = float(np.median([width_of(outline) for outline in corners]))
    scale = float(np.sqrt(maps.scale[0] * maps.scale[1]))
    box = box_around(corners.reshape(-1, 2), settings.margin * wide / 2, bgr)
    closer = closest(settings.seams_wanted_px / wide, box, settings)
    if wide * scale >= settings.seams_wide_px or closer < scale * 1.15:
        return maps
    return network.look(bgr, closer, box)


def _is_cut(corners: Points, width: int, height: int) -> bool:
    outside = (corners < -1.0) | (corners > np.array([width, height], float))
    return bool(outside.any())


LONG_PX = (640, 800, 1000, 1260, 1600)
"""Long sides of the picture at which it is looked at."""
MOST_ENLARGED = 1.5
LEAST = 0.08
"""What is seen less surely at one look is not seen there."""
SAME_PLACE, SAME_WIDTH = 0.2, 0.15
"""Tiles of two looks are one when their middles lie nearer, in widths, and their widths differ by
less, as a natural logarithm."""
ONCE_MORE, OFTEN = 2, 3
"""Looks at which something is seen that may be a tile, and at which each tile must be."""
FEWEST, MOST = 3, 6
"""Tiles that are found so; of more some are sure at one look already."""


@dataclass(frozen=True, eq=False)
class _Seen:
    """What was seen at one place, by the number of the look."""

    corners_px: Points
    looks: dict[int, float]

    def is_same(self, outline: Points) -> bool:
        """Say whether an outline of another look is the same tile's."""
        wide, other = width_of(self.corners_px), width_of(outline)
        apart = np.linalg.norm(self.corners_px.mean(axis=0) - outline.mean(axis=0))
        return bool(apart < SAME_PLACE * wide and abs(np.log(other / wide)) < SAME_WIDTH)


def few_tiles(bgr: Bgr, network: TileNetwork) -> Detections:
    """Return the squares of a short layout; nothing where others are seen as often."""
    size_px = (bgr.shape[1], bgr.shape[0])
    often = [one for one in _seen(bgr, network) if len(one.looks) >= ONCE_MORE]
    outlines = [one.corners_px for one in often]
    if (
        not FEWEST <= len(often) <= MOST
        or min(len(one.looks) for one in often) < OFTEN
        or not _lie_alone(outlines, Ground(bgr, outlines))
    ):
        return Detections(size_px, "square", ())
    sure = [1 - float(np.prod([1 - share for share in one.looks.values()])) for one in often]
    found = tuple(Detection(*both) for both in zip(outlines, sure, strict=True))
    return Detections(size_px, "square", found)


def _seen(bgr: Bgr, network: TileNetwork) -> list[_Seen]:
    """Return all that looks like a square at some size of the picture, the surest outlines."""
    cells: list[tuple[float, int, FoundCell]] = []
    for number, long_px in enumerate(LONG_PX):
        scale = long_px / max(bgr.shape[:2])
        if scale <= MOST_ENLARGED:
            shown = found_cells(network.look(bgr, scale), ("square",))
            cells += [(cell.shares[0] * min(cell.agreed, 1.0), number, cell) for cell in shown]
    found: list[_Seen] = []
    for sure, number, cell in sorted(cells, key=lambda one: -one[0]):
        if sure >= LEAST:
            same = next((one for one in found if one.is_same(cell.corners_px)), None)
            if same is None:
                found.append(_Seen(cell.corners_px, {number: sure}))
            else:
                same.looks.setdefault(number, sure)
    return found


def _lie_alone(outlines: list[Points], ground: Ground) -> bool:
    """Say whether outlines are one layout whose colours no table has, with table all around."""
    fits = fit_outlines(np.stack(outlines), "square")
    if len(fits) != 1 or not ground.hidden(np.stack(outlines), HIDDEN).all():
        return False
    own = set(fits[0].cells)
    around = sorted(cells_beside(own) - own)
    corners = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
    places: Array = (np.array(around, float)[:, None] + corners).reshape(-1, 2)
    beside = mapped(fits[0].px_from_cell, places).reshape(-1, 4, 2)
    return not ground.hidden(beside, HARDLY_TABLE).any()
