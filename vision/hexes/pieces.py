"""Cuts the coloured cells of boards into tiles, each with its confidence.

The box says which tiles there can be; every way to cut the coloured cells into them is weighted by
the sides seen between cells. If the box cannot make up the cells of a colour, or only against sides
that were clearly seen, the sides alone cut them: too many tiles are a foul, and tiles that the box
does not have are unsure.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import exp, log

import numpy as np
from numpy.typing import NDArray

from engine.decompose import Reading, decompose
from engine.game import Place
from engine.hexpath import free_shape, path_shape
from engine.hexsnakes import Spot, around
from engine.lattice import Cell
from engine.placement import Piece
from engine.seen import Seen
from engine.tiles import TileSet
from vision.core.types import LIKELIER, SURE
from vision.hexes.cells import CellReadings
from vision.hexes.models import COLOURS, CONTENTS

Floats = NDArray[np.float64]
Sides = Mapping[frozenset[Spot], float]
"""By two neighbouring cells of a colour: the probability that one tile covers both."""

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
    unseen = frozenset(lost)
    likeliest = np.argmax(list(contents.values()), axis=1) if contents else []
    pieces: list[SeenPiece] = []
    splits: list[SeenSplit] = []
    for colour in tile_set.colours:
        number = 1 + COLOURS.index(colour)
        own = {
            spot: float(shares[number])
            for (spot, shares), held in zip(contents.items(), likeliest, strict=True)
            if held == number
        }
        found, open_cuts = _of_colour(colour, own, boards, tile_set, unseen)
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
    colour: str,
    own: Mapping[Spot, float],
    boards: Sequence[CellReadings],
    tile_set: TileSet,
    lost: frozenset[Spot],
) -> tuple[list[SeenPiece], list[SeenSplit]]:
    """Return the tiles of a colour, and the cells that can be cut in several ways.

    Args:
        colour: its name.
        own: the confidence in the colour of each cell that shows it.
        boards: the readings of each board.
        tile_set: the box.
        lost: the cells that cannot be seen.
    """
    every_side = sides_of(own, boards)
    torn = _torn(set(own), every_side, boards, lost)
    whole = [spot for spot in own if spot not in torn]
    sides = {pair: share for pair, share in every_side.items() if not pair & torn}
    readings = ranked(colour, whole, sides, tile_set) if whole else []
    if whole and (not readings or _against(readings[0][0], sides) > MOST_AGAINST):
        by_sides = _by_sides(colour, own, every_side, tile_set)
        return [replace(one, torn=bool(one.spots & torn)) for one in by_sides], []
    hidden = _by_sides(colour, {spot: own[spot] for spot in sorted(torn)}, every_side, tile_set)
    pieces = [replace(piece, torn=True) for piece in hidden]
    return pieces + weighed(readings, own), open_cuts(readings)


def _against(best: Reading, sides: Sides) -> float:
    """Return by how much a cut's log-likelihood is below the best that the sides allow."""
    return sum(log(max(share, 1 - share)) for share in sides.values()) - likelihood(best, sides)


def _torn(
    spots: set[Spot], sides: Sides, boards: Sequence[CellReadings], lost: frozenset[Spot]
) -> set[Spot]:
    """Return the cells of a colour whose tile may be partly unseen."""
    if not lost:
        return set()

    def reaches(spot: Spot) -> bool:
        joined = boards[spot[0]].joined[spot[1:]]
        return any(
            share > MAYBE_JOINED and beside in lost
            for share, beside in zip(joined, around(spot), strict=True)
        )

    groups = groups_of(spots, sides, MAYBE_JOINED)
    return set().union(*(group for group in groups if group & lost or any(map(reaches, group))))


def _by_sides(
    colour: str, own: Mapping[Spot, float], sides: Sides, tile_set: TileSet
) -> list[SeenPiece]:
    """Return tiles as the sides alone cut them, where the box cannot make up the cells."""
    names = {path_shape(kind.path): kind.name for kind in tile_set.of_colour(colour) if kind.path}
    groups = groups_of(set(own), sides, LIKELIER)
    cells = [tuple(sorted(spot[1:] for spot in group)) for group in groups]
    tiles = [names.get(free_shape(shape), "unknown") for shape in cells]
    found = []
    for group, shape, tile in zip(groups, cells, tiles, strict=True):
        known = tiles.count(tile) <= tile_set.counts.get(tile, 0)
        sure = float(np.prod([own[spot] for spot in group]))
        piece = Piece(tile, shape, min(group)[0])
        found.append(SeenPiece(piece, SURE if known else LIKELIER, sure, (), known))
    return found


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
    """False if the box has no such tile, or fewer of them than were seen."""
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


def sides_of(spots: Collection[Spot], boards: Sequence[CellReadings]) -> Sides:
    """Return for neighbours the probability that one tile covers both, by their mean log-odds."""
    found: dict[frozenset[Spot], float] = {}
    for spot in spots:
        for side, beside in enumerate(around(spot)):
            if beside in spots and spot < beside:
                there = boards[spot[0]].joined[spot[1:]][side]
                back = boards[spot[0]].joined[beside[1:]][side - len(around(spot)) // 2]
                odds = (_log_odds(there) + _log_odds(back)) / 2
                found[frozenset((spot, beside))] = 1 / (1 + exp(-odds))
    return found


def _log_odds(share: float) -> float:
    held = min(max(float(share), 1e-9), 1 - 1e-9)
    return log(held / (1 - held))


def ranked(
    colour: str, spots: Sequence[Spot], sides: Sides, tile_set: TileSet
) -> list[tuple[Reading, float]]:
    """Return the ways to cut cells into tiles with their probabilities, the likeliest first."""
    seams: dict[frozenset[Place], bool] = {
        frozenset(pair): share < LIKELIER for pair, share in sides.items()
    }
    found = decompose({colour: spots}, tile_set, Seen(seams=seams)).readings[colour][:MOST_RANKED]
    if not found:
        return []
    logs = np.array([likelihood(reading, sides) for reading in found])
    shares = np.exp(logs - logs.max())
    shares /= shares.sum()
    order = np.argsort(-shares, kind="stable")
    return [(found[i], float(shares[i])) for i in order]


def likelihood(reading: Reading, sides: Sides) -> float:
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
            first = next(
                p
                for p in reading.pieces
                if spots[0][1:] in p.cells and (p.board or 0) == spots[0][0]
            )
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
    splits = [_split(group, doubtful) for group in groups_of(spots, {}, 0.0)]
    return [split for split in splits if len(split.ways) > 1]


def _split(group: set[Spot], doubtful: Sequence[Sequence[Piece]]) -> SeenSplit:
    """Return the ways in which some cells may be cut."""
    ways = dict.fromkeys(
        tuple(p for p in pieces if (p.board or 0, *p.cells[0]) in group) for pieces in doubtful
    )
    return SeenSplit(tuple(sorted(group)), tuple(ways))


def groups_of(spots: set[Spot], sides: Sides, least: float) -> list[set[Spot]]:
    """Return groups of cells connected by sides above a probability, or of unknown one."""
    left = set(spots)
    groups = []
    while left:
        group, waiting = set(), [left.pop()]
        while waiting:
            spot = waiting.pop()
            group.add(spot)
            for beside in around(spot):
                if beside in left and sides.get(frozenset((spot, beside)), 1.0) > least:
                    left.discard(beside)
                    waiting.append(beside)
        groups.append(group)
    return groups
