"""Runs the network that looks for tiles, and says what its maps mean.

The network itself is data: ``models/trained/detector.onnx`` with a manifest beside it that says
what goes in, what comes out and which file it is about; a file that does not fit is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core.crop import shrunk
from vision.core.errors import ModelError
from vision.core.files import TRAINED, Runner, read_file, read_manifest
from vision.core.types import Bgr, Points

Floats = NDArray[np.float32]

MANIFEST, QUICK_FILE = "detector.json", "detector_quick.onnx"
FORMAT, VERSION = "snake-eye/detector", 1
CHANNELS = (
    "square", "hex", "board", "side", "cut", "centre",
    "offset_x", "offset_y", "log_size", "stretch_x", "stretch_y", "turn_cos", "turn_sin",
)  # fmt: skip
"""The maps in their order: six logits, then numbers that describe the cell which a pixel shows."""
STRIDE, STEP, SIZE_PX = 4, 32, 16.0
WANTED = {
    "format": FORMAT, "version": VERSION, "colour": "bgr", "stride": STRIDE, "step": STEP,
    "channels": list(CHANNELS),
}  # fmt: skip
"""What the manifest must say."""
GREY = 128
"""What lies outside a picture, to the network."""
SHARE = np.float32(1 / 255)


@dataclass(frozen=True, eq=False)
class TileMaps:
    """What the network says about one picture, or a part of it."""

    maps: Floats
    """Channels x rows x columns; logits and numbers as ``CHANNELS`` lists them."""
    scale: tuple[float, float]
    """Pixels of the network's picture for one of the picture, across and down."""
    origin_px: tuple[float, float] = (0.0, 0.0)
    """Where the part that was looked at begins in the picture."""

    def __post_init__(self) -> None:
        if self.maps.ndim != 3 or len(self.maps) != len(CHANNELS):
            raise ValueError(
                f"maps are {len(CHANNELS)} x rows x columns, but got {self.maps.shape}"
            )

    def share(self, name: str) -> Floats:
        """Return one of the first six maps as shares between 0 and 1."""
        logits = self.maps[CHANNELS.index(name)]
        return np.asarray(1 / (1 + np.exp(-np.clip(logits, -30, 30))), np.float32)

    def number(self, name: str) -> Floats:
        """Return one of the maps of numbers."""
        return np.asarray(self.maps[CHANNELS.index(name)], np.float32)

    def picture_px(self, map_xy: Points) -> Points:
        """Return the picture's pixels of places in the maps, N x 2."""
        inner = np.asarray(map_xy, float) * STRIDE + STRIDE / 2
        return np.asarray(inner / np.array(self.scale) - 0.5 + np.array(self.origin_px))

    def map_xy(self, points_px: Points) -> Points:
        """Return the places in the maps of the picture's pixels, N x 2."""
        inner = (np.asarray(points_px, float) + 0.5 - np.array(self.origin_px)) * self.scale
        return np.asarray((inner - STRIDE / 2) / STRIDE)


class TileNetwork:
    """The network, loaded and checked once; may be used from several threads."""

    def __init__(self, folder: Path = TRAINED) -> None:
        self.manifest = read_manifest(folder / MANIFEST, WANTED)
        path = folder / str(self.manifest.get("file"))
        self._runner = Runner(read_file(path, self.manifest.get("sha256")), path.name)
        quick = self.manifest.get("quick")
        self._quick_runner = self._runner if quick is None else _quick_copy(folder, quick)

    def look(
        self, bgr: Bgr, scale: float, box: tuple[int, int, int, int] | None = None, *,
        careful: bool = False, quick: bool = False,
    ) -> TileMaps:  # fmt: skip
        """Return the maps of a picture made ``scale`` times as large.

        Args:
            bgr: the picture.
            scale: below 1 it is made smaller.
            box: left, top, right and bottom of the part to look at; all of it without.
            careful: looks at it in a mirror too, upright and upside down, and takes the mean.
            quick: counts in whole numbers, which takes little more than half as long.
        """
        left, top, right, bottom = box or (0, 0, bgr.shape[1], bgr.shape[0])
        small, scales = shrunk(bgr[top:bottom, left:right], scale, quick=quick)
        blob = padded(small)
        runner = self._quick_runner if quick else self._runner
        maps = self._mean_of_mirrors(blob) if careful else runner.run(blob)[0]
        rows, columns = (-(-length // STRIDE) for length in small.shape[:2])
        maps = np.ascontiguousarray(maps[:, :rows, :columns])
        return TileMaps(maps, scales, (float(left), float(top)))

    def _mean_of_mirrors(self, blob: Floats) -> Floats:
        """Return the mean of four looks; numbers count by how sure each look is of a tile."""
        total = np.zeros(0, np.float32)
        weights = np.zeros(0, np.float32)
        for across, down in ((1, 1), (-1, 1), (1, -1), (-1, -1)):
            turned = np.ascontiguousarray(blob[..., ::down, ::across])
            maps = self._runner.run(turned)[0, :, ::down, ::across] * _signs(across, down)
            shown = 1 / (1 + np.exp(-maps[:3].max(axis=0))) + 1e-3
            weighted = np.concatenate([maps[:6], maps[6:] * shown])
            total = weighted if not total.size else total + weighted
            weights = shown if not weights.size else weights + shown
        return np.concatenate([total[:6] / 4, total[6:] / weights])


def _quick_copy(folder: Path, entry: Any) -> Runner:
    """Return the copy that counts in whole numbers.

    Raises:
        ModelError: it is missing, or not the one that the manifest is about.
    """
    if not isinstance(entry, dict):
        raise ModelError(f"{folder / MANIFEST} says nothing of its quick copy; run 'make train'")
    path = folder / str(entry.get("file"))
    return Runner(read_file(path, entry.get("sha256")), path.name)


def padded(small: Bgr) -> Floats:
    """Return a picture as the network takes it, its sides filled up with grey."""
    height, width = small.shape[:2]
    high, wide = height + -height % STEP, width + -width % STEP
    blob = np.full((1, 3, high, wide), GREY / 255, np.float32)
    for channel, plane in zip(blob[0], cv2.split(small), strict=True):
        np.multiply(plane, SHARE, out=channel[:height, :width], dtype=np.float32)
    return blob


def _signs(across: int, down: int) -> Floats:
    """Return what a mirror does to the maps: ways and leanings change their sign."""
    mirrored = across * down
    signs = [1.0] * 6 + [across, down, 1, 1, mirrored, 1, mirrored]
    return np.array(signs, np.float32)[:, None, None]


@lru_cache(maxsize=1)
def shipped_network() -> TileNetwork:
    """Return the network that the repository ships, loaded on first use."""
    return TileNetwork()
