"""The book of openings: when a sealed split was drawn from, by which reader, and why."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from models.evaluate.kept import ROOT, reader_mark

SEALED_PART = "sealed"
BOOK = ROOT / "models" / "trained" / "openings.jsonl"


@dataclass(frozen=True)
class Opening:
    """One time that a sealed split was opened."""

    split: str
    day: str
    mark: str
    """Of the code and models that read it."""
    tables: int
    """A game."""
    why: str


def put_down(split: str, tables: int, why: str, book: Path = BOOK) -> None:
    """Add an opening to the book; a run that is taken up again is no other one."""
    opening = Opening(split, datetime.now(UTC).date().isoformat(), reader_mark(), tables, why)
    if any((o.split, o.mark) == (split, opening.mark) for o in all_openings(book)):
        return
    with book.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(opening)) + "\n")


def all_openings(book: Path = BOOK) -> list[Opening]:
    """Return every opening, the first one first."""
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
