"""The ways to cut coloured cells into tiles of a box, weighed by what was seen between cells."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import exp, log

import numpy as np

from engine.decompose import Reading, decompose
from engine.game import Place
from engine.lattice import HEX_STEPS, hex_neighbours
from engine.placement import Piece
from engine.seen import Seen
from engine.tiles import TileSet
from vision.hexes.cells import CellReadings

Spot = tuple[int, int, int]
"""Board, q and r."""

CLEAR_SIDE = 0.2
"""How far from a half the share of a joined side must be to count as seen."""
LEAST_LOG = 1e-6
SIDE_SHARPNESS = 1.0
"""What the logits of sides are multiplied by."""
MOST_RANKED = 400
WAY_SHARE = 0.02
"""Ways to cut that are less likely than that against the best are not worth asking about."""


@dataclass(frozen=True)
class SeenPiece:
    """A tile on its cells, and how sure that is."""

    piece: Piece
    share: float
    """How sure it is that just these cells are one tile, 0 to 1, their colours given."""
    colour_share: float
    """How sure the colour of its cells is, all together."""
    others: tuple[tuple[str, float], ...] = ()
    """Other tiles of which its cells may be part, the likeliest first."""
    known: bool = True
    """False where the box has no such tile, or none that was not seen elsewhere."""
    torn: bool = False
    """Whether some of it may lie where nothing can be seen."""


@dataclass(frozen=True)
class SeenSplit:
    """Cells that several sets of tiles explain, the likeliest first."""

    cells: tuple[Spot, ...]
    ways: tuple[tuple[Piece, ...], ...]


class Joins:
    """How sure it is of two neighbouring cells that one tile covers both."""

    def __init__(self, boards: Sequence[CellReadings]) -> None:
        self._boards = boards

    def share(self, one: Spot, other: Spot) -> float:
        """Return the mean of what both cells say, taken as log-odds."""
        step = (other[1] - one[1], other[2] - one[2])
        side = HEX_STEPS.index(step)
        cells = self._boards[one[0]].joined
        there, back = cells[one[1:]][side], cells[other[1:]][(side + 3) % 6]
        odds = (_log_odds(there) + _log_odds(back)) / 2 * SIDE_SHARPNESS
        return 1 / (1 + exp(-odds))

    def reaches(self, spot: Spot, lost: Collection[Spot], least: float) -> bool:
        """Say whether a cell's tile may go on into a cell that cannot be seen."""
        sides = self._boards[spot[0]].joined[spot[1:]]
        return any(
            sides[side] > least and (spot[0], *beside) in lost
            for side, beside in enumerate(hex_neighbours(spot[1:]))
        )


def _log_odds(share: float) -> float:
    held = min(max(float(share), 1e-9), 1 - 1e-9)
    return log(held / (1 - held))


def sides_of(spots: Sequence[Spot], joins: Joins) -> dict[frozenset[Spot], float]:
    """Return how sure it is of each two neighbours that they are one tile."""
    held = set(spots)
    found: dict[frozenset[Spot], float] = {}
    for spot in spots:
        for q, r in hex_neighbours(spot[1:]):
            beside = (spot[0], q, r)
            if beside in held and spot < beside:
                found[frozenset((spot, beside))] = joins.share(spot, beside)
    return found


def ranked(
    colour: str, spots: Sequence[Spot], sides: Mapping[frozenset[Spot], float], tile_set: TileSet
) -> list[tuple[Reading, float]]:
    """Return the likeliest ways to cut cells into tiles with the share of each."""
    seams: dict[frozenset[Place], bool] = {
        frozenset(pair): share < 0.5
        for pair, share in sides.items()
        if abs(share - 0.5) > CLEAR_SIDE
    }
    found = decompose({colour: spots}, tile_set, Seen(seams=seams)).readings[colour][:MOST_RANKED]
    if not found:
        return []
    logs = np.array([likelihood(reading, sides) for reading in found])
    shares = np.exp(logs - logs.max())
    shares /= shares.sum()
    order = np.argsort(-shares, kind="stable")
    return [(found[i], float(shares[i])) for i in order]


def likelihood(reading: Reading, sides: Mapping[frozenset[Spot], float]) -> float:
    """Return the logarithm of how well sides that were seen fit a way to cut."""
    inside = set()
    for piece in reading.pieces:
        spots = [(piece.board or 0, *cell) for cell in piece.cells]
        inside |= {pair for pair in map(frozenset, combinations(spots, 2)) if pair in sides}
    total = 0.0
    for pair, share in sides.items():
        total += log(max(share if pair in inside else 1 - share, LEAST_LOG))
    return total


def weighed(
    readings: Sequence[tuple[Reading, float]], colours: Mapping[Spot, float]
) -> list[SeenPiece]:
    """Return the tiles of the likeliest way to cut, each with how sure it is.

    Args:
        readings: the ways with their shares, the likeliest first.
        colours: how sure the colour of each cell is.
    """
    found = []
    for piece in readings[0][0].pieces:
        spots = [(piece.board or 0, *cell) for cell in piece.cells]
        share = sum(s for reading, s in readings if piece in reading.pieces)
        others: dict[str, float] = {}
        for reading, s in readings:
            if piece in reading.pieces or s < WAY_SHARE / 10:
                continue
            first = next(p for p in reading.pieces if spots[0][1:] in p.cells
                         and (p.board or 0) == spots[0][0])  # fmt: skip
            others[first.tile] = others.get(first.tile, 0.0) + s
        ranked = sorted(others.items(), key=lambda item: -item[1])
        sure = float(np.prod([colours[spot] for spot in spots]))
        found.append(SeenPiece(piece, min(share, 1.0), sure, tuple(ranked)))
    return found


def open_cuts(readings: Sequence[tuple[Reading, float]]) -> list[SeenSplit]:
    """Return the cells on which ways that are likely enough differ."""
    likely = [reading for reading, share in readings if share >= WAY_SHARE * readings[0][1]]
    if len(likely) < 2:
        return []
    sure = set(likely[0].pieces).intersection(*(reading.pieces for reading in likely))
    doubtful = [[p for p in reading.pieces if p not in sure] for reading in likely]
    spots = {(p.board or 0, *cell) for p in doubtful[0] for cell in p.cells}
    splits = []
    for group in groups_of(spots, lambda *_: True):
        ways = dict.fromkeys(
            tuple(p for p in pieces if (p.board or 0, *p.cells[0]) in group) for pieces in doubtful
        )
        if len(ways) > 1:
            splits.append(SeenSplit(tuple(sorted(group)), tuple(ways)))
    return splits


def groups_of(spots: set[Spot], hangs: Callable[[Spot, Spot], bool]) -> list[set[Spot]]:
    """Return cells that hang together, as a function of two neighbours says."""
    left = set(spots)
    groups = []
    while left:
        group, waiting = set(), [left.pop()]
        while waiting:
            spot = waiting.pop()
            group.add(spot)
            for q, r in hex_neighbours(spot[1:]):
                beside = (spot[0], q, r)
                if beside in left and hangs(spot, beside):
                    left.discard(beside)
                    waiting.append(beside)
        groups.append(group)
    return groups
