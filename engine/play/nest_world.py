"""Search world of Schlangennest: the ends of all chains, updated card by card.

Strands are not traced: a chain is its length, colour and two ends, and a card joins the chains
that meet at its cell. Loops are rare, so the rule book itself opens them.
"""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from types import MappingProxyType

from engine.game import Move
from engine.games.schlangennest import Schlangennest
from engine.lattice import Cell, cells_around, square_neighbours
from engine.nest.loops import opening_turns, tail_swaps
from engine.nest.position import COLOURS, SHAPES, Agreed, Box, NestPosition, stretched
from engine.play.world import Token, lead
from engine.snakes import Card, card
from engine.tiles import GREY, TileKind, TileSet

EndKey = tuple[Cell, int]
"""An empty cell, and the edge of it that a chain's end faces."""
NOBODY = -1
STRAIGHT, CURVE, TAIL, HEAD = range(4)
PASS = "pass"

OPEN_END = 2.0
"""The worth of an end that can grow, in strands; measured against 1, 1.5 and 3."""
LAST_END = 1.0
"""The worth of an end at which only a cap has room, in strands."""


class Chain:
    """Connected strands: length, colour, open ends, and the number of caps."""

    __slots__ = ("caps", "colour", "ends", "length")

    def __init__(self, length: int, colour: int, ends: tuple[EndKey, ...], caps: int) -> None:
        self.length = length
        self.colour = colour
        self.ends = ends
        self.caps = caps


Way = tuple[Token, list[Chain]]
"""A move, and the chains that will run over its card."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The constants of one game."""

    box: TileSet
    agreed: Agreed
    colours: tuple[int, ...]
    """The colour of each seat, as a number."""
    seat_of: tuple[int, ...]
    """The seat of each colour, -1 for nobody's."""
    crowds: bool
    """Whether there are enough colours on the table for a crowd."""
    cards: tuple[tuple[tuple[tuple[Card, ...], ...], ...], ...]
    """By colour, shape and edge met: the ways to lay a card so that its strand meets the edge."""
    all_ways: tuple[tuple[tuple[Card, ...], ...], ...]
    """By colour and shape: all ways to lay a card."""


