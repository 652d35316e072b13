"""One way to evaluate anything: count, keep, take up again, spread over processes, tell.

Every row of results is one line of a file, marked with the code and the models that gave it: a run
that was broken off goes on, a changed reader starts anew. What a part ends in are figures: shares
with their intervals, beside what is wanted. ``models.evaluate.report`` makes one page of them.
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

from models.scenes.splits import SHARED_VARIABLE
from models.scenes.world.arrays import Json

Task = TypeVar("Task")
Result = TypeVar("Result")

ROOT = Path(__file__).parents[2]
RESULTS = Path("build/evaluate")
FIGURES, WORST = "figures", "worst"
"""Folders of results: what was counted, and of each part the pictures that are not wholly right."""
Z = 1.959964
"""Two-sided 95 % of the normal distribution."""
READ_BY = ("vision", "engine", "models/trained")
"""What a reading follows from: the code, the boxes and the trained models."""
NOT_READING = ("games", "draw", "sources")
"""Folders in there that no reading passes through."""
PARTS_OF_IT = (".py", ".toml", ".json", ".onnx", ".npz")
MOST_PICTURES = 24
BINS = (0.0, 0.5, 0.9, 0.99, 0.999, 1.01)


# --- Counting ---


def wilson(hits: int, count: int) -> tuple[float, float]:
    """Return the 95 % interval of a share after Wilson, which holds for few and for none too."""
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
    """Return how likely so uneven a change is by chance: McNemar's exact test, two-sided."""
    changed = lost + won
    tail = sum(comb(changed, k) for k in range(min(lost, won) + 1))
    return float(min(1.0, 2 * tail / 2**changed))


