"""How a request that waits lets others be computed meanwhile.

Python runs one thread at a time, so the page computes few requests at once: an event on its way to
a phone waits for each thread that computes. A request that waits for another process computes
nothing, and gives up its place.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_request = threading.local()


@contextmanager
def placed(leave: Callable[[], None]) -> Iterator[None]:
    """Compute a request in this thread; ``leave`` gives up its place, called once or more."""
    _request.leave = leave
    try:
        yield
    finally:
        _request.leave = None


def stand_aside() -> None:
    """Give up the place of this thread's request, if it has one, before it waits for a process."""
    leave: Callable[[], None] | None = getattr(_request, "leave", None)
    if leave is not None:
        leave()


class Turn:
    """A lock whose holder may wait for another process.

    A request that waits for it gives up its place, so that its holder can go on.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()

    @contextmanager
    def within(self, timeout_s: float = -1.0) -> Iterator[bool]:
        """Hold the lock; yield whether it was free in time."""
        is_held = self._lock.acquire(blocking=False)
        if not is_held:
            stand_aside()
            is_held = self._lock.acquire(timeout=timeout_s)
        try:
            yield is_held
        finally:
            if is_held:
                self._lock.release()
