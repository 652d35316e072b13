"""Finds a few tiles of an unknown box that lie alone on a bare table, where one look finds none.

A short row of dark tiles looks a little like many things, a knot in the wood like a tile. But tiles
are seen at the same place and equally wide however large the picture is made, side by side, in
colours that the table has nowhere else; knots are not, and the squares of a chessboard have the
colours of those around them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.core.ground import HIDDEN, Ground
from vision.core.lattice import cells_beside, fit_outlines, mapped
from vision.core.types import Bgr, Detection, Detections, Points, width_of
from vision.detect.network import TileNetwork
from vision.detect.votes import FoundCell, found_cells

Array = NDArray[np.float64]

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
TABLE = 0.5
"""How often the table must show the colours of all cells around them, as a share of a usual place's
colours."""


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
    return not ground.hidden(beside, TABLE).any()
