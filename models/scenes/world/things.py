"""Things on a table, in millimetres: flat ones with a face, round ones on a lathe, arms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import cos, radians, sin

import numpy as np

from models.scenes.world.arrays import Array, Json
from models.scenes.world.faces import Face


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
    """What it lies on."""
    thickness_mm: float = 2.0
    flipped: bool = False
    """Turned over about its own vertical axis, so that its mirror image is seen."""
    tilt: tuple[float, float] = (0.0, 0.0)
    """How much its top rises to the right and downwards, as slopes."""
    side: tuple[int, int, int] = (200, 200, 200)
    gloss: float = 0.2
    wear: float = 0.0
    bend: tuple[float, float] = (0.0, 0.0)
    """Slopes that only the light sees: a bent card shades and shines across."""
    role: str = "clutter"
    """``tile``, ``aside``, ``clay``, ``board`` or ``clutter``."""
    truth: Json = field(default_factory=dict)
    """What the table state says about it, but for the outline."""
    seed: int = 0

    @property
    def top_mm(self) -> float:
        """Height of its upper face."""
        return self.z_mm + self.thickness_mm

    def axes(self) -> tuple[Array, Array, Array]:
        """Return the upper face's origin and its steps to the right and down, in 3-D."""
        angle = radians(self.angle_deg)
        mirror = -1.0 if self.flipped else 1.0
        right = np.array([cos(angle) * mirror, sin(angle) * mirror, self.tilt[0]])
        down = np.array([-sin(angle), cos(angle), self.tilt[1]])
        return np.array([self.x_mm, self.y_mm, self.top_mm]), right, down

    def places_mm(self, flat: Array) -> Array:
        """Return places on the upper face, as x, y, height."""
        origin, right, down = self.axes()
        return np.asarray(origin + flat[:, :1] * right + flat[:, 1:] * down, float)

    def outline_mm(self, face: Face) -> Array:
        """Return the corners of the upper face in the face's order, as x, y, height."""
        return self.places_mm(face.outline_mm)


@dataclass(frozen=True)
class Lathe:
    """A round thing: a cup, a glass, a chessman."""

    x_mm: float
    y_mm: float
    profile: tuple[tuple[float, float], ...]
    """Height and radius from the foot upwards."""
    colour: tuple[float, float, float]
    inside: tuple[float, float, float] | None = None
    """What is seen from above in an open vessel."""
    z_mm: float = 0.0
    gloss: float = 0.4


@dataclass(frozen=True)
class Arm:
    """A hand with its sleeve, reaching in from outside."""

    x_mm: float
    y_mm: float
    """Where the fingertips are."""
    angle_deg: float
    """Where the arm comes from, clockwise from the table's bottom side."""
    height_mm: float
    look: int
    """Seed of pose, skin and sleeve."""
    length_mm: float = 620.0
    """How much of it there is, from the fingertips on."""


@dataclass(frozen=True)
class TableTop:
    """All that lies on a table, and the faces it shows."""

    items: tuple[Item, ...]
    faces: Mapping[str, Face]
    extent_mm: Array
    """Corners of what the camera should have in view, N x 2."""
    lathes: tuple[Lathe, ...] = ()
    arms: tuple[Arm, ...] = ()
    facts: Json = field(default_factory=dict)
    """What the truth says about the table as a whole: game, set, lattice."""
