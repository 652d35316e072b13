"""Boxes that nobody has seen: drawn, taught from two photographs, and read from other tables.

Every box is one task. What a finished one gave is kept, so that a long run can be broken off.
Kinds that are one print count as one.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from models.evaluate.detection import LEAST_WIDE_PX, width_of
from models.evaluate.kept import reader_mark
from models.evaluate.one_print import one_print
from models.evaluate.taught import Cell, Tally, count_layout, stages_of, taught
from models.evaluate.workers import spread
from models.scenes.arrange import extent_of
from models.scenes.faces import Face
from models.scenes.invented import invented_set, planned_kinds
from models.scenes.lattices import Spot, cell_middles, laid
from models.scenes.scene import Scene, camera_for, painted, photographed, scene_from
from models.scenes.settings import SceneSettings, draw_settings
from models.scenes.splits import Split, invented_names
from models.scenes.things import TableTop
from models.scenes.truth import truth_of
from models.teaching.photos import why_again
from vision import Picture, ReadRequest, Shape, TaughtSet, read_table

Json = Mapping[str, Any]

KINDS = 24
"""Boxes with about so many kinds are taken."""
LEAST_SEEN = 0.8
"""Tables with tiles that a hand or the picture's edge hides more are not read here."""
FEWEST_LAID = 2
"""One tile alone, with others loose around it, is no layout that anybody could tell."""
LESSON_PHOTOS = 2
LESSON_SIZE = (1600, 1200)
SEEDS_A_BOX = 100
"""Each box has its own lights, tables and cameras."""
LESSON_SEEDS, FIRST_TABLE = 30, 60
"""The first of a box's seeds are for the photographs to learn from. Tables of the seeds between
were looked at while the way to read was chosen; the figures are of later ones."""
TABLE_SIZES = ((1280, 960), (1920, 1080), (1280, 720))


@dataclass(frozen=True)
class Task:
    """One box to teach and to read."""

    name: str
    shape: Shape
    tables: int
    out: str
    """Folder that results are kept in."""
    first: int = FIRST_TABLE
    """The box's seed that its tables begin with."""


def evaluate_invented(
    shape: Shape, boxes: int, tables: int, out: Path, workers: int, first: int = FIRST_TABLE
) -> Iterator[str]:
    """Teach held-out boxes from two photographs each and read other tables; yield the figures."""
    out.mkdir(parents=True, exist_ok=True)
    tally, kinds = Tally(), 0
    tasks = [Task(name, shape, tables, str(out), first) for name in box_names(shape, boxes)]
    for result in spread(evaluated, tasks, workers):
        tally.plus(result["tally"])
        kinds += result["kinds"]
    yield from tally.lines(f"invented {shape}, {len(tasks)} boxes, {kinds} kinds")


def box_names(shape: Shape, count: int) -> list[str]:
    """Return the held-out boxes whose number of kinds is nearest to what is asked for."""
    names = invented_names("held-out", shape)
    return sorted(names, key=lambda name: (abs(planned_kinds(name) - KINDS), name))[:count]


def evaluated(task: Task) -> dict[str, Any]:
    """Return what one box gave: from its file, or taught and read now."""
    cv2.setNumThreads(1)
    path = Path(task.out) / f"{task.name}-{task.tables}-{task.first}.json"
    kept: dict[str, Any] | None = kept_result(path)
    if kept is not None:
        return kept
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        box = taught_invented(task.name, task.shape, Path(folder))
        prints = one_print(invented_set(task.name))
        for scene in tables_of(task.name, task.shape, task.tables, task.first):
            truth = {table_cell(t): prints[str(t["tile"])] for t in scene.truth["tiles"]}
            picture = Picture(scene.bgr, (scene.bgr.shape[1], scene.bgr.shape[0]))
            state = read_table(picture, ReadRequest(task.shape, box.tile_set), stages_of(box))
            count_layout(tally, state, truth, 4 if task.shape == "square" else 6, task.name)
    result = {"tally": asdict(tally), "kinds": len(box.tile_set.kinds)}
    keep_result(path, result)
    return result


