"""Input and output of the player: a budget, what a seat knows, ranked moves."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from engine.game import Move

Need = Literal["roll", "draw"]
"""What the table must do before the player to move has a choice."""

LOOKS_BETWEEN_GLANCES = 4
"""The clock and ``Budget.stop`` are polled once in this many looks."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of a search: looks (simulations), seconds, or a stop callback."""

    looks: int | None = None
    """The number of looks; a budget of looks alone makes the answer reproducible."""
    seconds: float | None = None
    stop: Callable[[], bool] | None = None
    """Polled between looks; true ends the search with the best move so far."""


class Watch:
    """Counts looks against a budget."""

    def __init__(self, budget: Budget) -> None:
        self.looks = 0
        self._budget = budget
        self._ends_at = None if budget.seconds is None else time.monotonic() + budget.seconds

    def goes_on(self) -> bool:
        """Say whether there is room for one more look, and count it."""
        budget = self._budget
        if budget.looks is not None and self.looks >= budget.looks:
            return False
        if self.looks % LOOKS_BETWEEN_GLANCES == 0:
            if self._ends_at is not None and time.monotonic() >= self._ends_at:
                return False
            if budget.stop is not None and budget.stop():
                return False
        self.looks += 1
        return True


def _nothing() -> Mapping[str, tuple[str, ...]]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Seat:
    """What the player to move knows apart from the table."""

    hands: Mapping[str, tuple[str, ...]] = field(default_factory=_nothing)
    """Carnival: the tiles of every known hand, by player."""


@dataclass(frozen=True, slots=True)
class Idea:
    """A move worth trying."""

    move: Move
    value: float
    """The expected result for the mover: 1 for a sure win, divided among tied winners."""
    share: float
    """The share of all looks that tried this move."""


@dataclass(frozen=True, slots=True)
class Thought:
    """The result of thinking: ideas, best move first, and expected results."""

    ideas: tuple[Idea, ...] = ()
    looked_at: int = 0
    expected: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    """The expected result of each player if the best move is made."""
    line: tuple[Move, ...] = ()
    """The principal variation: the best move and its likely continuation."""
    needs: Need | None = None
    """What the table must do before the player to move has a choice."""

    @property
    def best(self) -> Move | None:
        """The move to make, where there is one."""
        return self.ideas[0].move if self.ideas else None


def expected_for(players: Sequence[str], shares: Sequence[float]) -> Mapping[str, float]:
    """Return the expected results by player."""
    return MappingProxyType(dict(zip(players, shares, strict=True)))
