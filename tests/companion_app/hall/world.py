"""A hall and its tables for tests: real https, a real store, real journals and senders."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from companion_app.games.kept import KeptGames
from companion_app.hall.line.joining import Request, admitted
from companion_app.hall.line.keys import HallKeys, hall_keys, key_to_text, public_to_text
from companion_app.hall.receiver import Receiver
from companion_app.hall.store.hall_store import HallStore
from companion_app.hall.table.membership import Membership, MembershipFiles
from companion_app.hall.table.sender import Sender
from companion_app.hall.tables_port import TablesPort
from companion_app.listening import listening
from companion_app.live.store import Store


def joined(store: HallStore, keys: HallKeys, name: str, port: int, since: int = 0) -> Membership:
    """Let a table in, as if it had asked over the page."""
    key = Ed25519PrivateKey.generate()
    asked = Request(public_to_text(key.public_key()), name, since, "n" * 16)
    answer = admitted(store, keys, asked, port)
    return Membership(
        "http://127.0.0.1",
        keys.id,
        public_to_text(keys.signing.public_key()),
        answer["table"],
        name,
        key_to_text(key),
        since,
        port,
        answer["fingerprint"],
    )


class TableOfHall:
    """A table with a store of its own, and a sender in a thread."""

    def __init__(self, home: Path, membership: Membership, **told: object) -> None:
        self.home, self.member, self._told = home, membership, told
        self.store = Store(home)
        self.journal = KeptGames(self.store.path)
        self.files = MembershipFiles(home)
        self.files.join(membership)
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def id(self) -> str:
        return self.member.table

    def send(self) -> Sender:
        """Begin a life of the sender."""
        self._stop = threading.Event()
        self.sender = Sender(self.member, self.files, self.journal, **self._told)  # type: ignore[arg-type]
        self.sender.start()
        self._thread = threading.Thread(target=self.sender.run, args=(self._stop,), daemon=True)
        self._thread.start()
        return self.sender

    def stop_sending(self) -> None:
        """End it."""
        if self._thread is not None:
            self._stop.set()
            self._thread.join(10)
            self.sender.close()
            self._thread = None

    def close(self) -> None:
        self.stop_sending()
        self.store.close()


class Door:
    """A receiver with its port, as each process of a hall has one."""

    def __init__(self, store: HallStore, keys: HallKeys, port: int | None = 0) -> None:
        self.receiver = Receiver(store, keys)
        self._port = TablesPort(self.receiver, keys, listening("127.0.0.1", port))
        self.port = self._port.port
        self.address = f"127.0.0.1:{self.port}"
        self.receiver.start()
        self._port.start()

    def close(self) -> None:
        self.receiver.close()
        self._port.close()


class World:
    """A hall with one door for its tables."""

    def __init__(self, folder: Path, store: HallStore) -> None:
        self.folder, self.store = folder, store
        self.keys = hall_keys(store)
        self.tables: list[TableOfHall] = []
        self.door = Door(store, self.keys)

    @property
    def receiver(self) -> Receiver:
        return self.door.receiver

    def open_again(self) -> None:
        """Open the door where it was, after it was closed."""
        self.door = Door(self.store, self.keys, self.door.port)

    def table(self, name: str = "Table 1", since: int = 0, **options: object) -> TableOfHall:
        """Let a new table in."""
        member = joined(self.store, self.keys, name, self.door.port, since)
        made = TableOfHall(self.folder / f"table{len(self.tables)}", member, **options)
        self.tables.append(made)
        return made

    def numbers(self, table: TableOfHall) -> list[int]:
        """Return what the hall has of a table."""
        return [number for number, _ in self.store.texts_after(table.id, 0, 10_000)]

    def close(self) -> None:
        for table in self.tables:
            table.close()
        self.door.close()


@contextmanager
def hall(folder: Path, store: HallStore) -> Iterator[World]:
    """Return a hall that runs."""
    made = World(folder, store)
    try:
        yield made
    finally:
        made.close()
