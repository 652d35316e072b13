"""How well tables are read: ``make evaluate``, or some parts: ``make evaluate PARTS="squares"``.

Each row is kept under ``build/evaluate`` as soon as it is there, so a long run can be broken off
and taken up. ``SCALE`` is a share of the full counts, for a quick look. At the end ``REPORT.md``
there has all figures and the worst pictures. The part ``sealed`` runs only when it is asked for,
with a reason.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from models.lab.evaluate.harness import known_parts, parser_of, say
from models.lab.evaluate.parts import PARTS, TAUGHT, count_part
from models.lab.evaluate.report import keep_text, write_report
from models.lab.scenes.settings import GAMES
from models.lab.scenes.splits import SEALED

FILMED_GAMES, FILMS = 14, 8
"""Games of each rule book for the live referee, 12 of them whole; films per game in which people
lay the machine's moves, 5 wrongly, 25 right in each."""
PROGRAMS = {
    "play": "models.lab.evaluate.play --out {out} --workers {workers}",
    "live": "tests.live_games --games {games} --out {out}/live --workers {workers}",
    "machine": "tests.live_games.machine --films {films} --out {out}/machine",
}
"""Parts that are programs of their own, since they play games; what they print is kept."""


def run_program(part: str, command: str, out: Path) -> bool:
    """Run a part that is a program, keep what it prints, and say whether it went well."""
    lines = []
    asked = [sys.executable, "-m", *shlex.split(command)]
    with subprocess.Popen(asked, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout or ():
            sys.stdout.write(line)
            sys.stdout.flush()
            lines.append(line)
    if process.returncode == 0:
        keep_text(out, part, "".join(lines))
    return process.returncode == 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the parts one after the other; programs that fail are listed at the end."""
    parser = parser_of("", __doc__, (*GAMES, TAUGHT))
    names = [*PARTS, *PROGRAMS]
    parser.add_argument("parts", nargs="*", help="some of " + ", ".join(names))
    parser.add_argument("--scale", type=float, default=1.0, help="share of the full counts")
    parser.add_argument("--tables", type=int, help="of each game, in place of the full count")
    parser.add_argument("--seed", type=int, help="of the first table")
    parser.add_argument("--renders", type=Path, metavar="DIR", help="photoreal renders")
    parser.add_argument("--split", choices=SEALED, default=SEALED[0], help="for sealed")
    parser.add_argument("--why", help="for sealed: stands in the report for good")
    asked = parser.parse_args(arguments)
    known_parts(parser, asked.parts, names)
    if "sealed" in asked.parts and not asked.why:
        parser.error("a sealed split is opened for a reason: --why")
    games, films = (max(1, round(full * asked.scale)) for full in (FILMED_GAMES, FILMS))
    out = shlex.quote(str(asked.out))
    failed = []
    for name in asked.parts or [name for name in names if name != "sealed"]:
        say(f"\n== {name}")
        if name in PARTS:
            count_part(name, asked)
            continue
        words = {"out": out, "workers": asked.workers, "games": games, "films": films}
        if not run_program(name, PROGRAMS[name].format(**words), asked.out):
            failed.append(name)
    say(f"\nall figures and the worst pictures: {write_report(asked.out)}")
    if failed:
        sys.stderr.write(f"these parts failed: {', '.join(failed)}\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
