"""``python -m tests.mutate``: counts what ``make mutate`` found, writes its report.

Ends with 1 where more than one mutant in twenty of a module survives, where one survives that
``SURVIVORS.md`` does not explain, and where one was not run.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
MUTANTS = ROOT / "mutants"
REPORT = ROOT / "build/mutate/REPORT.md"
SURVIVORS = Path(__file__).parent / "SURVIVORS.md"
MODULES = (
    "engine/referee.py",
    "companion_app/live/judging.py",
    "companion_app/live/referee.py",
    "companion_app/live/store.py",
    "companion_app/web/serving/access.py",
    "vision/classify/evidence.py",
    "vision/layout/play.py",
    "vision/intake/decode.py",
    "vision/intake/picture.py",
)
SURVIVED, UNTESTED, TIMED_OUT = 0, 33, (-24, 24, 36)
"""Exit statuses of a run of tests over a mutant, as mutmut keeps them."""
MOST_SURVIVORS = 0.05


@dataclass(frozen=True, slots=True)
class Count:
    """What became of the mutants of a module."""

    module: str
    mutants: int
    run: int
    survivors: tuple[str, ...]
    """Each as its function and its number, like ``close 1``."""
    timed_out: int
    """Taken for noticed: a loop that never ends, or a machine too busy to finish the tests."""

    @property
    def share(self) -> float:
        """How many of those that were run survived."""
        return len(self.survivors) / self.run if self.run else 0.0

    @property
    def row(self) -> str:
        """Return it as a row of the report."""
        share = f"{100 * self.share:.1f} %" if self.run else "–"
        counts = f"{self.mutants} | {self.run} | {self.timed_out} | {len(self.survivors)} | {share}"
        return f"| `{self.module}` | {counts} |"


def count(module: str, mutants: Path = MUTANTS) -> Count:
    """Return what is known of the mutants of a module; nothing where none was made."""
    file = mutants / f"{module}.meta"
    if not file.exists():
        return Count(module, 0, 0, (), 0)
    statuses = json.loads(file.read_text(encoding="utf-8"))["exit_code_by_key"]
    run = [status for status in statuses.values() if status is not None]
    survivors = (
        _short(name) for name, status in statuses.items() if status in (SURVIVED, UNTESTED)
    )
    timed_out = sum(status in TIMED_OUT for status in run)
    return Count(module, len(statuses), len(run), tuple(survivors), timed_out)


def _short(mutant: str) -> str:
    function, number = re.split("__mutmut_", re.split("[.ǁ]", mutant)[-1])
    return f"{function.removeprefix('x_')} {number}"


def explained(module: str, text: str) -> set[str]:
    """Return the mutants of a module that the tables of a text give a reason for."""
    _, _, told = text.partition(f"## `{module}`\n")
    rows = re.findall(r"^\| `(\w+)` \| ([\d, ]+) \| \S", told.partition("\n## ")[0], re.M)
    return {f"{function} {number}" for function, numbers in rows for number in numbers.split(", ")}


def main() -> int:
    """Write the report; return 1 where too many survive, or one without a reason."""
    counts = [count(module) for module in MODULES]
    lines = [
        "# Mutants",
        "",
        "Written by `make mutate`; do not edit. A mutant is the code with one thing changed; one",
        "that survives is a change that no test notices. `SURVIVORS.md` says why each does.",
        "",
        "| module | mutants | run | timed out | survived | share |",
        "|---|---|---|---|---|---|",
        *(one.row for one in counts),
    ]
    REPORT.parent.mkdir(parents=True, exist_ok=True)
    REPORT.write_text("\n".join(lines) + "\n", encoding="utf-8")
    sys.stdout.write("\n".join(lines) + "\n")
    text = SURVIVORS.read_text(encoding="utf-8")
    missing = [
        f"{one.module}: {survivor} is not explained"
        for one in counts
        for survivor in one.survivors
        if survivor not in explained(one.module, text)
    ]
    missing += [f"{one.module} was not run whole" for one in counts if one.run < one.mutants]
    missing += [f"{one.module}: too many" for one in counts if one.share > MOST_SURVIVORS]
    sys.stdout.write("".join(f"{line}\n" for line in missing))
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
