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

from models.evaluate.harness import RESULTS, saved_subjects
from models.evaluate.report import TEXT_PARTS, keep_text, kept_text, write_report

TABLES = 500
"""Held-out tables a game; the interval of one wrong tile in a thousand needs as many."""
GAMES, BOXES = 14, 50
"""Games of each rule book for the live referee, 12 of them whole, and invented boxes to teach."""
FILMS = 8
"""Films of each game in which people lay the machine's moves: 5 wrongly, 25 right in each."""
FEWEST = 4
LESSONS = ("qwirkle", "kingdomino", "catan", "invented")


def parts(scale: float, workers: int, renders: str | None, out: Path) -> dict[str, list[list[str]]]:
    """Return the commands of each part, as arguments of ``python -m``."""

    def counted(module: str, option: str, full: int) -> list[str]:
        count = max(FEWEST, round(full * scale))
        return [f"models.evaluate.{module}", option, str(count), *where, "--workers", str(workers)]

    where = ["--out", str(out)]
    folder = [renders] if renders else []
    films = ["--films", str(max(1, round(FILMS * scale)))]
    games = ["--games", str(max(FEWEST, round(GAMES * scale)))]
    boxes = ["--boxes", str(max(FEWEST, round(BOXES * scale))), "--workers", str(workers),
             "--out", str(out / "teaching")]  # fmt: skip
    return {
        "photographs": [["models.evaluate.photographs", *where]],
        "strangers": [["models.evaluate.strangers", *where, "--workers", str(workers)]],
        "spots": [counted("spots", "--tables", 60)],
        "detection": [counted("detection", "--scenes", 100)],
        "reading": [counted("reading", "--tables", 200)],
        "squares": [counted("tables", "--tables", TABLES)],
        "hexes": [counted("hex_tables", "--tables", TABLES)],
        "small": [counted("small", "--tables", 60)],
        "photoreal": [["models.evaluate.renders", *folder, *where, "--workers", str(workers)]],
        "play": [["models.evaluate.play", *where, "--workers", str(workers)]],
        "live": [["tests.live_games", *games, "--out", str(out / "live"), "--workers",
                  str(workers)]],
        "machine": [["tests.live_games.machine", *films, "--out", str(out / "machine")]],
        "teaching": [["models.evaluate.teaching", lesson, *boxes] for lesson in LESSONS],
    }  # fmt: skip


def run(part: str, command: list[str], out: Path) -> bool:
    """Run one command of a part and say whether it went well."""
    sys.stdout.write(f"\n== {part}: python -m {' '.join(command)}\n")
    sys.stdout.flush()
    asked = [sys.executable, "-m", *command]
    if part not in TEXT_PARTS:
        return subprocess.run(asked, check=False).returncode == 0
    kept = kept_text(out, part, command)
    if kept is not None:
        sys.stdout.write(kept)
        return True
    lines = []
    with subprocess.Popen(asked, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout or ():
            sys.stdout.write(line)
            sys.stdout.flush()
            lines.append(line)
    if process.returncode == 0:
        keep_text(out, part, command, "".join(lines))
    return process.returncode == 0


def main(arguments: list[str] | None = None) -> int:
    """Run the parts one after the other; those that fail are told at the end."""
    parser = argparse.ArgumentParser(prog="python -m models.evaluate", description=__doc__)
    names = list(parts(1, 0, None, RESULTS))
    parser.add_argument("parts", nargs="*", help="some of " + ", ".join(names))
    parser.add_argument("--scale", type=float, default=1.0, help="share of the full counts")
    parser.add_argument("--workers", type=int, default=0, help="processes; one a core if missing")
    parser.add_argument("--renders", metavar="FOLDER", help="photoreal renders with their truth")
    parser.add_argument("--out", type=Path, default=RESULTS, metavar="DIR")
    asked = parser.parse_args(arguments)
    unknown = [part for part in asked.parts if part not in names]
    if unknown:
        parser.error(f"there is no part {unknown[0]}; there are {', '.join(names)}")
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
