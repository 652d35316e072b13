"""What is seen of hex boards that the picture's edge or a thing hides too much of to place them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.lattice import hex_board
from vision.core.pyramid import GREY
from vision.core.types import Bgr, Points
from vision.detect.detect import detect_tiles
from vision.detect.hex_seams import board_shares, look_around
from vision.detect.network import STRIDE as NET_STRIDE
from vision.detect.network import TileMaps, TileNetwork, shipped_network
from vision.hexes.plane import REACH, HexBoard, plane_of

Floats = NDArray[np.float32]

STRIDE = 4
"""Pixels of the copy that boards are looked for on for one of the map that marks them."""
LEAST_SHARE = 0.25
"""How surely the network for tiles must show bare cells where a board is marked that cannot be
placed: on five tables with such scraps it gave 0.31 and more, on three on which a cloth or a loose
tile was marked 0.2 at most."""
LOOKS, LEAST_OF_SCRAP = (1.0, 1.15), 0.8
"""How large cells are taken to be when that is asked, and how surely bare cells or tiles must show
in each look: six cut boards had 0.92 and more, loose tiles on pale stone 0.78 at most."""
LEAST_OF_BOARD = 0.35
"""How surely cells or tiles must show where a board is marked that cannot be placed: a stone slab
with a tile on it had 0.28, a board that a hand hid from its corner on 0.87."""
FAINT = -2.5
"""How faintly, as a logit, scraps at the picture's edge may be marked. A half of a board that was
hardly marked had a share of 0.83, and 35 places on the edges of 49 rendered tables 0.01 at most."""
SCRAP_CELLS, BOARD_CELLS, BESIDE = 3.0, 360.0, 1.15
"""Marks of fewer cells than that are no scrap of a board, nor faint ones of more than a board has
that is twice as near, nor such within so many times the size of a board: a tile of which all is
seen may lie on more."""
MOST_NEARER = 2.0
"""How many times wider than the nearest board's cells are at most: planes go on to a horizon."""
CELLS = hex_board(REACH + 1)
ACROSS = 2 * REACH + 1
"""Cells from one corner of a board to the other."""
HALF = 0.5
RIM = 0.5
"""How far around cells is left, in cell widths: seven boards on cloths that two looks had placed
0.07 to 0.32 apart came out 0.02 apart at most with this, with 0.3 and with 1."""
WHOLE = 0.97
"""Share of a board's cells that are shown if nothing hides it."""


def scraps_of(
    bgr: Bgr, shown: Floats, scale: float, boards: Sequence[HexBoard]
) -> tuple[Points, ...]:
    """Return the corners of marks that lie on no board; nothing without a board to go by.

    The network that looks for tiles knows tablecloths better, and is asked too. Where the picture's
    edge cuts a board, fainter marks are looked at.
    """
    if not boards:
        return ()
    size = np.array([bgr.shape[1::-1]])
    half = STRIDE / scale / 2

    def at_edge(own: Mark) -> bool:
        return own.cells <= BOARD_CELLS and bool(
            (own.points < 4 * half).any() or (own.points > size - 4 * half).any()
        )

    def seen(mark: float) -> tuple[Points, ...]:
        return tuple(
            np.array([own.points.min(axis=0) - half, own.points.max(axis=0) + half])
            for own in marks_beside(shown, scale, boards, mark)
            if (mark >= 0 or at_edge(own))
            and all(_is_of_a_board(bgr, own.points, own.cell_px * look) for look in LOOKS)
        )

    return seen(0.0) or seen(FAINT)


@dataclass(frozen=True, eq=False)
class Mark:
    """Where a board may be that is not placed."""

    points: Points
    cell_px: float
    """How wide cells are there."""
    cells: float
    """How many the mark covers."""


def marks_beside(
    shown: Floats, scale: float, boards: Sequence[HexBoard], mark: float = 0.0
) -> Iterator[Mark]:
    """Yield the marks, of some cells or more, that lie on no board.

    All boards lie on one table: the nearest one tells how wide cells are.
    """
    left = shown.copy()
    for board in boards:
        cv2.fillPoly(left, [_on_the_map(board, scale)], -np.inf)
    least = min(board.cell_px() for board in boards)
    for points in hanging_together((left > mark).astype(np.uint8), scale, 1):
        middle = points.mean(axis=0)
        near = min(boards, key=lambda board: float(np.hypot(*(board.middle() - middle))))
        cell_px = float(np.clip(near.cell_px_at(middle), least, MOST_NEARER * near.cell_px()))
        cells = len(points) / ((cell_px * scale / STRIDE) ** 2 * sqrt(3) / 2)
        if cells >= SCRAP_CELLS:
            yield Mark(points, cell_px, cells)


def board_around(bgr: Bgr, mark: Mark) -> Alone | None:
    """Return what shows cells and hangs together with a mark; ``None`` if the mark shows few.

    Where a board looks like the table it is marked badly; the network for tiles shows all of it.
    """
    bare, _ = board_shares(bgr, mark.points, mark.cell_px)
    return Alone.around(bgr, mark.points, mark.cell_px) if bare >= LEAST_SHARE else None


def _is_of_a_board(bgr: Bgr, points: Points, cell_px: float) -> bool:
    bare, laid = board_shares(bgr, points, cell_px)
    return bare >= LEAST_SHARE and bare + laid >= LEAST_OF_SCRAP


