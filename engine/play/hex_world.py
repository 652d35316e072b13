"""Search world of Snekagon and Snekagon 5G: bit sets of placements, updated tile by tile.

The placements that a board forbids only ever grow, so they are stored for each seat and board.
What the ends of snakes allow is recomputed after a change, because ends are few. ``BookWorld``
plays the advanced game and far drills.
"""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import log2

from engine.drills import boards_beside
from engine.game import Move
from engine.hexpath import path_cells
from engine.hexplacements import Placements, PlacementTable, placement_table
from engine.hexposition import HexPosition
from engine.hexsnakes import MOST_NEIGHBOURS, Spot, neighbours, snakes
from engine.lattice import Cell, hex_neighbours
from engine.play.growth import Growth, growths
from engine.play.world import Token, ahead

PASS = "pass"
MOST_WEIGHED = 40
"""The maximum number of moves evaluated in full; of more, a quick estimate picks the best."""


class Around(dict[Cell, tuple[Cell, ...]]):
    """The neighbours of the cells of a board."""

    def __missing__(self, cell: Cell) -> tuple[Cell, ...]:
        """Return the neighbours of any other cell: an overruled tile may extend over the edge."""
        return hex_neighbours(cell)


@dataclass(frozen=True, slots=True)
class Terms:
    """The constants of one game."""

    players: tuple[str, ...]
    tables: tuple[PlacementTable, ...]
    """The placement table of each seat."""
    boards: int
    numbered: bool
    beside: tuple[tuple[int, ...], ...]
    """By board: the boards that touch it."""
    begins_with_1: bool
    around: Around
    growth: Growth


class Fit:
    """The placements possible on one board for one seat, whatever tiles the seat has left."""

    __slots__ = ("first_once", "first_twice", "last_once", "legal", "sound")

    def __init__(
        self,
        legal: Placements,
        sound: Placements,
        first_once: Placements,
        first_twice: Placements,
        last_once: Placements,
    ) -> None:
        self.legal, self.sound = legal, sound
        self.first_once, self.first_twice, self.last_once = first_once, first_twice, last_once


@dataclass(frozen=True, slots=True)
class Hope:
    """How the longest snake of a seat can grow."""

    ways: list[Placements]
    """By board: the placements that lengthen the snake."""
    room: int
    """The number of placements in ``ways``."""
    doors: set[Spot]
    """The cells beside the snake's ends through which it can grow on the same board."""
    drills: set[Spot]
    """The cells on adjacent boards to which the snake can drill."""
    signs: list[float]
    """The features of the growth model, in the order of ``growth.SIGNS``."""

    def without(self, board: int, cells: tuple[Cell, ...], lost: int) -> list[float]:
        """Return the features after some cells are covered, which removes ``lost`` ways."""
        signs = self.signs.copy()
        signs[1] = log2(1 + self.room - lost)
        for q, r in cells:
            signs[2] -= (board, q, r) in self.doors
            signs[3] -= (board, q, r) in self.drills
        return signs


