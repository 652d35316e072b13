"""Finds boards that owners taught, of wood or in any print, and cuts out their cells and sides.

The networks for hex boards only know the printed ones. The network that detects tiles shows the
cells of any board on which they can be distinguished: the area that they fill together locates the
board roughly, the sides between them exactly.
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
EYE = "eye"
"""Name of the class of holes in a board."""
JOINED, APART = "joined", "apart"
LOOK_PX = 960
"""Longer side of the picture in the look for boards."""
MOST_TRIED, LEAST_FILLED, LEAST_CELL_PX = 3, 0.6, 12.0
"""Patches of cells that are tried for one board, the minimum share of its convex hull that a patch
fills, and the minimum cell width."""
CUT_PX, ROOM = 112, 1.35
"""Side of the cut of a cell or side in pixels, and the factor by which its outline is enlarged."""
_CORNERS = np.roll(HEX_CORNERS, 1, axis=0)
"""Corners of a cell on the plane of its board, clockwise from the top."""


def side_name(colour: str, what: str) -> str:
    """Return the name of a class of sides between two cells of a colour."""
    return f"{colour} {what}"


def board_kinds(box: TileSet) -> tuple[str, ...]:
    """Return all classes to distinguish on a board: bare cells, colours, two sorts of sides.

    Holes in the board and clay on its tiles are classes too, where the box has them.
    """
    sides = [side_name(colour, what) for colour in box.colours for what in (JOINED, APART)]
    eyes = [EYE] if box.extras.get("board", {}).get("eyes") else []
    clay = [f"clay/{kind}" for kind in box.extras.get("clay", {})]
    return (BARE, *box.colours, *sides, *eyes, *clay)


def find_taught_boards(bgr: Bgr, most: int) -> tuple[HexBoard, ...]:
    """Return up to ``most`` boards of a picture, each in one of its six turns.

    A board is left out if its sides do not locate it: too much of it is hidden, or it is none.
    Where several boards are wanted, a large one that could not be placed is kept and marked as
    unsteady, since boards are numbered round the ring.
    """
    size = bgr.shape[1], bgr.shape[0]
    network = shipped_network()
    maps = network.look(bgr, min(1.0, LOOK_PX / max(size)))
    shown = np.maximum(maps.share("board"), maps.share("hex")) > LIKELIER
    found: list[HexBoard] = []
    largest = 0
    for inside in _patches(shown, most + MOST_TRIED - 1):
        board = spread_as(maps.picture_px(inside), STRIDE / maps.scale[0], CELLS_RADIUS, size)
        if board.cell_px() >= LEAST_CELL_PX:
            placed = on_its_seams(bgr, board, network)
            largest = max(largest, len(inside))
            if placed.is_placed or (most > 1 and len(inside) >= largest / 2):
                found.append(placed)
            if len(found) == most:
                break
    return tuple(found)


def _patches(shown: NDArray[np.bool_], most: int) -> Iterator[Points]:
    """Yield all places in the convex hull of each connected patch, the largest first."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(shown.astype(np.uint8))
    order = sorted(range(1, count), key=lambda n: -int(stats[n, cv2.CC_STAT_AREA]))
    for label in order[:most]:
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
