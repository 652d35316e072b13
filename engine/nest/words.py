"""Small words for the referee's sentences."""

from __future__ import annotations

from collections.abc import Iterable

from engine.game import Rule, Violation
from engine.lattice import Cell
from engine.nest.position import COLOURS, NestPosition
from engine.sentences import schlangennest as say


def says(rule: Rule, **params: str) -> Violation:
    """Return a violation that points at no cell."""
    return Violation(rule, (), params)


def none_left(position: NestPosition, tile: str, cells: tuple[Cell, ...] = ()) -> Violation:
    """Return the violation that a box holds no more of a tile."""
    params = {"tile": tile, "count": str(position.box[tile].count)}
    return Violation(say.NONE_LEFT, cells, params)


def colour_order(colour: str) -> int:
    """Return where a colour stands in the box."""
    return COLOURS.index(colour)


def listed(names: Iterable[str]) -> str:
    """Return names as words of a sentence."""
    return " and ".join(names)
