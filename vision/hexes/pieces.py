"""From cells as they were seen to the tiles that lie on them, with how sure each is.

The box says which tiles there can be; every way to cut the coloured cells into them is weighed by
what was seen of the sides between cells. Where colours cannot be cut at all, the cell that was
seen least well is taken for something else.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import log

import numpy as np
from numpy.typing import NDArray

from engine.hexpath import free_shape, path_shape
from engine.lattice import Cell
from engine.placement import Piece
from engine.tiles import TileSet
from vision.hexes.cells import CellReadings
from vision.hexes.cuts import (
    LEAST_LOG,
    Joins,
    SeenPiece,
    SeenSplit,
    Spot,
    groups_of,
    likelihood,
    open_cuts,
    ranked,
    sides_of,
    weighed,
)
from vision.hexes.models import COLOURS, CONTENTS

Floats = NDArray[np.float64]

EYE, EMPTY = CONTENTS.index("eye"), CONTENTS.index("empty")
HALF = 0.5
LIKE_A_TILE = 0.001
"""Share that a tile has at least where it is taken for an eye: a yellow hex in too bright a light
had 0.995 of an eye and 0.005 of its own. No other cell of nine hard tables looked like an eye."""
MAYBE_JOINED = 0.1
MOST_AGAINST = log(50)
"""Ways to cut that are so much less likely than what sides say are wrong beside hidden cells."""
DOUBTFUL = 0.995
"""Cells read less surely than that may be taken for something else where nothing fits."""
MOST_DOUBTFUL = 7
MOST_CHANGED = 2


def contents_of(readings: CellReadings, tile_set: TileSet) -> dict[Cell, Floats]:
    """Return the shares of contents that the box allows: its colours, eyes where they are."""
    eyes = {(q, r) for q, r in tile_set.extras.get("board", {}).get("eyes", ())}
    shares = np.array(list(readings.contents.values()))
    is_eye = np.array([cell in eyes for cell in readings.contents])
    kept = shares * np.array([name in tile_set.colours for name in CONTENTS], float)
    # What looks like an eye and cannot be one is a tile if it looks like one at all, else bare.
    no_tile = is_eye | (kept.sum(axis=1) < LIKE_A_TILE)
    bare = shares[:, EMPTY] + np.where(no_tile, shares[:, EYE], 0.0)
    kept[:, EMPTY], kept[:, EYE] = np.where(is_eye, 0.0, bare), np.where(is_eye, bare, 0.0)
    kept /= np.maximum(kept.sum(axis=1, keepdims=True), 1e-12)
    return dict(zip(readings.contents, kept, strict=True))


def pieces_of(
    boards: Sequence[CellReadings],
    tile_set: TileSet,
    numbered: bool,
    lost: Collection[Spot] = (),
) -> tuple[tuple[SeenPiece, ...], tuple[SeenSplit, ...]]:
    """Return the tiles on boards, and where the picture leaves several ways to cut them.

    Args:
        boards: what was read, in the order of the boards and in their turn.
        tile_set: the box.
        numbered: whether tiles say on which board they lie.
        lost: cells that cannot be seen; tiles that reach into them are guessed at by themselves,
            so that a wrong guess spoils no other tile.
    """
    contents = {
        (number, *cell): shares
        for number, board in enumerate(boards)
        for cell, shares in contents_of(board, tile_set).items()
    }
    joins = Joins(boards)
    pieces, splits = _of_all_colours(contents, joins, tile_set, frozenset(lost))
    given = _given_away(pieces, contents)
    if given:
        # A cell that one colour needs is not another's: both are cut again with that settled.
        pieces, splits = _of_all_colours(contents | given, joins, tile_set, frozenset(lost))
    if not numbered:
        pieces = [_without_board(piece) for piece in pieces]
        splits = [
            SeenSplit(s.cells, tuple(tuple(Piece(p.tile, p.cells) for p in w) for w in s.ways))
            for s in splits
        ]
    return tuple(pieces), tuple(splits)


def _of_all_colours(
    contents: Mapping[Spot, Floats], joins: Joins, tile_set: TileSet, lost: frozenset[Spot]
) -> tuple[list[SeenPiece], list[SeenSplit]]:
    pieces: list[SeenPiece] = []
    splits: list[SeenSplit] = []
    likeliest = np.argmax(list(contents.values()), axis=1) if contents else []
    for colour in tile_set.colours:
        number = 1 + COLOURS.index(colour)
        own = [spot for spot, held in zip(contents, likeliest, strict=True) if held == number]
        found, open_cuts = _of_colour(colour, own, contents, joins, tile_set, lost)
        pieces += found
        splits += open_cuts
    return pieces, splits


def _given_away(pieces: Sequence[SeenPiece], contents: Mapping[Spot, Floats]) -> dict[Spot, Floats]:
    """Return the cells that went to another colour than the likeliest, with shares to match."""
    given: dict[Spot, Floats] = {}
    for seen in pieces:
        colour = seen.piece.tile.partition("/")[0]
        number = 1 + COLOURS.index(colour) if colour in COLOURS else EMPTY
        for cell in seen.piece.cells:
            spot = (seen.piece.board or 0, *cell)
            if number != EMPTY and int(contents[spot].argmax()) != number:
                shares = contents[spot].copy()
                shares[number] = float(shares.max()) + LEAST_LOG
                given[spot] = shares / shares.sum()
    return given


def _without_board(seen: SeenPiece) -> SeenPiece:
    return replace(seen, piece=Piece(seen.piece.tile, seen.piece.cells))


def _of_colour(
    colour: str,
    own: Sequence[Spot],
    contents: Mapping[Spot, Floats],
    joins: Joins,
    tile_set: TileSet,
    lost: frozenset[Spot],
) -> tuple[list[SeenPiece], list[SeenSplit]]:
    best = set(own)
    torn = _torn(best, joins, lost, MAYBE_JOINED)
    found = _cut(colour, contents, joins, tile_set, own, torn)
    beside = _torn(best, joins, lost, -1.0)
    if beside != torn and found.against > MOST_AGAINST:
        # What is hidden has probably more to it than is seen, and takes tiles from the rest.
        found = _cut(colour, contents, joins, tile_set, own, beside)
    if found.against > MOST_AGAINST:
        # Sides that were clearly seen are not overruled by the box: too many tiles are a foul.
        return _bysides_of(colour, sorted(own), joins, tile_set, contents), []
    return found.seen


@dataclass(frozen=True)
class _Cut:
    """The tiles of one colour, and how much of what was seen of sides speaks against them."""

    seen: tuple[list[SeenPiece], list[SeenSplit]]
    against: float


def _cut(
    colour: str,
    contents: Mapping[Spot, Floats],
    joins: Joins,
    tile_set: TileSet,
    own: Sequence[Spot],
    torn: set[Spot],
) -> _Cut:
    number = 1 + COLOURS.index(colour)
    pieces = _bysides_of(colour, sorted(torn), joins, tile_set, contents)
    pieces = [replace(piece, torn=True) for piece in pieces]
    best = [spot for spot in own if spot not in torn]
    whole = {spot: shares for spot, shares in contents.items() if spot not in torn}
    for spots in _likely_cells(number, best, whole):
        if not spots:
            return _Cut((pieces, []), 0.0)
        sides = sides_of(spots, joins)
        readings = ranked(colour, spots, sides, tile_set)
        if readings:
            colours = {spot: float(contents[spot][number]) for spot in spots}
            most = sum(log(max(share, 1 - share)) for share in sides.values())
            against = most - likelihood(readings[0][0], sides)
            return _Cut((pieces + weighed(readings, colours), open_cuts(readings)), against)
    rest = _bysides_of(colour, sorted(best), joins, tile_set, contents)
    return _Cut((pieces + rest, []), float("inf"))


def _torn(spots: set[Spot], joins: Joins, lost: frozenset[Spot], least: float) -> set[Spot]:
    """Return the cells that may belong to a tile of which something is not seen.

    Args:
        spots: the cells of a colour.
        joins: what was seen of sides.
        lost: the cells that cannot be seen.
        least: how sure a side must be to go on into one of them.
    """
    if not lost:
        return set()
    torn: set[Spot] = set()
    for group in groups_of(spots, lambda a, b: joins.share(a, b) > MAYBE_JOINED):
        if group & lost or any(joins.reaches(spot, lost, least) for spot in group):
            torn |= group
    return torn


def _likely_cells(
    number: int, best: list[Spot], contents: Mapping[Spot, Floats]
) -> Iterator[list[Spot]]:
    """Yield the cells of a colour, then those with doubtful ones the other way."""
    yield best
    doubtful = {}
    for spot, shares in contents.items():
        own = int(shares.argmax()) == number
        surest = float(shares.max())
        if surest < DOUBTFUL and (own or shares[number] > (1 - DOUBTFUL)):
            other = float(np.sort(shares)[-2]) if own else float(shares[number])
            doubtful[spot] = log(max(surest, LEAST_LOG) / max(other, LEAST_LOG))
    few = sorted(doubtful, key=lambda spot: doubtful[spot])[:MOST_DOUBTFUL]
    changes = [c for size in range(1, MOST_CHANGED + 1) for c in combinations(few, size)]
    for change in sorted(changes, key=lambda c: sum(doubtful[spot] for spot in c)):
        yield sorted(set(best) ^ set(change))


def _bysides_of(
    colour: str,
    spots: Sequence[Spot],
    joins: Joins,
    tile_set: TileSet,
    contents: Mapping[Spot, Floats],
) -> list[SeenPiece]:
    """Return tiles as the sides alone cut them, where the box cannot make up the cells."""
    number = 1 + COLOURS.index(colour)
    names = {path_shape(kind.path): kind.name for kind in tile_set.of_colour(colour) if kind.path}
    groups = groups_of(set(spots), lambda a, b: joins.share(a, b) > HALF)
    cells = [tuple(sorted(spot[1:] for spot in group)) for group in groups]
    tiles = [names.get(free_shape(own), "unknown") for own in cells]
    found = []
    for group, own, tile in zip(groups, cells, tiles, strict=True):
        known = tiles.count(tile) <= tile_set.counts.get(tile, 0)
        sure = float(np.prod([contents[spot][number] for spot in group]))
        piece = Piece(tile, own, min(group)[0])
        found.append(SeenPiece(piece, 0.9 if known else 0.5, sure, (), known))
    return found
