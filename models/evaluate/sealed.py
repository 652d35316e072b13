"""The last exam: ``python -m models.evaluate.sealed --why "before the release"``.

Reads tables of a sealed split, with everything as in play. Nothing else draws from one, and every
opening is put down in a book that the report shows. Who falls short mends on held-out tables and
opens the next split.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from models.evaluate import hex_tables, tables
from models.evaluate.figures import RESULTS, Subject, pictures, save_subject
from models.evaluate.kept import every_row
from models.evaluate.openings import SEALED_PART, put_down
from models.scenes.settings import GAMES, HEX_GAMES
from models.scenes.splits import SEALED, Sealed, opened

Json = dict[str, Any]

TABLES = 1000
MOST_BAD, LEAST_EXACT = 0.5, 99.5
"""Wrong tiles in a thousand and exact tables in a hundred that are wanted."""


def _one(seed: int, game: str, split: Sealed, worst: Path) -> Json:
    """Read one table; each process opens the split for itself.

    A third of the tables of squares have stocks, hands and other fields close beside.
    """
    with opened(split):
        if game in HEX_GAMES:
            return hex_tables.evaluated(seed, game, split, worst)
        return tables.evaluated(seed, game, split, worst, beside="third")


def main(arguments: Sequence[str] | None = None) -> int:
    """Open a sealed split as the command line asks, and keep the figures for the report."""
    parser = argparse.ArgumentParser(prog="python -m models.evaluate.sealed", description=__doc__)
    parser.add_argument("--why", required=True, help="stands in the report for good")
    parser.add_argument("--split", choices=SEALED, default=SEALED[0])
    parser.add_argument("--game", action="append", choices=GAMES, dest="games")
    parser.add_argument("--tables", type=int, default=TABLES)
    parser.add_argument("--out", type=Path, default=RESULTS, metavar="DIR")
    parser.add_argument("--workers", type=int, default=0, help="processes; one a core if missing")
    asked = parser.parse_args(arguments)
    put_down(asked.split, asked.tables, asked.why)
    folder = asked.out / SEALED_PART
    for game in asked.games or GAMES:
        work = partial(_one, game=game, split=asked.split, worst=folder / "worst")
        path = folder / f"{game}-{asked.split}.jsonl"
        rows = every_row(path, "seed", range(asked.tables), work, asked.workers)
        how = hex_tables if game in HEX_GAMES else tables
        worst = pictures(folder / "worst", f"{game}-{asked.split}", asked.out)
        figures = how.figures(rows, MOST_BAD, LEAST_EXACT)
        subject = Subject(SEALED_PART, game, figures, worst)
        save_subject(subject, asked.out)
        sys.stdout.write(f"{subject.text()}\n{how.report(rows)}\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
