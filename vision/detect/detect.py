"""Finds tiles in a plain photo, without board, marker, calibration or knowledge of their print.

The network sees the whole picture at a small scale; where tiles are too small for that, it sees the
part with tiles again at a larger one. The result are outlines; a later stage decides which of them
form a layout.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.core.ground import HARDLY_TABLE, HIDDEN, Ground
from vision.core.lattice import cells_beside, fit_outlines, grouped_outlines, mapped
from vision.core.outline import agreed_outlines
from vision.core.types import (
    EXPECTED,
    LIKELIER,
    SAME_PLACE,
    SURE,
    Bgr,
    Detection,
    Detections,
    Points,
    Shape,
    width_of,
)
from vision.detect.loose_hexes import laid_hexes
from vision.detect.network import (
    CellKind,
    FoundCell,
    TileMaps,
    TileNetwork,
    found_cells,
    shipped_network,
)
from vision.detect.probe import FEWEST_TILES, probe
from vision.detect.scales import (
    CLOSER,
    DEFAULT,
    MOST_ENLARGED,
    QUICK,
    DetectSettings,
    Look,
    agreed_share,
    box_around,
    closest,
    look_for,
)
from vision.layout.quality import leaves

__all__ = ["DEFAULT", "QUICK", "DetectSettings", "detect_tiles"]

Array = NDArray[np.float64]

ON_GRID, FAINT = 0.3, 0.2
"""Minimum confidences of outlines that are not likely tiles: to be taken on a grid with likely
ones, and to be kept as faint, for stages that know the box."""
FEW = 2
"""Where more cells are doubtful than likely, nothing is a tile, unless this many are sure or no
more are doubtful: on chessboards none is sure. Grids with as many likely tiles take in others."""
MOST_CHANGE, MOST_CHANGE_FAINT = 0.3, 0.5
"""Maximum deviation of an outline's size from what the other outlines predict, as a natural
logarithm: for a tile, and for a faint outline."""
SEAMS_WIDE_PX = 84.0
"""Width of hexes in the network's input at which their seams are visible."""


def detect_tiles(
    bgr: Bgr,
    shape: Shape | None = None,
    *,
    network: TileNetwork | None = None,
    settings: DetectSettings = DEFAULT,
    wide_px: float | None = None,
) -> Detections:
    """Return the outlines of all tiles in a picture.

    Args:
        bgr: the picture.
        shape: which tiles to look for; by default the shape that the picture shows more of.
        network: by default the one that the repository ships.
        settings: how closely to look.
        wide_px: approximate tile width in pixels, if known.
    """
    kinds: tuple[CellKind, ...] = ("square", "hex") if shape is None else (shape,)
    looker = network or shipped_network()
    seen = look_for(bgr, kinds, looker, settings, wide_px)
    if shape is None:
        squares = sum(cell.agreed for cell in seen.cells if cell.kind == "square")
        shape = "square" if squares >= sum(cell.agreed for cell in seen.cells) / 2 else "hex"
    (corners, confidence), faint = _tiles(bgr, seen, shape)
    if shape == "hex" and len(corners):
        maps = _seam_maps(bgr, seen.maps, corners, looker)
        corners, confidence = laid_hexes(bgr, maps, corners, confidence)
    size_px = (bgr.shape[1], bgr.shape[0])
    found, doubtful = (
        tuple(
            Detection(outline, float(sure), cut_off=leaves(outline, size_px))
            for outline, sure in zip(outlines, surely, strict=True)
        )
        for outlines, surely in ((corners, confidence), faint)
    )
    return Detections(size_px, shape, found, doubtful)


Outlines = tuple[Array, Array]
"""Outlines, N x corners x 2, and the confidence of each, N."""


def _tiles(bgr: Bgr, seen: Look, shape: Shape) -> tuple[Outlines, Outlines]:
    """Return the outlines of one shape's tiles, and the faint outlines."""
    size_px = (bgr.shape[1], bgr.shape[0])
    cells = [cell for cell in seen.cells if cell.kind == shape]
    sure = np.array([agreed_share(cell, size_px) * max(cell.shares) for cell in cells])
    nothing = np.zeros((0, 4 if shape == "square" else 6, 2)), np.zeros(0)
    corners = np.stack([cell.corners_px for cell in cells]) if cells else nothing[0]
    if not _shows_some(sure):
        return nothing, (corners[sure >= FAINT], sure[sure >= FAINT])
    outlines, change, _ = agreed_outlines(corners, sure**2, shape, size_px)
    kept = (np.abs(change) < MOST_CHANGE) & (sure >= ON_GRID)
    kept[kept] = _taken(corners[kept], sure[kept], shape)
    # Dice can make one large card an outlier: a stage that knows the box can tell.
    outgrown = ~kept & (sure >= SURE)
    outlines[outgrown] = corners[outgrown]
    dim = outgrown | (~kept & (np.abs(change) < MOST_CHANGE_FAINT) & (sure >= FAINT))
    faint = _with_missed((outlines[dim], sure[dim]), seen, shape)
    if not kept.any():
        return nothing, faint
    corners, sure = corners[kept], sure[kept]
    probed = probe(bgr, seen.maps, shape, corners, fit_outlines(corners, shape, FEWEST_TILES))
    corners = np.concatenate([corners, *[p.corners_px[None] for p in probed]])
    sure = np.concatenate([sure, [EXPECTED * p.shown for p in probed]])
    outlines, _, _ = agreed_outlines(corners, sure**2, shape, size_px)
    return (outlines, np.clip(sure, 0, 1)), faint


