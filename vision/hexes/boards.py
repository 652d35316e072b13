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

from vision.core.crop import Pyramid, drawn_between, shrunk
from vision.core.types import LIKELIER, Bgr, Points
from vision.detect.hex_seams import board_shares, on_its_seams
from vision.hexes.models import HexModels
from vision.hexes.plane import (
    FIXED,
    HALF_TURN,
    OUTLINE_RADIUS,
    REACH,
    SIXTHS,
    TURNED,
    HexBoard,
    fitted,
)

Floats = NDArray[np.float32]

FINDER_PX = 640
"""Longer side of the copy that boards are looked for on."""
FINDER_STEP = 32
STRIDE = 4
"""Pixels of that copy for one of the map that marks boards."""
SHRINK = 0.8
"""The network marks so much of a board's size, so that marks of neighbours stay apart."""
LEAST_MARK_PX = 30
"""Marks of fewer map pixels are no board; one whose cells are 24 px wide has 60 at 12 MP."""
LEAST_SHARE, LEAST_OF_SCRAP = 0.25, 0.8
"""How surely the network for tiles must show bare cells where a board is marked that cannot be
placed, and bare cells or tiles: six cut boards had 0.92 and more, loose tiles on stone 0.78 at
most."""
SCRAP_CELLS, BESIDE = 3.0, 1.15
"""Marks of fewer cells than that are no scrap of a board, nor such within so many times the size of
a board: a tile of which all is seen may lie on more."""
MOST_NEARER = 2.0
"""How many times wider than the nearest board's cells are at most: planes go on to a horizon."""
CROP_PX = 128
CROP_REACH = 7.0
"""The second network sees so many cell widths to each side of a board's centre."""
ROUNDS, MOST_ROUNDS = 3, 8
STEADY = 0.06
"""Boards whose points move less than that are placed; most are after three looks."""
SPREAD = 0.04
"""Boards that looks place further apart, in cell widths, are looked at again: one of 50 that
nothing hides."""
MOST_UNSTEADY = 0.35
"""What still moves that far after all looks is a scrap of a board, or none: held-out boards that
the picture's edge cut in half moved by 0.43, all that were whole by 0.05 at most."""
LEAST_CONTRAST = 0.01
"""A colour of a board varies by more than that share of its brightness: by 0.06 at least on
held-out tables, by nothing on a blank picture. All red may be clipped: it was on two tables."""
SAME_BOARD = 4.0
"""Centres nearer than so many cell widths are one board."""


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


def boards_in(pyramid: Pyramid, most: int, models: HexModels) -> FoundBoards:
    """Return the boards of a picture that is kept with its halves."""
    shown, scale = marks_of(pyramid, models)
    boards: list[HexBoard] = []
    for start in starts_of((shown > 0).astype(np.uint8), scale, pyramid.size_px):
        board = _refined(pyramid, start, models)
        if board is not None and not any(_same(board, other) for other in boards):
            boards.append(board)
    boards.sort(key=lambda board: -board.confidence)
    scraps = scraps_of(pyramid.whole, shown, scale, boards) if len(boards) < most else ()
    placed = _with_one_lens(pyramid, boards[:most], models)
    return FoundBoards(placed, scraps)


# --- the view from above -------------------------------------------------------------------------


def _refined(pyramid: Pyramid, start: HexBoard, models: HexModels) -> HexBoard | None:
    """Return a board looked at from better and better views; where none is, from the steadiest."""
    board, looks = start, []
    for number in range(MOST_ROUNDS):
        seen_crop = crop(pyramid, board)
        moved, confidence = models.place(seen_crop)
        seen = board.px(FIXED + moved)
        if _is_flat(seen_crop) or confidence < LIKELIER / 4 or not _is_sound(seen):
            break
        unsteady = float(np.hypot(*moved.T).mean())
        board = replace(fitted([seen], board)[0], confidence=confidence, unsteady=unsteady)
        looks.append(board)
        if number + 1 >= ROUNDS and unsteady < STEADY:
            return board if confidence >= LIKELIER else None
    if not looks:
        return None
    # Looks that go to and fro may end far off: on pink cloths from 0.12 and 0.08 to 0.4.
    board = min(looks, key=lambda look: look.unsteady)
    placed = board.confidence >= LIKELIER and board.unsteady < MOST_UNSTEADY
    return board if placed else None


