"""The three networks that read hex boards, loaded and checked once.

They are data: ``models/trained/hex_finder.onnx``, ``hex_placer.onnx`` and ``hex_cells.onnx`` with
one manifest beside them. Files that do not fit it are refused.
"""

from __future__ import annotations

import hashlib
import json
import threading
from functools import lru_cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.errors import VisionError
from vision.types import Bgr, Points

Floats = NDArray[np.float32]

TRAINED = Path(__file__).resolve().parent.parent / "models" / "trained"
MANIFEST = "hex_boards.json"
FORMAT, VERSION = "snake-eye/hex-boards", 1
NETWORKS = ("hex_finder", "hex_placer", "hex_cells")
COLOURS = ("blue", "red", "yellow", "green", "violet")
CONTENTS = ("empty", *COLOURS, "eye")
"""What a cell of a board can hold; the order of the network's first outputs."""


class HexModelError(VisionError):
    """A trained network for hex boards is missing, broken, or not what its manifest says."""


class HexModels:
    """The networks; may be used from several threads."""

    def __init__(self, folder: Path = TRAINED) -> None:
        self.manifest = _manifest(folder / MANIFEST)
        self._nets = {name: _loaded(folder, name, self.manifest) for name in NETWORKS}
        self._one_at_a_time = threading.Lock()

    def mark(self, bgr: Bgr) -> Floats:
        """Return logits, 2 x rows x columns: inside of a board, cell of a tile beside boards."""
        return np.asarray(self._run("hex_finder", [bgr])[0])

    def place(self, bgr: Bgr) -> tuple[Points, float]:
        """Return how far fixed points lie off their places, in cell widths, and the confidence."""
        out = self._run("hex_placer", [bgr])[0].ravel()
        confidence = 1 / (1 + np.exp(-float(np.clip(out[-1], -30, 30))))
        return np.asarray(out[:-1].reshape(-1, 2), np.float64), float(confidence)

    def read(self, boards: list[Bgr]) -> Floats:
        """Return logits of cells, boards x outputs x rows x columns."""
        return self._run("hex_cells", boards)

    def _run(self, name: str, pictures: list[Bgr]) -> Floats:
        blob = cv2.dnn.blobFromImages(pictures, 1 / 255, mean=(127.5, 127.5, 127.5))
        with self._one_at_a_time:
            net = self._nets[name]
            net.setInput(blob)
            return np.array(net.forward(), np.float32)


@lru_cache(maxsize=1)
def shipped_models() -> HexModels:
    """Return the networks that the repository ships, loaded on first use."""
    return HexModels()


def _manifest(path: Path) -> dict[str, Any]:
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise HexModelError(f"no networks for hex boards at {path}; run 'make train'") from error
    except ValueError as error:
        raise HexModelError(
            f"{path} is no JSON file: {error}; take it from the repository"
        ) from error
    met = {key: manifest.get(key) for key in ("format", "version", "colour", "contents")}
    want = {"format": FORMAT, "version": VERSION, "colour": "bgr", "contents": list(CONTENTS)}
    if met != want:
        raise HexModelError(f"{path} is about other networks ({met}); these need {want}")
    return dict(manifest)


def _loaded(folder: Path, name: str, manifest: dict[str, Any]) -> Any:
    path = folder / f"{name}.onnx"
    try:
        data = path.read_bytes()
    except OSError as error:
        raise HexModelError(f"no network at {path}; run 'make train'") from error
    if hashlib.sha256(data).hexdigest() != manifest.get("sha256", {}).get(name):
        raise HexModelError(f"{path} is not the file that its manifest names; take both together")
    return cv2.dnn.readNetFromONNX(np.frombuffer(data, np.uint8))
