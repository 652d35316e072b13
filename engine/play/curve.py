"""What a stated result is worth: search values as the shares of games that were really won.

The search averages over moves that it only tried, so its values lie too near the middle. A curve
for each game puts them right, by how far the game has come. It rises with the value, so that no
move changes its rank. Its numbers stand in ``curves.json``, fitted to games of the player against
itself by ``python -m models.evaluate.play_curve``; nobody writes them by hand.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import exp, log
from pathlib import Path

FILE = Path(__file__).with_name("curves.json")
LEAST = 0.001
"""No search is surer than that of a game that is still on."""
FLATTEST = 0.05


@dataclass(frozen=True, slots=True)
class Curve:
    """How surely the values of a game's search come true, by how far the game has come."""

    shift: float = 0.0
    """What whose turn it is gains on the stated value, in log-odds."""
    early: float = 1.0
    late: float = 1.0
    """How much steeper than stated: on an empty table, and on one as full as games end."""
    tiles: float = 1.0
    """So many tiles for each seat lie there when games end."""

    def share(self, value: float, seats: int, laid: int) -> float:
        """Return the share of games won from positions with this value, ``laid`` tiles lying."""
        fair = -log(seats - 1)
        odds = self.shift + self.slope(seats, laid) * (log_odds(value) - fair)
        return 1 / (1 + exp(-odds - fair))

    def slope(self, seats: int, laid: int) -> float:
        """Return how much steeper than stated it is when so many tiles lie there."""
        part = min(1.0, laid / (seats * self.tiles))
        return max(FLATTEST, self.early + (self.late - self.early) * part)


def log_odds(value: float) -> float:
    """Return a chance as log-odds; a sure one is taken for nearly sure."""
    sure = min(1 - LEAST, max(LEAST, value))
    return log(sure / (1 - sure))


@cache
def curves() -> Mapping[str, Curve]:
    """Return the curve of each game that has one."""
    told = json.loads(FILE.read_text(encoding="utf-8"))["curves"]
    return {name: Curve(**numbers) for name, numbers in told.items()}


def put_right(curve: Curve, expected: Sequence[float], turn: int, laid: int) -> list[float]:
    """Return what everybody may expect; what whose turn it is gains, the others lose alike."""
    mine = curve.share(expected[turn], len(expected), laid)
    rest = 1 - expected[turn]
    others = (1 - mine) / (len(expected) - 1)
    return [
        mine if seat == turn else (1 - mine) * value / rest if rest > 0 else others
        for seat, value in enumerate(expected)
    ]
