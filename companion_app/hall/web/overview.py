"""A process's cache of all tables on one board; a change is read once for all listeners."""

from __future__ import annotations

import logging
import threading
import time

from companion_app.hall.errors import DatabaseError
from companion_app.hall.store.arbiter_store import open_alerts
from companion_app.hall.store.hall_store import AWAY_S, HallStore, Member, Standing
from companion_app.hall.tournaments import HEARTBEAT_S
from companion_app.hall.web.board import MERGED_S, Board, Doc
from companion_app.hall.web.hidden import hidden_names, without_hidden

log = logging.getLogger(__name__)
GATHER_S = 0.05
"""Seconds for which changes are collected before they are read together."""


class Overview:
    """All tables, kept up to date by the database's notices."""

    def __init__(self, store: HallStore, merged_s: float = MERGED_S) -> None:
        self._store = store
        self.board = Board(self._now_s, merged_s)
        self._hidden: frozenset[str] = frozenset()
        self._due: set[str] = set()
        self._all_due = False
        self._due_news = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self._keep_up, name="overview", daemon=True)

    def start(self) -> None:
        """Read all tables, then follow changes in the background."""
        self._store.notices.listen(self.hear)
        self.read(None)
        self._thread.start()

    def close(self) -> None:
        """End all event streams, and stop."""
        self._closed = True
        self.board.close()
        with self._due_news:
            self._due_news.notify_all()
        if self._thread.ident is not None:
            self._thread.join(5)

    def _now_s(self) -> float:
        return self._store.clock()

    # --- keeping up ------------------------------------------------------------------------

    def hear(self, tables: frozenset[str]) -> None:
        """Mark tables as changed; all of them where ``tables`` is empty."""
        with self._due_news:
            self._due |= tables
            self._all_due |= not tables
            self._due_news.notify()

    def _keep_up(self) -> None:
        looked_s = self._now_s()
        while not self._closed:
            with self._due_news:
                if not self._due and not self._all_due:
                    self._due_news.wait(HEARTBEAT_S / 2)
            time.sleep(GATHER_S)
            with self._due_news:
                due, all_due = self._due, self._all_due
                self._due, self._all_due = set(), False
            try:
                # A table that goes away causes no notice, so all are read every ``HEARTBEAT_S``.
                if all_due or self._now_s() - looked_s > HEARTBEAT_S:
                    looked_s = self._now_s()
                    self.read(None)
                elif due:
                    self.read(due)
            except DatabaseError as error:
                log.warning("%s", error)
                self.hear(frozenset())
                time.sleep(GATHER_S * 10)

    def read(self, among: set[str] | None) -> None:
        """Read tables from the store again; all of them where ``among`` is ``None``."""
        stood = {member.id: (member, standing) for member, standing in self._store.stood(among)}
        if among is None:
            self._hidden = hidden_names(self._store)
        calls: dict[str, list[str]] = {}
        for alert in open_alerts(self._store):
            calls.setdefault(alert.table, []).append(alert.kind)
        fresh: dict[str, Doc | None] = {
            id_: self._document(member, standing, calls.get(id_, []))
            for id_, (member, standing) in stood.items()
        }
        for id_ in self.board.ids() if among is None else among:
            fresh.setdefault(id_, None)
        self.board.put(fresh)

    def _document(self, member: Member, standing: Standing | None, calls: list[str]) -> Doc:
        document: Doc = {
            "id": member.id,
            "name": member.name,
            "version": 0,
            "number": 0,
            "key": "",
            "away": member.heard_s is None or self._now_s() - member.heard_s > AWAY_S,
            "camera": str(member.health.get("camera", ""))[:40],
            "calls": sorted(set(calls)),
        }
        if not member.by_https:
            # Joined under 1.0.0: it plays on, and sends what it keeps once it is updated.
            document |= {"update": True, "heard_s": member.heard_s}
        if standing is not None:
            document |= {
                "version": standing.version,
                "number": standing.number,
                "key": standing.game,
                **without_hidden(standing.document, self._hidden),
            }
        return document
