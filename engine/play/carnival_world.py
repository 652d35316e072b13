"""Search world of Carnival: hands and pile dealt at random, and what a position is worth.

Rules and points are the rule book's; hidden hands are the world's own.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from engine.carnival.laying import LAST_ROUND_TILES, candidates, is_legal
from engine.carnival.position import RESHUFFLES_THAT_BRING_BACK, CarnivalPosition
from engine.carnival.score import points_near, score_lines
from engine.carnival.setup import HAND
from engine.carnival.snakes import PLAIN, Snake
from engine.game import Move
from engine.games.carnival import Carnival
from engine.lattice import Cell, square_neighbours
from engine.play.world import Token, World, lead

BOOK = Carnival()
GROWTH = 4.0
"""The points that a snake with a free end may still gain while all tiles are to come."""
NARROW = 0.8
"""Factor on ``GROWTH`` when the cell before the snake's end has one free neighbour."""
SHUT_IN = 0.35
"""Factor on ``GROWTH`` when the cell before the snake's end has no free neighbour."""


class CarnivalWorld(World):
    """The table with all hands and the pile, each either known or dealt."""

    hides = True

    def __init__(self, table: CarnivalPosition, hands: list[list[str]], pile: list[str]) -> None:
        self.table = table
        self.hands = hands
        self.pile = pile
        self.discard: list[str] = []
        self.seats = len(table.players)
        self.score = [
            sum(line.points for line in score_lines(table, player)) for player in table.players
        ]
        self.knows_hand = True
        """Whether the mover's hand is known; in an analysis of a record it is not."""
        self._after: dict[Move, tuple[CarnivalPosition, list[int]]] = {}
        """The table and the score after the moves that were weighed last."""
        self._before: dict[Cell, dict[str, int]] = {}
        """By cell: what counts near it now."""

    @property
    def turn(self) -> int:
        """The seat to move."""
        return self.table.players.index(self.table.to_move)

    @property
    def scale(self) -> float:
        """The lead in points that makes a win about 73 % likely; from games against itself."""
        return 3.0 + 12.0 * self._share_to_come()

    def copy(self) -> CarnivalWorld:
        """Return a copy to play on."""
        other = CarnivalWorld.__new__(CarnivalWorld)
        other.table, other.seats = self.table, self.seats
        other.hands = [hand.copy() for hand in self.hands]
        other.pile, other.discard = self.pile.copy(), self.discard.copy()
        other.score = self.score
        other.knows_hand, other._after, other._before = self.knows_hand, {}, {}
        return other

    def deal(self, rng: random.Random) -> CarnivalWorld:
        """Return a copy in which everything that the mover does not see is dealt anew."""
        other = self.copy()
        seat = self.turn if self.knows_hand else None
        unseen = [*self.pile, *(t for i, hand in enumerate(self.hands) if i != seat for t in hand)]
        unseen.sort()
        rng.shuffle(unseen)
        for i, hand in enumerate(self.hands):
            if i != seat:
                other.hands[i] = [unseen.pop() for _ in hand]
        other.pile = unseen
        return other

    # --- moves ---------------------------------------------------------------------------------

    def is_over(self) -> bool:
        """Say whether the last round is over."""
        return self.table.is_over

    def moves(self, rng: random.Random | None = None) -> Iterator[Move]:
        """Yield the legal moves with tiles of the mover's hand, with ``rng`` in random order."""
        table, player = self.table, self.table.to_move
        ways = self._candidates(self.turn)
        if rng is not None:
            rng.shuffle(ways)
        own_plain, others = False, []
        for move in ways:
            kind = table.box[move.tile or ""]
            if kind.role in PLAIN and table.agreed.owner(kind.colour) != player:
                others.append(move)
            elif is_legal(table, move):
                own_plain = own_plain or kind.role in PLAIN
                yield move
        # Others' plain tiles may be laid only if no own plain tile can be (ruling 2).
        if not own_plain:
            yield from (move for move in others if is_legal(table, move))

    def _candidates(self, seat: int) -> list[Move]:
        """Return the moves with a hand's tiles that come into question in this phase."""
        table = self.table
        kinds = [table.box[tile] for tile in sorted(set(self.hands[seat]))]
        if table.last_round is None:
            kinds = [kind for kind in kinds if kind.role not in LAST_ROUND_TILES]
        return list(candidates(table, table.players[seat], kinds))

    def prospects(self, rng: random.Random, most: int | None = None) -> list[tuple[float, Token]]:
        """Return the legal moves, each with the lead that it gives."""
        if self.is_over():
            return []
        seat, share = self.turn, self._share_to_come()
        moves = islice(self.moves(None if most is None else rng), most)
        self._after = {move: self._laid(move) for move in moves}
        if self._after:
            return [(lead(_standing(*to, share), seat), move) for move, to in self._after.items()]
        do = "finale" if self._is_finale_due() else "pass"
        return [(0.0, Move(self.table.to_move, do))]

    def _laid(self, move: Move) -> tuple[CarnivalPosition, list[int]]:
        """Return the table and the score after a tile is laid."""
        assert move.at is not None
        after = BOOK.apply(self.table, move)
        before, now = self._before.get(move.at), points_near(after, move.at)
        if before is None:
            before = self._before[move.at] = points_near(self.table, move.at)
        score = [
            points + now.get(player, 0) - before.get(player, 0)
            for player, points in zip(after.players, self.score, strict=True)
        ]
        return after, score

    def _is_finale_due(self) -> bool:
        """Say whether nothing can be drawn and no hand has a tile to lay but heads and hats."""
        if self.table.last_round is not None or self.pile or self.discard:
            return False
        ways = (move for seat in range(self.seats) for move in self._candidates(seat))
        return not any(is_legal(self.table, move) for move in ways)

    # --- playing -------------------------------------------------------------------------------

    def play(self, token: Token, rng: random.Random) -> None:
        """Lay a tile and draw one, or pass and draw one more."""
        move: Move = token
        seat, before = self.turn, self.table
        if move.tile is None:
            self.table = BOOK.apply(before, move)
        else:
            self.table, self.score = self._after.get(move) or self._laid(move)
            self.hands[seat].remove(move.tile)
            comes_back = before.supply.reshuffles < RESHUFFLES_THAT_BRING_BACK
            if move.do == "replace" and comes_back and before.supply.pile is not None:
                assert move.at is not None
                self.discard.append(before.cards[move.at].tile)
        self._after, self._before = {}, {}
        if before.last_round is None and move.do != "finale":
            self._draw(seat, rng)

    def _draw(self, seat: int, rng: random.Random) -> None:
        if not self.pile and self.discard:
            self.pile, self.discard = sorted(self.discard), []
            rng.shuffle(self.pile)
        if self.pile:
            self.hands[seat].append(self.pile.pop())

    # --- what it is worth ----------------------------------------------------------------------

    def points(self) -> Sequence[float]:
        """Return the score of every seat."""
        return self.score

    def standing(self) -> list[float]:
        """Return the score and what the snakes may still gain."""
        return _standing(self.table, self.score, self._share_to_come())

    def _share_to_come(self) -> float:
        """Return the part of the tiles that nobody has laid yet; 0 in the last round."""
        left = len(self.pile) + sum(map(len, self.hands))
        return left / (left + len(self.table.cards)) if self.table.last_round is None else 0.0


