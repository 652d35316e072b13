"""Helpers for the violations and sentences of Schlangennest's referee."""

from __future__ import annotations

from collections.abc import Iterable

from engine.game import Rule, Violation
from engine.lattice import Cell
from engine.nest.position import COLOURS, Box, NestPosition
from engine.sentences import schlangennest as say


def says(rule: Rule, *cells: Cell, case: str = "", **params: str) -> Violation:
    """Return a violation with its parameters and the cells to point at."""
    return Violation(rule, cells, params, case=case)


def none_left(position: NestPosition, tile: str) -> Violation:
    """Return the violation that no copy of a tile is left; it points at the copies laid."""
    cells = sorted(at for at, lying in position.cards.items() if lying.tile == tile)
    case = "over" if position.left(tile) < 0 else ""
    return says(say.NONE_LEFT, *cells, case=case, tile=tile, n=str(position.box[tile].count))


def outside(position: NestPosition, box: Box | None, *cells: Cell) -> Violation:
    """Return the violation that straights and curves with a bounding box do not fit the field."""
    size = position.agreed.field.size
    if size is None or box is None:
        return says(say.OUTSIDE, *cells)
    left, top, right, bottom = box
    wide, high = sorted((right - left + 1, bottom - top + 1))
    a, b = sorted(size)
    params = {"wide": wide, "high": high, "a": a, "b": b}
    return says(say.OUTSIDE, *cells, case="size", **{k: str(v) for k, v in params.items()})


def colour_order(colour: str) -> int:
    """Return the sort key of a colour: its index in the box."""
    return COLOURS.index(colour)


def listed(names: Iterable[str]) -> str:
    """Return names as words of a sentence: ``red, yellow and green``."""
    *first, last = names
    return " and ".join((", ".join(first), last)) if first else last
