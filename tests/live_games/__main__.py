"""Plays whole simulated games before the live referee and prints how well it did.

Two ways to play them: ``film`` (pictures of the scene maker, read by the reader that ships) shows
what the whole way from frame to verdict does; ``scripted`` (drawn squares, table states from the
truth with the faults of a reader) what the referee alone does. Every finished game is written to a
file at once; a run that was broken off goes on where it stopped.

    python -m tests.live_games --workers 4 --out build/evaluate/live
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from typing import Any, NamedTuple

from engine.games import GAMES
from tests.kit.transcripts import recording, write
from tests.live_games.cast import JOINED, WHOLE
from tests.live_games.counts import Counts, report
from tests.live_games.games import played_game
from tests.live_games.seldom import SHOWN

MISTAKES_SHOWN = 12
LONGEST_FIRST = ("snekagon5g", "carnival", "sssnake", "schlangennest", "snekagon")
"""By how long they take."""


class Task(NamedTuple):
    """One game to be played by one process."""

    way: str
    game: str
    seed: int
    folder: str
    until_s: float
    """No game is begun after that, in seconds of the clock."""
    shots: str | None
    transcripts: str | None = None
    """Where what the referee was shown, wrote and said is kept."""


def main(arguments: list[str] | None = None) -> int:
    """Play the games that are missing, then print the figures of all."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.live_games",
        description="Evaluate the live referee on whole games.",
    )
    parser.add_argument(
        "--games",
        type=int,
        default=WHOLE + JOINED,
        help=f"how many of each game; of {WHOLE + JOINED} the last {JOINED} are "
        "taken up in their middle",
    )
    parser.add_argument(
        "--from",
        type=int,
        default=0,
        metavar="SEED",
        dest="first",
        help="leave out the games before this one: with --games 44 --from 14, thirty fresh ones",
    )
    parser.add_argument("--only", choices=GAMES, action="append", help="only this game")
    parser.add_argument("--way", choices=("film", "scripted"), default="film")
    parser.add_argument("--out", default="build/evaluate/live", help="where results are kept")
    parser.add_argument("--workers", type=int, default=1, help="processes; 0 for one a core")
    parser.add_argument(
        "--within", type=float, default=0.0, metavar="S", help="begin no game after so many seconds"
    )
    parser.add_argument(
        "--shots", action="store_true", help="keep a picture of every mistake and question"
    )
    parser.add_argument(
        "--transcripts", help="a folder for what the referee was shown, wrote and said"
    )
    parser.add_argument("--report", action="store_true", help="play nothing, only tell the figures")
    chosen = parser.parse_args(arguments)
    folder = Path(chosen.out) / chosen.way
    folder.mkdir(parents=True, exist_ok=True)
    games = tuple(chosen.only or GAMES)
    if not chosen.report:
        until_s = time.time() + chosen.within if chosen.within else float("inf")
        shots = str(folder / "shots") if chosen.shots else None
        tasks = [
            Task(chosen.way, game, seed, str(folder), until_s, shots, chosen.transcripts)
            for game, seed in _missing(folder, games, range(chosen.first, chosen.games))
        ]
        _play(tasks, chosen.workers)
    _tell(folder, games, range(chosen.first, chosen.games), chosen.way)
    return 0


def _missing(folder: Path, games: tuple[str, ...], seeds: range) -> list[tuple[str, int]]:
    """Return the games to play: some of each, of these the longest first.

    A run that is broken off has of every game; those taken up in their middle are short, and last.
    """
    missing = [
        (game, seed)
        for game in games
        for seed in seeds
        if not (folder / f"{game}-{seed}.json").exists()
    ]
    return sorted(missing, key=lambda one: (one[1], _rank(one[0])))


def _rank(game: str) -> int:
    return LONGEST_FIRST.index(game)


def _play(tasks: list[Task], workers: int) -> None:
    if workers == 1:
        for task in tasks:
            _one(task)
        return
    with ProcessPoolExecutor(workers or None) as pool:
        for name in pool.map(_one, tasks):
            sys.stderr.write(f"{name}\n")
            sys.stderr.flush()


def _one(task: Task) -> str:
    """Play one game and write down what was counted."""
    import cv2

    name = f"{task.game}-{task.seed}"
    if time.time() > task.until_s:
        return f"{name} left out"
    # One core each: the games themselves are spread over the cores.
    cv2.setNumThreads(1)
    began = time.perf_counter()
    shots = None if task.shots is None else Path(task.shots)
    with recording() if task.transcripts else nullcontext() as recorder:
        counts = played_game(task.way, task.game, task.seed, shots=shots)
    took_s = time.perf_counter() - began
    file = Path(task.folder) / f"{name}.json"
    file.write_text(json.dumps({**counts.to_json(), "took_s": round(took_s, 1)}))
    if task.transcripts and recorder is not None:
        write(Path(task.transcripts) / f"{task.way}-{name}.xz", recorder.sessions)
    return f"{name} in {took_s:.0f} s"


def _tell(folder: Path, games: tuple[str, ...], seeds: range, way: str) -> None:
    """Print the figures, those of held-out tables by themselves too, and keep them as JSON."""
    total, held_out = Counts(), Counts()
    written: dict[str, Any] = {}
    for game in games:
        counts = Counts()
        for seed in seeds:
            file = folder / f"{game}-{seed}.json"
            if file.exists():
                data = json.loads(file.read_text())
                counts.take_in(data)
                if seed % 2:
                    held_out.take_in(data)
        _print(f"{game} ({way})", counts, SHOWN[game])
        written[game] = counts.to_json()
        total.take_in(counts.to_json())
    _print(f"held-out half ({way})", Counts(held_out.numbers, held_out.by_disturbance))
    _print(f"all games ({way})", Counts(total.numbers, total.by_disturbance))
    written["all"], written["held-out"] = total.to_json(), held_out.to_json()
    (folder / "figures.json").write_text(json.dumps(written, indent=1) + "\n")


def _print(title: str, counts: Counts, shown: tuple[str, ...] = ()) -> None:
    sys.stdout.write(title + "\n")
    for line in report(counts, shown):
        sys.stdout.write(f"  {line}\n")
    for mistake in counts.mistakes[:MISTAKES_SHOWN]:
        sys.stdout.write(f"  mistake: {mistake}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
