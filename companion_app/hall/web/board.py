"""The tables as one audience sees them, and its listeners; JSON is written once for all of them.

Listeners to one table get its changes at once; listeners to the overview get the changes of a
second merged into one event, all at the same moment, so that one text serves them all.
"""

from __future__ import annotations

import json
import threading
import time
from asyncio import sleep
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

from companion_app.hall.tournaments import HEARTBEAT_S, HELLO, STILL_HERE
from companion_app.web.serving.streams import Bell

MERGED_S = 1.0
"""Seconds between two events for listeners to the overview, at least."""
EVERY = "*"
"""Stands for all tables; no table has it as its id."""
Doc = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Shown:
    """A table as it is shown."""

    serial: int
    """The board's number of the table's last change."""
    document: Doc
    text: str
    """The document as JSON."""

    @property
    def event(self) -> str:
        """The text for listeners to this table."""
        return f"id: {self.serial}\nevent: table\ndata: {self.text}\n\n"


@dataclass(frozen=True, slots=True)
class Merged:
    """All changes from one serial to another, as listeners to the overview get them."""

    known: int
    serial: int
    until_s: float
    """Until then, on the monotonic clock, it is given to all who know the same."""
    text: str


class Board:
    """All tables as they stand."""

    def __init__(self, clock: Callable[[], float] = time.time, merged_s: float = MERGED_S) -> None:
        self._clock, self._merged_s = clock, merged_s
        self._shown: dict[str, Shown] = {}
        self._serial = 0
        self._lock = threading.Lock()
        self._bells: dict[str, set[Bell]] = {}
        """By table, one for each of its listeners; under ``EVERY`` those of the overview."""
        self._closed = False
        self._merged = Merged(0, 0, 0.0, "")

    def close(self) -> None:
        """End all event streams."""
        self._closed = True
        with self._lock:
            for id_ in self._bells:
                self._ring(id_)

    def put(self, fresh: Mapping[str, Doc | None]) -> None:
        """Update tables; a table whose document is ``None`` is marked as gone."""
        with self._lock:
            for id_, document in fresh.items():
                before = self._shown.get(id_)
                if document is None:
                    if before is not None and not before.document.get("gone"):
                        self._put(id_, {"id": id_, "gone": True})
                elif before is None or before.document != document:
                    self._put(id_, document)
            self._ring(EVERY)

    def _put(self, id_: str, document: Doc) -> None:
        self._serial += 1
        # As ASCII: half a character in what one table sent must not break the feed of all.
        self._shown[id_] = Shown(self._serial, document, json.dumps(document))
        self._ring(id_)

    def _ring(self, id_: str) -> None:
        for bell in self._bells.get(id_, ()):
            bell.ring()

    def ids(self) -> set[str]:
        """Return every table that was ever shown here."""
        return set(self._shown)

    # --- looking ---------------------------------------------------------------------------

    @property
    def serial(self) -> int:
        """The number of the last change."""
        return self._serial

    def table(self, id_: str) -> Shown | None:
        """Return a table by its id or its name; ``None`` where there is none.

        Of several tables with one name, it is the first that is not away, or else the one that was
        there last.
        """
        found = self._shown.get(id_)
        if found is not None and not found.document.get("gone"):
            return found
        named = [one for one in list(self._shown.values()) if one.document.get("name") == id_]
        return max(named, key=lambda one: one.serial if one.document["away"] else inf, default=None)

    def tables(self) -> list[Shown]:
        """Return all tables, sorted by name."""
        shown = [one for one in list(self._shown.values()) if not one.document.get("gone")]
        return sorted(shown, key=lambda one: in_order(str(one.document["name"])))

    def whole(self) -> str:
        """Return all tables as JSON."""
        serial = self._serial
        tables = ", ".join(one.text for one in self.tables())
        return f'{{"serial": {serial}, "now_s": {self._clock():.1f}, "tables": [{tables}]}}'

    # --- listening -------------------------------------------------------------------------

    async def follow(
        self, asked: str, bell: Bell, heartbeat_s: float = HEARTBEAT_S
    ) -> AsyncGenerator[bytes, None]:
        """Yield one table as it stands, and again at once whenever it changes.

        A name leads to another table once that one has taken its place.
        """
        yield HELLO
        id_, known = "", 0
        try:
            while not self._closed:
                if (now := self._led_to(asked, id_)) != id_:
                    self._hang(bell, id_, now)
                    id_, known = now, 0
                shown = self._shown.get(id_)
                if shown is not None and shown.serial > known:
                    known = shown.serial
                    yield shown.event.encode()
                elif not await bell.wait(heartbeat_s):
                    yield STILL_HERE
        finally:
            self._hang(bell, id_)

    def _led_to(self, asked: str, before: str) -> str:
        """Return the table to follow: the one before, unless another has taken its place."""
        last = self._shown.get(before)
        if last is not None and last.document.get("away") is False:
            return before
        found = self.table(asked)
        return before if found is None else str(found.document["id"])

    def _hang(self, bell: Bell, old: str, new: str = "") -> None:
        """Let a bell ring for another table than before; for none where it is not named."""
        with self._lock:
            self._bells.get(old, set()).discard(bell)
            if new:
                self._bells.setdefault(new, set()).add(bell)

    async def changes(
        self, known: int, bell: Bell, heartbeat_s: float = HEARTBEAT_S
    ) -> AsyncGenerator[bytes, None]:
        """Yield what changed since serial ``known``, merged, at most once every ``merged_s``."""
        yield HELLO
        if known > self._serial:
            # A serial of another process, or of an earlier run of this one.
            known = 0
        self._hang(bell, "", EVERY)
        try:
            while not self._closed:
                if self._serial > known:
                    with self._lock:
                        merged = self._since(known)
                    known = merged.serial
                    yield merged.text.encode()
                    await sleep(self._rest_s())
                elif not await bell.wait(heartbeat_s):
                    yield STILL_HERE
        finally:
            self._hang(bell, EVERY)

    def _rest_s(self) -> float:
        """Return the seconds to the next moment at which all listeners get what changed."""
        if not self._merged_s:
            return 0.0
        rest_s = self._merged_s - time.monotonic() % self._merged_s
        # Who has just come waits for the moment after, so that nobody gets two within a second.
        return rest_s if rest_s > self._merged_s / 2 else rest_s + self._merged_s

    def _since(self, known: int) -> Merged:
        """Return what changed after a serial: one text for all who know the same."""
        now_s, last = time.monotonic(), self._merged
        if last.known != known or (last.serial != self._serial and now_s >= last.until_s):
            news = ", ".join(one.text for one in self._shown.values() if one.serial > known)
            text = f'id: {self._serial}\nevent: tables\ndata: {{"tables": [{news}]}}\n\n'
            self._merged = Merged(known, self._serial, now_s + self._merged_s / 2, text)
        return self._merged


def in_order(name: str) -> list[tuple[int, int, str]]:
    """Return a sort key that puts ``Table 10`` after ``Table 9``."""
    words = name.casefold().split()
    return [(0, int(word), "") if word.isdecimal() else (1, 0, word) for word in words]
