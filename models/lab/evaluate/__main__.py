"""How well tables are read: ``make evaluate``, or some parts: ``make evaluate PARTS="squares"``.

Each row is kept under ``build/evaluate`` as soon as it is there, so a long run can be broken off
and taken up. ``SCALE`` is a share of the full counts, for a quick look. At the end ``REPORT.md``
there has all figures and the worst pictures.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from models.lab.evaluate.cases import (
    STRANGERS,
    Cases,
    photograph_cases,
    render_cases,
    shrunk_table,
    spotted_table,
    stranger_case,
    table_case,
    table_cases,
)
from models.lab.evaluate.figures import (
    DRAWN,
    PHOTOGRAPHED,
    RENDERED,
    SPOTTED,
    STRANGE,
    Wanted,
    count_cases,
    figures_of,
)
from models.lab.evaluate.harness import (
    Subject,
    known_parts,
    parser_of,
    say,
    shared,
    tell,
)
from models.lab.evaluate.report import keep_text, write_report
from models.lab.evaluate.taught.cases import qwirkle_box, taught_cases
from models.lab.scenes.settings import GAMES, HEX_GAMES, SQUARE_GAMES
from models.lab.scenes.world.arrays import Json

TABLES, FEW_TABLES = 500, 60
"""Held-out tables per game; the interval of one wrong tile in a thousand needs as many."""
FIRST_SMALL = 50_000
"""First seed of the tables that are shrunk, which are other ones than the usual."""
FILMED_GAMES, FILMS, BOXES, FEWEST = 14, 8, 50, 4
"""Games of each rule book for the live referee, 12 of them whole; films per game in which people
lay the machine's moves, 5 wrongly, 25 right in each; invented boxes of each shape."""
TAUGHT = "taught"
MISREAD = Path(__file__).with_name("once_misread.json")
"""By game: seeds of held-out tables that a reader once misread, and what was wrong with them."""


@dataclass(frozen=True)
class Part:
    """One part of the evaluation: which pictures are read, and what is wanted of the answers."""

    lists: Callable[[argparse.Namespace], Iterator[Cases]]
    wanted: Wanted
    whatever: bool = False
    """Whether small tiles count as others, and pictures that are called not good enough."""


# --- The lists ---


def _tables(
    asked: argparse.Namespace, games: Sequence[str], full: int, first: int = 0, **how: Any
) -> Iterator[Cases]:
    first = first if asked.seed is None else asked.seed
    count = asked.tables or max(FEWEST, round(full * asked.scale))
    chosen = [game for game in games if game in (asked.games or games)]
    return table_cases(chosen, range(first, first + count), **how)


def _misread(asked: argparse.Namespace) -> Iterator[Cases]:
    """Yield tables that were once misread, each for another cause."""
    for game, causes in json.loads(MISREAD.read_text("utf-8")).items():
        if game in (asked.games or GAMES):
            yield Cases(game, list(causes), partial(table_case, game=game))


def _renders(asked: argparse.Namespace) -> Iterator[Cases]:
    folder = asked.renders or shared("renders")
    return iter(()) if folder is None else render_cases(folder, asked.games or GAMES)


def _photographs(asked: argparse.Namespace) -> Iterator[Cases]:
    photos = shared("photos")
    return iter(()) if photos is None else photograph_cases(photos)


def _strangers(asked: argparse.Namespace) -> Iterator[Cases]:
    """Yield photographs without a tile of ours, read for each game and for a box just taught."""
    photos = shared("photos")
    if photos is None:
        return
    paths = [path for name in STRANGERS for path in sorted((photos / name).glob("*.jpg"))]
    for box in asked.games or (*GAMES, TAUGHT):
        taught = partial(qwirkle_box, photos / "qwirkle") if box == TAUGHT else None
        case = partial(stranger_case, folder=photos, taught=taught)
        yield Cases(box, [f"{path.relative_to(photos)} {box}" for path in paths], case)


def _taught(asked: argparse.Namespace) -> Iterator[Cases]:
    boxes = max(FEWEST, round(BOXES * asked.scale))
    return taught_cases(boxes, shared("photos"), asked.out / "pictures")


PARTS = {
    "photographs": Part(_photographs, PHOTOGRAPHED, whatever=True),
    "strangers": Part(_strangers, STRANGE, whatever=True),
    "spots": Part(
        partial(_tables, games=SQUARE_GAMES, full=FEW_TABLES, change=spotted_table),
        SPOTTED,
        whatever=True,
    ),
    "squares": Part(partial(_tables, games=SQUARE_GAMES, full=TABLES), DRAWN),
    "misread": Part(_misread, {}),
    "close": Part(partial(_tables, games=SQUARE_GAMES, full=FEW_TABLES, beside="close"), DRAWN),
    "hexes": Part(partial(_tables, games=HEX_GAMES, full=TABLES), DRAWN),
    "small": Part(
        partial(_tables, games=GAMES, full=FEW_TABLES, first=FIRST_SMALL, change=shrunk_table),
        DRAWN,
    ),
    "photoreal": Part(_renders, RENDERED),
    "teaching": Part(_taught, {}),
}
PROGRAMS = {
    "play": "models.lab.evaluate.play --out {out} --workers {workers}",
    "live": "tests.live_games --games {games} --out {out}/live --workers {workers}",
    "machine": "tests.live_games.machine --films {films} --out {out}/machine",
}
"""Parts that are programs of their own, since they play games; what they print is kept."""


# --- Counting ---


def counted(name: str, part: Part, asked: argparse.Namespace) -> None:
    """Read what is missing of a part, keep its rows and tell its figures."""
    every: list[Json] = []
    lists = list(part.lists(asked))
    for cases in lists:
        every += count_cases(name, cases, asked, part.wanted, whatever=part.whatever)
    if name == "strangers" and len(lists) > 1:
        tell(Subject(name, "all", figures_of(every, part.wanted, whatever=True)), asked.out)


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
    asked = parser.parse_args(arguments)
    known_parts(parser, asked.parts, names)
    failed = []
    for name in asked.parts or names:
        say(f"\n== {name}")
        if name in PARTS:
            counted(name, PARTS[name], asked)
            continue
        games, films = (max(1, round(full * asked.scale)) for full in (FILMED_GAMES, FILMS))
        command = PROGRAMS[name].format(
            out=shlex.quote(str(asked.out)), workers=asked.workers, games=games, films=films
        )
        failed += [] if run_program(name, command, asked.out) else [name]
    say(f"\nall figures and the worst pictures: {write_report(asked.out)}")
    if failed:
        sys.stderr.write(f"these parts failed: {', '.join(failed)}\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
