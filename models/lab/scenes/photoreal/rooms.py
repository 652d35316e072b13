"""Rooms for the photoreal renderer: lights and table tops of one split, from files or generated."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import cv2
import numpy as np

from models.lab.scenes.camera.camera import Camera
from models.lab.scenes.splits import (
    SHARED_VARIABLE,
    Split,
    photographed_surfaces,
    side_of_file,
    surface_names,
)
from models.lab.scenes.world.arrays import Json, Random
from models.lab.scenes.world.surfaces import surface

NOT_TABLES = ("hex_board", "polyhex", "square")
"""Name prefixes of the renderer's textures that show tiles and boards."""


@dataclass(frozen=True)
class Room:
    """Lights and a table top, in the format of a scene file."""

    lights: list[Json]
    table: Json
    names: list[str]
    """Names of the light maps and of the table top, for the truth."""


def side_of_light(path: Path) -> Split:
    """Return the split of an environment map, from the first word of its name.

    The same room comes as ``venice.exr`` and as ``venice_sunset_1k.hdr``: both are in one split.
    About half of all rooms are held out.
    """
    word = path.stem.partition("_")[0]
    return "held-out" if hashlib.blake2b(word.encode()).digest()[0] % 2 else "train"


@cache
def environments(renderer: Path, split: Split) -> tuple[Path, ...]:
    """Return the environment maps of one split."""
    found = sorted((renderer / "assets" / "env").glob("*.exr"))
    shared = os.environ.get(SHARED_VARIABLE)
    if shared:
        found += sorted(Path(shared, "assets", "light").glob("*.hdr"))
    return tuple(path for path in found if side_of_light(path) == split)


@cache
def textures(renderer: Path, split: Split) -> tuple[Path, ...]:
    """Return the photographed table tops of one split."""
    found = [
        path
        for path in sorted((renderer / "assets" / "tex").iterdir())
        if not path.name.startswith(NOT_TABLES) and side_of_file(path) == split
    ]
    return (*found, *(Path(file) for _, file in photographed_surfaces(split)))


def draw_room(rng: Random, split: Split, renderer: Path, folder: Path, camera: Camera) -> Room:
    """Return a room of one split; generated textures are written into the folder."""
    maps = environments(renderer, split)
    lights: list[Json] = []
    names = []
    if maps:
        light = maps[int(rng.integers(len(maps)))]
        names.append(light.stem)
        turn, bright = float(rng.uniform(0, 360)), float(rng.uniform(0.2, 1.0))
        room = {"type": "env", "file": str(light), "rotation_deg": turn, "illuminance": bright}
        lights.append(room)
    for _ in range(int(rng.choice([0, 1, 2], p=[0.2, 0.6, 0.2]))):
        lights.append(_lamp(rng, camera))
    table, name = _table(rng, split, renderer, folder)
    return Room(lights or [_lamp(rng, camera)], table, [*names, name])


def _lamp(rng: Random, camera: Camera) -> Json:
    """Return a lamp that is not in the camera's view."""
    while True:
        turn, side = rng.uniform(0, 2 * np.pi), float(rng.choice([60, 200, 600]))
        away, up = rng.uniform(200, 1600), rng.uniform(500, 1800)
        x, y = float(away * np.cos(turn)), float(away * np.sin(turn))
        if not _is_in_view(camera, (x, -y, float(up)), side):
            break
    return {
        "type": "area",
        "size_mm": [side, side],
        "illuminance": float(rng.uniform(0.3, 1.2)),
        "position_mm": [x, y, float(up)],
        "kelvin": float(rng.uniform(2700, 6500)),
    }


def _is_in_view(camera: Camera, at_mm: tuple[float, float, float], side_mm: float) -> bool:
    """Say whether a ball of some width, at a place in our axes, would be in view."""
    seen = camera.rotation @ ((np.array(at_mm) - camera.position_mm) * (1, 1, -1))
    if seen[2] < -side_mm:
        return False
    width, height = camera.size_px
    reach = np.array([width, height]) / 2 / camera.matrix[0, 0] * 1.15
    return bool((np.abs(seen[:2]) - side_mm < reach * max(seen[2], 1.0)).all())


def _table(rng: Random, split: Split, renderer: Path, folder: Path) -> tuple[Json, str]:
    photographs = textures(renderer, split)
    look: Json = {
        "rotation_deg": float(rng.uniform(0, 360)),
        "offset_mm": [float(v) for v in rng.uniform(0, 500, 2)],
    }
    if photographs and rng.random() < 0.5:
        path = photographs[int(rng.integers(len(photographs)))]
        gloss, name = float(rng.uniform(0.05, 0.6)), path.stem
        span_mm = float(rng.uniform(600, 1100))
    else:
        name = str(rng.choice(surface_names(split)))
        made, path = surface(name), folder / f"surface-{name}.png"
        gloss, span_mm = min(0.85, 0.1 + 0.7 * made.gloss), made.span_mm
        if not path.exists():
            cv2.imwrite(str(path), made.bgr)
    return {**look, "texture": str(path), "tile_size_mm": span_mm, "gloss": gloss}, name
