"""What the budget of a Raspberry Pi is about, measured on the machine that this runs on.

``make bench ONLY=pi``: on a Pi it gives the Pi's figures; elsewhere they are of another machine,
and say so. Start-up and looks depend on what else the machine does.
"""

from __future__ import annotations

import platform
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import cv2

from companion_app.live.reading import make_reader
from engine.games import game_named
from engine.record import find_set
from tests.faults.companion import Companion, as_the_service
from tests.live_games.filmed import film
from vision.core.types import Frame

SIZE_PX = (1920, 1080)
MOVES = 3
WATCHED_S = 20.0
"""A game goes on for so long before its memory is looked at."""
LOADED = 3
"""Looks that are not counted: networks and kernels are loaded by them."""

Row = tuple[str, float, str, str]


def rows() -> Iterator[Row]:
    """Measure start-up and memory of the page, as the service runs, and looks at 1080p."""
    where = f"on {_machine()}; no figure of a Pi unless that is one"
    made = film(3, "held-out", "schlangennest", 10.0, SIZE_PX, most_moves=MOVES)
    frames = [Frame(shot.bgr, shot.t) for shot in made.frames()][::5]
    with tempfile.TemporaryDirectory() as folder:
        pictures = Path(folder) / "pictures"
        pictures.mkdir()
        for number, frame in enumerate(frames):
            cv2.imwrite(str(pictures / f"{number:05}.jpg"), frame.bgr)
        yield from _service(Path(folder) / "camera", f"folder:{pictures}", "a camera's", where)
        yield from _service(Path(folder) / "demo", "demo", "the demo table's", where)
    yield from _looks(frames, where)


def _service(home: Path, source: str, whose: str, where: str) -> Iterator[Row]:
    began = time.monotonic()
    life = Companion(home, "--game", "schlangennest", source=source, environment=as_the_service())
    assert life.ready()
    yield f"start-up to page, {whose} pictures", time.monotonic() - began, "s", where
    time.sleep(WATCHED_S)
    kept = [_status(pid) for pid in life.family()]
    life.stop()
    threads = sum(int(one["Threads"]) for one in kept)
    counted = f"{len(kept)} processes, {threads} threads, after {WATCHED_S:.0f} s, {where}"
    for what, name in (("memory", "VmRSS"), ("most memory", "VmHWM")):
        used_kb = sum(int(one[name].split()[0]) for one in kept)
        yield f"{what}, {whose} pictures", used_kb / 1024, "MB", counted


def _status(pid: int) -> dict[str, str]:
    text = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return dict(line.split(":", 1) for line in text.splitlines())


def _looks(frames: list[Frame], where: str) -> Iterator[Row]:
    game = game_named("schlangennest")
    reader = make_reader(game, find_set(game, None))
    for frame in frames[:LOADED]:
        reader.read(frame)
    began, spent = time.monotonic(), time.process_time()
    for frame in frames[LOADED:]:
        reader.read(frame)
    looks = len(frames) - LOADED
    counted = f"{looks} looks at {SIZE_PX[0]} x {SIZE_PX[1]}, {where}"
    yield "looks a second", looks / (time.monotonic() - began), "1/s", counted
    yield "processor time a look", 1000 * (time.process_time() - spent) / looks, "ms", counted


def _machine() -> str:
    with suppress(OSError):
        return Path("/proc/device-tree/model").read_text(encoding="utf-8").strip("\0\n ")
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()
