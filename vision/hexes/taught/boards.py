"""Finds the board that an owner taught, of wood or in any print, and cuts out its cells and sides.

The networks for hex boards only know the printed ones. The network that detects tiles shows the
cells of any board on which they can be distinguished: the area that they fill together locates the
board roughly, the sides between them exactly. Only boards of Snekagon are taught.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.lattice import Cell, hex_neighbours
from engine.tiles import TileSet
from vision.core.crop import cut_one
from vision.core.types import LIKELIER, Bgr, Points
from vision.detect.hex_seams import on_its_seams
from vision.detect.network import STRIDE, shipped_network
from vision.hexes.plane import CELLS_RADIUS, HEX_CORNERS, HexBoard, plane_of, spread_as

Patches = NDArray[np.uint8]

BARE = "empty"
"""Name of the class of cells without a tile."""
JOINED, APART = "joined", "apart"
LOOK_PX = 960
"""Longer side of the picture in the look for boards."""
MOST_TRIED, LEAST_FILLED, LEAST_CELL_PX = 3, 0.6, 12.0
"""Patches of cells that are tried for the board, the minimum share of its convex hull that a patch
fills, and the minimum cell width."""
CUT_PX, ROOM = 112, 1.35
"""Side of the cut of a cell or side in pixels, and the factor by which its outline is enlarged."""
_CORNERS = np.roll(HEX_CORNERS, 1, axis=0)
"""Corners of a cell on the plane of its board, clockwise from the top."""


def side_name(colour: str, what: str) -> str:
    """Return the name of a class of sides between two cells of a colour."""
    return f"{colour} {what}"


def board_kinds(box: TileSet) -> tuple[str, ...]:
    """Return all classes to distinguish on a board: bare cells, colours, two sorts of sides."""
    sides = [side_name(colour, what) for colour in box.colours for what in (JOINED, APART)]
    return (BARE, *box.colours, *sides)


def find_taught_board(bgr: Bgr) -> HexBoard | None:
    """Return the board of a picture in one of its six turns.

    It is left out if its sides do not locate it: too much of it is hidden, or it is none.
    """
    size = bgr.shape[1], bgr.shape[0]
    network = shipped_network()
    maps = network.look(bgr, min(1.0, LOOK_PX / max(size)))
    shown = np.maximum(maps.share("board"), maps.share("hex")) > LIKELIER
    for inside in _patches(shown):
        board = spread_as(maps.picture_px(inside), STRIDE / maps.scale[0], CELLS_RADIUS, size)
        if board.cell_px() >= LEAST_CELL_PX:
            placed = on_its_seams(bgr, board, network)
            if placed.is_placed:
                return placed
    return None


def _patches(shown: NDArray[np.bool_]) -> Iterator[Points]:
    """Yield all places in the convex hull of each of the largest connected patches."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(shown.astype(np.uint8))
    order = sorted(range(1, count), key=lambda n: -int(stats[n, cv2.CC_STAT_AREA]))
    for label in order[:MOST_TRIED]:
        ys, xs = np.nonzero(labels == label)
        hull = cv2.convexHull(np.stack([xs, ys], axis=1).astype(np.int32))
        # Things on cells may hide them from the network, but not the shape of the whole.
        whole = cv2.fillConvexPoly(np.zeros(shown.shape, np.uint8), hull, 1)
        if int(stats[label, cv2.CC_STAT_AREA]) >= LEAST_FILLED * int(whole.sum()):
            ys, xs = np.nonzero(whole)
            yield np.stack([xs, ys], axis=1).astype(np.float64)


def cell_outlines(board: HexBoard, cells: Iterable[Cell]) -> list[Points]:
    """Return the corners of cells in pixels."""
    return [board.px(_CORNERS + plane_of([cell])) for cell in cells]


def side_outlines(board: HexBoard, sides: Iterable[tuple[Cell, int]]) -> list[Points]:
    """Return hexes centred on sides, turned so that each side runs from top to bottom."""
    found = []
    for cell, side in sides:
        c, s = np.cos(np.pi / 3 * side), np.sin(np.pi / 3 * side)
        middle = (plane_of([cell]) + plane_of([hex_neighbours(cell)[side]])) / 2
        found.append(board.px(_CORNERS @ np.array([[c, s], [-s, c]]) + middle))
    return found


def cut_out(bgr: Bgr, outlines: Sequence[Points]) -> Patches:
    """Return patches of outlines with a margin around them, N x 112 x 112 x 3."""
    patches = np.empty((len(outlines), CUT_PX, CUT_PX, 3), np.uint8)
    for number, corners in enumerate(outlines):
        middle = corners.mean(axis=0)
        patches[number] = cut_one(bgr, middle + (corners - middle) * ROOM, CUT_PX)
    return patches
