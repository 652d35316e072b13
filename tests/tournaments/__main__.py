"""Plays 1,000 tournaments, counts, and writes a report: ``python -m tests.tournaments``.

``--only N`` plays the first N and prints the counts without writing them; ``--jobs`` says how many
processes play. bbpPairings is compared with where it is on the path or ``$BBPPAIRINGS`` names it.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from functools import partial
from multiprocessing import Pool
from pathlib import Path

from tests.tournaments.program import program
from tests.tournaments.report import report
from tests.tournaments.simulate import simulated

ALL = 1000
REPORT = Path("build/tournaments/REPORT.md")


def main(arguments: list[str]) -> int:
    """Play, and write what came of it."""
    parser = argparse.ArgumentParser(prog="python -m tests.tournaments")
    parser.add_argument("--only", type=int, metavar="N")
    parser.add_argument("--jobs", type=int, default=1)
    asked = parser.parse_args(arguments)
    command = program()
    counts: Counter[str] = Counter()
    with Pool(asked.jobs) as pool:
        played = pool.imap_unordered(partial(simulated, command=command), range(asked.only or ALL))
        for done, one in enumerate(played, start=1):
            counts.update(one)
            if done % 50 == 0:
                sys.stderr.write(f"{done} tournaments\n")
    text = report(counts)
    sys.stdout.write(text)
    if asked.only is None:
        REPORT.parent.mkdir(parents=True, exist_ok=True)
        REPORT.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
