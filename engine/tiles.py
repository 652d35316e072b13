"""Tiles as printed, and the box they come in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal

from engine.lattice import Cell

GREY = "grey"
"""The colour of strands that belong to no player until a coloured strand joins them."""


@dataclass(frozen=True, slots=True)
class Strand:
    """One piece of snake on a card."""

    edges: tuple[int, ...]
    """The edges where the strand leaves the card: two, or one for a cap."""
    colour: str = GREY
    """A player's colour, or grey."""
    cap: str | None = None
    """``"head"`` or ``"tail"`` where the snake ends on the card."""


@dataclass(frozen=True, slots=True)
class Exit:
    """Where a snake leaves a card of several cells, or a house."""

    cell: Cell
    edge: int
    name: str
    """``"head"``, ``"tail"`` or, on a house, the colour that leaves here."""


@dataclass(frozen=True, slots=True, eq=False)
class TileKind:
    """A kind of tile in the box: its name, its print, and the number of copies.

    Kinds are compared by identity, so that hashing them is fast.
    """

    name: str
    """The name in records: ``blue/curve``, ``red/4/0+``, ``log/corner``."""
    shape: str
    """The name without its colour: ``curve``, ``4/0+``."""
    colour: str | None
    count: int
    strands: tuple[Strand, ...] = ()
    """The strands of a square card at turns 0."""
    cells: tuple[Cell, ...] = ((0, 0),)
    """The cells covered at turns 0, the first at ``(0, 0)``."""
    exits: tuple[Exit, ...] = ()
    role: str = ""
    """The function in the rules where strands do not show it: ``gift``, ``log``, ``knot``, …"""
    points: int = 0
    """Printed points."""
    period: int = 4
    """Quarter turns after which the card looks the same: 1, 2 or 4."""
    path: str | None = None
    """The turns of a hex tile: ``0`` straight on, ``+`` right, ``-`` left."""

    def turned(self, turns: int) -> tuple[Strand, ...]:
        """Return the strands after a number of quarter turns clockwise."""
        return tuple(
            Strand(tuple((e + turns) % 4 for e in s.edges), s.colour, s.cap) for s in self.strands
        )


@dataclass(frozen=True)
class TileSet:
    """All kinds of tile in a box, and how many of each."""

    name: str
    game: str
    lattice: Literal["square", "hex"]
    colours: tuple[str, ...]
    kinds: Mapping[str, TileKind]
    """The kinds by name, in the order of the set file."""
    pitch_mm: float = 45.0
    """Side of a square card, or flat-to-flat width of a hex cell, in millimetres."""
    extras: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    """Keys of the set file that only one game needs, such as board side and eyes."""
    title: str = ""
    """The name of the box on paper and on the page."""

    def __getitem__(self, name: str) -> TileKind:
        """Return the kind with this name."""
        return self.kinds[name]

    def __contains__(self, name: object) -> bool:
        """Say whether the box has such a tile."""
        return name in self.kinds

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """How many of each tile a full box has."""
        return MappingProxyType({name: kind.count for name, kind in self.kinds.items()})

    def of_colour(self, colour: str | None) -> tuple[TileKind, ...]:
        """Return the kinds of one colour (``None``: the neutral ones), in the box's order."""
        return tuple(kind for kind in self.kinds.values() if kind.colour == colour)
