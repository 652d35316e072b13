"""Reads cards that a hand or a cup covers in part, from the halves of them that are seen whole.

A reader of halves has learnt the upper halves of patches, their mirror images below them. Turned
by quarters it reads each half of a patch by itself; what covers the others says nothing then.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from vision.core.crop import Patches
from vision.core.looks import QUARTERS, Look

if TYPE_CHECKING:
    from vision.classify.reader import CellReading, Reader

Floats = NDArray[np.float32]

CLEAN = 0.3
"""Halves nearer to a look than this share of what is known show that card. Of 8,055 halves of
cards that nothing covered 97 in 100 lay nearer, of a floor's tiles none."""
COVERED = 0.6
"""Something covers a half that lies further off. Where nothing does, the whole says more."""
AS_CLEAN = 1.5
"""Halves further off than that many times the nearest one are covered too."""


def upper_halves(patches: Patches) -> Patches:
    """Return patches with the mirror image of their upper half below it."""
    half = patches.shape[1] // 2
    return np.concatenate([patches[:, :half], patches[:, half - 1 :: -1]], axis=1)


def read_halves(reader: Reader, patches: Patches) -> list[CellReading | None]:
    """Return what the clean halves of each patch show; nothing where none is, or none is covered.

    Args:
        reader: of upper halves.
        patches: as ``vision.core.crop`` cuts them.
    """
    if not len(patches):
        return []
    turned = [np.rot90(patches, turns, axes=(1, 2)) for turns in range(QUARTERS)]
    distances = reader.distances(upper_halves(np.concatenate(turned)))
    every = np.stack([
        part[:, _turned(reader.looks, turns)]
        for turns, part in enumerate(np.split(distances, QUARTERS))
    ], axis=1)  # fmt: skip
    return [_together(reader, halves) for halves in every]


def _together(reader: Reader, halves: Floats) -> CellReading | None:
    """Return the reading of one patch from the distances of its four halves, 4 x looks."""
    nearest = halves.min(axis=1) / reader.known
    best = float(nearest.min())
    if best > CLEAN or nearest.max() < COVERED:
        return None
    seen = halves[nearest <= max(AS_CLEAN * best, CLEAN / 2)]
    return reader.readings(seen.mean(axis=0, keepdims=True))[0]


@lru_cache(maxsize=8 * QUARTERS)
def _turned(looks: tuple[Look, ...], turns: int) -> NDArray[np.int64]:
    """Return for each look the number of that which it becomes when its patch is turned back."""
    number = {look: k for k, look in enumerate(looks)}
    return np.array([
        number[Look(look.tile, look.cell, (look.turns - turns) % QUARTERS)] for look in looks
    ])  # fmt: skip
