"""Search world of Carnival: hands and pile dealt at random, scores updated around each tile.

A coloured tile scores for the owner of the colour, and gifts and troubles count for adjacent
tiles, so a move changes the score only around its own cell. The rule book judges whether a tile
may be laid, but only for the tiles in hand.
"""

from __future__ import annotations

import random
from collections import ChainMap, Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import islice

from engine.carnival.last_round import is_over
from engine.carnival.laying import BESIDE_SNAKES, NEVER_REPLACED, wearers_at
from engine.carnival.position import RESHUFFLES_THAT_BRING_BACK, CarnivalPosition
from engine.carnival.score import DIAMOND_POINTS, GIFT_POINTS, WINNING, is_whole, score_lines
from engine.carnival.setup import HAND
from engine.carnival.snakes import BODY, PLAIN, SNAKE_TILES, Snake, is_straight
from engine.carnival.tiles import LAST_ROUND_TILES, declared, judge_tile, layable
from engine.game import Move
from engine.games.carnival import Carnival
from engine.lattice import Cell, square_neighbours
from engine.play.world import Token, lead
from engine.snakes import Card, Cards, card
from engine.tiles import TileKind

BOOK = Carnival()
GROWTH = 4.0
"""The points that a snake with a free end may still gain while all tiles are to come."""
SHUT_IN = 0.35
"""Factor on ``GROWTH`` when the cell before the snake's end has no free neighbour."""


