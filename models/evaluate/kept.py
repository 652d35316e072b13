"""Results that an evaluation keeps line by line, so that it can be broken off and taken up."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from tqdm import tqdm

from models.evaluate.workers import spread

Json = dict[str, Any]

ROOT = Path(__file__).parents[2]
READ_BY = ("vision", "engine", "models/trained")
"""What a reading follows from: the code, the boxes and the trained models."""
NOT_READING = ("games", "draw", "sources")
"""Folders in there that no reading passes through."""
PARTS_OF_IT = (".py", ".toml", ".json", ".onnx", ".npz")


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


def every_row(
    path: Path | None, key: str, tasks: Sequence[Any], work: Callable[[Any], Json], workers: int
) -> list[Json]:
    """Return the rows of all tasks, working on those that none is kept for.

    Args:
        path: where rows are kept; without, none is.
        key: which of a row's values names its task.
        tasks: all that are wanted.
        work: returns a task's row.
        workers: processes; 0 for one a core.
    """
    kept = {} if path is None else _kept_rows(path, key)
    left = [task for task in tasks if task not in kept]
    made = spread(work, left, workers)
    rows = made if path is None else _keeping(path, made)
    for row in tqdm(rows, total=len(left), desc=None if path is None else path.stem):
        kept[row[key]] = row
    return [kept[task] for task in tasks]


def _kept_rows(path: Path, key: str) -> dict[Any, Json]:
    """Return the rows of a file that this reader made, by their key; none without the file."""
    if not path.exists():
        return {}
    rows = (json.loads(line) for line in path.read_text("utf-8").splitlines() if line)
    return {row[key]: row for row in rows if row.get("mark") == reader_mark()}


def _keeping(path: Path, rows: Iterable[Json]) -> Iterator[Json]:
    """Yield rows, each written to the file as soon as it is there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps({"mark": reader_mark(), **row}) + "\n")
            file.flush()
            yield row
