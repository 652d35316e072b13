"""Boxes whose kinds have many prints: how many are read right from 1, 5 and 20 examples a kind.

Held-out lands under other lights, as they may look another day; no table is laid. What the fit
makes of few examples is chosen here, not on the photographs that it is judged by.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from models.evaluate.harness import spread, told
from models.evaluate.taught.counting import SURE
from models.scenes.splits import invented_names
from models.scenes.world.arrays import Array
from models.scenes.world.lands import land_box
from models.teaching.examples import Examples, Hardness, varied
from models.teaching.fit import fit_reader
from models.teaching.match import folds_of
from models.teaching.teach import SEED, prepared_loose
from models.training.print_drawing import kept_faces
from vision import Shape
from vision.core.crop import Patches

SHOTS = (1, 5, 20)
ASKED = 10
"""Prints of a kind that are read; those to learn from are others."""
ANOTHER_DAY = Hardness().times(1.2)
GAIN, CHANNEL = 0.15, 0.08
"""How much photographs to learn from differ in brightness and colour, as natural logarithms."""


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
        total = sum(spread(counted, tasks, workers), np.zeros(4, int))
        right, count, sure, sure_right = (int(n) for n in total)
        yield f"lands, {len(tasks)} boxes, {shots} a kind: right {told(right, count, 100)}"
        yield f"    right of those at {SURE} {told(sure_right, sure, 100)}"


def counted(task: LandTask) -> Array:
    """Return right, all, sure and surely right prints of one box."""
    folds = folds_of(task.shape)
    box = land_box(task.name, task.shots + ASKED)
    rng = np.random.default_rng((SEED, task.shots))
    learnt = np.concatenate([kept_faces(list(f[: task.shots])) for f in box.faces.values()])
    asked = np.concatenate([kept_faces(list(f[task.shots :])) for f in box.faces.values()])
    kinds = list(box.faces)
    examples = Examples(
        _lit(learnt, rng), tuple(np.repeat(kinds, task.shots).tolist()),
        np.full(len(learnt), -1), ("lands.jpg",) * len(learnt),
    )  # fmt: skip
    rows, lands = prepared_loose(examples, "lands", task.shape)
    reader = fit_reader(rows, lands=lands).reader
    turns = [int(n) for n in rng.integers(folds, size=len(asked))]
    guesses = [r.guesses[0] for r in reader.read(varied(asked, turns, folds, rng, ANOTHER_DAY))]
    right = np.array([g.tile == k for g, k in zip(guesses, np.repeat(kinds, ASKED), strict=True)])
    sure = np.array([g.confidence >= SURE for g in guesses])
    return np.array([right.sum(), len(right), sure.sum(), (right & sure).sum()])


def _lit(patches: Patches, rng: np.random.Generator) -> Patches:
    count = len(patches)
    gains = rng.normal(0, GAIN, (count, 1, 1, 1)) + rng.normal(0, CHANNEL, (count, 1, 1, 3))
    return np.clip(patches * np.exp(gains), 0, 255).astype(np.uint8)
