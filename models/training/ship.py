"""Puts a trained detector where the camera looks for it, with its manifest.

``python -m models.training.ship DIR`` takes ``detector.onnx`` and ``training.json`` of a run.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
from pathlib import Path

from vision.network import CHANNELS, FORMAT, GREY, MANIFEST, SIZE_PX, STEP, STRIDE, TRAINED, VERSION

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


def main() -> None:
    """Read the options and ship."""
    parser = argparse.ArgumentParser(description=__doc__, prog="models.training.ship")
    parser.add_argument("run", type=Path, help="folder of the run")
    parser.add_argument("--to", type=Path, default=TRAINED, help="folder to put it")
    options = parser.parse_args()
    ship(options.run, options.to)


if __name__ == "__main__":
    main()
