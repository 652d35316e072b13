"""The ways a box's cards can look in a patch: which card, which of its cells, how turned."""

from __future__ import annotations

from dataclasses import dataclass

from engine.tiles import TileSet

BACK = "back"
"""Every face-down card, as table states have it."""
QUARTERS = 4


@dataclass(frozen=True, slots=True, order=True)
class Look:
    """One cell of a card, turned so many quarters clockwise against its patch."""

    tile: str
    cell: int = 0
    """Which of the card's cells, for cards that cover more than one."""
    turns: int = 0

    def __str__(self) -> str:
        return f"{self.tile}#{self.cell}@{self.turns}"

    @classmethod
    def parse(cls, text: str) -> Look:
        """Return the look that a text like ``blue/curve#0@1`` names."""
        tile, _, rest = text.rpartition("#")
        cell, _, turns = rest.partition("@")
        return cls(tile, int(cell), int(turns))


def square_looks(tile_set: TileSet) -> tuple[Look, ...]:
    """Return every look of a box of square cards and of its back, in a stable order."""
    cells = [
        (kind.name, cell) for kind in tile_set.kinds.values() for cell in range(len(kind.cells))
    ]
    return tuple(
        Look(tile, cell, turns) for tile, cell in (*cells, (BACK, 0)) for turns in range(QUARTERS)
    )


def period_of(tile_set: TileSet, tile: str) -> int:
    """Return the quarter turns after which a card means the same; 1 for a back."""
    return tile_set[tile].period if tile in tile_set else 1
