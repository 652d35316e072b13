"""What cells of hex boards hold, judged by their colours beside those of all other cells.

The network sees one board at a time and has learnt colours under many lights. In one picture all
tiles lie in one light: a cell that was taken for bare and has the colour of the red tiles around
it is red, and so is one of which only its corners show around clay.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.lattice import Cell
from vision.core.stages import stage
from vision.core.types import Bgr
from vision.hexes.cells import CELL_PX, CELLS, EMPTY, EYE, PLAIN, SIDE, SPAN, CellReadings
from vision.hexes.models import CONTENTS
from vision.hexes.plane import plane_of

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
DOUBTFUL_NEARER = 2.5
"""The same of a bare cell that the network gives a share of to that tile, as much as to one that
light has washed out: a pale green hex in a corner had 0.2, was 13 off and three times nearer."""
TAKEN_FOR = 0.9
"""How sure a cell is whose colour says otherwise than the network."""
FADES = 10.0
"""Over so large a distance of colour a doubtful cell becomes 2.7 times less likely to be such."""
UNKNOWN_OFF = 20.0
"""What counts for a cell whose likeliest colour is seen nowhere else; other such colours gain and
lose nothing against the likeliest."""
SAME_LOOK, SAME_PAPER, LEAST_SHARE = 3.0, 1.0, 0.01
"""How near to others' a cell's colour is that is taken for one of them though its likeliest colour
is seen nowhere else; the same of bare ones; and what the network must give it. A bare cell on a
green board was 0.4 off and taken for green with 0.985; a blue hex 2.5 off and taken for violet with
0.955. In 85 pictures, most made too bright or too dark, three more were told right so, and two
violet hexes that light had burnt away were 2.5 and 2.7 off paper."""
LEANS, UNKNOWN_LEANS = 20.0, 60.0
"""Degrees by which a colour may lean otherwise than a tile's, and what counts for one that is seen
nowhere else."""
LEAST_PALE, PALER_THAN, BARE_FADES, MAY_BE = 4.0, 0.6, 4.0, 0.1
"""How far from paper, and what share of a tile's way, the colour of one is that light has washed
out; how fast it becomes unlikely that the cell is bare; and what the network must give it. A pale
violet hex in too bright a light had 0.2, and its colour was 10 off, on a third of violet's way."""
CLAY_REACH, CELL_REACH = 0.4, 0.44
"""How far from a cell's middle, in cell widths, clay seldom reaches, and how far towards its sides
a tile has no outline yet: its corners lie between."""
LEAST_CLAY = 0.3
"""Share of the pixels of corners that count: clay is redder and yellower than those of any tile."""
CLEARER = 1.25
"""How many times nearer to one colour corners around clay must be: of 187 on 17 held-out tables
three were nearer to another than their own, 1.06 times, and 54 so around their middles."""
SURE_UNDER_CLAY = 0.999
"""Cells under clay are doubtful below that: one was taken for violet with 0.9945 and was blue."""
HALF = 0.5
UNSEEN = 0.01
"""Cells that are more surely hidden show the colour of what lies on them."""


@stage("hexes: light", without=lambda readings, _: list(readings))
def in_one_light(readings: Sequence[CellReadings], views: Sequence[Bgr]) -> list[CellReadings]:
    """Return what cells hold as their colours say too, beside those of all boards.

    Args:
        readings: what the network says of each board.
        views: the boards laid out, in the turn that they were read in.
    """
    boards = [_Board.of(*one) for one in zip(readings, views, strict=True)]
    changed = _recoloured(boards, [board.colours for board in boards])
    if any(board.under_clay.any() for board in boards):
        corners = [_corners(view)[board.at] for board, view in zip(boards, views, strict=True)]
        changed = [
            own | more for own, more in zip(changed, _around_clay(boards, corners), strict=True)
        ]
    return [
        replace(reading, contents=reading.contents | own)
        for reading, own in zip(readings, changed, strict=True)
    ]


