"""How much of its stock a snake of hexes will still take up, told from how it lies.

The numbers stand in ``growth.json``, fitted to games of the machine and of greedy players by
``python -m models.training.growth``; nobody writes them by hand.
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
SIGNS = ("always", "log2 of the ways", "doors", "drills", "open ends", "own tiles",
         "tiles of another", "until its turn")  # fmt: skip
"""What a snake's growth is told from, in this order."""


@dataclass(frozen=True, slots=True)
class Growth:
    """The weights of one game."""

    weights: tuple[float, ...]
    scale: float
    """So many hexes of expected lead make a win about 73 % sure when all tiles are laid."""
    a_tile: float
    """So many more for each tile that a seat has left."""

    def scale_with(self, tiles: float) -> float:
        """Return what a lead is measured by while seats have so many tiles left on average."""
        return self.scale + self.a_tile * tiles

    def share(self, signs: Sequence[float]) -> float:
        """Return the part of the stock that the longest snake will take up."""
        odds = sum(map(mul, self.weights, signs))
        return 1 / (1 + exp(-odds)) if odds > -60.0 else 0.0


@cache
def growths() -> Mapping[str, Growth]:
    """Return the growth of each hex game."""
    told = json.loads(FILE.read_text(encoding="utf-8"))["games"]
    return {
        name: Growth(tuple(one["weights"]), one["scale"], one["a_tile"])
        for name, one in told.items()
    }
