"""Boxes whose kinds have many prints, such as terrains: no two tiles of one kind look alike.

A kind fixes what its prints share: colours, roughness and growth. Where everything lies, and
which other things stand there, differs from tile to tile.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from models.lab.scenes.splits import rng_of
from models.lab.scenes.world.arrays import Array, Random
from models.lab.scenes.world.faces import Face
from models.lab.scenes.world.invented import (
    FACE_PX,
    SHAPES,
    Blank,
    border_of,
    fill,
    palette_of,
    polygon,
)
from models.lab.scenes.world.noise import field, ramp, unit

FEWEST_KINDS, MOST_KINDS = 4, 12
PITCH_MM = 40.0


@dataclass(frozen=True)
class LandBox:
    """A box of lands, with several prints of each kind."""

    lattice: str
    faces: dict[str, tuple[Face, ...]]


@dataclass(frozen=True)
class _Land:
    """What the prints of one kind share."""

    colours: Array
    bumps: tuple[int, int]
    rough: float
    growths: tuple[str, ...]
    growth_colour: Array
    size: float
    most: int


@lru_cache(maxsize=16)
def land_box(name: str, prints: int) -> LandBox:
    """Return the lands of that name (``invented-square-0031``), with ``prints`` prints a kind."""
    rng = rng_of("lands", name)
    lattice = name.split("-")[1]
    palette = palette_of(rng)
    border = border_of(rng, palette)
    blank = Blank.of(lattice, PITCH_MM)
    things = float(rng.choice([0.0, 0.3, 0.8]))
    faces = {}
    for number in range(int(rng.integers(FEWEST_KINDS, MOST_KINDS + 1))):
        land = _land(rng_of("lands", name, number), palette)
        own = (rng_of("lands", name, number, n) for n in range(prints))
        faces[f"land {number + 1}"] = tuple(
            blank.face(border(_print(one, land, palette, things), blank.outline_px)) for one in own
        )
    return LandBox(lattice, faces)


def _land(rng: Random, palette: Array) -> _Land:
    main = palette[int(rng.integers(len(palette)))] * rng.uniform(0.7, 1.1)
    other = palette[int(rng.integers(len(palette)))]
    share = float(rng.choice([0.0, 0.15, 0.4]))
    mixed = main * (1 - share) + other * share
    colours = np.stack([main * rng.uniform(0.5, 0.9), main, mixed * rng.uniform(1.0, 1.3) + 8])
    across = int(rng.integers(2, 24))
    down = across if rng.random() < 0.6 else int(rng.integers(2, 24))
    return _Land(
        np.clip(colours, 0, 255),
        (across, down),
        float(rng.uniform(0.4, 0.8)),
        tuple(str(name) for name in rng.choice(list(SHAPES), int(rng.integers(1, 3)))),
        np.clip(palette[int(rng.integers(len(palette)))] * rng.uniform(0.5, 1.2), 0, 255),
        float(rng.uniform(0.06, 0.3)),
        int(rng.choice([0, 4, 12, 30])),
    )


def _print(rng: Random, land: _Land, palette: Array, things: float) -> Array:
    """Return one tile: ground, growth and sometimes other things."""
    light = float(np.exp(rng.normal(0, 0.08)))
    rough = field(rng, FACE_PX, land.bumps, 4, land.rough)
    if rng.random() < 0.5:
        rough = np.rot90(rough)
    canvas = ramp(unit(rough), np.clip(land.colours * light, 0, 255))
    for _ in range(int(rng.integers(land.most // 2, land.most + 1))):
        at, size = rng.uniform(-0.95, 0.95, 2), land.size * rng.uniform(0.6, 1.4)
        shade = np.clip(land.growth_colour * rng.uniform(0.75, 1.25), 0, 255)
        for part in SHAPES[land.growths[int(rng.integers(len(land.growths)))]]:
            fill(canvas, _spun(part, rng) * size + at, shade)
    if rng.random() < things:
        for _ in range(int(rng.integers(1, 4))):
            at = rng.uniform(-0.8, 0.8, 2)
            colour = palette[int(rng.integers(len(palette)))]
            corners = polygon(int(rng.integers(3, 9)), turn=float(rng.uniform(0, 6.3)))
            fill(canvas, corners * rng.uniform(0.1, 0.35, 2) + at, colour)
    return canvas


def _spun(points: Array, rng: Random) -> Array:
    angle = rng.normal(0, 0.5)
    c, s = np.cos(angle), np.sin(angle)
    return np.asarray(points @ np.array([[c, s], [-s, c]]))
