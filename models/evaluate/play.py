"""How well the machine plays: ``make evaluate PARTS=play``.

Every game is kept as soon as it is over, so that a run can be broken off and taken up. Seats are
swapped, a tie counts half, and a row ends early when its count is sure.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from models.evaluate.figures import RESULTS
from models.evaluate.intervals import wilson
from models.evaluate.kept import reader_mark
from models.evaluate.play_matches import (
    ITSELF,
    MOST_GAMES,
    OPENSPIEL,
    Row,
    is_decided,
    play_one,
    rows,
)

HEAD = """# How well the machine plays

Written by `make evaluate PARTS=play`; not by hand.
Ties count half (with more players: as a share of the first place); 95 % intervals after Wilson.
{seconds:g} second a move on one core against named rivals, about a tenth of a second of looks in
the other rows. A row ends after {most} games, or when a sequential test at 95 % has decided it.

| match | games | won | interval | wanted | |
|---|--:|--:|--:|--:|---|
"""
BINS = 10


class Count:
    """What is known of a row."""

    def __init__(self, row: Row) -> None:
        self.row = row
        self.results: dict[str, dict[str, Any]] = {}
        self.given = 0
        """Games that were handed out, or kept from before."""

    @property
    def won(self) -> float:
        """How many games were won."""
        return float(sum(one["result"] for one in self.results.values()))

    def next_game(self) -> int | None:
        """Return the number of a game to play, unless the row is decided."""
        if self.given >= MOST_GAMES or is_decided(self.row, self.won, len(self.results)):
            return None
        self.given += 1
        return self.given - 1


def played(path: Path, wanted: list[Row], workers: int, minutes: float | None) -> list[Count]:
    """Play what is missing, row by row in turn, and return the counts."""
    counts = [Count(row) for row in wanted]
    _take_up(path, counts)
    ends_at = None if minutes is None else time.monotonic() + 60 * minutes
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as kept, ProcessPoolExecutor(workers) as pool:
        games = _games(counts, ends_at)
        running: dict[Future[dict[str, Any]], Count] = {}
        while True:
            while len(running) < workers and (game := next(games, None)) is not None:
                count, number = game
                running[pool.submit(play_one, count.row, number)] = count
            if not running:
                return counts
            for done in wait(running, return_when=FIRST_COMPLETED).done:
                result = done.result()
                running.pop(done).results[result["task"]] = result
                kept.write(json.dumps({"mark": reader_mark(), **result}) + "\n")
                kept.flush()


def _games(counts: list[Count], ends_at: float | None) -> Iterator[tuple[Count, int]]:
    """Yield games to play, one of each row that is not decided yet, round after round."""
    while any(True for count in counts if count.given < MOST_GAMES):
        begun = False
        for count in counts:
            if ends_at is not None and time.monotonic() >= ends_at:
                return
            number = count.next_game()
            if number is not None:
                begun = True
                yield count, number
        if not begun:
            return


def _take_up(path: Path, counts: list[Count]) -> None:
    """Enter the games that were kept by the same player."""
    if not path.exists():
        return
    by_name = {count.row.name: count for count in counts}
    for line in path.read_text("utf-8").splitlines():
        result = json.loads(line)
        count = by_name.get(result["row"])
        if count is not None and result["mark"] == reader_mark():
            count.results[result["task"]] = result
    for count in counts:
        count.given = len(count.results)


def table(counts: list[Count], seconds: float) -> str:
    """Return the page of all rows that have games."""
    lines = [HEAD.format(seconds=seconds, most=MOST_GAMES)]
    for count in counts:
        games = len(count.results)
        if not games or count.row.rival == ITSELF:
            continue
        row, share = count.row, count.won / games
        low, high = wilson(round(count.won), games)
        wanted = f"{row.wanted:.0%}" + (f" to {row.most:.0%}" if row.most < 1 else "")
        falls = "" if row.wanted <= share <= row.most else "falls short"
        if share > row.most:
            falls = "too far apart"
        interval = f"{low:.1%} to {high:.1%}"
        lines.append(f"| {row.name} | {games} | {share:.1%} | {interval} | {wanted} | {falls} |\n")
    lines.append("\n" + calibration(counts))
    return "".join(lines)


def calibration(counts: list[Count]) -> str:
    """Return how far the stated results lie from how games ended."""
    pairs = [
        (stated, one["result"])
        for count in counts
        for one in count.results.values()
        for stated in one["stated"]
    ]
    if not pairs:
        return "No expected results were stated.\n"
    bins: dict[int, list[tuple[float, float]]] = {}
    for stated, result in pairs:
        bins.setdefault(min(BINS - 1, int(stated * BINS)), []).append((stated, result))
    error = 0.0
    rows_of_bins = ["| stated | times | on average | ended |\n|---|--:|--:|--:|\n"]
    for number in sorted(bins):
        inside = bins[number]
        stated = sum(one[0] for one in inside) / len(inside)
        ended = sum(one[1] for one in inside) / len(inside)
        error += abs(stated - ended) * len(inside) / len(pairs)
        low, high = number / BINS, (number + 1) / BINS
        rows_of_bins.append(
            f"| {low:.0%} to {high:.0%} | {len(inside)} | {stated:.1%} | {ended:.1%} |\n"
        )
    falls = "" if error <= 0.05 else " (falls short)"
    return (
        f"Expected results that it stated {len(pairs)} times, against how the games ended: "
        f"calibration error {error:.1%}, wanted at most 5 %{falls}.\n\n" + "".join(rows_of_bins)
    )


def main(arguments: list[str] | None = None) -> int:
    """Play the rows and print the table."""
    parser = argparse.ArgumentParser(prog="python -m models.evaluate.play", description=__doc__)
    parser.add_argument("--out", type=Path, default=RESULTS, metavar="DIR")
    parser.add_argument("--workers", type=int, default=0, help="processes; one a core if missing")
    parser.add_argument("--seconds", type=float, default=1.0, help="a move against named rivals")
    parser.add_argument("--only", metavar="WORD", help="rows whose name has this in it")
    parser.add_argument("--minutes", type=float, help="begin no game after so long")
    parser.add_argument(
        "--to", type=Path, metavar="FILE", help="write the table there: models/PLAY.md"
    )
    asked = parser.parse_args(arguments)
    wanted = [row for row in rows(asked.seconds) if not asked.only or asked.only in row.name]
    if find_spec("pyspiel") is None:
        wanted = [row for row in wanted if row.rival != OPENSPIEL]
        sys.stderr.write("OpenSpiel is not installed (pip install '.[rivals]'): its rows wait\n")
    path = asked.out / "play.jsonl"
    counts = played(path, wanted, asked.workers or os.cpu_count() or 1, asked.minutes)
    page = table(counts, asked.seconds)
    sys.stdout.write(page)
    if asked.to:
        asked.to.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
