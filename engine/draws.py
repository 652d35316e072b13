"""Positions of Sssnake: fields, pile, roll and hand, and who lays which card where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from engine.fields import BIG, SnakeField
from engine.tiles import TileSet

DIE = (1, 2, 3)


@dataclass(frozen=True, slots=True)
class Turn:
    """One player's turn: the roll, the cards drawn, and what is still to do."""

    roller: int
    value: int | None = None
    """What the die shows; ``None`` before the roll, and always where rolls are on trust."""
    hand: tuple[str | None, ...] = ()
    """Cards drawn and not laid yet; ``None`` stands for a card that is not known."""
    own: int = 0
    """How many cards of the hand go on the roller's own snake; a remaining card is given away."""

    @property
    def is_untold(self) -> bool:
        """Say whether a card becomes known only when it is laid."""
        return self.value is None or None in self.hand

    @property
    def may_close(self) -> bool:
        """Say whether the next card is the last that its player has to lay (ruling 5).

        The card to give away does not count (R), so only the first of two own cards may not close.
        """
        return self.own <= 1

    def without(self, tile: str) -> Turn | None:
        """Return the turn after a card was laid or discarded, ``None`` after the last card.

        An overruled move may use a card that is not in the hand: the hand's last card goes instead.
        """
        hand = list(self.hand)
        hand.remove(tile if tile in hand else hand[-1])
        return Turn(self.roller, self.value, tuple(hand), max(0, self.own - 1)) if hand else None


@dataclass(frozen=True)
class SssnakePosition:
    """The fields, the cards out of the game, and the turn as far as it is known."""

    box: TileSet
    players: tuple[str, ...]
    on_trust: bool
    fields: tuple[SnakeField, ...]
    """The field of each player."""
    out: Mapping[str, int]
    turn: Turn

    @cached_property
    def to_move(self) -> str:
        """The player to act; an unknown card that is given away is the neighbour's to lay."""
        turn = self.turn
        if turn.value in (None, 1) or turn.own:
            return self.players[turn.roller]
        tile = turn.hand[0]
        given_back = tile is not None and not self.fits(self.left_of(turn.roller), tile)
        return self.players[turn.roller if given_back else self.left_of(turn.roller)]

    @cached_property
    def pile_kinds(self) -> tuple[str, ...]:
        """The kinds of card in the pile, in the order of the box."""
        return tuple(name for name, kind in self.box.kinds.items() if kind.role != BIG)

    @cached_property
    def left(self) -> Mapping[str, int]:
        """By kind: the number of cards that are not laid, out of the game or known in hand."""
        gone = Counter(laid.tile for field in self.fields for laid in field.cards.values())
        gone.update(self.out)
        gone.update(tile for tile in self.turn.hand if tile is not None)
        return {name: self.box[name].count - gone[name] for name in self.pile_kinds}

    @cached_property
    def pile(self) -> int:
        """The number of cards that can still be drawn."""
        unknown = self.turn.hand.count(None)
        return max(0, sum(max(0, count) for count in self.left.values()) - unknown)

    @cached_property
    def at_hand(self) -> tuple[str, ...]:
        """The kinds of card that may be laid next; if the hand is unknown, every kind left."""
        if self.turn.is_untold:
            return tuple(tile for tile in self.pile_kinds if self.is_left(tile))
        return tuple(tile for tile in self.box.kinds if tile in self.turn.hand)

    def is_left(self, tile: str) -> bool:
        """Say whether the pile or an unknown hand can hold a card of this kind."""
        return self.left.get(tile, 0) > 0

    def left_of(self, player: int) -> int:
        """Return the left neighbour: the next in turn order."""
        return (player + 1) % len(self.players)

    def fits(self, owner: int, tile: str) -> bool:
        """Say whether a card can be laid on a snake now (ruling 4)."""
        return self.fields[owner].fits(self.box[tile], self.turn.may_close)

    def due(self, tile: str) -> tuple[tuple[int, int], ...]:
        """Return pairs of who may lay a card of this kind now, and on whose snake (ruling 4).

        The player who is given a card tries it first, and is listed even when it does not fit.
        On trust the turn is unknown: anybody may lay on their own or their left neighbour's snake.
        """
        roller, left = self.turn.roller, self.left_of(self.turn.roller)
        if self.on_trust:
            order = [(roller + i) % len(self.players) for i in range(len(self.players))]
            return tuple((p, owner) for p in order for owner in (p, self.left_of(p)))
        if self.turn.value is None:
            return ((roller, roller), (roller, left))
        if self.turn.own:
            return ((roller, roller),)
        given = (roller if self.turn.value == 1 else left, left)
        return (given,) if self.fits(left, tile) else (given, (roller, roller))
