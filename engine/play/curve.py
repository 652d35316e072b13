"""Calibration of search values to the shares of games that were really won.

The search averages over moves that it only explored, so its values lie too near the middle. A
curve for each game corrects them, depending on the game's progress. Curves are monotonic, so no
move changes its rank. ``python -m models.lab.evaluate.play_curve`` fits them to games of the player
against itself and writes ``curves.json``; the numbers are not edited by hand.
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
"""Values are clamped to this distance from 0 and 1: no unfinished game counts as certain."""
FLATTEST = 0.05


@dataclass(frozen=True, slots=True)
class Curve:
    """The calibration curve of one game, linear in log-odds."""

    shift: float = 0.0
    """The offset of the player to move, in log-odds."""
    early: float = 1.0
    late: float = 1.0
    """``early`` and ``late``: the slope in log-odds on an empty table and at the end of a game."""
    tiles: float = 1.0
    """The number of tiles per seat on the table at the end of a game."""

    def share(self, value: float, seats: int, laid: int) -> float:
        """Return the share of games won from positions with this value and ``laid`` tiles."""
        fair = -log(seats - 1)
        odds = self.shift + self.slope(seats, laid) * (log_odds(value) - fair)
        return 1 / (1 + exp(-odds - fair))

    def slope(self, seats: int, laid: int) -> float:
        """Return the slope in log-odds with ``laid`` tiles on the table."""
        part = min(1.0, laid / (seats * self.tiles))
        return max(FLATTEST, self.early + (self.late - self.early) * part)


def log_odds(value: float) -> float:
    """Return a chance as log-odds, clamped so that 0 and 1 stay finite."""
    sure = min(1 - LEAST, max(LEAST, value))
    return log(sure / (1 - sure))


@cache
def curves() -> Mapping[str, Curve]:
    """Return the curve of each game that has one."""
    told = json.loads(FILE.read_text(encoding="utf-8"))["curves"]
    return {name: Curve(**numbers) for name, numbers in told.items()}


def put_right(curve: Curve, expected: Sequence[float], turn: int, laid: int) -> list[float]:
    """Return calibrated results: the mover's by the curve, the others' scaled in proportion."""
    mine = curve.share(expected[turn], len(expected), laid)
    rest = 1 - expected[turn]
    others = (1 - mine) / (len(expected) - 1)
    return [
        mine if seat == turn else (1 - mine) * value / rest if rest > 0 else others
        for seat, value in enumerate(expected)
    ]
