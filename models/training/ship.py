"""Puts a trained network where the camera looks for it, with its manifest.

``python -m models.training.ship DIR`` takes ``detector.onnx`` or ``embedding.onnx``, whichever is
there, and ``training.json`` of a run.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
from pathlib import Path

from models.training.quick import make_quick
from vision.classify import embedding
from vision.core.files import TRAINED
from vision.detect.network import CHANNELS, FORMAT, GREY, MANIFEST, SIZE_PX, STEP, STRIDE, VERSION

NAME = "detector.onnx"


def ship(run: Path, folder: Path = TRAINED) -> None:
    """Copy a run's network and write the manifest that loading checks."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(run / NAME, folder / NAME)
    training = json.loads((run / "training.json").read_text())
    manifest = {
        "format": FORMAT, "version": VERSION, "file": NAME,
        "sha256": hashlib.sha256((folder / NAME).read_bytes()).hexdigest(),
        "input": "count x 3 x height x width, 0 to 1, sides a multiple of step",
        "colour": "bgr", "outside": GREY, "stride": STRIDE, "step": STEP, "size_px": SIZE_PX,
        "channels": list(CHANNELS), "trained": training,
    }  # fmt: skip
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n")


def ship_embedding(run: Path, folder: Path = TRAINED) -> None:
    """Copy a run's network for unseen boxes and write its manifest."""
    folder.mkdir(parents=True, exist_ok=True)
    data = (run / embedding.FILE).read_bytes()
    (folder / embedding.FILE).write_bytes(data)
    manifest = {
        **embedding.WANTED, "file": embedding.FILE, "sha256": hashlib.sha256(data).hexdigest(),
        "input": "count x 3 x patch_px x patch_px, -0.5 to 0.5",
        "trained": json.loads((run / "training.json").read_text()),
    }  # fmt: skip
    (folder / embedding.MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n")


def main() -> None:
    """Read the options and ship."""
    parser = argparse.ArgumentParser(description=__doc__, prog="models.training.ship")
    parser.add_argument("run", type=Path, help="folder of the run")
    parser.add_argument("--to", type=Path, default=TRAINED, help="folder to put it")
    options = parser.parse_args()
    if (options.run / NAME).is_file():
        ship(options.run, options.to)
        make_quick(options.to)
    if (options.run / embedding.FILE).is_file():
        ship_embedding(options.run, options.to)


if __name__ == "__main__":
    main()
