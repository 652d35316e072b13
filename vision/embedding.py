"""Describes prints of boxes that nobody here has seen, by a small network.

The network learnt on invented boxes to tell prints apart in any light; its numbers stand beside
the shapes and colours of ``vision.features``. Taught boxes alone are read with it.
"""

from __future__ import annotations

import threading
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision import features
from vision.crop import PATCH_PX, Patches
from vision.models import TRAINED, read_file, read_manifest

Floats = NDArray[np.float32]

MANIFEST, FILE = "embedding.json", "embedding.onnx"
FORMAT, VERSION = "snake-eye/embedding", 1
"""The version goes up with every network that gives other numbers."""
NUMBERS = 128
WEIGHT = 3.0
"""Length of a patch's numbers: as much as the shapes of half a card."""
AT_ONCE = 64
"""Patches in one go; more of them leave the processor's cache and take a third longer each."""
WANTED: dict[str, object] = {
    "format": FORMAT, "version": VERSION, "patch_px": PATCH_PX, "numbers": NUMBERS, "colour": "bgr",
}  # fmt: skip


class Embedding:
    """The network, loaded and checked once; may be used from several threads."""

    def __init__(self, folder: Path = TRAINED) -> None:
        manifest = read_manifest(folder / MANIFEST, WANTED)
        data = read_file(folder / FILE, manifest.get("sha256"))
        self._net = cv2.dnn.readNetFromONNX(np.frombuffer(data, np.uint8))
        self._one_at_a_time = threading.Lock()

    def numbers(self, patches: Patches) -> Floats:
        """Return one row of numbers a patch, all of the same length."""
        out = np.empty((len(patches), NUMBERS), np.float32)
        for start in range(0, len(patches), AT_ONCE):
            some = patches[start : start + AT_ONCE].transpose(0, 3, 1, 2)
            blob = np.ascontiguousarray(some, np.float32) / 255 - 0.5
            with self._one_at_a_time:
                self._net.setInput(blob)
                out[start : start + AT_ONCE] = self._net.forward().reshape(len(blob), -1)
        length = np.linalg.norm(out, axis=1, keepdims=True)
        return np.asarray(WEIGHT * out / np.maximum(length, 1e-6), np.float32)


@lru_cache(maxsize=1)
def shipped_embedding() -> Embedding:
    """Return the network that the repository ships, loaded on first use."""
    return Embedding()


def described(patches: Patches) -> Floats:
    """Return shapes, colours and the network's numbers, a row a patch."""
    if not len(patches):
        return np.zeros((0, described_count()), np.float32)
    return np.hstack([features.features(patches), shipped_embedding().numbers(patches)])


def described_count() -> int:
    """Return how many numbers describe a patch."""
    return features.feature_count() + NUMBERS
