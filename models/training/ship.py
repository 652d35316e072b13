"""Puts a trained network where the camera looks for it, with its manifest.

``python -m models.training.ship DIR`` takes ``detector.onnx`` or ``embedding.onnx``, whichever is
there, and ``training.json`` of a run.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from models.training.harness import sha256_of, write_manifest
from models.training.quick import make_quick
from vision.classify import embedding
from vision.core.files import TRAINED
from vision.detect.network import CHANNELS, FORMAT, GREY, MANIFEST, SIZE_PX, STEP, STRIDE, VERSION

NAME = "detector.onnx"
DETECTOR = {
    "format": FORMAT, "version": VERSION, "colour": "bgr", "outside": GREY, "stride": STRIDE,
    "input": "count x 3 x height x width, 0 to 1, sides a multiple of step", "step": STEP,
    "size_px": SIZE_PX, "channels": list(CHANNELS),
}  # fmt: skip
EMBEDDING = {**embedding.WANTED, "input": "count x 3 x patch_px x patch_px, -0.5 to 0.5"}


def ship(run: Path, file: str, manifest: str, facts: Mapping[str, Any], folder: Path) -> None:
    """Copy a run's network and write the manifest that loading checks."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(run / file, folder / file)
    trained = json.loads((run / "training.json").read_text())
    write_manifest(folder / manifest, {
        **facts, "file": file, "sha256": sha256_of(folder / file), "trained": trained,
    })  # fmt: skip


def main() -> None:
    """Read the options and ship."""
    parser = argparse.ArgumentParser(description=__doc__, prog="models.training.ship")
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
