"""Golden answers: all that a reader says, kept picture by picture and compared with an earlier one.

``make golden`` reads the same pictures again and again: drawn tables of the five games, boxes that
are taught from two photographs, photographs and renders where there are any, and films when asked
for. Pictures are drawn once and kept as files with their truth, so that readers are compared on the
very same ones. ``AGAINST=FOLDER`` names the answers of an earlier reader: the output says how many
answers differ in any byte, and for each game what was lost and won, by McNemar's test, with sure
and wrong tiles. ``--without STAGE`` leaves out one optional stage of reading and compares with the
answers of all of them: what is lost is what that stage earns.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from models.lab.evaluate.cases import (
    NOTHING,
    SHAPES,
    Case,
    Cases,
    answered,
    render_cases,
    stranger_cases,
    table_cases,
)
from models.lab.evaluate.harness import (
    every_row,
    kept_rows,
    known_parts,
    mcnemar,
    parser_of,
    say,
    shared,
)
from models.lab.evaluate.taught.cases import invented_cases
from models.lab.scenes.settings import GAMES
from models.lab.scenes.world.arrays import Json
from vision.core.stages import STAGES, watched_by

FOLDER = Path("build/golden")
FIRST_SEED = 200_000
"""First seed of the tables that are read here and nowhere else."""
TABLES = 200
BOXES_OF_TABLES = 50
"""Tables per game for each taught box of a shape."""
FILMS_OF_TABLES = 200
"""Tables per game for each film of a game."""
OTHERS = ("qwirkle", "catan", "kingdomino")
SIGNIFICANT = 0.05
MOST_LOST_SHARE = 2 / 2000
"""Largest net loss of exact tables that passes if chance explains it, as a share."""


# --- Answers ---


def _tables(asked: argparse.Namespace) -> Iterable[Cases]:
    """Return the drawn tables that are read here and nowhere else."""
    seeds = range(FIRST_SEED, FIRST_SEED + asked.tables)
    return table_cases(GAMES, seeds, folder=asked.pictures)


def _taught(asked: argparse.Namespace) -> Iterable[Cases]:
    return invented_cases(max(1, asked.tables // BOXES_OF_TABLES), asked.pictures)


def _photographs(_: argparse.Namespace) -> Iterable[Cases]:
    folder = shared("photos")
    if folder is None:
        return ()
    lists = (*stranger_cases(folder, GAMES), *stranger_cases(folder, SHAPES, OTHERS))
    return [replace(cases, name=f"photographs-{cases.name}") for cases in lists]


def _renders(asked: argparse.Namespace) -> Iterable[Cases]:
    lists = () if asked.renders is None else render_cases(asked.renders)
    return [replace(cases, name=f"renders-{cases.name}") for cases in lists]


LISTS = {"tables": _tables, "taught": _taught, "photographs": _photographs, "renders": _renders}
PARTS = (*LISTS, "films")


@dataclass(frozen=True)
class Without:
    """Leaves out one stage of reading."""

    out: str

    def leaves_out(self, stage: str) -> bool:
        """Say whether this stage is left out."""
        return stage == self.out

    def saw(self, stage: str, made: object, given: object) -> None:
        """Record nothing."""


def answer(key: str, case: Callable[[str], Case | None], without: str) -> Json:
    """Return the row of one case with its whole answer, read without a stage that is named."""
    with watched_by(Without(without)):
        return answered(key, case, keep=True)


def answers(part: str, asked: argparse.Namespace) -> None:
    """Compute the missing answers of one part."""
    if part == "films":
        _films(asked)
        return
    for cases in LISTS[part](asked):
        work = partial(answer, case=cases.case, without=asked.without)
        every_row(asked.out / f"{cases.name}.jsonl", cases.keys, work, asked.workers)


def _films(asked: argparse.Namespace) -> None:
    """Play whole games before the live referee, as a program, since it lies above this package."""
    games, folder = max(1, asked.tables // FILMS_OF_TABLES), asked.out / "films"
    words = f"-m tests.live_games --games {games} --workers {asked.workers} --out".split()
    subprocess.run([sys.executable, *words, str(folder)], check=True, stdout=subprocess.DEVNULL)
    rows = []
    for path in sorted((folder / "film").glob("*.json")):
        played = json.loads(path.read_text("utf-8"))
        del played["took_s"]
        exact = not played["mistakes"]
        rows.append({"key": path.stem, **NOTHING, "exact": exact, "answer": played})
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (asked.out / "films.jsonl").write_text(text, "utf-8")


# --- Comparing ---


@dataclass(frozen=True)
class Change:
    """How the answers about one game or box have changed."""

    name: str
    compared: int
    different: int
    lost: tuple[str, ...]
    """Keys of answers that were exact before and are not any more."""
    won: tuple[str, ...]
    before: Mapping[str, int]
    now: Mapping[str, int]

    @property
    def is_worse(self) -> bool:
        """Whether the reader has lost: beyond chance, by too many, or by false claims."""
        net = len(self.lost) - len(self.won)
        beyond = net > 0 and mcnemar(len(self.lost), len(self.won)) < SIGNIFICANT
        too_many = net > max(1.0, MOST_LOST_SHARE * self.compared)
        return beyond or too_many or self.now["sure_wrong"] > self.before["sure_wrong"]

    def lines(self) -> Iterator[str]:
        """Yield the change in words."""
        chance = mcnemar(len(self.lost), len(self.won))
        counts = ", ".join(f"{key} {self.before[key]} -> {self.now[key]}" for key in self.now)
        yield f"{self.name}: {self.different} of {self.compared} answers differ; {counts}"
        if self.lost or self.won:
            yield f"  lost {len(self.lost)}, won {len(self.won)} (p = {chance:.3f})"
        for word, names in (("lost", self.lost), ("won", self.won)):
            if names:
                yield f"  {word}: {' '.join(names)}"
        if self.is_worse:
            yield "  WORSE"


def changes(before: Path, now: Path) -> Iterator[Change]:
    """Yield how answers have changed, for each file that both folders have."""
    for path in sorted(now.glob("*.jsonl")):
        if (before / path.name).exists():
            # Of each key the newest answer counts.
            old, new = (
                {row["key"]: row for row in kept_rows(folder / path.name)}
                for folder in (before, now)
            )
            yield change(path.stem, old, new)


def change(name: str, before: Mapping[str, Json], now: Mapping[str, Json]) -> Change:
    """Return how answers changed where both readers gave one; small tables are not rated."""
    both = [key for key in now if key in before and "error" not in now[key]]
    big = [key for key in both if not now[key]["small"]]
    lost = tuple(key for key in big if before[key]["exact"] and not now[key]["exact"])
    won = tuple(key for key in big if now[key]["exact"] and not before[key]["exact"])
    differ = sum(before[key]["answer"] != now[key]["answer"] for key in both)
    return Change(name, len(both), differ, lost, won, _counts(before, big), _counts(now, big))


def _counts(rows: Mapping[str, Json], keys: Sequence[str]) -> dict[str, int]:
    """Return the printed sums; claims count only on pictures that are good enough."""
    chosen = [rows[key] for key in keys]
    good = [row for row in chosen if row["good"]]
    return {
        "exact": sum(row["exact"] for row in chosen),
        "not_good": len(chosen) - len(good),
        "unsure": sum(row["unsure"] for row in good),
        "sure_wrong": sum(row["sure_wrong"] for row in good),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Read and compare as the command line asks; the status says whether anything was lost."""
    parser = parser_of("golden", __doc__, out=None)
    parser.add_argument("--out", type=Path, metavar="DIR")
    parser.add_argument("--workers", type=int, default=0, help="0: one a core")
    parser.add_argument(
        "parts",
        nargs="*",
        metavar="PART",
        help=f"some of {', '.join(PARTS)}; without any, all but films",
    )
    parser.add_argument("--tables", type=int, default=TABLES, help="drawn tables a game")
    parser.add_argument("--pictures", type=Path, default=FOLDER / "pictures", metavar="DIR")
    parser.add_argument("--against", type=Path, metavar="DIR", help="answers of an earlier reader")
    parser.add_argument("--renders", type=Path, metavar="DIR", help="photoreal renders")
    parser.add_argument("--without", default="", choices=("", *STAGES), metavar="STAGE")
    asked = parser.parse_args(arguments)
    usual = FOLDER / "answers"
    asked.out = asked.out or (FOLDER / "without" / asked.without if asked.without else usual)
    asked.against = asked.against or (usual if asked.without else None)
    known_parts(parser, asked.parts, PARTS)
    for part in asked.parts or LISTS:
        answers(part, asked)
    if asked.against is None:
        return 0
    changed = list(changes(asked.against, asked.out))
    for one in changed:
        say(*one.lines())
    return int(any(one.is_worse for one in changed))


if __name__ == "__main__":
    sys.exit(main())
