"""Positions of Schlangennest: cards, snakes, stocks, and what the players agreed on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from engine.lattice import Cell, bounding_box
from engine.nest.crowds import crowded_places, ends_at
from engine.snakes import Cards, Web, trace
from engine.tiles import TileSet

COLOURS = ("blue", "red", "yellow", "green")
SHAPES = ("straight", "curve", "tail", "head")
FIELD_SHAPES = ("straight", "curve")

Box = tuple[int, int, int, int]
"""A bounding box: left, top, right and bottom, all inclusive."""


@dataclass(frozen=True, slots=True)
class Field:
    """Where straights and curves may lie (ruling 6)."""

    size: tuple[int, int] | None = None
    """The size that the cards' bounding box must fit, in either orientation; ``None``: any."""
    box: Box | None = None
    """The bounds of a fixed field; ``None`` if the field grows."""

    def holds(self, box: Box | None) -> bool:
        """Say whether cards with this bounding box fit in the field."""
        if box is None:
            return True
        left, top, right, bottom = box
        if self.box is not None:
            x0, y0, x1, y1 = self.box
            return x0 <= left and y0 <= top and right <= x1 and bottom <= y1
        if self.size is None:
            return True
        wide, high = right - left + 1, bottom - top + 1
        a, b = self.size
        return (wide <= a and high <= b) or (wide <= b and high <= a)


@dataclass(frozen=True, slots=True)
class Agreed:
    """What the players agreed on before the game."""

    colours: Mapping[str, tuple[str, ...]]
    """By player: one colour, or two with the option ``two_snakes``."""
    field: Field
    tail_first: bool = False
    two_snakes: str = "off"
    irregular: bool = False
    """Whether the table was taken up with colours joined or crowds: rulings 1 and 4 then hold to
    the letter, while a joint or crowd that came about in the game is one that people let stand."""

    def owner(self, colour: str | None) -> str | None:
        """Return the player of a colour, ``None`` for a set-up colour."""
        return next((p for p, own in self.colours.items() if colour in own), None)


@dataclass(frozen=True)
class NestPosition:
    """Cards on the table and the player to move; stocks are open, so nothing is hidden (F)."""

    box: TileSet
    agreed: Agreed
    cards: Cards
    to_move: str
    acted: tuple[str, ...] = ()
    """The colours that have acted in this turn, with the option ``two_snakes``."""
    outside: frozenset[Cell] = frozenset()
    """Where people let a straight or curve stand outside the field: it does not move the border."""

    @property
    def players(self) -> tuple[str, ...]:
        """The players in turn order."""
        return tuple(self.agreed.colours)

    @cached_property
    def web(self) -> Web:
        """The chains of all cards."""
        return trace(self.cards)

    @cached_property
    def laid(self) -> Mapping[str, int]:
        """How many of each tile lie on the table."""
        return Counter(laid.kind.name for laid in self.cards.values())

    @cached_property
    def judged_cells(self) -> tuple[Cell, ...]:
        """The cells of straights and curves; set-up cards that fix the border are left out."""
        fixed = self.agreed.field.box is not None
        return tuple(
            cell
            for cell, laid in self.cards.items()
            if laid.kind.shape in FIELD_SHAPES
            and not (fixed and self.agreed.owner(laid.kind.colour) is None)
        )

    @cached_property
    def judged_box(self) -> Box | None:
        """The bounding box of the judged cells, without those let stand outside the field."""
        return bounding_box(cell for cell in self.judged_cells if cell not in self.outside)

    @cached_property
    def is_joined(self) -> bool:
        """Whether colours are joined already: by the set-up, or as people let it stand."""
        return any(len(chain.colours) > 1 for chain in self.web.chains)

    @cached_property
    def is_crowded(self) -> bool:
        """Whether the table has a crowd already: by the set-up, or one that people let stand."""
        return any(True for _ in crowded_places(ends_at(self.web), self.web.facing))

    def left(self, tile: str) -> int:
        """Return how many of a tile are still in its stock."""
        return self.box[tile].count - self.laid.get(tile, 0)

    def has_begun(self, colour: str) -> bool:
        """Say whether a card of the colour lies on the table."""
        return any(self.laid.get(f"{colour}/{shape}") for shape in SHAPES)

    def ends(self, colour: str) -> list[tuple[Cell, int]]:
        """Return the open ends of a colour's snake."""
        return [end for snake in self.web.of_colour(colour) for end in snake.ends]

    def is_loop(self, colour: str) -> bool:
        """Say whether a colour's snake is a closed loop (ruling 7)."""
        snakes = self.web.of_colour(colour)
        return any(s.is_loop() for s in snakes) and not any(s.ends for s in snakes)

    def is_finished(self, colour: str) -> bool:
        """Say whether a snake has begun and has no open end left, other than a loop (ruling 8)."""
        return self.has_begun(colour) and not self.ends(colour) and not self.is_loop(colour)


def in_order_from(players: tuple[str, ...], first: str) -> tuple[str, ...]:
    """Return the players in turn order, beginning with ``first``."""
    i = players.index(first)
    return players[i:] + players[:i]


def stretched(box: Box | None, cell: Cell) -> Box:
    """Return a bounding box extended by one cell."""
    x, y = cell
    if box is None:
        return (x, y, x, y)
    return (min(box[0], x), min(box[1], y), max(box[2], x), max(box[3], y))
