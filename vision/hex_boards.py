"""Finds hex boards in a picture and says where each of their cells is.

A first network marks the inside of boards on a small copy of the picture. A second one looks at
each mark as if from above and says where the board's fixed points are; asked three times, each
time from the better view, it ends within a few hundredths of a cell. A lens that bends straight
lines is fitted to all boards together.

A board's plane is measured in cell widths: its centre is ``(0, 0)``, x runs to the east along a
row of cells, y to the south.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import cos, pi, radians, sin, sqrt
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.hex_models import HexModels, shipped_models
from vision.types import Bgr, Points

Floats = NDArray[np.float32]

REACH = 5
"""Steps from the centre of a board of side 6 to its corner cells."""
FINDER_PX = 640
"""Longer side of the copy that boards are looked for on."""
FINDER_STEP = 32
STRIDE = 4
SHRINK = 0.8
"""The first network marks so much of a board's size, so that marks of neighbours stay apart."""
OUTLINE_RADIUS = (8.5 / sqrt(3) + 2.5 / 22) * 2 / sqrt(3)
"""From the centre of a board to its corners, in cell widths, for the usual rim."""
CROP_PX = 128
CROP_REACH = 7.0
"""The second network sees so many cell widths to each side of a board's centre."""
ROUNDS, MOST_ROUNDS = 3, 8
STEADY = 0.06
"""Boards whose points move less than that are placed; most are after three looks."""
GREY = 128
LENSES = np.linspace(-0.24, 0.14, 20)
"""Lens bends that are tried: by how much of its distance a picture's corner is moved."""
LENS_SPREAD = 0.12
LENS_TRUST_CELLS = 0.05
"""How exactly the second network places points: what the fit weighs lens bends against."""
LEAST_MARKED = 0.5
LEAST_MARK_PX = 30
"""Marks of fewer map pixels are no board; one whose cells are 24 px wide has 60 at 12 MP."""
LEAST_CONFIDENCE = 0.5
MOST_UNSTEADY = 0.35
"""What still moves that far after all looks is a scrap of a board, or none: held-out boards that
the picture's edge cut in half moved by 0.43, all that were whole by 0.05 at most."""
LEAST_CONTRAST = 0.01
"""Brightness of a board varies by more than that share of itself: by 0.06 at least on held-out
tables, by nothing on a blank picture."""
SAME_BOARD = 4.0
"""Centres nearer than so many cell widths are one board."""


def plane_of(cells: Any) -> Points:
    """Return the places of cells on the plane of their board, N x 2."""
    cell = np.asarray(cells, float).reshape(-1, 2)
    return np.stack([cell[:, 0] + cell[:, 1] / 2, cell[:, 1] * sqrt(3) / 2], axis=1)


def _fixed_points() -> Points:
    """Return centre, inner ring, corner cells and middles of sides: what the network places."""
    turns = np.arange(6) * pi / 3
    ring = np.stack([np.cos(turns), np.sin(turns)], axis=1)
    half = np.stack([np.cos(turns + pi / 6), np.sin(turns + pi / 6)], axis=1) * sqrt(3) / 2
    return np.concatenate([np.zeros((1, 2)), ring * REACH / 2, ring * REACH, half * REACH])


FIXED = _fixed_points()


