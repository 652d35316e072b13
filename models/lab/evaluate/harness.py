"""Shared parts of all evaluations: counting, keeping results, worker processes and reports.

Every row of results is one line of a file, marked with a hash of the code and the models that gave
it: an interrupted run resumes, and a changed reader starts over. Every part ends in figures: shares
with their intervals, beside what is wanted. ``models.lab.evaluate.report`` makes one page of them.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache
from itertools import pairwise
from math import comb, sqrt
from pathlib import Path
from typing import Any, TypeVar

import cv2
from tqdm import tqdm

from models.lab.scenes.splits import SHARED_VARIABLE
from models.lab.scenes.world.arrays import Json

Task = TypeVar("Task")
Result = TypeVar("Result")

ROOT = Path(__file__).parents[3]
RESULTS = Path("build/evaluate")
FIGURES, WORST = "figures", "worst"
"""Folders of results: the figures, and for each part the pictures that are not wholly right."""
Z = 1.959964
"""Two-sided 95 % of the normal distribution."""
READ_BY = ("vision", "engine", "models/trained")
"""What a reading depends on: the code, the boxes and the trained models."""
NOT_READING = ("games", "draw", "play", "sources")
"""Folders inside ``READ_BY`` that no reading depends on."""
PARTS_OF_IT = (".py", ".toml", ".json", ".onnx", ".npz")
MOST_PICTURES = 24
BINS = (0.0, 0.5, 0.9, 0.99, 0.999, 1.01)


# --- Counting ---


def wilson(hits: int, count: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share, which is valid for small counts too."""
    if count == 0:
        return 0.0, 1.0
    share = hits / count
    spread = Z * sqrt(share * (1 - share) / count + Z * Z / (4 * count * count))
    middle = share + Z * Z / (2 * count)
    below = 1 + Z * Z / count
    return max(0.0, (middle - spread) / below), min(1.0, (middle + spread) / below)


def told(hits: int, count: int, per: int = 1000) -> str:
    """Return a share in words, ``3 of 2000: 1.50 per 1000 (0.51 to 4.40)``."""
    low, high = wilson(hits, count)
    share = hits / count if count else 0.0
    return f"{hits} of {count}: {share * per:.2f} per {per} ({low * per:.2f} to {high * per:.2f})"


def mcnemar(lost: int, won: int) -> float:
    """Return the p-value of a change in results, by McNemar's exact test, two-sided."""
    changed = lost + won
    tail = sum(comb(changed, k) for k in range(min(lost, won) + 1))
    return float(min(1.0, 2 * tail / 2**changed))


def confidence_lines(
    said: Sequence[tuple[float, bool]], bins: Sequence[float] = BINS
) -> Iterator[str]:
    """Yield the share of right readings in each bin of confidence."""
    for low, high in pairwise(bins):
        inside = [right for sure, right in said if low <= sure < high]
        if inside:
            share = told(sum(inside), len(inside), 100)
            yield f"  confidence {low:.3f} to {min(high, 1):.3f}: right {share}"


