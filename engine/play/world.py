"""What the search asks of a game: numbered seats, mutable positions, cheap evaluations."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from math import exp, log
from typing import Any

from engine.game import Move

Token = Any
"""A move in a world's own compact form; hashable."""


class World(ABC):
    """A position to search from; rules and scores are the rule book's."""

    seats: int
    """The number of players."""
    hides = False
    """Whether draws or hands are dealt differently for every look."""
    omen: Hashable = None
    """The roll or draw after the last move; the tree has one child node for each outcome."""

    @property
    @abstractmethod
    def turn(self) -> int:
        """The seat to move, counted from 0 in the order of the players."""

    @property
    @abstractmethod
    def scale(self) -> float:
        """The lead in points that makes a win about 73 % likely (the logistic scale)."""

    def deal(self, rng: random.Random) -> World:
        """Return a copy to play on, with everything hidden dealt at random."""
        return self.copy()

    @abstractmethod
    def copy(self) -> World:
        """Return a copy to play on."""

    @abstractmethod
    def prospects(self, rng: random.Random, most: int | None = None) -> list[tuple[float, Token]]:
        """Return the legal moves, each with its static evaluation for the seat to move, in points.

        A stuck seat has a lone pass; a finished game has no moves. ``most`` allows a random sample.
        """

    @abstractmethod
    def play(self, token: Token, rng: random.Random) -> None:
        """Make a move in place; ``rng`` decides the rolls and draws that follow."""

    @abstractmethod
    def is_over(self) -> bool:
        """Say whether nobody can move."""

    @abstractmethod
    def standing(self) -> list[float]:
        """Return the evaluation of every seat in points: its score plus expected gains."""

    @abstractmethod
    def points(self) -> Sequence[float]:
        """Return the current score of every seat; more is better."""

    def move(self, token: Token) -> Move:
        """Return a token of the seat to move as a move of the records, which it may be already."""
        assert isinstance(token, Move)
        return token


def shares(points: Sequence[float]) -> list[float]:
    """Return the result of a finished game: a win is 1, and ties share it."""
    best = max(points)
    winners = sum(1 for score in points if score == best)
    return [1 / winners if score == best else 0.0 for score in points]


def chances(standing: Sequence[float], scale: float) -> list[float]:
    """Return each seat's chance to win: the softmax of the standings at a scale in points."""
    best = max(standing)
    weights = [exp((value - best) / scale) for value in standing]
    total = sum(weights)
    return [weight / total for weight in weights]


def ahead(standing: Sequence[float], seat: int, scale: float) -> float:
    """Return a seat's lead over the soft maximum (log-sum-exp) of all other seats, in points.

    A sole win needs a lead over everybody, so every other seat counts, the nearest most. With one
    other seat this is the plain lead.
    """
    others = [value for i, value in enumerate(standing) if i != seat]
    best = max(others)
    if len(others) == 1:
        return standing[seat] - best
    return standing[seat] - best - scale * log(sum(exp((v - best) / scale) for v in others))


def lead(standing: Sequence[float], seat: int) -> float:
    """Return how far a seat is ahead of the best other one."""
    return standing[seat] - max([value for i, value in enumerate(standing) if i != seat])