def kept_result(path: Path) -> dict[str, Any] | None:
    """Return what a task gave before, if the same code and models taught and read it."""
    if not path.is_file():
        return None
    kept = json.loads(path.read_text(encoding="utf-8"))
    return dict(kept["result"]) if kept.get("mark") == reader_mark("models/teaching") else None


def keep_result(path: Path, result: Mapping[str, Any]) -> None:
    """Keep what a task gave."""
    text = json.dumps({"mark": reader_mark("models/teaching"), "result": result})
    path.write_text(text + "\n", encoding="utf-8")


def taught_invented(name: str, shape: Shape, home: Path) -> TaughtSet:
    """Return an invented box taught from two photographs that show every kind once."""
    photos = home / name
    photos.mkdir(parents=True, exist_ok=True)
    labels: dict[str, list[Json]] = {}
    prints = one_print(invented_set(name))
    for number, (jpeg, truth) in enumerate(good_lessons(name, shape)):
        (photos / f"{number}.jpg").write_bytes(jpeg)
        labels[f"{number}.jpg"] = [
            {"tile": prints[t["tile"]], "centre": [float(v) for v in np.mean(t["outline"], axis=0)]}
            for t in truth["tiles"]
        ]
    return taught(f"taught-{name}", shape, photos, labels, home)


def good_lessons(
    name: str, shape: Shape, split: Split = "held-out"
) -> Iterator[tuple[bytes, Json]]:
    """Yield two photographs of all kinds that an owner would not be told to take again."""
    box = invented_set(name)
    left = LESSON_PHOTOS
    for seed in range(_first_seed(name), _first_seed(name) + LESSON_SEEDS):
        settings = draw_settings(seed, split, f"invented-{shape}", LESSON_SIZE)
        settings = replace(settings, set_name=name)
        jpeg, truth = lesson_photo(settings, shape, box.pitch_mm, dict(box.faces), box.periods)
        bgr = np.asarray(cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR), np.uint8)
        picture = Picture(bgr, (bgr.shape[1], bgr.shape[0]))
        if why_again(picture, [np.array(t["outline"]) for t in truth["tiles"]]) is None:
            yield jpeg, truth
            left -= 1
        if not left:
            return


def lesson_photo(
    settings: SceneSettings, shape: Shape, pitch_mm: float, faces: dict[str, Face],
    periods: Mapping[str, int],
) -> tuple[bytes, Json]:  # fmt: skip
    """Return a photograph of every kind in rows, edge to edge, each any way round; and its truth.

    Args:
        settings: light, table and camera.
        shape: of the tiles.
        pitch_mm: how wide they are.
        faces: what is printed on them, by kind.
        periods: turns after which a kind looks the same.
    """
    camera = replace(settings.camera, elevation_deg=max(settings.camera.elevation_deg, 70.0),
                     fill=0.9, aim=(0.0, 0.0))  # fmt: skip
    settings = replace(settings, camera=camera)
    rng = np.random.default_rng(settings.seed)
    steps, step = (4 if shape == "square" else 6), pitch_mm + settings.cards.gap_mm
    columns = int(np.ceil(np.sqrt(len(periods) * 1.3)))
    spots = []
    for n, kind in enumerate(rng.permutation(sorted(periods))):
        y, x = divmod(n, columns)
        cell = (x, y) if shape == "square" else (x - y // 2, y)
        middle = cell_middles([cell], step, shape)[0]
        turns = int(rng.integers(steps))
        truth = {"tile": str(kind), "at": list(cell), "turns": turns % periods[str(kind)]}
        spots.append(Spot(str(kind), (float(middle[0]), float(middle[1])), 360.0 / steps * turns,
                          np.zeros((1, 2)), truth))  # fmt: skip
    items = laid(spots, settings.cards, step, rng)
    top = TableTop(tuple(items), faces, extent_of(items, faces))
    view = camera_for(settings, top.extent_mm)
    canvas = painted(settings, top, view)
    return photographed(settings, canvas), truth_of(top, canvas)


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


def table_cell(entry: Json) -> Cell:
    """Return where a tile of a truth lies; a hex by its first cell."""
    x, y = entry["at"] if "at" in entry else entry["cells"][0]
    return int(x), int(y)