def confidence_lines(
    said: Sequence[tuple[float, bool]], bins: Sequence[float] = BINS
) -> Iterator[str]:
    """Yield how many readings are right, by how sure they are said to be."""
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
        return (self.most is None or self.share <= self.most) and (
            self.least is None or self.share >= self.least
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


# --- Keeping ---


@cache
def reader_mark(*more: str) -> str:
    """Return a short mark of everything that reads tables; results of another one do not count.

    Args:
        more: folders whose code has a say too.
    """
    digest = hashlib.blake2b(digest_size=6)
    for folder in (*READ_BY, *more):
        for path in sorted((ROOT / folder).rglob("*")):
            inner = path.relative_to(ROOT)
            if path.suffix in PARTS_OF_IT and not set(inner.parts) & set(NOT_READING):
                digest.update(inner.as_posix().encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()


def spread(work: Callable[[Task], Result], tasks: Sequence[Task], workers: int) -> Iterator[Result]:
    """Yield what is made of each task, in order; one worker is this process, 0 is one a core."""
    if workers == 1:
        _one_thread()
        yield from map(work, tasks)
        return
    with ProcessPoolExecutor(workers or None, initializer=_one_thread) as pool:
        yield from pool.map(work, tasks)


def _one_thread() -> None:
    """Keep a process to one core: there are as many of them as there are cores."""
    cv2.setNumThreads(1)


def every_row(
    path: Path | None, key: str, tasks: Sequence[Any], work: Callable[[Any], Json], workers: int,
    *more: str,
) -> list[Json]:  # fmt: skip
    """Return the rows of all tasks, working on those that none is kept for.

    Args:
        path: where rows are kept; without, none is.
        key: which of a row's values names its task.
        tasks: all that are wanted.
        work: returns a task's row.
        workers: processes; 0 for one a core.
        more: folders whose code has a say in the rows beside the reader's.
    """
    mark = reader_mark(*more)
    kept = {} if path is None else {row[key]: row for row in kept_rows(path) if row["mark"] == mark}
    left = [task for task in tasks if task not in kept]
    made = spread(work, left, workers)
    rows = made if path is None else _keeping(path, mark, made)
    for row in tqdm(rows, total=len(left), desc=None if path is None else path.stem):
        kept[row[key]] = row
    return [kept[task] for task in tasks]


def kept_rows(path: Path) -> list[Json]:
    """Return the rows of a file, whoever made them; none without the file."""
    if not path.exists():
        return []
    return [{"mark": "", **json.loads(line)} for line in path.read_text("utf-8").splitlines()]


def _keeping(path: Path, mark: str, rows: Iterable[Json]) -> Iterator[Json]:
    """Yield rows, each written to the file as soon as it is there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps({"mark": mark, **row}) + "\n")
            file.flush()
            yield row


def counted(
    asked: argparse.Namespace, part: str, name: str, tasks: Sequence[Any],
    work: Callable[[Any], Json], figures: Callable[[list[Json]], tuple[Figure, ...]],
    report: Callable[[list[Json]], Iterable[str]] = lambda rows: (), *, key: str = "seed",
    of: str = "",
) -> list[Json]:  # fmt: skip
    """Return the rows of one subject, its figures kept and told; rows with an error are left out.

    Args:
        asked: the options of ``parser_of``.
        part: which part of the evaluation.
        name: of the subject.
        tasks: all that are wanted.
        work: returns a task's row.
        figures: of all rows.
        report: what else there is to say about them.
        key: which of a row's values names its task.
        of: what its files and pictures begin with, where that is not the name.
    """
    folder, file = asked.out / part, of or name
    every = every_row(folder / f"{file}.jsonl", key, tasks, work, asked.workers)
    rows = [row for row in every if "error" not in row]
    if rows:
        worst = pictures(folder / WORST, f"{file}-", asked.out)
        tell(Subject(part, name, figures(rows), worst), asked.out, *report(rows))
    return rows


def save_subject(subject: Subject, results: Path) -> None:
    """Keep the figures of a subject, in place of those of an earlier run."""
    path = results / FIGURES / f"{subject.part}-{subject.name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    data = {**asdict(subject), "mark": subject.mark or reader_mark()}
    path.write_text(json.dumps(data, indent=1) + "\n", "utf-8")


def saved_subjects(results: Path) -> list[Subject]:
    """Return what is kept, part by part."""
    subjects = []
    for path in sorted((results / FIGURES).glob("*.json")):
        data = json.loads(path.read_text("utf-8"))
        figures = tuple(Figure(**figure) for figure in data.pop("figures"))
        data["worst"] = tuple(data["worst"])
        subjects.append(Subject(figures=figures, **data))
    return subjects


def pictures(folder: Path, beginning: str, results: Path) -> tuple[str, ...]:
    """Return pictures of a folder whose names begin so, as a report beside it names them."""
    found = sorted(folder.glob(f"{beginning}*.jpg"))[:MOST_PICTURES]
    return tuple(str(p.relative_to(results) if p.is_relative_to(results) else p) for p in found)


# --- Asking and telling ---


def parser_of(
    module: str, about: str | None, games: Sequence[str] = (), out: Path | None = RESULTS
) -> argparse.ArgumentParser:
    """Return the options that evaluations share: which games, where results are, how many cores."""
    parser = argparse.ArgumentParser(prog=f"python -m models.evaluate.{module}", description=about)
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
    """Refuse a part that is none, and name those that there are."""
    unknown = [part for part in asked if part not in known]
    if unknown:
        parser.error(f"there is no part {unknown[0]}; there are {', '.join(known)}")


def shared_photos() -> Path | None:
    """Return the folder of shared photographs, or nothing and say that they are missing."""
    shared = os.environ.get(SHARED_VARIABLE)
    photos = Path(shared or "", "photos")
    if shared and photos.is_dir():
        return photos
    say(f"left out: {SHARED_VARIABLE} names no folder with photos")
    return None


def tell(subject: Subject, results: Path, *more: str) -> None:
    """Print the figures of a subject and what else there is to say; keep them in a folder."""
    save_subject(subject, results)
    say(subject.text(), *more)


def say(*lines: str) -> None:
    """Print lines now, also where the output is kept in a file."""
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()
