"""Fits what weighs readings of taught boxes: ``python -m models.lab.training.taught_evidence``.

Boxes of the train side are invented and taught from two photographs each, as an owner would do it,
but for a third of their kinds. Their tiles then lie on other tables: what was taught is to be
named, what was not is something else, as are places that are no tiles at all.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from models.lab.evaluate.taught.invented import one_print, part_lesson, tables_of
from models.lab.scenes.splits import invented_names, rng_of
from models.lab.scenes.world.arrays import Array
from models.lab.scenes.world.invented import invented_set
from models.lab.training.drills import jittered
from models.lab.training.harness import made, parser_of, tell
from models.lab.training.strangers import anywhere
from models.lab.training.trees import fit_trees
from models.teaching.teach import gather, learn
from vision import Bgr
from vision.classify.evidence import FILE, NAMES, RISING, Evidence, Trees, rows_of, write_taught
from vision.classify.faces import faces_of_prints
from vision.classify.reading import CellReading
from vision.classify.taught_looks import TaughtReader
from vision.classify.taught_tiles import read_taught
from vision.core.crop import Patches
from vision.core.types import Detection

TABLES, FIRST_TABLE = 5, 40
CHECKED_SHARE = 0.25
"""Share of boxes that are held back to decide when fitting stops."""
MISSES = (0.3, 1.5)
FOUND = 0.9
SURELY, MOST_NAMED = 0.9, 0.005
"""Confidence that counts as sure, and the largest share of strangers that may be named so."""
STEPS = tuple(np.arange(0, 5, 0.25).tolist())
SURE_NAME = NAMES.index("sure")
STRANGERS = 12
"""Places per table that are no tiles."""


@dataclass(frozen=True, eq=False)
class Known:
    """Features of patches, and what the patches are."""

    rows: Array
    right: Array
    ours: Array
    sources: Array


@dataclass(frozen=True, eq=False)
class Recorded(Evidence):
    """Evidence that records the features of patches and leaves readings unchanged."""

    rows: list[Array] = field(default_factory=list)

    def weighed(
        self,
        reader: TaughtReader,
        patches: Patches,
        readings: Sequence[CellReading],
        across_px: Sequence[float] | None,
    ) -> list[CellReading]:
        """Return the readings unchanged."""
        self.rows.append(rows_of(self.faces, reader, patches, readings, across_px))
        return list(readings)


_NONE, _NO_NUMBERS = np.zeros(0, np.int32), np.zeros(0, np.float64)
NOTHING = Trees(0.0, _NONE, _NONE, _NO_NUMBERS, _NONE, _NONE, _NO_NUMBERS)


def box_rows(name: str) -> Known | None:
    """Return the features of tiles and strangers of one box; ``None`` where it shows lands."""
    with tempfile.TemporaryDirectory() as home:
        lesson, known = part_lesson(name, Path(home), "train")
        reader = learn(lesson, gather(lesson).examples, Path(home)).reader
    if reader.prints is None:
        return None
    parts = [
        _table_rows(name, reader, known, scene.bgr, scene.truth["tiles"], number)
        for number, scene in enumerate(tables_of(name, "square", TABLES, FIRST_TABLE, "train"))
    ]
    number = int(name.rpartition("-")[2])
    rows, right, ours = (np.concatenate([part[k] for part in parts]) for k in range(3))
    return Known(rows, right, ours, np.full(len(rows), number))


def _table_rows(
    name: str, reader: TaughtReader, known: set[str], bgr: Bgr, tiles: Sequence[Any], number: int
) -> tuple[Array, Array, Array]:
    """Return the features of one table's places, which are read right, and which were taught."""
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


def fit_both(every: Known, tiles_share: float) -> tuple[Trees, Trees, Array, Array]:
    """Return trees for right readings, trees for tiles against strangers, and two masks of rows.

    The masks say which rows are right, and which only decided when to stop.
    """
    checked = every.sources % round(1 / CHECKED_SHARE) == 0
    right = every.ours & every.right
    drawn = every.ours.mean()
    weights = np.where(every.ours, tiles_share / drawn, (1 - tiles_share) / (1 - drawn))
    ours = fit_trees(every.rows, right.astype(int), weights, checked, RISING)
    tile = fit_trees(every.rows, every.ours.astype(int), weights, checked, [0] * len(NAMES))
    return ours, tile, right, checked


def figures_of(ours: Trees, every: Known, right: Array, checked: Array) -> dict[str, Any]:
    """Return the figures of the fitted trees on rows that they were not fitted to."""
    shares = ours.shares(every.rows[checked])
    sure = every.rows[checked][:, 0] > np.log(9)
    true, strange = right[checked] & sure, ~every.ours[checked] & sure
    wrong = every.ours[checked] & ~every.right[checked] & sure
    return {
        "rows": len(every.rows),
        "trees": len(ours.starts),
        "sure_and_right": int(true.sum()),
        "of_them_doubted": int((shares[true] < 0.9).sum()),
        "sure_strangers": int(strange.sum()),
        "of_them_kept": int((shares[strange] >= 0.9).sum()),
        "sure_and_wrong": int(wrong.sum()),
        "of_these_kept": int((shares[wrong] >= 0.9).sum()),
    }


def most_more(ours: Trees, strange: Array) -> float:
    """Return by how much all log-odds may rise until too many strangers are named surely.

    Owners leave out far fewer kinds than the third that is left out here to learn from.

    Args:
        ours: trees for the probability that a reading is right.
        strange: features of strangers that they were not fitted to.
    """
    sure = 1 / (1 + np.exp(-strange[:, SURE_NAME].astype(float)))
    shares = ours.shares(strange).astype(float)
    odds = np.log(shares / (1 - shares))
    named = [(np.minimum(sure, 1 / (1 + np.exp(-odds - more))) >= SURELY).mean() for more in STEPS]
    return float(
        max(
            (more for more, share in zip(STEPS, named, strict=True) if share <= MOST_NAMED),
            default=0.0,
        )
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Train as the command line asks."""
    parser = parser_of("taught_evidence", __doc__)
    parser.add_argument("--boxes", type=int, default=32, help="invented boxes to teach")
    asked = parser.parse_args(arguments)
    names = invented_names("train", "square")[: asked.boxes]
    parts = [one for one in made("boxes", box_rows, names, asked.workers) if one is not None]
    every = Known(
        *(
            np.concatenate([getattr(part, key) for part in parts])
            for key in ("rows", "right", "ours", "sources")
        )
    )
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
    tell("taught", figures, asked.out, [FILE])
    return 0


if __name__ == "__main__":
    sys.exit(main())
