"""Boxes that nobody has seen: drawn, photographed to learn from, and laid on other tables.

Kinds with the same print count as one: boxes are invented by comparing thumbnails, and a stripe
shifted by a pixel makes thumbnails differ by more than other prints do, though nobody could tell
such kinds apart.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from engine.lattice import Cell
from models.lab.scenes.arrange import extent_of
from models.lab.scenes.camera.develop import unpacked
from models.lab.scenes.camera.truth import truth_of
from models.lab.scenes.scene import Scene, scene_from, shot
from models.lab.scenes.settings import SceneSettings, draw_settings
from models.lab.scenes.splits import Split, invented_names, rng_of
from models.lab.scenes.world.arrays import Array
from models.lab.scenes.world.faces import Face
from models.lab.scenes.world.invented import (
    ALIKE,
    FACE_PX,
    InventedSet,
    invented_set,
    planned_kinds,
)
from models.lab.scenes.world.lattices import laid, single_spot
from models.lab.scenes.world.things import TableTop
from models.teaching.examples import folds_of
from models.teaching.labels import parse_labels
from models.teaching.teach import Lesson, why_again
from vision import Picture, Shape
from vision.core.types import width_of

Json = Mapping[str, Any]

KINDS = 24
"""Wanted number of kinds: boxes that come nearest to it are taken."""
LEAST_SEEN = 0.8
"""Least visible share of every tile on the tables that are read here."""
LEAST_WIDE_PX = 24.0
"""Narrower tiles need not be found."""
FEWEST_LAID = 2
"""Least number of tiles: one alone, with others loose around it, is no recognisable layout."""
LESSON_PHOTOS = 2
LESSON_SIZE = (1600, 1200)
SEEDS_A_BOX = 100
"""Seeds per box, which give each box its own lights, tables and cameras."""
LESSON_SEEDS, FIRST_TABLE = 30, 60
"""Number of a box's first seeds for the photographs to learn from, and first seed of its tables.
Tables of the seeds between were looked at while the way to read was chosen."""
TABLE_SIZES = ((1280, 960), (1920, 1080), (1280, 720))
LEFT_OUT = 1 / 3
"""Share of the kinds that are never taught."""
COARSE_PX = 44
LOOKED_AT = 2 * ALIKE
"""Largest difference of coarse pictures that are compared finely as well."""
SHIFTS_PX = (-2, -1, 0, 1, 2)
"""Shifts that are tried, in pixels of 160, which is less than outlines miss. Five pairs of the
fifty square boxes that are evaluated differ by 1.9 to 2.9 then, all other pairs by 4 at least."""


def box_names(shape: Shape, count: int) -> list[str]:
    """Return the held-out boxes whose number of kinds is nearest to what is asked for."""
    names = invented_names("held-out", shape)
    return sorted(names, key=lambda name: (abs(planned_kinds(name) - KINDS), name))[:count]


def table_truth(name: str, tiles: Sequence[Json]) -> dict[Cell, str]:
    """Return the print on each cell of a box's table; a hex is listed by its first cell."""
    prints = one_print(invented_set(name))
    places = [(tile["at"] if "at" in tile else tile["cells"][0], tile["tile"]) for tile in tiles]
    return {(int(at[0]), int(at[1])): prints[str(kind)] for at, kind in places}


# --- Lessons and tables ---


def write_lessons(
    name: str,
    shape: Shape,
    folder: Path,
    split: Split = "held-out",
    known: Container[str] | None = None,
) -> dict[str, list[Json]]:
    """Write two photographs that show every kind once into a folder, and return their labels.

    Args:
        name: name of the box.
        shape: shape of its tiles.
        folder: target folder.
        split: split of the lights and tables.
        known: the only prints that are labelled; all of them if missing.
    """
    folder.mkdir(parents=True, exist_ok=True)
    prints = one_print(invented_set(name))
    labels: dict[str, list[Json]] = {}
    for number, (jpeg, truth) in enumerate(good_lessons(name, shape, split)):
        (folder / f"{number}.jpg").write_bytes(jpeg)
        labels[f"{number}.jpg"] = [
            {"tile": prints[t["tile"]], "centre": [float(v) for v in np.mean(t["outline"], axis=0)]}
            for t in truth["tiles"]
            if known is None or prints[t["tile"]] in known
        ]
    return labels


def good_lessons(
    name: str, shape: Shape, split: Split = "held-out"
) -> Iterator[tuple[bytes, Json]]:
    """Yield two photographs of all kinds that are good enough to teach from."""
    box = invented_set(name)
    left = LESSON_PHOTOS
    for seed in range(_first_seed(name), _first_seed(name) + LESSON_SEEDS):
        settings = draw_settings(seed, split, f"invented-{shape}", LESSON_SIZE)
        settings = replace(settings, set_name=name)
        jpeg, truth = lesson_photo(settings, shape, box.pitch_mm, dict(box.faces), box.periods)
        bgr = np.asarray(unpacked(jpeg), np.uint8)
        picture = Picture(bgr, (bgr.shape[1], bgr.shape[0]))
        if why_again(picture, [np.array(t["outline"]) for t in truth["tiles"]]) is None:
            yield jpeg, truth
            left -= 1
        if not left:
            return


