"""Tells every process of the hall which tables changed: by PostgreSQL's NOTIFY, or a plain call.

A notice only names what changed. A lost notice does no harm, since listeners reread everything
after each reconnect.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable, Iterable

from sqlalchemy import Connection, Engine, text

log = logging.getLogger(__name__)
CHANNEL = "snake_eye_hall"
TELL = text("SELECT pg_notify(:channel, told) FROM unnest(CAST(:tables AS text[])) AS told")
LOOK_S = 0.5
"""Seconds after which the listening thread checks again whether to stop."""
BACK_OFF_S = (0.2, 0.5, 1.0, 2.0)
Changed = Callable[[frozenset[str]], None]
"""Callback that gets the ids that changed; an empty set when anything may have changed."""


class Notices:
    """Announces changes to all processes of the hall; here within the one of an embedded store."""

    def __init__(self) -> None:
        self._listeners: list[Changed] = []

    def tell(self, line: Connection, tables: Iterable[str]) -> None:
        """Announce a transaction's changes from within it."""

    def committed(self, tables: Iterable[str]) -> None:
        """Announce the changes of a transaction after its commit."""
        if changed := frozenset(tables):
            self._call(changed)

    def listen(self, changed: Changed) -> None:
        """Call back on every change from now on."""
        self._listeners.append(changed)

    def close(self) -> None:
        """Stop calling back."""
        self._listeners.clear()

    def _call(self, changed: frozenset[str]) -> None:
        for listener in list(self._listeners):
            listener(changed)


class PostgresNotices(Notices):
    """Notices by LISTEN and NOTIFY; the listening connection is reopened whenever it is lost."""

    def __init__(self, engine: Engine) -> None:
        super().__init__()
        self._engine = engine
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def tell(self, line: Connection, tables: Iterable[str]) -> None:
        """Announce a transaction's changes from within it; PostgreSQL delivers them on commit."""
        if told := list(tables):
            line.execute(TELL, {"channel": CHANNEL, "tables": told})

    def committed(self, tables: Iterable[str]) -> None:
        """Do nothing: PostgreSQL delivers notices on commit."""

    def listen(self, changed: Changed) -> None:
        """Call back on every change from now on, and with an empty set after each connect."""
        super().listen(changed)
        if self._thread is None:
            self._thread = threading.Thread(target=self._listen, name="notices", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Stop calling back."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(LOOK_S * 4)

    def _listen(self) -> None:
        import psycopg

        address = self._engine.url.set(drivername="postgresql").render_as_string(False)
        tries = 0
        while not self._stop.is_set():
            with (
                contextlib.suppress(psycopg.Error),
                psycopg.connect(address, autocommit=True, connect_timeout=5) as line,
            ):
                line.execute(f"LISTEN {CHANNEL}")
                tries = 0
                self._call(frozenset())
                while not self._stop.is_set():
                    heard = line.notifies(timeout=LOOK_S, stop_after=1)
                    if changed := frozenset(notice.payload for notice in heard):
                        self._call(changed)
            if not self._stop.is_set():
                log.warning("the database does not answer; it is tried again")
                self._stop.wait(BACK_OFF_S[min(tries, len(BACK_OFF_S) - 1)])
                tries += 1


def notices_for(engine: Engine) -> Notices:
    """Return the notices for a database of this kind."""
    return PostgresNotices(engine) if engine.dialect.name == "postgresql" else Notices()
