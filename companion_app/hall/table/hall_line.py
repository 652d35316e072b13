"""A table's line to its hall: every question is signed by the table, every answer by the hall.

A hall may have several processes. A table sends to one of them, as its id falls; where that one
does not answer, it goes to the next, and comes back later.
"""

from __future__ import annotations

import hashlib
import logging
import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

from companion_app.hall.errors import BadMessageError, NoAnswerError, RefusedError
from companion_app.hall.line.keys import public_from_text
from companion_app.hall.line.message import (
    from_bytes,
    from_table,
    opened,
    signed,
    to_bytes,
    to_table,
)
from companion_app.hall.line.pinned import PinnedLine
from companion_app.hall.table.membership import Membership, key_of

log = logging.getLogger(__name__)
ANSWER_S = 6.0
"""Seconds within which a hall answers what it need not wait for."""
AVOIDED_S, LONGEST_AVOIDED_S = 30.0, 3600.0
"""Seconds for which a process that did not answer is asked last: at first, and in the end."""
MOST_DOORS = 50
OK, BUSY = 200, (429, 503)


class Doors:
    """Where the processes of a hall take messages, and which of them did not answer of late."""

    def __init__(
        self,
        membership: Membership,
        doors: Iterable[str] = (),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._membership, self._clock = membership, clock
        self._avoided: dict[str, tuple[float, float]] = {}
        """By door, until when it is asked last, and for how long that was."""
        self._ordered: tuple[str, ...] = ()
        self.put(doors)

    def put(self, doors: Iterable[str]) -> None:
        """Replace what is known; tables spread over the processes by their ids."""
        known = sorted(doors, key=self._mark)
        self._ordered = (*known, *({self._membership.door} - {*known}))

    def best(self) -> str:
        """Return where to send now, as ``HOST:PORT``."""
        now_s = self._clock()
        return min(self._ordered, key=lambda door: max(self._avoided_until_s(door), now_s))

    def note_answer(self, door: str) -> None:
        """Take note that a process answers."""
        self._avoided.pop(door, None)

    def note_silence(self, door: str) -> None:
        """Ask others before this one for a while, longer each time."""
        now_s = self._clock()
        until_s, for_s = self._avoided.get(door, (0.0, AVOIDED_S / 2))
        if until_s <= now_s:
            for_s = min(2 * for_s, LONGEST_AVOIDED_S)
            self._avoided[door] = (now_s + for_s, for_s)

    def _avoided_until_s(self, door: str) -> float:
        return self._avoided.get(door, (0.0, 0.0))[0]

    def _mark(self, door: str) -> bytes:
        return hashlib.sha256(f"{self._membership.table} {door}".encode()).digest()


def is_door(text: object) -> bool:
    """Say whether a value is a ``HOST:PORT``."""
    try:
        parts = urlsplit(f"//{text}")
        return isinstance(text, str) and bool(parts.hostname and parts.port)
    except ValueError:
        return False


class HallLine:
    """Asks the hall one question at a time."""

    def __init__(self, membership: Membership, doors: Doors, answer_s: float = ANSWER_S) -> None:
        self._membership, self._doors, self._answer_s = membership, doors, answer_s
        self._key, self._hall_key = key_of(membership), public_from_text(membership.hall_key)
        self._door = ""
        self._line: PinnedLine | None = None

    def ask(self, kind: str, body: Mapping[str, Any], picture: bytes = b"") -> dict[str, Any]:
        """Send a message of a kind and return the hall's answer.

        Raises:
            NoAnswerError: nobody answers there; the next question goes to another process.
            RefusedError: the hall does not take this message.
        """
        hall, table, ask = self._membership.hall, self._membership.table, secrets.token_hex(8)
        content = to_bytes({**body, "ask": ask}) + (b"\n" + picture if picture else b"")
        message = signed(self._key, from_table(hall, table, kind), content)
        line = self._opened()
        try:
            status, answer = line.post(f"/table/{table}/{kind}", message)
            if status == OK:
                body = self._read(answer, ask)
                self._doors.note_answer(self._door)
                return body
            if status in BUSY:
                raise NoAnswerError(f"the hall has no room for a message now: {status}")
        except NoAnswerError:
            self._doors.note_silence(self._door)
            raise
        raise RefusedError(f"the hall does not take a message of this table: {status}")

    def _read(self, answer: bytes, ask: str) -> dict[str, Any]:
        try:
            body = from_bytes(opened(self._hall_key, self._purpose, answer))
        except BadMessageError as error:
            raise NoAnswerError(f"an answer that is not the hall's: {error}") from error
        if body.get("ask") != ask:
            raise NoAnswerError("an answer to another question")
        return body

    @property
    def _purpose(self) -> str:
        return to_table(self._membership.hall, self._membership.table)

    def _opened(self) -> PinnedLine:
        best = self._doors.best()
        if self._line is None or best != self._door:
            self.close()
            self._door = best
            self._line = PinnedLine(best, self._membership.fingerprint, self._answer_s)
        return self._line

    def close(self) -> None:
        """Close the line."""
        if self._line is not None:
            self._line.close()

    def hang_up(self) -> None:
        """End, from another thread, what waits for an answer."""
        if self._line is not None:
            self._line.hang_up()
