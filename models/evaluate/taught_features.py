"""Which features tell unseen prints apart: one table, on held-out invented boxes.

Each box is learnt from two photographs, once with each choice of features, and the tiles that were
found on other tables are read. What a finished box gave is kept.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from models.evaluate.detection import matched
from models.evaluate.intervals import told
from models.evaluate.taught import SURE
from models.evaluate.taught_invented import Task, box_names, good_lessons, tables_of
from models.evaluate.workers import spread
from models.teaching.align import aligned
from models.teaching.fit import fit_reader, seen_periods
from models.teaching.labels import parse_labels
from models.teaching.match import folds_of
from models.teaching.teach import SEED, Lesson, gather
from vision import features
from vision.crop import Patches, cut
from vision.detect import detect_tiles
from vision.embedding import NUMBERS
from vision.taught import loose_set
from vision.types import Shape

SHAPES_COUNT = 1764
"""Of the gradients' directions, which come first."""


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


def evaluate_features(
    shape: Shape, boxes: int, tables: int, out: Path, workers: int
) -> Iterator[str]:
    """Yield a line for each choice of features."""
    out.mkdir(parents=True, exist_ok=True)
    tasks = [Task(name, shape, tables, str(out)) for name in box_names(shape, boxes)]
    totals = {name: np.zeros(4, int) for name in choices()}
    for counted in spread(compared, tasks, workers):
        for name, numbers in counted.items():
            totals[name] += numbers
    yield f"features, {shape}, {len(tasks)} boxes, outlines as they were found"
    for name, (right, count, sure, sure_right) in totals.items():
        yield f"  {name}: kinds right {told(int(right), int(count), 100)}"
        yield f"    right of those at {SURE} {told(int(sure_right), int(sure), 100)}"


def compared(task: Task) -> dict[str, list[int]]:
    """Return right, all, sure and surely right tiles of one box by choice of features."""
    cv2.setNumThreads(1)
    path = Path(task.out) / f"features-{task.name}-{task.tables}.json"
    if path.is_file():
        kept: dict[str, list[int]] = json.loads(path.read_text(encoding="utf-8"))
        return kept
    folds = folds_of(task.shape)
    examples = _examples(task)
    box = loose_set("compared", task.shape, seen_periods(examples, folds))
    turned = aligned(examples, folds)
    patches, truth = _found(task)
    out = {}
    for name, used in choices().items():
        reader = fit_reader(turned, box, np.random.default_rng(SEED), used).reader
        guesses = [reading.guesses[:1] for reading in reader.read(patches)]
        right = [bool(g) and g[0].tile == t for g, t in zip(guesses, truth, strict=True)]
        sure = [bool(g) and g[0].confidence >= SURE for g in guesses]
        both = sum(r and s for r, s in zip(right, sure, strict=True))
        out[name] = [sum(right), len(truth), sum(sure), both]
    path.write_text(json.dumps(out) + "\n", encoding="utf-8")
    return out


def _examples(task: Task) -> Any:
    with tempfile.TemporaryDirectory() as name:
        photos: dict[str, Any] = {}
        for number, (jpeg, truth) in enumerate(good_lessons(task.name, task.shape)):
            Path(name, f"{number}.jpg").write_bytes(jpeg)
            photos[f"{number}.jpg"] = [
                {"tile": t["tile"], "centre": np.mean(t["outline"], axis=0).tolist()}
                for t in truth["tiles"]
            ]
        labels = parse_labels({"photos": photos}, task.shape)
        return gather(Lesson("compared", task.shape, Path(name), labels)).examples


def _found(task: Task) -> tuple[Patches, list[str]]:
    """Return the tiles that were found on the tables, and what they are."""
    patches, truth = [], []
    for scene in tables_of(task.name, task.shape, task.tables):
        outlines = [np.array(t["outline"], float) for t in scene.truth["tiles"]]
        found = detect_tiles(scene.bgr, task.shape).found
        pairs = matched(outlines, [one.corners_px for one in found])
        patches.append(cut(scene.bgr, [found[j].corners_px for j in pairs.values()]))
        truth += [str(scene.truth["tiles"][i]["tile"]) for i in pairs]
    return np.concatenate(patches), truth
