"""Tiles and snakes of Carnival: a snake is one chain from its exit of the house to its end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from engine.lattice import Cell, square_neighbour
from engine.snakes import Card, Cards, End, card
from engine.tiles import GREY, TileKind, TileSet

BODY = frozenset({"plain", "diamond", "knot", "sore"})
"""Roles of coloured tiles that extend a snake."""
PLAIN = frozenset({"plain", "diamond"})
"""Roles of coloured tiles that a player without an own one may lay for others (ruling 2)."""
LOGS = frozenset({"log", "crossing-log"})
SNAKE_TILES = BODY | LOGS | {"head"}
"""Roles that a gift or a trouble may lie beside; the house is not one (ruling 3)."""


class Step(NamedTuple):
    """One tile of a snake, in the order from the house."""

    cell: Cell
    entry: int
    """The side towards the house."""
    leave: int
    """The side towards the end; -1 on a head."""


class Snake(NamedTuple):
    """A chain of one colour that begins at the house."""

    colour: str
    steps: tuple[Step, ...]
    end: End | None
    """The open end, of a tile or of the house; ``None`` after a head."""
    faces: Cell | None
    """The cell that the end points at."""
    is_blocked: bool = False
    """Whether a tile lies on the cell that the end faces."""
    joined: str | None = None
    """The other colour that a log joins this snake to, which is never allowed."""

    @property
    def front(self) -> Cell | None:
        """The cell in front of the head, where its hat goes; ``None`` without a head."""
        last = self.steps[-1] if self.steps else None
        if last is None or last.leave >= 0:
            return None
        return square_neighbour(last.cell, last.entry ^ 2)

    def grows_at(self, cell: Cell) -> bool:
        """Say whether the end is free and points at a cell."""
        return not self.is_blocked and self.faces == cell

    def before(self, cell: Cell) -> tuple[Step, ...] | None:
        """Return the steps that a tile in a cell leaves as they are; ``None``: it meets none."""
        for number, step in enumerate(self.steps):
            if step.cell == cell:
                return self.steps[:number]
        return self.steps if self.faces == cell else None


class House(NamedTuple):
    """The house, where the snakes begin."""

    cell: Cell
    exits: Mapping[str, int]
    """The exit's edge by colour in play; any other exit is a wall (R, ruling 1)."""

    def colour_at(self, cell: Cell, edge: int) -> str | None:
        """Return the colour that leaves the house by an edge, ``None`` elsewhere."""
        if cell != self.cell:
            return None
        return next((colour for colour, side in self.exits.items() if side == edge), None)


def trace_snakes(cards: Cards, house: House) -> dict[str, Snake]:
    """Return every snake in play, traced from its exit of the house."""
    return {colour: trace_snake(cards, house, colour) for colour in house.exits}


def trace_snake(cards: Cards, house: House, colour: str, known: tuple[Step, ...] = ()) -> Snake:
    """Return one snake, traced from the house to its end; its first steps may be known.

    A log joins any colour that meets it; two colours that face each other do not join (ruling 1).
    A snake that meets the free strand of a crossing log runs through it at once (ruling 4).
    """
    cell, edge = house.cell, house.exits[colour]
    on_log = False
    if known:
        cell, entry, edge = known[-1]
        on_log = cards[cell].strands[cards[cell].strand_at[entry]].colour == GREY
    steps = list(known)
    while True:
        end = (cell, edge)
        cell, entry = square_neighbour(cell, edge), edge ^ 2
        met = cards.get(cell)
        if met is None:
            return Snake(colour, tuple(steps), end, cell)
        index = met.strand_at[entry]
        there = met.strands[index].colour if index >= 0 else house.colour_at(cell, entry)
        if index < 0 or there not in (colour, GREY):
            joined = there if on_log else None
            return Snake(colour, tuple(steps), end, cell, True, joined)
        edge = met.across[entry]
        steps.append(Step(cell, entry, edge))
        if edge < 0:
            return Snake(colour, tuple(steps), None, None)
        on_log = there == GREY


def joined_snakes(snakes: Iterable[Snake]) -> list[tuple[str, str]]:
    """Return the pairs of colours that logs join; a pair may be listed both ways."""
    return [(snake.colour, snake.joined) for snake in snakes if snake.joined is not None]


def hidden_head(snake: Snake, cell: Cell, cards: Cards, box: TileSet) -> Card | None:
    """Return the head that a hat in a cell hides, if the snake's end points at the cell.

    A hat lies on the head only when the cell in front of the head is taken (ruling 9).
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


# --- in words ------------------------------------------------------------------------------------


def named(kind: TileKind) -> str:
    """Return a tile in players' words: ``yellow corner``, ``corner log``, ``hat +3``, ``gift``."""
    first, *rest = kind.shape.split("/")
    if kind.role in LOGS:
        return " ".join((*rest, first))
    if kind.role == "trouble":
        return kind.role
    words = (kind.colour, first, *rest) if kind.colour else (first, *rest)
    return " ".join(words)
