"""Limits how many requests a page computes at once, so that an event is not queued behind them.

Python runs one thread at a time. An event passes through three threads on its way to a phone, and
each of them waits for every thread that computes: with twenty requests computed at once, that is
sixty waits. A request that waits for another process gives up its slot until it can go on.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

AT_ONCE = 2
"""Slots of a page: while one request waits for the disk, another computes."""
PATIENCE_S = 1.0
"""Seconds after which a request goes on without a slot: one that blocks must not block all."""
App = Callable[[dict[str, Any], Any], Iterable[bytes]]
_here = threading.local()


class Slots:
    """A WSGI application that computes only a few answers of another one at once.

    A slot is held until the answer is there; it is not held while a phone reads the answer, nor by
    a stream.
    """

    def __init__(self, app: App, most: int = AT_ONCE, patience_s: float = PATIENCE_S) -> None:
        self._app, self._patience_s = app, patience_s
        self._free = threading.Semaphore(most)

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        """Answer a request."""
        self.take()
        try:
            return self._app(environ, start_response)
        finally:
            self.give_up()

    def take(self) -> None:
        """Wait for a slot; go on without one where none gets free in time."""
        _here.slots = self if self._free.acquire(timeout=self._patience_s) else None

    def give_up(self) -> None:
        """Free the slot of this thread, if it has one."""
        if _held() is self:
            _here.slots = None
            self._free.release()


@contextmanager
def waiting() -> Iterator[None]:
    """Give up this thread's slot, if it has one, while the block waits for another process."""
    held = _held()
    if held is None:
        yield
        return
    held.give_up()
    try:
        yield
    finally:
        held.take()


class SlotLock:
    """A lock for blocks that may wait for another process; a thread that waits for it has no slot.

    With a plain lock, threads that wait for it could hold all slots, and its holder would get none.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def acquire(self, timeout: float = -1.0) -> bool:
        """Acquire the lock; return whether it worked within the timeout, if one is given."""
        if self._lock.acquire(blocking=False):
            return True
        with waiting():
            return self._lock.acquire(timeout=timeout)

    def release(self) -> None:
        """Release the lock."""
        self._lock.release()

    def __enter__(self) -> None:
        """Acquire the lock."""
        self.acquire()

    def __exit__(self, *_: object) -> None:
        """Release the lock."""
        self.release()


def _held() -> Slots | None:
    held: Slots | None = getattr(_here, "slots", None)
    return held
