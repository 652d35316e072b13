"""From coloured hexes to the tiles that were laid: every way to cut them that the box allows.

Two tiles end to end look like one bigger tile, so a picture often allows several readings. What
else it shows (notches, seams, clay) and what lay there before decides between them; where nothing
does, the answer says so.
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
"""So many readings of one colour are listed at most; random play has stayed below 1,000."""
MOST_STEPS = 20_000
"""So many steps are tried for one colour; only a heap of tiles, no snakes, asks for more."""

Walk = tuple[Spot, ...]
"""The hexes of a tile from end to end."""
_FLIPPED = str.maketrans("+-", "-+")


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to cut the hexes of a colour into tiles."""

    pieces: tuple[Piece, ...]
    against: int
    """How many things that were seen speak against it."""


@dataclass(frozen=True, slots=True)
class Split:
    """Hexes that several sets of pieces explain equally well, the first listed first."""

    cells: tuple[Place, ...]
    ways: tuple[tuple[Piece, ...], ...]


@dataclass(frozen=True, slots=True)
class Decomposition:
    """What the coloured hexes of a table may be."""

    readings: Mapping[str, tuple[Reading, ...]]
    """All readings of each colour, the best first; none where the box cannot make them."""
    complete: bool = True
    """False when a colour has too many readings, or is too much of a heap, to list them all."""

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The tiles of the best reading of each colour."""
        best = [found[0] for found in self.readings.values() if found]
        return tuple(piece for reading in best for piece in reading.pieces)

    @property
    def unexplained(self) -> tuple[str, ...]:
        """The colours that no tiles of the box make up."""
        return tuple(colour for colour, found in self.readings.items() if not found)

    @property
    def several(self) -> bool:
        """Say whether the picture cannot decide between readings."""
        return any(len(self.equally_good(colour)) > 1 for colour in self.readings)

    def equally_good(self, colour: str) -> tuple[Reading, ...]:
        """Return the readings of a colour that nothing seen tells from the best."""
        found = self.readings[colour]
        return tuple(reading for reading in found if reading.against == found[0].against)

    def splits(self) -> tuple[Split, ...]:
        """Return where equally good readings differ, for somebody to decide."""
        return tuple(
            split for colour in self.readings for split in _splits(self.equally_good(colour))
        )


def decompose(
    cells: Mapping[str, Collection[Place]],
    tile_set: TileSet,
    seen: Seen | None = None,
    stock: Mapping[str, int] | None = None,
) -> Decomposition:
    """Return the tiles that coloured hexes may be, all readings that the stock allows.

    Fouls are read like anything else: hexes may touch, branch or overhang an eye.

    Args:
        cells: the hexes of each colour.
        tile_set: the box.
        seen: what else is known.
        stock: how many of each tile, with its colour, there can be; the box by default.
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
    """A piece that may lie on some of the hexes."""

    piece: Piece
    bits: int
    """Its hexes, as places in the order of walking."""
    against: int


class _Cutting:
    """All ways to cut the hexes of one colour.

    Hexes are taken in the order of walking along their snakes: whichever part covers the first
    hex that is left goes on from there, so that there are few to try.
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
        """Return all ways, those that nothing speaks against first."""
        clean = [[part for part in parts if not part.against] for parts in self._parts]
        found = {_pieces(way): 0 for way in self._ways(clean)}
        if clean != self._parts:
            for way in self._ways(self._parts):
                found.setdefault(_pieces(way), sum(part.against for part in way))
        ordered = sorted(found.items(), key=lambda item: (item[1], len(item[0]), item[0]))
        return [Reading(pieces, against) for pieces, against in ordered]

    def _all_parts(self) -> list[list[_Part]]:
        """Return the parts by the first of their hexes."""
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
        """Yield the sets of parts that cover everything and that the stock allows."""
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
    """Return the tiles by each way to write them: walked from either end, flipped or not."""
    found: dict[str, list[str]] = {}
    for kind in kinds:
        turns = kind.path or "1"
        flipped = turns.translate(_FLIPPED)
        for way in {turns, flipped, turns[::-1], flipped[::-1]}:
            found.setdefault(way, []).append(kind.name)
    return found


def _walks(spots: Collection[Spot], longest: int) -> Iterator[tuple[Walk, str]]:
    """Yield the walks of up to so many hexes that a tile can make, each once, with its turns."""
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
    """Return hexes snake by snake, each from an end on."""
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
    """Yield the groups of hexes in which readings differ, each with its ways."""
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
