"""Runs inside the tree of ``make-root``: takes pictures through the project's own Pi source.

Prints one JSON object of what the camera said, and leaves the pictures as PNG files in ``/out``.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from itertools import islice
from pathlib import Path

import cv2

from tests.pi_root.stand_ins import install

OUT = Path("/out")


def main() -> None:
    """Take a few live pictures, a still, live ones again; close, and open once more."""
    install()
    from vision.sources.pi_camera import PiCamera, pi_cameras

    said: dict[str, object] = {"cameras": pi_cameras()}
    with PiCamera() as camera:
        live = list(islice(camera.frames(), 3))
        still = camera.still()
        live += islice(camera.frames(), 2)
        assert camera.facts is not None
        said["facts"] = asdict(camera.facts)
    with PiCamera() as again:
        live.append(again.newest())
    frames = [frame for frame in live if frame is not None]
    for number, frame in enumerate(frames):
        cv2.imwrite(str(OUT / f"live-{number}.png"), frame.bgr)
    cv2.imwrite(str(OUT / "still.png"), still.bgr)
    said["times_s"] = [frame.taken_at_s for frame in frames]
    sys.stdout.write(json.dumps(said) + "\n")


if __name__ == "__main__":
    main()
