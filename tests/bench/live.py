"""How fast the live referee looks at a table, beside decoding the same frames, and what it keeps.

Every frame of a short film at 1080p goes through the whole loop; a look is a frame on which the
table was read.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from time import perf_counter

import cv2
import numpy as np

from calibration.profile import Lens, Profile
from companion_app.live.doubts import Event
from companion_app.live.loop import LiveLoop
from companion_app.live.match import Match
from companion_app.live.reading import make_reader
from companion_app.live.store import Store
from engine.game import Start
from engine.games import game_named
from engine.record import Record, find_set
from models.lab.scenes.games.film import FilmedTable, film_settings
from models.lab.scenes.games.positions import Played, played
from vision.core.types import Frame

SIZE_PX = (1920, 1080)
GAMES = ("carnival", "snekagon")
SEED = 3
FIRST, MOVES = 0.5, 3
"""The film begins at this share of the game, so that the table is half full."""
RATIO_WANTED, LOOKS_WANTED, DELAY_WANTED_S = 10.0, 6.0, 0.5
FRAMES_A_SECOND = 10.0
CORES = 2

Row = tuple[str, float, str, str]
"""What was measured, the figure, its unit, and how it was counted."""


def rows() -> list[Row]:
    """Return what the benchmark's table shows of the live loop."""
    cv2.setNumThreads(CORES)
    found: list[Row] = []
    for name in GAMES:
        jpegs, one, left_s = _filmed(name)
        decode_ms = _decoding(jpegs)
        look_ms, looks, frame_ms, verdicts_s = _watched(name, one, jpegs)
        delays = _delays(left_s, verdicts_s)
        counted = (
            f"{look_ms:.0f} ms against {decode_ms:.0f} ms; {looks} looks in {len(jpegs)} frames, "
            f"{frame_ms:.0f} ms a frame without a look, {CORES} cores"
        )
        found += [
            (
                f"live: a look at 1080p in {name}, in decodings of its frame",
                look_ms / decode_ms,
                f"x (at most {RATIO_WANTED:.0f})",
                counted,
            ),
            (
                f"live: looks a second in {name}",
                1000 / (look_ms + decode_ms),
                f"(at least {LOOKS_WANTED:.0f})",
                "decoding included",
            ),
            (
                f"live: slowest verdict after a hand has left in {name}",
                max(delays),
                f"s of the source's time (at most {DELAY_WANTED_S})",
                f"{len(delays)} verdicts of {len(left_s)} moves: {delays}",
            ),
        ]
    return found


def _delays(left_s: list[float], verdicts_s: list[float]) -> list[float]:
    """Return how long after the last hand left each verdict came."""
    return [
        round(said - max(left for left in left_s if left <= said + 1e-6), 2) for said in verdicts_s
    ] or [float("inf")]


def _filmed(name: str) -> tuple[list[bytes], Played, list[float]]:
    """Return a film of some moves from a game's middle, the game from there, when hands left."""
    whole = played(name, "held-out", "greedy", SEED)
    first = round(FIRST * len(whole.moves))
    one = Played(whole.players, whole.moves[first:], whole.layouts[first:], whole.positions[first:])
    settings = film_settings(SEED, "held-out", name, SIZE_PX)
    table = FilmedTable(settings, one.players, one.layouts[0], iter(one.layouts), FRAMES_A_SECOND)
    shots = list(table.quiet(1.0))
    left_s = []
    for layout in list(dict.fromkeys(one.layouts))[1 : MOVES + 1]:
        shots += table.visit((layout,))
        left_s.append(table.hand_left_s)
        shots += table.quiet(0.8)
    return [cv2.imencode(".jpg", shot.bgr)[1].tobytes() for shot in shots], one, left_s


def _decoding(jpegs: list[bytes]) -> float:
    began = perf_counter()
    for jpeg in jpegs:
        _decoded(jpeg)
    return (perf_counter() - began) * 1000 / len(jpegs)


def _decoded(jpeg: bytes) -> Frame:
    bgr = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert bgr is not None
    return Frame(np.asarray(bgr, np.uint8))


def _watched(name: str, one: Played, jpegs: list[bytes]) -> tuple[float, int, float, list[float]]:
    """Return the ms of a look, how many there were, those of other frames, and verdicts' times."""
    game = game_named(name)
    box = find_set(game, None)
    start = Start(one.players, {}, one.layouts[0], one.positions[0].to_move, midgame=True)
    matrix = np.array([[1500.0, 0, 960], [0, 1500, 540], [0, 0, 1]])
    profile = Profile(SIZE_PX, lens=Lens(SIZE_PX, matrix, np.zeros(5)))
    looks: list[float] = []
    others: list[float] = []
    events: list[Event] = []
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder)) as store:
        match = Match.begin(store, Record(game, box, start))
        loop = LiveLoop(match, make_reader(game, box, profile), events.append)
        loop.start()
        loop.see(_decoded(jpegs[0]))
        for number, jpeg in enumerate(jpegs[1:], start=1):
            frame = Frame(_decoded(jpeg).bgr, number / FRAMES_A_SECOND)
            before, began = loop.looks, perf_counter()
            loop.see(frame)
            (looks if loop.looks > before else others).append((perf_counter() - began) * 1000)
    # The first look loads the models.
    verdicts_s = [float(str(e["t"])) for e in events if e["event"] == "verdict"]
    return float(np.mean(looks[1:])), len(looks), float(np.mean(others)), verdicts_s
