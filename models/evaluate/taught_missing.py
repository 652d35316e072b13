"""Reads boxes of which a third of the kinds was never taught: these are not to be named surely."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from models.evaluate.intervals import told
from models.evaluate.one_print import one_print
from models.evaluate.taught import stages_of
from models.evaluate.taught_invented import box_names, tables_of
from models.evaluate.workers import spread
from models.scenes.invented import invented_set
from models.teaching.teach import teach
from models.training.taught_evidence import part_lesson
from vision import Picture, ReadRequest, TaughtSet, find_taught, read_table

SURELY = 0.9
NEAR = 0.5
"""An entry is about a tile when their middles are nearer than that, in widths of the tile."""


def evaluate_missing(boxes: int, tables: int, workers: int) -> Iterator[str]:
    """Teach held-out boxes but for a third of their kinds, read tables; yield the figures."""
    counts: Counter[str] = Counter()
    for one in spread(partial(_counted, tables=tables), box_names("square", boxes), workers):
        counts += one
    yield f"a third of the kinds never taught, {boxes} boxes"
    for way in ("with evidence", "without"):
        seen = {
            key: counts[f"{key}, {way}"] for key in ("missing", "named", "taught", "right", "sure")
        }
        named = told(seen["named"], seen["missing"], 100)
        yield f"  {way}: missing kinds named at {SURELY}: {named}"
        yield f"    taught ones right {told(seen['right'], seen['taught'], 100)}"
        yield f"    taught ones right and at {SURELY} {told(seen['sure'], seen['taught'], 100)}"


def _counted(name: str, tables: int) -> Counter[str]:
    cv2.setNumThreads(1)
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as home:
        lesson, known = part_lesson(name, Path(home), "held-out")
        teach(lesson, Path(home))
        box = find_taught(lesson.name, (Path(home),))
    assert box is not None and box.reader is not None
    if box.reader.evidence is None:
        return counts
    bare = replace(box, reader=box.reader.unweighed)
    for scene in tables_of(name, "square", tables):
        for way, one in (("with evidence", box), ("without", bare)):
            counts += _read(one, scene.bgr, scene.truth["tiles"], name, known, way)
    return counts


def _read(
    box: TaughtSet, bgr: Any, tiles: Sequence[Any], name: str, known: set[str], way: str
) -> Counter[str]:
    """Return what is counted about one table."""
    prints = one_print(invented_set(name))
    request = ReadRequest("square", box.tile_set)
    state = read_table(Picture(bgr, (bgr.shape[1], bgr.shape[0])), request, stages_of(box))
    entries = [*state.tiles, *state.unsure, *state.aside]
    middles = np.array([np.mean(e["outline"], axis=0) for e in entries]).reshape(-1, 2)
    counts: Counter[str] = Counter()
    for tile in tiles:
        outline, kind = np.array(tile["outline"]), prints[tile["tile"]]
        wide = float(np.linalg.norm(outline[1] - outline[0]))
        apart = np.linalg.norm(middles - outline.mean(axis=0), axis=1)
        near = int(np.argmin(apart)) if len(apart) else -1
        said = entries[near] if near >= 0 and apart[near] < NEAR * wide else None
        sure = said is not None and float(said["confidence"]) >= SURELY
        right = said is not None and said["tile"] == kind
        if kind in known:
            counts += Counter({f"taught, {way}": 1, f"right, {way}": int(right),
                               f"sure, {way}": int(right and sure)})  # fmt: skip
        else:
            counts += Counter({f"missing, {way}": 1, f"named, {way}": int(sure)})
    return counts
