"""Table states: what lies on the table, entry by entry, and the JSON that other programs rely on.

Each entry has typed fields (``entry.turns``) and is also the mapping that the JSON interface
specifies (``entry["turns"]``). A field that does not apply is ``None``, and its key is absent from
the mapping.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from engine.lattice import Cell
from engine.placement import Piece
from engine.record import TABLE_FORMAT, VERSION
from vision.core.types import UNKNOWN_TILE, Quality

PIXEL_DIGITS = 1
"""Decimals of pixel coordinates: outlines are accurate to about a pixel."""
CONFIDENCE_DIGITS = 4

Guesses = tuple[tuple[str, float], ...]


class Entry(Mapping[str, Any]):
    """Something in a table state."""

    @abstractmethod
    def promised(self) -> Iterator[tuple[str, Any]]:
        """Yield the keys of the JSON interface in order, each with its value or ``None``."""

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
    """A tile: one in the layout has its cells, one aside only its outline."""

    tile: str
    outline: ArrayLike
    confidence: float
    at: Cell | None = None
    """The cell of a square tile."""
    cells: tuple[Cell, ...] | None = None
    """The cells of a hex tile."""
    turns: int | None = None
    board: int | None = None
    field: int | None = None
    guesses: Guesses | None = None
    """Candidate tiles with confidences, best first; only unsure tiles have these and ``why``."""
    why: str | None = None

    def promised(self) -> Iterator[tuple[str, Any]]:
        """Yield the keys of the JSON interface."""
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
        """Yield the keys of the JSON interface."""
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
        """Yield the keys of the JSON interface."""
        yield "cells", _lists(self.cells)
        yield "ways", [[_piece(piece) for piece in way] for way in self.ways]
        yield "board", self.board


@dataclass(frozen=True)
class TableState:
    """What the camera believes lies on the table, ready to be written as JSON.

    Entries have the keys of the JSON interface: ``tile``, ``at``, ``turns`` (or ``cells``,
    ``board``), ``confidence``, ``outline`` and so on.
    """

    size_px: tuple[int, int]
    tiles: tuple[Mapping[str, Any], ...] = ()
    unsure: tuple[Mapping[str, Any], ...] = ()
    aside: tuple[Mapping[str, Any], ...] = ()
    clay: tuple[Mapping[str, Any], ...] = ()
    splits: tuple[Mapping[str, Any], ...] = ()
    quality: Quality = field(default_factory=Quality)
    game: str | None = None
    set_name: str | None = None
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    """Duration of each stage in milliseconds, for benchmarks; not part of the JSON."""

    def contents(self) -> Hashable:
        """Return the state without pixels and confidences, as a key to compare states by."""
        return (
            frozenset((*_place(one), one["tile"], one.get("turns")) for one in self.tiles),
            frozenset(_place(one) for one in self.unsure),
            frozenset((*_place(one), one["kind"], one.get("opens")) for one in self.clay),
        )


def _place(entry: Mapping[str, Any]) -> tuple[Hashable, ...]:
    cells = entry.get("cells") or [entry.get("at") or entry.get("cell")]
    return (entry.get("field"), entry.get("board"), tuple(tuple(cell) for cell in cells))


def table_state_to_json(state: TableState, file: str | None = None) -> dict[str, Any]:
    """Return a table state as a JSON object, with exactly the keys of the interface.

    Args:
        state: what was read.
        file: the picture's name as it was given.
    """
    return {
        "format": TABLE_FORMAT,
        "version": VERSION,
        "file": file,
        "size": [int(side) for side in state.size_px],
        "game": state.game,
        "set": state.set_name,
        "tiles": [_entry(tile) for tile in state.tiles],
        "unsure": [_entry(tile) for tile in state.unsure],
        "aside": [_entry(tile) for tile in state.aside],
        "clay": [_entry(tile) for tile in state.clay],
        "splits": [_entry(split) for split in state.splits],
        "quality": quality_to_json(state.quality, state.size_px),
    }


def quality_to_json(quality: Quality, size_px: tuple[int, int]) -> dict[str, Any]:
    """Return a quality as JSON; advice without a box gets one around the whole picture."""
    everything = [0, 0, int(size_px[0]), int(size_px[1])]
    return {
        "ok": bool(quality.ok),
        "advice": [
            {
                "what": one.what,
                "text": one.text,
                "box": everything if one.box is None else [int(v) for v in one.box],
                **({"looks_like": one.looks_like} if one.what == UNKNOWN_TILE else {}),
            }
            for one in quality.advice
        ],
    }


def _entry(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _plain(value, key) for key, value in entry.items()}


def _plain(value: Any, key: str = "") -> Any:
    """Return a value as plain Python types, floats rounded to their useful precision."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(name): _plain(item, str(name)) for name, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item, key) for item in value]
    if isinstance(value, float):
        digits = PIXEL_DIGITS if key in ("outline", "centre") else CONFIDENCE_DIGITS
        # JSON has no NaN or infinity: one would make the whole document unreadable.
        return round(value, digits) if isfinite(value) else None
    return value


def _piece(piece: Piece) -> dict[str, Any]:
    form: dict[str, Any] = {"tile": piece.tile, "cells": _lists(sorted(piece.cells))}
    return form if piece.board is None else {**form, "board": piece.board}


def _lists(pairs: Sequence[Sequence[Any]] | None) -> list[list[Any]] | None:
    """Return a sequence of pairs as nested lists, as JSON has them."""
    return None if pairs is None else [list(pair) for pair in pairs]
