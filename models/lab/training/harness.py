"""Shared parts of all trainings: worker processes, options, manifests and reports.

Nothing here needs the training libraries; ``learning`` has what does.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import os
import queue
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import cv2
from tqdm import tqdm

from models.lab.evaluate.harness import say, spread
from vision.core.files import TRAINED

Task = TypeVar("Task")
Result = TypeVar("Result")
WAITING = 3
"""Drawn examples per process that may wait in the queue."""


def parser_of(module: str, about: str | None, sets: Sequence[str] = ()) -> argparse.ArgumentParser:
    """Return the options that trainings on plain processors share."""
    parser = argparse.ArgumentParser(
        prog=f"python -m models.lab.training.{module}", description=about
    )
    if sets:
        every = "which box; may be given several times, all of them if missing"
        parser.add_argument("--set", action="append", choices=sets, dest="sets", help=every)
    parser.add_argument("--out", type=Path, default=TRAINED, metavar="DIR")
    parser.add_argument("--workers", type=int, default=0, help="processes; one a core if missing")
    return parser


def timed_parser(module: str, about: str | None, out: str, room: float) -> argparse.ArgumentParser:
    """Return the options that trainings of networks share."""
    parser = argparse.ArgumentParser(
        prog=f"python -m models.lab.training.{module}", description=about
    )
    parser.add_argument("--minutes", type=float, default=60.0, help="how long, all in all")
    parser.add_argument("--out", type=Path, default=Path(out), help="folder for the results")
    parser.add_argument("--workers", type=int, default=2, help="processes that draw")
    parser.add_argument("--seed", type=int, default=1, help="another one draws other examples")
    parser.add_argument("--rate", type=float, default=2e-3, help="highest learning rate")
    parser.add_argument("--room", type=type(room), default=room, help="what is kept in memory")
    parser.add_argument("--device", help="cuda or cpu; by default what there is")
    return parser


def made(
    what: str, work: Callable[[Task], Result], tasks: Sequence[Task], workers: int
) -> list[Result]:
    """Return the result of each task, computed in worker processes, with a progress bar."""
    return list(tqdm(spread(work, tasks, workers), total=len(tasks), desc=what))


def write_manifest(path: Path, facts: Mapping[str, Any]) -> None:
    """Write the manifest of a trained file, which loading checks."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


def sha256_of(path: Path) -> str:
    """Return the SHA-256 hash of a file, for its manifest."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def tell(what: str, figures: Mapping[str, Any], out: Path, files: Sequence[str]) -> None:
    """Print the figures of a training, and whether it reproduced the shipped files."""
    say(f"{what}: {dict(figures)}")
    for name in files if out != TRAINED else ():
        same = (TRAINED / name).is_file() and sha256_of(out / name) == sha256_of(TRAINED / name)
        say(f"  {name} {'is' if same else 'is not'} the one that is shipped")


class Drawers:
    """Worker processes that draw examples until they are terminated."""

    def __init__(self, sources: Sequence[Callable[[], Iterator[Any]]]) -> None:
        # A spawned process would import the training libraries again, which no worker needs.
        method = "fork" if sys.platform == "linux" else "spawn"
        context: Any = multiprocessing.get_context(method)
        self._queue: Any = context.Queue(maxsize=max(4, WAITING * len(sources)))
        self._processes: list[BaseProcess] = [
            context.Process(target=_draw, daemon=True, args=(self._queue, source))
            for source in sources
        ]

    def __enter__(self) -> Drawers:
        for process in self._processes:
            process.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for process in self._processes:
            process.terminate()

    def drawn(self, most: int, wait_s: float) -> Iterator[Any]:
        """Yield drawn examples, waiting for the first one only, and at most ``wait_s``.

        Raises:
            SystemExit: the wait was in vain, and no process is alive any more.
        """
        for number in range(most):
            waits = number == 0 and wait_s > 0
            try:
                yield self._queue.get(block=waits, timeout=wait_s if waits else None)
            except queue.Empty:
                if waits and not self.alive():
                    raise SystemExit("nothing is drawn any more; the lines above say why") from None
                return

    def alive(self) -> int:
        """Return how many processes are still drawing."""
        return sum(process.is_alive() for process in self._processes)


def _draw(out: Any, source: Callable[[], Iterator[Any]]) -> None:
    cv2.setNumThreads(1)
    os.nice(5)
    for drawn in source():
        out.put(drawn)