@dataclass(frozen=True, eq=False)
class _Board:
    """The cells of a board that nothing hides."""

    cells: list[Cell]
    at: tuple[NDArray[np.int_], NDArray[np.int_]]
    """Rows and columns of its view that they are in."""
    shares: Floats
    """Of what each may hold."""
    clear: NDArray[np.bool_]
    """Whether no clay lies on it."""
    under_clay: NDArray[np.bool_]
    """Whether clay lies on it and its colour is in doubt."""
    colours: Floats

    @classmethod
    def of(cls, reading: CellReadings, view: Bgr) -> _Board:
        cells = [cell for cell in CELLS if reading.hidden[cell] < UNSEEN]
        places = np.array(cells, int).reshape(-1, 2) + SIDE
        at = places[:, 1], places[:, 0]
        shares = np.array([reading.contents[cell] for cell in cells]).reshape(-1, len(CONTENTS))
        bare = np.array([reading.clay[cell][0] for cell in cells])
        held = shares.argmax(axis=1)
        doubtful = (shares.max(axis=1) < SURE_UNDER_CLAY) & (held != EMPTY) & (held != EYE)
        return cls(cells, at, shares, bare > PLAIN, doubtful & (bare < HALF), _colours(view)[at])


def _colours(view: Bgr) -> Floats:
    """Return the colours of cells around their middle by row and column, brightness left aside."""
    side = SPAN * PARTS
    small = cv2.resize(view, (side, side), None, 0, 0, cv2.INTER_AREA)
    lab = cv2.cvtColor(small, cv2.COLOR_BGR2LAB).astype(np.float64)[..., 1:]
    parts = lab.reshape(SPAN, PARTS, SPAN, PARTS, 2)
    beside = parts[:, 0, :, 1] + parts[:, 2, :, 1] + parts[:, 1, :, 0] + parts[:, 1, :, 2]
    return np.asarray(beside / 4)


def _corners(view: Bgr) -> Floats:
    """Return the colours of the corners of cells by row and column, brightness left aside."""
    steps = (np.arange(CELL_PX) + 0.5) / CELL_PX - 0.5
    plane = plane_of(np.stack(np.meshgrid(steps, steps), axis=-1))
    normals = np.array([(1, 0), (0.5, 3**0.5 / 2), (-0.5, 3**0.5 / 2)])
    inside = np.abs(plane @ normals.T).max(axis=1) < CELL_REACH
    corners = inside & (np.hypot(*plane.T) > CLAY_REACH)
    lab = cv2.cvtColor(view, cv2.COLOR_BGR2LAB)[..., 1:].reshape(SPAN, CELL_PX, SPAN, CELL_PX, 2)
    parts = lab.transpose(0, 2, 1, 3, 4).reshape(SPAN, SPAN, -1, 2)[:, :, corners]
    return np.asarray(np.quantile(parts, LEAST_CLAY, axis=2))


def _typical(boards: Sequence[_Board], colours: Sequence[Floats]) -> dict[int, Floats]:
    """Return the usual colour of each that a cell can hold, by cells that are sure of it."""
    shares, every = np.concatenate([board.shares for board in boards]), np.concatenate(colours)
    sure = (shares > PLAIN) & np.concatenate([board.clear for board in boards])[:, None]
    return {
        number: np.median(every[own], axis=0)
        for number, own in enumerate(sure.T)
        if number != EYE and own.sum() >= LEAST_SEEN
    }


def _recoloured(boards: Sequence[_Board], colours: Sequence[Floats]) -> list[dict[Cell, Floats]]:
    """Return what doubtful cells of boards hold, and such that seem bare and do not look so."""
    looks = _typical(boards, colours)
    found: list[dict[Cell, Floats]] = []
    for board, own in zip(boards, colours, strict=True):
        off = _off(own, looks)
        bare = off[:, list(looks).index(EMPTY)] if EMPTY in looks else np.zeros(len(off))
        looked_at = (board.shares.max(axis=1) < PLAIN) | (
            (board.shares[:, EMPTY] > PLAIN) & (bare > STANDS_OFF)
        )
        chosen = np.flatnonzero(looked_at).tolist() if looks else []
        found.append({})
        for i in chosen:
            shares, gaps = board.shares[i], dict(zip(looks, off[i].tolist(), strict=True))
            clearly = None
            if board.clear[i]:
                washed_out = _washed_out(shares, own[i], looks)
                clearly = _like_others(shares, gaps) if washed_out is None else washed_out
            held = _by_colour(shares, gaps) if clearly is None else clearly
            found[-1][board.cells[i]] = held
    return found


