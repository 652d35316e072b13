"""The table around hex boards as if from above, and what the first network marks there.

The boards say how the table lies and how large a cell is, so that everything around them is seen at
one scale. Cells of tiles are marked for `hex_aside`. A board that something hides from its middle
on is marked as a whole there, where a look at the picture as it is may show none of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core.pyramid import Pyramid, drawn_between
from vision.core.types import Bgr, Points
from vision.hexes.models import HexModels
from vision.hexes.plane import OUTLINE_RADIUS, HexBoard
from vision.hexes.scraps import STRIDE
from vision.hexes.starts import FINDER_STEP, SHRINK
from vision.hexes.stencils import CELL_PX

Floats = NDArray[np.float32]

AROUND = 16.0
"""How far around the boards is looked, in cell widths: stocks lie within some 200 mm."""
MOST_PX = 1280
COARSE = 8
"""Every so many pixels the view's places are computed, and drawn straight between."""
EDGE_STEPS, HORIZON = 12, 0.02
"""Places along each edge of a picture that are looked at, and how far the furthest may be seen,
as a share of the nearest's depth, before it counts as a horizon."""
LEAST_OF_MARK = 0.5
"""Marks of boards are no smaller than that share of a whole one's. One that an arm hid three
quarters of had 0.8; on 39 other tables nothing in the picture had more than 0.01."""
MARK_PX = (OUTLINE_RADIUS * SHRINK * CELL_PX / STRIDE) ** 2 * 1.5 * sqrt(3)
"""How many places of the map a board's mark covers."""


@dataclass(frozen=True, eq=False)
class Above:
    """What is seen from above, and marked on it."""

    view: View
    bgr: Bgr
    boards: Floats
    """Logits of the inside of boards."""
    tiles: Floats
    """Logits of the cells of tiles."""

    @classmethod
    def of(cls, pyramid: Pyramid, boards: Sequence[HexBoard], models: HexModels) -> Above:
        """Return what is seen around boards, of which there must be one."""
        view = View.around(pyramid, boards)
        bgr = view.seen(pyramid)
        inside, tiles = models.mark(bgr)
        return cls(view, bgr, inside, tiles)

    def boards_beside(
        self, boards: Sequence[HexBoard], size_px: tuple[int, int]
    ) -> Iterator[Points]:
        """Yield the places in the picture of marks that are large enough to be further boards."""
        left = (self.boards > 0) & ~self.view.on_boards(boards, self.boards.shape)
        count, labels, stats, _ = cv2.connectedComponentsWithStats(
            left.astype(np.uint8), connectivity=4
        )
        for label in range(1, count):
            if stats[label, cv2.CC_STAT_AREA] < LEAST_OF_MARK * MARK_PX:
                continue
            ys, xs = np.nonzero(labels == label)
            places = self.view.plane(np.stack([xs, ys], axis=1).astype(np.float64))
            px = self.view.board.px(places)
            px = px[((px >= 0) & (px < np.array(size_px))).all(axis=1)]
            if len(px) >= LEAST_OF_MARK * MARK_PX:
                yield px


@dataclass(frozen=True, eq=False)
class View:
    """The table around boards from above, in the plane of the first of them."""

    board: HexBoard
    low: Points
    """Its upper left corner on the plane."""
    size: tuple[int, int]

    @classmethod
    def around(cls, pyramid: Pyramid, boards: Sequence[HexBoard]) -> View:
        """Return the view of boards and what is around them, as far as the picture shows it."""
        plane_from_px = np.linalg.inv(boards[0].px_from_plane)
        outlines = np.concatenate([board.outline() for board in boards])
        flat = cv2.perspectiveTransform(outlines.reshape(-1, 1, 2), plane_from_px).reshape(-1, 2)
        low, high = flat.min(axis=0) - AROUND, flat.max(axis=0) + AROUND
        edge_low, edge_high = in_view(pyramid, boards[0])
        low, high = np.maximum(low, edge_low), np.minimum(high, edge_high)
        width, height = np.minimum(np.ceil((high - low) * CELL_PX), MOST_PX).astype(int)
        middle = (low + high) / 2
        size = int(width) + -int(width) % FINDER_STEP, int(height) + -int(height) % FINDER_STEP
        return cls(boards[0], middle - np.array(size) / 2 / CELL_PX, size)

    def seen(self, pyramid: Pyramid) -> Bgr:
        """Return the view; grey where the camera does not look."""
        width, height = self.size
        steps = np.stack(np.meshgrid(np.arange(0, width + COARSE, COARSE),
                                     np.arange(0, height + COARSE, COARSE)), axis=-1)  # fmt: skip
        plane = (steps.reshape(-1, 2) + 0.5) / CELL_PX + self.low
        ahead = np.append(plane, np.ones((len(plane), 1)), axis=1) @ self.board.px_from_plane[2]
        px = self.board.px(plane)
        # Behind the horizon nothing is seen, whatever the map says.
        px[ahead < 0.05] = -30000
        fine = drawn_between(px.reshape(steps.shape), COARSE, (height, width))
        return pyramid.sampled(fine, self.board.cell_px() / CELL_PX)

    def on_boards(self, boards: Sequence[HexBoard], shape: tuple[int, ...]) -> NDArray[np.bool_]:
        """Return the map pixels that boards cover."""
        mask = np.zeros(shape, np.uint8)
        plane_from_px = np.linalg.inv(self.board.px_from_plane)
        for board in boards:
            corners = board.outline().reshape(-1, 1, 2)
            flat = cv2.perspectiveTransform(corners, plane_from_px).reshape(-1, 2)
            flat = (flat - flat.mean(axis=0)) * (1 + 0.35 / OUTLINE_RADIUS) + flat.mean(axis=0)
            at = (flat - self.low) * CELL_PX / STRIDE - 0.5
            cv2.fillPoly(mask, [np.round(at).astype(np.int32)], 1)
        return mask > 0

    def plane(self, map_xy: Points) -> Points:
        """Return the places on the plane of places in the map."""
        return np.asarray((map_xy + 0.5) * STRIDE / CELL_PX + self.low)


def in_view(pyramid: Pyramid, board: HexBoard) -> tuple[Points, Points]:
    """Return between which places of a board's plane the picture lies; anywhere at a horizon."""
    width, height = pyramid.size_px
    along = np.linspace(0, 1, EDGE_STEPS)
    ends = np.array([(0, 0), (width, 0), (width, height), (0, height), (0, 0)], float)
    edge = np.concatenate([a + (b - a) * along[:, None] for a, b in pairwise(ends)])
    plane_from_px = np.linalg.inv(board.px_from_plane)
    seen = np.append(board.unbent(edge), np.ones((len(edge), 1)), axis=1) @ plane_from_px.T
    depth = seen[:, 2] * np.sign(plane_from_px[2] @ np.append(board.px(np.zeros((1, 2)))[0], 1))
    if depth.min() <= HORIZON * depth.max():
        return np.full(2, -np.inf), np.full(2, np.inf)
    places = seen[:, :2] / seen[:, 2:]
    return places.min(axis=0), places.max(axis=0)
