"""Logistic model of the part of its stock that a snake of hexes will still use.

``python -m models.lab.training.growth`` fits the weights to games of the machine and of greedy
players and writes them to ``growth.json``; they are not edited by hand.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import exp
from operator import mul
from pathlib import Path

FILE = Path(__file__).with_name("growth.json")
SIGNS = (
    "always",
    "log2 of the ways",
    "doors",
    "drills",
    "open ends",
    "own tiles",
    "tiles of another",
    "until its turn",
)
"""The features of the growth model, in the order of its weights."""


@dataclass(frozen=True, slots=True)
class Growth:
    """The growth model of one game."""

    weights: tuple[float, ...]
    scale: float
    """The expected lead in hexes that makes a win about 73 % likely when all tiles are laid."""
    a_tile: float
    """Hexes added to ``scale`` for each tile that a seat has left on average."""

    def scale_with(self, tiles: float) -> float:
        """Return the logistic scale of a lead, in hexes, with ``tiles`` left per seat."""
        return self.scale + self.a_tile * tiles

    def share(self, signs: Sequence[float]) -> float:
        """Return the part of the stock, 0 to 1, that the longest snake is expected to use."""
        odds = sum(map(mul, self.weights, signs))
        return 1 / (1 + exp(-odds)) if odds > -60.0 else 0.0


@cache
def growths() -> Mapping[str, Growth]:
    """Return the growth model of each hex game."""
    told = json.loads(FILE.read_text(encoding="utf-8"))["games"]
    return {
        name: Growth(tuple(one["weights"]), one["scale"], one["a_tile"])
        for name, one in told.items()
    }
