"""A lock that goes to whoever has waited for it."""

from __future__ import annotations

import threading


class Turns:
    """A lock whose holder may take it again, and who asks for it anew waits behind the others.

    A plain lock may be taken again by the thread that has just given it back, before one that
    waits wakes up: where the eye shares a core, a verdict would wait for some frames like that.
    """

    def __init__(self) -> None:
        self._first = threading.Lock()
        """Held by the thread that comes next."""
        self._taken = threading.Lock()
        self._holder = 0
        self._depth = 0

    def acquire(self, timeout: float = -1) -> bool:
        """Take it; say whether that was possible in so many seconds (for each of two waits)."""
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
        """Give it back."""
        if self._holder != threading.get_ident():
            raise RuntimeError("given back by somebody who does not hold it")
        self._depth -= 1
        if not self._depth:
            self._holder = 0
            self._taken.release()

    def __enter__(self) -> None:
        """Take it."""
        self.acquire()

    def __exit__(self, *_: object) -> None:
        """Give it back."""
        self.release()
