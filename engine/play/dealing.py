"""A game that the machine runs on its own: it rolls, draws and keeps the hidden hands."""

from __future__ import annotations

import random
from typing import Any

from engine.carnival.position import CarnivalPosition
from engine.carnival.setup import HAND
from engine.draws import DIE, SssnakePosition
from engine.game import AnyGame, Move, Start
from engine.play.carnival_world import CarnivalWorld, unseen_tiles
from engine.play.thought import Seat
from engine.play.worlds import needed
from engine.tiles import TileSet


class Dealer:
    """A running game with its hidden state: hands and pile."""

    def __init__(self, game: AnyGame, start: Start, box: TileSet, rng: random.Random) -> None:
        self.game = game
        self.moves_made: list[Move] = []
        self._rng = rng
        self._position: Any = game.opening(start, box)
        self._truth: CarnivalWorld | None = None
        if isinstance(self._position, CarnivalPosition):
            deck = unseen_tiles(self._position, ())
            rng.shuffle(deck)
            hands = [[deck.pop() for _ in range(HAND)] for _ in start.players]
            self._truth = CarnivalWorld(self._position, hands, deck)
        self._luck = rng.getrandbits(64)

    @property
    def position(self) -> Any:
        """The public position."""
        return self._position if self._truth is None else self._truth.table

    @property
    def is_over(self) -> bool:
        """Whether no roll, draw or move is left."""
        if self._truth is not None:
            return self._truth.is_over()
        return not needed(self.game, self.position) and not self.game.legal_moves(self.position)

    def hand(self, player: str) -> tuple[str, ...]:
        """Return the tiles in a player's hand; only Carnival has hands."""
        if self._truth is None:
            return ()
        return tuple(sorted(self._truth.hands[self._truth.table.players.index(player)]))

    def seat(self) -> Seat:
        """Return what the player to move knows apart from the table: the own hand."""
        player = self.position.to_move
        return Seat({player: self.hand(player)} if self._truth is not None else {})

    def legal_moves(self) -> list[Move]:
        """Return the legal moves of the player to move; in Carnival, with tiles in hand."""
        if self._truth is not None:
            return [self._truth.move(token) for _, token in self._truth.prospects(self._rng)]
        return self.game.legal_moves(self.position)

    def turn_up(self) -> Move | None:
        """Roll and draw in Sssnake if a roll is due; return that move, else ``None``.

        The luck of a roll depends on the deal and on the moves before it, so a game that is
        replayed from its seed goes on with new rolls.
        """
        position = self.position
        if not isinstance(position, SssnakePosition) or needed(self.game, position) != "roll":
            return None
        rng = random.Random(self._luck + len(self.moves_made))
        value = rng.choice(DIE)
        left = {tile: count for tile, count in position.left.items() if count > 0}
        drawn = []
        for _ in range(min(value, position.pile)):
            (tile,) = rng.choices(list(left), list(left.values()))
            left[tile] -= 1
            drawn.append(tile)
        roll = Move(position.to_move, "roll", value=value, tiles=tuple(drawn))
        self.make(roll)
        return roll

    def make(self, move: Move) -> None:
        """Apply a legal move."""
        self.moves_made.append(move)
        if self._truth is not None:
            self._truth.play(move, self._rng)
        else:
            self._position = self.game.apply(self._position, move)
