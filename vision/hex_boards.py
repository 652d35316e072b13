"""Finds hex boards in a picture and says where each of their cells is.

A first network marks the inside of boards on a small copy of the picture. A second one looks at
each mark as if from above and says where the board's fixed points are; asked three times, each
time from the better view, it ends within a few hundredths of a cell. A lens that bends straight
lines is fitted to all boards together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import cos, radians, sin, sqrt

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.hex_models import HexModels, shipped_models
from vision.hex_plane import (
    FIXED,
    HALF_TURN,
    OUTLINE_RADIUS,
    REACH,
    SIXTHS,
    TURNED,
    HexBoard,
    fitted,
)
from vision.hex_seams import board_share, on_its_seams
from vision.pyramid import GREY, Pyramid, drawn_between, shrunk
from vision.types import Bgr, Points

Floats = NDArray[np.float32]

FINDER_PX = 640
"""Longer side of the copy that boards are looked for on."""
FINDER_STEP = 32
STRIDE = 4
SHRINK = 0.8
"""The first network marks so much of a board's size, so that marks of neighbours stay apart."""
CROP_PX = 128
CROP_REACH = 7.0
"""The second network sees so many cell widths to each side of a board's centre."""
ROUNDS, MOST_ROUNDS = 3, 8
STEADY = 0.06
"""Boards whose points move less than that are placed; most are after three looks."""
SPREAD = 0.04
"""Boards that looks place further apart, in cell widths, are looked at in all their turns: one of
50 that nothing hides."""
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
LEAST_SHARE = 0.25
"""How surely the network for tiles must show bare cells where a board is marked that cannot be
placed: on five tables with such scraps it gave 0.31 and more, on three on which a cloth or a loose
tile was marked 0.2 at most."""
FAINT = -2.5
"""How faintly, as a logit, scraps at the picture's edge may be marked. A half of a board that was
hardly marked had a share of 0.83, and 35 places on the edges of 49 rendered tables 0.01 at most."""
SCRAP_CELLS, BOARD_CELLS, BESIDE = 3.0, 360.0, 1.15
"""Marks of fewer cells than that are no scrap of a board, nor faint ones of more than a board has
that is twice as near, nor such within so many times the size of a board: a tile of which all is
seen may lie on more."""


COARSE = 4
"""Every so many pixels a crop's places are computed, and drawn straight between: half a cell."""
_STEPS = (np.arange(0, CROP_PX + COARSE, COARSE) + 0.5) / CROP_PX * 2 * CROP_REACH - CROP_REACH
_CROP_PLANE = np.stack(np.meshgrid(_STEPS, _STEPS), axis=-1).reshape(-1, 2)


def crop(pyramid: Pyramid, board: HexBoard) -> Bgr:
    """Return a board as the second network sees it, about as if from above."""
    spread = board.cell_px() * 2 * CROP_REACH / CROP_PX
    places = board.px(_CROP_PLANE).reshape(len(_STEPS), -1, 2)
    return pyramid.sampled(drawn_between(places, COARSE, (CROP_PX, CROP_PX)), spread)


@dataclass(frozen=True, eq=False)
class FoundBoards:
    """What of boards is seen in a picture."""

    boards: tuple[HexBoard, ...] = ()
    """The surest first, each in one of its six turns."""
    scraps: tuple[Points, ...] = ()
    """Corners of what is seen of others, too little to say where their cells are."""


def find_boards(bgr: Bgr, most: int, models: HexModels | None = None) -> tuple[HexBoard, ...]:
    """Return the boards of a picture, the surest first, each in one of its six turns."""
    return boards_in(Pyramid(bgr), most, models or shipped_models()).boards


def boards_in(pyramid: Pyramid, most: int, models: HexModels) -> FoundBoards:
    """Return the boards of a picture that is kept with its halves."""
    shown, scale = _shown(pyramid, models)
    boards: list[HexBoard] = []
    for start in _starts((shown > 0).astype(np.uint8), scale, pyramid.size_px):
        board = _refined(pyramid, start, models)
        if board is not None and not any(_same(board, other) for other in boards):
            boards.append(board)
    boards.sort(key=lambda board: -board.confidence)
    scraps = _scraps(pyramid.whole, shown, scale, boards) if len(boards) < most else ()
    return FoundBoards(_with_one_lens(pyramid, boards[:most], models), scraps)


# --- marks on a small copy -----------------------------------------------------------------------


def finder_input(bgr: Bgr) -> tuple[Bgr, float]:
    """Return the copy that the first network sees, and its pixels for one of the picture."""
    small, (scale, _) = shrunk(bgr, min(1.0, FINDER_PX / max(bgr.shape[:2])))
    pad = -small.shape[0] % FINDER_STEP, -small.shape[1] % FINDER_STEP
    filled = cv2.copyMakeBorder(small, 0, pad[0], 0, pad[1], cv2.BORDER_CONSTANT, None,
                                (GREY, GREY, GREY))  # fmt: skip
    return np.asarray(filled, np.uint8), scale


