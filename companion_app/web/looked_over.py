"""Games looked over by the machine, one at a time, and kept for those who ask again."""

from __future__ import annotations

import json
import logging
import threading
import zlib
from collections.abc import Callable, Mapping
from typing import Any

from companion_app.kept_looks import KeptLooks
from companion_app.refusal import Refusal
from companion_app.seat.player import Player

log = logging.getLogger(__name__)
LONGEST_S = 900.0
"""A long game with several boards takes minutes on a small machine."""


class LookedOver:
    """Has games looked over in a thread of its own."""

    def __init__(self, player: Callable[[], Player], kept: Callable[[], KeptLooks]) -> None:
        self._player, self._kept = player, kept
        self._lock = threading.Lock()
        self._at_work: tuple[str, int] | None = None
        self._failed: dict[tuple[str, int], Refusal] = {}

    def known(self, key: str, record: Mapping[str, Any]) -> Any:
        """Return a game looked over before; ``None`` where it was not."""
        return self._kept().of(*_mark(key, record))

    def all(self) -> Mapping[str, Any]:
        """Return every game that was looked over before, by its key."""
        return self._kept().all()

    def of(self, key: str, record: Mapping[str, Any]) -> Any:
        """Return a game looked over; ``None`` while that is being done, or another one is.

        Raises:
            Refusal: it cannot be done; who asks again begins anew.
        """
        mark = _mark(key, record)
        found = self._kept().of(*mark)
        if found is not None:
            return found
        with self._lock:
            if mark in self._failed:
                raise self._failed.pop(mark)
            if self._at_work is None:
                self._at_work = mark
                threading.Thread(target=self._do, args=(mark, record), daemon=True).start()
        return None

    def _do(self, mark: tuple[str, int], record: Mapping[str, Any]) -> None:
        try:
            found = self._player().ask("look-over", {"record": record}, LONGEST_S)
        except Refusal as error:
            with self._lock:
                self._failed = {mark: error}
        else:
            self._kept().keep(*mark, found)
        finally:
            with self._lock:
                self._at_work = None


def _mark(key: str, record: Mapping[str, Any]) -> tuple[str, int]:
    """Return what tells a game from another, and from itself after one more move."""
    return key, zlib.crc32(json.dumps(record, sort_keys=True).encode())
