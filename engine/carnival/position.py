"""Positions of Carnival: tiles, hats, tokens, the pile as far as it is known, the last round."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Literal

from engine.carnival.snakes import SNAKE_TILES, House, Snake, trace_snake, trace_snakes
from engine.game import in_order_from
from engine.lattice import Cell, square_neighbours
from engine.snakes import Card, Cards
from engine.tiles import TileKind, TileSet

NOTHING: Mapping[str, int] = MappingProxyType({})
NEVER_REPLACED = frozenset({"gift", "trouble", "house", "head", "hat", "crossing-log"})
RESHUFFLES_THAT_BRING_BACK = 2
"""The number of reshuffles after which replaced tiles leave the game (ruling 11, R)."""


@dataclass(frozen=True, slots=True)
class Hat:
    """A hat on the table and the head that wears it."""

    tile: str
    at: Cell
    """The cell in front of the head, or the head's own cell if the one in front was taken."""
    snake: str | None
    """The colour of the head; ``None`` if the table does not show it."""
    maybe: tuple[str, ...] = ()
    """The possible colours of the head if ``snake`` is ``None``."""


@dataclass(frozen=True, slots=True)
class Token:
    """A player's reward for laying a diamond (ruling 7)."""

    player: str | None
    """The player who laid the diamond; ``None`` if the table does not show it."""
    cell: Cell
    worth: int | None = None
    """Points, fixed once a log has replaced the diamond; ``None`` while troubles still count."""


@dataclass(frozen=True, slots=True)
class Supply:
    """The draw pile, the discard and the tiles out of the game, as far as they are known.

    Every turn draws one tile, a pass too (ruling 11), so the size of the pile is known in a game
    that is followed from its start, but not in a game that starts in progress.
    """

    pile: int | None
    """The number of tiles to draw; ``None`` if it is not known."""
    discard: Mapping[str, int] = field(default_factory=lambda: NOTHING)
    """Replaced tiles that wait for the next reshuffle; they are in nobody's hand."""
    reshuffles: int = 0
    gone: Mapping[str, int] = field(default_factory=lambda: NOTHING)
    """Replaced tiles that left the game."""

    def after(self, replaced: str | None) -> Supply:
        """Return the supply after a turn: a replaced tile is discarded, one tile is drawn."""
        if self.pile is None:
            return self
        supply = self
        if replaced is not None and self.reshuffles >= RESHUFFLES_THAT_BRING_BACK:
            supply = replace(self, gone=_one_more(self.gone, replaced))
        elif replaced is not None:
            supply = replace(self, discard=_one_more(self.discard, replaced))
        return supply._drawn()

    def _drawn(self) -> Supply:
        assert self.pile is not None
        if self.pile:
            return Supply(self.pile - 1, self.discard, self.reshuffles, self.gone)
        if not self.discard:
            return self
        pile = sum(self.discard.values()) - 1
        return replace(self, pile=pile, discard=NOTHING, reshuffles=self.reshuffles + 1)


@dataclass(frozen=True, slots=True)
class LastRound:
    """The state of the last round: heads are laid, then hats (ruling 9)."""

    phase: Literal["heads", "hats"] = "heads"
    out: frozenset[str] = frozenset()
    """The players who have passed in this phase and are skipped until it ends."""


@dataclass(frozen=True)
class Agreed:
    """What the players agreed on before the game."""

    colours: Mapping[str, tuple[str, ...]]
    """By player: one colour, or two."""
    asks: bool = False
    """Whether players must declare facts about their hands, instead of being trusted."""
    logs_spoil_gifts: bool = False
    """Whether a log takes the worth of the whole gift beside it, not of its own side (ruling 8)."""

    @cached_property
    def players(self) -> tuple[str, ...]:
        """The players in turn order."""
        return tuple(self.colours)

    @cached_property
    def _owners(self) -> Mapping[str | None, str]:
        return {colour: player for player, own in self.colours.items() for colour in own}

    def owner(self, colour: str | None) -> str | None:
        """Return the player of a colour, ``None`` if nobody plays it."""
        return self._owners.get(colour)


