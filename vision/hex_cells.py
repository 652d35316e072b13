"""Reads the cells of hex boards: what lies on each, what is hidden, and where tiles hang together.

A board is laid out so that its slanting grid becomes a square one: one network then says about all
cells at once what they hold, from their own look and from what is around them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.lattice import HEX_STEPS, Cell, hex_board
from vision.hex_models import CONTENTS, HexModels
from vision.hex_plane import REACH, SIXTHS, HexBoard, plane_of
from vision.pyramid import Pyramid
from vision.types import Bgr

Floats = NDArray[np.float64]

SIDE = REACH + 1
SPAN = 2 * SIDE + 1
"""Cells along a side of the laid out board, with a row beyond each edge."""
CELL_PX = 24
VIEW_PX = SPAN * CELL_PX
BRIGHT_SHARE = 0.45
"""The brighter part of a board that its paper's colour is taken from: tiles leave more bare."""
PAPER = 200.0
"""What paper is made to be."""
CLAYS = ("none", "open", "closed")
OUTPUTS = (len(CONTENTS), 1, len(CLAYS), len(HEX_STEPS), len(HEX_STEPS))
"""Numbers a cell: what it holds, whether it is hidden, clay, the clay's mouth, joined sides."""
CELLS = hex_board(SIDE)
EMPTY = CONTENTS.index("empty")
PLAIN = 0.99
"""What a single look is believed from. Of the held-out tables of 5G on which a single hex or its
clay was misread, all had a share below; turned, the same cell was mostly read right."""
LEAST = 1e-9


def _view_places() -> NDArray[np.float64]:
    steps = (np.arange(VIEW_PX) + 0.5) / CELL_PX - SPAN / 2
    return np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)


_VIEW = _view_places()


def laid_out(pyramid: Pyramid, board: HexBoard) -> Bgr:
    """Return a board with its cells on a square grid, row by row, its paper made neutral."""
    spread = board.cell_px() / CELL_PX
    seen = pyramid.sampled(board.px(plane_of(_VIEW)), (VIEW_PX, VIEW_PX), spread)
    return balanced(seen)


def balanced(view: Bgr) -> Bgr:
    """Return a laid out board in the colours that it would have if its paper were grey."""
    inner = view[CELL_PX:-CELL_PX:3, CELL_PX:-CELL_PX:3].reshape(-1, 3)
    total = inner.sum(axis=1, dtype=np.int32)
    bright = inner[total >= np.quantile(total, 1 - BRIGHT_SHARE)]
    paper = np.maximum(np.median(bright, axis=0), 24.0)
    return np.asarray(np.clip(view * (PAPER / paper) + 0.5, 0, 255), np.uint8)


@dataclass(frozen=True, eq=False)
class CellReadings:
    """What is believed about each cell of a board, in its own turn."""

    contents: dict[Cell, Floats]
    """Shares of ``CONTENTS``."""
    hidden: dict[Cell, float]
    """How sure it is that something covers the cell."""
    clay: dict[Cell, Floats]
    """Shares of ``CLAYS``."""
    opens: dict[Cell, Floats]
    """Shares of the six sides, clockwise from the east, that an open clay points to."""
    joined: dict[Cell, Floats]
    """How sure it is of each side that the tile goes on across it."""

    def turned(self, sixths: int) -> CellReadings:
        """Return the same for the board turned on as ``HexBoard.turned`` does."""
        source = {cell: turned_cell(cell, sixths) for cell in self.contents}
        return CellReadings(
            {cell: self.contents[old] for cell, old in source.items()},
            {cell: self.hidden[old] for cell, old in source.items()},
            {cell: self.clay[old] for cell, old in source.items()},
            {cell: np.roll(self.opens[old], -sixths) for cell, old in source.items()},
            {cell: np.roll(self.joined[old], -sixths) for cell, old in source.items()},
        )


