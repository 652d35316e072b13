"""Names the hex tiles that lie beside the boards: unused ones, stocks, tiles taken off.

The boards give the plane of the table and the cell width, so that their surroundings can be seen as
if from above, at one scale. The first network marks cells of tiles there; each connected mark is
compared with every tile of the box in every turn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import pi
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.draw.boards import FIELD
from engine.draw.hexes import outline as cells_outline
from engine.draw.palette import coat
from engine.hexpath import path_cells
from engine.lattice import Cell
from engine.tiles import TileSet
from vision.core.crop import Pyramid, drawn_between
from vision.core.lattice import mapped
from vision.core.tables import TileEntry
from vision.core.types import LIKELIER, Bgr, Points
from vision.hexes.boards import FINDER_STEP, STRIDE
from vision.hexes.cells import COARSE, PAPER, paper_of
from vision.hexes.models import HexModels
from vision.hexes.plane import OUTLINE_RADIUS, HexBoard, plane_of

Floats = NDArray[np.float32]

LEAST_FIT = 0.52
"""Minimum intersection over union of a mark and a tile's shape."""
RIVAL = 0.2
"""Fit above which another shape lowers a tile's confidence; and the maximum by which a guess may
score below the best, even where the box has no other."""
GAP_COST = 0.01
"""Score lost per unit of Lab colour distance; the fit of a shape scores 0 to 1."""
MOST_GAP = 32.0
"""Maximum Lab colour distance of a single hex. Dice and counters fit its size and shape, but not
its colours: of seven on drawn tables, those of tiles were 14 to 30 off, those of dice 44 and 51."""
MOST_TOO_MANY = 2
"""A tile seen more often than the box has left, by more than this, is a pattern of the table."""
EDGE_CELLS = 0.35
"""Marks nearer to the picture's edge than this, in cells, belong to tiles that it cuts."""
PALE, BASE, EDGE = 0.45, 0.42, 0.13
"""Shares of a tile's area that are its ground, its snake and its dark edge."""
AROUND = 16.0
"""Margin around the boards that is searched, in cell widths: stocks lie within some 200 mm."""
MOST_PX = 1280
HORIZON = 0.02
"""Minimum homogeneous coordinate, as a share of the largest; below it lies the horizon."""
CELL_PX = 16
"""Width of a cell in the view from above."""
PATCH = 32
"""Side of the square in which a tile is compared, in pixels of the map."""
TURNS = 24
MARKED = 0.7
"""The network marks each cell at this share of its size."""
BLUR = 0.8


def tiles_aside(
    pyramid: Pyramid,
    boards: Sequence[HexBoard],
    above: Above,
    tile_set: TileSet,
    laid: Sequence[str] = (),
) -> tuple[TileEntry, ...]:
    """Return the tiles that lie around boards.

    Args:
        pyramid: the picture.
        boards: where the boards lie.
        above: the view of the table around the boards.
        tile_set: the box.
        laid: the tiles on the boards. A tile seen much more often than the box has left is a
            pattern of the table.
    """
    marks = np.asarray(1 / (1 + np.exp(-np.clip(above.tiles, -30, 30))), np.float32)
    on_boards = above.on_boards(boards)
    marks[on_boards] = 0
    small: Bgr = np.asarray(cv2.resize(above.bgr, marks.shape[::-1], None, 0, 0, cv2.INTER_AREA))
    paper = paper_of(small[on_boards]) if on_boards.any() else np.full(3, PAPER)
    seen = []
    for patch, middle, own in _patches(marks):
        px = above.board.px(above.plane(np.argwhere(own)[:, ::-1].astype(np.float64)))
        if not _is_cut(px, pyramid, above.board):
            gaps = _colour_gaps(small[own].mean(axis=0) / paper, tile_set.colours)
            seen.append((above.plane(middle), _guesses(patch, gaps, tile_set)))
    gone = Counter(laid)
    left = Counter({name: count - gone[name] for name, count in tile_set.counts.items()})
    found = []
    for middle, guess in _shared_out(seen, left):
        corners = above.board.px(outline_of(guess.path, guess.angle, guess.flipped, middle))
        found.append(TileEntry(guess.tile, np.round(corners, 2).tolist(), guess.confidence))
    return tuple(found)