@dataclass(frozen=True)
class CarnivalPosition:
    """Everything that the table shows and the players have said."""

    box: TileSet
    """The box; tiles of colours that nobody plays have count 0."""
    agreed: Agreed
    house: House
    cards: Cards
    """Every tile on the table, except hats that lie on heads."""
    to_move: str
    supply: Supply
    hats: tuple[Hat, ...] = ()
    tokens: tuple[Token, ...] = ()
    earlier_tokens: Mapping[str, int] = field(default_factory=lambda: NOTHING)
    """Tokens by player without a known tile, in a game that starts in progress."""
    last_round: LastRound | None = None

    @property
    def players(self) -> tuple[str, ...]:
        """The players in turn order."""
        return self.agreed.players

    # --- what grows with the tiles -----------------------------------------------------------

    @cached_property
    def snakes(self) -> Mapping[str, Snake]:
        """The snakes in play by colour."""
        return trace_snakes(self.cards, self.house)

    @cached_property
    def laid(self) -> Mapping[str, int]:
        """How many of each tile lie on the table."""
        on_heads = (hat.tile for hat in self.hats if self.role_at(hat.at) != "hat")
        return Counter([card.tile for card in self.cards.values()]) + Counter(on_heads)

    @cached_property
    def runs_through(self) -> Mapping[Cell, tuple[Snake, tuple[int, ...]]]:
        """By cell: the snake that runs through the tile, and the sides by which it is connected.

        A crossing log may carry two snakes, of which this has one.
        """
        return {
            step.cell: (snake, (step.entry, step.leave) if following else (step.entry,))
            for snake in self.snakes.values()
            for step, following in zip(snake.steps, (*snake.steps[1:], None), strict=False)
        }

    @cached_property
    def beside_snakes(self) -> list[Cell]:
        """The empty cells that touch a tile of a snake."""
        beside = {
            near
            for at, laid in self.cards.items()
            if laid.kind.role in SNAKE_TILES
            for near in square_neighbours(at)
        }
        return sorted(beside - self.cards.keys())

    @cached_property
    def replaceable(self) -> list[tuple[Cell, TileKind, tuple[int, ...]]]:
        """The tiles that something may replace: cell, kind, and the sides that stay connected."""
        found, loose = self.runs_through, (None, ())
        return [
            (cell, laid.kind, found.get(cell, loose)[1])
            for cell, laid in sorted(self.cards.items(), key=lambda item: item[0])
            if laid.kind.role not in NEVER_REPLACED
        ]

    def but(self, **changes: object) -> CarnivalPosition:
        """Return the position with some fields changed, none of which is ``cards``."""
        other = object.__new__(CarnivalPosition)
        other.__dict__.update(self.__dict__, **changes)
        if "hats" in changes:
            other.__dict__.pop("laid", None)
        return other

    def with_tile(self, cell: Cell, laid: Card) -> CarnivalPosition:
        """Return the position with a tile in a cell, where another may lie.

        Only the snakes that the tile meets are traced, from there on.
        """
        cards, snakes, counts = {**self.cards, cell: laid}, dict(self.snakes), dict(self.laid)
        for colour, snake in self.snakes.items():
            known = snake.before(cell)
            if known is not None:
                snakes[colour] = trace_snake(cards, self.house, colour, known)
        counts[laid.tile] = counts.get(laid.tile, 0) + 1
        if cell in self.cards:
            counts[self.cards[cell].tile] -= 1
        other = self.but(cards=cards, snakes=snakes, laid=counts)
        for found in ("runs_through", "beside_snakes", "replaceable"):
            other.__dict__.pop(found, None)
        return other

    # --- asked of a position -----------------------------------------------------------------

    def left(self, kind: TileKind) -> int:
        """Return how many copies of a kind are not laid, discarded or out of the game."""
        away = self.supply.gone.get(kind.name, 0) + self.supply.discard.get(kind.name, 0)
        return kind.count - self.laid.get(kind.name, 0) - away

    def kinds_left(self, roles: Iterable[str]) -> list[TileKind]:
        """Return the kinds with one of the roles that are left, in the box's order."""
        wanted = set(roles)
        return [k for k in self.box.kinds.values() if k.role in wanted and self.left(k) > 0]

    def role_at(self, cell: Cell) -> str | None:
        """Return the role of the tile in a cell, if one lies there."""
        laid = self.cards.get(cell)
        return laid.kind.role if laid else None

    def snakes_at_end(self, cell: Cell) -> list[Snake]:
        """Return the snakes whose free end points at an empty cell."""
        return [snake for snake in self.snakes.values() if snake.grows_at(cell)]

    def bare_heads(self) -> list[Snake]:
        """Return the snakes with a head and no hat."""
        hatted = {hat.snake for hat in self.hats}
        return [
            snake for snake in self.snakes.values() if snake.front and snake.colour not in hatted
        ]

    # --- turns and the last round (ruling 9) -------------------------------------------------

    @property
    def is_over(self) -> bool:
        """Whether all players have passed on hats, or no hat or no bare head is left."""
        last = self.last_round
        if last is None or last.phase == "heads":
            return False
        return not (self._in_phase(last) and self.bare_heads() and self.kinds_left({"hat"}))

    def settled(self) -> CarnivalPosition:
        """Return the position with the turn at the next player who is still in the phase.

        When nobody is left to lay a head, the hats phase begins with the next player in turn order.
        """
        last = self.last_round
        if last is None:
            return self
        left = self._in_phase(last)
        if not left and last.phase == "heads":
            return self.but(last_round=LastRound("hats"))
        in_order = in_order_from(self.players, self.to_move)
        return self.but(to_move=next((p for p in in_order if p in left), self.to_move))

    def _in_phase(self, last: LastRound) -> set[str]:
        """Return the players who have not passed and, in the heads phase, have heads left.

        Hands are hidden. A pass declares that the player has no head (or hat) to lay; it is
        believed, and the player is out of that phase.
        """
        in_it = set(self.players) - last.out
        if last.phase == "hats":
            return in_it
        heads = {kind.colour for kind in self.kinds_left({"head"})}
        return {player for player in in_it if heads & set(self.agreed.colours[player])}


def _one_more(counts: Mapping[str, int], tile: str) -> Mapping[str, int]:
    return MappingProxyType({**counts, tile: counts.get(tile, 0) + 1})
