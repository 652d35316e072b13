"""Finds boards that owners taught, of wood or in any print, and cuts their cells and sides out.

The networks for hex boards know the printed ones only. The network that looks for tiles shows the
cells of any board on which they can be told from one another: what they fill together says about
where the board lies, and the sides between them where exactly.
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
"""What cells without a tile are called, beside the colours."""
EYE = "eye"
"""What holes in a board are called."""
JOINED, APART = "joined", "apart"
LOOK_PX = 960
"""Longer side of the copy that boards are looked for on."""
MOST_TRIED, LEAST_FILLED, LEAST_CELL_PX = 3, 0.6, 12.0
"""How many patches of cells are looked at, how much of their ring they fill, and how wide cells
must be."""
CUT_PX, ROOM = 112, 1.35
"""Cells and sides are cut so large, with so much around them."""
_CORNERS = np.roll(HEX_CORNERS, 1, axis=0)
"""Of a cell on the plane of its board, clockwise from the top."""


def side_name(colour: str, what: str) -> str:
    """Return what sides between two cells of a colour are called."""
    return f"{colour} {what}"


def board_kinds(box: TileSet) -> tuple[str, ...]:
    """Return all that must be told apart on a board: bare cells, colours, two sorts of sides.

    Some boards have holes, and clay on their tiles.
    """
    sides = [side_name(colour, what) for colour in box.colours for what in (JOINED, APART)]
    eyes = [EYE] if box.extras.get("board", {}).get("eyes") else []
    clay = [f"clay/{kind}" for kind in box.extras.get("clay", {})]
    return (BARE, *box.colours, *sides, *eyes, *clay)


def find_taught_boards(bgr: Bgr, most: int) -> tuple[HexBoard, ...]:
    """Return up to so many boards of a picture, each in one of its six turns.

    Nothing is returned where sides do not say where one lies: too much of it is hidden then, or
    what looked like cells are none. Of several, such as could not be placed are given as well,
    since the others are counted round the ring; they say that they are unsteady.
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
    """Yield all places inside the ring around what hangs together, the largest first."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(shown.astype(np.uint8))
    order = sorted(range(1, count), key=lambda n: -int(stats[n, cv2.CC_STAT_AREA]))
    for label in order[:most]:
        ys, xs = np.nonzero(labels == label)
        hull = cv2.convexHull(np.stack([xs, ys], axis=1).astype(np.int32))
        # What lies on cells may hide them from the network, never the shape of the whole.
        whole = cv2.fillConvexPoly(np.zeros(shown.shape, np.uint8), hull, 1)
        if int(stats[label, cv2.CC_STAT_AREA]) >= LEAST_FILLED * int(whole.sum()):
            ys, xs = np.nonzero(whole)
            yield np.stack([xs, ys], axis=1).astype(np.float64)


def cell_outlines(board: HexBoard, cells: Iterable[Cell]) -> list[Points]:
    """Return the corners of cells in pixels."""
    return [board.px(_CORNERS + plane_of([cell])) for cell in cells]


def side_outlines(board: HexBoard, sides: Iterable[tuple[Cell, int]]) -> list[Points]:
    """Return hexes about the middles of sides, turned so that each side runs from top to bottom."""
    found = []
    for cell, side in sides:
        c, s = np.cos(np.pi / 3 * side), np.sin(np.pi / 3 * side)
        middle = (plane_of([cell]) + plane_of([hex_neighbours(cell)[side]])) / 2
        found.append(board.px(_CORNERS @ np.array([[c, s], [-s, c]]) + middle))
    return found


def cut_out(bgr: Bgr, outlines: Sequence[Points]) -> Patches:
    """Return what lies in outlines, with room around it, N x 112 x 112 x 3."""
    patches = np.empty((len(outlines), CUT_PX, CUT_PX, 3), np.uint8)
    for number, corners in enumerate(outlines):
        middle = corners.mean(axis=0)
        patches[number] = cut_one(bgr, middle + (corners - middle) * ROOM, CUT_PX)
    return patches
