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

    sees: int | None = None
    """So many of the legal moves are noticed; all where it is missing."""
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
_HEX = Skill(
    Depth(warmth=1.0, explore=0.4, horizon=1, sampled=None, settle=1),
    (Level(2), Level(6), Level(18), Level(60)), 30,
)  # fmt: skip
_SSSNAKE = Skill(
    Depth(sampled=None, horizon=4, paired=8), (Level(1), Level(2), Level(), Level(looks=24)), 160,
)  # fmt: skip
_CARNIVAL = Skill(
    Depth(sampled=None, horizon=1, settle=8, warmth=2.0),
    (Level(3), Level(5), Level(10), Level()), 40,
)  # fmt: skip

SKILLS: Mapping[str, Skill] = {
    "schlangennest": _NEST,
    "snekagon": _HEX,
    "snekagon5g": _HEX,
    "sssnake": _SSSNAKE,
    "carnival": _CARNIVAL,
}
BY_THE_BOOK = Skill(
    Depth(inner=8, sampled=3, horizon=4), (Level(2, True), Level(8, True), Level(), Level(looks=4)),
    8,
)  # fmt: skip
"""Options that no quick world plays."""
