"""Search world of Sssnake: cached fields, random rolls and draws."""

from __future__ import annotations

import random
from collections.abc import Sequence
from copy import copy

from engine.draws import DIE, SssnakePosition
from engine.fields import SnakeField
from engine.game import Move
from engine.lattice import Cell
from engine.play.world import Token, World, ahead
from engine.snakes import card
from engine.tiles import TileSet

UNREACHABLE = -1000.0
"""The score of a snake that can no longer be closed."""
HOPELESS, CLOSED = -9.0, 9.0
NEAR = (
    (1.0, 1.86, 2.60, 2.80),
    (0.5, 1.10, 1.74, 1.65),
    (0.2, 0.60, 1.20, 1.10),
    (0.0, 0.26, 0.40, 0.74),
)
"""Log-odds to win, fitted to the ends of 400 games. Rows: 1 to 4 missing cards. Columns: nothing
helps, a curve helps, a straight helps, both help."""
FAR = (0.06, -0.21, -0.69, -1.04, -1.24, -1.51, -1.82, -2.14, -2.4)
"""Log-odds to win from 5 missing cards on, whichever card helps."""
MOST_REMEMBERED = 20_000
"""The capacity of the cache of fields: some 60 MB."""


class Memory:
    """The box, and the fields met during the search for one move."""

    def __init__(self, box: TileSet) -> None:
        self.box = box
        self._kept = 0

    def after(self, field: SnakeField, tile: str, cell: Cell, turns: int) -> SnakeField:
        """Return the field with one card more."""
        key = (tile, cell, turns)
        found = field.grown.get(key)
        if found is None:
            found = field.with_card(cell, card(self.box[tile], turns))
            if self._kept < MOST_REMEMBERED:
                self._kept += 1
                field.grown[key] = found
        return found

    def helps(self, field: SnakeField, tile: str) -> bool:
        """Say whether a card can bring a snake nearer to being closed."""
        if tile not in self.box:
            return False
        return any(
            (self.after(field, tile, cell, turns).missing or 0) < (field.missing or 0)
            for cell, turns, _ in field.ways(self.box[tile])
        )

    def worth(self, field: SnakeField) -> float:
        """Return how near a snake is to being closed, as log-odds to win."""
        known: float | None = field.__dict__.get("worth")
        if known is None:
            known = field.__dict__["worth"] = self._worth(field)
        return known

    def _worth(self, field: SnakeField) -> float:
        missing = field.missing
        if missing is None:
            return HOPELESS
        if not missing:
            return CLOSED
        if missing > len(NEAR):
            return FAR[min(missing - len(NEAR) - 1, len(FAR) - 1)]
        helps = [self.helps(field, tile) for tile in ("straight", "curve")]
        return NEAR[missing - 1][2 * helps[0] + helps[1]]


