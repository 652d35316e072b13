"""Places hex boards of which a part is hidden by the seams between the cells that are seen.

The network that places boards goes by their corners; without some of them it is off by a third of
a cell. The network that looks for tiles shows the sides of all cells, and a board's grid is moved
onto those. Which cell is which is told by where the board ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.lattice import HEX_STEPS, Cell, hex_board
from vision.core.stages import stage
from vision.core.types import Bgr, Points
from vision.detect.network import TileMaps, TileNetwork, shipped_network
from vision.hexes.grid import SeamSettings, settled, side_contrast
from vision.hexes.plane import REACH, HexBoard, plane_of

CELLS = hex_board(REACH + 1)
CELL_PX, MOST_ENLARGED = 26.0, 1.5
"""How wide cells are made for the look, and how much larger the picture at most."""
SEAMS = SeamSettings(reach=0.3, prior=0.2, outlier=0.05, rounds=8)
QUICK = replace(SEAMS, rounds=4, steps=15, places=5)
"""For trying places: a sixth of the time."""
BEYOND = tuple(sorted(set(hex_board(REACH + 2)) - set(CELLS)))
"""The cells that a larger board would have around this one."""
STEPS: tuple[Cell, ...] = ((0, 0), *HEX_STEPS)
LEAST_AHEAD = 2.5
"""By how many cells a place must be better than those a cell beside it: nine boards that were cut
by up to two thirds were 8.7 and more ahead, one that a hand hid from a corner on 2.7, and one that
an arm hid from its middle on 0.1."""
LEAST_SEAMS = 0.54
"""How much clearer sides must be shown than what is beside them. Of 48 boards that the picture's
edge cut, up to a third of them, 37 were within 0.07 of a cell after and 0.65 and more, the others
were off by 0.2 and more and 0.51 at most, but for one that lay a whole cell beside."""
UNKNOWN = 1.0
"""How far a board counts as misplaced that may as well lie a cell beside."""
FEWEST, FEWEST_SHOWN = 20, 16
"""With fewer cells in the picture nothing is moved, and with fewer of them shown none is placed: 47
boards cut to 20 to 30 cells lay within 0.05 of a cell then, and one more that a cup hid some of."""
HALF = 0.5


@dataclass(frozen=True, eq=False)
class _Laid:
    """A board moved onto seams, and what speaks for its place."""

    board: HexBoard
    ahead: float
    """By how many cells its place is better than those a cell beside it."""
    seams: float
    """How much clearer its sides are shown than what is beside them."""

    @property
    def is_placed(self) -> bool:
        return self.ahead >= LEAST_AHEAD and self.seams >= LEAST_SEAMS


@stage("hexes: seams", without=lambda bgr, board, *_: board)
def on_its_seams(bgr: Bgr, board: HexBoard, network: TileNetwork | None = None) -> HexBoard:
    """Return a board moved to where the sides of its cells are seen.

    It counts as placed, whatever looks said before, where its sides are shown and it could not as
    well lie a cell beside. One that is not is tried again from half a cell beside: a hand on one
    of its corners may have drawn it so far off.
    """
    cells = _seen(bgr, board, CELLS)
    if len(cells) < FEWEST:
        return board
    maps = look_around(
        bgr, board.px(plane_of(cells)), board.cell_px(), network or shipped_network()
    )
    laid = _laid(bgr, board, maps)
    if not laid.is_placed:
        again = _laid(bgr, _from_beside(bgr, board, maps), maps)
        laid = again if again.is_placed else laid
    unsteady = 0.0 if laid.is_placed else max(board.unsteady, UNKNOWN)
    return replace(laid.board, unsteady=unsteady)


def _laid(bgr: Bgr, board: HexBoard, maps: TileMaps) -> _Laid:
    cells = _seen(bgr, board, CELLS)
    moved = replace(board, px_from_plane=settled(maps, board.flat(), cells, SEAMS), lens=0.0)
    shown = np.maximum(maps.share("board"), maps.share("hex"))
    scores = {step: _filled(bgr, _shifted(moved, step), maps, shown) for step in STEPS}
    best = max(STEPS, key=lambda step: scores[step])
    ahead = scores[best] - max(score for step, score in scores.items() if step != best)
    found = _shifted(moved, best)
    own = _cells_shown(bgr, found, maps, shown)
    seams = (
        side_contrast(maps, found.px_from_plane, own, SEAMS) if len(own) >= FEWEST_SHOWN else 0.0
    )
    return _Laid(found, ahead, seams)


def _from_beside(bgr: Bgr, board: HexBoard, maps: TileMaps) -> HexBoard:
    """Return a board moved from half a cell beside it, to where its seams are clearest."""
    flat = replace(board, px_from_plane=board.flat(), lens=0.0)
    tried = []
    for step in HEX_STEPS:
        start = _shifted(flat, step, HALF)
        cells = _seen(bgr, start, CELLS)
        if len(cells) >= FEWEST:
            moved = settled(maps, start.px_from_plane, cells, QUICK)
            tried.append((side_contrast(maps, moved, cells, QUICK), moved))
    best = max(tried, key=lambda one: one[0], default=(0.0, flat.px_from_plane))
    return replace(flat, px_from_plane=best[1])


def board_shares(
    bgr: Bgr, points: Points, cell_px: float, network: TileNetwork | None = None
) -> tuple[float, float]:
    """Return how surely bare cells and tiles are shown at some places of a picture, 0 to 1."""
    maps = look_around(bgr, points, cell_px, network or shipped_network())
    bare, laid = (float(_at(maps, maps.share(name), points).mean()) for name in ("board", "hex"))
    return bare, laid


def look_around(bgr: Bgr, points: Points, cell_px: float, network: TileNetwork) -> TileMaps:
    """Return the maps of the part of a picture around some places, and of what is beside it."""
    height, width = bgr.shape[:2]
    room = 2.5 * cell_px
    left, top = np.maximum(np.floor(points.min(axis=0) - room), 0).astype(int).tolist()
    right, bottom = np.minimum(np.ceil(points.max(axis=0) + room), (width, height)).astype(int)
    scale = min(CELL_PX / max(cell_px, 1.0), MOST_ENLARGED)
    return network.look(bgr, scale, (left, top, int(right), int(bottom)))


def _shifted(board: HexBoard, step: Cell, share: float = 1.0) -> HexBoard:
    """Return a board that lies a cell further, or a share of one."""
    move = np.eye(3)
    move[:2, 2] = plane_of([step])[0] * share
    return replace(board, px_from_plane=board.px_from_plane @ move)


def _filled(bgr: Bgr, board: HexBoard, maps: TileMaps, shown: NDArray[np.float32]) -> float:
    """Return how many cells are shown where a board has some, less those that are not.

    Cells that are shown around the board count against it too. Without both, a board could as
    well lie a cell further where it leaves the picture.
    """
    own = _shares(maps, shown, board, _seen(bgr, board, CELLS))
    around = _shares(maps, shown, board, _seen(bgr, board, BEYOND))
    return float((2 * own - 1).sum() - around.sum())


def _cells_shown(
    bgr: Bgr, board: HexBoard, maps: TileMaps, shown: NDArray[np.float32]
) -> list[Cell]:
    """Return the cells of a board that nothing hides."""
    cells = _seen(bgr, board, CELLS)
    shares = _shares(maps, shown, board, cells)
    return [cell for cell, share in zip(cells, shares, strict=True) if share > HALF]


def _seen(bgr: Bgr, board: HexBoard, cells: Sequence[Cell]) -> list[Cell]:
    """Return the cells whose middle lies in the picture."""
    height, width = bgr.shape[:2]
    px = board.px(plane_of(cells))
    inside = np.asarray(((px >= 0) & (px <= (width - 1, height - 1))).all(axis=1))
    return [cell for cell, own in zip(cells, inside, strict=True) if own]


def _shares(
    maps: TileMaps, shown: NDArray[np.float32], board: HexBoard, cells: Sequence[Cell]
) -> NDArray[np.float32]:
    """Return how surely a cell is shown at the middle of each."""
    return _at(maps, shown, board.px(plane_of(cells)))


def _at(maps: TileMaps, shown: NDArray[np.float32], points: Points) -> NDArray[np.float32]:
    """Return what a map says at places of the picture."""
    if not len(points):
        return np.zeros(0, np.float32)
    at = maps.map_xy(points).astype(np.float32)[None]
    x, y = np.ascontiguousarray(at[..., 0]), np.ascontiguousarray(at[..., 1])
    return np.asarray(cv2.remap(shown, x, y, cv2.INTER_LINEAR), np.float32).ravel()