class HexWorld:
    """Tiles on the boards, seen from every seat."""

    hides = False
    omen: Hashable = None

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.seats = len(terms.players)
        self.turn = 0
        self.laid = 0
        self.joints: list[dict[Spot, int]] = [{} for _ in terms.players]
        """By seat: its hexes, each with the number of neighbours, drilled ones included."""
        self.ends: list[dict[Spot, tuple[Spot, int]]] = [{} for _ in terms.players]
        """By seat: the ends of snakes, each with the other end and the length."""
        self.best = [0] * self.seats
        self.stock = [0] * self.seats
        """By seat: the number of hexes on the tiles that are left."""
        self.left: list[tuple[str, ...]] = [()] * self.seats
        self.has: list[Placements] = [0] * self.seats
        self.wrong = [[0] * terms.boards for _ in terms.players]
        """By seat and board: placements that cover a taken cell or touch an own snake's middle."""
        self.touch = [[0] * terms.boards for _ in terms.players]
        """By seat and board: placements that touch another seat's hexes."""
        self.fits: list[list[Fit | None]] = [[None] * terms.boards for _ in terms.players]

    @property
    def scale(self) -> float:
        """The expected lead in hexes that makes a win about 73 % likely."""
        return self.terms.growth.scale_with(sum(map(len, self.left)) / self.seats)

    def deal(self, rng: random.Random) -> HexWorld:
        """Return a copy; nothing is hidden."""
        return self.copy()

    def copy(self) -> HexWorld:
        """Return a copy to play on."""
        other = HexWorld.__new__(HexWorld)
        other.terms, other.seats, other.turn = self.terms, self.seats, self.turn
        other.laid = self.laid
        other.joints = self.joints.copy()
        other.ends = self.ends.copy()
        other.best = self.best.copy()
        other.stock = self.stock.copy()
        other.left = self.left.copy()
        other.has = self.has.copy()
        other.wrong = [row.copy() for row in self.wrong]
        other.touch = [row.copy() for row in self.touch]
        other.fits = [row.copy() for row in self.fits]
        return other

    # --- moves ---------------------------------------------------------------------------------

    def is_over(self) -> bool:
        """Say whether nobody can move."""
        order = range(self.turn, self.turn + self.seats)
        return not any(self.can_move(seat % self.seats) for seat in order)

    def can_move(self, seat: int) -> bool:
        """Say whether a seat could lay a tile if it were its turn."""
        return any(True for _ in self._choices(seat))

    def prospects(self, rng: random.Random, most: int | None = None) -> list[tuple[float, Token]]:
        """Return the legal moves, each with the lead that it gives."""
        seat = self.turn
        choices = list(self._choices(seat))
        if not choices:
            if any(self.can_move(s) for s in range(self.seats)):
                return [(ahead(self.standing(), seat, self.scale), PASS)]
            return []
        hopes = {other: self._hope(other) for other in range(self.seats) if other != seat}
        if most is None:
            choices = self._of_use(choices, hopes.values())
        tokens = self._tokens(choices, rng, most)
        if len(tokens) > MOST_WEIGHED:
            tokens = self._most_promising(tokens, hopes)
        found = []
        for token in tokens:
            after = self.copy()
            after.play(token, rng)
            found.append((ahead(after.standing(), seat, self.scale), token))
        return found

    def moves(self) -> list[Token]:
        """Return every legal move: a lone pass for a stuck seat, nothing if all are stuck."""
        tokens = self._tokens(list(self._choices(self.turn)), random.Random(0), None)
        return tokens or ([] if self.is_over() else [PASS])

    def _of_use(
        self, choices: list[tuple[int, Placements, Spot | None]], hopes: Iterable[Hope]
    ) -> list[tuple[int, Placements, Spot | None]]:
        """Return the choices that lengthen the own longest snake or block another's.

        Other moves do not affect the result, so all are kept only if the longest snake is stuck.
        """
        useful = self._growing(self.turn)
        if not any(useful):
            return choices
        covering = self.terms.tables[self.turn].covering
        for hope in hopes:
            for board, *cell in (*hope.doors, *hope.drills):
                useful[board] |= covering[cell[0], cell[1]]
        found = [(board, bits & useful[board], origin) for board, bits, origin in choices]
        return [choice for choice in found if choice[1]]

    def _most_promising(self, tokens: list[Token], hopes: Mapping[int, Hope]) -> list[Token]:
        """Return the moves to evaluate in full: the best by a quick estimate of every move.

        The estimate counts own hexes and the others' growth as the full evaluation does. It omits
        the own growth, which depends on where the new tile ends.
        """
        seat, table = self.turn, self.terms.tables[self.turn]
        standing = [0.0] * self.seats
        untouched = {other: self._worth(other, hope.signs) for other, hope in hopes.items()}
        glances = []
        for number, (board, index, origin) in enumerate(tokens):
            placed = table.placements[index]
            for other, hope in hopes.items():
                covered = _covering(self.terms.tables[other], placed.cells)
                lost = (hope.ways[board] & covered).bit_count()
                standing[other] = untouched[other]
                if lost:
                    standing[other] = self._worth(other, hope.without(board, placed.cells, lost))
            standing[seat] = self._length_with(seat, board, placed.walk, origin)
            glances.append((-ahead(standing, seat, self.scale), number))
        glances.sort()
        return [tokens[number] for _, number in glances[:MOST_WEIGHED]]

    def length_after(self, token: Token) -> int:
        """Return the length of the mover's longest snake after a move."""
        if token == PASS:
            return self.best[self.turn]
        board, number, origin = token
        walk = self.terms.tables[self.turn].placements[number].walk
        return self._length_with(self.turn, board, walk, origin)

    def _length_with(
        self, seat: int, board: int, walk: tuple[Cell, ...], origin: Spot | None
    ) -> int:
        """Return the length of a seat's longest snake after a tile is laid."""
        ends = self.ends[seat]
        length, met = len(walk), set()
        for cell in (walk[0], walk[-1])[: len(walk)]:
            for q, r in self.terms.around[cell]:
                end = ends.get((board, q, r))
                if end is not None and (board, q, r) not in met:
                    length += end[1]
                    met |= {(board, q, r), end[0]}
        if origin is not None and origin not in met:
            length += ends[origin][1]
        return max(length, self.best[seat])

    def _tokens(
        self,
        choices: list[tuple[int, Placements, Spot | None]],
        rng: random.Random,
        most: int | None,
    ) -> list[Token]:
        """Return all tokens of some choices, or a random sample of at most ``most``."""
        table = self.terms.tables[self.turn]
        size = len(table.placements)
        counts = [bits.bit_count() for _, bits, _ in choices]
        if most is None or sum(counts) <= most:
            return [
                (board, number, origin)
                for board, bits, origin in choices
                for number in table.chosen(bits, range(size))
            ]
        picked: dict[Token, None] = {}
        for board, bits, origin in rng.choices(choices, counts, k=most):
            # The next set bit below a random one: slightly biased, but many times faster.
            below = bits & ((2 << rng.randrange(bits.bit_length())) - 1)
            picked[board, size - (below or bits).bit_length(), origin] = None
        return list(picked)

    def _choices(self, seat: int) -> Iterator[tuple[int, Placements, Spot | None]]:
        """Yield board, legal placements and the end drilled from (``None`` without a drill)."""
        terms = self.terms
        has = self.has[seat]
        if not self.laid and terms.begins_with_1:
            has = has & terms.tables[seat].of_shape["1"]
        if not has:
            return
        for board in range(terms.boards):
            fit = self.fit(seat, board)
            legal = fit.legal & has
            if legal:
                yield board, legal, None
            if terms.boards > 1:
                yield from self._escapes(seat, board, has)

    def _escapes(
        self, seat: int, board: int, has: Placements
    ) -> Iterator[tuple[int, Placements, Spot | None]]:
        """Yield the placements on a board that a snake's end on an adjacent board drills to."""
        beside = self.terms.beside[board]
        for end in self.ends[seat]:
            if end[0] in beside:
                onto = self._drilled(seat, board, end) & has
                if onto:
                    yield board, onto, end

    def _drilled(self, seat: int, board: int, end: Spot) -> Placements:
        """Return what may lie on a board when an end drills there (ruling 3 of 5G)."""
        table, fit, field = self.terms.tables[seat], self.fit(seat, board), end[1:]
        first, last = table.first_on[field], table.last_on[field]
        single = first & table.singles & ~fit.first_twice
        return fit.sound & (single | (first & ~fit.first_once) | (last & ~fit.last_once))

    def fit(self, seat: int, board: int) -> Fit:
        """Return what may lie on a board (rulings 1 and 2 of Snekagon)."""
        known = self.fits[seat][board]
        if known is not None:
            return known
        table, joints = self.terms.tables[seat], self.joints[seat]
        wrong = self.wrong[seat][board]
        ends = {spot[1:]: joints[spot] == 0 for spot in self.ends[seat] if spot[0] == board}
        first_once = first_twice = first_thrice = last_once = last_twice = 0
        for cell, is_lone in ends.items():
            first, last = table.first_touching[cell], table.last_touching[cell]
            first_thrice |= first_twice & first
            first_twice |= first_once & first
            first_once |= first
            last_twice |= last_once & last
            last_once |= last
            wrong |= table.inner_touching[cell]
            # Both ends of a tile on one hex close a ring, but only a lone hex has room for both.
            wrong |= first & last & table.pairs if is_lone else first & last
            for beside in self.terms.around[cell]:
                if beside in ends:
                    # A single hex that touches two neighbours makes a sharp turn.
                    wrong |= first & table.first_touching[beside]
        wrong |= first_thrice | (first_twice & ~table.singles) | last_twice
        sound = ~wrong
        legal = sound & (first_once | last_once | ~self.touch[seat][board])
        found = Fit(legal, sound, first_once, first_twice, last_once)
        self.fits[seat][board] = found
        return found

    # --- playing -------------------------------------------------------------------------------

    def play(self, token: Token, rng: random.Random) -> None:
        """Lay a tile, or pass."""
        seat = self.turn
        self.turn = (seat + 1) % self.seats
        if token == PASS:
            return
        board, number, origin = token
        placed = self.terms.tables[seat].placements[number]
        self.laid += 1
        left = list(self.left[seat])
        left.remove(placed.shape)
        self.left[seat] = tuple(left)
        self.stock[seat] -= len(placed.cells)
        if placed.shape not in left:
            self.has[seat] &= ~self.terms.tables[seat].of_shape[placed.shape]
        self._cover(seat, board, placed.cells)
        self._join(seat, board, placed.walk, origin)

    def _cover(self, seat: int, board: int, cells: tuple[Cell, ...]) -> None:
        for other, table in enumerate(self.terms.tables):
            self.fits[other][board] = None
            wrong = self.wrong[other][board]
            for cell in cells:
                wrong |= table.covering[cell]
            self.wrong[other][board] = wrong
            if other != seat:
                touch = self.touch[other][board]
                for cell in cells:
                    touch |= table.touching[cell]
                self.touch[other][board] = touch

    def _join(self, seat: int, board: int, walk: tuple[Cell, ...], origin: Spot | None) -> None:
        """Join a tile to the own ends that it touches, and to the end that it drills from."""
        joints = self.joints[seat] = self.joints[seat].copy()
        ends = self.ends[seat] = self.ends[seat].copy()
        tile = [(board, q, r) for q, r in walk]
        first, last = tile[0], tile[-1]
        contacts = [
            (spot, (board, *cell))
            for spot in (first, last)[: len(tile)]
            for cell in self.terms.around[spot[1:]]
            if (board, *cell) in ends
        ]
        if origin is not None:
            contacts.append((first if first[1:] == origin[1:] else last, origin))
        joints.update(dict.fromkeys(tile, MOST_NEIGHBOURS))
        joints[first] = joints[last] = 1 if len(tile) > 1 else 0
        for spot in tile[1:-1]:
            self._bury(seat, spot)
        ends[first], ends[last] = (last, len(tile)), (first, len(tile))
        length = len(tile)
        for spot, met in contacts:
            length = max(length, self._meet(ends, spot, met))
            for one in (spot, met):
                joints[one] += 1
                if joints[one] == MOST_NEIGHBOURS:
                    self._bury(seat, one)
        self.best[seat] = max(self.best[seat], length)

    def _bury(self, seat: int, spot: Spot) -> None:
        """Keep everything away from a hex in the middle of a snake."""
        board = spot[0]
        self.wrong[seat][board] |= self.terms.tables[seat].near[spot[1:]]
        self.fits[seat][board] = None

    @staticmethod
    def _meet(ends: dict[Spot, tuple[Spot, int]], one: Spot, other: Spot) -> int:
        """Join two ends and return the length of the joined snake."""
        far, length = ends.pop(one)
        if far == other:
            if one != other:
                ends.pop(other, None)
            return length
        far_other, length_other = ends.pop(other)
        length += length_other
        ends[far], ends[far_other] = (far_other, length), (far, length)
        return length

    # --- what it is worth ----------------------------------------------------------------------

    def points(self) -> Sequence[float]:
        """Return the length of every seat's longest snake."""
        return self.best

    def standing(self) -> list[float]:
        """Return how long every seat's longest snake is expected to get."""
        return [self._worth(seat, self._hope(seat).signs) for seat in range(self.seats)]

    def _worth(self, seat: int, signs: Sequence[float]) -> float:
        """Return the longest snake's length plus its expected growth from the stock, in hexes."""
        stock = self.stock[seat]
        return self.best[seat] + (stock * self.terms.growth.share(signs) if stock else 0.0)

    def signs(self, seat: int) -> list[float]:
        """Return the features of the growth model for a seat, as ``growth.SIGNS`` names them."""
        return self._hope(seat).signs

    def _hope(self, seat: int) -> Hope:
        """Return how the longest snake of a seat can grow."""
        ways = self._growing(seat)
        table, longest, around = self.terms.tables[seat], self.best[seat], self.terms.around
        doors: set[Spot] = set()
        drills: set[Spot] = set()
        live = 0
        for end, (_, length) in self.ends[seat].items():
            if length < longest:
                continue
            board, cell = end[0], end[1:]
            here = ways[board] & (table.first_touching[cell] | table.last_touching[cell])
            flat = [(board, *near) for near in around[cell] if here & table.covering[near]]
            onto = table.first_on[cell] | table.last_on[cell]
            down = [(beside, *cell) for beside in self.terms.beside[board] if ways[beside] & onto]
            doors.update(flat)
            drills.update(down)
            live += bool(flat or down)
        tiles = len(self.left[seat])
        others = (sum(map(len, self.left)) - tiles) / (self.seats - 1)
        until_turn = ((seat - self.turn) % self.seats) / self.seats
        room = sum(placements.bit_count() for placements in ways)
        signs = [1.0, log2(1 + room), len(doors), len(drills), live, tiles, others, until_turn]
        return Hope(ways, room, doors, drills, signs)

    def room(self, seat: int) -> int:
        """Return how many ways a seat has to make its longest snake longer."""
        return sum(placements.bit_count() for placements in self._growing(seat))

    def _growing(self, seat: int) -> list[Placements]:
        """Return by board the placements that lengthen the longest snake, drills included."""
        has, boards = self.has[seat], range(self.terms.boards)
        if not self.joints[seat]:
            return [self.fit(seat, board).legal & has for board in boards]
        found = [0] * self.terms.boards
        if not has:
            return found
        table, longest = self.terms.tables[seat], self.best[seat]
        for end, (_, length) in self.ends[seat].items():
            if length < longest:
                continue
            board, cell = end[0], end[1:]
            beside_end = table.first_touching[cell] | table.last_touching[cell]
            found[board] |= self.fit(seat, board).legal & has & beside_end
            for other in self.terms.beside[board]:
                found[other] |= self._drilled(seat, other, end) & has
        return found

    def moves_left(self, seat: int) -> int:
        """Return how many placements a seat has, drills not counted."""
        has, boards = self.has[seat], range(self.terms.boards)
        return sum((self.fit(seat, board).legal & has).bit_count() for board in boards)

    # --- to and from the rule book ---------------------------------------------------------------

    def move(self, token: Token) -> Move:
        """Return a move in the form of the records."""
        player = self.terms.players[self.turn]
        if token == PASS:
            return Move(player, "pass")
        board, number, origin = token
        placed = self.terms.tables[self.turn].placements[number]
        return Move(
            player,
            "place",
            placed.shape,
            cells=placed.cells,
            board=board if self.terms.numbered else None,
            origin=None if origin is None else (origin[0], origin[1:]),
        )


