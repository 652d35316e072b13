"""Spreads work over processes, in the order of its tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

Result = TypeVar("Result")


def spread(work: Callable[[int], Result], seeds: Sequence[int], workers: int) -> Iterator[Result]:
    """Yield what is made of each seed; with one worker in this process, with 0 one a core."""
    if workers == 1:
        yield from map(work, seeds)
        return
    with ProcessPoolExecutor(workers or None) as pool:
        yield from pool.map(work, seeds)
