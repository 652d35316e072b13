"""Which game a seed plays: one of the pool, chosen so that a dozen has every kind of foul.

Even seeds are of the side that was looked at, odd ones of the side that is held out.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from models.lab.scenes.games.positions import GAMES_IN_POOL, Played, played
from models.lab.scenes.splits import Split
from tests.live_games.steered import STEERED

WHOLE, JOINED = 12, 2
"""So many games in a row are played from their beginning, then so many are taken up half-way."""


class Cast(NamedTuple):
    """A game in which seldom fouls are possible, or one that is not too long."""

    number: int
    """In its pool."""
    fouls: Mapping[int, str] = MappingProxyType({})
    """Before which moves, counted from 0, which rules are broken; after the last one, too."""


CAST: Mapping[str, Mapping[int, Cast]] = {
    "schlangennest": {
        0: Cast(38, {6: "open-first"}),
        1: Cast(1, {1: "first-touches"}),
        2: Cast(5, {13: "must-close"}),
        3: Cast(0, {4: "four-at-two-places"}),
        4: Cast(0, {17: "cannot-be-closed"}),
        5: Cast(2, {14: "three-at-one-place"}),
        6: Cast(0, {21: "outside-field"}),
        7: Cast(100, {7: "not-the-tail", 11: "not-along"}),
        8: Cast(87, {12: "can-be-opened"}),
        9: Cast(115, {6: "not-your-card", 13: "not-own-curve"}),
        10: Cast(10, {21: "game-over"}),
        11: Cast(140, {15: "still-closed"}),
    },
    "snekagon": {
        3: Cast(32, {0: "first-is-1"}),
        4: Cast(7, {12: "branches"}),
        7: Cast(100, {8: "branches", 13: "touches-itself"}),
        9: Cast(9, {15: "game-over"}),
    },
    "snekagon5g": {
        0: Cast(2, {21: "not-an-end"}),
        3: Cast(100, {23: "other-field"}),
        4: Cast(7),
        5: Cast(44, {22: "boards-apart"}),
        7: Cast(7, {22: "on-eye"}),
        8: Cast(13, {20: "game-over"}),
        9: Cast(0),
        12: Cast(9),
        13: Cast(2),
    },
    "sssnake": {
        0: Cast(130),
        1: Cast(118),
        2: Cast(69, {25: "closes-too-early"}),
        3: Cast(15, {22: "not-feasible"}),
        4: Cast(65),
        5: Cast(24),
        7: Cast(7, {31: "game-over"}),
        8: Cast(54),
        9: Cast(49),
        10: Cast(36),
        11: Cast(107, {68: "not-your-turn"}),
        12: Cast(137),
        13: Cast(75),
    },
    "carnival": {
        0: Cast(139, {8: "two-snakes-joined"}),
        1: Cast(38, {86: "only-heads-and-hats"}),
        2: Cast(54, {92: "heads-before-hats", 93: "hat-in-front"}),
        3: Cast(0, {7: "blocks-an-end"}),
        4: Cast(4, {127: "game-over"}),
    },
}
"""By game and seed within a dozen: in which game of the seed's own pool seldom fouls are possible,
and before which moves. Found by going through the pool with ``find_seldom``.

Sssnake is hardly ever closed by chance: most random games of the pool go on until all 120 cards
are laid. Those here end after 24 to 49 cards, as games of people do; none is cut short. Of
Snekagon 5G, most are games of three or four."""


def split_of(seed: int) -> Split:
    """Return the side of a seed; odd ones are held out."""
    return "held-out" if seed % 2 else "train"


def play_of(seed: int) -> str:
    """Return how the players of a seed choose their moves."""
    return ("random", "greedy")[seed // 2 % 2]


def seldom_of(game_name: str, seed: int) -> Mapping[int, str]:
    """Return the rules that are broken before certain moves of a seed's game."""
    cast = _cast(game_name, seed)
    return {} if cast is None else cast.fouls


def game_of(game_name: str, seed: int) -> Played:
    """Return the game that is played for a seed."""
    cast = _cast(game_name, seed)
    for rule in () if cast is None else cast.fouls.values():
        if cast is not None and rule in STEERED:
            return STEERED[rule](cast.number)
    number = seed % GAMES_IN_POOL if cast is None else cast.number
    return played(game_name, split_of(seed), play_of(seed), number)


def _cast(game_name: str, seed: int) -> Cast | None:
    return CAST.get(game_name, {}).get(seed % (WHOLE + JOINED))
