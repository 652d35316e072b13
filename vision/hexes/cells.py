"""Reads the cells of hex boards: what lies on each, what is hidden, and which sides tiles cross.

A board is sheared so that its slanting grid becomes a square one: one network then classifies all
cells at once, from their own look and their surroundings.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import log

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.lattice import HEX_STEPS, Cell, hex_board
from engine.tiles import TileSet
from vision.core import lattice
from vision.core.crop import Pyramid, drawn_between
from vision.core.types import Bgr
from vision.hexes.models import CONTENTS, HexModels
from vision.hexes.plane import REACH, SIXTHS, HexBoard, plane_of

Floats = NDArray[np.float64]

SIDE = REACH + 1
SPAN = 2 * SIDE + 1
"""Cells along a side of the sheared view, with one row beyond each edge of the board."""
CELL_PX = 24
VIEW_PX = SPAN * CELL_PX
COARSE = 8
"""Step in pixels between computed coordinates of the view; the others are interpolated."""
BRIGHT_SHARE = 0.45
"""Brightest share of a board that gives its paper's colour: tiles leave more than this bare."""
PAPER = 200.0
"""Level of all channels to which paper is balanced."""
CLAYS = ("none", "open", "closed")
OUTPUTS = (len(CONTENTS), 1, len(CLAYS), len(HEX_STEPS), len(HEX_STEPS))
"""Network outputs per cell: contents, hidden, clay, the clay's mouth, joined sides."""
CELLS = hex_board(SIDE)
EMPTY, EYE = CONTENTS.index("empty"), CONTENTS.index("eye")
LEAST_SHARE = 1e-4
TILE_ON_EYE = 0.02
"""Prior probability of a tile on an eye: it is a foul, and fouls are read as they lie."""
CLEARLY = 2.0
"""Minimum lead of a turn over others, as a log-likelihood: on 40 held-out tables it was at least 9
wherever an eye was seen, and 0 where none was."""

_STEPS = (np.arange(0, VIEW_PX + COARSE, COARSE) + 0.5) / CELL_PX - SPAN / 2
_VIEW = plane_of(np.stack(np.meshgrid(_STEPS, _STEPS), axis=-1))


def laid_out(pyramid: Pyramid, board: HexBoard) -> Bgr:
    """Return a board with its cells on a square grid, row by row, its paper balanced to grey."""
    spread = board.cell_px() / CELL_PX
    coarse = board.px(_VIEW).reshape(len(_STEPS), -1, 2)
    places = drawn_between(coarse, COARSE, (VIEW_PX, VIEW_PX))
    view = pyramid.sampled(places, spread)
    inside = ((places >= 0) & (places < pyramid.size_px)).all(axis=2)
    return balanced(view, np.asarray(inside, bool))


def balanced(view: Bgr, inside: NDArray[np.bool_] | None = None) -> Bgr:
    """Return a sheared view of a board, white-balanced so that its paper is grey.

    Args:
        view: the board.
        inside: which pixels lie in the picture: the grey beyond is no paper.
    """
    part = slice(CELL_PX, -CELL_PX, 3)
    inner = view[part, part].reshape(-1, 3)
    shown = None if inside is None else inside[part, part].ravel()
    if shown is not None and shown.any():
        inner = inner[shown]
    levels = np.arange(256)[:, None] * (PAPER / paper_of(inner)) + 0.5
    return np.asarray(cv2.LUT(view, np.clip(levels, 0, 255).astype(np.uint8)[None]), np.uint8)


def paper_of(pixels: NDArray[np.uint8]) -> Floats:
    """Return the colour of the paper, given pixels of boards, N x 3."""
    total = pixels.sum(axis=1, dtype=np.int32)
    bright = pixels[total >= np.quantile(total, 1 - BRIGHT_SHARE)]
    return np.asarray(np.maximum(np.median(bright, axis=0), 24.0))


@dataclass(frozen=True, eq=False)
class CellReadings:
    """What is believed about each cell of a board, in one of the board's turns."""

    contents: dict[Cell, Floats]
    """Probabilities of ``CONTENTS``."""
    hidden: dict[Cell, float]
    """Confidence that something covers the cell."""
    clay: dict[Cell, Floats]
    """Probabilities of ``CLAYS``."""
    opens: dict[Cell, Floats]
    """Probabilities of the six sides, clockwise from the east, to which open clay points."""
    joined: dict[Cell, Floats]
    """Probability for each of the six sides that a tile continues across it."""

    def turned(self, sixths: int) -> CellReadings:
        """Return the readings for the board turned as ``HexBoard.turned`` does."""
        source = {cell: turned_cell(cell, sixths) for cell in self.contents}
        sides = (np.arange(len(HEX_STEPS)) + sixths) % len(HEX_STEPS)
        return CellReadings(
            {cell: self.contents[old] for cell, old in source.items()},
            {cell: self.hidden[old] for cell, old in source.items()},
            {cell: self.clay[old] for cell, old in source.items()},
            {cell: self.opens[old][sides] for cell, old in source.items()},
            {cell: self.joined[old][sides] for cell, old in source.items()},
        )


def turned_cell(cell: Cell, sixths: int) -> Cell:
    """Return a cell turned clockwise about the board's centre."""
    return lattice.turned_cell(cell, sixths, SIXTHS)


def readings_of(logits: Floats) -> CellReadings:
    """Return the readings that the network's logits for one board encode."""
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


def read_cells(
    pyramid: Pyramid, boards: Sequence[HexBoard], models: HexModels
) -> tuple[CellReadings, ...]:
    """Return what lies on the cells of boards, each in the turn that it is given in."""
    if not boards:
        return ()
    logits = models.read([laid_out(pyramid, board) for board in boards])
    return tuple(readings_of(one.astype(np.float64)) for one in logits)


# --- the turn of a board, found by its two holes, the eyes ---


def turns_of(
    readings: Sequence[CellReadings], tile_set: TileSet, lost: Sequence[Collection[Cell]]
) -> list[tuple[int, ...]]:
    """Return for each board the turns in which it may lie, the likeliest first.

    Args:
        readings: what was read of each board, in the turn that it was found in.
        tile_set: the box; without eyes on its boards any turn will do, and the first is given.
        lost: the cells of each board that cannot be seen.
    """
    eyes = [(q, r) for q, r in tile_set.extras.get("board", {}).get("eyes", ())]
    if not eyes:
        return [(0,)] * len(readings)
    return [_by_eyes(*one, eyes) for one in zip(readings, lost, strict=True)]


def _by_eyes(
    reading: CellReadings, lost: Collection[Cell], eyes: Sequence[Cell]
) -> tuple[int, ...]:
    """Return the turns that agree with where eyes are seen and where none is, the best first."""
    seen = {cell for cell in CELLS if cell not in lost}

    def fits(turn: int) -> float:
        places = [turned_cell(cell, turn) for cell in eyes]
        return sum(_for_an_eye(reading, cell) for cell in places if cell in seen)

    scores = {turn: fits(turn) for turn in range(SIXTHS)}
    best = max(scores.values())
    return tuple(
        turn
        for turn in sorted(scores, key=lambda turn: -scores[turn])
        if scores[turn] > best - CLEARLY
    )


def _for_an_eye(reading: CellReadings, cell: Cell) -> float:
    """Return the log-likelihood ratio of an eye in a cell against none."""
    shares = reading.contents[cell]
    there = float(shares[EYE] + TILE_ON_EYE * (1 - shares[EYE] - shares[EMPTY]))
    return log(max(there, LEAST_SHARE)) - log(max(float(1 - shares[EYE]), LEAST_SHARE))
