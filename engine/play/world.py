"""A game as the search sees it: seats by number, positions that change in place, cheap looks."""

from __future__ import annotations

import random
from collections.abc import Hashable, Sequence
from math import exp, log
from typing import Any, Protocol

from engine.game import Move

Token = Any
"""A move in a world's own short form, good as a key."""


class World(Protocol):
    """A position to search from; every rule that it keeps is the rule book's."""

    @property
    def seats(self) -> int:
        """How many play."""
        ...

    @property
    def turn(self) -> int:
        """Whose turn it is, counted from 0 in the order of the players."""
        ...

    @property
    def scale(self) -> float:
        """So many points of lead make a win about 73 % sure."""
        ...

    @property
    def hides(self) -> bool:
        """Whether draws or hands differ from look to look."""
        ...

    @property
    def omen(self) -> Hashable:
        """What chance brought since the last move: looks that differ in it are kept apart."""
        ...

    def deal(self, rng: random.Random) -> World:
        """Return a copy to play on, with everything hidden dealt by chance."""
        ...

    def prospects(self, rng: random.Random, most: int | None = None) -> list[tuple[float, Token]]:
        """Return the legal moves, each with what its player may hope for, in points.

        A lone pass when stuck, nothing when it is over. With ``most``, a sample of so many.
        """
        ...

    def play(self, token: Token, rng: random.Random) -> None:
        """Make a move; what then is drawn or rolled is drawn by ``rng``."""
        ...

    def is_over(self) -> bool:
        """Say whether nobody can move."""
        ...

    def standing(self) -> list[float]:
        """Return how every seat stands, in points with what may still come."""
        ...

    def points(self) -> Sequence[float]:
        """Return the score of every seat as it is; fewer is worse."""
        ...

    def move(self, token: Token) -> Move:
        """Return a move of whose turn it is in the form of the records."""
        ...


def shares(points: Sequence[float]) -> list[float]:
    """Return the result of a finished game: a win is 1, and ties share it."""
    best = max(points)
    winners = sum(1 for score in points if score == best)
    return [1 / winners if score == best else 0.0 for score in points]


def chances(standing: Sequence[float], scale: float) -> list[float]:
    """Return each seat's chance to win, from how the seats stand."""
    best = max(standing)
    weights = [exp((value - best) / scale) for value in standing]
    total = sum(weights)
    return [weight / total for weight in weights]


def ahead(standing: Sequence[float], seat: int, scale: float) -> float:
    """Return how far a seat is ahead of all others together; of one other, its lead over it.

    Whoever wants to be first alone must be ahead of everybody, so that each of them counts, the
    nearest most.
    """
    others = [value for i, value in enumerate(standing) if i != seat]
    best = max(others)
    if len(others) == 1:
        return standing[seat] - best
    return standing[seat] - best - scale * log(sum(exp((v - best) / scale) for v in others))


def lead(standing: Sequence[float], seat: int) -> float:
    """Return how far a seat is ahead of the best other one."""
    return standing[seat] - max(value for i, value in enumerate(standing) if i != seat)
