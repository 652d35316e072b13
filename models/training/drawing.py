"""Draws tables in processes of their own, as fast as the machine can, while a network learns."""

from __future__ import annotations

import multiprocessing
import queue
import sys
from collections.abc import Iterator
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import Any

import cv2

from models.scenes.splits import Split
from models.training.samples import Sample, draw_sample

SEEDS_A_PROCESS = 10_000_000
WAITING = 3
"""Drawn tables that may wait for each process."""


class Drawers:
    """Processes that draw tables for as long as they are asked to."""

    def __init__(self, count: int, first_seed: int, held_out: int) -> None:
        # A spawned process would load the training libraries anew, which none of them needs.
        method = "fork" if sys.platform == "linux" else "spawn"
        context: Any = multiprocessing.get_context(method)
        self._queue: Any = context.Queue(maxsize=max(4, WAITING * count))
        shares = [held_out // count + (k < held_out % count) for k in range(count)]
        self._processes: list[BaseProcess] = [
            context.Process(
                target=_draw, daemon=True,
                args=(self._queue, (first_seed * 1000 + k) * SEEDS_A_PROCESS, shares[k]),
            )
            for k in range(count)
        ]  # fmt: skip

    def __enter__(self) -> Drawers:
        for process in self._processes:
            process.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        for process in self._processes:
            process.terminate()

    def drawn(self, most: int, wait_s: float) -> Iterator[tuple[Split, Sample]]:
        """Yield what has been drawn, waiting only for the first, and no longer than told."""
        for number in range(most):
            try:
                yield self._queue.get(block=number == 0 and wait_s > 0, timeout=wait_s)
            except queue.Empty:
                return

    def alive(self) -> int:
        """Return how many processes are still drawing."""
        return sum(process.is_alive() for process in self._processes)


def _draw(out: Any, first_seed: int, held_out: int) -> None:
    cv2.setNumThreads(1)
    number = 0
    while True:
        split: Split = "held-out" if number < held_out else "train"
        seed = first_seed + number
        number += 1
        try:
            sample = draw_sample(seed, split)
        except (ValueError, IndexError, KeyError, ArithmeticError, cv2.error) as error:
            # One table in a million that cannot be drawn must not end an hour of training.
            sys.stderr.write(f"table {seed} of {split} cannot be drawn: {error!r}\n")
            continue
        out.put((split, sample))
