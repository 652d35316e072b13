"""The three networks that read hex boards, loaded and checked once.

They are data: ``models/trained/hex_finder.onnx``, ``hex_placer.onnx`` and ``hex_cells.onnx`` with
one manifest beside them. Files that do not match it are refused.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vision.core.files import TRAINED, Runner, blob_of, read_file, read_manifest
from vision.core.types import Bgr, Points

Floats = NDArray[np.float32]

MANIFEST = "hex_boards.json"
FORMAT, VERSION = "snake-eye/hex-boards", 1
NETWORKS = ("hex_finder", "hex_placer", "hex_cells")
COLOURS = ("blue", "red", "yellow", "green", "violet")
CONTENTS = ("empty", *COLOURS, "eye")
"""What a cell of a board can hold; the order of the network's first outputs."""
WANTED = {"format": FORMAT, "version": VERSION, "colour": "bgr", "contents": list(CONTENTS)}
"""Values that the manifest must have."""

MIDDLE = 127.5
"""Grey level that is subtracted from network input, which then lies between -0.5 and 0.5."""


class HexModels:
    """The three networks; safe to use from several threads."""

    def __init__(self, folder: Path = TRAINED) -> None:
        self.manifest = read_manifest(folder / MANIFEST, WANTED)
        sums = self.manifest.get("sha256")
        self._nets = {name: _loaded(folder, name, sums) for name in NETWORKS}

    def mark(self, bgr: Bgr) -> Floats:
        """Return logits, 2 x rows x columns: inside of a board, cell of a tile beside boards."""
        return np.asarray(self._run("hex_finder", [bgr])[0])

    def place(self, bgr: Bgr) -> tuple[Points, float]:
        """Return offsets of fixed points from their places, in cell widths, and the confidence."""
        out = self._run("hex_placer", [bgr])[0].ravel()
        confidence = 1 / (1 + np.exp(-float(np.clip(out[-1], -30, 30))))
        return np.asarray(out[:-1].reshape(-1, 2), np.float64), float(confidence)

    def read(self, boards: list[Bgr]) -> Floats:
        """Return logits of cells, boards x outputs x rows x columns."""
        return self._run("hex_cells", boards)

    def _run(self, name: str, pictures: list[Bgr]) -> Floats:
        return self._nets[name].run(blob_of(pictures, MIDDLE))


@lru_cache(maxsize=1)
def shipped_models() -> HexModels:
    """Return the networks that the repository ships, loaded on first use."""
    return HexModels()


def _loaded(folder: Path, name: str, sums: Any) -> Runner:
    sha256 = sums.get(name) if isinstance(sums, dict) else None
    data = read_file(folder / f"{name}.onnx", sha256)
    return Runner(data, f"{name}.onnx")
