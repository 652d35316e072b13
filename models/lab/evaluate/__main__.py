"""Everything that ``make evaluate`` prints, part by part: ``make evaluate PARTS="squares hexes"``.

Each part keeps what it has done under ``build/evaluate`` and goes on from there, so a long run can
be broken off and taken up. ``SCALE`` is a share of the full counts, for a quick look. At the end
``REPORT.md`` there has all figures and the worst pictures.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from models.lab.evaluate.harness import RESULTS, known_parts, saved_subjects
from models.lab.evaluate.report import TEXT_PARTS, keep_text, write_report

TABLES = 500
"""Held-out tables per game; the interval of one wrong tile in a thousand needs as many."""
GAMES, BOXES = 14, 50
"""Games of each rule book for the live referee, 12 of them whole, and invented boxes to teach."""
FILMS = 8
"""Films per game in which people lay the machine's moves: 5 wrongly, 25 right in each."""
FEWEST = 4
LESSONS = ("qwirkle", "kingdomino", "catan", "invented")


def parts(scale: float, workers: int, renders: str | None, out: Path) -> dict[str, list[list[str]]]:
    """Return the commands of each part, as arguments of ``python -m``."""

    def command(module: str, *words: str, to: Path = out) -> list[str]:
        return [
            f"models.lab.evaluate.{module}",
            *words,
            "--out",
            str(to),
            "--workers",
            str(workers),
        ]

    def some(option: str, full: int, fewest: int = FEWEST) -> tuple[str, str]:
        return option, str(max(fewest, round(full * scale)))

    taught = out / "teaching"
    return {
        "photographs": [command("photographs")],
        "strangers": [command("photographs", "strangers")],
        "spots": [command("tables", "spots", *some("--tables", 60))],
        "squares": [command("tables", "squares", *some("--tables", TABLES))],
        "hexes": [command("tables", "hexes", *some("--tables", TABLES))],
        "small": [command("tables", "small", *some("--tables", 60))],
        "photoreal": [command("renders", *([renders] if renders else []))],
        "play": [command("play")],
        "live": [
            [
                "tests.live_games",
                *some("--games", GAMES),
                "--out",
                str(out / "live"),
                "--workers",
                str(workers),
            ]
        ],
        "machine": [
            ["tests.live_games.machine", *some("--films", FILMS, 1), "--out", str(out / "machine")]
        ],
        "teaching": [
            command("teaching", lesson, *some("--boxes", BOXES), to=taught) for lesson in LESSONS
        ],
    }


def run(part: str, command: list[str], out: Path) -> bool:
    """Run one command of a part and say whether it went well."""
    sys.stdout.write(f"\n== {part}: python -m {' '.join(command)}\n")
    sys.stdout.flush()
    asked = [sys.executable, "-m", *command]
    if part not in TEXT_PARTS:
        return subprocess.run(asked, check=False).returncode == 0
    lines = []
    with subprocess.Popen(asked, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout or ():
            sys.stdout.write(line)
            sys.stdout.flush()
            lines.append(line)
    if process.returncode == 0:
        keep_text(out, part, command[1], "".join(lines))
    return process.returncode == 0


def main(arguments: list[str] | None = None) -> int:
    """Run the parts one after the other; those that fail are listed at the end."""
    parser = argparse.ArgumentParser(prog="python -m models.lab.evaluate", description=__doc__)
    names = list(parts(1, 0, None, RESULTS))
    parser.add_argument("parts", nargs="*", help="some of " + ", ".join(names))
    parser.add_argument("--scale", type=float, default=1.0, help="share of the full counts")
    parser.add_argument("--workers", type=int, default=0, help="processes; one a core if missing")
    parser.add_argument("--renders", metavar="FOLDER", help="photoreal renders with their truth")
    parser.add_argument("--out", type=Path, default=RESULTS, metavar="DIR")
    asked = parser.parse_args(arguments)
    known_parts(parser, asked.parts, names)
    commands = parts(asked.scale, asked.workers, asked.renders, asked.out)
    failed = []
    for part in asked.parts or names:
        went = [run(part, command, asked.out) for command in commands[part]]
        failed += [] if all(went) else [part]
    if saved_subjects(asked.out):
        sys.stdout.write(f"\nall figures and the worst pictures: {write_report(asked.out)}\n")
    if failed:
        sys.stderr.write(f"these parts failed: {', '.join(failed)}\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
