"""Looks at hex boards: once, in all their turns where a look leaves doubts, and side by side."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.lattice import hex_neighbours
from vision.core.pyramid import Pyramid
from vision.core.stages import stage
from vision.hexes.cells import (
    EMPTY,
    EYE,
    PLAIN,
    CellReadings,
    evened,
    in_two_lights,
    laid_out,
    likely,
    readings_of,
)
from vision.hexes.goes_on import with_what_goes_on
from vision.hexes.light import in_one_light
from vision.hexes.models import HexModels
from vision.hexes.plane import HALF_TURN, SIXTHS, HexBoard

HINT_OF_CLAY = 0.0005
"""Tiles that look by more like clay are worth another look: one with clay had 0.0007 in the first
and 0.06 in all, and one board in 18 without has such a tile."""
HALF = 0.5


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
