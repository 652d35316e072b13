"""Which of its six turns each hex board lies in.

Two holes, the eyes, tell it; one that is seen is enough, and half of one where no other is. Where
hands or the picture's edge hide both, clay may tell it, since it lies on the same cells of boards
that a drill went through.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import log

from engine.lattice import Cell
from engine.tiles import TileSet
from vision.core.stages import stage
from vision.hexes.cells import CELLS, EMPTY, CellReadings, turned_cell
from vision.hexes.models import CONTENTS
from vision.hexes.plane import SIXTHS

EYE = CONTENTS.index("eye")
LEAST_SHARE = 1e-4
TILE_ON_EYE = 0.02
"""How likely a tile lies on an eye: it is a foul, and fouls are read as they lie."""
CLEARLY = 2.0
"""How much likelier, as a logarithm, a turn must be than others: on 40 held-out tables it was 9 at
least wherever an eye was seen, and 0 where none was."""
HALF_AN_EYE = 0.2
"""How surely one must show in a cell that the picture's edge cuts through the middle or a hand
reaches into: such a one had 0.47, and cells that hold none or are beyond the edge 0.04 at most."""
HALF = 0.5


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
    likely = [
        _by_half_an_eye(_by_eyes(*one, eyes), *one, eyes)
        for one in zip(readings, lost, strict=True)
    ]
    clay = [_clay(*one) for one in zip(readings, lost, strict=True)]
    known = [
        {turned_cell(cell, -turns[0]) for cell in own}
        for turns, own in zip(likely, clay, strict=True)
        if len(turns) == 1
    ]
    return [
        turns if len(turns) == 1 else _by_clay(turns, own, known)
        for turns, own in zip(likely, clay, strict=True)
    ]


def _by_eyes(
    reading: CellReadings, lost: Collection[Cell], eyes: Sequence[Cell]
) -> tuple[int, ...]:
    """Return the turns that go with the eyes that are seen, and with where none is."""
    seen = {cell for cell in CELLS if cell not in lost}

    def fits(turn: int) -> float:
        places = [turned_cell(cell, turn) for cell in eyes]
        return sum(_for_an_eye(reading, cell) for cell in places if cell in seen)

    scores = {turn: fits(turn) for turn in range(SIXTHS)}
    best = max(scores.values())
    return tuple(
        turn for turn in sorted(scores, key=lambda turn: -scores[turn])
        if scores[turn] > best - CLEARLY
    )  # fmt: skip


@stage("hexes: half an eye", without=lambda turns, *_: turns)
def _by_half_an_eye(
    turns: tuple[int, ...], reading: CellReadings, lost: Collection[Cell], eyes: Sequence[Cell]
) -> tuple[int, ...]:
    """Return those turns in which an eye shows in a cell of which too little is seen, or all."""
    places = {turn: [turned_cell(cell, turn) for cell in eyes] for turn in turns}
    shown = {
        turn: max((float(reading.contents[c][EYE]) for c in own if c in lost), default=0.0)
        for turn, own in places.items()
    }
    return tuple(turn for turn in turns if shown[turn] > HALF_AN_EYE) or turns


def _for_an_eye(reading: CellReadings, cell: Cell) -> float:
    """Return how much better a cell's look goes with an eye being there than with none."""
    shares = reading.contents[cell]
    there = float(shares[EYE] + TILE_ON_EYE * (1 - shares[EYE] - shares[EMPTY]))
    return log(max(there, LEAST_SHARE)) - log(max(float(1 - shares[EYE]), LEAST_SHARE))


def _clay(reading: CellReadings, lost: Collection[Cell]) -> list[Cell]:
    """Return the cells of a board on which clay is seen."""
    return [
        cell for cell in CELLS
        if cell not in lost and reading.clay[cell][0] < HALF
        and int(reading.contents[cell].argmax()) not in (EMPTY, EYE)
    ]  # fmt: skip


@stage("hexes: turned by clay", without=lambda turns, *_: turns)
def _by_clay(
    turns: tuple[int, ...], clay: Sequence[Cell], known: Sequence[set[Cell]]
) -> tuple[int, ...]:
    """Return those turns in which most of a board's clay lies where other boards have some."""
    matched = {
        turn: sum(any(turned_cell(cell, -turn) in other for other in known) for cell in clay)
        for turn in turns
    }
    return tuple(turn for turn in turns if matched[turn] == max(matched.values()))