@cache
def _covering(table: PlacementTable, cells: tuple[Cell, ...]) -> Placements:
    """Return the placements that cover at least one of the cells."""
    cover = 0
    for cell in cells:
        cover |= table.covering[cell]
    return cover


def hex_world(position: HexPosition) -> HexWorld | None:
    """Return the world of a position; ``None`` in the advanced game or with far drills."""
    agreed = position.agreed
    if agreed.advanced or agreed.far_drill:
        return None
    tables = tuple(placement_table(agreed.paths[p], agreed.side) for p in position.players)
    terms = Terms(
        position.players,
        tables,
        agreed.boards,
        agreed.numbered,
        tuple(boards_beside(board, agreed.boards) for board in range(agreed.boards)),
        agreed.begins_with_1,
        Around({cell: hex_neighbours(cell) for cell in tables[0].covering}),
        growths()["snekagon5g" if agreed.numbered else "snekagon"],
    )
    world = HexWorld(terms)
    world.turn = position.players.index(position.to_move)
    world.laid = len(position.pieces)
    for seat, player in enumerate(position.players):
        _take_seat(world, position, seat, player)
    for board in range(agreed.boards):
        for cell in agreed.eyes:
            for seat, table in enumerate(tables):
                world.wrong[seat][board] |= table.covering[cell]
    return world


