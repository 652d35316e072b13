"""What lies on a table, as facts: cards, pieces, clay, and the layout of them all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engine.lattice import Cell


@dataclass(frozen=True, slots=True, order=True)
class Placement:
    """A square card in a cell, with its quarter turns clockwise."""

    tile: str
    at: Cell
    turns: int = 0
    field: int | None = None
    """Sssnake: the number of the field, counted from 0."""


@dataclass(frozen=True, slots=True, order=True)
class Piece:
    """A hex tile on the cells it covers; the cells alone say how it is turned and flipped."""

    tile: str
    """The name of the tile with its colour: ``red/4/0+``."""
    cells: tuple[Cell, ...]
    """The covered cells, sorted."""
    board: int | None = None
    """Snekagon 5G: the number of the board in the ring, from 0."""


@dataclass(frozen=True, slots=True, order=True)
class Clay:
    """A clay marker of Snekagon 5G."""

    board: int
    cell: Cell
    kind: Literal["open", "closed"]
    opens: str | None = None
    """The side towards the snake's body (``"NE"``) of an open piece; ``None`` if not seen."""


@dataclass(frozen=True, slots=True)
class Layout:
    """All placements on a table; equal when the same tiles lie in the same places."""

    cards: frozenset[Placement] = frozenset()
    pieces: frozenset[Piece] = frozenset()
    clay: frozenset[Clay] = frozenset()

    @classmethod
    def of(cls, *placements: Placement | Piece | Clay) -> Layout:
        """Return the layout of these placements, in any order."""
        return cls(
            frozenset(p for p in placements if isinstance(p, Placement)),
            frozenset(p for p in placements if isinstance(p, Piece)),
            frozenset(p for p in placements if isinstance(p, Clay)),
        )

    def placements(self) -> tuple[Placement | Piece | Clay, ...]:
        """Return everything in a stable order."""
        return (
            *sorted(self.cards, key=lambda c: (c.field or 0, c.at, c.tile)),
            *sorted(self.pieces, key=lambda p: (p.board or 0, p.cells, p.tile)),
            *sorted(self.clay, key=lambda c: (c.board, c.cell, c.kind)),
        )


NOTHING = Layout()
"""An empty table."""
