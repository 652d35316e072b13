"""The command line of evaluations on drawn tables: which games, how many, from which seed."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from models.evaluate.figures import RESULTS, Figure, Subject, pictures, save_subject

Json = dict[str, Any]


@dataclass(frozen=True)
class Part:
    """One part of the evaluation: how its tables are read and counted."""

    name: str
    games: tuple[str, ...]
    evaluate: Callable[..., list[Json]]
    """Game, seeds, split, folder, workers and, where there is a choice, what lies beside to the
    rows of all tables."""
    figures: Callable[[Sequence[Json]], tuple[Figure, ...]]
    report: Callable[[Sequence[Json]], str]
    beside: tuple[str, ...] = ()
    """How near stocks, hands and other fields may be asked to lie; the first unless asked."""


def run(part: Part, module: str, about: str, arguments: Sequence[str] | None) -> int:
    """Evaluate as the command line asks, print the figures and keep them."""
    parser = argparse.ArgumentParser(prog=f"python -m models.evaluate.{module}", description=about)
    parser.add_argument("--game", action="append", choices=part.games, dest="games")
    parser.add_argument("--tables", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0, help="of the first table")
    parser.add_argument("--split", choices=("train", "held-out"), default="held-out")
    parser.add_argument("--out", type=Path, default=RESULTS, metavar="DIR")
    parser.add_argument("--workers", type=int, default=0, help="processes; one a core if missing")
    if part.beside:
        parser.add_argument("--beside", choices=part.beside, default=part.beside[0],
                            help="how near stocks, hands and other fields lie")  # fmt: skip
    asked = parser.parse_args(arguments)
    more = (asked.beside,) if part.beside else ()
    name = "-".join([part.name, *(one for one in more if one != part.beside[0])])
    folder = asked.out / name
    for game in asked.games or part.games:
        seeds = range(asked.seed, asked.seed + asked.tables)
        rows = part.evaluate(game, seeds, asked.split, folder, asked.workers, *more)
        worst = pictures(folder / "worst", f"{game}-{asked.split}", asked.out)
        subject = Subject(name, game, part.figures(rows), worst)
        save_subject(subject, asked.out)
        sys.stdout.write(f"{subject.text()}\n{part.report(rows)}\n")
        sys.stdout.flush()
    return 0


def advice_line(unfit: Sequence[Json]) -> str:
    """Return why tables were called not good enough, counted by what was advised."""
    counts = Counter(what for row in unfit for what in row["advice"])
    return f"  not good enough, by advice: {dict(sorted(counts.items()))}"
