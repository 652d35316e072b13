"""Names the hex tiles that lie beside the boards: unused ones, stocks, what was taken off.

The boards say how the table lies and how large a cell is, so that everything around them can be
seen from above at one scale. There the first network marks cells of tiles; marks that hang
together are compared with every tile of the box in every turn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import pi
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.draw.hexes import outline as cells_outline
from engine.draw.palette import coat
from engine.hexpath import path_cells
from engine.lattice import Cell
from engine.tiles import TileSet
from vision.hex_boards import FINDER_STEP, OUTLINE_RADIUS, STRIDE, HexBoard, Pyramid, plane_of
from vision.hex_models import HexModels
from vision.types import Bgr, Points

Floats = NDArray[np.float32]

CELL_PX = 16
"""How wide cells are where tiles beside boards are looked for."""
AROUND = 16.0
"""How far around the boards is looked, in cell widths: stocks lie within some 200 mm."""
MOST_PX = 1280
PATCH = 32
"""Map pixels of the square that a tile is compared in."""
TURNS = 24
SHRINK = 0.7
"""The network marks so much of each cell's size."""
LEAST_PX, MOST_MARK_PX = 4, 130
LEAST_FIT = 0.52
"""Marks that fit no tile better than that are something else."""
RIVAL_FREE = 0.2
"""A second tile that fits so well takes nothing from the confidence."""
BLUR = 0.8
FIELD_BGR = np.array([0xD6, 0xEA, 0xF3], np.float32)
"""The boards' paper as it is printed."""
PALE, BASE, EDGE = 0.45, 0.42, 0.13
"""How much of a tile is its ground, its snake and its dark edge."""


@dataclass(frozen=True, eq=False)
class AsideTile:
    """A tile that lies beside the boards."""

    tile: str
    outline_px: Points
    confidence: float


def tiles_aside(
    pyramid: Pyramid,
    boards: Sequence[HexBoard],
    tile_set: TileSet,
    models: HexModels,
    laid: Sequence[str] = (),
) -> tuple[AsideTile, ...]:
    """Return the tiles that lie around boards.

    Args:
        pyramid: the picture.
        boards: where the boards lie.
        tile_set: the box.
        models: the networks.
        laid: the tiles on the boards. What is seen more often than the box has left is a pattern
            of the table, none of it a tile.
    """
    if not boards:
        return ()
    view = _View.around(pyramid, boards)
    above = view.seen(pyramid)
    logits = models.mark(above)[1]
    marks = 1 / (1 + np.exp(-np.clip(logits, -30, 30)))
    marks[view.on_boards(boards, marks.shape)] = 0
    paper = _paper(above, view, boards)
    small = cv2.resize(above, marks.shape[::-1], None, 0, 0, cv2.INTER_AREA)
    found = []
    for patch, middle, own in _patches(marks.astype(np.float32)):
        colour = _colour(small[own].mean(axis=0), paper, tile_set.colours)
        tile = _named(patch, view.plane(middle), colour, tile_set, boards[0])
        if tile is not None:
            found.append(tile)
    seen, gone = Counter(tile.tile for tile in found), Counter(laid)
    left = {name: count - gone[name] for name, count in tile_set.counts.items()}
    return tuple(tile for tile in found if seen[tile.tile] <= left.get(tile.tile, 0))


@dataclass(frozen=True, eq=False)
class _View:
    """The table around boards from above, in the plane of the first of them."""

    board: HexBoard
    low: Points
    """Its upper left corner on the plane."""
    size: tuple[int, int]

    @classmethod
    def around(cls, pyramid: Pyramid, boards: Sequence[HexBoard]) -> _View:
        plane_from_px = np.linalg.inv(boards[0].px_from_plane)
        outlines = np.concatenate([board.outline() for board in boards])
        flat = cv2.perspectiveTransform(outlines.reshape(-1, 1, 2), plane_from_px).reshape(-1, 2)
        low, high = flat.min(axis=0) - AROUND, flat.max(axis=0) + AROUND
        width, height = np.minimum(np.ceil((high - low) * CELL_PX), MOST_PX).astype(int)
        middle = (low + high) / 2
        size = int(width) + -int(width) % FINDER_STEP, int(height) + -int(height) % FINDER_STEP
        return cls(boards[0], middle - np.array(size) / 2 / CELL_PX, size)

    def seen(self, pyramid: Pyramid) -> Bgr:
        """Return the view; grey where the camera does not look."""
        width, height = self.size
        grid = np.stack(np.meshgrid(np.arange(width), np.arange(height)), axis=-1).reshape(-1, 2)
        plane = (grid + 0.5) / CELL_PX + self.low
        ahead = np.append(plane, np.ones((len(plane), 1)), axis=1) @ self.board.px_from_plane[2]
        px = self.board.px(plane)
        # Behind the horizon nothing is seen, whatever the map says.
        px[ahead < 0.05] = -30000
        return pyramid.sampled(px, (height, width), self.board.cell_px() / CELL_PX)

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


