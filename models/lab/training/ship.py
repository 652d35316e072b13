"""Puts a trained network where the camera looks for it, with its manifest.

``python -m models.lab.training.ship DIR`` takes ``detector.onnx`` or ``embedding.onnx``, whichever
is there, and ``training.json`` of a run. The detector gets a quick copy, whose convolutions count
in whole numbers of eight bits, which takes little more than half as long: how large numbers get in
each layer is measured on drawn tables of the train side; the first layer, which takes the picture,
and the last two, which say where tiles lie, stay as they are.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.lab.scenes.scene import make_scene
from models.lab.training.harness import sha256_of, write_manifest
from vision.classify import embedding
from vision.core.crop import shrunk
from vision.core.files import TRAINED
from vision.detect.network import GREY, MANIFEST, QUICK_FILE, SIZE_PX, WANTED, padded

NAME = "detector.onnx"
DETECTOR = {
    **WANTED,
    "outside": GREY,
    "size_px": SIZE_PX,
    "input": "count x 3 x height x width, 0 to 1, sides a multiple of step",
}
EMBEDDING = {**embedding.WANTED, "input": "count x 3 x patch_px x patch_px, -0.5 to 0.5"}
SUBJECTS = (
    "schlangennest",
    "sssnake",
    "carnival",
    "snekagon5g",
    "invented-square",
    "invented-hex",
)
FIRST_SEED, TABLES = 880_000, 4
TABLE_PX, SCALE = (1280, 720), 0.6
WHOLE_AT_THE_END = 2


def ship(run: Path, file: str, manifest: str, facts: Mapping[str, Any], folder: Path) -> None:
    """Copy a run's network and write the manifest that loading checks."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(run / file, folder / file)
    trained = json.loads((run / "training.json").read_text())
    write_manifest(
        folder / manifest,
        {
            **facts,
            "file": file,
            "sha256": sha256_of(folder / file),
            "trained": trained,
        },
    )


def make_quick(folder: Path) -> None:
    """Write the quantised copy beside the detector, and add it to the manifest."""
    from onnx import load
    from onnxruntime.quantization import QuantFormat, QuantType, quantize_static
    from onnxruntime.quantization.shape_inference import quant_pre_process

    manifest = json.loads((folder / MANIFEST).read_text("utf-8"))
    with tempfile.TemporaryDirectory() as made:
        prepared = Path(made) / "prepared.onnx"
        quant_pre_process(folder / manifest["file"], prepared, skip_symbolic_shape=True)
        layers = [node.name for node in load(prepared).graph.node if node.op_type == "Conv"]
        quantize_static(
            prepared,
            folder / QUICK_FILE,
            _tables(),
            quant_format=QuantFormat.QDQ,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            per_channel=True,
            nodes_to_exclude=[layers[0], *layers[-WHOLE_AT_THE_END:]],
        )
    manifest["quick"] = {"file": QUICK_FILE, "sha256": sha256_of(folder / QUICK_FILE)}
    write_manifest(folder / MANIFEST, manifest)


def _tables() -> Any:
    """Return drawn tables as the calibration data that the library asks for."""
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
            scene = make_scene(seed, "train", subject, TABLE_PX)
            yield padded(shrunk(np.asarray(scene.bgr, np.uint8), SCALE)[0])


def main() -> None:
    """Read the options and ship."""
    parser = argparse.ArgumentParser(description=__doc__, prog="models.lab.training.ship")
    parser.add_argument("run", type=Path, help="folder of the run")
    parser.add_argument("--to", type=Path, default=TRAINED, help="folder to put it")
    options = parser.parse_args()
    if (options.run / NAME).is_file():
        ship(options.run, NAME, MANIFEST, DETECTOR, options.to)
        make_quick(options.to)
    if (options.run / embedding.FILE).is_file():
        ship(options.run, embedding.FILE, embedding.MANIFEST, EMBEDDING, options.to)


if __name__ == "__main__":
    main()
