"""A worker process for guests' heavy work with a bounded queue; each limit has its own exception.

The worker is a ``ProcessPoolExecutor`` of one process, discarded together with it. Two kinds of
larger pools were rejected: a standard pool of several processes fails all work when one of them is
killed; ``pebble`` shares a lock between its workers, deadlocks when an idle one is killed, and
would be one more dependency. Here nothing is shared, a worker that exceeds a limit is killed, and
the next work gets a new one.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, TypeVar

from companion_app.aside import stand_aside
from companion_app.hands.errors import HandLost, HandsFull, OneAtATime, TooLong, TooMuch
from companion_app.hands.work import MB, WORKER_MB, Work, memory_bytes
from companion_app.hands.worker import begin_worker, do_work, worker_pid

T = TypeVar("T")
MOST_WAITING = 8
PATIENCE_S = 60.0
"""Seconds after which a request that waits for the worker is refused: a phone would time out."""
WATCH_S = 0.05
"""Seconds between checks of a worker's memory: it can touch some 50 MB in that time."""
START_S = 60.0
"""Seconds within which a worker has started, even on a busy Pi."""
MOST_AT_REST_MB = 180
"""Memory in MB above which an idle worker is replaced: libraries do not free all they allocate."""


class Hands:
    """One worker, started when first needed; more would take cores from the game. Close it."""

    def __init__(self, patience_s: float = PATIENCE_S) -> None:
        self._hand, self._patience_s = _Hand(), patience_s
        self._free = threading.Semaphore()
        self._lock = threading.Lock()
        self._taken = 0
        """Number of calls that wait or are being done."""
        self._guests: set[tuple[str, str]] = set()

    def __enter__(self) -> Hands:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def do(self, work: Work, call: Callable[..., T], *args: Any, whose: str = "") -> T:
        """Run a function in the worker and return its result.

        Args:
            work: the kind of work, with its limits.
            call: a function that can be imported by its name.
            args: plain data for it.
            whose: the guest, if each may have only one call of this kind at a time.

        Raises:
            HandsError: the work was not done. Exceptions of the call itself are passed on.
        """
        with self._place(work, whose):
            stand_aside()
            if not self._free.acquire(timeout=self._patience_s):
                raise HandsFull(work.name)
            try:
                done: T = self._hand.do(work, call, args)
                return done
            finally:
                self._free.release()

    @property
    def pids(self) -> list[int]:
        """Process id of the worker; empty while none runs."""
        return [self._hand.pid] if self._hand.pid else []

    @property
    def waiting(self) -> int:
        """Number of calls that wait for the worker."""
        return max(0, self._taken - 1)

    def close(self) -> None:
        """Kill the worker, even if it is busy."""
        self._hand.closed = True
        self._hand.end()

    @contextlib.contextmanager
    def _place(self, work: Work, whose: str) -> Iterator[None]:
        mark = (work.name, whose)
        with self._lock:
            if whose and mark in self._guests:
                raise OneAtATime(work.name)
            if self._taken > MOST_WAITING:
                raise HandsFull(work.name)
            self._taken += 1
            self._guests.add(mark)
        try:
            yield
        finally:
            with self._lock:
                self._taken -= 1
                self._guests.discard(mark)


def done_apart(work: Work, call: Callable[..., T], *args: Any) -> T:
    """Run a function in a worker of its own, which ends with it; it waits for no other work.

    Raises:
        HandsError: the work was not done. Exceptions of the call itself are passed on.
    """
    with Hands() as hands:
        return hands.do(work, call, *args)


class _Hand:
    """One worker process; it takes one call at a time."""

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None
        self.pid = 0
        self.closed = False

    def do(self, work: Work, call: Callable[..., T], args: tuple[Any, ...]) -> T:
        self._ready()
        pool, memory = self._pool, memory_bytes(work)
        if pool is None:  # closed meanwhile
            raise HandLost(work.name)
        try:
            coming = pool.submit(do_work, work.seconds, memory, call, args)
            done: T = self._awaited(coming, work, memory + WORKER_MB * MB)
        except BrokenProcessPool as error:
            self.end()
            raise HandLost(work.name) from error
        except MemoryError as error:
            self.end()
            raise TooMuch(work.name) from error
        if self._used_bytes() > MOST_AT_REST_MB * MB:
            self.end()
        return done

    def end(self) -> None:
        """Kill the worker, if there is one."""
        pool, pid = self._pool, self.pid
        self._pool, self.pid = None, 0
        if pid:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if pool is not None:
            # A worker that never reported its pid cannot be killed, so it is not waited for.
            pool.shutdown(wait=bool(pid), cancel_futures=True)

    def _ready(self) -> None:
        """Start a worker if there is none or the last one has died."""
        if self.closed:
            raise HandLost("closed")
        if self._pool is not None:
            try:
                self._pool.submit(worker_pid).result(START_S)
            except (BrokenProcessPool, TimeoutError):
                self.end()
        if self._pool is None:
            # "spawn", since a forked copy would inherit locks, the camera and open games.
            apart = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(1, mp_context=apart, initializer=begin_worker)
            try:
                self.pid = self._pool.submit(worker_pid).result(START_S)
            except (BrokenProcessPool, TimeoutError) as error:
                self.end()
                raise HandLost("begin") from error

    def _awaited(self, coming: Future[T], work: Work, most_bytes: int) -> T:
        """Return the result of a call; kill the worker if it exceeds a limit."""
        until_s = time.monotonic() + work.seconds
        while not wait([coming], WATCH_S).done:
            if time.monotonic() > until_s:
                self.end()
                raise TooLong(work.name)
            if self._used_bytes() > most_bytes:
                self.end()
                raise TooMuch(work.name)
        return coming.result()

    def _used_bytes(self) -> int:
        with contextlib.suppress(OSError):
            pages = Path(f"/proc/{self.pid}/statm").read_text(encoding="ascii").split()[1]
            return int(pages) * os.sysconf("SC_PAGE_SIZE")
        return 0
