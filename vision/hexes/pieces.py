"""From cells as they were seen to the tiles that lie on them, with how sure each is.

The box says which tiles there can be; every way to cut the coloured cells into them is weighed by
what was seen of the sides between cells. Where colours cannot be cut at all, the cell that was
seen least well is taken for something else.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
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
from vision.hexes.cells import CellReadings
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
    splits = [_split(group, doubtful) for group in groups_of(spots, lambda *_: True)]
    return [split for split in splits if len(split.ways) > 1]


def _split(group: set[Spot], doubtful: Sequence[Sequence[Piece]]) -> SeenSplit:
    """Return the ways in which some cells may be cut."""
    ways = dict.fromkeys(
        tuple(p for p in pieces if (p.board or 0, *p.cells[0]) in group) for pieces in doubtful
    )
    return SeenSplit(tuple(sorted(group)), tuple(ways))


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
