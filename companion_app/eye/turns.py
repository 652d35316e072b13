"""A reentrant lock that a waiting thread gets before the one that has just released it."""

from __future__ import annotations

import threading


class Turns:
    """A reentrant lock; a thread that releases it queues behind the waiting ones.

    A plain lock may be re-acquired by the thread that has just released it before a waiting thread
    wakes up: on a shared core, a verdict would then wait for some frames.
    """

    def __init__(self) -> None:
        self._first = threading.Lock()
        """Held by the thread that gets the lock next."""
        self._taken = threading.Lock()
        self._holder = 0
        self._depth = 0

    def acquire(self, timeout: float = -1) -> bool:
        """Acquire the lock; return whether it worked within the timeout (for each of two waits)."""
        me = threading.get_ident()
        if self._holder != me:
            if not self._first.acquire(timeout=timeout):
                return False
            try:
                if not self._taken.acquire(timeout=timeout):
                    return False
            finally:
                self._first.release()
            self._holder = me
        self._depth += 1
        return True

    def release(self) -> None:
        """Release the lock."""
        if self._holder != threading.get_ident():
            raise RuntimeError("given back by somebody who does not hold it")
        self._depth -= 1
        if not self._depth:
            self._holder = 0
            self._taken.release()

    def __enter__(self) -> None:
        """Acquire the lock."""
        self.acquire()

    def __exit__(self, *_: object) -> None:
        """Release the lock."""
        self.release()