class NestWorld:
    """Cards and open ends in the game of one snake each."""

    hides = False
    omen: Hashable = None
    scale = 3.0

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.seats = len(terms.colours)
        self.turn = 0
        self.cards: dict[Cell, Card] = {}
        self.open: dict[EndKey, Chain] = {}
        self.snakes: list[Chain | None] = [None] * len(COLOURS)
        self.left: list[list[int]] = []
        self.bounds: Box | None = None
        self._moves: list[Token] | None = None

    def deal(self, rng: random.Random) -> NestWorld:
        """Return a copy; nothing is hidden."""
        return self.copy()

    def copy(self) -> NestWorld:
        """Return a copy to play on."""
        other = NestWorld.__new__(NestWorld)
        other.terms, other.seats, other.turn = self.terms, self.seats, self.turn
        other.cards = self.cards.copy()
        other.open = self.open.copy()
        other.snakes = self.snakes.copy()
        other.left = [row.copy() for row in self.left]
        other.bounds = self.bounds
        other._moves = self._moves
        return other

    # --- moves ---------------------------------------------------------------------------------

    def is_over(self) -> bool:
        """Say whether nobody can move."""
        if self._moves is not None:
            return not self._moves
        order = range(self.turn, self.turn + self.seats)
        return not any(self.can_move(seat % self.seats) for seat in order)

    def moves(self) -> list[Token]:
        """Return the legal moves: a lone pass for a stuck seat, nothing if all are stuck."""
        if self._moves is None:
            self._moves = [token for token, _ in self._moves_of(self.turn)] or self._stuck()
        return self._moves

    def _stuck(self) -> list[Token]:
        others = (seat for seat in range(self.seats) if seat != self.turn)
        return [PASS] if any(self.can_move(seat) for seat in others) else []

    def can_move(self, seat: int) -> bool:
        """Say whether a seat could move if it were its turn."""
        return any(True for _ in self._moves_of(seat))

    def prospects(self, rng: random.Random, most: int | None = None) -> list[tuple[float, Token]]:
        """Return the legal moves, each with the lead that it gives."""
        ways = self._moves_of(self.turn, None if most is None else rng)
        found = [(self._lead_after(*way), way[0]) for way in islice(ways, most)]
        return found or [(lead(self.standing(), self.turn), token) for token in self._stuck()]

    def _lead_after(self, token: Token, joined: list[Chain]) -> float:
        """Return the mover's lead after a move, without making the move."""
        seat = self.turn
        do, cell, turns = token
        if isinstance(do, str):
            after = self.copy()
            after._play_by_the_book(do, cell, turns)
            return lead(after.standing(), seat)
        snakes = self.snakes
        for chain in joined:
            if chain.colour != NOBODY:
                snakes = snakes.copy()
                snakes[chain.colour] = chain
        bounds = stretched(self.bounds, cell) if do <= CURVE else self.bounds
        return lead([self._worth(snakes[c], bounds) for c in self.terms.colours], seat)

    def _moves_of(self, seat: int, rng: random.Random | None = None) -> Iterator[Way]:
        """Yield the moves of a seat, with ``rng`` in random order."""
        colour = self.terms.colours[seat]
        snake = self.snakes[colour]
        if snake is None:
            yield from self._first_cards(seat, colour, rng)
        elif snake.ends:
            yield from self._next_cards(seat, colour, snake, rng)
        elif not snake.caps:
            yield from self._openings(seat)

    def _first_cards(self, seat: int, colour: int, rng: random.Random | None) -> Iterator[Way]:
        near = {c for at in self.cards for c in cells_around(at)} - self.cards.keys()
        cells = sorted(near) or [(0, 0)]
        shapes = (TAIL,) if self.terms.agreed.tail_first else range(4)
        ways = [
            (shape, cell, laid)
            for shape in shapes
            if self.left[colour][shape] > 0
            for cell in cells
            for laid in self.terms.all_ways[colour][shape]
        ]
        if rng is not None:
            rng.shuffle(ways)
        for shape, cell, laid in ways:
            joined = self._fits(seat, shape, cell, laid)
            if joined is not None:
                yield (shape, cell, laid.turns), joined

    def _next_cards(
        self, seat: int, colour: int, snake: Chain, rng: random.Random | None
    ) -> Iterator[Way]:
        left, cards = self.left[colour], self.terms.cards[colour]
        ways = [
            (shape, cell, laid)
            for cell, edge in snake.ends
            for shape in range(4)
            if left[shape] > 0
            for laid in cards[shape][edge]
        ]
        if len(snake.ends) == 2 and snake.ends[0][0] == snake.ends[1][0]:
            ways = list(dict.fromkeys(ways))
            closing = self._closing(colour, snake)
            if closing is not None:
                ways = [way for way in ways if self._closes(closing, way[0], way[2])]
        if rng is not None:
            rng.shuffle(ways)
        for shape, cell, laid in ways:
            joined = self._fits(seat, shape, cell, laid)
            if joined is not None:
                yield (shape, cell, laid.turns), joined

    def _openings(self, seat: int) -> Iterator[Way]:
        """Yield the rule book's moves to open a closed loop: turn a curve, else insert the tail."""
        position = self.position(seat)
        colour = COLOURS[self.terms.colours[seat]]
        for move in list(opening_turns(position, colour)) or tail_swaps(position, colour):
            yield (move.do, move.at, move.turns), []

    # --- rules ---------------------------------------------------------------------------------

    def _fits(self, seat: int, shape: int, cell: Cell, laid: Card) -> list[Chain] | None:
        """Return the chains over a card, or ``None`` when it breaks one of rules 1, 4, 5 and 6."""
        if shape <= CURVE and not self.terms.agreed.field.holds(stretched(self.bounds, cell)):
            return None
        joined = self._joined(cell, laid)
        if joined is None:
            return None
        if not self.terms.crowds and not any(
            len(chain.ends) == 2 and chain.ends[0][0] == chain.ends[1][0] for chain in joined
        ):
            return joined
        after = self.copy()
        changed = after._lay(self.terms.colours[seat], shape, cell, laid)
        if self.terms.crowds and after._is_crowded(changed):
            return None
        return None if after._is_unclosable(self, seat, changed) else joined

    def _joined(self, cell: Cell, laid: Card) -> list[Chain] | None:
        """Return the chains that run over a card, or ``None`` when one has two colours (rule 1)."""
        x, y = cell
        beyond = ((x, y - 1), (x + 1, y), (x, y + 1), (x - 1, y))
        ends_here, cards = self.open, self.cards
        found: list[Chain] = []
        by_chain: dict[Chain, Chain] = {}
        for edges, shade, cap in strands_of(laid):
            new = Chain(1, shade, (), cap)
            for edge in edges:
                met = ends_here.get((cell, edge))
                if met is None:
                    if beyond[edge] not in cards:
                        new.ends = (*new.ends, (beyond[edge], edge ^ 2))
                    continue
                old = by_chain.get(met, met)
                if old is new:
                    continue
                if old.colour != NOBODY:
                    if new.colour not in (NOBODY, old.colour):
                        return None
                    new.colour = old.colour
                new.length += old.length
                new.caps += old.caps
                new.ends += tuple([end for end in old.ends if end[0] != cell])
                if old is not met:
                    found.remove(old)
                    for key, value in by_chain.items():
                        if value is old:
                            by_chain[key] = new
                by_chain[met] = new
            found.append(new)
        return found

    def _is_crowded(self, changed: set[Cell]) -> bool:
        """Say whether three snakes reach one cell, or four two adjacent cells (rule 4)."""
        for cell in changed:
            here = self._colours_at(cell)
            if len(here) >= 3:
                return True
            for beside in square_neighbours(cell):
                there = self._colours_at(beside)
                if there and len(here | there) >= 4:
                    return True
        return False

    def _colours_at(self, cell: Cell) -> set[int]:
        found = {self.open[cell, e].colour for e in range(4) if (cell, e) in self.open}
        found.discard(NOBODY)
        return found

    def _duel_at(self, cell: Cell) -> tuple[Chain, Chain] | None:
        """Return the two players' snakes whose four ends all face one cell."""
        ends = [self.open.get((cell, edge)) for edge in range(4)]
        one = ends[0]
        if one is None or None in ends:
            return None
        others = [end for end in ends if end is not one]
        if len(others) != 2 or others[0] is not others[1] or others[0] is None:
            return None
        seat_of = self.terms.seat_of
        for snake in (one, others[0]):
            if snake.colour == NOBODY or seat_of[snake.colour] < 0:
                return None
        return one, others[0]

    def _is_unclosable(self, before: NestWorld, seat: int, changed: set[Cell]) -> bool:
        """Say whether a new duel at adjacent edges leaves its closer without a curve (rule 5)."""
        for cell in changed:
            duel = self._duel_at(cell)
            if duel is None or before._duel_at(cell) is not None:
                continue
            (_, one), (_, other) = duel[0].ends
            if abs(one - other) == 2:
                continue
            rivals = {self.terms.seat_of[snake.colour]: snake.colour for snake in duel}
            order = [(seat + 1 + i) % self.seats for i in range(self.seats)]
            closer = next(rivals[s] for s in order if s in rivals)
            if self.left[closer][CURVE] < 1:
                return True
        return False

    def _closing(self, colour: int, snake: Chain) -> EndKey | None:
        """Return the cell of a duel where a snake must be closed, and the shape that closes it."""
        if len(snake.ends) != 2 or snake.ends[0][0] != snake.ends[1][0]:
            return None
        cell = snake.ends[0][0]
        if self._duel_at(cell) is None:
            return None
        shape = CURVE
        if abs(snake.ends[0][1] - snake.ends[1][1]) == 2:
            shape = STRAIGHT if self.left[colour][STRAIGHT] > 0 else TAIL
        return cell, shape

    def _closes(self, closing: EndKey, shape: int, laid: Card) -> bool:
        cell, wanted = closing
        colour = COLOURS.index(laid.kind.colour or "")
        return shape == wanted and all(
            (chain := self.open.get((cell, edge))) is not None and chain.colour == colour
            for edge in laid.strands[0].edges
        )

    # --- playing -------------------------------------------------------------------------------

    def play(self, token: Token, rng: random.Random) -> None:
        """Make a move."""
        self._moves = None
        if token == PASS:
            self._next_turn()
            return
        do, cell, turns = token
        colour = self.terms.colours[self.turn]
        if isinstance(do, str):
            self._play_by_the_book(do, cell, turns)
            return
        kind = self.terms.box[f"{COLOURS[colour]}/{SHAPES[do]}"]
        self._lay(colour, do, cell, card(kind, turns))
        self._next_turn()

    def _play_by_the_book(self, do: str, cell: Cell, turns: int) -> None:
        after = Schlangennest().apply(self.position(self.turn), self.move((do, cell, turns)))
        fresh = nest_world(after)
        assert fresh is not None
        self.turn, self.cards, self.open = fresh.turn, fresh.cards, fresh.open
        self.snakes, self.left, self.bounds = fresh.snakes, fresh.left, fresh.bounds
        self._moves = None

    def _next_turn(self) -> None:
        """Pass the turn on, skipping seats whose snake is finished."""
        for i in range(1, self.seats + 1):
            seat = (self.turn + i) % self.seats
            snake = self.snakes[self.terms.colours[seat]]
            if snake is None or snake.ends or not snake.caps:
                self.turn = seat
                return
        self.turn = (self.turn + 1) % self.seats

    def _lay(self, colour: int, shape: int, cell: Cell, laid: Card) -> set[Cell]:
        """Lay a card and return the empty cells whose ends have changed."""
        joined = self._joined(cell, laid)
        assert joined is not None
        self.cards[cell] = laid
        self.left[colour][shape] -= 1
        if shape <= CURVE:
            self.bounds = stretched(self.bounds, cell)
        ends_here = self.open
        for edge in range(4):
            ends_here.pop((cell, edge), None)
        changed: set[Cell] = set()
        for chain in joined:
            for end in chain.ends:
                ends_here[end] = chain
                changed.add(end[0])
            if chain.colour != NOBODY:
                self.snakes[chain.colour] = chain
        return changed

    # --- what it is worth ----------------------------------------------------------------------

    def points(self) -> Sequence[float]:
        """Return the length of every seat's snake."""
        snakes = (self.snakes[colour] for colour in self.terms.colours)
        return [0 if snake is None else snake.length for snake in snakes]

    def standing(self) -> list[float]:
        """Return the worth of every seat's snake in strands: its length and its open ends."""
        return [self._worth(self.snakes[colour], self.bounds) for colour in self.terms.colours]

    def _worth(self, snake: Chain | None, bounds: Box | None) -> float:
        """Return what a snake is worth; at an end outside the field only a cap has room."""
        if snake is None:
            return 2 * OPEN_END
        worth = float(snake.length)
        holds = self.terms.agreed.field.holds
        for cell, _ in snake.ends:
            worth += OPEN_END if holds(stretched(bounds, cell)) else LAST_END
        return worth

    # --- to and from the rule book ---------------------------------------------------------------

    def move(self, token: Token) -> Move:
        """Return a move in the form of the records."""
        player = COLOURS[self.terms.colours[self.turn]]
        if token == PASS:
            return Move(player, "pass")
        do, cell, turns = token
        if do == "turn":
            return Move(player, "turn", at=cell, turns=turns)
        if do == "replace":
            return Move(player, "replace", f"{player}/tail", cell, turns)
        return Move(player, "place", f"{player}/{SHAPES[do]}", cell, turns)

    def position(self, seat: int) -> NestPosition:
        """Return the rule book's position with a seat to move."""
        terms = self.terms
        player = COLOURS[terms.colours[seat]]
        return NestPosition(terms.box, terms.agreed, MappingProxyType(dict(self.cards)), player)


