"""Fits what weighs readings of taught boxes: ``python -m models.training.taught_evidence``.

Boxes of the train side are invented and taught from two photographs each, as an owner would do it,
but for a third of their kinds. Their tiles then lie on other tables: what was taught is to be
named, what was not is something else, as are places that are no tiles at all.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from models.evaluate.one_print import one_print
from models.evaluate.taught_invented import good_lessons, tables_of
from models.evaluate.workers import spread
from models.scenes.invented import invented_set
from models.scenes.splits import Split, invented_names, rng_of
from models.teaching.labels import parse_labels
from models.teaching.teach import Lesson, gather, learn
from models.training.drills import jittered
from models.training.evidence import Known, figures_of, fit_both
from models.training.strangers import anywhere
from vision import Bgr
from vision.classify.evidence import NAMES, Evidence, Trees, rows_of, write_taught
from vision.classify.faces import faces_of_prints
from vision.classify.reader import CellReading, Reader
from vision.classify.taught_tiles import read_taught
from vision.core.crop import Patches
from vision.core.files import TRAINED
from vision.core.types import Detection

Array = npt.NDArray[Any]
Random = np.random.Generator

LEFT_OUT = 1 / 3
TABLES, FIRST_TABLE = 5, 40
MISSES = (0.3, 1.5)
FOUND = 0.9
SURELY, MOST_NAMED = 0.9, 0.005
"""So many strangers may be named as surely, places that are no tiles among them."""
STEPS = tuple(np.arange(0, 5, 0.25).tolist())
SURE_NAME = NAMES.index("sure")
STRANGERS = 12
"""Places that are no tiles, a table."""


@dataclass(frozen=True, eq=False)
class Recorded(Evidence):
    """Keeps what is known about patches that are read, and lets readings be."""

    rows: list[Array] = field(default_factory=list)

    def weighed(
        self, reader: Reader, patches: Patches, readings: Sequence[CellReading],
        across_px: Sequence[float] | None,
    ) -> list[CellReading]:  # fmt: skip
        """Return the readings as they are."""
        self.rows.append(rows_of(self.faces, reader, patches, readings, across_px))
        return list(readings)


_NONE, _NO_NUMBERS = np.zeros(0, np.int32), np.zeros(0, np.float64)
NOTHING = Trees(0.0, _NONE, _NONE, _NO_NUMBERS, _NONE, _NONE, _NO_NUMBERS)


def part_lesson(name: str, home: Path, split: Split) -> tuple[Lesson, set[str]]:
    """Return what an owner who leaves out a third of a box would teach, and the kinds in it."""
    prints = one_print(invented_set(name))
    kinds = sorted(set(prints.values()))
    rng = rng_of("left out", name)
    known = {kinds[int(k)] for k in rng.permutation(len(kinds))[round(LEFT_OUT * len(kinds)) :]}
    photos = home / name
    photos.mkdir(parents=True)
    labels = {}
    for number, (jpeg, truth) in enumerate(good_lessons(name, "square", split)):
        (photos / f"{number}.jpg").write_bytes(jpeg)
        labels[f"{number}.jpg"] = [
            {"tile": prints[t["tile"]], "centre": [float(v) for v in np.mean(t["outline"], axis=0)]}
            for t in truth["tiles"] if prints[t["tile"]] in known
        ]  # fmt: skip
    parsed = parse_labels({"photos": labels}, "square")
    return Lesson(f"taught-{name}", "square", photos, parsed, replace=True), known


def box_rows(name: str, kept: Path | None) -> Known | None:
    """Return what is known about tiles and strangers of one box; nothing where it shows lands."""
    cv2.setNumThreads(1)
    path = None if kept is None else kept / f"taught-{name}.npz"
    if path is not None and path.is_file():
        with np.load(path, allow_pickle=False) as arrays:
            return Known(*(arrays[key] for key in ("rows", "right", "ours", "sources")))
    with tempfile.TemporaryDirectory() as home:
        lesson, known = part_lesson(name, Path(home), "train")
        reader = learn(lesson, gather(lesson).examples, Path(home)).reader
    if reader.prints is None:
        return None
    parts = [_table_rows(name, reader, known, scene.bgr, scene.truth["tiles"], number)
             for number, scene in enumerate(
                 tables_of(name, "square", TABLES, FIRST_TABLE, "train"))]  # fmt: skip
    number = int(name.rpartition("-")[2])
    rows, right, ours = (np.concatenate([part[k] for part in parts]) for k in range(3))
    every = Known(rows, right, ours, np.full(len(rows), number))
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez(path, **vars(every))
    return every


def _table_rows(
    name: str, reader: Reader, known: set[str], bgr: Bgr, tiles: Sequence[Any], number: int
) -> tuple[Array, Array, Array]:
    """Return what is known about one table's places, which are read right, and which are ours."""
    prints = one_print(invented_set(name))
    rng = rng_of("taught evidence", name, number)
    amount = float(rng.uniform(*MISSES))
    outlines = [jittered(np.array(t["outline"]), rng, amount) for t in tiles]
    outlines += anywhere(bgr.shape, STRANGERS, rng)
    found = [Detection(outline, FOUND) for outline in outlines]
    assert reader.prints is not None
    kept = Recorded(faces_of_prints(reader.prints), NOTHING, NOTHING, 1.0)
    readings = read_taught(bgr, found, replace(reader, evidence=kept), lambda patches: patches)
    truth = [prints[t["tile"]] for t in tiles] + [""] * STRANGERS
    right = [_names(reading) == tile for reading, tile in zip(readings, truth, strict=True)]
    return kept.rows[0], np.array(right), np.array([tile in known for tile in truth])


