"""How all tables stand right now, in the memory of one process, and who listens to it.

What changed is read once for everybody and written as JSON once. Who follows one table hears of it
at once; the overview hears all changes of a second in one.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from companion_app.hall.errors import DatabaseError
from companion_app.hall.store.arbiter_store import open_alerts
from companion_app.hall.store.hall_store import AWAY_S, HallStore, Member, Standing
from companion_app.hall.web.hidden import hidden_names, without_hidden
from companion_app.line.hub import FullHouse

log = logging.getLogger(__name__)
MERGED_S = 1.0
"""The overview is told at most so often."""
GATHER_S = 0.02
"""Changes that come so close together are read in one go."""
HEARTBEAT_S = 10.0
MOST_LISTENERS = 1000
HELLO = "retry: 1500\n: hello\n\n"
STILL_HERE = ": still here\n\n"
Doc = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Shown:
    """A table as it is shown."""

    serial: int
    """When it changed, as this process counts."""
    document: Doc
    text: str
    """The document as JSON."""


class Overview:
    """All tables, kept up by the database's notices."""

    def __init__(
        self,
        store: HallStore,
        clock: Callable[[], float] = time.time,
        merged_s: float = MERGED_S,
        most_listeners: int = MOST_LISTENERS,
    ) -> None:
        self._store, self._clock, self._merged_s = store, clock, merged_s
        self._most = most_listeners
        self._shown: dict[str, Shown] = {}
        self._hidden: frozenset[str] = frozenset()
        self._serial = 0
        lock = threading.Lock()
        self._changed = threading.Condition(lock)
        self._lock = lock
        self._one_changed: dict[str, threading.Condition] = {}
        """By table, so that only those who follow it are woken."""
        self._due: set[str] = set()
        self._all_due = True
        self._due_news = threading.Condition()
        self._closed = False
        self.listening = 0
        self._merged: tuple[int, int, str] = (0, 0, "")
        self._thread = threading.Thread(target=self._keep_up, name="overview", daemon=True)

    def start(self) -> None:
        """Read everything, and then what changes."""
        self._store.notices.listen(self.hear)
        self.read(None)
        self._all_due = False
        self._thread.start()

    def close(self) -> None:
        """Send everybody away."""
        self._closed = True
        with self._lock:
            for news in (self._changed, *self._one_changed.values()):
                news.notify_all()
        with self._due_news:
            self._due_news.notify_all()
        if self._thread.ident is not None:
            self._thread.join(5)

    # --- keeping up ------------------------------------------------------------------------

    def hear(self, tables: frozenset[str]) -> None:
        """Hear that tables have changed; that any may have, where none is named."""
        with self._due_news:
            self._due |= tables
            self._all_due |= not tables
            self._due_news.notify()

    def _keep_up(self) -> None:
        looked_s = self._clock()
        while not self._closed:
            with self._due_news:
                if not self._due and not self._all_due:
                    self._due_news.wait(HEARTBEAT_S / 2)
            time.sleep(GATHER_S)
            with self._due_news:
                due, all_due = self._due, self._all_due
                self._due, self._all_due = set(), False
            try:
                # Who has gone away says nothing: that is looked at now and then.
                if all_due or self._clock() - looked_s > HEARTBEAT_S:
                    looked_s = self._clock()
                    self.read(None)
                elif due:
                    self.read(due)
            except DatabaseError as error:
                log.warning("%s", error)
                self.hear(frozenset())
                time.sleep(GATHER_S * 10)

    def read(self, among: set[str] | None) -> None:
        """Read tables again; all of them, where none are named."""
        members = {one.id: one for one in self._store.members(among)}
        standings = self._store.standings(among)
        if among is None:
            self._hidden = hidden_names(self._store)
        calls: dict[str, list[str]] = {}
        for alert in open_alerts(self._store):
            calls.setdefault(alert.table, []).append(alert.kind)
        fresh: dict[str, Doc | None] = {
            id_: self._document(one, standings.get(id_), calls.get(id_, []))
            for id_, one in members.items()
        }
        for id_ in self._shown.keys() if among is None else among:
            fresh.setdefault(id_, None)
        with self._changed:
            for id_, document in fresh.items():
                before = self._shown.get(id_)
                if document is None:
                    if before is not None and not before.document.get("gone"):
                        self._put(id_, {"id": id_, "gone": True})
                elif before is None or before.document != document:
                    self._put(id_, document)
            self._changed.notify_all()

    def _put(self, id_: str, document: Doc) -> None:
        self._serial += 1
        self._shown[id_] = Shown(self._serial, document, json.dumps(document, ensure_ascii=False))
        if id_ in self._one_changed:
            self._one_changed[id_].notify_all()

    def _document(self, member: Member, standing: Standing | None, calls: list[str]) -> Doc:
        document: Doc = {
            "id": member.id,
            "name": member.name,
            "version": 0,
            "number": 0,
            "key": "",
            "away": member.heard_s is None or self._clock() - member.heard_s > AWAY_S,
            "camera": str(member.health.get("camera", ""))[:40],
            "calls": sorted(set(calls)),
        }
        if standing is not None:
            document |= {
                "version": standing.version, "number": standing.number, "key": standing.game,
                **without_hidden(standing.document, self._hidden),
            }  # fmt: skip
        return document

    # --- looking ---------------------------------------------------------------------------

    @property
    def serial(self) -> int:
        """The number of the last change."""
        return self._serial

    def table(self, id_: str) -> Shown | None:
        """Return a table, by its id or its name."""
        found = self._shown.get(id_)
        if found is not None and not found.document.get("gone"):
            return found
        named = [one for one in list(self._shown.values()) if one.document.get("name") == id_]
        return named[0] if named else None

    def tables(self) -> list[Shown]:
        """Return all tables by name."""
        shown = [one for one in list(self._shown.values()) if not one.document.get("gone")]
        return sorted(shown, key=lambda one: in_order(str(one.document["name"])))

    def whole(self) -> str:
        """Return all tables as JSON."""
        serial = self._serial
        tables = ", ".join(one.text for one in self.tables())
        return f'{{"serial": {serial}, "now_s": {self._clock():.1f}, "tables": [{tables}]}}'

    # --- listening -------------------------------------------------------------------------

    def follow(self, id_: str, heartbeat_s: float = HEARTBEAT_S) -> Iterator[str]:
        """Yield one table whenever it changes, at once; it begins with how it stands.

        Raises:
            FullHouse: there is no room for one more.
        """
        self._enter()
        return self._follow(id_, heartbeat_s)

    def _follow(self, id_: str, heartbeat_s: float) -> Iterator[str]:
        try:
            yield HELLO
            known = 0
            while not self._closed:
                with self._lock:
                    news = self._one_changed.setdefault(id_, threading.Condition(self._lock))
                    if self._serial_of(id_) <= known:
                        news.wait(heartbeat_s)
                    shown = self._shown.get(id_)
                if shown is not None and shown.serial > known:
                    known = shown.serial
                    yield f"id: {known}\nevent: table\ndata: {shown.text}\n\n"
                else:
                    yield STILL_HERE
        finally:
            self._leave()

    def changes(self, known: int, heartbeat_s: float = HEARTBEAT_S) -> Iterator[str]:
        """Yield what changed since, all in one, at most once a second.

        Raises:
            FullHouse: there is no room for one more.
        """
        self._enter()
        return self._changes(known, heartbeat_s)

    def _changes(self, known: int, heartbeat_s: float) -> Iterator[str]:
        try:
            yield HELLO
            if known > self._serial:
                # A number of another process, or of an earlier life of this one.
                known = 0
            while not self._closed:
                with self._lock:
                    if self._serial <= known:
                        self._changed.wait(heartbeat_s)
                    if self._serial > known:
                        text, known = self._since(known), self._serial
                    else:
                        text = STILL_HERE
                yield text
                if text is not STILL_HERE:
                    time.sleep(self._merged_s)
        finally:
            self._leave()

    def _since(self, known: int) -> str:
        """Return what changed after a number; the same for all who know as much."""
        if self._merged[:2] != (known, self._serial):
            news = ", ".join(one.text for one in self._shown.values() if one.serial > known)
            text = f'id: {self._serial}\nevent: tables\ndata: {{"tables": [{news}]}}\n\n'
            self._merged = (known, self._serial, text)
        return self._merged[2]

    def _serial_of(self, id_: str) -> int:
        shown = self._shown.get(id_)
        return shown.serial if shown is not None else 0

    def listener(self, lines: Iterator[str]) -> Iterator[str]:
        """Return lines for one more who listens.

        Raises:
            FullHouse: there is no room for one more.
        """
        self._enter()
        return self._counted(lines)

    def _counted(self, lines: Iterator[str]) -> Iterator[str]:
        try:
            yield from lines
        finally:
            self._leave()

    def _enter(self) -> None:
        with self._changed:
            if self.listening >= self._most:
                raise FullHouse
            self.listening += 1

    def _leave(self) -> None:
        with self._changed:
            self.listening -= 1


def in_order(name: str) -> list[tuple[int, int, str]]:
    """Return what sorts ``Table 10`` after ``Table 9``."""
    words = name.casefold().split()
    return [(0, int(word), "") if word.isdecimal() else (1, 0, word) for word in words]
