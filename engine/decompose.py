"""Decomposes coloured hexes into tiles: an exact cover with the tiles of the box.

Two tiles end to end look like one bigger tile, so a picture often allows several readings. Other
evidence (notches, seams, clay, the layout before) ranks them; readings that it cannot tell apart
are returned as equally good.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from engine.game import Place
from engine.hexpath import TURNS
from engine.hexsnakes import Spot, around, side_towards, snakes, touching
from engine.lattice import HEX_STEPS
from engine.placement import Piece
from engine.seen import Evidence, Seen, spot_of
from engine.tiles import TileKind, TileSet

MOST_READINGS = 5_000
"""The maximum number of readings listed for one colour; random play has stayed below 1,000."""
MOST_STEPS = 20_000
"""The maximum number of search steps for one colour; only heaps of tiles would need more."""

Walk = tuple[Spot, ...]
"""The hexes of a tile in order, from one end to the other."""
_FLIPPED = str.maketrans("+-", "-+")


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to cut the hexes of a colour into tiles."""

    pieces: tuple[Piece, ...]
    against: int
    """The number of observations that contradict this reading."""


@dataclass(frozen=True, slots=True)
class Split:
    """Hexes that several sets of pieces explain equally well."""

    cells: tuple[Place, ...]
    ways: tuple[tuple[Piece, ...], ...]


