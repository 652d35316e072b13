"""What of a picture is one hex board, and that board without what lies around it.

The network that places boards goes by their corners, and on a chequered cloth it sees corners
everywhere. The network that looks for tiles tells cells from a cloth.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.lattice import hex_board
from vision.core.pyramid import GREY
from vision.core.types import Bgr, Points
from vision.detect.hex_seams import look_around
from vision.detect.network import STRIDE, TileMaps, TileNetwork, shipped_network
from vision.hexes.plane import REACH, HexBoard, plane_of

CELLS = hex_board(REACH + 1)
ACROSS = 2 * REACH + 1
"""Cells from one corner of a board to the other."""
HALF = 0.5
RIM = 0.5
"""How far around cells is left, in cell widths: seven boards on cloths that two looks had placed
0.07 to 0.32 apart came out 0.02 apart at most with this, with 0.3 and with 1."""
WHOLE = 0.97
"""Share of a board's cells that are shown if nothing hides it."""


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
        return STRIDE / self.maps.scale[0]

    def places(self) -> Points:
        """Return where in the picture it is, one place a step."""
        ys, xs = np.nonzero(self.shown)
        return self.maps.picture_px(np.stack([xs, ys], axis=1))

    def is_whole(self, board: HexBoard) -> bool:
        """Say whether nothing hides a board."""
        return float(_at(self.maps, self.shown, board.px(plane_of(CELLS))).mean()) >= WHOLE

    def painted(self, bgr: Bgr, cell_px: float) -> Bgr:
        """Return a copy of the picture with nothing else on it, but for a rim."""
        rim = 2 * round(RIM * cell_px * self.maps.scale[0] / STRIDE) + 1
        round_one = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (rim, rim))
        wide = cv2.dilate(self.shown, round_one)
        left, top = (int(edge) for edge in self.maps.origin_px)
        size = [round(length * STRIDE / s) for length, s in
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