def shows_a_board(bgr: Bgr, shown: Floats, scale: float, board: HexBoard) -> bool:
    """Say whether what is marked of a board that cannot be placed looks like one.

    A hand may hide the rest of it.
    """
    inside = cv2.fillPoly(np.zeros(shown.shape, np.uint8), [_on_the_map(board, scale)], 1)
    marks = np.asarray(((shown > 0) & (inside > 0)).astype(np.uint8))
    found = list(hanging_together(marks, scale, 1))
    if not found:
        return False
    return sum(board_shares(bgr, np.concatenate(found), board.cell_px())) >= LEAST_OF_BOARD


def cells_marked(bgr: Bgr, shown: Floats, scale: float, least: int) -> tuple[Points, ...]:
    """Return cells with tiles where a board that cannot be placed is marked most surely, if any.

    Cells too small to be placed are found so, and nothing without a faint mark of so many places.
    """
    found = list(hanging_together(np.asarray((shown > FAINT).astype(np.uint8)), scale, least))
    if not found:
        return ()
    points = max(found, key=lambda own: _surest(shown, own, scale))
    room = np.ptp(points, axis=0).max() / 2
    corner = np.maximum(points.min(axis=0) - room, 0).astype(int)
    right, bottom = (points.max(axis=0) + room).astype(int)
    part = np.ascontiguousarray(bgr[corner[1] : bottom, corner[0] : right])
    return tuple(tile.corners_px + corner for tile in detect_tiles(part, "hex").found)


def _surest(shown: Floats, points: Points, scale: float) -> float:
    """Return how surely a board is marked at best at some places of the picture."""
    x, y = np.round(((points + 0.5) * scale - 0.5 - (STRIDE - 1) / 2) / STRIDE).astype(int).T
    return float(shown[y, x].max())


def _on_the_map(board: HexBoard, scale: float) -> NDArray[np.int32]:
    """Return the corners of a board and of what is beside it on the map that marks boards."""
    corners = board.outline()
    wide = (corners - corners.mean(axis=0)) * BESIDE + corners.mean(axis=0)
    at = ((wide + 0.5) * scale - 0.5 - (STRIDE - 1) / 2) / STRIDE
    return np.asarray(np.round(at), np.int32)


def hanging_together(marks: NDArray[np.uint8], scale: float, least: float) -> Iterator[Points]:
    """Yield the places in the picture of marks that hang together, so many or more."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(marks, connectivity=4)
    for label in range(1, count):
        if int(stats[label, cv2.CC_STAT_AREA]) >= least:
            ys, xs = np.nonzero(labels == label)
            marked = np.stack([xs, ys], axis=1).astype(np.float64) * STRIDE + (STRIDE - 1) / 2
            yield (marked + 0.5) / scale - 0.5


@dataclass(frozen=True, eq=False)
class Alone:
    """What shows cells and hangs together."""

    shown: NDArray[np.uint8]
    """1 where it is, in steps of the maps."""
    maps: TileMaps

    @classmethod
    def around(
        cls, bgr: Bgr, points: Points, cell_px: float, network: TileNetwork | None = None
    ) -> Alone:
        """Return what hangs together with most of some places.

        Args:
            bgr: the picture.
            points: some places on a board.
            cell_px: how wide its cells are, about.
            network: by default the one that the repository ships.
        """
        reach = ACROSS * cell_px
        wide = np.array([points.min(axis=0) - reach, points.max(axis=0) + reach])
        maps = look_around(bgr, wide, cell_px, network or shipped_network())
        cells = np.maximum(maps.share("board"), maps.share("hex")) > HALF
        count, labels = cv2.connectedComponents(cells.astype(np.uint8), connectivity=4)
        votes = np.bincount(_at(maps, np.asarray(labels), points), minlength=count)
        votes[0] = 0
        return cls((labels == max(votes.argmax(), 1)).astype(np.uint8), maps)

    @property
    def grain_px(self) -> float:
        """How far its places are apart."""
        return NET_STRIDE / self.maps.scale[0]

    def places(self) -> Points:
        """Return where in the picture it is, one place a step."""
        ys, xs = np.nonzero(self.shown)
        return self.maps.picture_px(np.stack([xs, ys], axis=1))

    def is_whole(self, board: HexBoard) -> bool:
        """Say whether nothing hides a board."""
        return float(_at(self.maps, self.shown, board.px(plane_of(CELLS))).mean()) >= WHOLE

    def painted(self, bgr: Bgr, cell_px: float) -> Bgr:
        """Return a copy of the picture with nothing else on it, but for a rim."""
        rim = 2 * round(RIM * cell_px * self.maps.scale[0] / NET_STRIDE) + 1
        round_one = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (rim, rim))
        wide = cv2.dilate(self.shown, round_one)
        left, top = (int(edge) for edge in self.maps.origin_px)
        size = [round(length * NET_STRIDE / s) for length, s in
                zip(wide.shape[::-1], self.maps.scale, strict=True)]  # fmt: skip
        part = bgr[top : top + size[1], left : left + size[0]]
        left_over = cv2.resize(wide, size)[: part.shape[0], : part.shape[1]]
        out = np.full_like(bgr, GREY)
        out[top : top + size[1], left : left + size[0]][left_over > 0] = part[left_over > 0]
        return out


def _at(maps: TileMaps, shown: NDArray[np.generic], points: Points) -> NDArray[np.generic]:
    """Return what a map holds at places of the picture."""
    at = np.round(maps.map_xy(points)).astype(int)
    x, y = np.clip(at, 0, np.array(shown.shape[::-1]) - 1).T
    return np.asarray(shown[y, x])
