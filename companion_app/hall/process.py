"""One process of a hall: connects store, receiver, keeper, page and the port for tables."""

from __future__ import annotations

import fcntl
import resource
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from companion_app.hall.errors import HallError
from companion_app.hall.keeper import Keeper, TableGames
from companion_app.hall.line.joining import code_of
from companion_app.hall.line.keys import hall_keys
from companion_app.hall.photos import Reader
from companion_app.hall.receiver import Receiver
from companion_app.hall.rounds_keeper import RoundsKeeper
from companion_app.hall.store.database import address_of, open_engine
from companion_app.hall.store.hall_store import HallStore
from companion_app.hall.store.processes import Processes
from companion_app.hall.tables_port import PORT, TablesPort
from companion_app.hall.tournaments import Tournaments
from companion_app.hall.web.app import create_hall_app
from companion_app.hall.web.hall import Hall, first_pin
from companion_app.hall.web.overview import Overview
from companion_app.listening import listening, reachable_host
from companion_app.web.serving.web_server import Server

PAGE_PORT = 8090
MOST_SHOWN = 60
"""Games cached in memory for people who look through them."""
MOST_LISTENERS, MOST_CONNECTIONS = 1000, 1400
"""Phones that listen, and a reserve for other requests."""
MOST_FILES = 16384
"""Files and connections that a process may have open; many shells allow 1,024."""
AT_ONCE = 8
"""Requests computed at once; more than at a table, since most of their time the database works."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The options that a process was started with."""

    folder: Path
    database: str | None = None
    host: str = "0.0.0.0"
    port: int | None = None
    tables_port: int | None = None


class HallProcess:
    """A process of a hall. Close it, or use ``with``."""

    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self._lock = _alone_with(asked.folder) if asked.database is None else None
        try:
            self.store = HallStore(open_engine(address_of(asked.database, asked.folder)))
        except BaseException:
            self._unlock()
            raise
        try:
            self._set_up()
        except BaseException:
            self.store.close()
            self._unlock()
            raise

    def _set_up(self) -> None:
        _allow_files(MOST_FILES)
        asked, store = self._asked, self.store
        self.keys = hall_keys(store)
        self.pin = first_pin(store)
        """The arbiters' PIN if this start created it, else ``None``."""
        # Separate caches: page threads draw games while the keeper's thread extends its own.
        games, shown = TableGames(store), TableGames(store, MOST_SHOWN)
        self.receiver = Receiver(store, self.keys, self._added)
        self.tournaments = Tournaments(store)
        rounds = RoundsKeeper(store, self.tournaments)
        self.tables = TablesPort(self.receiver, self.keys, self._listening())
        work = [rounds.look]
        if asked.database is not None:
            # One process alone is found where its tables joined, whatever its address is there.
            work += [Processes(store, asked.host, self.tables.port, self.receiver.know_doors).look]
        self.keeper = Keeper(store, games, also=work)
        self.overview = Overview(store)
        self.hall = Hall(store, self.keys, shown, self.overview, self.tournaments, self.tables.port)
        self._reader = Reader(store) if store.engine.dialect.name == "sqlite" else None
        """Reads photos where the store is embedded, and there are no other readers."""
        self._server = self._served()
        self.hall.address = f"http://{reachable_host(asked.host)}:{self._server.port}/"

    def __enter__(self) -> HallProcess:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def code(self) -> str:
        """The code by which tables join."""
        return code_of(self.store)

    @property
    def port(self) -> int:
        """The port of the page."""
        return self._server.port

    def start(self) -> None:
        """Start everything; the page answers when this returns."""
        self.tournaments.start()
        self.overview.start()
        self.keeper.start()
        self.receiver.start()
        if self._reader is not None:
            self._reader.start()
        self._server.start()
        self.tables.start()

    def wait(self) -> None:
        """Wait until the page ends; Ctrl-C gets through."""
        self._server.wait()

    def close(self) -> None:
        """Stop everything."""
        self.overview.close()
        self.tournaments.close()
        self._server.close()
        self.receiver.close()
        self.tables.close()
        self.keeper.close()
        if self._reader is not None:
            self._reader.close()
        self.store.close()
        self._unlock()

    def _unlock(self) -> None:
        if self._lock is not None:
            self._lock.close()

    def _listening(self) -> socket.socket:
        try:
            return listening(self._asked.host, self._asked.tables_port, PORT)
        except OSError as error:
            raise HallError(f"tables cannot send to this machine: {error.strerror}") from error

    def _added(self, games: Mapping[str, str]) -> None:
        self.keeper.added(games)

    def _served(self) -> Server:
        try:
            sock = listening(self._asked.host, self._asked.port, PAGE_PORT)
        except OSError as error:
            port = self._asked.port or PAGE_PORT
            raise HallError(f"port {port} cannot be used: {error.strerror}") from error
        return Server(
            create_hall_app(self.hall),
            sock=sock,
            most_connections=MOST_CONNECTIONS,
            most_listeners=MOST_LISTENERS,
            at_once=AT_ONCE,
        )


def _allow_files(count: int) -> None:
    """Raise the soft limit of open files, as far as the hard one allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = count if hard == resource.RLIM_INFINITY else min(count, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def _alone_with(folder: Path) -> IO[bytes]:
    """Lock a folder: changes of an embedded store are announced only within one process.

    Raises:
        HallError: another process holds the lock.
    """
    folder.mkdir(parents=True, exist_ok=True)
    handle = (folder / "hall.lock").open("ab")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        handle.close()
        raise HallError(
            "a hall runs here already; several processes of one hall need --database postgresql://…"
        ) from error
    return handle