@dataclass(frozen=True)
class _Guess:
    """A tile that a mark may show, and how it lies."""

    tile: str
    path: str
    angle: float
    flipped: bool
    score: float
    """Fit of shape and colour, at most 1."""
    confidence: float


def _is_cut(marked_px: Points, pyramid: Pyramid, board: HexBoard) -> bool:
    """Say whether a mark reaches the picture's edge, so that part of its tile is unseen."""
    room = EDGE_CELLS * board.cell_px()
    low, high = marked_px.min(axis=0), np.array(pyramid.size_px) - marked_px.max(axis=0)
    return bool(min(low.min(), high.min()) < room)


def _guesses(patch: Floats, gaps: Mapping[str, float], tile_set: TileSet) -> list[_Guess]:
    """Return the tiles that a mark may show, the best first; none where no shape fits."""
    paths = tuple(sorted({kind.path for kind in tile_set.kinds.values() if kind.path}))
    fits = fits_of(patch, paths)
    least = min(gaps.values())
    found = []
    for kind in tile_set.kinds.values():
        colour = kind.name.partition("/")[0]
        if not kind.path or colour not in gaps or fits[kind.path][0] < LEAST_FIT:
            continue
        if len(path_cells(kind.path)) == 1 and gaps[colour] > MOST_GAP:
            continue
        fit, angle, flipped = fits[kind.path]
        rival = max((f for path, (f, _, _) in fits.items() if path != kind.path), default=0.0)
        sure = fit / (fit + max(rival - RIVAL, 0.0) + 1e-6)
        score = fit - (gaps[colour] - least) * GAP_COST
        found.append(_Guess(kind.name, kind.path, angle, flipped, score, round(sure, 3)))
    best = max((guess.score for guess in found), default=0.0)
    near = [guess for guess in found if guess.score >= best - RIVAL]
    return sorted(near, key=lambda guess: -guess.score)


def _shared_out(
    seen: Sequence[tuple[Points, list[_Guess]]], left: Counter[str]
) -> Iterator[tuple[Points, _Guess]]:
    """Yield which tile lies where, the clearest first, each as often as the box still has it.

    A mark whose tile is used up may be the same shape in another colour. A single hex has hardly
    any shape: one more than the box has is no tile.
    """
    wanted = Counter(guesses[0].tile for _, guesses in seen if guesses)
    pattern = {tile for tile, count in wanted.items() if count > left[tile] + MOST_TOO_MANY}
    stock = left.copy()
    for middle, guesses in sorted(seen, key=lambda one: -one[1][0].score if one[1] else 0.0):
        if not guesses or guesses[0].tile in pattern:
            continue
        guess = next((g for g in guesses if stock[g.tile] > 0), None)
        if guess is not None and (guess is guesses[0] or len(path_cells(guess.path)) > 1):
            stock[guess.tile] -= 1
            yield middle, guess


