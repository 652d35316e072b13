"""Whether the camera's picture will do, asked of the hands once for all phones.

A picture is judged once, and not more often than a person can act on it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from companion_app.web.looking import Check

EVERY_S = 1.5
"""A picture is not judged more often than that."""


class Checker:
    """Has the newest picture judged, at most once in a while."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._last: tuple[float, object, Check] | None = None

    def check(self, asked: object, judge: Callable[[], Check | None]) -> Check | None:
        """Return what is to be said about a picture, or about one shortly before it.

        Args:
            asked: what the judgement depends on beside the picture.
            judge: takes and judges one; nothing where there is none.
        """
        with self._lock:
            last = self._last
            if last is not None and last[1] == asked and self._clock() - last[0] < EVERY_S:
                return last[2]
            check = judge()
            if check is not None:
                self._last = self._clock(), asked, check
        return check
