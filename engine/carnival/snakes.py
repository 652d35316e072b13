"""The carnival's snakes: each one chain from its exit of the house to its end (ruling 1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from engine.lattice import Cell, square_neighbour
from engine.snakes import Card, Cards, End, card
from engine.tiles import GREY, TileKind, TileSet

BODY = frozenset({"plain", "diamond", "knot", "sore"})
"""Coloured tiles that grow a snake."""
PLAIN = frozenset({"plain", "diamond"})
"""Coloured tiles that one lays on another's snake only without an own one (ruling 2)."""
LOGS = frozenset({"log", "crossing-log"})
SNAKE_TILES = BODY | LOGS | {"head"}
"""What a gift or a trouble may lie beside; the house is none (ruling 3)."""


class Step(NamedTuple):
    """One tile of a snake, counted from the house."""

    cell: Cell
    entry: int
    """The side towards the house."""
    leave: int
    """The side towards the end; -1 on a head."""


class Snake(NamedTuple):
    """A chain with its owner's colour."""

    colour: str
    steps: tuple[Step, ...]
    end: End | None
    """The last exit, of a tile or of the house; a head leaves none."""
    is_blocked: bool = False
    """True when something lies on the cell that the end faces."""
    joined: str | None = None
    """The other colour that a log joins it to, which is never allowed."""

    @property
    def faces(self) -> Cell | None:
        """The cell that the end points at."""
        return square_neighbour(*self.end) if self.end else None

    @property
    def front(self) -> Cell | None:
        """The cell that the head looks at, where its hat goes."""
        last = self.steps[-1] if self.steps else None
        if last is None or last.leave >= 0:
            return None
        return square_neighbour(last.cell, last.entry ^ 2)

    def grows_at(self, cell: Cell) -> bool:
        """Say whether the end is free and points at a cell."""
        return not self.is_blocked and self.faces == cell

    def kept_edges(self, cell: Cell) -> tuple[int, ...]:
        """Return the sides by which its tile in a cell is connected, the house's among them."""
        for step, following in zip(self.steps, (*self.steps[1:], None), strict=True):
            if step.cell == cell:
                return (step.entry, step.leave) if following else (step.entry,)
        return ()


class House(NamedTuple):
    """Where the snakes begin."""

    cell: Cell
    exits: Mapping[str, int]
    """By colour in play; any other exit is a wall (R, ruling 1)."""

    def colour_at(self, cell: Cell, edge: int) -> str | None:
        """Return the colour that leaves the house by one side of a cell."""
        if cell != self.cell:
            return None
        return next((colour for colour, side in self.exits.items() if side == edge), None)


def trace_snakes(cards: Cards, house: House) -> dict[str, Snake]:
    """Follow every snake in play from its exit of the house."""
    return {colour: trace_snake(cards, house, colour) for colour in house.exits}


def trace_snake(cards: Cards, house: House, colour: str) -> Snake:
    """Follow one snake to its end.

    A log joins whatever meets it; two colours that face each other do not join (ruling 1). The
    free strand of a crossing log is run through at once by the snake that meets it (ruling 4).
    """
    cell, edge = house.cell, house.exits[colour]
    on_log = False
    steps: list[Step] = []
    while True:
        end = (cell, edge)
        cell, entry = square_neighbour(cell, edge), edge ^ 2
        met = cards.get(cell)
        if met is None:
            return Snake(colour, tuple(steps), end)
        index = met.strand_at[entry]
        there = met.strands[index].colour if index >= 0 else house.colour_at(cell, entry)
        if index < 0 or there not in (colour, GREY):
            joined = there if on_log else None
            return Snake(colour, tuple(steps), end, True, joined)
        edge = met.across[entry]
        steps.append(Step(cell, entry, edge))
        if edge < 0:
            return Snake(colour, tuple(steps), None)
        on_log = there == GREY


def joined_snakes(cards: Cards, house: House) -> tuple[str, str] | None:
    """Return two colours that a log joins, if there are such."""
    for colour in house.exits:
        joined = trace_snake(cards, house, colour).joined
        if joined is not None:
            return colour, joined
    return None


def loose_cells(cards: Cards, snakes: Iterable[Snake]) -> list[Cell]:
    """Return where snake tiles lie that no snake runs through."""
    used = {step.cell for snake in snakes for step in snake.steps}
    return sorted(
        cell for cell, laid in cards.items() if laid.kind.role in SNAKE_TILES and cell not in used
    )


def hidden_head(snake: Snake, cell: Cell, cards: Cards, box: TileSet) -> Card | None:
    """Return the head that a hat in a cell hides, where the snake's end points at it.

    A hat lies on the head only when the cell in front is taken (ruling 9).
    """
    if snake.end is None or snake.faces != cell:
        return None
    edge = snake.end[1]
    kind = next((k for k in box.of_colour(snake.colour) if k.role == "head"), None)
    if kind is None or square_neighbour(cell, edge) not in cards:
        return None
    opening = kind.strands[0].edges[0]
    return card(kind, ((edge ^ 2) - opening) % 4)


def is_straight(kind: TileKind) -> bool:
    """Say whether a tile has the straight shape; crossing logs have it too (ruling 4)."""
    one, other = kind.strands[0].edges
    return abs(one - other) == 2


def with_card(cards: Cards, cell: Cell, laid: Card) -> Cards:
    """Return the cards with one more, or with one replaced."""
    return {**cards, cell: laid}