def nest_world(position: NestPosition) -> NestWorld | None:
    """Return the world of a position; ``None`` with two snakes each or an irregular set-up."""
    agreed, web = position.agreed, position.web
    odd = position.is_joined or position.is_crowded
    in_pieces = any(len(web.of_colour(player)) > 1 for player in position.players)
    if agreed.two_snakes != "off" or odd or in_pieces:
        return None
    world = NestWorld(_terms(position))
    world.turn = position.players.index(position.to_move)
    world.cards = dict(position.cards)
    for traced in web.chains:
        colour = COLOURS.index(min(traced.colours)) if traced.colours else NOBODY
        ends = tuple(
            (face, edge ^ 2) for face, (_, edge) in zip(traced.faces, traced.ends, strict=True)
        )
        chain = Chain(len(traced.strands), colour, ends, traced.caps)
        for end in ends:
            world.open[end] = chain
        if colour != NOBODY:
            world.snakes[colour] = chain
    world.left = [[position.left(f"{c}/{shape}") for shape in SHAPES] for c in COLOURS]
    world.bounds = position.judged_box
    return world


@cache
def strands_of(laid: Card) -> tuple[tuple[tuple[int, ...], int, int], ...]:
    """Return edges, number of the colour and number of caps of each strand of a card."""
    return tuple(
        (s.edges, NOBODY if s.colour == GREY else COLOURS.index(s.colour), 1 if s.cap else 0)
        for s in laid.strands
    )


def _terms(position: NestPosition) -> Terms:
    lying = {laid.kind.colour for laid in position.cards.values()}
    players = position.players
    ways = tuple(
        tuple(_ways(position.box[f"{colour}/{shape}"]) for shape in SHAPES) for colour in COLOURS
    )
    meeting = tuple(
        tuple(
            tuple(tuple(w for w in row if edge in w.strands[0].edges) for edge in range(4))
            for row in of_colour
        )
        for of_colour in ways
    )
    return Terms(
        position.box,
        position.agreed,
        tuple(COLOURS.index(player) for player in players),
        tuple(players.index(c) if c in players else -1 for c in COLOURS),
        len(lying | set(players)) >= 3,
        meeting,
        ways,
    )


def _ways(kind: TileKind) -> tuple[Card, ...]:
    return tuple(card(kind, turns) for turns in range(kind.period))
