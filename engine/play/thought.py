"""What goes into the player and what comes out: a budget, what a seat knows, ranked moves."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from engine.game import Move

Need = Literal["roll", "draw"]
"""What has to happen at the table before there is a choice."""

LOOKS_BETWEEN_GLANCES = 4
"""So many looks go by before the clock is read again."""


@dataclass(frozen=True, slots=True)
class Budget:
    """How long to think: so many looks, so many seconds, or until told to stop."""

    looks: int | None = None
    """With looks alone the answer is the same every time."""
    seconds: float | None = None
    stop: Callable[[], bool] | None = None
    """Asked between looks; true ends the thinking with the best so far."""


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
    """What the player to move knows beside the table."""

    hands: Mapping[str, tuple[str, ...]] = field(default_factory=_nothing)
    """Carnival: the tiles in hand, by player, of every hand that lies open."""


@dataclass(frozen=True, slots=True)
class Idea:
    """A move worth trying."""

    move: Move
    value: float
    """The expected result for who makes it: 1 for a sure win, shared where several win."""
    share: float
    """The share of all looks that it was given."""


@dataclass(frozen=True, slots=True)
class Thought:
    """What came of thinking, best move first."""

    ideas: tuple[Idea, ...] = ()
    looked_at: int = 0
    expected: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    """The expected result of each player, before the move."""
    line: tuple[Move, ...] = ()
    """How it may go on, the best move first."""
    needs: Need | None = None
    """What has to happen at the table before there is a choice."""

    @property
    def best(self) -> Move | None:
        """The move to make, where there is one."""
        return self.ideas[0].move if self.ideas else None


def expected_for(players: Sequence[str], shares: Sequence[float]) -> Mapping[str, float]:
    """Return the expected results by player."""
    return MappingProxyType(dict(zip(players, shares, strict=True)))