def _around_clay(boards: Sequence[_Board], corners: Sequence[Floats]) -> list[dict[Cell, Floats]]:
    """Return what doubtful cells under clay hold, as far as their corners tell it clearly."""
    looks = _typical(boards, corners)
    found: list[dict[Cell, Floats]] = []
    for board, own in zip(boards, corners, strict=True):
        off = _off(own, looks)
        found.append({})
        for i in np.flatnonzero(board.under_clay).tolist():
            near = np.argsort(off[i])[:2]
            nearest = list(looks)[near[0]] if len(near) == 2 else EMPTY
            # Light has burnt away what is as pale as paper.
            known = nearest != EMPTY and int(board.shares[i].argmax()) in looks
            if known and off[i][near[0]] * CLEARER < off[i][near[1]]:
                found[-1][board.cells[i]] = taken_for(nearest)
    return found


def _off(colours: Floats, looks: Mapping[int, Floats]) -> Floats:
    """Return how far colours are from each of the usual ones."""
    usual = np.array(list(looks.values())).reshape(-1, 2)
    return np.asarray(np.hypot(*(colours[:, None] - usual).transpose(2, 0, 1)))


def taken_for(number: int) -> Floats:
    """Return shares of contents of a cell that is said to hold something."""
    rest = (1 - TAKEN_FOR) / (len(CONTENTS) - 1)
    return np.where(np.arange(len(CONTENTS)) == number, TAKEN_FOR, rest)


def _washed_out(shares: Floats, colour: Floats, looks: Mapping[int, Floats]) -> Floats | None:
    """Return shares of contents of a doubtful cell that light has made paler than other tiles.

    Which colour it leans to from the bare cells' tells more then than how far it is from others.
    ``None`` stands for cells that are not washed out.
    """
    tiles = {number: look - looks[EMPTY] for number, look in looks.items() if EMPTY in looks}
    tiles.pop(EMPTY, None)
    if shares.max() >= PLAIN or not tiles:
        return None
    leaning = colour - looks[EMPTY]
    pale = float(np.hypot(*leaning))
    usual = {number: float(np.hypot(*look)) for number, look in tiles.items()}
    turned = {
        number: float(np.degrees(np.arccos(np.clip(leaning @ look / max(pale * usual[number], 1e-9),
                                                   -1, 1)))) for number, look in tiles.items()
    }  # fmt: skip
    nearest = min(turned, key=lambda number: turned[number])
    washed = LEAST_PALE < pale < PALER_THAN * usual[nearest]
    if turned[nearest] > LEANS or shares[nearest] < MAY_BE or not washed:
        return None
    weights = np.full(len(CONTENTS), np.exp(-UNKNOWN_LEANS / LEANS))
    weights[list(turned)] = np.exp(-np.array(list(turned.values())) / LEANS)
    weights[EMPTY] = np.exp(-pale / BARE_FADES)
    weighed = shares * weights
    return np.asarray(weighed / weighed.sum())


def _like_others(shares: Floats, off: Mapping[int, float]) -> Floats | None:
    """Return shares of a doubtful cell that has the very colour of others, if it is of those.

    ``None`` stands for cells whose likeliest colour is seen elsewhere, or that look like no other.
    """
    nearest = min(off, key=lambda number: off[number])
    unseen = shares.max() < PLAIN and int(shares.argmax()) not in (*off, EYE)
    alike = off[nearest] < (SAME_PAPER if nearest == EMPTY else SAME_LOOK)
    return taken_for(nearest) if unseen and alike and shares[nearest] >= LEAST_SHARE else None


def _by_colour(shares: Floats, off: Mapping[int, float]) -> Floats:
    """Return shares of contents, given how far a cell's colour is off the usual ones."""
    if int(shares.argmax()) == EMPTY:
        nearest = min(off, key=lambda number: off[number], default=EMPTY)
        bare = off.get(EMPTY, 0.0)
        nearer = DOUBTFUL_NEARER if shares[nearest] >= MAY_BE else NEARER
        if bare > STANDS_OFF and bare > nearer * off[nearest]:
            return taken_for(nearest)
    if shares.max() >= PLAIN:
        return shares
    own = off.get(int(shares.argmax()), UNKNOWN_OFF)
    gaps = np.array([off.get(number, own) for number in range(len(CONTENTS))])
    weighed = shares * np.exp(-gaps / FADES)
    return np.asarray(weighed / weighed.sum())
