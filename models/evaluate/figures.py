"""Figures that an evaluation ends in: counts, shares with their intervals, and what is wanted.

Each part keeps its figures as a file; ``models.evaluate.report`` makes one page of all of them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from models.evaluate.intervals import told, wilson
from models.evaluate.kept import reader_mark

RESULTS = Path("build/evaluate")
FIGURES = "figures"


@dataclass(frozen=True)
class Figure:
    """One counted share."""

    name: str
    hits: int
    count: int
    per: int = 1000
    most: float | None = None
    """The largest share wanted, in the same unit; ``None`` where none is."""
    least: float | None = None
    """The smallest share wanted."""

    @property
    def share(self) -> float:
        """The share in its unit."""
        return self.per * self.hits / self.count if self.count else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Its 95 % interval in its unit."""
        low, high = wilson(self.hits, self.count)
        return self.per * low, self.per * high

    @property
    def wanted(self) -> str:
        """What is wanted in words, or nothing."""
        if self.most is not None:
            return f"at most {self.most:g} in {self.per}"
        return "" if self.least is None else f"at least {self.least:g} in {self.per}"

    @property
    def holds(self) -> bool | None:
        """Whether what is wanted was met; ``None`` where nothing is wanted or was counted."""
        if not self.count or (self.most is None and self.least is None):
            return None
        return not (
            (self.most is not None and self.share > self.most)
            or (self.least is not None and self.share < self.least)
        )

    def line(self) -> str:
        """Return it in words, with what is wanted."""
        verdict = {True: ", holds", False: ", DOES NOT HOLD", None: ""}[self.holds]
        wanted = f"; wanted {self.wanted}{verdict}" if self.wanted else ""
        return f"{self.name}: {told(self.hits, self.count, self.per)}{wanted}"


@dataclass(frozen=True)
class Subject:
    """The figures of one part about one game, box or folder."""

    part: str
    name: str
    figures: tuple[Figure, ...]
    worst: tuple[str, ...] = ()
    """Pictures that are not wholly right, seen from the folder of results."""
    mark: str = ""
    """Of the code and models that read them."""

    def text(self) -> str:
        """Return all figures in words."""
        lines = [f"  {figure.line()}" for figure in self.figures]
        return "\n".join([f"{self.part}, {self.name}", *lines])


def save_subject(subject: Subject, results: Path = RESULTS) -> None:
    """Keep the figures of a subject, in place of those of an earlier run."""
    path = results / FIGURES / f"{subject.part}-{subject.name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    data = {**asdict(subject), "mark": subject.mark or reader_mark()}
    path.write_text(json.dumps(data, indent=1) + "\n", "utf-8")


def saved_subjects(results: Path = RESULTS) -> list[Subject]:
    """Return what is kept, part by part."""
    subjects = []
    for path in sorted((results / FIGURES).glob("*.json")):
        data = json.loads(path.read_text("utf-8"))
        figures = tuple(Figure(**figure) for figure in data.pop("figures"))
        data["worst"] = tuple(data["worst"])
        subjects.append(Subject(figures=figures, **data))
    return subjects


def pictures(folder: Path, beginning: str, results: Path, most: int = 24) -> tuple[str, ...]:
    """Return pictures of a folder whose names begin so, as a report beside it names them."""
    found: Sequence[Path] = sorted(folder.glob(f"{beginning}*.jpg"))[:most]
    return tuple(
        str(path.relative_to(results) if path.is_relative_to(results) else path) for path in found
    )