class CarnivalWorld:
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
        self.omen: Hashable = None
        self.knows_hand = True
        """Whether the mover's hand is known; in an analysis of a record it is not."""

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
        other.table, other.seats, other.omen = self.table, self.seats, None
        other.hands = [hand.copy() for hand in self.hands]
        other.pile, other.discard = self.pile.copy(), self.discard.copy()
        other.score = self.score.copy()
        other.knows_hand = self.knows_hand
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
        return is_over(self.table)

    def moves(self, rng: random.Random | None = None) -> Iterator[Move]:
        """Yield the legal moves with tiles of the mover's hand, with ``rng`` in random order."""
        table, player = self.table, self.table.to_move
        hand = self.hands[self.turn]
        if table.last_round is not None:
            yield from (m for m in layable(table, player) if m.tile in hand)
            return
        own, others = [], []
        for move in candidates(table, player, sorted(set(hand)), rng):
            kind = table.box[move.tile or ""]
            foreign = kind.role in PLAIN and table.agreed.owner(kind.colour) != player
            told = declared(table, move, kind)
            if foreign:
                others.append(told)
            elif not any(True for _ in judge_tile(table, told)):
                own.append(kind.role in PLAIN)
                yield told
        # Others' plain tiles may be laid only if no own plain tile can be (ruling 2).
        if not any(own):
            yield from (m for m in others if not any(True for _ in judge_tile(table, m)))

    def prospects(self, rng: random.Random, most: int | None = None) -> list[tuple[float, Token]]:
        """Return the legal moves, each with the lead that it gives."""
        if self.is_over():
            return []
        seat = self.turn
        found: list[tuple[float, Token]] = [
            (self._lead_after(move, seat), move)
            for move in islice(self.moves(None if most is None else rng), most)
        ]
        if found:
            return found
        do = "finale" if self._is_finale_due() else "pass"
        return [(0.0, Move(self.table.to_move, do))]

    def _is_finale_due(self) -> bool:
        """Say whether nothing can be drawn and no hand has a tile to lay but heads and hats."""
        if self.table.last_round is not None or self.pile or self.discard:
            return False
        for seat, player in enumerate(self.table.players):
            tiles = sorted(set(self.hands[seat]))
            for move in candidates(self.table, player, tiles, None):
                kind = self.table.box[move.tile or ""]
                if not any(True for _ in judge_tile(self.table, declared(self.table, move, kind))):
                    return False
        return True

    # --- playing -------------------------------------------------------------------------------

    def play(self, token: Token, rng: random.Random) -> None:
        """Lay a tile and draw one, or pass and draw one more."""
        move: Move = token
        seat, before = self.turn, self.table
        if move.tile is not None:
            for owner, points in self.gains(move).items():
                self.score[owner] += points
            self.hands[seat].remove(move.tile)
            lying = before.cards.get(move.at) if move.at is not None else None
            if lying is not None and move.do == "replace" and self._comes_back():
                self.discard.append(lying.tile)
        self.table = BOOK.apply(before, move)
        if before.last_round is None and move.do != "finale":
            self._draw(seat, rng)

    def _comes_back(self) -> bool:
        supply = self.table.supply
        return supply.pile is not None and supply.reshuffles < RESHUFFLES_THAT_BRING_BACK

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
        table = self.table
        return self._with_growth(self.score, table.snakes, table.cards)

    def _with_growth(
        self, score: Sequence[float], snakes: Mapping[str, Snake], cards: Mapping[Cell, object]
    ) -> list[float]:
        share = self._share_to_come()
        standing = [float(points) for points in score]
        for colour, snake in snakes.items():
            owner = self.table.agreed.owner(colour)
            if owner is not None:
                seat = self.table.players.index(owner)
                standing[seat] += GROWTH * share * _freedom(snake, cards)
        return standing

    def _share_to_come(self) -> float:
        """Return the part of the tiles that nobody has laid yet; 0 in the last round."""
        left = len(self.pile) + sum(map(len, self.hands))
        return left / (left + len(self.table.cards)) if self.table.last_round is None else 0.0

    def _lead_after(self, move: Move, seat: int) -> float:
        """Return the lead after a move; the rule book applies only swaps and last-round moves."""
        score = self.score.copy()
        for owner, points in self.gains(move).items():
            score[owner] += points
        if move.do == "replace" or self.table.last_round is not None:
            after = BOOK.apply(self.table, move)
            return lead(self._with_growth(score, after.snakes, after.cards), seat)
        assert move.at is not None and move.tile is not None
        kind = self.table.box[move.tile]
        cards = _Covered(self.table.cards, move.at)
        snakes = dict(self.table.snakes)
        for colour, snake in snakes.items():
            if snake.grows_at(move.at):
                snakes[colour] = self._grown(snake, kind, move, cards)
        return lead(self._with_growth(score, snakes, cards), seat)

    def _grown(
        self, snake: Snake, kind: TileKind, move: Move, cards: Mapping[Cell, object]
    ) -> Snake:
        """Return a snake after a tile came to lie where its end points, grown or blocked."""
        assert snake.end is not None and move.turns is not None and move.at is not None
        if kind.role in BESIDE_SNAKES or kind.colour not in (None, snake.colour):
            return snake._replace(is_blocked=True)
        edge = card(kind, move.turns).across[snake.end[1] ^ 2]
        if edge < 0:
            return snake._replace(end=None)
        grown = snake._replace(end=(move.at, edge))
        return grown._replace(is_blocked=grown.faces in cards)

    def gains(self, move: Move) -> dict[int, int]:
        """Return what a move adds to the score of each seat."""
        assert move.tile is not None and move.at is not None
        table, cell = self.table, move.at
        kind = table.box[move.tile]
        found: dict[int, int] = {}
        if kind.role == "hat":
            wearer = move.snake or next(iter(wearers_at(table, cell)), None)
            self._add(found, wearer, kind.points)
            return found
        lying = table.cards.get(cell)
        if lying is not None and lying.kind.role in WINNING:
            self._add(found, lying.kind.colour, -self._sides(cell, lying.kind))
        if kind.role in WINNING:
            self._add(found, kind.colour, self._sides(cell, kind))
        if kind.role == "diamond":
            worth = int(table.box.extras.get("diamond_points", DIAMOND_POINTS))
            beside = [table.cards.get(near) for near in square_neighbours(cell)]
            costs = sum(abs(b.kind.points) for b in beside if b and b.kind.role == "trouble")
            self._add(found, table.to_move, worth - costs)
        if kind.role == "trouble":
            self._trouble(found, cell, kind)
        self._gifts(found, cell, card(kind, move.turns or 0))
        return found

    def _sides(self, cell: Cell, kind: TileKind) -> int:
        """Return the points of a snake's tile with the troubles beside it."""
        points = kind.points
        for near in square_neighbours(cell):
            beside = self.table.cards.get(near)
            if beside and beside.kind.role == "trouble" and kind.role != "diamond":
                points -= abs(beside.kind.points)
        return points

    def _gifts(self, found: dict[int, int], cell: Cell, laid: Card) -> None:
        """Add what a laid tile changes at the gift that it is, and at the gifts beside it."""
        before = self.table.cards
        after = ChainMap({cell: laid}, before)  # type: ignore[arg-type]
        for gift in (cell, *square_neighbours(cell)):
            for cards, sign in ((before, -1), (after, 1)):
                lying = cards.get(gift)
                if lying is None or lying.kind.role != "gift":
                    continue
                if is_whole(gift, cards, self.table.agreed):
                    self._gift_sides(found, gift, cards, sign * self._gift(lying.kind))

    def _gift_sides(self, found: dict[int, int], gift: Cell, cards: Cards, points: int) -> None:
        for near in square_neighbours(gift):
            lying = cards.get(near)
            if lying is not None and lying.kind.role in WINNING:
                self._add(found, lying.kind.colour, points)

    def _trouble(self, found: dict[int, int], cell: Cell, kind: TileKind) -> None:
        """Add what a new trouble does to the tiles around it."""
        for near in square_neighbours(cell):
            lying = self.table.cards.get(near)
            if lying is None or lying.kind.role not in WINNING:
                continue
            if lying.kind.role != "diamond":
                self._add(found, lying.kind.colour, -abs(kind.points))
            else:
                for token in self.table.tokens:
                    if token.cell == near and token.worth is None:
                        self._add(found, token.player, -abs(kind.points))

    def _gift(self, kind: TileKind) -> int:
        return int(kind.points or self.table.box.extras.get("gift_points", GIFT_POINTS))

    def _add(self, found: dict[int, int], colour: str | None, points: int) -> None:
        owner = self.table.agreed.owner(colour) or colour
        if owner in self.table.players:
            seat = self.table.players.index(owner)
            found[seat] = found.get(seat, 0) + points

    # --- to the rule book ------------------------------------------------------------------------

    def move(self, token: Token) -> Move:
        """Return the token, which is a move of the records already."""
        assert isinstance(token, Move)
        return token


