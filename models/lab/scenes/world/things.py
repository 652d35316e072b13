"""Things on a table, in millimetres: flat items with a face, solids of revolution, and arms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import cos, radians, sin

import numpy as np

from models.lab.scenes.world.arrays import Array, Json
from models.lab.scenes.world.faces import Face


@dataclass(frozen=True)
class Item:
    """A flat thing: a tile, a board, a card of a pile, a phone."""

    face: str
    """Its name in the scene's faces."""
    x_mm: float
    y_mm: float
    angle_deg: float = 0.0
    """Clockwise, seen from above."""
    z_mm: float = 0.0
    """Height of its lower face above the table."""
    thickness_mm: float = 2.0
    flipped: bool = False
    """Turned over about its own vertical axis, so that its mirror image is seen."""
    tilt: tuple[float, float] = (0.0, 0.0)
    """Rise of its top towards the right and downwards, as slopes."""
    side: tuple[int, int, int] = (200, 200, 200)
    gloss: float = 0.2
    wear: float = 0.0
    bend: tuple[float, float] = (0.0, 0.0)
    """Slopes that affect only the light: a bent card is shaded and shines unevenly."""
    role: str = "clutter"
    """``tile``, ``aside``, ``clay``, ``board`` or ``clutter``."""
    truth: Json = field(default_factory=dict)
    """Its entry in the table state, without the outline."""
    seed: int = 0

    @property
    def top_mm(self) -> float:
        """Height of its upper face."""
        return self.z_mm + self.thickness_mm

    def axes(self) -> tuple[Array, Array, Array]:
        """Return the upper face's origin and its unit steps to the right and down, in 3-D."""
        angle = radians(self.angle_deg)
        mirror = -1.0 if self.flipped else 1.0
        right = np.array([cos(angle) * mirror, sin(angle) * mirror, self.tilt[0]])
        down = np.array([-sin(angle), cos(angle), self.tilt[1]])
        return np.array([self.x_mm, self.y_mm, self.top_mm]), right, down

    def places_mm(self, flat: Array) -> Array:
        """Return points of the upper face as x, y, height."""
        origin, right, down = self.axes()
        return np.asarray(origin + flat[:, :1] * right + flat[:, 1:] * down, float)

    def outline_mm(self, face: Face) -> Array:
        """Return the corners of the upper face in the face's order, as x, y, height."""
        return self.places_mm(face.outline_mm)


@dataclass(frozen=True)
class Lathe:
    """A solid of revolution: a cup, a glass, a chessman."""

    x_mm: float
    y_mm: float
    profile: tuple[tuple[float, float], ...]
    """Height and radius from the foot upwards."""
    colour: tuple[float, float, float]
    inside: tuple[float, float, float] | None = None
    """Colour of the content of an open vessel, as seen from above."""
    z_mm: float = 0.0
    gloss: float = 0.4


@dataclass(frozen=True)
class Arm:
    """A hand with its sleeve, reaching in from outside."""

    x_mm: float
    y_mm: float
    """Position of the fingertips, with ``x_mm``."""
    angle_deg: float
    """Direction that the arm comes from, clockwise from the table's bottom side."""
    height_mm: float
    look: int
    """Seed of pose, skin and sleeve."""
    length_mm: float = 620.0
    """Length of the painted arm, from the fingertips on."""


@dataclass(frozen=True)
class TableTop:
    """Everything on a table, with its faces."""

    items: tuple[Item, ...]
    faces: Mapping[str, Face]
    extent_mm: Array
    """Corners of what the camera should have in view, N x 2."""
    lathes: tuple[Lathe, ...] = ()
    arms: tuple[Arm, ...] = ()
    facts: Json = field(default_factory=dict)
    """Facts about the whole table for the truth: game, set, lattice."""
