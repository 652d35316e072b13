"""Reviews of games by the machine: computed one at a time in the background, then cached."""

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
"""Timeout in seconds: the review of a long game with several boards takes minutes on a small
computer."""


class LookedOver:
    """Requests reviews of games in a background thread."""

    def __init__(self, player: Callable[[], Player], kept: Callable[[], KeptLooks]) -> None:
        self._player, self._kept = player, kept
        self._lock = threading.Lock()
        self._at_work: tuple[str, int] | None = None
        self._failed: dict[tuple[str, int], Refusal] = {}
        self._last: tuple[tuple[str, int], Any] | None = None
        """The last review and its game, which a full disk may not have kept."""

    def known(self, key: str, record: Mapping[str, Any]) -> Any:
        """Return the cached review of a game; ``None`` where there is none."""
        return self._known(_mark(key, record))

    def all(self) -> Mapping[str, Any]:
        """Return all cached reviews, by the key of the game."""
        return self._kept().all()

    def of(self, key: str, record: Mapping[str, Any]) -> Any:
        """Return the review of a game; ``None`` while this one or another is being computed.

        Raises:
            Refusal: the review failed; asking again starts a new one.
        """
        mark = _mark(key, record)
        found = self._known(mark)
        if found is not None:
            return found
        with self._lock:
            if mark in self._failed:
                raise self._failed.pop(mark)
            if self._at_work is None:
                self._at_work = mark
                threading.Thread(target=self._do, args=(mark, record), daemon=True).start()
        return None

    def _known(self, mark: tuple[str, int]) -> Any:
        found, last = self._kept().of(*mark), self._last
        return last[1] if found is None and last is not None and last[0] == mark else found

    def _do(self, mark: tuple[str, int], record: Mapping[str, Any]) -> None:
        try:
            found = self._player().ask("look-over", {"record": record}, LONGEST_S)
        except Refusal as error:
            with self._lock:
                self._failed = {mark: error}
        else:
            self._kept().keep(*mark, found)
            self._last = mark, found
        finally:
            with self._lock:
                self._at_work = None


def _mark(key: str, record: Mapping[str, Any]) -> tuple[str, int]:
    """Return the cache key of a game: its key, and a checksum of its record."""
    return key, zlib.crc32(json.dumps(record, sort_keys=True).encode())
