"""The last exam: ``python -m models.lab.evaluate sealed --why "before the release"``.

Reads tables of a sealed split, with everything as in play. Nothing else draws from one, and every
opening is recorded in a file that the report shows. A reader that falls short is improved on
held-out tables and tested on the next sealed split.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from models.lab.evaluate.cases import Case, table_case
from models.lab.evaluate.harness import ROOT, reader_mark
from models.lab.scenes.splits import Sealed, opened

BOOK = ROOT / "models" / "lab" / "evaluate" / "openings.jsonl"


@dataclass(frozen=True)
class Opening:
    """One time that a sealed split was opened."""

    split: str
    day: str
    mark: str
    """Hash of the code and models that read the split."""
    tables: int
    """Tables per game."""
    why: str


def put_down(split: str, tables: int, why: str, book: Path = BOOK) -> None:
    """Record an opening; a run that is resumed is not recorded again."""
    opening = Opening(split, datetime.now(UTC).date().isoformat(), reader_mark(), tables, why)
    if any((o.split, o.mark) == (split, opening.mark) for o in all_openings(book)):
        return
    with book.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(opening)) + "\n")


def all_openings(book: Path = BOOK) -> list[Opening]:
    """Return every opening, the oldest first."""
    if not book.exists():
        return []
    return [Opening(**json.loads(line)) for line in book.read_text("utf-8").splitlines()]


def openings(book: Path = BOOK) -> Iterator[str]:
    """Yield every opening as a line of the report."""
    for number, one in enumerate(all_openings(book), start=1):
        yield (
            f"{number}. `{one.split}` was opened on {one.day} by reader `{one.mark}`, "
            f"{one.tables} tables a game: {one.why}"
        )


def sealed_case(key: str, game: str, split: Sealed) -> Case | None:
    """Return the case of one table; each process opens the split for itself.

    A third of the tables of squares have stocks, hands and other fields close beside.
    """
    with opened(split):
        return table_case(key, game, split, beside="third")