def _take_seat(world: HexWorld, position: HexPosition, seat: int, player: str) -> None:
    """Fill in what one player has on the boards and in stock."""
    own, drilled = position.own[player], position.drilled[player]
    table = world.terms.tables[seat]
    paths = dict(position.agreed.paths[player])
    world.left[seat] = position.left[player]
    for shape in position.left[player]:
        world.has[seat] |= table.of_shape[shape]
        world.stock[seat] += len(path_cells(paths[shape]))
    for spot in own:
        board, cell = spot[0], spot[1:]
        joints = world.joints[seat][spot] = len(neighbours(spot, own, drilled))
        world.wrong[seat][board] |= (
            table.covering[cell] if joints < MOST_NEIGHBOURS else table.near[cell]
        )
        for other, foreign in enumerate(world.terms.tables):
            if other != seat:
                world.wrong[other][board] |= foreign.covering[cell]
                world.touch[other][board] |= foreign.touching[cell]
    for snake in snakes(own, drilled):
        world.best[seat] = max(world.best[seat], len(snake))
        ends = [spot for spot in sorted(snake) if world.joints[seat][spot] < MOST_NEIGHBOURS]
        for end, other_end in zip(ends, reversed(ends), strict=True):
            world.ends[seat][end] = (other_end, len(snake))
