"""Finds the clay on the cells of boards, by its own look and by the drills that it marks.

Clay lies on hexes of one colour on the same cell of touching boards, open towards the snake's body,
closed where there is none (ruling 4 of Snekagon 5G). The clay that drills require is believed where
the look is doubtful; clay that is clearly seen stays, so that fouls show.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from engine.drills import boards_beside, drill
from engine.hexsnakes import MOST_NEIGHBOURS, Drill, Spot, around, drilled_from
from engine.lattice import HEX_SIDE_NAMES
from engine.tiles import TileSet
from vision.hexes.cells import CLAYS, CellReadings
from vision.hexes.models import CONTENTS
from vision.hexes.pieces import SeenPiece, contents_of

Floats = NDArray[np.float64]

BARE = ("empty", "eye")
CLAY_SEEN = 0.13
"""Decision threshold for the probability of clay: it was at least 0.21 on 181 cells with clay of
eleven tables on which clay had been misread, at most 0.07 on 1,083 tiles' cells without."""
ASKED_FOR = 150.0
"""Likelihood factor for the clay that drills require. Clay then needs a probability of 0.001, and
of 0.957 where no drill can be: of 4,371 tiles' cells without clay seven had more than 0.001; of 596
with clay the least had 0.007, 0.018 and 0.26, and one that was over-exposed 0.0012. So clay that is
forgotten, and clay that lies where it should not, is still noticed."""
NONE, CLOSED = 0, 1 + len(HEX_SIDE_NAMES)
"""Indices of what may lie on a cell: nothing, 1 to 6 for clay open towards a side, closed clay."""


@dataclass(frozen=True)
class SeenClay:
    """A piece of clay on its cell, with its confidence."""

    spot: Spot
    kind: str
    opens: str | None
    confidence: float


def clay_on_boards(
    readings: Sequence[CellReadings],
    tile_set: TileSet,
    pieces: Sequence[SeenPiece],
    lost: Collection[Spot],
) -> list[SeenClay]:
    """Return the clay on tiles, board by board.

    Args:
        readings: the readings of each board, in the order of the ring and upright.
        tile_set: the box.
        pieces: the tiles on the boards.
        lost: the cells that cannot be seen.
    """
    colours = {s: c for s, c in _colours(readings, tile_set, pieces).items() if s not in lost}
    bodies = {spot: _bodies(spot, colours, lost) for spot in colours}
    looks = {spot: _look(readings[spot[0]], spot) for spot in bodies}
    asked: dict[Spot, tuple[int, ...]] = {}
    for column in _columns(colours, lost):
        asked |= _asked_for(column, looks, bodies, len(readings))
    found = [_seen(spot, look, asked[spot]) for spot, look in looks.items()]
    order = {cell: number for number, cell in enumerate(readings[0].clay)} if readings else {}
    seen = [clay for clay in found if clay is not None]
    return sorted(seen, key=lambda clay: (clay.spot[0], order[clay.spot[1:]]))


def _colours(
    readings: Sequence[CellReadings], tile_set: TileSet, pieces: Sequence[SeenPiece]
) -> dict[Spot, str]:
    """Return the colour of every cell that a tile covers."""
    found = {}
    for number, reading in enumerate(readings):
        for cell, shares in contents_of(reading, tile_set).items():
            name = CONTENTS[int(shares.argmax())]
            if name not in BARE:
                found[(number, *cell)] = name
    for seen in pieces:
        colour = seen.piece.tile.partition("/")[0]
        if colour in CONTENTS:
            found |= {(seen.piece.board or 0, *cell): colour for cell in seen.piece.cells}
    return found


def _bodies(spot: Spot, colours: Mapping[Spot, str], lost: Collection[Spot]) -> tuple[bool, ...]:
    """Return for each side of a cell whether its colour continues there, or may do so unseen."""
    return tuple(beside in lost or colours.get(beside) == colours[spot] for beside in around(spot))


def _look(reading: CellReadings, spot: Spot) -> Floats:
    """Return the likelihood of a cell's look for each option of what may lie there."""
    none, is_open, closed = reading.clay[spot[1:]]
    mouths = is_open * reading.opens[spot[1:]]
    return np.array([none * CLAY_SEEN / (1 - CLAY_SEEN), *mouths, closed])


def _columns(colours: Mapping[Spot, str], lost: Collection[Spot]) -> Iterator[list[Spot]]:
    """Yield the spots of one colour on the same cell of all boards; unseen ones may be of any."""
    columns: dict[tuple[str, tuple[int, int]], list[Spot]] = {}
    for spot, colour in colours.items():
        columns.setdefault((colour, spot[1:]), []).append(spot)
    for (_, field), column in columns.items():
        yield column + [spot for spot in lost if spot[1:] == field]


def _asked_for(
    column: Sequence[Spot],
    looks: Mapping[Spot, Floats],
    bodies: Mapping[Spot, Sequence[bool]],
    boards: int,
) -> dict[Spot, tuple[int, ...]]:
    """Return what each seen spot may hold under the drills that best explain the looks."""
    seen = [spot for spot in column if spot in looks]

    def on(way: Collection[Drill]) -> dict[Spot, tuple[int, ...]]:
        drilled = drilled_from(way)
        return {spot: _by_drills(len(drilled.get(spot, ())), bodies[spot]) for spot in seen}

    def fits(asked: Mapping[Spot, tuple[int, ...]]) -> float:
        return sum(float(np.log(_weighed(looks[spot], asked[spot]).max())) for spot in seen)

    return max(map(on, _ways(column, boards)), key=fits)


def _ways(column: Sequence[Spot], boards: int) -> Iterator[tuple[Drill, ...]]:
    """Yield every set of drills between the spots of a column, the empty set first."""
    possible = [
        drill(one, other)
        for one, other in combinations(column, 2)
        if other[0] in boards_beside(one[0], boards)
    ]
    for count in range(len(possible) + 1):
        yield from combinations(possible, count)


def _by_drills(ways: int, own: Sequence[bool]) -> tuple[int, ...]:
    """Return what a cell with so many drills may hold, given where its colour continues."""
    body = [1 + side for side, goes_on in enumerate(own) if goes_on]
    if ways >= MOST_NEIGHBOURS:
        return (CLOSED,)
    return tuple(body) if ways and body else (NONE,)


def _weighed(look: Floats, asked: tuple[int, ...]) -> Floats:
    weights = np.maximum(look, 1e-12)
    weights[list(asked)] *= ASKED_FOR
    return weights


def _seen(spot: Spot, look: Floats, asked: tuple[int, ...]) -> SeenClay | None:
    """Return the clay on a cell, if there is any."""
    weights = _weighed(look, asked)
    number = int(weights.argmax())
    if number == NONE:
        return None
    kind = CLAYS[2] if number == CLOSED else CLAYS[1]
    opens = None if number == CLOSED else HEX_SIDE_NAMES[number - 1]
    sure = float(weights[number] / weights.sum())
    return SeenClay(spot, kind, opens, round(sure, 4))
