"""Cuts the coloured cells of boards into tiles, each with its confidence.

The box says which tiles there can be; every way to cut the coloured cells into them is weighted by
the sides seen between cells. If the box cannot make up the cells of a colour, or only against sides
that were clearly seen, the sides alone cut them: too many tiles are a foul, and tiles that the box
does not have are unsure.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import exp, log

import numpy as np
from numpy.typing import NDArray

from engine.decompose import Reading, decompose
from engine.game import Place
from engine.hexpath import free_shape, path_shape
from engine.lattice import HEX_STEPS, Cell, hex_neighbours
from engine.placement import Piece
from engine.seen import Seen
from engine.tiles import TileSet
from vision.core.types import LIKELIER, SURE
from vision.hexes.cells import CellReadings
from vision.hexes.models import COLOURS, CONTENTS

Floats = NDArray[np.float64]

EYE, EMPTY = CONTENTS.index("eye"), CONTENTS.index("empty")
MAYBE_JOINED = 0.1
MOST_AGAINST = log(50)
"""Maximum deficit of a cut's log-likelihood against the best that the sides allow."""


def contents_of(readings: CellReadings, tile_set: TileSet) -> dict[Cell, Floats]:
    """Return the probabilities of contents that the box allows: its colours, eyes on eye cells."""
    eyes = {(q, r) for q, r in tile_set.extras.get("board", {}).get("eyes", ())}
    shares = np.array(list(readings.contents.values()))
    is_eye = np.array([cell in eyes for cell in readings.contents])
    kept = shares * np.array([name in tile_set.colours for name in CONTENTS], float)
    # An eye counts as bare. On cells that have no eye, the probability of one is dropped.
    bare = shares[:, EMPTY] + np.where(is_eye, shares[:, EYE], 0.0)
    kept[:, EMPTY], kept[:, EYE] = np.where(is_eye, 0.0, bare), np.where(is_eye, bare, 0.0)
    kept /= np.maximum(kept.sum(axis=1, keepdims=True), 1e-12)
    return dict(zip(readings.contents, kept, strict=True))


def pieces_of(
    boards: Sequence[CellReadings],
    tile_set: TileSet,
    numbered: bool,
    lost: Collection[Spot] = (),
) -> tuple[tuple[SeenPiece, ...], tuple[SeenSplit, ...]]:
    """Return the tiles on boards, and the cells that can be cut in several ways.

    Args:
        boards: the readings of each board, in order and upright.
        tile_set: the box.
        numbered: whether tiles carry the number of their board.
        lost: cells that cannot be seen; tiles that reach into them are cut separately, so that a
            wrong guess spoils no other tile.
    """
    contents = {
        (number, *cell): shares
        for number, board in enumerate(boards)
        for cell, shares in contents_of(board, tile_set).items()
    }
    joins, unseen = Joins(boards), frozenset(lost)
    likeliest = np.argmax(list(contents.values()), axis=1) if contents else []
    pieces: list[SeenPiece] = []
    splits: list[SeenSplit] = []
    for colour in tile_set.colours:
        number = 1 + COLOURS.index(colour)
        own = {spot: float(shares[number])
               for (spot, shares), held in zip(contents.items(), likeliest, strict=True)
               if held == number}  # fmt: skip
        found, open_cuts = _of_colour(colour, own, joins, tile_set, unseen)
        pieces += found
        splits += open_cuts
    if not numbered:
        pieces = [_without_board(piece) for piece in pieces]
        splits = [
            SeenSplit(s.cells, tuple(tuple(Piece(p.tile, p.cells) for p in w) for w in s.ways))
            for s in splits
        ]
    return tuple(pieces), tuple(splits)


def _without_board(seen: SeenPiece) -> SeenPiece:
    return replace(seen, piece=Piece(seen.piece.tile, seen.piece.cells))


def _of_colour(
    colour: str, own: Mapping[Spot, float], joins: Joins, tile_set: TileSet, lost: frozenset[Spot]
) -> tuple[list[SeenPiece], list[SeenSplit]]:
    """Return the tiles of a colour, and the cells that can be cut in several ways.

    Args:
        colour: its name.
        own: the confidence in the colour of each cell that shows it.
        joins: the evidence on sides between cells.
        tile_set: the box.
        lost: the cells that cannot be seen.
    """
    torn = _torn(set(own), joins, lost)
    whole = [spot for spot in own if spot not in torn]
    sides = sides_of(whole, joins)
    readings = ranked(colour, whole, sides, tile_set) if whole else []
    if whole and (not readings or _against(readings[0][0], sides) > MOST_AGAINST):
        by_sides = _by_sides(colour, own, joins, tile_set)
        return [replace(one, torn=bool(one.spots & torn)) for one in by_sides], []
    hidden = _by_sides(colour, {spot: own[spot] for spot in sorted(torn)}, joins, tile_set)
    pieces = [replace(piece, torn=True) for piece in hidden]
    return pieces + weighed(readings, own), open_cuts(readings)


def _against(best: Reading, sides: Mapping[frozenset[Spot], float]) -> float:
    """Return by how much a cut's log-likelihood is below the best that the sides allow."""
    return sum(log(max(share, 1 - share)) for share in sides.values()) - likelihood(best, sides)


def _torn(spots: set[Spot], joins: Joins, lost: frozenset[Spot]) -> set[Spot]:
    """Return the cells of a colour whose tile may be partly unseen."""
    if not lost:
        return set()
    torn: set[Spot] = set()
    for group in groups_of(spots, lambda a, b: joins.share(a, b) > MAYBE_JOINED):
        if group & lost or any(joins.reaches(spot, lost) for spot in group):
            torn |= group
    return torn


