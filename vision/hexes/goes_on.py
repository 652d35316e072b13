"""Which colour a doubtful cell has, told by the tile that goes on into it.

Where a lamp burns a tile away, its outline is seen longer than its colour: a cell that seems bare,
or of another colour, belongs to the tile beside it if both look as if it went on across the side
between them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from engine.lattice import Cell, hex_neighbours
from vision.core.stages import stage
from vision.hexes.cells import EMPTY, EYE, PLAIN, CellReadings, Floats
from vision.hexes.light import UNSEEN, taken_for
from vision.hexes.plane import HALF_TURN, SIXTHS

GOES_ON = 0.6
"""How surely a tile must go on across a side, as both of its cells see it: in 48 pictures that were
made too bright, too dark or lit by a lamp, all 70 doubtful cells above 0.3 were of a tile, 62 of
them above 0.95, and no bare one was."""


@stage("hexes: goes on", without=lambda reading: reading)
def with_what_goes_on(reading: CellReadings) -> CellReadings:
    """Return what the cells of a board hold, doubtful ones as the tile that goes on into them."""
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
