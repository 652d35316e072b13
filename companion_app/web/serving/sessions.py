"""Server-side sessions of phones that showed the PIN or the join code.

The cookie holds only a random session id; the rights are stored on the server. Only a hash of the
id is stored, so that reading the file makes nobody host.
"""

from __future__ import annotations

import hashlib
import json
import logging
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from companion_app.games.people import Sitting, shown
from companion_app.web.serving.page_file import PRIVATE, Text
from companion_app.whole_file import write_whole
from engine.errors import EngineError
from engine.given import read_json

log = logging.getLogger(__name__)
MOST_SESSIONS = 300
LARGEST_FILE = 1 << 20
MOST_SEATS, LATEST_S = 20, 1e12
LASTS_S = 31 * 86_400.0
"""Lifetime of a session and of its cookie, in seconds."""
Time = Annotated[float, Meta(gt=-LATEST_S, lt=LATEST_S)]
HANDLE = 12
"""Length of a session's handle: the first hex digits of its hash, shown to the host."""


@dataclass(frozen=True)
class Session:
    """The rights of one phone."""

    made_s: Time
    seen_s: Time
    device: Text = ""
    """The kind of device, from the browser's user agent."""
    host: int = 0
    """The number of the PIN that was shown; 0 for none."""
    code: int = 0
    """The number of the join code that was shown; 0 for none."""
    seats: Annotated[tuple[Text, ...], Meta(max_length=MOST_SEATS)] = ()
    """The players that the phone may act for, in the game where it sat down."""
    people: Annotated[tuple[Text, ...], Meta(max_length=MOST_SEATS)] = ()
    """The person in each of these seats; empty where nobody has said a name."""
    game: Text = ""
    """The key of that game; empty for seats of every game, as older versions kept them."""

    def at(self, sitting: Sitting) -> Session:
        """Return the session with its seats in the game that is on: a seat belongs to a person."""
        if not self.game or self.game == sitting.key or sitting.people is None:
            return self
        before = dict(zip(self.seats, self.people, strict=False))
        held = tuple(
            player
            for player, name in sitting.people.items()
            if (name in self.people if name else before.get(player) == "")
        )
        return self.seated(held, sitting)

    def seated(self, held: tuple[str, ...], sitting: Sitting) -> Session:
        """Return the session with exactly these seats in the game that is on."""
        people = tuple((sitting.people or {}).get(player, "") for player in held)
        return replace(self, seats=held, people=people, game=sitting.key)


Key = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
"""The key of a session: the SHA-256 hash of its id, in hex."""


class Sessions:
    """All sessions and the file that stores them; without a path they stay in memory only."""

    def __init__(self, path: Path | None = None, clock: Callable[[], float] = time.time) -> None:
        self._path, self._clock = path, clock
        self._lock = threading.Lock()
        self._kept = self._read()

    def find(self, id_: str) -> Session | None:
        """Return a session by the id in a cookie."""
        with self._lock:
            found = self._kept.get(_hash(id_))
            if found is None or found.made_s < self._clock() - LASTS_S:
                return None
            found = replace(found, seen_s=self._clock())
            self._kept[_hash(id_)] = found
            return found

    def begin(self, session: Session) -> str:
        """Store a new session; return its id for the cookie."""
        id_ = secrets.token_urlsafe(24)
        with self._lock:
            while len(self._kept) >= MOST_SESSIONS:
                del self._kept[min(self._kept, key=lambda one: self._kept[one].seen_s)]
            self._kept[_hash(id_)] = session
            self._write()
        return id_

    def fresh(self, device: str) -> Session:
        """Return a session without any rights."""
        return Session(self._clock(), self._clock(), device)

    def end(self, id_: str) -> None:
        """End a session, so that its cookie is no longer valid."""
        with self._lock:
            if self._kept.pop(_hash(id_), None) is not None:
                self._write(ended=True)

    def end_by_handle(self, handle: str) -> bool:
        """End the session with a handle; say whether there was one."""
        with self._lock:
            gone = [one for one in self._kept if one[:HANDLE] == handle]
            for one in gone:
                del self._kept[one]
            self._write(ended=True)
        return bool(gone)

    def end_others(self, id_: str) -> None:
        """End all sessions but one."""
        with self._lock:
            self._kept = {key: one for key, one in self._kept.items() if key == _hash(id_)}
            self._write(ended=True)

    def free(self, seat: str, sitting: Sitting) -> None:
        """Take a seat of the game that is on from every phone that holds it."""
        with self._lock:
            for key, one in self._kept.items():
                held = one.at(sitting).seats
                if seat in held:
                    left = tuple(other for other in held if other != seat)
                    self._kept[key] = one.seated(left, sitting)
            self._write(ended=True)

    def call(self, name: str, to: str) -> None:
        """Call a person otherwise who holds seats; without a new name the seats are nobody's."""
        with self._lock:
            for key, one in self._kept.items():
                people = tuple(shown(to) if who == shown(name) else who for who in one.people)
                self._kept[key] = replace(one, people=people)
            self._write()

    def call_player(self, game: str, player: str, name: str) -> None:
        """Say the name of a player of a game, whose seat then is this person's in every game."""
        with self._lock:
            for key, one in self._kept.items():
                if one.game == game and player in one.seats:
                    people = dict(zip(one.seats, one.people, strict=False)) | {player: shown(name)}
                    self._kept[key] = replace(one, people=tuple(people.values()))
            self._write()

    def taken(self, code: int, sitting: Sitting) -> dict[str, int]:
        """Return how many phones act for each player, among those with this join code."""
        held = [one.at(sitting).seats for one in self.listed().values() if one.code == code]
        return dict(Counter(seat for seats in held for seat in seats))

    def listed(self) -> dict[str, Session]:
        """Return the sessions by handle, the most recently seen first."""
        with self._lock:
            newest = sorted(self._kept.items(), key=lambda item: -item[1].seen_s)
            return {
                key[:HANDLE]: one for key, one in newest if one.made_s >= self._clock() - LASTS_S
            }

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
            # The session stays valid in memory until the next start, so that a full disk keeps
            # nobody from hosting or leaving.
            log.error("sessions cannot be kept: %s", error.strerror)
            if ended:
                # An old file would bring the ended session back at the next start.
                with suppress(OSError):
                    self._path.unlink(missing_ok=True)


def read_sessions(path: Path) -> dict[str, Session]:
    """Return the sessions in a file.

    Raises:
        ValueError: the file holds something else than sessions.
        EngineError: the file is not JSON.
        OSError: the file cannot be read.
    """
    return msgspec.convert(read_json(path, LARGEST_FILE), dict[Key, Session])


def handle_of(id_: str) -> str:
    """Return the handle of a session by its id."""
    return _hash(id_)[:HANDLE]


def _hash(id_: str) -> str:
    return hashlib.sha256(id_.encode(errors="replace")).hexdigest()