def turned_cell(cell: Cell, sixths: int) -> Cell:
    """Return a cell turned clockwise about the board's centre."""
    q, r = cell
    for _ in range(sixths % 6):
        q, r = -r, q + r
    return (q, r)


def read_cells(
    pyramid: Pyramid, boards: Sequence[HexBoard], models: HexModels
) -> tuple[CellReadings, ...]:
    """Return what lies on the cells of boards, each in the turn that it is given in.

    Boards with a doubtful cell are looked at in all six turns.
    """
    if not boards:
        return ()
    first = _looks(pyramid, boards, models)
    return tuple(
        agreed([reading, *_other_turns(pyramid, board, models)]) if _is_doubtful(reading)
        else reading
        for board, reading in zip(boards, first, strict=True)
    )  # fmt: skip


def _looks(pyramid: Pyramid, boards: Sequence[HexBoard], models: HexModels) -> list[CellReadings]:
    logits = models.read([laid_out(pyramid, board) for board in boards])
    return [_readings(one.astype(np.float64)) for one in logits]


def _other_turns(pyramid: Pyramid, board: HexBoard, models: HexModels) -> list[CellReadings]:
    turns = range(1, SIXTHS)
    looks = _looks(pyramid, [board.turned(turn) for turn in turns], models)
    return [look.turned(-turn) for turn, look in zip(turns, looks, strict=True)]


def _is_doubtful(reading: CellReadings) -> bool:
    """Say whether another look may change what lies on a cell or which clay does."""
    for cell, shares in reading.contents.items():
        if reading.hidden[cell] > 1 - PLAIN:
            continue
        clay = reading.clay[cell]
        if shares.max() < PLAIN or (shares[EMPTY] < PLAIN and clay.max() < PLAIN):
            return True
        if clay[0] < PLAIN and shares[EMPTY] < PLAIN and reading.opens[cell].max() < PLAIN:
            return True
    return False


def agreed(looks: Sequence[CellReadings]) -> CellReadings:
    """Return what several looks at a board say together."""
    cells = looks[0].contents
    return CellReadings(
        {cell: _together([look.contents[cell] for look in looks]) for cell in cells},
        {cell: float(_likely([look.hidden[cell] for look in looks])) for cell in cells},
        {cell: _together([look.clay[cell] for look in looks]) for cell in cells},
        # A mouth that each look sees elsewhere is none.
        {cell: np.mean([look.opens[cell] for look in looks], axis=0) for cell in cells},
        {cell: _likely([look.joined[cell] for look in looks]) for cell in cells},
    )


def _together(shares: Sequence[Floats]) -> Floats:
    """Return shares of one thing whose logarithms are the mean of all looks'."""
    return _shares(np.log(np.maximum(shares, LEAST)).mean(axis=0))


def _likely(shares: Sequence[Any]) -> Floats:
    """Return shares of yes and no whose log-odds are the mean of all looks'."""
    held = np.clip(shares, LEAST, 1 - LEAST)
    return _share(np.log(held / (1 - held)).mean(axis=0))


def _readings(logits: Floats) -> CellReadings:
    parts = np.split(logits, np.cumsum(OUTPUTS)[:-1])
    contents, hidden, clay = _shares(parts[0]), _share(parts[1])[0], _shares(parts[2])
    opens, joined = _shares(parts[3]), _share(parts[4])
    at = {(q, r): (r + SIDE, q + SIDE) for q, r in CELLS}
    return CellReadings(
        {cell: contents[:, y, x] for cell, (y, x) in at.items()},
        {cell: float(hidden[y, x]) for cell, (y, x) in at.items()},
        {cell: clay[:, y, x] for cell, (y, x) in at.items()},
        {cell: opens[:, y, x] for cell, (y, x) in at.items()},
        {cell: joined[:, y, x] for cell, (y, x) in at.items()},
    )


def _shares(logits: Floats) -> Floats:
    raised = np.exp(logits - logits.max(axis=0))
    return np.asarray(raised / raised.sum(axis=0))


def _share(logits: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(logits, -30, 30))))
