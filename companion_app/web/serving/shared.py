"""Answers that every phone asks for at once: made and packed for the first, handed to others."""

from __future__ import annotations

import gzip
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable

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
        """Return an answer of this version; whoever asks meanwhile waits for the same one.

        Args:
            version: another one whenever something has changed.
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