@dataclass(frozen=True)
class Figure:
    """One counted share."""

    name: str
    hits: int
    count: int
    per: int = 1000
    most: float | None = None
    """The largest share wanted, in the same unit; ``None`` without such a limit."""
    least: float | None = None
    """The smallest share wanted, in the same unit; ``None`` without such a limit."""

    @property
    def share(self) -> float:
        """The share, per ``per``."""
        return self.per * self.hits / self.count if self.count else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the share, per ``per``."""
        low, high = wilson(self.hits, self.count)
        return self.per * low, self.per * high

    @property
    def wanted(self) -> str:
        """The wanted limit in words, or an empty text."""
        if self.most is not None:
            return f"at most {self.most:g} in {self.per}"
        return "" if self.least is None else f"at least {self.least:g} in {self.per}"

    @property
    def holds(self) -> bool | None:
        """Whether the wanted limit is met; ``None`` without a limit or a count."""
        if not self.count or (self.most is None and self.least is None):
            return None
        return (self.most is None or self.share <= self.most) and (
            self.least is None or self.share >= self.least
        )

    def line(self) -> str:
        """Return the figure in words, with its wanted limit."""
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
    """Pictures that are not wholly right, relative to the folder of results."""
    mark: str = ""
    """Hash of the code and models that read the tables."""

    def text(self) -> str:
        """Return all figures in words."""
        lines = [f"  {figure.line()}" for figure in self.figures]
        return "\n".join([f"{self.part}, {self.name}", *lines])


# --- Keeping ---


def reader_mark(*more: str) -> str:
    """Return the mark of everything that reads tables; rows with another one do not count.

    Args:
        more: further folders whose code matters.
    """
    return mark_of(*READ_BY, *more, without=NOT_READING)


@cache
def mark_of(*folders: str, without: tuple[str, ...] = ()) -> str:
    """Return a short hash of the code and data in some folders.

    Args:
        folders: the folders.
        without: names of folders and files inside them that do not matter.
    """
    digest = hashlib.blake2b(digest_size=6)
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            inner = path.relative_to(ROOT)
            if path.suffix in PARTS_OF_IT and not set(inner.parts) & set(without):
                digest.update(inner.as_posix().encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()


def spread(work: Callable[[Task], Result], tasks: Sequence[Task], workers: int) -> Iterator[Result]:
    """Yield the result of each task, in order; 1 worker is this process, 0 means one per core."""
    if workers == 1:
        _one_thread()
        yield from map(work, tasks)
        return
    with ProcessPoolExecutor(workers or None, initializer=_one_thread) as pool:
        yield from pool.map(work, tasks)


def _one_thread() -> None:
    """Limit a process to one thread, since there is one process per core."""
    cv2.setNumThreads(1)


def every_row(
    path: Path,
    key: str,
    tasks: Sequence[Any],
    work: Callable[[Any], Json],
    workers: int,
    mark: str | None = None,
) -> list[Json]:
    """Return the rows of all tasks, and compute those that are not kept yet.

    Args:
        path: file of kept rows.
        key: name of the value that identifies a row's task.
        tasks: all wanted tasks.
        work: returns a task's row.
        workers: processes; 0 for one per core.
        mark: hash of the code that the rows depend on; the reader's if missing.
    """
    mark = mark or reader_mark()
    kept = {row[key]: row for row in kept_rows(path) if row["mark"] == mark}
    left = [task for task in tasks if task not in kept]
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        for row in tqdm(spread(work, left, workers), total=len(left), desc=path.stem):
            file.write(json.dumps({"mark": mark, **row}) + "\n")
            file.flush()
            kept[row[key]] = row
    return [kept[task] for task in tasks]


def kept_rows(path: Path) -> list[Json]:
    """Return all rows of a file, whichever reader gave them; none without the file."""
    if not path.exists():
        return []
    return [{"mark": "", **json.loads(line)} for line in path.read_text("utf-8").splitlines()]


def counted(
    asked: argparse.Namespace,
    part: str,
    name: str,
    tasks: Sequence[Any],
    work: Callable[[Any], Json],
    figures: Callable[[list[Json]], tuple[Figure, ...]],
    report: Callable[[list[Json]], Iterable[str]] = lambda rows: (),
    *,
    key: str = "seed",
    of: str = "",
) -> list[Json]:
    """Return the rows of one subject without errors; its figures are kept and printed.

    Args:
        asked: the options of ``parser_of``.
        part: name of the part of the evaluation.
        name: name of the subject.
        tasks: all wanted tasks.
        work: returns a task's row.
        figures: returns the figures of all rows.
        report: returns further lines about the rows.
        key: name of the value that identifies a row's task.
        of: prefix of its files and pictures, if it is not the name.
    """
    folder, file = asked.out / part, of or name
    every = every_row(folder / f"{file}.jsonl", key, tasks, work, asked.workers)
    rows = [row for row in every if "error" not in row]
    if rows:
        worst = pictures(folder / WORST, f"{file}-", asked.out)
        tell(Subject(part, name, figures(rows), worst), asked.out, *report(rows))
    return rows


def save_subject(subject: Subject, results: Path) -> None:
    """Write the figures of a subject, in place of those of an earlier run."""
    path = results / FIGURES / f"{subject.part}-{subject.name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    data = {**asdict(subject), "mark": subject.mark or reader_mark()}
    path.write_text(json.dumps(data, indent=1) + "\n", "utf-8")


def saved_subjects(results: Path) -> list[Subject]:
    """Return all subjects that are kept, part by part."""
    subjects = []
    for path in sorted((results / FIGURES).glob("*.json")):
        data = json.loads(path.read_text("utf-8"))
        figures = tuple(Figure(**figure) for figure in data.pop("figures"))
        data["worst"] = tuple(data["worst"])
        subjects.append(Subject(figures=figures, **data))
    return subjects


def pictures(folder: Path, beginning: str, results: Path) -> tuple[str, ...]:
    """Return the pictures of a folder with a prefix, relative to the folder of results."""
    found = sorted(folder.glob(f"{beginning}*.jpg"))[:MOST_PICTURES]
    return tuple(str(p.relative_to(results) if p.is_relative_to(results) else p) for p in found)


# --- Asking and telling ---


def parser_of(
    module: str, about: str | None, games: Sequence[str] = (), out: Path | None = RESULTS
) -> argparse.ArgumentParser:
    """Return the options that evaluations share: which games, where results are, how many cores."""
    parser = argparse.ArgumentParser(
        prog=f"python -m models.lab.evaluate.{module}", description=about
    )
    if games:
        parser.add_argument("--game", action="append", choices=games, dest="games")
    if out is not None:
        parser.add_argument("--out", type=Path, default=out, metavar="DIR")
        parser.add_argument(
            "--workers", type=int, default=0, help="processes; one a core if missing"
        )
    return parser


def known_parts(
    parser: argparse.ArgumentParser, asked: Sequence[str], known: Iterable[str]
) -> None:
    """Exit with an error that lists the known parts if an unknown one is asked for."""
    unknown = [part for part in asked if part not in known]
    if unknown:
        parser.error(f"there is no part {unknown[0]}; there are {', '.join(known)}")


def shared_photos() -> Path | None:
    """Return the folder of shared photographs, or ``None`` with a message that it is missing."""
    shared = os.environ.get(SHARED_VARIABLE)
    photos = Path(shared or "", "photos")
    if shared and photos.is_dir():
        return photos
    say(f"left out: {SHARED_VARIABLE} names no folder with photos")
    return None


def tell(subject: Subject, results: Path, *more: str) -> None:
    """Keep the figures of a subject in a folder, and print them with further lines."""
    save_subject(subject, results)
    say(subject.text(), *more)


def say(*lines: str) -> None:
    """Print lines and flush them, also into a file."""
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()
