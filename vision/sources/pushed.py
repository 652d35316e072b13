"""Pictures handed in from outside, such as those that a phone sends to the page."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import numpy as np

from vision.core.types import Frame
from vision.sources.files import decoded

SILENCE_S = 1.0


class PushedSource:
    """Keeps the newest picture that somebody handed in; older ones are dropped unread."""

    live = True

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._start_s = clock()
        self._arrived = threading.Condition()
        self._newest: Frame | None = None
        self._closed = False

    def push(self, picture: bytes) -> bool:
        """Hand in a picture as a file's bytes; say whether it is one."""
        bgr = decoded(np.frombuffer(picture, np.uint8))
        if bgr is None:
            return False
        with self._arrived:
            self._newest = Frame(bgr, self._clock() - self._start_s)
            self._arrived.notify_all()
        return True

    def frames(self) -> Iterator[Frame | None]:
        """Yield the newest picture each time there is one; ``None`` after a second without."""
        while True:
            with self._arrived:
                if self._newest is None and not self._closed:
                    self._arrived.wait(SILENCE_S)
                frame, self._newest = self._newest, None
                if self._closed:
                    return
            yield frame

    def close(self) -> None:
        """Stop waiting for pictures."""
        with self._arrived:
            self._closed = True
            self._arrived.notify_all()