def lesson_photo(
    settings: SceneSettings,
    shape: Shape,
    pitch_mm: float,
    faces: dict[str, Face],
    periods: Mapping[str, int],
) -> tuple[bytes, Json]:
    """Return a photograph of every kind in rows, edge to edge, randomly turned; and its truth.

    Args:
        settings: light, table and camera.
        shape: shape of the tiles.
        pitch_mm: width of the tiles.
        faces: faces by kind.
        periods: turns after which a kind looks the same.
    """
    camera = replace(
        settings.camera,
        elevation_deg=max(settings.camera.elevation_deg, 70.0),
        fill=0.9,
        aim=(0.0, 0.0),
    )
    settings = replace(settings, camera=camera)
    rng = np.random.default_rng(settings.seed)
    folds, step = folds_of(shape), pitch_mm + settings.cards.gap_mm
    columns = int(np.ceil(np.sqrt(len(periods) * 1.3)))
    spots = []
    for n, kind in enumerate(rng.permutation(sorted(periods))):
        y, x = divmod(n, columns)
        cell = (x, y) if shape == "square" else (x - y // 2, y)
        turns = int(rng.integers(folds))
        spots.append(single_spot(str(kind), cell, turns, periods[str(kind)], step, shape))
    items = laid(spots, settings.cards, step, rng)
    top = TableTop(tuple(items), faces, extent_of(items, faces))
    canvas, jpeg = shot(settings, top)
    return jpeg, truth_of(top, canvas)


def tables_of(
    name: str, shape: Shape, count: int, first: int = FIRST_TABLE, split: Split = "held-out"
) -> Iterator[Scene]:
    """Yield drawn tables of one box on which every tile is well seen."""
    seed = _first_seed(name) + first
    while count:
        size = TABLE_SIZES[seed % len(TABLE_SIZES)]
        settings = draw_settings(seed, split, f"invented-{shape}", size)
        scene = scene_from(replace(settings, set_name=name))
        seed += 1
        tiles = scene.truth["tiles"]
        if len(tiles) >= FEWEST_LAID and all(_well_seen(tile) for tile in tiles):
            count -= 1
            yield scene


def _well_seen(tile: Json) -> bool:
    outline = np.array(tile["outline"])
    return bool(
        tile["visible"] >= LEAST_SEEN and not tile["cut"] and width_of(outline) >= LEAST_WIDE_PX
    )


def _first_seed(name: str) -> int:
    return SEEDS_A_BOX * int(name.rpartition("-")[2])


# --- Kinds that were never taught ---


def part_lesson(name: str, home: Path, split: Split) -> tuple[Lesson, set[str]]:
    """Return a lesson that leaves out a third of a box's kinds, and the kinds in it."""
    kinds = sorted(set(one_print(invented_set(name)).values()))
    rng = rng_of("left out", name)
    known = {kinds[int(k)] for k in rng.permutation(len(kinds))[round(LEFT_OUT * len(kinds)) :]}
    labels = write_lessons(name, "square", home / name, split, known)
    parsed = parse_labels({"photos": labels}, "square")
    return Lesson(f"taught-{name}", "square", home / name, parsed, replace=True), known


# --- Kinds that are one print ---


def one_print(box: InventedSet) -> dict[str, str]:
    """Return the print of each kind, named after the first kind that has it."""
    turns = folds_of(box.lattice)
    fine = {kind: face.levels[0].astype(np.int16) for kind, face in box.faces.items()}
    coarse = {kind: _coarse(picture) for kind, picture in fine.items()}
    out: dict[str, str] = {}
    for kind in box.faces:
        turned = [_spun(coarse[kind], turn / turns) for turn in range(turns)]
        out[kind] = kind
        for other in (first for first, name in out.items() if first == name != kind):
            gaps = [_difference(view, coarse[other]) for view in turned]
            turn = int(np.argmin(gaps))
            if gaps[turn] < LOOKED_AT and _apart(fine[kind], fine[other], turn / turns) < ALIKE:
                out[kind] = other
                break
    return out


def _coarse(picture: Array) -> Array:
    return np.asarray(cv2.resize(picture, (COARSE_PX,) * 2, interpolation=cv2.INTER_AREA))


def _spun(picture: Array, turn: float) -> Array:
    """Return a picture turned clockwise by a share of the circle."""
    size = picture.shape[0]
    spin = cv2.getRotationMatrix2D(((size - 1) / 2,) * 2, -360 * turn, 1.0)
    return np.asarray(cv2.warpAffine(picture, spin, (size, size)))


def _apart(one: Array, other: Array, turn: float) -> float:
    """Return the difference of two faces at the best shift, over the area of the tile."""
    one = _spun(one, turn)
    on_tile = float(one.shape[0] / FACE_PX) ** 2
    return on_tile * min(
        _difference(np.roll(one, (x, y), (0, 1)), other) for x in SHIFTS_PX for y in SHIFTS_PX
    )


def _difference(one: Array, other: Array) -> float:
    return float(np.abs(one - other)[..., :3].mean())