def _by_sides(
    colour: str, own: Mapping[Spot, float], joins: Joins, tile_set: TileSet
) -> list[SeenPiece]:
    """Return tiles as the sides alone cut them, where the box cannot make up the cells."""
    names = {path_shape(kind.path): kind.name for kind in tile_set.of_colour(colour) if kind.path}
    groups = groups_of(set(own), lambda a, b: joins.share(a, b) > LIKELIER)
    firm = groups_of(set(own), lambda a, b: joins.share(a, b) > LIKELIER + CLEAR_SIDE)
    loose = groups_of(set(own), lambda a, b: joins.share(a, b) > LIKELIER - CLEAR_SIDE)
    cells = [tuple(sorted(spot[1:] for spot in group)) for group in groups]
    tiles = [names.get(free_shape(shape), "unknown") for shape in cells]
    found = []
    for group, shape, tile in zip(groups, cells, tiles, strict=True):
        clear = group in firm and group in loose
        known = clear and tiles.count(tile) <= tile_set.counts.get(tile, 0)
        sure = float(np.prod([own[spot] for spot in group]))
        piece = Piece(tile, shape, min(group)[0])
        found.append(SeenPiece(piece, SURE if known else LIKELIER, sure, (), known))
    return found


Spot = tuple[int, int, int]
"""Board, q and r."""

CLEAR_SIDE = 0.2
"""How far from a half the probability of a joined side must be to count as clearly seen."""
LEAST_LOG = 1e-6
MOST_RANKED = 400
WAY_SHARE = 0.02
"""Minimum probability of a cut, relative to the best one, to be worth asking about."""


@dataclass(frozen=True)
class SeenPiece:
    """A tile on its cells, with its confidence."""

    piece: Piece
    share: float
    """Confidence that exactly these cells are one tile, given their colours, 0 to 1."""
    colour_share: float
    """Joint confidence in the colour of all its cells, 0 to 1."""
    others: tuple[tuple[str, float], ...] = ()
    """Other tiles that may cover its first cell, with probabilities, the likeliest first."""
    known: bool = True
    """False if the box has no such tile or fewer of them than were seen, or if the box cannot make
    up the colour and a side that is not clearly seen could cut the tile otherwise."""
    torn: bool = False
    """Whether part of the tile may lie where nothing can be seen."""

    @property
    def spots(self) -> frozenset[Spot]:
        """The tile's cells, each with its board."""
        return frozenset((self.piece.board or 0, *cell) for cell in self.piece.cells)


@dataclass(frozen=True)
class SeenSplit:
    """Cells that several sets of tiles explain, the likeliest first."""

    cells: tuple[Spot, ...]
    ways: tuple[tuple[Piece, ...], ...]


class Joins:
    """The evidence on whether one tile covers two neighbouring cells."""

    def __init__(self, boards: Sequence[CellReadings]) -> None:
        self._boards = boards

    def share(self, one: Spot, other: Spot) -> float:
        """Return the probability that one tile covers both cells, by their mean log-odds."""
        step = (other[1] - one[1], other[2] - one[2])
        side = HEX_STEPS.index(step)
        cells = self._boards[one[0]].joined
        there, back = cells[one[1:]][side], cells[other[1:]][(side + 3) % 6]
        odds = (_log_odds(there) + _log_odds(back)) / 2
        return 1 / (1 + exp(-odds))

    def reaches(self, spot: Spot, lost: Collection[Spot]) -> bool:
        """Say whether a cell's tile may continue into a cell that cannot be seen."""
        sides = self._boards[spot[0]].joined[spot[1:]]
        return any(
            sides[side] > MAYBE_JOINED and (spot[0], *beside) in lost
            for side, beside in enumerate(hex_neighbours(spot[1:]))
        )


def _log_odds(share: float) -> float:
    held = min(max(float(share), 1e-9), 1 - 1e-9)
    return log(held / (1 - held))


def sides_of(spots: Sequence[Spot], joins: Joins) -> dict[frozenset[Spot], float]:
    """Return for each pair of neighbours the probability that one tile covers both."""
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
    """Return the ways to cut cells into tiles with their probabilities, the likeliest first."""
    seams: dict[frozenset[Place], bool] = {
        frozenset(pair): share < LIKELIER
        for pair, share in sides.items()
        if abs(share - LIKELIER) > CLEAR_SIDE
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
    """Return the log-likelihood of a cut, given the sides that were seen."""
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
    """Return the tiles of the likeliest cut, each with its confidence.

    Args:
        readings: the cuts with their probabilities, the likeliest first.
        colours: the confidence in the colour of each cell.
    """
    found = []
    for piece in readings[0][0].pieces if readings else ():
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
    """Return the cells on which the likely cuts differ."""
    likely = [reading for reading, share in readings if share >= WAY_SHARE * readings[0][1]]
    if len(likely) < 2:
        return []
    sure = set(likely[0].pieces).intersection(*(reading.pieces for reading in likely))
    doubtful = [[p for p in reading.pieces if p not in sure] for reading in likely]
    spots = {(p.board or 0, *cell) for p in doubtful[0] for cell in p.cells}
    splits = [_split(group, doubtful) for group in groups_of(spots, lambda *_: True)]
    return [split for split in splits if len(split.ways) > 1]


def _split(group: set[Spot], doubtful: Sequence[Sequence[Piece]]) -> SeenSplit:
    """Return the ways in which some cells may be cut."""
    ways = dict.fromkeys(
        tuple(p for p in pieces if (p.board or 0, *p.cells[0]) in group) for pieces in doubtful
    )
    return SeenSplit(tuple(sorted(group)), tuple(ways))


def groups_of(spots: set[Spot], hangs: Callable[[Spot, Spot], bool]) -> list[set[Spot]]:
    """Return connected groups of cells; ``hangs`` says whether two neighbours are connected."""
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
