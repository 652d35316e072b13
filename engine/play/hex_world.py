"""Search world of Snekagon and Snekagon 5G: what the ground of a position is worth to each seat.

Rules are the ground's. ``BookWorld`` plays the advanced game and far drills.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import log2

from engine.game import Move
from engine.hexground import Choice, Ground, covering
from engine.hexpath import path_cells
from engine.hexplacements import Placements, PlacementTable
from engine.hexposition import HexPosition
from engine.hexsnakes import Spot
from engine.lattice import Cell
from engine.play.growth import Growth, growths
from engine.play.world import Token, World, ahead

PASS = "pass"
MOST_WEIGHED = 40
"""The maximum number of moves evaluated in full; of more, a quick estimate picks the best."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The constants of one game."""

    players: tuple[str, ...]
    tables: tuple[PlacementTable, ...]
    """The placement table of each seat."""
    sizes: tuple[Mapping[str, int], ...]
    """By seat: the number of hexes of each shape."""
    numbered: bool
    begins_with_1: bool
    growth: Growth


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


class HexWorld(World):
    """The ground, what each seat has left, and whose turn it is."""

    turn = 0

    def __init__(self, terms: Terms, ground: Ground, left: list[tuple[str, ...]]) -> None:
        self.terms, self.ground, self.left = terms, ground, left
        self.seats = len(terms.players)
        self.is_begun = False
        """Whether a tile lies on the boards."""
        self.has = [0] * self.seats
        """By seat: the placements of the tiles that are left."""
        self.stock = [0] * self.seats
        """By seat: the number of hexes on the tiles that are left."""
        for seat, shapes in enumerate(left):
            for shape in shapes:
                self.has[seat] |= terms.tables[seat].of_shape[shape]
                self.stock[seat] += terms.sizes[seat][shape]

    @property
    def scale(self) -> float:
        """The expected lead in hexes that makes a win about 73 % likely."""
        return self.terms.growth.scale_with(sum(map(len, self.left)) / self.seats)

    @property
    def best(self) -> list[int]:
        """By seat: the length of the longest snake."""
        return self.ground.best

    def copy(self) -> HexWorld:
        """Return a copy to play on."""
        other = HexWorld.__new__(HexWorld)
        other.terms, other.seats, other.turn = self.terms, self.seats, self.turn
        other.ground, other.is_begun = self.ground, self.is_begun
        other.left, other.has = self.left.copy(), self.has.copy()
        other.stock = self.stock.copy()
        return other

    # --- moves ---------------------------------------------------------------------------------

    def is_over(self) -> bool:
        """Say whether nobody can move."""
        order = range(self.turn, self.turn + self.seats)
        return not any(self.can_move(seat % self.seats) for seat in order)

    def can_move(self, seat: int) -> bool:
        """Say whether a seat could lay a tile if it were its turn."""
        return any(choice.placements for choice in self.ground.choices(seat, self._to_lay(seat)))

    def _to_lay(self, seat: int) -> Placements:
        only_1 = self.terms.begins_with_1 and not self.is_begun
        return self.has[seat] & (self.terms.tables[seat].of_shape["1"] if only_1 else -1)

    def _choices(self) -> list[Choice]:
        found = self.ground.choices(self.turn, self._to_lay(self.turn))
        return [choice for choice in found if choice.placements]

    def moves(self) -> list[Token]:
        """Return every legal move: a lone pass for a stuck seat, nothing if all are stuck."""
        tokens = self._tokens(self._choices(), random.Random(0), None)
        return tokens or ([] if self.is_over() else [PASS])

    def prospects(self, rng: random.Random, most: int | None = None) -> list[tuple[float, Token]]:
        """Return the legal moves, each with the lead that it gives."""
        seat = self.turn
        choices = self._choices()
        if not choices:
            return [] if self.is_over() else [(ahead(self.standing(), seat, self.scale), PASS)]
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

    def play(self, token: Token, rng: random.Random) -> None:
        """Lay a tile, or pass."""
        seat = self.turn
        self.turn = (seat + 1) % self.seats
        if token == PASS:
            return
        board, number, origin = token
        table = self.terms.tables[seat]
        shape = table.placements[number].shape
        left = list(self.left[seat])
        left.remove(shape)
        self.left[seat] = tuple(left)
        self.stock[seat] -= self.terms.sizes[seat][shape]
        if shape not in left:
            self.has[seat] &= ~table.of_shape[shape]
        drilled = () if origin is None else (origin,)
        self.ground, self.is_begun = self.ground.with_tile(seat, board, number, drilled), True

    def _of_use(self, choices: list[Choice], hopes: Iterable[Hope]) -> list[Choice]:
        """Return the choices that lengthen the own longest snake or block another's.

        Other moves do not affect the result, so all are kept only if the longest snake is stuck.
        """
        useful = self._growing(self.turn)
        if not any(useful):
            return choices
        table = self.terms.tables[self.turn]
        for hope in hopes:
            for board, *cell in (*hope.doors, *hope.drills):
                useful[board] |= table.covering[cell[0], cell[1]]
        found = [
            choice._replace(placements=choice.placements & useful[choice.board])
            for choice in choices
        ]
        return [choice for choice in found if choice.placements]

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
            standing[seat] = self._length_with(board, placed.walk, origin)
            glances.append((-ahead(standing, seat, self.scale), number))
        glances.sort()
        return [tokens[number] for _, number in glances[:MOST_WEIGHED]]

    def length_after(self, token: Token) -> int:
        """Return the length of the mover's longest snake after a move."""
        if token == PASS:
            return self.best[self.turn]
        board, number, origin = token
        return self._length_with(
            board, self.terms.tables[self.turn].placements[number].walk, origin
        )

    def _length_with(self, board: int, walk: tuple[Cell, ...], origin: Spot | None) -> int:
        """Return the length of the mover's longest snake after a tile is laid."""
        ends, around = self.ground.ends[self.turn], self.ground.boards.around
        length, met = len(walk), set()
        for cell in (walk[0], walk[-1])[: len(walk)]:
            for q, r in around[cell]:
                end = ends.get((board, q, r))
                if end is not None and (board, q, r) not in met:
                    length += end[1]
                    met |= {(board, q, r), end[0]}
        if origin is not None and origin not in met:
            length += ends[origin][1]
        return max(length, self.best[self.turn])

    def _tokens(self, choices: list[Choice], rng: random.Random, most: int | None) -> list[Token]:
        """Return all tokens of some choices, or a random sample of at most ``most``."""
        table = self.terms.tables[self.turn]
        size = len(table.placements)
        counts = [choice.placements.bit_count() for choice in choices]
        if most is None or sum(counts) <= most:
            return [
                (choice.board, number, choice.origin)
                for choice in choices
                for number in table.chosen(choice.placements, range(size))
            ]
        picked: dict[Token, None] = {}
        for board, bits, origin, _ in rng.choices(choices, counts, k=most):
            # The next set bit below a random one: slightly biased, but many times faster.
            below = bits & ((2 << rng.randrange(bits.bit_length())) - 1)
            picked[board, size - (below or bits).bit_length(), origin] = None
        return list(picked)

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
        table, boards, longest = self.terms.tables[seat], self.ground.boards, self.best[seat]
        doors: set[Spot] = set()
        drills: set[Spot] = set()
        live = 0
        for end, (_, length) in self.ground.ends[seat].items():
            if length < longest:
                continue
            board, cell = end[0], end[1:]
            here = ways[board] & (table.first_touching[cell] | table.last_touching[cell])
            flat = [(board, *near) for near in boards.around[cell] if here & table.covering[near]]
            onto = table.first_on[cell] | table.last_on[cell]
            down = [(beside, *cell) for beside in boards.beside[board] if ways[beside] & onto]
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
        has, ground, longest = self.has[seat], self.ground, self.best[seat]
        if not longest:
            return [ground.fit(seat, n).legal & has for n in range(len(ground.boards.beside))]
        found = [0] * len(ground.boards.beside)
        if not has:
            return found
        table = self.terms.tables[seat]
        for end, (_, length) in ground.ends[seat].items():
            if length < longest:
                continue
            board, cell = end[0], end[1:]
            beside_end = table.first_touching[cell] | table.last_touching[cell]
            found[board] |= ground.fit(seat, board).legal & has & beside_end
            for other in ground.boards.beside[board]:
                found[other] |= ground.onto(seat, other, (end,)) & has
        return found

    def moves_left(self, seat: int) -> int:
        """Return how many placements a seat has, drills not counted."""
        has, boards = self.has[seat], range(len(self.ground.boards.beside))
        return sum((self.ground.fit(seat, board).legal & has).bit_count() for board in boards)

    # --- to the rule book ------------------------------------------------------------------------

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
    return covering(table, cells)


def hex_world(position: HexPosition) -> HexWorld | None:
    """Return the world of a position; ``None`` in the advanced game or with far drills."""
    agreed, players = position.agreed, position.players
    if agreed.advanced or agreed.far_drill:
        return None
    terms = Terms(
        players,
        position.ground.boards.tables,
        tuple(
            {shape: len(path_cells(path)) for shape, path in agreed.paths[player]}
            for player in players
        ),
        agreed.numbered,
        agreed.begins_with_1,
        growths()["snekagon5g" if agreed.numbered else "snekagon"],
    )
    world = HexWorld(terms, position.ground, [position.left[player] for player in players])
    world.turn = players.index(position.to_move)
    world.is_begun = bool(position.pieces)
    return world
