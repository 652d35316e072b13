"""What a reader says of a patch: ranked guesses, with how sure they are."""

from __future__ import annotations

from dataclasses import dataclass

from vision.core.types import BACK

MOST_GUESSES = 4
LEAST_CONFIDENCE = 0.001
"""Guesses with a lower confidence are dropped, except the first."""


@dataclass(frozen=True, slots=True)
class CellGuess:
    """One possible reading of one cell, with its turns relative to the patch."""

    tile: str
    cell: int
    turns: int
    confidence: float


@dataclass(frozen=True, slots=True)
class CellReading:
    """Ranked guesses at one cell."""

    guesses: tuple[CellGuess, ...]
    why: str | None = None
    odd: bool = False
    """Whether a part of the card is hidden, or it is no card at all."""
    far: float = 0.0
    """Distance from the nearest look, as a share of the largest one at which a tile is known; above
    1 is a stranger."""

    @property
    def best(self) -> float:
        """Confidence of the first guess; 0 without guesses."""
        return self.guesses[0].confidence if self.guesses else 0.0

    @property
    def is_back(self) -> bool:
        """Whether the first guess is a face-down card."""
        return bool(self.guesses) and self.guesses[0].tile == BACK

    def is_whole(self, least: float) -> bool:
        """Say whether it shows an uncovered card of the box, at least that surely."""
        return self.best >= least and self.why is None and not self.odd