def _patches(marks: Floats) -> Iterator[tuple[Floats, Points, NDArray[np.bool_]]]:
    """Yield each connected mark as a patch centred on it, its centre, and its mask."""
    joined = cv2.dilate((marks > LIKELIER).astype(np.uint8), np.ones((3, 3), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    wide = np.pad(marks, PATCH)
    names = np.pad(labels, PATCH)
    for label in range(1, count):
        own = (labels == label) & (marks > LIKELIER)
        if max(stats[label, 2:4]) > PATCH:
            continue
        ys, xs = np.nonzero(own)
        weight = marks[own]
        middle = np.array([np.average(xs, weights=weight), np.average(ys, weights=weight)])
        corner = np.round(middle).astype(int) - PATCH // 2
        rows = slice(corner[1] + PATCH, corner[1] + 2 * PATCH)
        columns = slice(corner[0] + PATCH, corner[0] + 2 * PATCH)
        patch = np.where(names[rows, columns] == label, wide[rows, columns], 0)
        # Templates are centred on whole pixels: shift the patch by the remaining fraction.
        shift = np.round(middle) - middle
        move = np.array([[1, 0, shift[0]], [0, 1, shift[1]]])
        patch = cv2.warpAffine(patch.astype(np.float32), move, (PATCH, PATCH))
        yield np.asarray(patch, np.float32), middle, own


def _colour_gaps(share: Any, colours: Sequence[str]) -> dict[str, float]:
    """Return each colour's distance from a tile's mean colour, given as a share of paper's."""
    seen, gaps = _lab(share * _bgr(FIELD)), {}
    for name in colours:
        skin = coat(name, tuple(colours))
        drawn = _lab(PALE * _bgr(skin.pale) + BASE * _bgr(skin.base) + EDGE * _bgr(skin.outline))
        light, green, blue = seen - drawn
        # Lightness counts little.
        gaps[name] = float(np.hypot(green, blue) + 0.2 * abs(light))
    return gaps


def _bgr(printed: str) -> NDArray[np.float64]:
    """Return a colour that is written as ``#rrggbb`` in BGR order."""
    return np.array([int(printed[i : i + 2], 16) for i in (5, 3, 1)], np.float64)


def _lab(bgr: Any) -> NDArray[np.float64]:
    """Return a colour in OpenCV's 8-bit Lab."""
    pixel = np.clip(bgr, 0, 255).astype(np.uint8).reshape(1, 1, 3)
    return np.asarray(cv2.cvtColor(pixel, cv2.COLOR_BGR2LAB), np.float64).ravel()


# --- the table as if from above ---


@dataclass(frozen=True, eq=False)
class Above:
    """The table around boards as if from above, and what the first network marks there."""

    board: HexBoard
    """The first of the boards, whose plane the view shows."""
    low: Points
    """Upper left corner of the view, on the board's plane."""
    bgr: Bgr
    tiles: Floats
    """Logits of the cells of tiles."""

    @classmethod
    def of(cls, pyramid: Pyramid, boards: Sequence[HexBoard], models: HexModels) -> Above:
        """Return the view around boards, of which there must be at least one."""
        low, size = part_around(pyramid, boards)
        bgr = _from_above(pyramid, boards[0], low, size)
        return cls(boards[0], low, bgr, models.mark(bgr)[1])

    def plane(self, map_xy: Points) -> Points:
        """Convert map coordinates, N x 2, to places on the board's plane."""
        return np.asarray((map_xy + 0.5) * STRIDE / CELL_PX + self.low)

    def on_boards(self, boards: Sequence[HexBoard]) -> NDArray[np.bool_]:
        """Return which pixels of the maps lie on boards or close to them."""
        mask = np.zeros(self.tiles.shape, np.uint8)
        for board in boards:
            flat = _on_plane(self.board, board.outline())
            flat = (flat - flat.mean(axis=0)) * (1 + 0.35 / OUTLINE_RADIUS) + flat.mean(axis=0)
            at = (flat - self.low) * CELL_PX / STRIDE - 0.5
            cv2.fillPoly(mask, [np.round(at).astype(np.int32)], 1)
        return mask > 0


def part_around(pyramid: Pyramid, boards: Sequence[HexBoard]) -> tuple[Points, tuple[int, int]]:
    """Return the view's upper left corner on the first board's plane, and its size in pixels.

    The view is limited to what the picture shows.
    """
    flat = _on_plane(boards[0], np.concatenate([board.outline() for board in boards]))
    edge_low, edge_high = in_view(pyramid, boards[0])
    low = np.maximum(flat.min(axis=0) - AROUND, edge_low)
    high = np.minimum(flat.max(axis=0) + AROUND, edge_high)
    width, height = np.minimum(np.ceil((high - low) * CELL_PX), MOST_PX).astype(int).tolist()
    size = width + -width % FINDER_STEP, height + -height % FINDER_STEP
    return (low + high) / 2 - np.array(size) / 2 / CELL_PX, size


def _on_plane(board: HexBoard, px: Points) -> Points:
    plane_from_px = np.asarray(np.linalg.inv(board.px_from_plane), np.float64)
    return mapped(plane_from_px, board.unbent(px))


def _from_above(pyramid: Pyramid, board: HexBoard, low: Points, size: tuple[int, int]) -> Bgr:
    """Return a part of a board's plane as if from above; grey outside the picture."""
    width, height = size
    steps = np.stack(
        np.meshgrid(np.arange(0, width + COARSE, COARSE), np.arange(0, height + COARSE, COARSE)),
        axis=-1,
    )
    plane = (steps.reshape(-1, 2) + 0.5) / CELL_PX + low
    px = board.px(plane)
    # Beyond the horizon the homography is meaningless: sample outside the picture instead.
    px[plane @ board.px_from_plane[2, :2] + board.px_from_plane[2, 2] < HORIZON] = -30000
    fine = drawn_between(px.reshape(steps.shape), COARSE, (height, width))
    return pyramid.sampled(fine, board.cell_px() / CELL_PX)


def in_view(pyramid: Pyramid, board: HexBoard) -> tuple[Points, Points]:
    """Return the picture's bounding box on a board's plane; infinite if it shows the horizon."""
    width, height = pyramid.size_px
    corners = np.array([(0, 0), (width, 0), (width, height), (0, height)], float)
    plane_from_px = np.linalg.inv(board.px_from_plane)
    seen = np.append(board.unbent(corners), np.ones((4, 1)), axis=1) @ plane_from_px.T
    depth = seen[:, 2] * np.sign(plane_from_px[2] @ np.append(board.middle(), 1))
    if depth.min() <= HORIZON * depth.max():
        return np.full(2, -np.inf), np.full(2, np.inf)
    places = seen[:, :2] / seen[:, 2:]
    return places.min(axis=0), places.max(axis=0)


# --- what marks of tiles look like: every path in every turn ---


def fits_of(patch: Floats, paths: tuple[str, ...]) -> dict[str, tuple[float, float, bool]]:
    """Return by path its best intersection over union with a mark, its angle, whether flipped."""
    rows, names = _stencils(paths)
    soft = cv2.GaussianBlur(patch, (0, 0), BLUR).ravel()
    both = np.minimum(rows, soft).sum(axis=1)
    fits = both / np.maximum(rows.sum(axis=1) + soft.sum() - both, 1e-6)
    best: dict[str, tuple[float, float, bool]] = {}
    for fit, (path, angle, flipped) in zip(fits.tolist(), names, strict=True):
        if path not in best or fit > best[path][0]:
            best[path] = (fit, angle, flipped)
    return best


def outline_of(path: str, angle: float, flipped: bool, middle: Points) -> Points:
    """Return the corners of a tile with that pose and centre on the plane."""
    origin = plane_of(path_cells(path)).mean(axis=0)
    corners = np.array(cells_outline(path_cells(path), 1.0)) - origin
    return np.asarray(corners @ _turn(angle, flipped).T + middle)


@lru_cache(maxsize=16)
def _stencils(paths: tuple[str, ...]) -> tuple[Floats, tuple[tuple[str, float, bool], ...]]:
    """Return the expected marks of each path in each pose, one per row, and the poses."""
    rows, names = [], []
    for path in paths:
        for flipped in (False, True):
            for turn in range(TURNS):
                angle = 2 * pi * turn / TURNS
                rows.append(_drawn(path_cells(path), angle, flipped).ravel())
                names.append((path, angle, flipped))
    return np.array(rows, np.float32), tuple(names)


def _turn(angle: float, flipped: bool) -> NDArray[np.float64]:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s], [s, c]]) @ np.diag([-1.0 if flipped else 1.0, 1.0])


def _drawn(cells: Sequence[Cell], angle: float, flipped: bool) -> Floats:
    fine = 4
    picture = np.zeros((PATCH * fine, PATCH * fine), np.uint8)
    turn, places = _turn(angle, flipped), plane_of(cells)
    middles = (places - places.mean(axis=0)) @ turn.T
    hexagon = np.array(cells_outline([(0, 0)], MARKED)) @ turn.T
    for middle in middles:
        at = (hexagon + middle) * CELL_PX / STRIDE + PATCH // 2 + 0.5
        cv2.fillPoly(picture, [np.round(at * fine).astype(np.int32)], 255)
    small = cv2.resize(picture, (PATCH, PATCH), None, 0, 0, cv2.INTER_AREA)
    return np.asarray(cv2.GaussianBlur(small.astype(np.float32) / 255, (0, 0), BLUR), np.float32)
