"""What cells of hex boards hold, judged by their colours beside those of all other cells.

The network sees one board at a time and has learnt colours under many lights. In one picture all
tiles lie in one light: a cell that was taken for bare and has the colour of the red tiles around
it is red, and so is one of which only its rim shows around clay.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.lattice import Cell
from vision.hex_cells import CELLS, EMPTY, EYE, PLAIN, SIDE, SPAN, CellReadings
from vision.hex_models import CONTENTS
from vision.types import Bgr

Floats = NDArray[np.float64]

PARTS = 3
"""A cell is looked at in so many times so many parts; those beside its middle one count."""
LEAST_SEEN = 2
"""Of so many cells or more a colour's look is taken."""
STANDS_OFF, NEARER = 12.0, 5.0
"""How far a bare cell's colour is from other bare ones at least before it is doubted, and how many
times nearer to a tile's it is then. Of 7,673 bare cells of 36 held-out tables two were further off,
beside a blue cup, one of them twice as near to blue tiles; a red hex that was taken for bare was 29
off and nine times nearer to red ones."""
TAKEN_FOR = 0.9
"""How sure a cell is whose colour says otherwise than the network."""
FADES = 10.0
"""Over so large a distance of colour a doubtful cell becomes 2.7 times less likely to be such."""
UNKNOWN_OFF = 20.0
"""What counts for a cell whose likeliest colour is seen nowhere else; other such colours gain and
lose nothing against the likeliest."""
UNSEEN = 0.01
"""Cells that are more surely hidden show the colour of what lies on them."""


def in_one_light(readings: Sequence[CellReadings], views: Sequence[Bgr]) -> list[CellReadings]:
    """Return what cells hold as their colours say too, beside those of all boards.

    Args:
        readings: what the network says of each board.
        views: the boards laid out, in the turn that they were read in.
    """
    boards = [_Board.of(*one) for one in zip(readings, views, strict=True)]
    looks = _typical(boards)
    return [
        replace(reading, contents=reading.contents | _recoloured(board, looks))
        for reading, board in zip(readings, boards, strict=True)
    ]


@dataclass(frozen=True, eq=False)
class _Board:
    """The cells of a board that nothing hides."""

    cells: list[Cell]
    shares: Floats
    """Of what each may hold."""
    clear: NDArray[np.bool_]
    """Whether no clay lies on it."""
    colours: Floats

    @classmethod
    def of(cls, reading: CellReadings, view: Bgr) -> _Board:
        cells = [cell for cell in CELLS if reading.hidden[cell] < UNSEEN]
        at = np.array(cells, int).reshape(-1, 2) + SIDE
        shares = np.array([reading.contents[cell] for cell in cells]).reshape(-1, len(CONTENTS))
        clear = np.array([reading.clay[cell][0] > PLAIN for cell in cells], bool)
        return cls(cells, shares, clear, _colours(view)[at[:, 1], at[:, 0]])


def _colours(view: Bgr) -> Floats:
    """Return the colours of cells around their middle by row and column, brightness left aside."""
    side = SPAN * PARTS
    small = cv2.resize(view, (side, side), None, 0, 0, cv2.INTER_AREA)
    lab = cv2.cvtColor(small, cv2.COLOR_BGR2LAB).astype(np.float64)[..., 1:]
    parts = lab.reshape(SPAN, PARTS, SPAN, PARTS, 2)
    beside = parts[:, 0, :, 1] + parts[:, 2, :, 1] + parts[:, 1, :, 0] + parts[:, 1, :, 2]
    return np.asarray(beside / 4)


def _typical(boards: Sequence[_Board]) -> dict[int, Floats]:
    """Return the usual colour of each that a cell can hold, by cells that are sure of it."""
    shares = np.concatenate([board.shares for board in boards])
    colours = np.concatenate([board.colours for board in boards])
    sure = (shares > PLAIN) & np.concatenate([board.clear for board in boards])[:, None]
    return {
        number: np.median(colours[own], axis=0)
        for number, own in enumerate(sure.T)
        if number != EYE and own.sum() >= LEAST_SEEN
    }


def _recoloured(board: _Board, looks: Mapping[int, Floats]) -> dict[Cell, Floats]:
    """Return what doubtful cells hold, and such that seem bare and do not look so."""
    if not len(board.cells) or not looks:
        return {}
    off = np.hypot(*(board.colours[:, None] - np.array(list(looks.values()))).transpose(2, 0, 1))
    bare = off[:, list(looks).index(EMPTY)] if EMPTY in looks else np.zeros(len(off))
    looked_at = (board.shares.max(axis=1) < PLAIN) | (
        (board.shares[:, EMPTY] > PLAIN) & (bare > STANDS_OFF)
    )
    return {
        board.cells[i]: _by_colour(board.shares[i], dict(zip(looks, off[i].tolist(), strict=True)))
        for i in np.flatnonzero(looked_at).tolist()
    }


def _by_colour(shares: Floats, off: Mapping[int, float]) -> Floats:
    """Return shares of contents, given how far a cell's colour is off the usual ones."""
    if int(shares.argmax()) == EMPTY:
        nearest = min(off, key=lambda number: off[number], default=EMPTY)
        bare = off.get(EMPTY, 0.0)
        if bare > STANDS_OFF and bare > NEARER * off[nearest]:
            rest = (1 - TAKEN_FOR) / (len(CONTENTS) - 1)
            return np.where(np.arange(len(CONTENTS)) == nearest, TAKEN_FOR, rest)
    if shares.max() >= PLAIN:
        return shares
    own = off.get(int(shares.argmax()), UNKNOWN_OFF)
    gaps = np.array([off.get(number, own) for number in range(len(CONTENTS))])
    weighed = shares * np.exp(-gaps / FADES)
    return np.asarray(weighed / weighed.sum())