@dataclass(frozen=True, eq=False)
class HexBoard:
    """Where a board lies in a picture."""

    px_from_plane: NDArray[np.float64]
    """Homography from its plane to the pixels of a lens that bends nothing, 3 x 3."""
    middle_px: tuple[float, float]
    """Middle of the picture, about which the lens bends."""
    radius_px: float
    """From there to the picture's corner."""
    lens: float = 0.0
    confidence: float = 1.0
    unsteady: float = 0.0
    """How far its fixed points moved at the last look, in cell widths."""

    def px(self, plane: Points) -> Points:
        """Return the pixels of places on the board's plane, N x 2."""
        flat = through(self.px_from_plane, plane)
        away = flat - np.array(self.middle_px)
        share = (away**2).sum(axis=1, keepdims=True) / self.radius_px**2
        return np.asarray(away * (1 + self.lens * share) + np.array(self.middle_px))

    def cell_px(self) -> float:
        """Return how wide its cells are at least, anywhere on the board, in pixels."""
        places = FIXED[:, None] + np.array([[0.0, 0], [0.5, 0], [0, 0.5]])
        seen = self.px(places.reshape(-1, 2)).reshape(-1, 3, 2)
        right, down = seen[:, 1] - seen[:, 0], seen[:, 2] - seen[:, 0]
        area = np.abs(right[:, 0] * down[:, 1] - right[:, 1] * down[:, 0])
        return float(2 * np.sqrt(area.min()))

    def turned(self, sixths: int) -> HexBoard:
        """Return the same board with another of its six turns taken as upright."""
        c, s = cos(sixths * pi / 3), sin(sixths * pi / 3)
        turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
        return replace(self, px_from_plane=self.px_from_plane @ turn)

    def outline(self) -> Points:
        """Return the six corners in pixels, clockwise."""
        turns = np.radians(60 * np.arange(6) - 120)
        return self.px(np.stack([np.cos(turns), np.sin(turns)], axis=1) * OUTLINE_RADIUS)


def through(homography: NDArray[np.float64], points: Points) -> Points:
    """Return points sent through a homography."""
    ones = np.concatenate([np.asarray(points, float), np.ones((len(points), 1))], axis=1)
    sent = ones @ homography.T
    depth = np.where(np.abs(sent[:, 2:]) < 1e-9, 1e-9, sent[:, 2:])
    return np.asarray(sent[:, :2] / depth)


