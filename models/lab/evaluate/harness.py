"""Shared by all evaluations: counting, keeping rows, worker processes, asking and telling.

A row is one line of a file, marked with a hash of the code and the models that gave it: a run that
was broken off goes on, and a changed reader starts over.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from math import comb, sqrt
from pathlib import Path
from typing import TypeVar

import cv2
from tqdm import tqdm

from models.lab.scenes.splits import SHARED_VARIABLE
from models.lab.scenes.world.arrays import Json

Task = TypeVar("Task")
Result = TypeVar("Result")

ROOT = Path(__file__).parents[3]
RESULTS = Path("build/evaluate")
Z = 1.959964
"""Two-sided 95 % of the normal distribution."""
READ_BY = ("vision", "engine", "models/trained")
"""What a reading depends on: the code, the boxes and the trained models."""
NOT_READING = ("games", "draw", "play", "sources")
"""Folders inside ``READ_BY`` that no reading depends on."""
PARTS_OF_IT = (".py", ".toml", ".json", ".onnx", ".npz")


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


def mcnemar(lost: int, won: int) -> float:
    """Return the p-value of a change in results, by McNemar's exact test, two-sided."""
    changed = lost + won
    tail = sum(comb(changed, k) for k in range(min(lost, won) + 1))
    return float(min(1.0, 2 * tail / 2**changed))


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
    def holds(self) -> bool | None:
        """Whether the wanted limit is met; ``None`` without a limit or a count."""
        if not self.count or (self.most is None and self.least is None):
            return None
        return (self.most is None or self.share <= self.most) and (
            self.least is None or self.share >= self.least
        )

    @property
    def unit(self) -> str:
        """The sign of its unit."""
        return "%" if self.per == 100 else "‰"

    def wanted(self) -> str:
        """Return the limit in words, and whether it is met; nothing without a limit."""
        limit = self.least if self.most is None else self.most
        if limit is None:
            return ""
        verdict = {True: " ✓", False: " **not met**", None: ""}[self.holds]
        return f"{'≥' if self.most is None else '≤'} {limit:g} {self.unit}{verdict}"

    def told(self) -> str:
        """Return the share in words, with its interval."""
        low, high = self.interval
        return f"{self.share:.2f} {self.unit} ({low:.2f} to {high:.2f})"


# --- Keeping ---


def reader_mark(*more: str) -> str:
    """Return the mark of everything that reads tables, and of the code of further folders."""
    return mark_of(*READ_BY, *more, without=NOT_READING)


@cache
def mark_of(*folders: str, without: tuple[str, ...] = ()) -> str:
    """Return a short hash of the code and data in folders, without files and folders so named."""
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
    keys: Sequence[str],
    work: Callable[[str], Json],
    workers: int,
    mark: str | None = None,
) -> list[Json]:
    """Return the rows of all keys, and compute those that are not kept yet.

    Args:
        path: file of kept rows.
        keys: name of each row that is wanted.
        work: returns what a row says beside its key.
        workers: processes; 0 for one per core.
        mark: hash of the code that the rows depend on; the reader's if missing.
    """
    mark = mark or reader_mark()
    kept = {row["key"]: row for row in kept_rows(path) if row["mark"] == mark}
    left = [key for key in keys if key not in kept]
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        made = tqdm(spread(work, left, workers), total=len(left), desc=path.stem)
        for key, said in zip(left, made, strict=True):
            kept[key] = {"mark": mark, "key": key, **said}
            file.write(json.dumps(kept[key]) + "\n")
            file.flush()
    return [kept[key] for key in keys]


def kept_rows(path: Path) -> list[Json]:
    """Return all rows of a file, whichever reader gave them; none without the file."""
    if not path.exists():
        return []
    return [{"mark": "", **json.loads(line)} for line in path.read_text("utf-8").splitlines()]


# --- Asking and telling ---


def parser_of(
    module: str, about: str | None, games: Sequence[str] = (), out: Path | None = RESULTS
) -> argparse.ArgumentParser:
    """Return the options that evaluations share: which games, where results are, how many cores."""
    program = ".".join(["models.lab.evaluate", *filter(None, [module])])
    parser = argparse.ArgumentParser(prog=f"python -m {program}", description=about)
    if games:
        parser.add_argument("--game", action="append", choices=games, dest="games")
    if out is not None:
        parser.add_argument("--out", type=Path, default=out, metavar="DIR")
        parser.add_argument("--workers", type=int, default=0, help="0: one a core")
    return parser


def known_parts(
    parser: argparse.ArgumentParser, asked: Sequence[str], known: Iterable[str]
) -> None:
    """Exit with an error that lists the known parts if an unknown one is asked for."""
    unknown = [part for part in asked if part not in known]
    if unknown:
        parser.error(f"there is no part {unknown[0]}; there are {', '.join(known)}")


def shared(folder: str) -> Path | None:
    """Return a folder of what lies beside the project, or ``None`` and say that it is missing."""
    where = os.environ.get(SHARED_VARIABLE)
    if where and Path(where, folder).is_dir():
        return Path(where, folder)
    say(f"left out: {SHARED_VARIABLE} names no folder with {folder}")
    return None


def say(*lines: str) -> None:
    """Print lines and flush them, also into a file."""
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()