@dataclass(frozen=True, slots=True)
class Decomposition:
    """All readings of the coloured hexes of a table."""

    readings: Mapping[str, tuple[Reading, ...]]
    """The readings of each colour, best first; empty where no tiles of the box fit."""
    complete: bool = True
    """False when the search of a colour stopped at ``MOST_READINGS`` or ``MOST_STEPS``."""

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The tiles of the best reading of each colour."""
        best = [found[0] for found in self.readings.values() if found]
        return tuple(piece for reading in best for piece in reading.pieces)

    @property
    def unexplained(self) -> tuple[str, ...]:
        """The colours whose hexes no tiles of the box can cover."""
        return tuple(colour for colour, found in self.readings.items() if not found)

    @property
    def several(self) -> bool:
        """Say whether a colour has more than one best reading."""
        return any(len(self.equally_good(colour)) > 1 for colour in self.readings)

    def equally_good(self, colour: str) -> tuple[Reading, ...]:
        """Return the readings of a colour with as few contradictions as the best one."""
        found = self.readings[colour]
        return tuple(reading for reading in found if reading.against == found[0].against)

    def splits(self) -> tuple[Split, ...]:
        """Return the places where equally good readings differ, for a person to decide."""
        return tuple(
            split for colour in self.readings for split in _splits(self.equally_good(colour))
        )


def decompose(
    cells: Mapping[str, Collection[Place]],
    tile_set: TileSet,
    seen: Seen | None = None,
    stock: Mapping[str, int] | None = None,
) -> Decomposition:
    """Return all readings of coloured hexes as tiles that the stock allows.

    Fouls are read too: hexes may touch, branch or overhang an eye.

    Args:
        cells: the hexes of each colour.
        tile_set: the box.
        seen: other evidence.
        stock: the number of tiles of each kind; by default what the box holds.
    """
    counts = tile_set.counts if stock is None else stock
    readings = {}
    complete = True
    for colour, spots in cells.items():
        kinds = [kind for kind in tile_set.of_colour(colour) if counts.get(kind.name, 0)]
        cutting = _Cutting(spots, kinds, counts, seen or Seen())
        readings[colour] = tuple(cutting.readings())
        complete = complete and cutting.complete
    return Decomposition(readings, complete)


# --- cutting -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Part:
    """A candidate piece on some of the hexes."""

    piece: Piece
    bits: int
    """The hexes as a bit set, numbered in walking order."""
    against: int


class _Cutting:
    """Exact-cover search over the hexes of one colour.

    Hexes are numbered along their snakes. Each step covers the first free hex, so only the few
    parts that begin there are tried.
    """

    def __init__(
        self,
        places: Collection[Place],
        kinds: Collection[TileKind],
        counts: Mapping[str, int],
        seen: Seen,
    ) -> None:
        self._numbered = any(len(place) > 2 for place in places)
        self._order = _walking_order(frozenset(spot_of(place) for place in places))
        self._number = {spot: i for i, spot in enumerate(self._order)}
        self._counts = counts
        self._kinds = kinds
        self._evidence = Evidence(seen, self._number)
        self._parts = self._all_parts()
        self.complete = True

    def readings(self) -> list[Reading]:
        """Return all readings, those without contradictions first."""
        clean = [[part for part in parts if not part.against] for parts in self._parts]
        found = {_pieces(way): 0 for way in self._ways(clean)}
        if clean != self._parts:
            for way in self._ways(self._parts):
                found.setdefault(_pieces(way), sum(part.against for part in way))
        ordered = sorted(found.items(), key=lambda item: (item[1], len(item[0]), item[0]))
        return [Reading(pieces, against) for pieces, against in ordered]

    def _all_parts(self) -> list[list[_Part]]:
        """Return the candidate parts, indexed by the lowest number of their hexes."""
        parts: list[list[_Part]] = [[] for _ in self._order]
        tiles = _tiles_by_turns(self._kinds)
        longest = max((len(kind.cells) for kind in self._kinds), default=0)
        for walk, turns in _walks(self._number, longest):
            numbers = [self._number[spot] for spot in walk]
            for tile in tiles.get(turns, ()):
                part = _Part(
                    self._piece(tile, walk),
                    sum(1 << number for number in numbers),
                    self._evidence.against(tile, walk),
                )
                parts[min(numbers)].append(part)
        return parts

    def _piece(self, tile: str, walk: Walk) -> Piece:
        board = walk[0][0] if self._numbered else None
        return Piece(tile, tuple(sorted(spot[1:] for spot in walk)), board)

    def _ways(self, parts: list[list[_Part]]) -> Iterator[list[_Part]]:
        """Yield the sets of parts that cover every hex once and that the stock allows."""
        everything = (1 << len(self._order)) - 1
        left = {kind.name: self._counts[kind.name] for kind in self._kinds}
        dead: set[tuple[int, tuple[int, ...]]] = set()
        chosen: list[_Part] = []
        found = steps = 0

        def cover(covered: int) -> Iterator[list[_Part]]:
            nonlocal found, steps
            steps += 1
            if found >= MOST_READINGS or steps > MOST_STEPS:
                self.complete = False
                return
            if covered == everything:
                found += 1
                yield list(chosen)
                return
            state = (covered, tuple(left.values()))
            if state in dead:
                return
            before = found
            first = (~covered & (covered + 1)).bit_length() - 1
            for part in parts[first]:
                if part.bits & covered or not left[part.piece.tile]:
                    continue
                left[part.piece.tile] -= 1
                chosen.append(part)
                yield from cover(covered | part.bits)
                chosen.pop()
                left[part.piece.tile] += 1
            if found == before:
                dead.add(state)

        return cover(0)


def _tiles_by_turns(kinds: Iterable[TileKind]) -> dict[str, list[str]]:
    """Return the tiles by their turns, written from either end and flipped or not."""
    found: dict[str, list[str]] = {}
    for kind in kinds:
        turns = kind.path or "1"
        flipped = turns.translate(_FLIPPED)
        for way in {turns, flipped, turns[::-1], flipped[::-1]}:
            found.setdefault(way, []).append(kind.name)
    return found


def _walks(spots: Collection[Spot], longest: int) -> Iterator[tuple[Walk, str]]:
    """Yield each walk of at most ``longest`` hexes that a tile can make, once, with its turns."""
    for start in spots:
        yield (start,), "1"
        waiting: list[tuple[Walk, str]] = [((start, spot), "") for spot in touching(start, spots)]
        while waiting:
            walk, turns = waiting.pop()
            if walk[0] < walk[-1]:
                yield walk, turns or "2"
            heading = side_towards(walk[-2], walk[-1])
            for letter, turn in TURNS.items() if len(walk) < longest else ():
                onward = around(walk[-1])[(heading + turn) % len(HEX_STEPS)]
                if onward in spots and len(touching(onward, walk)) == 1:
                    waiting.append(((*walk, onward), turns + letter))


def _pieces(way: Iterable[_Part]) -> tuple[Piece, ...]:
    return tuple(sorted((part.piece for part in way), key=_by_place))


def _by_place(piece: Piece) -> tuple[int, tuple[tuple[int, int], ...]]:
    return (piece.board or 0, piece.cells)


def _walking_order(spots: frozenset[Spot]) -> tuple[Spot, ...]:
    """Return the hexes snake by snake, each snake from one of its ends."""
    order: dict[Spot, None] = {}
    for snake in sorted(snakes(spots, {}), key=min):
        waiting = [min(snake, key=lambda spot: (len(touching(spot, snake)), spot))]
        while waiting:
            spot = waiting.pop()
            if spot not in order:
                order[spot] = None
                waiting += reversed(touching(spot, snake))
    return tuple(order)


# --- splits --------------------------------------------------------------------------------------


def _splits(readings: tuple[Reading, ...]) -> Iterator[Split]:
    """Yield the groups of hexes in which readings differ, each with its alternatives."""
    if len(readings) < 2:
        return
    sure = frozenset(readings[0].pieces).intersection(*(reading.pieces for reading in readings))
    doubtful = [[p for p in reading.pieces if p not in sure] for reading in readings]
    spots = frozenset((p.board or 0, *cell) for p in doubtful[0] for cell in p.cells)
    numbered = any(piece.board is not None for piece in readings[0].pieces)
    for group in sorted(snakes(spots, {}), key=min):
        ways = dict.fromkeys(
            tuple(p for p in pieces if (p.board or 0, *p.cells[0]) in group) for pieces in doubtful
        )
        cells = tuple(spot if numbered else spot[1:] for spot in sorted(group))
        yield Split(cells, tuple(ways))
