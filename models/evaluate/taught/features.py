"""Which features tell unseen prints apart: on held-out invented boxes and on photographs.

Each box is learnt from two photographs, once with each choice of features, and the tiles that were
found on other tables are read. What a finished box gave is kept. Boxes of lands, whose kinds have
many prints, are read under other lights: what the fit makes of few examples is chosen by these.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from models.evaluate.detection import matched
from models.evaluate.harness import every_row, spread, told
from models.evaluate.taught.counting import SURE, best_fit
from models.evaluate.taught.invented import (
    FIRST_TABLE,
    box_names,
    one_print,
    tables_of,
    write_lessons,
)
from models.evaluate.taught.photos import kingdomino_folds
from models.scenes.splits import invented_names
from models.scenes.world.arrays import Array, Json
from models.scenes.world.invented import invented_set
from models.scenes.world.lands import land_box
from models.teaching.examples import Examples, Hardness, varied
from models.teaching.fit import fit_reader
from models.teaching.labels import parse_labels
from models.teaching.match import folds_of
from models.teaching.teach import SEED, Lesson, gather, learn, prepared_loose
from models.training.print_drawing import kept_faces
from vision import ReadRequest, Shape, Stages, load_picture, read_table, stages_for
from vision.classify import features
from vision.classify.embedding import NUMBERS
from vision.core.crop import Patches, cut
from vision.detect.detect import detect_tiles

SHAPES_COUNT = 1764
"""Of the gradients' directions, which come first."""
PHOTOGRAPHED = {"kingdomino": 5, "catan": 8, "qwirkle": 4}
"""Games of the photographs, and into how many parts they are cut."""
FEW = 5
"""Examples a kind of Kingdomino."""
SHOTS = (1, 5, 20)
ASKED = 10
"""Prints of a kind that are read; those to learn from are others."""
ANOTHER_DAY = Hardness().times(1.2)
GAIN, CHANNEL = 0.15, 0.08
"""How much photographs to learn from differ in brightness and colour, as natural logarithms."""


def choices() -> dict[str, npt.NDArray[np.bool_]]:
    """Return which features each row of the table uses."""
    count = features.feature_count()
    place = np.arange(count + NUMBERS)
    shapes, network = place < SHAPES_COUNT, place >= count
    colours = ~shapes & ~network
    return {
        "shapes (HOG)": shapes, "colours": colours, "network": network,
        "shapes + colours": shapes | colours, "shapes + colours + network": place >= 0,
    }  # fmt: skip


@dataclass(frozen=True, eq=False)
class Case:
    """What is learnt from and what is read then."""

    examples: Examples
    """As they were gathered."""
    shape: Shape
    patches: Patches
    tiles: Sequence[str]
    """What these are."""


def evaluate_features(
    shape: Shape, boxes: int, tables: int, out: Path, workers: int, first: int = FIRST_TABLE
) -> Iterator[str]:
    """Yield a line for each choice of features, on held-out invented boxes."""
    names = box_names(shape, boxes)
    work = partial(_box_row, shape=shape, tables=tables, first=first)
    path = out / f"features-{shape}-{tables}-{first}.jsonl"
    yield f"features, {shape}, {len(names)} boxes, outlines as they were found"
    yield from _lines(every_row(path, "key", names, work, workers, "models/teaching"))


def evaluate_features_on_photos(photos: Path, out: Path, workers: int) -> Iterator[str]:
    """Yield the same for photographed games, taught from some photographs and read from others."""
    for game, parts in PHOTOGRAPHED.items():
        if (photos / game).is_dir():
            work = partial(_photo_row, folder=photos / game)
            path = out / f"features-{game}.jsonl"
            yield f"features, photographs of {game}"
            yield from _lines(every_row(path, "key", range(parts), work, workers,
                                        "models/teaching"))  # fmt: skip


def _lines(rows: Iterable[Json]) -> Iterator[str]:
    totals = {name: np.zeros(4, int) for name in choices()}
    for row in rows:
        for name, numbers in row["counted"].items():
            totals[name] += numbers
    for name, (right, count, sure, sure_right) in totals.items():
        yield f"  {name}: kinds right {told(int(right), int(count), 100)}"
        yield f"    right of those at {SURE} {told(int(sure_right), int(sure), 100)}"


def _box_row(name: str, shape: Shape, tables: int, first: int) -> Json:
    """Return right, all, sure and surely right tiles of one box by choice of features."""
    with tempfile.TemporaryDirectory() as home:
        labels = parse_labels({"photos": write_lessons(name, shape, Path(home))}, shape)
        examples = gather(Lesson("compared", shape, Path(home), labels)).examples
    prints = one_print(invented_set(name))
    patches, truth = [], []
    for scene in tables_of(name, shape, tables, first):
        outlines = [np.array(t["outline"], float) for t in scene.truth["tiles"]]
        found = detect_tiles(scene.bgr, shape).found
        pairs = matched(outlines, [one.corners_px for one in found])
        patches.append(cut(scene.bgr, [found[j].corners_px for j in pairs.values()]))
        truth += [prints[scene.truth["tiles"][i]["tile"]] for i in pairs]
    return {"key": name, "counted": _counted(Case(examples, shape, np.concatenate(patches), truth))}


def _photo_row(part: int, folder: Path) -> Json:
    """Return the same of one part of the photographs of a game."""
    make = {"kingdomino": _kingdomino, "catan": _catan, "qwirkle": _qwirkle}[folder.name]
    return {"key": part, "counted": _counted(make(folder, part))}