class SssnakeWorld(World):
    """Fields, what is left of the pile, and what was rolled and drawn."""

    hides = True
    scale = 1.0
    turn = 0

    def __init__(self, memory: Memory, players: tuple[str, ...], kinds: tuple[str, ...]) -> None:
        self.memory = memory
        self.players = players
        self.kinds = kinds
        self.seats = len(players)
        self.fields: list[SnakeField] = []
        self.left: list[int] = []
        self.roller = 0
        self.value = 0
        self.hand: tuple[str, ...] = ()
        self.own = 0
        self.to_roll = False
        """Whether the roll is still to come; every deal then rolls anew."""

    def copy(self) -> SssnakeWorld:
        """Return a copy to play on."""
        other = copy(self)
        other.fields, other.left = self.fields.copy(), self.left.copy()
        return other

    def deal(self, rng: random.Random) -> SssnakeWorld:
        """Return a copy, with a random roll if one is due; later draws are random too."""
        other = self.copy()
        if self.to_roll:
            other.to_roll = False
            other._roll(rng)
            other._find_turn()
        return other

    # --- moves ---------------------------------------------------------------------------------

    def is_over(self) -> bool:
        """Say whether a snake is closed, or no card is in hand and none can be drawn."""
        return self.is_closed() or not (self.hand or (self.to_roll and sum(self.left)))

    def moves(self) -> list[Token]:
        """Return every way to lay a card in hand, or to discard one when none fits."""
        if self.is_over():
            return []
        if self.own:
            return self._laid(self.roller) or [(tile,) for tile in sorted(set(self.hand))]
        left = (self.roller + 1) % self.seats
        return self._laid(left) or self._laid(self.roller) or [(self.hand[0],)]

    def _laid(self, owner: int) -> list[Token]:
        field, box, may_close = self.fields[owner], self.memory.box, self.own <= 1
        return [
            (tile, owner, cell, turns)
            for tile in dict.fromkeys(self.hand)
            for cell, turns, closes in field.ways(box[tile])
            if may_close or not closes
        ]

    def prospects(self, rng: random.Random, most: int | None = None) -> list[tuple[float, Token]]:
        """Return the legal moves, each with the lead that it gives."""
        moves = self.moves()
        if len(moves) == 1:
            return [(0.0, moves[0])]
        standing = self.standing()
        found = []
        for token in moves:
            after = standing
            if len(token) == 4:
                tile, owner, cell, turns = token
                after = standing.copy()
                grown = self.memory.after(self.fields[owner], tile, cell, turns)
                after[owner] = self.memory.worth(grown)
            found.append((ahead(after, self.turn, self.scale), token))
        return found

    # --- playing -------------------------------------------------------------------------------

    def play(self, token: Token, rng: random.Random) -> None:
        """Lay or discard a card; when the hand is empty, the next player rolls and draws."""
        tile, *place = token
        if place:
            owner, cell, turns = place
            self.fields[owner] = self.memory.after(self.fields[owner], tile, cell, turns)
        hand = list(self.hand)
        hand.remove(tile)
        self.hand = tuple(hand)
        self.own = max(0, self.own - 1)
        self.omen = None
        if not hand and not self.is_closed():
            self.roller = (self.roller + 1) % self.seats
            self._roll(rng)
        self._find_turn()

    def is_closed(self) -> bool:
        """Say whether any snake is closed."""
        return any([field.is_closed for field in self.fields])

    def _roll(self, rng: random.Random) -> None:
        self.value = rng.choice(DIE)
        drawn = []
        for _ in range(min(self.value, sum(self.left))):
            (kind,) = rng.choices(range(len(self.kinds)), self.left)
            self.left[kind] -= 1
            drawn.append(self.kinds[kind])
        self.hand = tuple(sorted(drawn))
        self.own = min(self.value - 1, len(drawn))
        self.omen = (self.value, self.hand)

    def _find_turn(self) -> None:
        """Set the seat to move: the roller, or the neighbour if the card given away fits there."""
        left = (self.roller + 1) % self.seats
        self.turn = self.roller
        if self.hand and self.value > 1 and not self.own:
            fits = self.fields[left].ways(self.memory.box[self.hand[0]])
            self.turn = left if fits else self.roller

    # --- what it is worth ----------------------------------------------------------------------

    def points(self) -> Sequence[float]:
        """Return minus the number of missing cards of every seat."""
        return [UNREACHABLE if f.missing is None else -f.missing for f in self.fields]

    def standing(self) -> list[float]:
        """Return how near every snake is to being closed, as log-odds to win."""
        return [self.memory.worth(field) for field in self.fields]

    # --- to the rule book ------------------------------------------------------------------------

    def move(self, token: Token) -> Move:
        """Return a move in the form of the records."""
        tile, *place = token
        if not place:
            return Move(self.players[self.roller], "discard", tile)
        owner, cell, turns = place
        player = self.players[self.turn]
        return Move(player, "place", tile, cell, turns, snake=self.players[owner])


def sssnake_world(position: SssnakePosition) -> SssnakeWorld | None:
    """Return the world of a position; ``None`` on trust or when cards in hand are not told."""
    turn = position.turn
    if position.on_trust or None in turn.hand:
        return None
    world = SssnakeWorld(Memory(position.box), position.players, position.pile_kinds)
    world.fields = [copy(field) for field in position.fields]
    world.left = [max(0, position.left[kind]) for kind in position.pile_kinds]
    world.roller, world.value = turn.roller, turn.value or 0
    world.hand = tuple(tile for tile in turn.hand if tile is not None)
    world.own, world.to_roll = turn.own, turn.value is None
    world._find_turn()
    return world
