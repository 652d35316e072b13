"""A face: one side of a tile as a display list, with its outline and its place on the lattice."""

from __future__ import annotations

from dataclasses import dataclass

from engine.draw.display import Contour, Group, Item, Point, moved, placed, polygon
from engine.lattice import Cell

BLEED_MM = 1.5
"""How far every face is painted beyond its outline, for scissors that miss the line."""


@dataclass(frozen=True, slots=True)
class Face:
    """One side of a tile, at turns 0, counted from the upper left corner of its box."""

    tile: str
    side: str
    """``front`` or ``back``."""
    items: tuple[Item, ...]
    """Painted a little beyond the outline; clip by it, or by ``bleed``, to show it."""
    size_mm: tuple[float, float]
    outline_mm: tuple[Point, ...]
    """Corners, clockwise."""
    bleed: Contour
    """The outline with the bleed around it."""
    cells: tuple[Cell, ...]
    origin_mm: Point
    """Centre of cell ``(0, 0)``."""

    @property
    def outline(self) -> Contour:
        """The outline to cut along."""
        return polygon(self.outline_mm)

    def cut(self) -> Group:
        """Return the face as it looks once it is cut out."""
        return Group(self.items, clip=(self.outline,), key=f"{self.tile} {self.side}")

    def centred(self) -> Group:
        """Return the cut face with the centre of cell ``(0, 0)`` at ``(0, 0)``."""
        x, y = self.origin_mm
        return Group(
            (placed([Group(self.items, clip=(self.outline,))], moved(-x, -y)),),
            key=f"{self.tile} {self.side}",
        )
