"""Search world of Schlangennest: what the snakes of a position are worth to each seat.

Rules are the rule book's.
"""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterator, Sequence
from itertools import islice

from engine.game import Move
from engine.nest.laying import Laying, fitting, layings
from engine.nest.position import Box, NestPosition, stretched
from engine.nest.turns import can_act, colour_actions, colours_due, made, turned_over
from engine.play.world import Token, lead
from engine.snakes import Chain

OPEN_END = 2.0
"""The worth of an end that can grow, in strands; measured against 1, 1.5 and 3."""
LAST_END = 1.0
"""The worth of an end at which only a cap has room, in strands."""

Way = tuple[Token, list[Chain]]
"""A move and the chains that will run over its card; the move is a cell and a card, or a move of
the records."""


class NestWorld:
    """A position of Schlangennest."""

    hides = False
    omen: Hashable = None
    scale = 3.0

    def __init__(self, position: NestPosition) -> None:
        self.position = position
        self.seats = len(position.players)
        self._moves: list[Token] | None = None
        self._joined: dict[Token, list[Chain]] = {}
        """The chains over the cards that were weighed last."""
        self._others: dict[Box | None, list[float]] = {}
        """By bounds of the cards: what the snakes of the others are worth."""

    @property
    def turn(self) -> int:
        """The seat to move."""
        return self.position.players.index(self.position.to_move)

    def deal(self, rng: random.Random) -> NestWorld:
        """Return a copy; nothing is hidden."""
        return self.copy()

    def copy(self) -> NestWorld:
        """Return a copy to play on."""
        other = NestWorld(self.position)
        other._moves = self._moves
        return other

    # --- moves ---------------------------------------------------------------------------------

    def is_over(self) -> bool:
        """Say whether nobody can move."""
        return not self.moves() if self._moves is not None else not self._anybody_can_act()

    def _anybody_can_act(self) -> bool:
        at = self.position
        others = (player for player in at.players if player != at.to_move)
        return any(True for _ in self._ways(None)) or any(can_act(at.of(who)) for who in others)

    def moves(self) -> list[Token]:
        """Return the legal moves: a lone pass for a stuck seat, nothing if all are stuck."""
        if self._moves is None:
            self._moves = [token for token, _ in self._ways(None)] or self._stuck()
        return self._moves

    def _stuck(self) -> list[Token]:
        return [Move(self.position.to_move, "pass")] if self._anybody_can_act() else []

    def prospects(self, rng: random.Random, most: int | None = None) -> list[tuple[float, Token]]:
        """Return the legal moves, each with the lead that it gives."""
        ways = self._ways(None if most is None else rng)
        self._joined = dict(islice(ways, most))
        seat = self.turn
        found = [(self._lead_after(*way, seat), way[0]) for way in self._joined.items()]
        return found or [(lead(self.standing(), seat), token) for token in self._stuck()]

    def _ways(self, rng: random.Random | None) -> Iterator[Way]:
        """Yield the legal moves, with ``rng`` in random order."""
        at = self.position
        for colour in colours_due(at):
            if at.is_loop(colour):
                yield from ((move, []) for move in colour_actions(at, colour))
                continue
            cards = layings(at, colour)
            yield from fitting(at, cards if rng is None else _at_random(cards, rng))

    def play(self, token: Token, rng: random.Random) -> None:
        """Make a move."""
        at, joined = self.position, self._joined.get(token)
        self._moves, self._joined, self._others = None, {}, {}
        if isinstance(token, Move):
            self.position = made(at, token)
        else:
            cell, laid = token
            self.position = turned_over(at, at.with_card(cell, laid, joined))

    # --- what it is worth ----------------------------------------------------------------------

    def _lead_after(self, token: Token, joined: list[Chain], seat: int) -> float:
        """Return a seat's lead after a move, without making the move."""
        if isinstance(token, Move):
            after = self.copy()
            after.play(token, random.Random(0))
            return lead(after.standing(), seat)
        cell, laid = token
        at = self.position
        box = stretched(at.bounds, cell) if at.agreed.is_judged(laid) else at.bounds
        return self._worth_of(at.to_move, box, joined) - max(self._worth_of_others(box, joined))

    def _worth_of_others(self, box: Box | None, joined: Sequence[Chain]) -> Sequence[float]:
        at = self.position
        own = at.agreed.colours[at.to_move]
        others = [player for player in at.players if player != at.to_move]
        for snake in joined:
            if snake.colours and not snake.colours.issubset(own):
                # Its grey lengthens another's snake.
                return [self._worth_of(player, box, joined) for player in others]
        if box not in self._others:
            self._others[box] = [self._worth_of(player, box) for player in others]
        return self._others[box]

    def points(self) -> Sequence[float]:
        """Return the length of every seat's snakes."""
        at = self.position
        return [
            sum(snake.length for c in own if (snake := _longest(at.web.of_colour(c))))
            for own in at.agreed.colours.values()
        ]

    def standing(self) -> list[float]:
        """Return the worth of every seat's snakes in strands: their lengths and open ends."""
        at = self.position
        return [self._worth_of(player, at.bounds) for player in at.players]

    def _worth_of(self, player: str, box: Box | None, joined: Sequence[Chain] = ()) -> float:
        """Return what a player's snakes are worth, after some of them have grown."""
        worth, snakes = 0.0, self.position.web.snakes
        for colour in self.position.agreed.colours[player]:
            snake = _longest(snakes.get(colour, ()))
            for grown in joined:
                if colour in grown.colours:
                    snake = grown
            worth += self._worth(snake, box)
        return worth

    def _worth(self, snake: Chain | None, box: Box | None) -> float:
        """Return what a snake is worth; at an end outside the field only a cap has room."""
        if snake is None:
            return 2 * OPEN_END
        worth = float(snake.length)
        holds = self.position.agreed.field.holds
        for cell, _ in snake.ends:
            worth += OPEN_END if holds(stretched(box, cell)) else LAST_END
        return worth

    # --- to the rule book ------------------------------------------------------------------------

    def move(self, token: Token) -> Move:
        """Return a move in the form of the records."""
        if isinstance(token, Move):
            return token
        cell, laid = token
        return Move(self.position.to_move, "place", laid.tile, cell, laid.turns)


def _at_random(cards: list[Laying], rng: random.Random) -> Iterator[Laying]:
    """Yield the cards in random order; few of them are asked for."""
    for left in range(len(cards), 0, -1):
        number = int(rng.random() * left)
        cards[number], cards[left - 1] = cards[left - 1], cards[number]
        yield cards[left - 1]


def _longest(pieces: tuple[Chain, ...]) -> Chain | None:
    """Return the piece of a snake that counts: the longest, should people have let it break."""
    if len(pieces) < 2:
        return pieces[0] if pieces else None
    return max(pieces, key=lambda piece: piece.length)
