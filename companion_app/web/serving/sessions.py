"""Phones that showed the PIN or the join code: kept in the home, listed, ended on the server.

The cookie holds only a number that nobody guesses; here stands what it is good for. Of the number
itself only the hash is kept, so that nobody becomes host by reading the file.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from companion_app.fitting import Form, fits, text
from companion_app.web.serving.page_file import PRIVATE
from companion_app.whole_file import write_whole
from engine.errors import EngineError
from engine.given import an_object, is_whole, read_json

log = logging.getLogger(__name__)
MOST_SESSIONS = 300
LARGEST_FILE = 1 << 20
MOST_SEATS, LATEST_S = 20, 1e12
LASTS_S = 31 * 86_400.0
"""As long as the cookie does."""
HANDLE = 12
"""So many letters of its hash name a session to the host."""


def _is_time(value: Any) -> bool:
    return isinstance(value, int | float) and abs(value) < LATEST_S


@dataclass(frozen=True)
class Session:
    """What a phone may do."""

    made_s: float
    seen_s: float
    device: str = ""
    """What kind of phone it says it is."""
    host: int = 0
    """The number of the PIN that was shown; 0 for none."""
    code: int = 0
    """The number of the join code that was shown; 0 for none."""
    seats: tuple[str, ...] = ()
    """The players that it speaks for."""


KEY = re.compile("[0-9a-f]{64}")
"""A session goes by the hash of its number."""
SESSION: dict[str, Form] = {
    "made_s": _is_time, "seen_s": _is_time, "device": text, "host": is_whole, "code": is_whole,
    "seats": lambda value: fits(value, [text]) and len(value) <= MOST_SEATS,
}  # fmt: skip


class Sessions:
    """All sessions, and the file they are kept in; without a path in memory alone."""

    def __init__(self, path: Path | None = None, clock: Callable[[], float] = time.time) -> None:
        self._path, self._clock = path, clock
        self._lock = threading.Lock()
        self._kept = self._read()

    def find(self, id_: str) -> Session | None:
        """Return a session by the number in a cookie."""
        with self._lock:
            found = self._kept.get(_hash(id_))
            if found is None or found.made_s < self._clock() - LASTS_S:
                return None
            found = replace(found, seen_s=self._clock())
            self._kept[_hash(id_)] = found
            return found

    def begin(self, session: Session) -> str:
        """Keep a new session; return the number for the cookie."""
        id_ = secrets.token_urlsafe(24)
        with self._lock:
            while len(self._kept) >= MOST_SESSIONS:
                del self._kept[min(self._kept, key=lambda one: self._kept[one].seen_s)]
            self._kept[_hash(id_)] = session
            self._write()
        return id_

    def fresh(self, device: str) -> Session:
        """Return a session that may nothing yet."""
        return Session(self._clock(), self._clock(), device)

    def end(self, id_: str) -> None:
        """End a session: its cookie is good for nothing any more."""
        with self._lock:
            if self._kept.pop(_hash(id_), None) is not None:
                self._write(ended=True)

    def end_by_handle(self, handle: str) -> bool:
        """End the session that the list names so; say whether there was one."""
        with self._lock:
            gone = [one for one in self._kept if one[:HANDLE] == handle]
            for one in gone:
                del self._kept[one]
            self._write(ended=True)
        return bool(gone)

    def end_others(self, id_: str) -> int:
        """End all sessions but one; return how many."""
        with self._lock:
            before = len(self._kept)
            self._kept = {key: one for key, one in self._kept.items() if key == _hash(id_)}
            self._write(ended=True)
            return before - len(self._kept)

    def free(self, seat: str) -> None:
        """Take a seat from every phone that holds it."""
        with self._lock:
            for key, one in self._kept.items():
                left = tuple(held for held in one.seats if held != seat)
                self._kept[key] = replace(one, seats=left)
            self._write(ended=True)

    def taken(self, code: int) -> dict[str, int]:
        """Return how many phones speak for each player, by the join code that is valid."""
        held = [one.seats for one in self.listed().values() if one.code == code]
        return dict(Counter(seat for seats in held for seat in seats))

    def listed(self) -> dict[str, Session]:
        """Return the sessions by the name that ends them, the latest first."""
        with self._lock:
            newest = sorted(self._kept.items(), key=lambda item: -item[1].seen_s)
            return {key[:HANDLE]: one for key, one in newest
                    if one.made_s >= self._clock() - LASTS_S}  # fmt: skip

    def _read(self) -> dict[str, Session]:
        try:
            return read_sessions(self._path) if self._path else {}
        except FileNotFoundError:
            return {}
        except (OSError, EngineError, ValueError) as error:
            log.error("the phones that had joined are forgotten: %s", error)
            return {}

    def _write(self, *, ended: bool = False) -> None:
        if self._path is None:
            return
        try:
            kept = {key: asdict(one) for key, one in self._kept.items()}
            write_whole(self._path, json.dumps(kept), PRIVATE)
        except OSError as error:
            # It holds until the next start; a full disk keeps nobody from hosting or leaving.
            log.error("sessions cannot be kept: %s", error.strerror)
            if ended:
                # A file that still has the ended one would let it in again at the next start.
                with suppress(OSError):
                    self._path.unlink(missing_ok=True)


def read_sessions(path: Path) -> dict[str, Session]:
    """Return the sessions in a file.

    Raises:
        ValueError: they are none that this program kept.
        EngineError: it is no JSON file.
        OSError: it cannot be read.
    """
    kept = an_object(read_json(path, LARGEST_FILE), path.name)
    if not all(KEY.fullmatch(key) and fits(one, SESSION) for key, one in kept.items()):
        raise ValueError(f"{path.name} holds something else than sessions")
    return {
        key: Session(**{name: one[name] for name in SESSION} | {"seats": tuple(one["seats"])})
        for key, one in kept.items()
    }


def handle_of(id_: str) -> str:
    """Return what the list calls the session of a cookie."""
    return _hash(id_)[:HANDLE]


def _hash(id_: str) -> str:
    return hashlib.sha256(id_.encode(errors="replace")).hexdigest()