def _shown(pyramid: Pyramid, models: HexModels) -> tuple[Floats, float]:
    """Return logits of the inside of boards, and the copy's pixels for one of the picture."""
    small, scale = finder_input(pyramid.whole)
    return models.mark(small)[0], scale


def _starts(marks: NDArray[np.uint8], scale: float, size_px: tuple[int, int]) -> list[HexBoard]:
    """Return first guesses at boards, the largest first."""
    found = [
        (len(points), _from_moments(points, *size_px, STRIDE / scale))
        for points in _hanging_together(marks, scale, LEAST_MARK_PX)
    ]
    return [board for _, board in sorted(found, key=lambda item: -item[0])[:12]]


def _scraps(
    bgr: Bgr, shown: Floats, scale: float, boards: Sequence[HexBoard]
) -> tuple[Points, ...]:
    """Return the corners of marks that lie on no board; nothing without a board to go by.

    The network that looks for tiles knows tablecloths better, and is asked too. Where the picture's
    edge cuts a board, fainter marks are looked at.
    """
    if not boards:
        return ()
    left = shown.copy()
    for board in boards:
        corners = board.outline()
        wide = (corners - corners.mean(axis=0)) * BESIDE + corners.mean(axis=0)
        at = ((wide + 0.5) * scale - 0.5 - (STRIDE - 1) / 2) / STRIDE
        cv2.fillPoly(left, [np.round(at).astype(np.int32)], -np.inf)
    cell_px = min(board.cell_px() for board in boards)
    cell = (cell_px * scale / STRIDE) ** 2 * sqrt(3) / 2
    half = STRIDE / scale / 2
    edges = np.array([bgr.shape[1::-1]]) - 4 * half

    def at_edge(points: Points) -> bool:
        small = len(points) <= BOARD_CELLS * cell
        return small and bool((points < 4 * half).any() or (points > edges).any())

    def seen(mark: float) -> tuple[Points, ...]:
        found = _hanging_together((left > mark).astype(np.uint8), scale, SCRAP_CELLS * cell)
        return tuple(
            np.array([points.min(axis=0) - half, points.max(axis=0) + half]) for points in found
            if (mark >= 0 or at_edge(points))
            and board_share(bgr, points, cell_px) >= LEAST_SHARE
        )  # fmt: skip

    return seen(0.0) or seen(FAINT)


def _hanging_together(marks: NDArray[np.uint8], scale: float, least: float) -> Iterator[Points]:
    """Yield the places in the picture of marks that hang together, so many or more."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(marks, connectivity=4)
    for label in range(1, count):
        if int(stats[label, cv2.CC_STAT_AREA]) >= least:
            ys, xs = np.nonzero(labels == label)
            marked = np.stack([xs, ys], axis=1).astype(np.float64) * STRIDE + (STRIDE - 1) / 2
            yield (marked + 0.5) / scale - 0.5


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
        board = replace(fitted([seen], board)[0], confidence=confidence, unsteady=unsteady)
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
    """Return boards placed once more, with the lens that suits all of them.

    Each is looked at upright and upside down. A board that is seen well comes out the same; where
    something hides a part of it, it is looked at in all its turns.
    """
    if not boards:
        return ()
    placed, spreads = [], []
    for board in boards:
        seen, spread = _looked_at(pyramid, board, models, (0, HALF_TURN))
        for _ in range(ROUNDS if spread > SPREAD else 0):
            (again,) = fitted([seen], board)
            seen, spread = _looked_at(pyramid, again, models, range(SIXTHS))
        placed.append(seen)
        spreads.append(spread)
    return tuple(
        _surely(pyramid, replace(new, confidence=old.confidence, unsteady=spread))
        for new, old, spread in zip(fitted(placed, boards[0]), boards, spreads, strict=True)
    )


def _surely(pyramid: Pyramid, board: HexBoard) -> HexBoard:
    """Return a board placed by its seams where a part of it is not seen."""
    px = board.px(FIXED)
    cut = bool(((px < 0) | (px > np.array(pyramid.size_px))).any())
    return on_its_seams(pyramid.whole, board) if cut or board.unsteady > SPREAD else board


def _looked_at(
    pyramid: Pyramid, board: HexBoard, models: HexModels, turns: Iterable[int]
) -> tuple[Points, float]:
    """Return where fixed points are seen in some turns of a board, and how far looks differ."""
    looks = []
    for turn in turns:
        view = board.turned(turn)
        looks.append(view.px(FIXED + models.place(crop(pyramid, view))[0])[TURNED[turn]])
    spread = np.hypot(*np.std(looks, axis=0).T).mean() / max(board.cell_px(), 1e-6)
    return np.asarray(np.median(looks, axis=0)), float(spread)


def _same(one: HexBoard, other: HexBoard) -> bool:
    a, b = one.px(np.zeros((1, 2)))[0], other.px(np.zeros((1, 2)))[0]
    return bool(np.hypot(*(a - b)) < SAME_BOARD * min(one.cell_px(), other.cell_px()))
