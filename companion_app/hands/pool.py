"""A worker for the heavy work of guests, and a bounded queue to it; each limit has its refusal.

A worker is the standard library's ``ProcessPoolExecutor`` of one process, thrown away with it.
The larger pools were looked at and left: the standard one of several processes gives up all work
when one of them is killed, and ``pebble`` shares a lock between its workers, stands still for good
when an idle one is killed, and would be one more library to keep. Here nothing is shared, a
worker that overruns a limit is killed, and the next work gets a new one.
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

from companion_app.hands.errors import HandLost, HandsFull, OneAtATime, TooLong, TooMuch
from companion_app.hands.work import MB, WORKER_MB, Work, memory_bytes
from companion_app.hands.worker import begin_worker, do_work, worker_pid

T = TypeVar("T")
MOST_WAITING = 8
PATIENCE_S = 60.0
"""Whoever has waited so long for a worker is sent away: a phone would give up by itself."""
WATCH_S = 0.05
"""How often a worker's memory is looked at: it can touch some 50 MB in that time."""
START_S = 60.0
"""A worker has begun by then, also on a busy Pi."""
MOST_AT_REST_MB = 250
"""A worker that keeps more than that after its work is replaced: libraries hoard memory."""


class Hands:
    """One worker, begun when first needed: the other cores stay with the game. Close it."""

    def __init__(self, patience_s: float = PATIENCE_S) -> None:
        self._hand, self._patience_s = _Hand(), patience_s
        self._free = threading.Semaphore()
        self._lock = threading.Lock()
        self._taken = 0
        """Work that is waiting or being done."""
        self._guests: set[tuple[str, str]] = set()

    def __enter__(self) -> Hands:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def do(self, work: Work, call: Callable[..., T], *args: Any, whose: str = "") -> T:
        """Return what a call returns that a worker makes.

        Args:
            work: what kind it is, with its limits.
            call: a function that can be imported by its name.
            args: plain data for it.
            whose: the guest, where one may have only one of the kind done at a time.

        Raises:
            HandsError: it was not done; what the call itself raises comes through as it is.
        """
        with self._place(work, whose):
            if not self._free.acquire(timeout=self._patience_s):
                raise HandsFull(work.name)
            try:
                done: T = self._hand.do(work, call, args)
                return done
            finally:
                self._free.release()

    @property
    def pids(self) -> list[int]:
        """The number of the worker, while it runs."""
        return [self._hand.pid] if self._hand.pid else []

    @property
    def waiting(self) -> int:
        """How much waits for a worker."""
        return max(0, self._taken - 1)

    def close(self) -> None:
        """End the worker, whatever it does."""
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


class _Hand:
    """One worker; whoever holds it gives it one call at a time."""

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None
        self.pid = 0
        self.closed = False

    def do(self, work: Work, call: Callable[..., T], args: tuple[Any, ...]) -> T:
        self._ready()
        assert self._pool is not None
        memory = memory_bytes(work)
        try:
            coming = self._pool.submit(do_work, work.seconds, memory, call, args)
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
            # One that never told its number cannot be killed, and is not waited for.
            pool.shutdown(wait=bool(pid), cancel_futures=True)

    def _ready(self) -> None:
        """Begin a worker where there is none, or the last one is gone."""
        if self.closed:
            raise HandLost("closed")
        if self._pool is not None:
            try:
                self._pool.submit(worker_pid).result(START_S)
            except (BrokenProcessPool, TimeoutError):
                self.end()
        if self._pool is None:
            # A copy of this process would hold its locks, its camera and its games.
            apart = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(1, mp_context=apart, initializer=begin_worker)
            try:
                self.pid = self._pool.submit(worker_pid).result(START_S)
            except (BrokenProcessPool, TimeoutError) as error:
                self.end()
                raise HandLost("begin") from error

    def _awaited(self, coming: Future[T], work: Work, most_bytes: int) -> T:
        """Return the result of a call, or kill the worker at the first limit that it overruns."""
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