def _names(reading: CellReading) -> str | None:
    return reading.guesses[0].tile if reading.guesses else None


def most_more(ours: Trees, strange: Array) -> float:
    """Return by how much all log-odds may rise until too many strangers are named surely.

    Owners leave out far fewer kinds than the third that is left out here to learn from.

    Args:
        ours: how probable it is that a reading is right.
        strange: what is known about strangers that it was not fitted to.
    """
    sure = 1 / (1 + np.exp(-strange[:, SURE_NAME].astype(float)))
    shares = ours.shares(strange).astype(float)
    odds = np.log(shares / (1 - shares))
    named = [(np.minimum(sure, 1 / (1 + np.exp(-odds - more))) >= SURELY).mean() for more in STEPS]
    return float(max((more for more, share in zip(STEPS, named, strict=True)
                      if share <= MOST_NAMED), default=0.0))  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Train as the command line asks."""
    parser = argparse.ArgumentParser(
        prog="python -m models.training.taught_evidence", description=__doc__
    )
    parser.add_argument("--boxes", type=int, default=16, help="invented boxes to teach")
    parser.add_argument("--out", type=Path, default=TRAINED, metavar="DIR")
    parser.add_argument("--kept", type=Path, metavar="DIR", help="where rows are kept")
    parser.add_argument("--workers", type=int, default=0, help="processes; one a core if missing")
    asked = parser.parse_args(arguments)
    names = invented_names("train", "square")[: asked.boxes]
    work = partial(box_rows, kept=asked.kept)
    parts = [p for p in tqdm(spread(work, names, asked.workers), total=len(names)) if p is not None]
    every = Known(*(np.concatenate([getattr(part, key) for part in parts])
                    for key in ("rows", "right", "ours", "sources")))  # fmt: skip
    drawn = float(every.ours.mean())
    ours, tile, right, checked = fit_both(every, drawn)
    more = most_more(ours, every.rows[checked & ~every.ours])
    ours, tile = (replace(trees, start=trees.start + more) for trees in (ours, tile))
    share = float(1 / (1 + (1 - drawn) / drawn * np.exp(-more)))
    figures = {
        "boxes": len(parts),
        "share": round(share, 3),
        **figures_of(ours, every, right, checked),
    }
    write_taught(ours, tile, share, asked.out, figures)
    sys.stdout.write(f"taught: {figures}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
