"""Search world of Schlangennest: what the snakes of a position are worth to each seat.

Rules are the rule book's.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from engine.game import Move
from engine.nest.laying import Laying, fitting, layings
from engine.nest.position import FIELD_SHAPES, Box, NestPosition, stretched
from engine.nest.turns import can_act, colour_actions, colours_due, made, may_go_on, turned_over
from engine.play.world import Token, World, lead
from engine.snakes import Chain, join

OPEN_END = 2.0
"""The worth of an end that can grow, in strands; measured against 1, 1.5 and 3."""
LAST_END = 1.0
"""The worth of an end at which only a cap has room, in strands."""

Way = tuple[Token, list[Chain]]
"""A move and the chains that will run over its card; the move is a cell and a card, or a move of
the records."""


class NestWorld(World):
    """A position of Schlangennest."""

    scale = 3.0

    def __init__(self, position: NestPosition) -> None:
        self.position = position.copy()
        self.seats = len(position.players)
        self._moves: list[Token] | None = None
        self._joined: dict[Token, list[Chain]] = {}
        """The chains over the cards that were weighed last."""
        self._others: dict[Box | None, float] = {}
        """By bounds of the cards: what the snakes of the best other are worth."""

    @property
    def turn(self) -> int:
        """The seat to move."""
        return self.position.players.index(self.position.to_move)

    def copy(self) -> NestWorld:
        """Return a copy to play on."""
        other = NestWorld(self.position)
        other._moves = self._moves
        return other

    # --- moves ---------------------------------------------------------------------------------

    def is_over(self) -> bool:
        """Say whether nobody can move."""
        if self._moves is not None:
            return not self._moves
        return not (any(True for _ in self._ways(None)) or self._stuck())

    def moves(self) -> list[Token]:
        """Return the legal moves: a lone pass for a stuck seat, nothing if all are stuck."""
        if self._moves is None:
            self._moves = [token for token, _ in self._ways(None)] or self._stuck()
        return self._moves

    def _stuck(self) -> list[Token]:
        """Return the pass of a seat that cannot move, if another can."""
        at = self.position
        if any(can_act(at.of(player)) for player in at.players if player != at.to_move):
            return [Move(at.to_move, "pass")]
        return []

    def prospects(self, rng: random.Random, most: int | None = None) -> list[tuple[float, Token]]:
        """Return the legal moves, each with the lead that it gives."""
        ways = self._ways(None if most is None else rng)
        self._joined = dict(islice(ways, most))
        found = [(self._lead_after(*way), way[0]) for way in self._joined.items()]
        return found or [(lead(self.standing(), self.turn), token) for token in self._stuck()]

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
            goes_on = may_go_on(at)
            at.grow(cell, laid, joined or join(at.web, cell, laid))
            self.position = turned_over(at, may_go_on=goes_on)

    # --- what it is worth ----------------------------------------------------------------------

    def _lead_after(self, token: Token, joined: list[Chain]) -> float:
        """Return the mover's lead after a move, without making the move."""
        if isinstance(token, Move):
            after, seat = self.copy(), self.turn
            after.play(token, random.Random(0))
            return lead(after.standing(), seat)
        cell, laid = token
        at = self.position
        mover, colours = at.to_move, at.agreed.colours
        box = stretched(at.bounds, cell) if laid.kind.shape in FIELD_SHAPES else at.bounds
        grown: dict[str, Chain] = {}
        for chain in joined:
            for colour in chain.colours:
                grown[colour] = chain
        worth = self._worth_of(mover, box, grown)
        for colour in grown:
            if colour not in colours[mover]:
                # Its grey lengthens another's snake.
                return worth - max([self._worth_of(p, box, grown) for p in colours if p != mover])
        best = self._others.get(box)
        if best is None:
            best = max([self._worth_of(p, box, {}) for p in colours if p != mover])
            self._others[box] = best
        return worth - best

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
        return [self._worth_of(player, at.bounds, {}) for player in at.players]

    def _worth_of(self, player: str, box: Box | None, grown: Mapping[str, Chain]) -> float:
        """Return what a player's snakes are worth within bounds, after some of them have grown."""
        worth, at = 0.0, self.position
        snakes, has_room = at.web.snakes, at.agreed.field.has_room
        for colour in at.agreed.colours[player]:
            snake = grown[colour] if colour in grown else _longest(snakes.get(colour, ()))
            if snake is None:
                worth += 2 * OPEN_END
                continue
            worth += snake.length
            for cell, _ in snake.ends:
                # At an end outside the field only a cap has room.
                worth += OPEN_END if has_room(box, cell) else LAST_END
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
    draw = rng.random
    for left in range(len(cards), 0, -1):
        number = int(draw() * left)
        drawn = cards[number]
        cards[number] = cards[left - 1]
        yield drawn


def _longest(pieces: tuple[Chain, ...]) -> Chain | None:
    """Return the piece of a snake that counts: the longest, should people have let it break."""
    if len(pieces) < 2:
        return pieces[0] if pieces else None
    return max(pieces, key=lambda piece: piece.length)
