"""How far and how well each level looks, game by game.

A level never passes over a move that it knows to be better: the low ones see fewer moves and judge
them by less. What the figures are, and how they were chosen, stands in ``README.md``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.play.search import Depth

LOWEST, HIGHEST = 1, 5


@dataclass(frozen=True, slots=True)
class Level:
    """One strength of play."""

    sees: float | None = None
    """So many of the legal moves are noticed on average; all where it is missing."""
    by_score: bool = False
    """Judges by the score alone, not by what may come of a position."""
    looks: int = 0
    """How many looks ahead it takes at most; none judges every move once."""


@dataclass(frozen=True, slots=True)
class Skill:
    """How a game is played."""

    depth: Depth
    levels: tuple[Level, Level, Level, Level]
    """From 1 to 4; 5 looks as long as it is let."""
    looks: int
    """So many looks are worth about a tenth of a second; level 5 takes them unless told."""


_NEST = Skill(
    Depth(explore=0.8), (Level(2), Level(4), Level(), Level(looks=6)), 50,
)  # fmt: skip
_HEX_DEPTH = Depth(warmth=1.0, explore=0.4, horizon=1, sampled=None, settle=1)
_HEX = Skill(
    _HEX_DEPTH, (Level(7), Level(14), Level(28), Level(looks=10)), 40,
)  # fmt: skip
_SEVERAL_BOARDS = Skill(
    _HEX_DEPTH, (Level(8), Level(16), Level(30), Level(55)), 40,
)  # fmt: skip
_SSSNAKE = Skill(
    Depth(sampled=None, horizon=4, paired=8), (Level(1), Level(1.6), Level(2.3), Level(5)), 160,
)  # fmt: skip
_CARNIVAL = Skill(
    Depth(sampled=None, horizon=1, settle=8, warmth=2.0),
    (Level(1), Level(1.7), Level(2.8), Level(12)), 40,
)  # fmt: skip

SKILLS: Mapping[str, Skill] = {
    "schlangennest": _NEST,
    "snekagon": _HEX,
    "snekagon5g": _SEVERAL_BOARDS,
    "sssnake": _SSSNAKE,
    "carnival": _CARNIVAL,
}
BY_THE_BOOK = Skill(
    Depth(inner=8, sampled=3, horizon=4), (Level(2, True), Level(8, True), Level(), Level(looks=4)),
    8,
)  # fmt: skip
"""Options that no quick world plays."""
