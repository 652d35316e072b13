"""Search parameters and levels of each game.

A level always plays the move that it ranks best: low levels see fewer moves and evaluate them less
well. ``README.md`` says how the figures were chosen.
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
    """The mean number of legal moves that the level considers; ``None``: all."""
    by_score: bool = False
    """Whether moves are ranked by score alone, without expected gains."""
    looks: int = 0
    """The maximum number of looks of the search; 0 ranks moves by static evaluation only."""


@dataclass(frozen=True, slots=True)
class Skill:
    """Search parameters and levels of one game."""

    depth: Depth
    levels: tuple[Level, Level, Level, Level]
    """Levels 1 to 4; level 5 searches until its budget is used up."""
    looks: int
    """Looks that take about 0.1 s: the budget when the caller gives none."""


_NEST = Skill(
    Depth(explore=0.8),
    (Level(2), Level(4), Level(), Level(looks=6)),
    50,
)
_HEX_DEPTH = Depth(warmth=1.0, explore=0.4, horizon=1, sampled=None, settle=1)
_HEX = Skill(
    _HEX_DEPTH,
    (Level(5), Level(13), Level(36), Level(100, looks=10)),
    40,
)
_SEVERAL_BOARDS = Skill(
    _HEX_DEPTH,
    (Level(8), Level(16), Level(34), Level(75)),
    40,
)
_SSSNAKE = Skill(
    Depth(sampled=None, horizon=4, paired=8),
    (Level(1), Level(1.5), Level(2), Level(3)),
    160,
)
_CARNIVAL = Skill(
    Depth(sampled=None, horizon=1, settle=8, warmth=2.0),
    (Level(1), Level(1.7), Level(2.8), Level(12)),
    80,
)

SKILLS: Mapping[str, Skill] = {
    "schlangennest": _NEST,
    "snekagon": _HEX,
    "snekagon5g": _SEVERAL_BOARDS,
    "sssnake": _SSSNAKE,
    "carnival": _CARNIVAL,
}
BY_THE_BOOK = Skill(
    Depth(inner=8, sampled=3, horizon=4),
    (Level(2, True), Level(8, True), Level(), Level(looks=4)),
    8,
)
"""Search parameters for the options that only ``BookWorld`` plays."""
