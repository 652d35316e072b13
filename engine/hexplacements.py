"""All placements of one colour's tiles on a board, in tables that are built once and cached.

A set of placements is an integer used as a bit set; the first placement of the table is the
highest bit. The legal placements take a few ANDs and ORs for each taken cell.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import compress
from typing import TypeVar

from engine.hexpath import path_cells
from engine.lattice import HEX_STEPS, Cell, hex_board, hex_neighbours

Placements = int
"""A bit set of placements."""

FEW = 50
"""The set size up to which extracting single bits is faster than scanning all 3,000."""

T = TypeVar("T")
_AS_FLAGS = bytes.maketrans(b"01", b"\x00\x01")


class ByCell(dict[Cell, Placements]):
    """Sets of placements by cell; the empty set for cells off the board."""

    def __missing__(self, cell: Cell) -> Placements:
        """Return the empty set: an overruled tile may extend over the edge of the board."""
        return 0


@dataclass(frozen=True, slots=True)
class TilePlacement:
    """A tile on the cells it covers."""

    shape: str
    cells: tuple[Cell, ...]
    """The covered cells, sorted."""
    walk: tuple[Cell, ...]
    """The covered cells from end to end, the smaller end first."""


@dataclass(frozen=True, slots=True, eq=False)
class PlacementTable:
    """Every placement of a colour's tiles, indexed by the cells they cover and touch.

    A longer tile has a first and a last end; a single hex has a first end only.
    """

    placements: tuple[TilePlacement, ...]
    number: Mapping[tuple[str, tuple[Cell, ...]], int]
    """By shape and covered cells: the number of the placement."""
    of_shape: Mapping[str, Placements]
    covering: ByCell
    inner_touching: ByCell
    """Placements that touch a cell with a hex that is not an end."""
    first_touching: ByCell
    last_touching: ByCell
    touching: ByCell
    """Placements that touch a cell with any hex."""
    near: ByCell
    """Placements that cover or touch a cell."""
    first_on: ByCell
    last_on: ByCell
    leaving: tuple[ByCell, ...]
    """By side: longer tiles with an end on a cell that leave the cell by that side."""
    singles: Placements
    pairs: Placements
    """Tiles of two hexes."""

    def only(self, number: int) -> Placements:
        """Return the set that holds only the placement of this number."""
        return 1 << (len(self.placements) - 1 - number)

    def chosen(self, choice: Placements, things: Sequence[T]) -> list[T]:
        """Return the things at the indices of a set; ``things`` has one for each placement."""
        size = len(self.placements)
        if choice.bit_count() > FEW:
            return list(compress(things, f"{choice:0{size}b}".encode().translate(_AS_FLAGS)))
        found = []
        while choice:
            length = choice.bit_length()
            found.append(things[size - length])
            choice ^= 1 << (length - 1)
        return found


@cache
def placement_table(tiles: tuple[tuple[str, str], ...], side: int) -> PlacementTable:
    """Return the table of tiles, given as ``(shape, turns)``, for a board with that side length."""
    board = hex_board(side)
    placements = tuple(
        TilePlacement(shape, tuple(sorted(walk)), walk)
        for shape, path in tiles
        for walk in walks(path, board)
    )
    sets = _Sets(len(placements))
    for number, placement in enumerate(placements):
        sets.enter(number, placement.walk)
    return PlacementTable(
        placements=placements,
        number={(placed.shape, placed.cells): n for n, placed in enumerate(placements)},
        of_shape={shape: _as_set(p.shape == shape for p in placements) for shape, _ in tiles},
        covering=sets.finished("covering"),
        inner_touching=sets.finished("inner_touching"),
        first_touching=sets.finished("first_touching"),
        last_touching=sets.finished("last_touching"),
        touching=sets.finished("touching"),
        near=sets.finished("near"),
        first_on=sets.finished("first_on"),
        last_on=sets.finished("last_on"),
        leaving=tuple(sets.finished(f"leaving {side}") for side in range(len(HEX_STEPS))),
        singles=_as_set(len(p.walk) == 1 for p in placements),
        pairs=_as_set(len(p.walk) == 2 for p in placements),
    )


@cache
def walks(path: str, board: tuple[Cell, ...]) -> tuple[tuple[Cell, ...], ...]:
    """Return every placement of a tile on a board, each from its smaller end, sorted by cells."""
    cells = set(board)
    found: dict[tuple[Cell, ...], tuple[Cell, ...]] = {}
    for shape in oriented_walks(path):
        for q0, r0 in board:
            walk = tuple((q0 + q, r0 + r) for q, r in shape)
            if cells.issuperset(walk):
                found[tuple(sorted(walk))] = min(walk, walk[::-1])
    return tuple(found[key] for key in sorted(found))


@cache
def oriented_walks(path: str) -> tuple[tuple[Cell, ...], ...]:
    """Return the distinct rotations and reflections of a tile, each in walking order.

    Each is shifted so that its smallest cell is ``(0, 0)``.
    """
    walk = path_cells(path)
    found: dict[tuple[Cell, ...], tuple[Cell, ...]] = {}
    for flipped in (walk, tuple((r, q) for q, r in walk)):
        turned = flipped
        for _ in HEX_STEPS:
            turned = tuple((-r, q + r) for q, r in turned)
            q0, r0 = min(turned)
            moved = tuple((q - q0, r - r0) for q, r in turned)
            found.setdefault(tuple(sorted(moved)), moved)
    return tuple(found.values())


def _as_set(flags: Iterable[bool]) -> Placements:
    return int("".join("1" if flag else "0" for flag in flags) or "0", 2)


class _Sets:
    """Builder of the bit sets: a text of 0 and 1 for each name and cell."""

    def __init__(self, size: int) -> None:
        self._empty = b"0" * size
        self._texts: dict[tuple[str, Cell], bytearray] = {}

    def enter(self, number: int, walk: tuple[Cell, ...]) -> None:
        """Add one placement to every set it belongs to."""
        for cell in walk:
            self._mark("covering", cell, number)
            self._mark("near", cell, number)
        self._mark("first_on", walk[0], number)
        self._mark_around("first_touching", walk[0], walk, number)
        for inner in walk[1:-1]:
            self._mark_around("inner_touching", inner, walk, number)
        if len(walk) > 1:
            self._mark("last_on", walk[-1], number)
            self._mark_around("last_touching", walk[-1], walk, number)
            for end, beside in ((walk[0], walk[1]), (walk[-1], walk[-2])):
                self._mark(f"leaving {hex_neighbours(end).index(beside)}", end, number)

    def finished(self, name: str) -> ByCell:
        """Return the sets of one name by cell."""
        return ByCell(
            {cell: int(text, 2) for (key, cell), text in self._texts.items() if key == name}
        )

    def _mark(self, name: str, cell: Cell, number: int) -> None:
        text = self._texts.get((name, cell))
        if text is None:
            text = self._texts[name, cell] = bytearray(self._empty)
        text[number] = ord("1")

    def _mark_around(self, name: str, cell: Cell, walk: tuple[Cell, ...], number: int) -> None:
        for beside in hex_neighbours(cell):
            if beside not in walk:
                self._mark(name, beside, number)
                self._mark("touching", beside, number)
                self._mark("near", beside, number)
