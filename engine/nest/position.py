"""Positions of Schlangennest: cards, snakes, stocks, and what the players agreed on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from engine.lattice import Cell, bounding_box
from engine.snakes import Card, Cards, Chain, End, Web, join, trace
from engine.tiles import TileKind, TileSet

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
        return box is None or self.has_room(box, (box[0], box[1]))

    def has_room(self, within: Box | None, cell: Cell) -> bool:
        """Say whether cards within a bounding box and one more in a cell fit in the field."""
        if self.box is not None:
            x0, y0, x1, y1 = self.box
            left, top, right, bottom = stretched(within, cell)
            return x0 <= left and y0 <= top and right <= x1 and bottom <= y1
        if self.size is None:
            return True
        # The search asks this most, so the box is stretched here and without min and max.
        x, y = cell
        left, top, right, bottom = within or (x, y, x, y)
        wide = (x if x > right else right) - (x if x < left else left)
        high = (y if y > bottom else bottom) - (y if y < top else top)
        a, b = self.size
        return (wide < a and high < b) or (wide < b and high < a)


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

    def is_judged(self, laid: Card) -> bool:
        """Say whether a card must lie in the field: set-up cards that fix the border need not."""
        return laid.kind.shape in FIELD_SHAPES and (
            self.field.box is None or self.owner(laid.kind.colour) is not None
        )

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
    def kinds(self) -> Mapping[str, tuple[TileKind, ...]]:
        """By colour: its cards, in the order of the shapes."""
        named = self.box.kinds
        return {c: tuple(named[f"{c}/{shape}"] for shape in SHAPES) for c in COLOURS}

    @cached_property
    def web(self) -> Web:
        """The chains of all cards; they grow with ``with_card``."""
        return trace(self.cards)

    @cached_property
    def bounds(self) -> Box | None:
        """The bounding box of the judged cells, without those let stand outside the field."""
        return bounding_box(cell for cell in self.judged_cells if cell not in self.outside)

    @property
    def judged_cells(self) -> tuple[Cell, ...]:
        """The cells of straights and curves; set-up cards that fix the border are left out."""
        return tuple(cell for cell, laid in self.cards.items() if self.agreed.is_judged(laid))

    @cached_property
    def is_joined(self) -> bool:
        """Whether colours are joined already: by the set-up, or as people let it stand."""
        return any(len(snake.colours) > 1 for snake in self.web.coloured)

    def of(self, player: str, acted: tuple[str, ...] = ()) -> NestPosition:
        """Return the position with a player to move; what is known of the cards stays known."""
        other = object.__new__(NestPosition)
        other.__dict__.update(self.__dict__, to_move=player, acted=acted)
        return other

    def with_card(self, cell: Cell, laid: Card, joined: list[Chain] | None = None) -> NestPosition:
        """Return the position after a card is laid, before the turn passes on.

        ``joined`` are the chains over the card, if they are known.
        """
        if cell in self.cards:
            outside = self.outside | {cell} if self.lies_outside(cell, laid) else self.outside
            return replace(self.with_swap(cell, laid), outside=outside)
        after = self.copy()
        after.grow(cell, laid, joined or join(self.web, cell, laid))
        return after

    def copy(self) -> NestPosition:
        """Return an equal position for ``grow``."""
        other, web = self.of(self.to_move, self.acted), self.web.copy()
        other.__dict__.update(web=web, cards=web.cards)
        return other

    def grow(self, cell: Cell, laid: Card, joined: list[Chain]) -> None:
        """Lay a card in an empty cell, in place: for who has a copy of his own."""
        known = self.__dict__
        self.web.lay(cell, laid, joined)
        if self.lies_outside(cell, laid):
            known["outside"] = self.outside | {cell}
        elif self.agreed.is_judged(laid):
            known["bounds"] = stretched(self.bounds, cell)
        known["acted"] = (*self.acted, laid.kind.colour or "")
        known.pop("is_joined", None)

    def with_swap(self, cell: Cell, laid: Card) -> NestPosition:
        """Return the position after a card is turned, or swapped for another."""
        cards, acted = {**self.cards, cell: laid}, (*self.acted, laid.kind.colour or "")
        return NestPosition(self.box, self.agreed, cards, self.to_move, acted, self.outside)

    def lies_outside(self, cell: Cell, laid: Card) -> bool:
        """Say whether a straight or curve in a cell does not fit the field (ruling 6)."""
        return laid.kind.shape in FIELD_SHAPES and self.is_outside(cell)

    def is_outside(self, cell: Cell) -> bool:
        """Say whether the field cannot hold a straight or curve in a cell."""
        return not self.agreed.field.has_room(self.bounds, cell)

    def left(self, tile: str) -> int:
        """Return how many of a tile are still in its stock."""
        return self.box[tile].count - self.web.laid.get(tile, 0)

    def has_begun(self, colour: str) -> bool:
        """Say whether a card of the colour lies on the table."""
        return colour in self.web.snakes

    @property
    def has_any_begun(self) -> bool:
        """Whether a card of any player lies on the table."""
        snakes = self.web.snakes
        return any(colour in snakes for own in self.agreed.colours.values() for colour in own)

    def ends(self, colour: str) -> list[End]:
        """Return the open ends of a colour's snake."""
        return [end for snake in self.web.snakes.get(colour, ()) for end in snake.ends]

    def is_loop(self, colour: str) -> bool:
        """Say whether a colour's snake is a closed loop (ruling 7)."""
        pieces = self.web.of_colour(colour)
        for piece in pieces:
            if piece.ends:
                return False
        return any(piece.is_loop() for piece in pieces)

    def is_finished(self, colour: str) -> bool:
        """Say whether a snake has begun and has no open end left, other than a loop (ruling 8)."""
        pieces = self.web.of_colour(colour)
        for piece in pieces:
            if piece.ends or not piece.caps:
                return False
        return bool(pieces)


def stretched(box: Box | None, cell: Cell) -> Box:
    """Return a bounding box extended by one cell."""
    x, y = cell
    if box is None:
        return (x, y, x, y)
    # Comparing is twice as fast as min and max.
    left, top, right, bottom = box
    return (
        x if x < left else left,
        y if y < top else top,
        x if x > right else right,
        y if y > bottom else bottom,
    )
