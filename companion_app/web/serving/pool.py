"""The threads behind the page: as many as phones need right now, and a few spare ones.

Every listening phone parks a thread. The pool of the server under the page is of one size for
ever; this one grows when a phone would have to wait, and shrinks when phones have gone.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, cast

from waitress.task import ThreadedTaskDispatcher


class Pool(ThreadedTaskDispatcher):
    """Threads that come when they are needed and go when they are not."""

    def __init__(self, most: int, spare: int) -> None:
        super().__init__()
        self._most, self._spare = most, spare
        self._counting = threading.Lock()
        self._asked = 0
        """What phones have asked for that is not answered to its end."""
        self.set_thread_count(spare)

    def add_task(self, task: Any) -> None:
        """Hand on what a phone asked for, to a new thread where all others are busy."""
        asked = self._count(1)
        running = len(self.threads) - self.stop_count
        # Up to two shares of spare ones stay: taps come and go all the time.
        if asked > running or running > asked + 2 * self._spare:
            self.set_thread_count(min(self._most, asked + self._spare))
        super().add_task(cast(Any, _Counted(task, self._count)))

    def _count(self, by: int) -> int:
        with self._counting:
            self._asked += by
            return self._asked


class _Counted:
    """Something asked for, taken off the count when it is done."""

    def __init__(self, task: Any, count: Callable[[int], int]) -> None:
        self._task, self._count = task, count

    def service(self) -> None:
        """Answer the phone."""
        try:
            self._task.service()
        finally:
            self._count(-1)

    def cancel(self) -> None:
        """Give it up: the server goes down."""
        self._count(-1)
        self._task.cancel()