class _Covered(dict[Cell, object]):
    """The cards with one more cell taken; supports only ``in`` and ``len``."""

    def __init__(self, cards: Mapping[Cell, object], cell: Cell) -> None:
        self._cards, self._cell = cards, cell

    def __contains__(self, cell: object) -> bool:
        return cell == self._cell or cell in self._cards

    def __len__(self) -> int:
        return len(self._cards) + 1


def _freedom(snake: Snake, cards: Mapping[Cell, object]) -> float:
    """Return the part of ``GROWTH`` that a snake may still expect; 0 when it is blocked."""
    faced = snake.faces
    if faced is None or snake.is_blocked or faced in cards:
        return 0.0
    ways = sum(1 for near in square_neighbours(faced) if near not in cards)
    return 1.0 if ways > 1 else (0.8 if ways else SHUT_IN)


def candidates(
    table: CarnivalPosition, player: str, tiles: Sequence[str], rng: random.Random | None
) -> Iterator[Move]:
    """Yield moves with the given tiles before the last round; some may be illegal."""
    ways = [move for tile in tiles for move in _ways_of(table, player, table.box[tile])]
    if rng is not None:
        rng.shuffle(ways)
    yield from ways


def _ways_of(table: CarnivalPosition, player: str, kind: TileKind) -> Iterator[Move]:
    if kind.role in LAST_ROUND_TILES:
        return
    if kind.role in BESIDE_SNAKES:
        cells = {
            near
            for at, laid in table.cards.items()
            if laid.kind.role in SNAKE_TILES
            for near in square_neighbours(at)
        }
        for cell in sorted(cells - table.cards.keys()):
            yield Move(player, "place", kind.name, cell, 0)
        return
    for cell, edge in sorted(_free_ends(table, kind.colour)):
        for turns in range(kind.period):
            if card(kind, turns).strand_at[edge] >= 0:
                yield Move(player, "place", kind.name, cell, turns)
    yield from _swaps(table, player, kind)


def _free_ends(table: CarnivalPosition, colour: str | None) -> set[tuple[Cell, int]]:
    return {
        (snake.faces, snake.end[1] ^ 2)
        for snake in table.snakes.values()
        if snake.end and not snake.is_blocked and snake.faces and colour in (None, snake.colour)
    }


def _swaps(table: CarnivalPosition, player: str, kind: TileKind) -> Iterator[Move]:
    straight = is_straight(kind)
    for snake in table.snakes.values():
        if kind.role in BODY and kind.colour != snake.colour:
            continue
        for step in snake.steps:
            lying = table.cards[step.cell].kind
            if lying.role in NEVER_REPLACED or (kind.role in BODY and lying.role != "log"):
                continue
            if is_straight(lying) != straight:
                continue
            kept = snake.kept_edges(step.cell)
            for turns in range(kind.period):
                if all(card(kind, turns).strand_at[edge] >= 0 for edge in kept):
                    yield Move(player, "replace", kind.name, step.cell, turns)


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
