"""Looks at hex boards: once, in all their turns where a look leaves doubts, and side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from engine.lattice import Cell, hex_neighbours
from vision.core.pyramid import Pyramid
from vision.core.stages import stage
from vision.hexes.cells import (
    EMPTY,
    EYE,
    PLAIN,
    CellReadings,
    Floats,
    evened,
    in_two_lights,
    laid_out,
    likely,
    readings_of,
)
from vision.hexes.light import UNSEEN, in_one_light, taken_for
from vision.hexes.models import HexModels
from vision.hexes.plane import HALF_TURN, SIXTHS, HexBoard

HINT_OF_CLAY = 0.0005
"""Tiles that look by more like clay are worth another look: one with clay had 0.0007 in the first
and 0.06 in all, and one board in 18 without has such a tile."""
HALF = 0.5
GOES_ON = 0.6
"""How surely a tile must go on across a side, as both of its cells see it: in 48 pictures that were
made too bright, too dark or lit by a lamp, all 70 doubtful cells above 0.3 were of a tile, 62 of
them above 0.95, and no bare one was."""


def read_cells(
    pyramid: Pyramid, boards: Sequence[HexBoard], models: HexModels
) -> tuple[CellReadings, ...]:
    """Return what lies on the cells of boards, each in the turn that it is given in.

    Boards with a doubtful cell are looked at in all six turns.
    """
    if not boards:
        return ()
    views = [laid_out(pyramid, board) for board in boards]
    looks = [readings_of(one.astype(np.float64)) for one in models.read(views)]
    readings = [
        in_two_lights([look, *_other_turns(pyramid, board, models)]) if is_doubtful(look) else look
        for board, look in zip(boards, looks, strict=True)
    ]
    return tuple(with_what_goes_on(reading) for reading in in_one_light(readings, views))


def _other_turns(pyramid: Pyramid, board: HexBoard, models: HexModels) -> list[CellReadings]:
    """Return how a board reads in its other turns, in every second of them in another light."""
    turns = range(1, SIXTHS)
    views = [laid_out(pyramid, board.turned(turn)) for turn in turns]
    views = [evened(view) if turn % 2 else view for turn, view in zip(turns, views, strict=True)]
    looks = [readings_of(one.astype(np.float64)) for one in models.read(views)]
    return [look.turned(-turn) for turn, look in zip(turns, looks, strict=True)]


@stage("hexes: other turns", without=lambda reading: False)
def is_doubtful(reading: CellReadings) -> bool:
    """Say whether another look may change what lies on a cell or which clay does."""
    for cell, shares in reading.contents.items():
        if reading.hidden[cell] > 1 - PLAIN:
            continue
        clay = reading.clay[cell]
        if shares.max() < PLAIN or (shares[EMPTY] < PLAIN and clay.max() < PLAIN):
            return True
        if PLAIN <= clay[0] < 1 - HINT_OF_CLAY and max(shares[EMPTY], shares[EYE]) < HALF:
            return True
        if clay[0] < PLAIN and shares[EMPTY] < PLAIN and reading.opens[cell].max() < PLAIN:
            return True
    return _has_doubtful_side(reading)


def _has_doubtful_side(reading: CellReadings) -> bool:
    """Say whether two cells of one colour may be one tile or two."""
    holds = {cell: int(shares.argmax()) for cell, shares in reading.contents.items()}
    for cell, colour in holds.items():
        if colour in (EMPTY, EYE):
            continue
        for side, beside in enumerate(hex_neighbours(cell)[:HALF_TURN]):
            if holds.get(beside) == colour:
                both = reading.joined[cell][side], reading.joined[beside][side + HALF_TURN]
                if 1 - PLAIN < float(likely(both)) < PLAIN:
                    return True
    return False


@stage("hexes: goes on", without=lambda reading: reading)
def with_what_goes_on(reading: CellReadings) -> CellReadings:
    """Return what the cells of a board hold, doubtful ones as the tile that goes on into them.

    Where a lamp burns a tile away, its outline is seen longer than its colour.
    """
    contents = dict(reading.contents)
    doubtful = {
        cell
        for cell, shares in contents.items()
        if shares.max() < PLAIN and reading.hidden[cell] < UNSEEN
    }
    reached = contents.keys() - doubtful
    while doubtful:
        told = {cell: colour for cell in doubtful
                if (colour := _told_by(reading, contents, cell, reached)) is not None}  # fmt: skip
        if not told:
            break
        for cell, colour in told.items():
            if int(contents[cell].argmax()) != colour:
                contents[cell] = taken_for(colour)
        doubtful -= told.keys()
        reached |= told.keys()
    return replace(reading, contents=contents)


def _told_by(
    reading: CellReadings, contents: Mapping[Cell, Floats], cell: Cell, reached: set[Cell]
) -> int | None:
    """Return the colour of the surest tile that goes on into a cell."""
    best: tuple[float, int] | None = None
    for side, beside in enumerate(hex_neighbours(cell)):
        if beside not in reached:
            continue
        colour = int(contents[beside].argmax())
        back = float(reading.joined[beside][(side + HALF_TURN) % SIXTHS])
        sure = min(float(reading.joined[cell][side]), back)
        if colour not in (EMPTY, EYE) and sure > GOES_ON and (best is None or sure > best[0]):
            best = sure, colour
    return None if best is None else best[1]
