"""Answers that every phone asks for at once: made and packed for the first, handed to others."""

from __future__ import annotations

import gzip
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")
PACKED_LEVEL = 5
MOST_PACKED = 48
"""Answers that stay packed: the table in a few languages, and the files of the page."""


class SharedAnswers:
    """What was answered since the last event; the next event makes it old."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._version: Hashable = None
        self._kept: dict[Hashable, str] = {}

    def answer(self, version: Hashable, what: Hashable, make: Callable[[], str]) -> str:
        """Return what was answered to ``what`` since the version is this one, or make it.

        Whoever asks meanwhile waits for the same one.
        """
        with self._lock:
            if version != self._version:
                self._version = version
                self._kept.clear()
            if what not in self._kept:
                self._kept[what] = make()
            return self._kept[what]


class Lately(Generic[T]):
    """The last answer, also for whoever asks the same shortly after it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._last: tuple[float, object, T] | None = None

    def answer(self, seconds: float, make: Callable[[], T], what: object = None) -> T:
        """Return what was answered to ``what`` so lately, or make it; nothing is not kept."""
        with self._lock:
            last = self._last
            if last is not None and last[1] == what and self._clock() - last[0] < seconds:
                return last[2]
            made = make()
            if made is not None:
                self._last = self._clock(), what, made
            return made


class Packer:
    """Packs answers for the way; what 50 phones fetch at once is packed once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[bytes, bytes] = OrderedDict()

    def packed(self, plain: bytes) -> bytes:
        """Return an answer packed; whoever asks for the same meanwhile waits for it."""
        with self._lock:
            if plain not in self._kept:
                self._kept[plain] = gzip.compress(plain, PACKED_LEVEL, mtime=0)
            self._kept.move_to_end(plain)
            while len(self._kept) > MOST_PACKED:
                self._kept.popitem(last=False)
            return self._kept[plain]
