"""Finds hex boards in a picture and says where each of their cells is.

A first network marks the inside of boards on a small copy of the picture. A second one looks at
each mark as if from above and says where the board's fixed points are; asked three times, each
time from the better view, it ends within a few hundredths of a cell. A lens that bends straight
lines is fitted to all boards together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
from vision.hex_scraps import (
    STRIDE,
    cells_marked,
    hanging_together,
    scraps_of,
    shows_a_board,
)
from vision.hex_seams import UNKNOWN, on_its_seams
from vision.pyramid import GREY, Pyramid, drawn_between, shrunk
from vision.types import Bgr, Points

Floats = NDArray[np.float32]

FINDER_PX = 640
"""Longer side of the copy that boards are looked for on."""
FINDER_STEP = 32
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
    cells: tuple[Points, ...] = ()
    """Where no board is placed, outlines of what look like cells with tiles, however small."""


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
    scraps = scraps_of(pyramid.whole, shown, scale, boards) if len(boards) < most else ()
    placed = _with_one_lens(pyramid, boards[:most], models)
    real = [
        board for board in placed
        if board.unsteady < UNKNOWN or shows_a_board(pyramid.whole, shown, scale, board)
    ]  # fmt: skip
    if len(real) < len(placed):
        # What is no board bends the lens too.
        placed = _with_one_lens(pyramid, real, models)
    cells = () if placed else cells_marked(pyramid.whole, shown, scale, LEAST_MARK_PX)
    return FoundBoards(placed, scraps, cells)


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
        for points in hanging_together(marks, scale, LEAST_MARK_PX)
    ]
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
    """Return a board looked at from better and better views; where none is, from the steadiest."""
    board, looks = start, []
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
        looks.append(board)
        if number + 1 >= ROUNDS and unsteady < STEADY:
            break
    else:
        # Looks that go to and fro may end far off: on pink paper they went from 0.12 to 0.4.
        board = min(looks, key=lambda look: look.unsteady)
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
