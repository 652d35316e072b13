"""Where tiles may still lie on the boards of the hex games: bit sets that grow tile by tile.

The placements that a board forbids only ever grow, so they are kept for each seat and board. What
the ends of snakes allow is worked out again after a change, because ends are few. Listing, judging
a pass, laying and the machine's search all read this.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from typing import NamedTuple

from engine.hexplacements import Placements, PlacementTable
from engine.hexsnakes import MOST_NEIGHBOURS, Drilled, Spot, neighbours, snakes
from engine.lattice import Cell, hex_board, hex_neighbours

Drilling = tuple[Spot, ...]
"""The ends that a tile is drilled to: none, one, or with ``far_drill`` two."""


class Around(dict[Cell, tuple[Cell, ...]]):
    """The neighbours of the cells of a board."""

    def __missing__(self, cell: Cell) -> tuple[Cell, ...]:
        """Return the neighbours of any other cell: an overruled tile may extend over the edge."""
        return hex_neighbours(cell)


@cache
def around_cells(side: int) -> Around:
    """Return the neighbours of all cells of a board with that side length."""
    return Around({cell: hex_neighbours(cell) for cell in hex_board(side)})


@dataclass(frozen=True, slots=True, eq=False)
class Boards:
    """The bare boards of one game."""

    tables: tuple[PlacementTable, ...]
    """The placement table of each seat."""
    beside: tuple[tuple[int, ...], ...]
    """By board: the boards that touch it."""
    around: Around
    eyes: frozenset[Cell]


class Fit(NamedTuple):
    """The placements possible on one board for one seat, whatever tiles the seat has left."""

    legal: Placements
    """Placements that are legal without a drill."""
    sound: Placements
    """Placements that leave every own snake sound, whether or not they touch other players."""
    first_once: Placements
    """Placements whose first end touches an own snake's end, at least once."""
    first_twice: Placements
    last_once: Placements
    """Placements whose last end touches an own snake's end, at least once."""


class Choice(NamedTuple):
    """Placements on one board that are legal with the same drills."""

    board: int
    placements: Placements
    origin: Spot | None = None
    to: Spot | None = None

    @property
    def drilled(self) -> Drilling:
        """The ends that the placements are drilled to."""
        return tuple([end for end in (self.origin, self.to) if end is not None])


