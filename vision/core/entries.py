"""The entries of a table state: tiles, clay, and cells that can be cut in several ways.

Each is a value with typed fields, and reads as the mapping that the interface promises:
``entry.turns`` inside, ``entry["turns"]`` for whoever writes it down. A field that does not apply
is ``None`` here and no key there.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from numpy.typing import ArrayLike

from engine.lattice import Cell
from engine.placement import Piece

Guesses = tuple[tuple[str, float], ...]


class Entry(Mapping[str, Any]):
    """Something in a table state."""

    @abstractmethod
    def promised(self) -> Iterator[tuple[str, Any]]:
        """Yield the promised keys in their order, each with its value or ``None``."""

    @cached_property
    def _form(self) -> dict[str, Any]:
        return {key: value for key, value in self.promised() if value is not None}

    def __getitem__(self, key: str) -> Any:
        return self._form[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._form)

    def __len__(self) -> int:
        return len(self._form)


@dataclass(frozen=True, eq=False)
class TileEntry(Entry):
    """A tile: in the layout by its place, beside it by its outline alone."""

    tile: str
    outline: ArrayLike
    confidence: float
    at: Cell | None = None
    """The cell of a square tile."""
    cells: tuple[Cell, ...] | None = None
    """Those of a hex tile."""
    turns: int | None = None
    board: int | None = None
    field: int | None = None
    guesses: Guesses | None = None
    """What it may be, best first; only of unsure ones, as is the next."""
    why: str | None = None

    def promised(self) -> Iterator[tuple[str, Any]]:
        """Yield the promised keys."""
        yield "tile", self.tile
        yield "at", None if self.at is None else list(self.at)
        yield "cells", _lists(self.cells)
        yield "turns", self.turns
        yield "board", self.board
        if self.at is None and self.cells is None:
            yield "outline", self.outline
        yield "confidence", self.confidence
        yield "outline", self.outline
        yield "field", self.field
        yield "guesses", _lists(self.guesses)
        yield "why", self.why


@dataclass(frozen=True, eq=False)
class ClayEntry(Entry):
    """A piece of clay on a board."""

    board: int
    cell: Cell
    kind: str
    confidence: float
    centre: Sequence[float]
    opens: str | None = None

    def promised(self) -> Iterator[tuple[str, Any]]:
        """Yield the promised keys."""
        yield "board", self.board
        yield "cell", list(self.cell)
        yield "kind", self.kind
        yield "opens", self.opens
        yield "confidence", self.confidence
        yield "centre", self.centre


@dataclass(frozen=True, eq=False)
class SplitEntry(Entry):
    """Cells that several sets of tiles explain, the likeliest first."""

    cells: tuple[Cell, ...]
    ways: tuple[tuple[Piece, ...], ...]
    board: int | None = None

    def promised(self) -> Iterator[tuple[str, Any]]:
        """Yield the promised keys."""
        yield "cells", _lists(self.cells)
        yield "ways", [[_piece(piece) for piece in way] for way in self.ways]
        yield "board", self.board


def _piece(piece: Piece) -> dict[str, Any]:
    form: dict[str, Any] = {"tile": piece.tile, "cells": _lists(sorted(piece.cells))}
    return form if piece.board is None else {**form, "board": piece.board}


def _lists(pairs: Sequence[Sequence[Any]] | None) -> list[list[Any]] | None:
    """Return pairs as JSON has them."""
    return None if pairs is None else [list(pair) for pair in pairs]
