"""Search world that asks the rule book about every move: slow, but correct for every option."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from engine.game import AnyGame, Move
from engine.play.world import Token, World, lead

UNREACHABLE = -40.0
"""The score of a snake that can no longer be closed."""
MOST_WEIGHED = 60
"""The maximum number of moves evaluated; of more, a random sample is taken."""


class BookWorld(World):
    """A position of a rule book."""

    scale = 3.0

    def __init__(self, game: AnyGame, position: Any) -> None:
        self.game = game
        self.position = position
        self.seats = len(position.players)
        self._moves: list[Move] | None = None

    @property
    def turn(self) -> int:
        """The seat to move."""
        players: tuple[str, ...] = self.position.players
        return players.index(self.position.to_move)

    def copy(self) -> BookWorld:
        """Return a copy to play on."""
        other = BookWorld(self.game, self.position)
        other._moves = self._moves
        return other

    def moves(self) -> list[Move]:
        """Return the legal moves of the player to move; if there are none, of anybody."""
        if self._moves is None:
            legal = self.game.legal_moves(self.position)
            own = [move for move in legal if move.player == self.position.to_move]
            self._moves = own or legal
        return self._moves

    def prospects(self, rng: random.Random, most: int | None = None) -> list[tuple[float, Token]]:
        """Return the legal moves, each with the lead that it gives."""
        moves, most = self.moves(), min(most or MOST_WEIGHED, MOST_WEIGHED)
        if len(moves) > most:
            moves = rng.sample(moves, most)
        seat = self.turn
        return [
            (lead(self._points_after(self.game.apply(self.position, move)), seat), move)
            for move in moves
        ]

    def play(self, token: Token, rng: random.Random) -> None:
        """Make a move."""
        assert isinstance(token, Move)
        self.position = self.game.apply(self.position, token)
        self._moves = None

    def is_over(self) -> bool:
        """Say whether the game is over."""
        return not self.moves()

    def points(self) -> Sequence[float]:
        """Return the scores."""
        return self._points_after(self.position)

    def standing(self) -> list[float]:
        """Return the scores: the rule book estimates no future gains."""
        return list(self.points())

    def _points_after(self, position: Any) -> list[float]:
        scores = self.game.outcome(position).scores.values()
        return [UNREACHABLE if score is None else float(score) for score in scores]