def _is_flat(seen: Bgr) -> bool:
    """Say whether nothing at all is to be seen where a board should be."""
    part = slice(CROP_PX // 4, -CROP_PX // 4)
    inner = seen[part, part].reshape(-1, 3)
    return float(inner.std(axis=0).max()) < LEAST_CONTRAST * max(float(inner.mean()), 1.0)


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

    Each is looked at upright and upside down. A board that is seen well comes out the same; one
    that does not is looked at in all its turns.
    """
    if not boards:
        return ()
    placed, spreads = [], []
    for board in boards:
        seen, spread = _looked_at(pyramid, board, models, (0, HALF_TURN))
        if spread > SPREAD:
            seen, spread = _in_all_turns(pyramid, board, models, seen)
        placed.append(seen)
        spreads.append(spread)
    return tuple(
        _surely(pyramid, replace(new, confidence=old.confidence, unsteady=spread))
        for new, old, spread in zip(fitted(placed, boards[0]), boards, spreads, strict=True)
    )


def _in_all_turns(
    pyramid: Pyramid, board: HexBoard, models: HexModels, seen: Points
) -> tuple[Points, float]:
    """Return where fixed points of a board are seen that something hides a part of."""
    spread = 0.0
    for _ in range(ROUNDS):
        (again,) = fitted([seen], board)
        seen, spread = _looked_at(pyramid, again, models, range(SIXTHS))
    return seen, spread


def _surely(pyramid: Pyramid, board: HexBoard) -> HexBoard:
    """Return a board placed by its seams where a part of it is not seen."""
    unsure = board.unsteady > SPREAD or _is_cut(pyramid, board)
    return on_its_seams(pyramid.whole, board) if unsure else board


def _is_cut(pyramid: Pyramid, board: HexBoard) -> bool:
    px = board.px(FIXED)
    return bool(((px < 0) | (px > np.array(pyramid.size_px))).any())


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


# --- what a network marks as boards on a small copy ---


def finder_input(bgr: Bgr) -> tuple[Bgr, float]:
    """Return the copy that the first network sees, and its pixels for one of the picture."""
    small, (scale, _) = shrunk(bgr, min(1.0, FINDER_PX / max(bgr.shape[:2])))
    pad = -small.shape[0] % FINDER_STEP, -small.shape[1] % FINDER_STEP
    # What the edge cuts is marked better if it goes on than if it ends in grey.
    filled = cv2.copyMakeBorder(small, 0, pad[0], 0, pad[1], cv2.BORDER_REPLICATE)
    return np.asarray(filled, np.uint8), scale


def marks_of(pyramid: Pyramid, models: HexModels) -> tuple[Floats, float]:
    """Return logits of the inside of boards, and the copy's pixels for one of the picture."""
    small, scale = finder_input(pyramid.whole)
    columns, rows = (-(-round(length * scale) // STRIDE) for length in pyramid.size_px)
    return models.mark(small)[0][:rows, :columns], scale


def starts_of(marks: NDArray[np.uint8], scale: float, size_px: tuple[int, int]) -> list[HexBoard]:
    """Return first guesses at boards, the largest first."""
    found = [
        (len(points), _spread_as(points, size_px, STRIDE / scale))
        for points in hanging_together(marks, scale, LEAST_MARK_PX)
    ]
    return [board for _, board in sorted(found, key=lambda item: -item[0])[:12]]


def _spread_as(points: Points, size_px: tuple[int, int], grain: float) -> HexBoard:
    """Return a board that is spread as points are, turned as fits them best.

    Args:
        points: places on it, evenly.
        size_px: the picture's width and height.
        grain: how far points are apart.
    """
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
    width, height = size_px
    return HexBoard(px_from_plane, ((width - 1) / 2, (height - 1) / 2), np.hypot(width, height) / 2)


def _outside(flat: Points, turn: float) -> float:
    """Return how far points stick out of a board that is turned so, summed."""
    sides = turn + np.radians(60 * np.arange(6) + 30)
    reach = flat @ np.stack([np.cos(sides), np.sin(sides)])
    return float(np.maximum(reach.max(axis=1) - OUTLINE_RADIUS * SHRINK * sqrt(3) / 2, 0).sum())


def scraps_of(
    bgr: Bgr, shown: Floats, scale: float, boards: Sequence[HexBoard]
) -> tuple[Points, ...]:
    """Return the corners of marks that lie on no board; nothing without a board to go by.

    The network that looks for tiles knows tablecloths better, and is asked too.
    """
    half = STRIDE / scale / 2
    found = []
    for mark in _marks_beside(shown, scale, boards) if boards else ():
        bare, laid = board_shares(bgr, mark.points, mark.cell_px)
        if bare >= LEAST_SHARE and bare + laid >= LEAST_OF_SCRAP:
            low, high = mark.points.min(axis=0), mark.points.max(axis=0)
            found.append(np.array([low - half, high + half]))
    return tuple(found)


@dataclass(frozen=True, eq=False)
class _Mark:
    """Where a board may be that is not placed."""

    points: Points
    cell_px: float
    """How wide cells are there."""


def _marks_beside(shown: Floats, scale: float, boards: Sequence[HexBoard]) -> Iterator[_Mark]:
    """Yield the marks, of some cells or more, that lie on no board.

    All boards lie on one table: the nearest one tells how wide cells are.
    """
    left = shown.copy()
    for board in boards:
        cv2.fillPoly(left, [_on_the_map(board, scale)], -np.inf)
    least = min(board.cell_px() for board in boards)
    for points in hanging_together((left > 0).astype(np.uint8), scale, 1):
        middle = points.mean(axis=0)
        near = min(boards, key=lambda board: float(np.hypot(*(board.middle() - middle))))
        cell_px = float(np.clip(near.cell_px_at(middle), least, MOST_NEARER * near.cell_px()))
        cells = len(points) / ((cell_px * scale / STRIDE) ** 2 * sqrt(3) / 2)
        if cells >= SCRAP_CELLS:
            yield _Mark(points, cell_px)


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
