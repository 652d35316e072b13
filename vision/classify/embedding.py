"""Embeds prints of unseen boxes with a small neural network.

The network was trained on invented boxes to tell prints apart in any light. Readers of taught boxes
use its embedding besides ``vision.classify.features``, and so does their evidence.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vision.classify import features
from vision.core.crop import PATCH_PX, Patches
from vision.core.files import TRAINED, Runner, read_file, read_manifest

Floats = NDArray[np.float32]

MANIFEST, FILE = "embedding.json", "embedding.onnx"
FORMAT, VERSION = "snake-eye/embedding", 2
"""``VERSION`` is raised with every network that gives other numbers."""
PRINT_NUMBERS, LAND_NUMBERS = 96, 32
"""Sizes of the embedding's two parts: one separates prints and their turns, the other describes
what prints of one land share."""
NUMBERS = PRINT_NUMBERS + LAND_NUMBERS
WEIGHTS = (8.0, 8.0)
"""Norm of each part of the embedding, about that of a card's shape features. With 3 for the first,
15 of 87 tiles of the two hardest invented boxes were read wrong, with 6 to 16 six to eight; with 3
for the second, 29 of 500 lands with five examples a kind, with 10 thirteen."""
PARTS = slice(0, PRINT_NUMBERS), slice(PRINT_NUMBERS, NUMBERS)
AT_ONCE = 64
"""Batch size; larger batches exceed the processor's cache and take a third longer per patch."""
WANTED: dict[str, object] = {
    "format": FORMAT,
    "version": VERSION,
    "patch_px": PATCH_PX,
    "numbers": NUMBERS,
    "colour": "bgr",
}


class Embedding:
    """The network, loaded and checked once; safe to use from several threads."""

    def __init__(self, folder: Path = TRAINED) -> None:
        manifest = read_manifest(folder / MANIFEST, WANTED)
        self._runner = Runner(read_file(folder / FILE, manifest.get("sha256")), FILE)

    def numbers(self, patches: Patches) -> Floats:
        """Return the embedding of each patch, N x ``NUMBERS``, each part scaled to its norm."""
        out = through(self._runner, patches)
        for part, weight in zip(PARTS, WEIGHTS, strict=True):
            length = np.linalg.norm(out[:, part], axis=1, keepdims=True)
            out[:, part] *= weight / np.maximum(length, 1e-6)
        return out


def through(network: Runner, patches: Patches) -> Floats:
    """Return what a network makes of each patch, N x ``NUMBERS``."""
    out = np.empty((len(patches), NUMBERS), np.float32)
    for start in range(0, len(patches), AT_ONCE):
        some = patches[start : start + AT_ONCE].transpose(0, 3, 1, 2)
        blob = np.asarray(np.ascontiguousarray(some, np.float32) / 255 - 0.5, np.float32)
        out[start : start + AT_ONCE] = network.run(blob).reshape(len(blob), -1)
    return out


@lru_cache(maxsize=1)
def shipped_embedding() -> Embedding:
    """Return the network that the repository ships, loaded on first use."""
    return Embedding()


def described(patches: Patches) -> Floats:
    """Return the features and the embedding of each patch, one row per patch."""
    if not len(patches):
        return np.zeros((0, described_count()), np.float32)
    return np.hstack([features.features(patches), shipped_embedding().numbers(patches)])


def described_count() -> int:
    """Return the number of columns of ``described``."""
    return features.feature_count() + NUMBERS
