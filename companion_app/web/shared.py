"""Answers that every phone asks for at once: made for the first, handed to the others."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable


class SharedAnswers:
    """What was answered since the last event; the next event makes it old."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._version = -1
        self._kept: dict[Hashable, str] = {}

    def answer(self, version: int, what: Hashable, make: Callable[[], str]) -> str:
        """Return an answer of this version; whoever asks meanwhile waits for the same one.

        Args:
            version: the number of the newest event.
            what: everything else that the answer depends on.
            make: makes it.
        """  # fmt: skip
        with self._lock:
            if version != self._version:
                self._version = version
                self._kept.clear()
            if what not in self._kept:
                self._kept[what] = make()
            return self._kept[what]