def _paper(above: Bgr, view: _View, boards: Sequence[HexBoard]) -> Floats:
    """Return the colour of the boards' paper in this light."""
    mask = view.on_boards(boards, (above.shape[0] // STRIDE, above.shape[1] // STRIDE))
    inner = above[::STRIDE, ::STRIDE][: mask.shape[0], : mask.shape[1]][mask]
    if not len(inner):
        return np.full(3, 200, np.float32)
    total = inner.sum(axis=1, dtype=np.int32)
    bright = inner[total >= np.quantile(total, 0.55)]
    return np.asarray(np.maximum(np.median(bright, axis=0), 24), np.float32)


def _patches(marks: Floats) -> Iterator[tuple[Floats, Points, NDArray[np.bool_]]]:
    """Yield marks that hang together, each about the middle of a patch; the middle; the marks."""
    joined = cv2.dilate((marks > 0.5).astype(np.uint8), np.ones((3, 3), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    wide = np.pad(marks, PATCH)
    names = np.pad(labels, PATCH)
    for label in range(1, count):
        own = (labels == label) & (marks > 0.5)
        if not LEAST_PX <= own.sum() <= MOST_MARK_PX or max(stats[label, 2:4]) > PATCH:
            continue
        ys, xs = np.nonzero(own)
        weight = marks[own]
        middle = np.array([np.average(xs, weights=weight), np.average(ys, weights=weight)])
        corner = np.round(middle).astype(int) - PATCH // 2
        rows = slice(corner[1] + PATCH, corner[1] + 2 * PATCH)
        columns = slice(corner[0] + PATCH, corner[0] + 2 * PATCH)
        patch = np.where(names[rows, columns] == label, wide[rows, columns], 0)
        # Templates stand on whole pixels: the rest of the way is made up here.
        shift = np.round(middle) - middle
        move = np.array([[1, 0, shift[0]], [0, 1, shift[1]]])
        patch = cv2.warpAffine(patch.astype(np.float32), move, (PATCH, PATCH))
        yield np.asarray(patch, np.float32), middle, own


@lru_cache(maxsize=16)
def _templates(paths: tuple[str, ...]) -> tuple[Floats, tuple[tuple[str, float, bool], ...]]:
    """Return what the marks of each tile look like in each turn, one a row."""
    rows, names = [], []
    for path in paths:
        for flipped in (False, True):
            for turn in range(TURNS):
                angle = 2 * pi * turn / TURNS
                rows.append(_drawn(path_cells(path), angle, flipped).ravel())
                names.append((path, angle, flipped))
    return np.array(rows, np.float32), tuple(names)


def _laid(cells: Sequence[Cell], angle: float, flipped: bool) -> tuple[Points, NDArray[np.float64]]:
    """Return the middles of a tile's cells about their own middle, and the turn itself."""
    mirror = np.diag([-1.0 if flipped else 1.0, 1.0])
    c, s = np.cos(angle), np.sin(angle)
    turn = np.array([[c, -s], [s, c]]) @ mirror
    places = plane_of(cells)
    return (places - places.mean(axis=0)) @ turn.T, turn


def _drawn(cells: Sequence[Cell], angle: float, flipped: bool) -> Floats:
    fine = 4
    picture = np.zeros((PATCH * fine, PATCH * fine), np.uint8)
    middles, turn = _laid(cells, angle, flipped)
    hexagon = np.array(cells_outline([(0, 0)], SHRINK)) @ turn.T
    for middle in middles:
        at = (hexagon + middle) * CELL_PX / STRIDE + PATCH // 2 + 0.5
        cv2.fillPoly(picture, [np.round(at * fine).astype(np.int32)], 255)
    small = cv2.resize(picture, (PATCH, PATCH), None, 0, 0, cv2.INTER_AREA)
    return np.asarray(cv2.GaussianBlur(small.astype(np.float32) / 255, (0, 0), BLUR), np.float32)


def _named(
    patch: Floats, middle: Points, colour: str, tile_set: TileSet, board: HexBoard
) -> AsideTile | None:
    """Return the tile of a colour that marks about a place of the plane fit best."""
    by_path = {kind.path: kind.name for kind in tile_set.of_colour(colour) if kind.path}
    templates, names = _templates(tuple(sorted(by_path)))
    soft = cv2.GaussianBlur(patch, (0, 0), BLUR).ravel()
    both = np.minimum(templates, soft).sum(axis=1)
    fits = both / np.maximum(templates.sum(axis=1) + soft.sum() - both, 1e-6)
    order = np.argsort(-fits)
    best = float(fits[order[0]])
    if best < LEAST_FIT:
        return None
    path, angle, flipped = names[int(order[0])]
    _, turn = _laid(path_cells(path), angle, flipped)
    rival = next((float(fits[i]) for i in order if names[int(i)][0] != path), 0.0)
    sure = best / (best + max(rival - RIVAL_FREE, 0.0) + 1e-6)
    origin = plane_of(path_cells(path)).mean(axis=0)
    corners = (np.array(cells_outline(path_cells(path), 1.0)) - origin) @ turn.T + middle
    return AsideTile(by_path[path], board.px(corners), round(sure, 3))


def _colour(bgr: Floats, paper: Floats, colours: Sequence[str]) -> str:
    """Return the colour of a tile's mean, seen against the boards' paper."""
    mean = bgr * FIELD_BGR / paper
    return min(colours, key=lambda name: _hue_gap(mean, _tile_bgr(name, colours)))


def _tile_bgr(name: str, colours: Sequence[str]) -> Any:
    skin = coat(name, tuple(colours))
    parts = zip((skin.pale, skin.base, skin.outline), (PALE, BASE, EDGE), strict=True)
    return sum(np.array([int(p[i : i + 2], 16) for i in (5, 3, 1)]) * w for p, w in parts)


def _hue_gap(one: Any, other: Any) -> float:
    """Return how different two colours are, brightness left aside."""
    lab = [
        cv2.cvtColor(np.clip(c, 0, 255).astype(np.uint8).reshape(1, 1, 3), cv2.COLOR_BGR2LAB)
        for c in (one, other)
    ]
    gap = lab[0].astype(float).ravel() - lab[1].astype(float).ravel()
    return float(np.hypot(gap[1], gap[2]) + 0.2 * abs(gap[0]))
