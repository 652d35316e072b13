"""Finds hex boards in a picture and says where each of their cells is.

A first network marks the inside of boards on a small copy of the picture. A second one looks at
each mark as if from above and says where the board's fixed points are; asked three times, each
time from the better view, it ends within a few hundredths of a cell. A lens that bends straight
lines is fitted to all boards together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.core.pyramid import Pyramid, drawn_between
from vision.core.types import Bgr, Points
from vision.detect.hex_seams import on_its_seams
from vision.hexes.marks import marks_of, scraps_of, starts_of
from vision.hexes.models import HexModels, shipped_models
from vision.hexes.plane import (
    FIXED,
    HALF_TURN,
    REACH,
    SIXTHS,
    TURNED,
    HexBoard,
    fitted,
)

Floats = NDArray[np.float32]

CROP_PX = 128
CROP_REACH = 7.0
"""The second network sees so many cell widths to each side of a board's centre."""
ROUNDS, MOST_ROUNDS = 3, 8
STEADY = 0.06
"""Boards whose points move less than that are placed; most are after three looks."""
SPREAD = 0.04
"""Boards that looks place further apart, in cell widths, are looked at again: one of 50 that
nothing hides."""
LEAST_CONFIDENCE = 0.5
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


def find_boards(bgr: Bgr, most: int, models: HexModels | None = None) -> tuple[HexBoard, ...]:
    """Return the boards of a picture, the surest first, each in one of its six turns."""
    return boards_in(Pyramid(bgr), most, models or shipped_models()).boards


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
        if _is_flat(seen_crop) or confidence < LEAST_CONFIDENCE / 4 or not _is_sound(seen):
            break
        unsteady = float(np.hypot(*moved.T).mean())
        board = replace(fitted([seen], board)[0], confidence=confidence, unsteady=unsteady)
        looks.append(board)
        if number + 1 >= ROUNDS and unsteady < STEADY:
            return board if confidence >= LEAST_CONFIDENCE else None
    if not looks:
        return None
    # Looks that go to and fro may end far off: on pink cloths from 0.12 and 0.08 to 0.4.
    board = min(looks, key=lambda look: look.unsteady)
    placed = board.confidence >= LEAST_CONFIDENCE and board.unsteady < MOST_UNSTEADY
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
