"""A carnival in progress: tiles, hats, tokens, the pile as far as it is known, the last round."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Literal

from engine.carnival.snakes import House, Snake, trace_snakes
from engine.lattice import Cell
from engine.snakes import Cards
from engine.tiles import TileKind, TileSet

NOTHING: Mapping[str, int] = MappingProxyType({})
RESHUFFLES_THAT_BRING_BACK = 2
"""Ruling 11: from the second reshuffle on, replaced tiles leave the game (R)."""


@dataclass(frozen=True, slots=True)
class Hat:
    """A hat on the table and the head that wears it."""

    tile: str
    at: Cell
    """The cell in front of the head, or the head's own where that was taken."""
    snake: str | None
    """The colour of the head; ``None`` where the table does not tell."""
    maybe: tuple[str, ...] = ()
    """Where the table does not tell: the colours it could be."""


@dataclass(frozen=True, slots=True)
class Token:
    """What somebody has for laying a diamond (ruling 7)."""

    player: str | None
    """Who laid it; ``None`` where the table does not tell."""
    cell: Cell
    worth: int | None = None
    """Its points once a log has replaced the tile; until then the troubles beside it decide."""


@dataclass(frozen=True, slots=True)
class Supply:
    """The draw pile, the discard and what left the game, as far as they can be known.

    Everybody draws one tile a turn, also with a pass (ruling 11), so the size of the pile is
    known from the start of a game; not so in a game taken up in its middle.
    """

    pile: int | None
    """Tiles to draw; ``None`` where that is not known."""
    discard: Mapping[str, int] = field(default_factory=lambda: NOTHING)
    """Replaced tiles that wait for the next reshuffle: nobody can hold these."""
    reshuffles: int = 0
    gone: Mapping[str, int] = field(default_factory=lambda: NOTHING)
    """Replaced tiles that left the game."""

    def after(self, replaced: str | None) -> Supply:
        """Return the supply after a turn: a replaced tile is put away, one tile is drawn."""
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
            return replace(self, pile=self.pile - 1)
        if not self.discard:
            return self
        pile = sum(self.discard.values()) - 1
        return replace(self, pile=pile, discard=NOTHING, reshuffles=self.reshuffles + 1)


@dataclass(frozen=True, slots=True)
class LastRound:
    """How far the last round has come: heads are laid, then hats (ruling 9)."""

    phase: Literal["heads", "hats"] = "heads"
    out: frozenset[str] = frozenset()
    """Who has passed in this phase: skipped until it ends."""


@dataclass(frozen=True, slots=True)
class Agreed:
    """What the players agreed on before the game."""

    colours: Mapping[str, tuple[str, ...]]
    """By player: one colour, or two."""
    asks: bool = False
    """What players say of their hands is asked for and checked, not taken on trust."""

    def owner(self, colour: str | None) -> str | None:
        """Return who plays a colour; nobody plays one that is left out."""
        return next((p for p, own in self.colours.items() if colour in own), None)


@dataclass(frozen=True)
class CarnivalPosition:
    """All that the table shows and the players have said."""

    box: TileSet
    """Colours that nobody plays have no tiles in it."""
    agreed: Agreed
    house: House
    cards: Cards
    """Every tile but a hat that lies on a head."""
    to_move: str
    supply: Supply
    hats: tuple[Hat, ...] = ()
    tokens: tuple[Token, ...] = ()
    earlier_tokens: Mapping[str, int] = field(default_factory=lambda: NOTHING)
    """A game taken up in its middle: tokens by player that belong to no tile in particular."""
    last_round: LastRound | None = None

    @property
    def players(self) -> tuple[str, ...]:
        """The players in turn order."""
        return tuple(self.agreed.colours)

    @cached_property
    def snakes(self) -> Mapping[str, Snake]:
        """The snakes in play by colour."""
        return trace_snakes(self.cards, self.house)

    @cached_property
    def laid(self) -> Mapping[str, int]:
        """How many of each tile lie on the table."""
        on_heads = (hat.tile for hat in self.hats if self._lies_on_a_head(hat))
        return Counter([card.tile for card in self.cards.values()]) + Counter(on_heads)

    def left(self, kind: TileKind) -> int:
        """Return how many of a tile somebody may still lay."""
        away = self.supply.gone.get(kind.name, 0) + self.supply.discard.get(kind.name, 0)
        return kind.count - self.laid.get(kind.name, 0) - away

    def kinds_left(self, roles: Iterable[str]) -> list[TileKind]:
        """Return the kinds of some roles that are left, in the box's order."""
        wanted = set(roles)
        return [k for k in self.box.kinds.values() if k.role in wanted and self.left(k) > 0]

    def role_at(self, cell: Cell) -> str | None:
        """Return the role of the tile in a cell, if one lies there."""
        laid = self.cards.get(cell)
        return laid.kind.role if laid else None

    def snakes_at_end(self, cell: Cell) -> list[Snake]:
        """Return the snakes whose free end points at an empty cell."""
        return [snake for snake in self.snakes.values() if snake.grows_at(cell)]

    @cached_property
    def snake_at(self) -> Mapping[Cell, Snake]:
        """The snake that each tile belongs to; of a crossing log, one of them."""
        return {step.cell: snake for snake in self.snakes.values() for step in snake.steps}

    def bare_heads(self) -> list[Snake]:
        """Return the snakes with a head and no hat."""
        hatted = {hat.snake for hat in self.hats}
        return [
            snake for snake in self.snakes.values() if snake.front and snake.colour not in hatted
        ]

    def _lies_on_a_head(self, hat: Hat) -> bool:
        return self.role_at(hat.at) != "hat"


def _one_more(counts: Mapping[str, int], tile: str) -> Mapping[str, int]:
    return MappingProxyType({**counts, tile: counts.get(tile, 0) + 1})