class Pyramid:
    """A picture and its halves, made when first asked for."""

    def __init__(self, bgr: Bgr) -> None:
        self._levels = [bgr]

    @property
    def whole(self) -> Bgr:
        """Return the picture itself."""
        return self._levels[0]

    @property
    def size_px(self) -> tuple[int, int]:
        """Return its width and height."""
        height, width = self._levels[0].shape[:2]
        return width, height

    def sampled(self, px: Points, shape: tuple[int, int], spread_px: float) -> Bgr:
        """Return the colours at pixels given row by row; grey outside the picture.

        Args:
            px: rows * columns x 2.
            shape: rows and columns of the result.
            spread_px: how far neighbouring samples are apart; a coarser copy is taken for it.
        """
        level = 0
        while spread_px >= 2.0 and min(self._level(level).shape[:2]) > 32:
            level, spread_px = level + 1, spread_px / 2
        picture = self._level(level)
        places = (px + 0.5) / 2**level - 0.5
        places = np.clip(places, -30000, 30000).astype(np.float32).reshape(*shape, 2)
        border = (GREY, GREY, GREY)
        out = cv2.remap(
            picture, places[..., 0], places[..., 1], cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_CONSTANT, borderValue=border,
        )  # fmt: skip
        return np.asarray(out, np.uint8)

    def _level(self, level: int) -> Bgr:
        while len(self._levels) <= level:
            last = self._levels[-1]
            height, width = last.shape[0] // 2 * 2, last.shape[1] // 2 * 2
            half = cv2.resize(last[:height, :width], (width // 2, height // 2), None, 0, 0,
                              cv2.INTER_AREA)  # fmt: skip
            self._levels.append(np.asarray(half, np.uint8))
        return self._levels[level]


_CROP_PLANE = (
    np.stack(np.meshgrid(np.arange(CROP_PX), np.arange(CROP_PX)), axis=-1).reshape(-1, 2) + 0.5
) / CROP_PX * 2 * CROP_REACH - CROP_REACH


def crop(pyramid: Pyramid, board: HexBoard) -> Bgr:
    """Return a board as the second network sees it, about as if from above."""
    spread = board.cell_px() * 2 * CROP_REACH / CROP_PX
    return pyramid.sampled(board.px(_CROP_PLANE), (CROP_PX, CROP_PX), spread)


def find_boards(bgr: Bgr, most: int, models: HexModels | None = None) -> tuple[HexBoard, ...]:
    """Return the boards of a picture, the surest first, each in one of its six turns."""
    return boards_in(Pyramid(bgr), most, models or shipped_models())


def boards_in(pyramid: Pyramid, most: int, models: HexModels) -> tuple[HexBoard, ...]:
    """Return the boards of a picture that is kept with its halves."""
    starts = _marked(pyramid, models)
    boards: list[HexBoard] = []
    for start in starts:
        board = _refined(pyramid, start, models)
        if board is not None and not any(_same(board, other) for other in boards):
            boards.append(board)
    boards.sort(key=lambda board: -board.confidence)
    return _with_one_lens(pyramid, boards[:most], models)


# --- marks on a small copy -----------------------------------------------------------------------


def finder_input(bgr: Bgr) -> tuple[Bgr, float]:
    """Return the copy that the first network sees, and its pixels for one of the picture."""
    height, width = bgr.shape[:2]
    scale = min(1.0, FINDER_PX / max(height, width))
    size = max(1, round(width * scale)), max(1, round(height * scale))
    small = cv2.resize(bgr, size, None, 0, 0, cv2.INTER_AREA)
    pad = -size[1] % FINDER_STEP, -size[0] % FINDER_STEP
    small = cv2.copyMakeBorder(small, 0, pad[0], 0, pad[1], cv2.BORDER_CONSTANT, None,
                               (GREY, GREY, GREY))  # fmt: skip
    return np.asarray(small, np.uint8), scale


def _marked(pyramid: Pyramid, models: HexModels) -> list[HexBoard]:
    """Return first guesses at boards, the largest first."""
    width, height = pyramid.size_px
    small, scale = finder_input(pyramid.whole)
    logits = models.mark(small)
    marks = (logits[0] > 0).astype(np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(marks, connectivity=4)
    found: list[tuple[int, HexBoard]] = []
    for label in range(1, count):
        area = int(stats[label, cv2.CC_STAT_AREA])
        if area >= LEAST_MARK_PX:
            ys, xs = np.nonzero(labels == label)
            marked = np.stack([xs, ys], axis=1).astype(np.float64) * STRIDE + (STRIDE - 1) / 2
            points: Points = (marked + 0.5) / scale - 0.5
            found.append((area, _from_moments(points, width, height, STRIDE / scale)))
    return [board for _, board in sorted(found, key=lambda item: -item[0])[:12]]


def _from_moments(points: Points, width: int, height: int, grain: float) -> HexBoard:
    """Return a board that is spread as points are, turned as fits them best."""
    middle = points.mean(axis=0)
    away = points - middle
    values, vectors = np.linalg.eigh(away.T @ away / len(away) + np.eye(2) * grain**2 / 12)
    # A regular hexagon of radius 1 has variance 5/24 along every axis.
    root = vectors @ np.diag(np.sqrt(values * 24 / 5)) @ vectors.T / (OUTLINE_RADIUS * SHRINK)
    flat = away @ np.linalg.inv(root).T
    best = min((radians(turn) for turn in range(0, 60, 5)), key=lambda t: _outside(flat, t))
    c, s = cos(best), sin(best)
    px_from_plane = np.eye(3)
    px_from_plane[:2, :2] = root @ np.array([[c, -s], [s, c]])
    px_from_plane[:2, 2] = middle
    return HexBoard(px_from_plane, ((width - 1) / 2, (height - 1) / 2), np.hypot(width, height) / 2)


def _outside(flat: Points, turn: float) -> float:
    """Return how far points stick out of a board that is turned so, summed."""
    sides = turn + np.radians(60 * np.arange(6) + 30)
    reach = flat @ np.stack([np.cos(sides), np.sin(sides)])
    return float(np.maximum(reach.max(axis=1) - OUTLINE_RADIUS * SHRINK * sqrt(3) / 2, 0).sum())


# --- the view from above -------------------------------------------------------------------------


def _refined(pyramid: Pyramid, start: HexBoard, models: HexModels) -> HexBoard | None:
    board = start
    for number in range(MOST_ROUNDS):
        seen_crop = crop(pyramid, board)
        moved, confidence = models.place(seen_crop)
        if _is_flat(seen_crop) or confidence < LEAST_CONFIDENCE / 4:
            return None
        seen = board.px(FIXED + moved)
        if not _is_sound(seen):
            return None
        unsteady = float(np.hypot(*moved.T).mean())
        board = replace(_fitted([seen], board)[0], confidence=confidence, unsteady=unsteady)
        if number + 1 >= ROUNDS and unsteady < STEADY:
            break
    placed = board.confidence >= LEAST_CONFIDENCE and board.unsteady < MOST_UNSTEADY
    return board if placed else None


def _is_flat(seen: Bgr) -> bool:
    """Say whether nothing at all is to be seen where a board should be."""
    inner = seen[CROP_PX // 4 : -CROP_PX // 4, CROP_PX // 4 : -CROP_PX // 4].max(axis=2)
    return float(inner.std()) < LEAST_CONTRAST * max(float(inner.mean()), 1.0)


def _is_sound(seen: Points) -> bool:
    """Say whether the corner cells still go round clockwise and are some pixels apart."""
    corners = seen[7:13]
    edges = np.roll(corners, -1, axis=0) - corners
    after = np.roll(edges, -1, axis=0)
    bends = edges[:, 0] * after[:, 1] - edges[:, 1] * after[:, 0]
    return bool((bends > 0).all() and np.hypot(*edges.T).min() > REACH)


def _with_one_lens(
    pyramid: Pyramid, boards: Sequence[HexBoard], models: HexModels
) -> tuple[HexBoard, ...]:
    """Return boards placed once more, with the lens that suits all of them."""
    if not boards:
        return ()
    moved = [models.place(crop(pyramid, board))[0] for board in boards]
    placed = [board.px(FIXED + more) for board, more in zip(boards, moved, strict=True)]
    return tuple(
        replace(new, confidence=old.confidence, unsteady=float(np.hypot(*more.T).mean()))
        for new, old, more in zip(_fitted(placed, boards[0]), boards, moved, strict=True)
    )


def _fitted(seen: Sequence[Points], like: HexBoard) -> list[HexBoard]:
    """Return boards whose fixed points lie where they were seen, with one lens for all."""
    trust = LENS_TRUST_CELLS * max(like.cell_px(), 1.0)
    costs = []
    for lens in LENSES:
        errors = [_homography(_unbent(points, lens, like))[1] for points in seen]
        costs.append(sum(errors) / trust**2 + (lens / LENS_SPREAD) ** 2)
    best = int(np.argmin(costs))
    lens = float(LENSES[best])
    if 0 < best < len(costs) - 1:
        low, middle, high = costs[best - 1 : best + 2]
        curve = low - 2 * middle + high
        if curve > 0:
            lens += float((low - high) / (2 * curve) * (LENSES[1] - LENSES[0]))
    return [
        replace(like, px_from_plane=_homography(_unbent(points, lens, like))[0], lens=lens)
        for points in seen
    ]


def _unbent(px: Points, lens: float, like: HexBoard) -> Points:
    """Return where a lens that bends nothing would show pixels."""
    middle = np.array(like.middle_px)
    away = (px - middle) / like.radius_px
    flat = away.copy()
    for _ in range(6):
        flat = away / (1 + lens * (flat**2).sum(axis=1, keepdims=True))
    return np.asarray(flat * like.radius_px + middle)


def _homography(px: Points) -> tuple[NDArray[np.float64], float]:
    """Return the map from the plane to where fixed points were seen, and its squared error."""
    middle, size = px.mean(axis=0), max(float(px.std()), 1e-6)
    x, y = ((px - middle) / size).T
    u, v = FIXED.T / REACH
    one, none = np.ones_like(u), np.zeros_like(u)
    rows = np.concatenate([
        np.stack([u, v, one, none, none, none, -u * x, -v * x], axis=1),
        np.stack([none, none, none, u, v, one, -u * y, -v * y], axis=1),
    ])  # fmt: skip
    solved = np.linalg.lstsq(rows, np.concatenate([x, y]), rcond=None)[0]
    flat = np.append(solved, 1.0).reshape(3, 3)
    back = np.array([[size, 0, middle[0]], [0, size, middle[1]], [0, 0, 1]])
    found = back @ flat @ np.diag([1 / REACH, 1 / REACH, 1.0])
    error = float(((through(found, FIXED) - px) ** 2).sum())
    return found, error


def _same(one: HexBoard, other: HexBoard) -> bool:
    a, b = one.px(np.zeros((1, 2)))[0], other.px(np.zeros((1, 2)))[0]
    return bool(np.hypot(*(a - b)) < SAME_BOARD * min(one.cell_px(), other.cell_px()))
