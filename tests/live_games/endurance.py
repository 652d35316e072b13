"""A long evening before the referee: does it keep up, and does its memory stay as it is?

A short film of a tile laid and taken back is shown over and over at the times of a real evening;
every frame goes through the whole loop, and every move into the store.

    python -m tests.live_games.endurance --hours 2
"""

from __future__ import annotations

import argparse
import ctypes
import json
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from itertools import cycle, islice
from pathlib import Path
from time import process_time

import cv2
import numpy as np

from companion_app.live.loop import LiveLoop
from companion_app.live.match import Match
from companion_app.live.store import Store
from engine.game import Start
from engine.games import GAMES, game_named
from engine.record import Record, find_set
from models.lab.scenes.games.positions import Played, played
from tests.live_games.tables import FRAMES_A_SECOND, SIZES_PX, FilmTable, Table
from vision.core.types import Bgr, Frame

STATUS = Path("/proc/self/status")
STILL_S, PAUSE_S = 1.5, 7.0
"""So long a still table is filmed, and so long it lies still between two hands."""
MEASURED = 12
"""How often memory is looked at, evenly over the evening."""


@dataclass
class Evening:
    """What an evening came to."""

    seconds: float
    """Of the source's clock."""
    frames: int = 0
    looks: int = 0
    verdicts: int = 0
    taken_back: int = 0
    busy_s: float = 0.0
    """Time of the processor."""
    memory_mb: list[float] = field(default_factory=list)
    """Evenly over the evening."""

    @property
    def grown_mb(self) -> float:
        """How much more memory the process has at the end than after the first quarter.

        By then every kind of look has been taken: networks keep room for each size of picture.
        """
        return self.memory_mb[-1] - self.memory_mb[MEASURED // 4 - 1]

    @property
    def load(self) -> float:
        """How much of the evening the processor was busy; above 1 it would fall behind."""
        return self.busy_s / self.seconds


def spend(
    seconds: float, game_name: str, sizes_px: tuple[tuple[int, int], ...], pause_s: float = STILL_S
) -> Evening:
    """Let an evening of that length go by; ``pause_s`` is how long people think."""
    game = game_named(game_name)
    box = find_set(game, None)
    whole = played(game_name, "held-out", "greedy", 1)
    one = Played(whole.players, whole.moves[:1], whole.layouts[:2], whole.positions[:2])
    table = FilmTable(game, box, one, "held-out", 1, sizes_px=sizes_px)
    jpegs = [[_packed(frame) for frame in part] for part in _film(table, one)]
    began = process_time()
    parts = [[_decoded(jpeg) for jpeg in part] for part in jpegs]
    decode_s = (process_time() - began) / sum(map(len, parts))
    shown = list(_shown(parts, round(pause_s * FRAMES_A_SECOND)))
    evening = Evening(seconds)
    due = [seconds * (number + 1) / MEASURED for number in range(MEASURED)]
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder)) as store:
        match = Match.begin(store, Record(game, box, Start(one.players)))
        loop = LiveLoop(match, table.reader, lambda event: _count(evening, event["event"]))
        loop.start()
        began = process_time()
        while (now_s := evening.frames / FRAMES_A_SECOND) < seconds:
            loop.see(Frame(shown[evening.frames % len(shown)], now_s))
            evening.frames += 1
            if now_s + 1 / FRAMES_A_SECOND >= due[len(evening.memory_mb)] - 1e-6:
                evening.memory_mb.append(round(memory_mb(), 1))
        # Frames are shown again and again: each is decoded once, and counted every time.
        evening.busy_s = round(process_time() - began + decode_s * evening.frames, 1)
        evening.looks = loop.looks
    return evening


def memory_mb() -> float:
    """Return how much memory this process uses; 0 where nobody says.

    What the C library keeps for later is given back first: it comes and goes by tens of megabytes.
    """
    if not STATUS.exists():
        return 0.0
    if trim := getattr(ctypes.CDLL(None), "malloc_trim", None):
        trim(0)
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def _film(table: Table, one: Played) -> Iterator[list[Frame]]:
    """Yield a still table and a hand's visit in turn: a tile is laid and taken back."""
    for layout in reversed(one.layouts):
        yield list(table.quiet(STILL_S))
        yield list(table.visit((layout,)))


def _packed(frame: Frame) -> bytes:
    """Return a frame as a camera packs it."""
    return cv2.imencode(".jpg", frame.bgr)[1].tobytes()


def _decoded(jpeg: bytes) -> Bgr:
    return np.asarray(cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR), np.uint8)


def _shown(parts: list[list[Bgr]], still: int) -> Iterator[Bgr]:
    """Yield pictures as they are shown: those of a still table over and over, so many in all."""
    for number, part in enumerate(parts):
        yield from part if number % 2 else islice(cycle(part), still)


def _count(evening: Evening, event: object) -> None:
    evening.verdicts += event == "verdict"
    evening.taken_back += event == "taken-back"


def main(arguments: list[str] | None = None) -> int:
    """Spend an evening and print what it came to."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.live_games.endurance",
        description="Watch a table for hours of simulated time.",
    )
    parser.add_argument("--hours", type=float, default=2.0)
    parser.add_argument("--game", choices=GAMES, default="schlangennest")
    chosen = parser.parse_args(arguments)
    evening = spend(3600 * chosen.hours, chosen.game, SIZES_PX, PAUSE_S)
    figures = {**asdict(evening), "grown_mb": evening.grown_mb, "load": evening.load}
    sys.stdout.write(json.dumps(figures) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
