"""Counts what was read right of boxes that were taught a moment ago."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from models.lab.evaluate.harness import told
from models.lab.scenes.world.arrays import Array
from models.teaching.examples import folds_of
from models.teaching.labels import parse_labels
from models.teaching.teach import Lesson, teach
from vision import Shape, TableState, TaughtSet, find_taught
from vision.core.lattice import turned_cells

Cell = tuple[int, int]

SURE = 0.99


@dataclass
class Tally:
    """What was read right, on pictures that were called good enough."""

    tables: int = 0
    occupied: int = 0
    """Tables with every tile in its place and none invented."""
    exact: int = 0
    """Tables that have every kind right as well, unsure ones by their first guess."""
    tiles: int = 0
    right: int = 0
    unsure: int = 0
    sure: int = 0
    sure_right: int = 0
    not_good: int = 0
    worst: list[str] = field(default_factory=list)

    def plus(self, more: Mapping[str, Any]) -> None:
        """Add what was counted elsewhere, as ``asdict`` gives it."""
        for key, value in more.items():
            setattr(self, key, getattr(self, key) + value)

    def lines(self, name: str) -> list[str]:
        """Return the figures in words."""
        return [
            f"{name}: {self.tables} tables",
            f"  exact in occupancy {told(self.occupied, self.tables, 100)}",
            f"  wholly exact {told(self.exact, self.tables, 100)}",
            f"  kinds right, of tiles {told(self.right, self.tiles, 100)}",
            f"  unsure {told(self.unsure, self.tiles, 1000)}",
            f"  right of those at {SURE} {told(self.sure_right, self.sure, 100)}",
            f"  called not good enough {told(self.not_good, self.tables + self.not_good, 100)}",
            *([f"  worst: {'; '.join(self.worst[:12])}"] if self.worst else []),
        ]


def taught(
    name: str, shape: Shape, photos: Path, labels: Mapping[str, Any], home: Path
) -> TaughtSet:
    """Return a box taught from labelled photographs, written and loaded again."""
    parsed = parse_labels({"photos": dict(labels)}, shape)
    teach(Lesson(name, shape, photos, parsed, replace=True), home)
    box = find_taught(name, (home,))
    assert box is not None
    return box


def count_layout(
    tally: Tally, state: TableState, truth: Mapping[Cell, str], shape: Shape, name: str
) -> None:
    """Add one table with a truth up to shift and turn; poor pictures are counted separately."""
    if not state.quality.ok:
        tally.not_good += 1
        return
    entries = [*state.tiles, *state.unsure]
    cells = np.array([e["at"] if "at" in e else e["cells"][0] for e in entries]).reshape(-1, 2)
    shared, right, places = best_fit(
        cells, [str(e["tile"]) for e in entries], truth, folds_of(shape)
    )
    tally.tables += 1
    tally.tiles += len(truth)
    tally.right += right
    tally.unsure += len(state.unsure)
    occupied = shared == len(truth) == len(entries)
    tally.occupied += occupied
    tally.exact += occupied and right == len(truth)
    for entry, place in zip(entries, places, strict=True):
        if entry["confidence"] >= SURE:
            tally.sure += 1
            tally.sure_right += truth.get(place) == entry["tile"]
    if not occupied or right < len(truth):
        tally.worst.append(f"{name} ({len(truth)} tiles, {len(entries)} read, {right} right)")


def best_fit(
    cells: Array, tiles: Sequence[str], truth: Mapping[Cell, str], folds: int
) -> tuple[int, int, list[Cell]]:
    """Return how many cells and kinds agree at the best shift and turn, and the cells there."""
    best: tuple[int, int, list[Cell]] = (0, 0, [(10**6, 0)] * len(cells))
    for turn in range(folds if len(cells) else 0):
        turned = turned_cells(cells, np.full(len(cells), turn), folds)
        gaps = (np.array(list(truth))[:, None] - turned[None]).reshape(-1, 2)
        for shift in np.unique(gaps, axis=0):
            moved = [(int(x), int(y)) for x, y in turned + shift]
            shared = sum(cell in truth for cell in moved)
            right = sum(truth.get(c) == t for c, t in zip(moved, tiles, strict=True))
            best = max(best, (shared, right, moved), key=lambda way: way[:2])
    return best
