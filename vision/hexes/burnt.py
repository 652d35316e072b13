"""Finds cells of hex boards where light has burnt away what may be a tile."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from engine.lattice import Cell
from vision.core.stages import stage
from vision.core.types import Bgr, Points
from vision.hexes.cells import CELLS, CellReadings
from vision.hexes.plane import HexBoard
from vision.layout.measures import look_at

DOUBTFUL, BURNT = 0.8, 0.3
"""How sure cells are at most that are looked at, and what share of such a one is clipped in all
colours: a yellow hex that was hardly seen and taken for bare by 0.62 had 0.39."""


@stage("hexes: burnt", without=lambda *_: [])
def burnt_cells(
    bgr: Bgr,
    boards: Sequence[HexBoard],
    readings: Sequence[CellReadings],
    lost: Sequence[Collection[Cell]],
) -> list[Points]:
    """Return the outlines of cells of which nobody can say for all the light what they hold.

    Args:
        bgr: the picture.
        boards: where boards lie.
        readings: what was read of each.
        lost: the cells of each that are hidden: what lies on these may be bright.
    """
    doubtful = [
        board.hexagon(cell)
        for board, reading, hidden in zip(boards, readings, lost, strict=True)
        for cell in CELLS
        if cell not in hidden and reading.contents[cell].max() < DOUBTFUL
    ]
    clipped = look_at(bgr, doubtful).clipped
    return [outline for outline, share in zip(doubtful, clipped, strict=True) if share >= BURNT]
