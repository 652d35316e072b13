"""Prints of boxes that never existed, drawn by other processes.

A box with one print per kind teaches what tells prints and their turns apart; a box of lands, with
many prints per kind, what the prints of one kind share in any turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from models.lab.scenes.splits import Split, invented_names
from models.lab.scenes.world.faces import Face
from models.lab.scenes.world.invented import invented_set
from models.lab.scenes.world.lands import land_box
from models.teaching.examples import KEPT_PX, cut_example, folds_of
from vision.core.crop import Patches

Ints = NDArray[np.int64]

PRINTS_A_LAND = 5
LANDS_EVERY = 2
"""Every second box of a process is drawn as lands too."""


@dataclass(frozen=True, eq=False)
class Prints:
    """The prints of one box."""

    patches: Patches
    """N x 112 x 112 x 3, in the format of kept examples."""
    kinds: Ints
    periods: Ints
    """Turns after which each print looks the same."""
    folds: int
    lands: bool


def drawn_boxes(split: Split, first: int, step: int, seed: int) -> Iterator[Prints]:
    """Yield every ``step``-th box of one split, in an order that the seed decides."""
    names = [*invented_names(split, "square"), *invented_names(split, "hex")]
    order = np.random.default_rng(seed).permutation(len(names))
    for place in range(first, len(order), step):
        name = names[int(order[place])]
        yield _printed(name)
        if (place // step) % LANDS_EVERY == 0:
            yield _landed(name)


def _printed(name: str) -> Prints:
    box = invented_set(name)
    periods = np.array([box.periods[kind] for kind in box.faces])
    faces = list(box.faces.values())
    return Prints(
        kept_faces(faces), np.arange(len(faces)), periods, folds_of(box.lattice), lands=False
    )


def _landed(name: str) -> Prints:
    box = land_box(name, PRINTS_A_LAND)
    kinds = [n for n, faces in enumerate(box.faces.values()) for _ in faces]
    faces = [face for faces in box.faces.values() for face in faces]
    folds = folds_of(box.lattice)
    return Prints(kept_faces(faces), np.array(kinds), np.full(len(faces), folds), folds, lands=True)


def kept_faces(faces: list[Face]) -> Patches:
    """Return faces on grey, with room around them."""
    out = np.empty((len(faces), KEPT_PX, KEPT_PX, 3), np.uint8)
    for number, face in enumerate(faces):
        bgra = face.levels[0].astype(np.float32)
        whole = bgra[..., :3] + (1 - bgra[..., 3:] / 255) * 128
        corners = face.outline_mm * face.px_per_mm + np.asarray(face.origin_px) - 0.5
        out[number] = cut_example(np.clip(whole, 0, 255).astype(np.uint8), corners)
    return out


def sources(processes: int, seed: int) -> list[Callable[[], Iterator[tuple[Split, Prints]]]]:
    """Return a source for each process; the first one draws held-out boxes, to measure with."""
    train = [partial(_boxes, "train", number, processes, seed) for number in range(processes)]
    return [partial(_boxes, "held-out", 0, 1, seed), *train]


def _boxes(split: Split, first: int, step: int, seed: int) -> Iterator[tuple[Split, Prints]]:
    yield from ((split, prints) for prints in drawn_boxes(split, first, step, seed))
