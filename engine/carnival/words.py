"""Tiles in players' words, and violations that name them."""

from __future__ import annotations

from engine.carnival.snakes import LOGS
from engine.game import Place, Rule, Violation
from engine.tiles import TileKind


def named(kind: TileKind) -> str:
    """Return a tile in players' words: ``yellow corner``, ``corner log``, ``hat +3``, ``gift``."""
    first, *rest = kind.shape.split("/")
    if kind.role in LOGS:
        return " ".join((*rest, first))
    if kind.role == "trouble":
        return kind.role
    words = (kind.colour, first, *rest) if kind.colour else (first, *rest)
    return " ".join(words)


def says(rule: Rule, *cells: Place | None, case: str = "", **names: object) -> Violation:
    """Return a violation with its parameters; cells that are ``None`` are left out."""
    pointed = tuple(dict.fromkeys(cell for cell in cells if cell is not None))
    words = {name: str(value) for name, value in names.items()}
    return Violation(rule, pointed, words, case=case)