class Ground:
    """What lies on the boards, as far as it decides where more may lie; it never changes."""

    __slots__ = ("_fits", "best", "boards", "ends", "is_sound", "touch", "wrong")

    boards: Boards
    ends: list[dict[Spot, tuple[Spot, int]]]
    """By seat: the ends of snakes, each with the other end and the length; only of a lone hex is
    the length 1."""
    best: list[int]
    """By seat: the length of the longest snake."""
    wrong: list[list[Placements]]
    """By seat and board: placements that cover a taken cell or touch an own snake's middle."""
    touch: list[list[Placements]]
    """By seat and board: placements that touch another seat's hexes."""
    is_sound: bool
    """Whether no hex has too many neighbours, so that every snake has two ends or is a ring."""
    _fits: list[list[Fit | None]]

    def __init__(self, boards: Boards) -> None:
        """Begin with nothing on the boards."""
        count = len(boards.beside)
        self.boards, self.is_sound = boards, True
        self.ends = [{} for _ in boards.tables]
        self.best = [0] * len(boards.tables)
        self.wrong = [[covering(table, boards.eyes)] * count for table in boards.tables]
        self.touch = [[0] * count for _ in boards.tables]
        self._fits = [[None] * count for _ in boards.tables]

    # --- where tiles may lie -------------------------------------------------------------------

    def choices(self, seat: int, has: Placements, *, far_drill: bool = False) -> Iterator[Choice]:
        """Yield what a seat may lay, by board and drill; ``has`` is what its tiles can cover."""
        for board, beside in enumerate(self.boards.beside if has else ()):
            yield Choice(board, self.fit(seat, board).legal & has)
            ends = sorted([end for end in self.ends[seat] if end[0] in beside]) if beside else []
            drilled = [(end, self.onto(seat, board, (end,)) & has) for end in ends]
            yield from [Choice(board, onto, end) for end, onto in drilled]
            if far_drill:
                yield from [Choice(board, onto, None, end) for end, onto in drilled]
                for both in permutations(ends, 2):
                    yield Choice(board, self.onto(seat, board, both) & has, *both)

    def takes(self, seat: int, board: int, number: int, drilled: Drilling) -> bool:
        """Say whether a tile joins own snakes at their ends alone, and lies where it may."""
        beside = self.boards.beside[board]
        if not all(end in self.ends[seat] and end[0] in beside for end in drilled):
            return False
        lies = self.onto(seat, board, drilled) if drilled else self.fit(seat, board).legal
        return self.is_sound and bool(lies & self.boards.tables[seat].only(number))

    def fit(self, seat: int, board: int) -> Fit:
        """Return what may lie on a board (rulings 1 and 2 of Snekagon)."""
        known = self._fits[seat][board]
        if known is not None:
            return known
        table, around = self.boards.tables[seat], self.boards.around
        wrong = self.wrong[seat][board]
        ends = {
            end[1:]: length == 1 for end, (_, length) in self.ends[seat].items() if end[0] == board
        }
        first_once = first_twice = first_thrice = last_once = last_twice = 0
        for cell, is_lone in ends.items():
            first, last = table.first_touching[cell], table.last_touching[cell]
            first_thrice |= first_twice & first
            first_twice |= first_once & first
            first_once |= first
            last_twice |= last_once & last
            last_once |= last
            wrong |= table.inner_touching[cell]
            # Both ends of a tile on one hex close a ring, but only a lone hex has room for both.
            wrong |= first & last & table.pairs if is_lone else first & last
            for beside in around[cell]:
                if beside in ends:
                    # A single hex that touches two neighbours makes a sharp turn.
                    wrong |= first & table.first_touching[beside]
        wrong |= first_thrice | (first_twice & ~table.singles) | last_twice
        sound = ~wrong
        legal = sound & (first_once | last_once | ~self.touch[seat][board])
        found = Fit(legal, sound, first_once, first_twice, last_once)
        self._fits[seat][board] = found
        return found

    def onto(self, seat: int, board: int, drilled: Drilling) -> Placements:
        """Return what may lie on a board when ends drill there (ruling 3 of 5G).

        A drill counts as a neighbour; two go to both ends of a tile, or through a single hex.
        """
        table, fit, field = self.boards.tables[seat], self.fit(seat, board), drilled[0][1:]
        first, last = table.first_on[field], table.last_on[field]
        if len(drilled) == 1:
            single = first & table.singles & ~fit.first_twice
            return fit.sound & (single | (first & ~fit.first_once) | (last & ~fit.last_once))
        far_field = drilled[1][1:]
        if field == far_field:
            return fit.sound & first & table.singles & ~fit.first_once
        either_way = (first & table.last_on[far_field]) | (last & table.first_on[far_field])
        return fit.sound & either_way & ~fit.first_once & ~fit.last_once

    # --- growing -------------------------------------------------------------------------------

    def with_tile(self, seat: int, board: int, number: int, drilled: Drilling) -> Ground:
        """Return the ground with one tile more, which it ``takes``."""
        grown = Ground.__new__(Ground)
        grown.boards, grown.is_sound, grown.best = self.boards, self.is_sound, self.best.copy()
        grown.ends = self.ends.copy()
        grown.wrong = [row.copy() for row in self.wrong]
        grown.touch = [row.copy() for row in self.touch]
        grown._fits = [row.copy() for row in self._fits]
        placed = self.boards.tables[seat].placements[number]
        grown._cover(seat, board, placed.cells)
        grown._join(seat, [(board, q, r) for q, r in placed.walk], drilled)
        return grown

    def _cover(self, seat: int, board: int, cells: Iterable[Cell]) -> None:
        for other, table in enumerate(self.boards.tables):
            self._fits[other][board] = None
            self.wrong[other][board] |= covering(table, cells)
            if other != seat:
                touch = self.touch[other][board]
                for cell in cells:
                    touch |= table.touching[cell]
                self.touch[other][board] = touch

    def _join(self, seat: int, tile: list[Spot], drilled: Drilling) -> None:
        """Join a tile to the own ends that it touches, and to those that it is drilled to."""
        ends = self.ends[seat] = self.ends[seat].copy()
        first, last = tile[0], tile[-1]
        contacts = [
            (spot, (spot[0], *cell))
            for spot in (first, last)[: len(tile)]
            for cell in self.boards.around[spot[1:]]
            if (spot[0], *cell) in ends
        ]
        contacts += [(first if first[1:] == end[1:] else last, end) for end in drilled]
        self._bury(seat, tile[1:-1])
        ends[first], ends[last] = (last, len(tile)), (first, len(tile))
        length = len(tile)
        for spot, met in contacts:
            # A lone hex that is drilled to another board is lone no more there.
            self._fits[seat][met[0]] = None
            length = max(length, _meet(ends, spot, met))
            self._bury(seat, [one for one in (spot, met) if one not in ends])
        self.best[seat] = max(self.best[seat], length)

    def _bury(self, seat: int, middle: Iterable[Spot]) -> None:
        """Keep everything away from hexes in the middle of a snake."""
        for board, *cell in middle:
            self.wrong[seat][board] |= self.boards.tables[seat].near[cell[0], cell[1]]
            self._fits[seat][board] = None


def _meet(ends: dict[Spot, tuple[Spot, int]], one: Spot, other: Spot) -> int:
    """Join two ends and return the length of the joined snake."""
    far, length = ends.pop(one)
    if far == other:
        ends.pop(other, None)
        return length
    far_other, length_other = ends.pop(other)
    length += length_other
    ends[far], ends[far_other] = (far_other, length), (far, length)
    return length


def traced(boards: Boards, own: Sequence[Set[Spot]], drilled: Sequence[Drilled]) -> Ground:
    """Return the ground of hexes that lie already, by seat; they may break the rules."""
    ground = Ground(boards)
    for seat, spots in enumerate(own):
        lying: list[list[Cell]] = [[] for _ in boards.beside]
        middle = []
        ends = set()
        for spot in spots:
            joints = len(neighbours(spot, spots, drilled[seat]))
            if joints < MOST_NEIGHBOURS:
                ends.add(spot)
            else:
                middle.append(spot)
                ground.is_sound &= joints == MOST_NEIGHBOURS
            lying[spot[0]].append(spot[1:])
        for board, cells in enumerate(lying):
            ground._cover(seat, board, cells)
        ground._bury(seat, middle)
        for snake in snakes(spots, drilled[seat]):
            ground.best[seat] = max(ground.best[seat], len(snake))
            its_ends = sorted(snake & ends)
            for end, other in zip(its_ends, reversed(its_ends), strict=True):
                ground.ends[seat][end] = (other, len(snake))
    return ground


def covering(table: PlacementTable, cells: Iterable[Cell]) -> Placements:
    """Return the placements that cover at least one of the cells."""
    cover = 0
    for cell in cells:
        cover |= table.covering[cell]
    return cover
