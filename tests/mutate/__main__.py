"""``python -m tests.mutate``: counts what ``make mutate`` found, writes ``REPORT.md``.

Ends with 1 where more than one mutant in twenty survives in a module that was run whole.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
MUTANTS = ROOT / "mutants"
REPORT = Path(__file__).parent / "REPORT.md"
MODULES = (
    "companion_app/live/store.py", "companion_app/web/serving/access.py",
    "vision/intake/decode.py", "vision/intake/headers.py", "vision/intake/picture.py",
)  # fmt: skip
SURVIVED, UNTESTED = 0, 33
"""Exit statuses of a run of tests over a mutant, as mutmut keeps them."""
MOST_SURVIVORS = 0.05


@dataclass(frozen=True, slots=True)
class Count:
    """What became of the mutants of a module."""

    module: str
    mutants: int
    run: int
    survived: int

    @property
    def share(self) -> float:
        """How many of those that were run survived."""
        return self.survived / self.run if self.run else 0.0

    @property
    def row(self) -> str:
        """Return it as a row of the report."""
        share = f"{100 * self.share:.1f} %" if self.run else "–"
        return f"| `{self.module}` | {self.mutants} | {self.run} | {self.survived} | {share} |"


def count(module: str, mutants: Path = MUTANTS) -> Count:
    """Return what is known of the mutants of a module; nothing where none was made."""
    file = mutants / f"{module}.meta"
    if not file.exists():
        return Count(module, 0, 0, 0)
    statuses = json.loads(file.read_text(encoding="utf-8"))["exit_code_by_key"].values()
    run = [status for status in statuses if status is not None]
    survived = sum(status in (SURVIVED, UNTESTED) for status in run)
    return Count(module, len(statuses), len(run), survived)


def main() -> int:
    """Write the report; return 1 where too many survive."""
    counts = [count(module) for module in MODULES]
    lines = [
        "# Mutants", "",
        "Written by `make mutate`; do not edit. A mutant is the code with one thing changed; one",
        "that survives is a change that no test notices. `SURVIVORS.md` says why each does.", "",
        "| module | mutants | run | survived | share |", "|---|---|---|---|---|",
        *(one.row for one in counts),
    ]  # fmt: skip
    REPORT.write_text("\n".join(lines) + "\n", encoding="utf-8")
    sys.stdout.write("\n".join(lines) + "\n")
    return 1 if any(one.share > MOST_SURVIVORS for one in counts) else 0


if __name__ == "__main__":
    sys.exit(main())