def _counted(case: Case) -> dict[str, list[int]]:
    rows, lands = prepared_loose(case.examples, "compared", case.shape)
    out = {}
    for name, used in choices().items():
        reader = fit_reader(rows, lands=lands, used=used).reader
        guesses = [reading.guesses[:1] for reading in reader.read(case.patches)]
        right = [bool(g) and g[0].tile == t for g, t in zip(guesses, case.tiles, strict=True)]
        sure = [bool(g) and g[0].confidence >= SURE for g in guesses]
        both = sum(r and s for r, s in zip(right, sure, strict=True))
        out[name] = [sum(right), len(case.tiles), sum(sure), both]
    return out


# --- Photographs ---


def _kingdomino(folder: Path, part: int) -> Case:
    folds = [fold for _, fold in kingdomino_folds(folder, (FEW,))]
    fold = folds[part]
    return Case(fold.chosen, "square", fold.patches, fold.tiles)


def _catan(folder: Path, part: int) -> Case:
    """Return one photograph to read and all others to learn from."""
    data = json.loads((folder / "labels.json").read_text(encoding="utf-8"))["photos"]
    held = sorted(data)[part]
    rest = {file: tiles for file, tiles in data.items() if file != held}
    lesson = Lesson("compared", "hex", folder, parse_labels({"photos": rest}, "hex"))
    picture = load_picture(folder / held)
    found = [one.corners_px for one in detect_tiles(picture.bgr, "hex").found]
    truth = [np.array(entry["outline"]) for entry in data[held]]
    pairs = matched(truth, [picture.whole_px(corners) for corners in found])
    patches = cut(picture.bgr, [found[j] for j in pairs.values()])
    return Case(gather(lesson).examples, "hex", patches, [data[held][i]["tile"] for i in pairs])


def _qwirkle(folder: Path, part: int) -> Case:
    """Return every fourth photograph of the game to read, the reference ones to learn from."""
    data = json.loads((folder / "labels.json").read_text(encoding="utf-8"))["photos"]
    references = {file: tiles for file, tiles in data.items() if "centre" in tiles[0]}
    lesson = Lesson("compared", "square", folder, parse_labels({"photos": references}, "square"))
    examples = gather(lesson).examples
    box = learn(lesson, examples, folder)
    patches, tiles = [], []
    for file in sorted(set(data) - set(references))[part :: PHOTOGRAPHED["qwirkle"]]:
        picture = load_picture(folder / file)
        stages = Stages(stages_for(ReadRequest("square")).detect, box.reader)
        state = read_table(picture, ReadRequest("square", box.tile_set), stages)
        truth = {(t["at"][0], t["at"][1]): str(t["tile"]) for t in data[file]}
        entries = [*state.tiles, *state.unsure]
        cells = np.array([entry["at"] for entry in entries]).reshape(-1, 2)
        _, _, places = best_fit(cells, [str(entry["tile"]) for entry in entries], truth, 4)
        known = [n for n, place in enumerate(places) if place in truth]
        outlines = [picture.own_px(np.array(entries[n]["outline"], float)) for n in known]
        patches.append(cut(picture.bgr, outlines))
        tiles += [truth[places[n]] for n in known]
    return Case(examples, "square", np.concatenate(patches), tiles)


# --- Boxes whose kinds have many prints ---


@dataclass(frozen=True)
class LandTask:
    """One box of lands, learnt from so many examples a kind."""

    name: str
    shape: Shape
    shots: int


def evaluate_lands(boxes: int, workers: int) -> Iterator[str]:
    """Yield how many prints are read right, by examples a kind."""
    for shots in SHOTS:
        tasks = [
            LandTask(name, shape, shots)
            for shape in ("square", "hex")
            for name in invented_names("held-out", shape)[:boxes]
        ]
        total = sum(spread(_land_counts, tasks, workers), np.zeros(4, int))
        right, count, sure, sure_right = (int(n) for n in total)
        yield f"lands, {len(tasks)} boxes, {shots} a kind: right {told(right, count, 100)}"
        yield f"    right of those at {SURE} {told(sure_right, sure, 100)}"


def _land_counts(task: LandTask) -> Array:
    """Return right, all, sure and surely right prints of one box."""
    folds = folds_of(task.shape)
    box = land_box(task.name, task.shots + ASKED)
    rng = np.random.default_rng((SEED, task.shots))
    learnt = np.concatenate([kept_faces(list(f[: task.shots])) for f in box.faces.values()])
    asked = np.concatenate([kept_faces(list(f[task.shots :])) for f in box.faces.values()])
    kinds = list(box.faces)
    examples = Examples(
        _lit_otherwise(learnt, rng), tuple(np.repeat(kinds, task.shots).tolist()),
        np.full(len(learnt), -1), ("lands.jpg",) * len(learnt),
    )  # fmt: skip
    rows, lands = prepared_loose(examples, "lands", task.shape)
    reader = fit_reader(rows, lands=lands).reader
    turns = [int(n) for n in rng.integers(folds, size=len(asked))]
    guesses = [r.guesses[0] for r in reader.read(varied(asked, turns, folds, rng, ANOTHER_DAY))]
    right = np.array([g.tile == k for g, k in zip(guesses, np.repeat(kinds, ASKED), strict=True)])
    sure = np.array([g.confidence >= SURE for g in guesses])
    return np.array([right.sum(), len(right), sure.sum(), (right & sure).sum()])


def _lit_otherwise(patches: Patches, rng: np.random.Generator) -> Patches:
    count = len(patches)
    gains = rng.normal(0, GAIN, (count, 1, 1, 1)) + rng.normal(0, CHANNEL, (count, 1, 1, 3))
    return np.clip(patches * np.exp(gains), 0, 255).astype(np.uint8)
