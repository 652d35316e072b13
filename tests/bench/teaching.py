"""How long teaching a box takes, beside one full read of such a photograph."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from models.lab.evaluate.taught.invented import lesson_photo
from models.lab.scenes.settings import draw_settings
from models.lab.scenes.splits import invented_names
from models.lab.scenes.world.invented import MOST_KINDS, invented_set, planned_kinds
from models.teaching.labels import parse_labels
from models.teaching.teach import Lesson, teach
from models.teaching.trial import read_with
from vision.classify.taught import TaughtSet, find_taught
from vision.intake.picture import load_picture

TWELVE_MEGAPIXELS = (4000, 3000)
READS = 5
RATIO_WANTED = 60.0

Row = tuple[str, float, str, str]


def rows() -> list[Row]:
    """Return what the benchmark's table shows of teaching."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        labels = _photographs(folder)
        lesson = Lesson("bench", "square", folder, parse_labels({"photos": labels}, "square"))
        began = perf_counter()
        report = teach(lesson, folder / "sets")
        taught_s = perf_counter() - began
        box = find_taught("bench", (folder / "sets",))
        assert box is not None
        read_s = median(_read_s(folder / "0.jpg", box) for _ in range(READS))
    return [
        (
            f"teaching: {len(report['kinds'])} kinds from two 12-megapixel photos, "
            "in full reads of one",
            taught_s / read_s,
            f"times (at most {RATIO_WANTED:g})",
            f"{report['examples']} tiles, taught in {taught_s:.1f} s, read in {read_s:.2f} s",
        )
    ]


def _photographs(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Write two photographs of the first box with 36 kinds, and return their labels."""
    names = invented_names("held-out", "square")
    boxes = (invented_set(name) for name in names if planned_kinds(name) == MOST_KINDS)
    box = next(box for box in boxes if len(box.faces) == MOST_KINDS)
    labels: dict[str, list[dict[str, Any]]] = {}
    for number in range(2):
        settings = draw_settings(number, "held-out", "invented-square", TWELVE_MEGAPIXELS)
        settings = replace(settings, set_name=box.name)
        jpeg, truth = lesson_photo(settings, "square", box.pitch_mm, dict(box.faces), box.periods)
        (folder / f"{number}.jpg").write_bytes(jpeg)
        labels[f"{number}.jpg"] = [
            {"tile": t["tile"], "centre": np.mean(t["outline"], axis=0).tolist()}
            for t in truth["tiles"]
        ]
    return labels


def _read_s(path: Path, box: TaughtSet) -> float:
    began = perf_counter()
    read_with(box, load_picture(path))
    return perf_counter() - began
