"""Caches for answers that all phones request at once: computed and compressed only once."""

from __future__ import annotations

import gzip
import threading
import time
from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import Generic, TypeVar

from companion_app.aside import Turn

T = TypeVar("T")
PACKED_LEVEL = 5
MOST_PACKED = 48
"""Compressed answers in the cache: the table in a few languages, and the files of the page."""


class SharedAnswers:
    """A cache of answers for one version of the state; another version clears it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._version: Hashable = None
        self._kept: dict[Hashable, str] = {}

    def answer(self, version: Hashable, what: Hashable, make: Callable[[], str]) -> str:
        """Return the cached answer to ``what`` for this version, or make and cache it.

        The lock is held while an answer is made, so concurrent callers wait and share it.
        """
        with self._lock:
            if version != self._version:
                self._version = version
                self._kept.clear()
            if what not in self._kept:
                self._kept[what] = make()
            return self._kept[what]


class Lately(Generic[T]):
    """A cache of the last answer, with a maximum age."""

    def __init__(self) -> None:
        self._lock = Turn()
        self._last: tuple[float, object, T] | None = None

    def answer(self, seconds: float, make: Callable[[], T], what: object = None) -> T:
        """Return the last answer if it is to ``what`` and younger than ``seconds``, or make one.

        ``None`` is never cached.
        """
        with self._lock.within():
            last = self._last
            if last is not None and last[1] == what and time.monotonic() - last[0] < seconds:
                return last[2]
            made = make()
            if made is not None:
                self._last = time.monotonic(), what, made
            return made


class Packer:
    """Compresses answers with gzip, with an LRU cache: what 50 phones fetch is compressed once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pack = lru_cache(MOST_PACKED)(
            lambda plain: gzip.compress(plain, PACKED_LEVEL, mtime=0)
        )

    def packed(self, plain: bytes) -> bytes:
        """Return an answer compressed; concurrent callers wait instead of compressing it too."""
        with self._lock:
            return self._pack(plain)
