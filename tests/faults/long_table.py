"""A table that lives fast: the whole companion over a camera whose hours pass in seconds.

``python -m tests.faults.long_table HOME FILM HOURS`` serves the page; each game that is begun
sees the film, then the same table lying idle until its hours are over. Pictures are read by the
real reader, events go out to real phones.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import numpy as np

from companion_app.eye.desk import Desk
from companion_app.eye.watching import Watched
from companion_app.live.reading import make_reader
from companion_app.live.store import Store
from companion_app.web.app import create_app
from companion_app.web.serving.page_file import SettingsFile
from companion_app.web.serving.web_server import Server
from engine.record import Record
from tests.near import near_companion
from vision.core.types import Frame

STEP_S = 0.1
GLANCE = 2
"""Frames in a row that are looked at while the table lies idle,"""
IDLE_S = 120.0
"""and the seconds between two such glances."""


class FastCamera:
    """The pictures of a film, and then hours of its last one."""

    live = False

    def __init__(self, film: Path, hours: float, rest: Callable[[], None]) -> None:
        self._files = sorted(film.glob("*.jpg"))
        self._hours = hours
        self._rest = rest
        """Called when the hours are over."""
        self._closed = False

    def frames(self) -> Iterator[Frame | None]:
        """Yield every picture of the film, then glances at the table as it lies."""
        t, bgr = 0.0, np.zeros((2, 2, 3), np.uint8)
        for file in self._files:
            if self._closed:
                return
            t += STEP_S
            bgr = np.asarray(cv2.imread(str(file)), np.uint8)
            yield Frame(bgr, t)
        noise = np.random.default_rng(1)
        while t < self._hours * 3600 and not self._closed:
            t += IDLE_S
            for _ in range(GLANCE):
                t += STEP_S
                light = int(noise.integers(-3, 4))
                yield Frame(
                    np.asarray(cv2.convertScaleAbs(bgr, alpha=1.0, beta=light), np.uint8), t
                )

        self._rest()

    def close(self) -> None:
        """Stop."""
        self._closed = True


def main(home: Path, film: Path, hours: float) -> None:
    """Serve until the process is ended."""
    with Store(home) as store:
        desk = Desk(store)

        def feeder(record: Record) -> Watched:
            reader = make_reader(record.game, record.tile_set)
            camera = FastCamera(film, hours, lambda: desk.emit({"event": "rest"}))
            return Watched("camera", camera, reader)

        settings = SettingsFile(home / "page.json")
        companion, eye = near_companion(desk, settings)
        eye.make_feeder = feeder
        server = Server(create_app(companion), "127.0.0.1", 0)
        server.start()
        said = {"url": f"http://127.0.0.1:{server.port}/", "host_pin": settings.made_pin}
        sys.stdout.write(json.dumps(said) + "\n")
        sys.stdout.flush()
        server.wait()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3]))
