"""Reads and writes a layout as one line of text.

A card is ``tile@x,y^turns`` (``^0`` is left out), a hex piece ``tile@q,r+q,r+…``. A suffix ``#1``
names the field or board. Clay is ``clay/open@q,r>NE#0``. Words are separated by blanks::

    blue/curve@0,0^1 red/straight@1,0
"""

from __future__ import annotations

import re

from engine.errors import NotationError
from engine.lattice import Cell
from engine.placement import Clay, Layout, Piece, Placement

_WORD = re.compile(
    r"(?P<tile>[a-z0-9+/-]+)@(?P<cells>-?\d+,-?\d+(?:\+-?\d+,-?\d+)*)"
    r"(?:\^(?P<turns>[0-3]))?(?:>(?P<opens>[NESW]{1,2}))?(?:#(?P<where>\d+))?"
)


def write_layout(layout: Layout) -> str:
    """Return a layout as one line."""
    return " ".join(_write(placed) for placed in layout.placements())


def read_layout(text: str, lattice: str = "square") -> Layout:
    """Return the layout that a line describes.

    Raises:
        NotationError: a word cannot be read; the message names the word.
    """
    return Layout.of(*(_read(word, lattice) for word in text.split()))


def _write(placed: Placement | Piece | Clay) -> str:
    if isinstance(placed, Placement):
        turns = f"^{placed.turns}" if placed.turns else ""
        return f"{placed.tile}@{_cell(placed.at)}{turns}{_where(placed.field)}"
    if isinstance(placed, Piece):
        cells = "+".join(_cell(cell) for cell in placed.cells)
        return f"{placed.tile}@{cells}{_where(placed.board)}"
    opens = f">{placed.opens}" if placed.opens else ""
    return f"clay/{placed.kind}@{_cell(placed.cell)}{opens}{_where(placed.board)}"


def _read(word: str, lattice: str) -> Placement | Piece | Clay:
    match = _WORD.fullmatch(word)
    if match is None:
        raise NotationError(f"cannot read {word!r}; a card is written blue/curve@0,0^1")
    tile, where = match["tile"], match["where"]
    cells = tuple(
        sorted((int(q), int(r)) for q, r in re.findall(r"(-?\d+),(-?\d+)", match["cells"]))
    )
    number = None if where is None else int(where)
    if tile == "clay/open":
        return Clay(number or 0, cells[0], "open", match["opens"])
    if tile == "clay/closed":
        return Clay(number or 0, cells[0], "closed", match["opens"])
    if lattice == "hex":
        return Piece(tile, cells, number)
    if len(cells) != 1:
        raise NotationError(f"cannot read {word!r}; a square card lies in one cell")
    return Placement(tile, cells[0], int(match["turns"] or 0), number)


def _cell(cell: Cell) -> str:
    return f"{cell[0]},{cell[1]}"


def _where(number: int | None) -> str:
    return "" if number is None else f"#{number}"
