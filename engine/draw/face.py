"""A face: one side of a tile as a display list, with its outline and its place on the lattice."""

from __future__ import annotations

import math
from dataclasses import dataclass

from engine.draw.display import Contour, Group, Item, Point, ellipse, moved, placed, polygon
from engine.lattice import Cell

BLEED_MM = 1.5
"""The bleed: how far every face is painted beyond its outline, for inexact cuts."""


@dataclass(frozen=True, slots=True)
class Face:
    """One side of a tile at turns 0, in millimetres from the top left of its bounding box."""

    tile: str
    side: str
    """``front`` or ``back``."""
    items: tuple[Item, ...]
    """The shapes, painted beyond the outline; clip them by ``outline`` or ``bleed``."""
    size_mm: tuple[float, float]
    outline_mm: tuple[Point, ...]
    """The corners of the outline, clockwise."""
    bleed: Contour
    """The outline with the bleed around it."""
    cells: tuple[Cell, ...]
    origin_mm: Point
    """The centre of cell ``(0, 0)``."""

    @property
    def outline(self) -> Contour:
        """The outline to cut along."""
        return polygon(self.outline_mm)

    def cut(self) -> Group:
        """Return the face clipped by its outline, as it looks when it is cut out."""
        return Group(self.items, clip=(self.outline,), key=f"{self.tile} {self.side}")

    def centred(self) -> Group:
        """Return the cut face with the centre of cell ``(0, 0)`` at ``(0, 0)``."""
        x, y = self.origin_mm
        return Group(
            (placed([Group(self.items, clip=(self.outline,))], moved(-x, -y)),),
            key=f"{self.tile} {self.side}",
        )


def round_face(name: str, side: str, art: Group, radius: float) -> Face:
    """Return a round face from its art around (0, 0)."""
    angles = [i * math.pi / 24 for i in range(48)]
    corners = tuple((radius + radius * math.cos(a), radius + radius * math.sin(a)) for a in angles)
    items = (placed(art.items, moved(radius, radius), art.transform),)
    bleed = ellipse((radius, radius), radius + BLEED_MM)
    size = (2 * radius, 2 * radius)
    return Face(name, side, items, size, corners, bleed, ((0, 0),), (radius, radius))
