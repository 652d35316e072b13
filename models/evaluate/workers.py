"""Spreads work over processes, in the order of its tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")


def spread(work: Callable[[Task], Result], tasks: Sequence[Task], workers: int) -> Iterator[Result]:
    """Yield what is made of each task; with one worker in this process, with 0 one a core."""
    if workers == 1:
        yield from map(work, tasks)
        return
    with ProcessPoolExecutor(workers or None) as pool:
        yield from pool.map(work, tasks)
