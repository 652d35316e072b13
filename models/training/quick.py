"""Makes the detector's quick copy: ``python -m models.training.quick`` after ``ship``.

Its convolutions count in whole numbers of eight bits, which takes little more than half as long.
How large numbers get in each layer is measured on drawn tables of the train side; the first
layer, which takes the picture, and the last two, which say where tiles lie, stay as they are.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.scenes.scene import make_scene
from models.training.harness import sha256_of, write_manifest
from vision.core.crop import shrunk
from vision.core.files import TRAINED
from vision.detect.network import MANIFEST, QUICK_FILE, padded

SUBJECTS = (
    "schlangennest", "sssnake", "carnival", "snekagon5g", "invented-square", "invented-hex",
)  # fmt: skip
FIRST_SEED, TABLES = 880_000, 4
SIZE_PX, SCALE = (1280, 720), 0.6
WHOLE_AT_THE_END = 2


def make_quick(folder: Path = TRAINED) -> None:
    """Write the copy beside the detector, and enter it in the manifest that loading checks."""
    from onnx import load
    from onnxruntime.quantization import QuantFormat, QuantType, quantize_static
    from onnxruntime.quantization.shape_inference import quant_pre_process

    manifest = json.loads((folder / MANIFEST).read_text("utf-8"))
    with tempfile.TemporaryDirectory() as made:
        prepared = Path(made) / "prepared.onnx"
        quant_pre_process(folder / manifest["file"], prepared, skip_symbolic_shape=True)
        layers = [node.name for node in load(prepared).graph.node if node.op_type == "Conv"]
        quantize_static(
            prepared, folder / QUICK_FILE, _tables(), quant_format=QuantFormat.QDQ,
            activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8, per_channel=True,
            nodes_to_exclude=[layers[0], *layers[-WHOLE_AT_THE_END:]],
        )  # fmt: skip
    manifest["quick"] = {"file": QUICK_FILE, "sha256": sha256_of(folder / QUICK_FILE)}
    write_manifest(folder / MANIFEST, manifest)


def _tables() -> Any:
    """Return drawn tables in the way that the library asks for them."""
    from onnxruntime.quantization import CalibrationDataReader

    class Tables(CalibrationDataReader):  # type: ignore[misc]
        def __init__(self) -> None:
            self._left = _pictures()

        def get_next(self) -> dict[str, NDArray[np.float32]] | None:
            picture = next(self._left, None)
            return None if picture is None else {"picture": picture}

    return Tables()


def _pictures() -> Iterator[NDArray[np.float32]]:
    for subject in SUBJECTS:
        for seed in range(FIRST_SEED, FIRST_SEED + TABLES):
            scene = make_scene(seed, "train", subject, SIZE_PX)
            yield padded(shrunk(np.asarray(scene.bgr, np.uint8), SCALE)[0])


def main() -> None:
    """Read the options and make it."""
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m models.training.quick")
    parser.add_argument("--folder", type=Path, default=TRAINED, help="of the detector")
    make_quick(parser.parse_args().folder)


if __name__ == "__main__":
    main()
