"""Plays whole simulated games before the live referee and prints how well it did.

Two ways to play them: ``film`` (pictures of the scene maker, read by the reader that ships) shows
what the whole way from frame to verdict does; ``scripted`` (drawn squares, table states from the
truth with the faults of a reader) what the referee alone does. Every finished game is written to a
file at once; a run that was broken off goes on where it stopped.

    python -m tests.live_games --games 12 --workers 4 --out build/evaluate/live
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from engine.games import GAMES
from tests.live_games.counts import Counts, report
from tests.live_games.games import played_game

MISTAKES_SHOWN = 12
LONGEST_FIRST = ("sssnake", "snekagon5g", "carnival", "schlangennest", "snekagon")
"""Games that take longest are begun first, so that none is left over at the end."""


def main(arguments: list[str] | None = None) -> int:
    """Play the games that are missing, then print the figures of all."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.live_games",
        description="Evaluate the live referee on whole games.",
    )
    parser.add_argument("--games", type=int, default=12, help="how many of each game")
    parser.add_argument("--only", choices=GAMES, action="append", help="only this game")
    parser.add_argument("--way", choices=("film", "scripted"), default="film")
    parser.add_argument("--out", default="build/evaluate/live", help="where results are kept")
    parser.add_argument("--workers", type=int, default=1, help="processes; 0 for one a core")
    parser.add_argument("--within", type=float, default=0.0, metavar="S",
                        help="begin no game after so many seconds")  # fmt: skip
    parser.add_argument("--report", action="store_true", help="play nothing, only tell the figures")
    chosen = parser.parse_args(arguments)
    folder = Path(chosen.out) / chosen.way
    folder.mkdir(parents=True, exist_ok=True)
    games = tuple(chosen.only or GAMES)
    if not chosen.report:
        until_s = time.time() + chosen.within if chosen.within else float("inf")
        _play(chosen.way, _missing(folder, games, chosen.games), folder, chosen.workers, until_s)
    _tell(folder, games, chosen.games, chosen.way)
    return 0


def _missing(folder: Path, games: tuple[str, ...], count: int) -> list[tuple[str, int]]:
    """Return the games to play, the longest first: they would end last."""
    longest = sorted(games, key=LONGEST_FIRST.index)
    return [
        (game, seed) for game in longest for seed in range(count)
        if not (folder / f"{game}-{seed}.json").exists()
    ]  # fmt: skip


def _play(
    way: str, missing: list[tuple[str, int]], folder: Path, workers: int, until_s: float
) -> None:
    tasks = [(way, game, seed, str(folder), until_s) for game, seed in missing]
    if workers == 1:
        for task in tasks:
            _one(task)
        return
    with ProcessPoolExecutor(workers or None) as pool:
        for name in pool.map(_one, tasks):
            sys.stderr.write(f"{name}\n")
            sys.stderr.flush()


def _one(task: tuple[str, str, int, str, float]) -> str:
    """Play one game and write down what was counted."""
    import cv2

    way, game, seed, folder, until_s = task
    if time.time() > until_s:
        return f"{game}-{seed} left out"
    # One core each: the games themselves are spread over the cores.
    cv2.setNumThreads(1)
    began = time.perf_counter()
    counts = played_game(way, game, seed)
    took_s = time.perf_counter() - began
    file = Path(folder) / f"{game}-{seed}.json"
    file.write_text(json.dumps({**counts.to_json(), "took_s": round(took_s, 1)}))
    return f"{game}-{seed} in {took_s:.0f} s"


def _tell(folder: Path, games: tuple[str, ...], count: int, way: str) -> None:
    """Print the figures, those of held-out tables by themselves too, and keep them as JSON."""
    total, held_out = Counts(), Counts()
    written: dict[str, Any] = {}
    for game in games:
        counts = Counts()
        for seed in range(count):
            file = folder / f"{game}-{seed}.json"
            if file.exists():
                data = json.loads(file.read_text())
                counts.take_in(data)
                if seed % 2:
                    held_out.take_in(data)
        _print(f"{game} ({way})", counts)
        written[game] = counts.to_json()
        total.take_in(counts.to_json())
    _print(f"held-out half ({way})", Counts(held_out.numbers, held_out.by_disturbance))
    _print(f"all games ({way})", Counts(total.numbers, total.by_disturbance))
    written["all"], written["held-out"] = total.to_json(), held_out.to_json()
    (folder / "figures.json").write_text(json.dumps(written, indent=1) + "\n")


def _print(title: str, counts: Counts) -> None:
    sys.stdout.write(title + "\n")
    for line in report(counts):
        sys.stdout.write(f"  {line}\n")
    for mistake in counts.mistakes[:MISTAKES_SHOWN]:
        sys.stdout.write(f"  mistake: {mistake}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