def _standing(table: CarnivalPosition, score: Sequence[int], share: float) -> list[float]:
    """Return the worth of every seat: its score and, for a share of it, its snakes' growth."""
    worth, growth = [float(points) for points in score], GROWTH * share
    for seat, colours in enumerate(table.agreed.colours.values() if share else ()):
        for colour in colours:
            worth[seat] += growth * _freedom(table.snakes[colour], table.cards)
    return worth


def _freedom(snake: Snake, cards: Mapping[Cell, object]) -> float:
    """Return the part of ``GROWTH`` that a snake may still expect; 0 when it is blocked."""
    if snake.faces is None or snake.is_blocked:
        return 0.0
    ways = sum([near not in cards for near in square_neighbours(snake.faces)])
    return 1.0 if ways > 1 else (NARROW if ways else SHUT_IN)


def unseen_tiles(position: CarnivalPosition, hand: Sequence[str]) -> list[str]:
    """Return every tile that is neither on the table, nor away, nor in a hand that is known."""
    known = Counter(hand)
    return [
        kind.name
        for kind in position.box.kinds.values()
        if kind.role != "house"
        for _ in range(max(0, position.left(kind) - known[kind.name]))
    ]


def carnival_world(position: CarnivalPosition, hands: Mapping[str, Sequence[str]]) -> CarnivalWorld:
    """Return the world of a position; hands that are not given are dealt from unseen tiles."""
    unseen = unseen_tiles(position, [tile for hand in hands.values() for tile in hand])
    hidden = [other for other in position.players if other not in hands]
    pile = position.supply.pile
    held = min(len(unseen), HAND * len(hidden) if pile is None else max(0, len(unseen) - pile))
    dealt = []
    for other in position.players:
        if other in hands:
            dealt.append(list(hands[other]))
        else:
            place = hidden.index(other)
            size = held // len(hidden) + (place < held % len(hidden))
            dealt.append([unseen.pop() for _ in range(size)])
    world = CarnivalWorld(position, dealt, unseen)
    world.discard = [t for t, n in sorted(position.supply.discard.items()) for _ in range(n)]
    world.knows_hand = position.to_move in hands
    return world