def _shows_some(sure: Array) -> bool:
    """Say whether any cells are tiles, by the confidences of all cells."""
    likely = int((sure >= LIKELIER).sum())
    doubtful = int((sure >= FAINT).sum()) - likely
    outnumbered = doubtful > max(likely, FEW) and int((sure >= SURE).sum()) < FEW
    return likely > 0 and not outnumbered


def _with_missed(faint: Outlines, seen: Look, shape: Shape) -> Outlines:
    """Return faint outlines with those added that only the first look showed."""
    missed = [cell for cell in seen.missed if cell.kind == shape]
    if not missed:
        return faint
    corners = np.stack([cell.corners_px for cell in missed])
    sure = np.array([cell.confidence for cell in missed])
    return np.concatenate([faint[0], corners]), np.concatenate([faint[1], sure])


def _taken(corners: Array, sure: Array, shape: Shape) -> NDArray[np.bool_]:
    """Return which outlines are tiles: likely ones, and others on a grid with several of them."""
    likely = np.asarray(sure >= LIKELIER)
    taken = likely.copy()
    for tiles in [] if taken.all() else grouped_outlines(corners, shape):
        if likely[tiles].sum() >= FEW:
            taken[tiles] = True
    return taken


def _seam_maps(bgr: Bgr, maps: TileMaps, corners: Array, network: TileNetwork) -> TileMaps:
    """Return maps fine enough to show the seams of hexes: the given ones if they suffice."""
    wide = float(np.median([width_of(outline) for outline in corners]))
    box = box_around(corners.reshape(-1, 2), wide, bgr)
    closer = closest(SEAMS_WIDE_PX / wide, box)
    return maps if closer < maps.scale[0] * CLOSER else network.look(bgr, closer, box)


LONG_PX = (640, 800, 1000, 1260, 1600)
"""Long sides to which the picture is scaled when looking for a few tiles."""
LEAST = 0.08
"""Minimum confidence of a tile in one look."""
SAME_WIDTH = 0.15
"""Outlines of two looks show one tile if they lie at the same place and their widths differ by
less, as a natural logarithm."""
ONCE_MORE, OFTEN = 2, 3
"""Number of looks that make an outline a candidate, and that every candidate must reach."""
FEWEST, MOST = 3, 6
"""Sizes of a layout found by several looks; a larger one has sure tiles in a single look."""


@dataclass(frozen=True, eq=False)
class _Seen:
    """A candidate tile, with its confidence in each look, by the look's index."""

    corners_px: Points
    looks: dict[int, float]

    def is_same(self, outline: Points) -> bool:
        """Say whether an outline of another look shows the same tile."""
        wide, other = width_of(self.corners_px), width_of(outline)
        apart = np.linalg.norm(self.corners_px.mean(axis=0) - outline.mean(axis=0))
        return bool(apart < SAME_PLACE * wide and abs(np.log(other / wide)) < SAME_WIDTH)


def few_tiles(bgr: Bgr, network: TileNetwork) -> Detections:
    """Return the square tiles of a small layout, found by looks at several sizes, or nothing."""
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
    """Return the square candidates of looks at all sizes, each with its surest outline."""
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
    """Say whether outlines are one layout in colours the table lacks, with table all around."""
    fits = fit_outlines(np.stack(outlines), "square")
    if len(fits) != 1 or not ground.hidden(np.stack(outlines), HIDDEN).all():
        return False
    own = set(fits[0].cells)
    around = sorted(cells_beside(own) - own)
    corners = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
    places: Array = (np.array(around, float)[:, None] + corners).reshape(-1, 2)
    beside = mapped(fits[0].px_from_cell, places).reshape(-1, 4, 2)
    return not ground.hidden(beside, HARDLY_TABLE).any()
