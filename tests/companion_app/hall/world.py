"""A hall and its tables for tests: a real broker, a real store, real journals and senders."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from companion_app.hall.line.broker import OwnBroker, answers
from companion_app.hall.line.joining import Request, admitted
from companion_app.hall.line.keys import HallKeys, hall_keys, key_to_text, public_to_text
from companion_app.hall.receiver import Receiver
from companion_app.hall.store.hall_store import HallStore
from companion_app.hall.table.journal import Journal
from companion_app.hall.table.membership import Membership, MembershipFiles
from companion_app.hall.table.sender import Sender
from companion_app.live.store import Store
from tests.browser.chromium import wait_until
from tests.companion_app.hall.cluster import free_port


def joined(store: HallStore, keys: HallKeys, name: str, port: int, since: int = 0) -> Membership:
    """Let a table in, as if it had asked over the page."""
    key = Ed25519PrivateKey.generate()
    asked = Request(public_to_text(key.public_key()), name, since, "n" * 16)
    answer = admitted(store, keys, asked, {"host": "127.0.0.1", "port": port})
    return Membership(
        "http://127.0.0.1",
        keys.id,
        public_to_text(keys.signing.public_key()),
        answer["table"],
        name,
        key_to_text(key),
        answer["authority"],
        answer["certificate"],
        "127.0.0.1",
        port,
        since,
    )


class TableOfHall:
    """A table with a store of its own, and a sender in a thread."""

    def __init__(self, home: Path, membership: Membership, **told: object) -> None:
        self.home, self.member, self._told = home, membership, told
        self.store = Store(home)
        self.journal = Journal(self.store.path)
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


class World:
    """A hall with its broker and one process."""

    def __init__(self, folder: Path, store: HallStore) -> None:
        self.folder, self.store = folder, store
        self.keys = hall_keys(store)
        self.broker = OwnBroker(folder / "broker", self.keys, free_port(), "127.0.0.1")
        self.start_broker()
        self.tables: list[TableOfHall] = []
        self.receiver = self.new_receiver()

    def start_broker(self) -> None:
        self.broker.keep_running()
        wait_until(lambda: answers(self.broker.address), 20)

    def new_receiver(self) -> Receiver:
        made = Receiver(self.store, self.keys, self.broker.address)
        made.start()
        wait_until(lambda: made.connected, 20)
        return made

    def table(self, name: str = "Table 1", since: int = 0, **told: object) -> TableOfHall:
        """Let a new table in."""
        member = joined(self.store, self.keys, name, self.broker.address.port, since)
        made = TableOfHall(self.folder / f"table{len(self.tables)}", member, **told)
        self.tables.append(made)
        return made

    def numbers(self, table: TableOfHall) -> list[int]:
        """Return what the hall has of a table."""
        return [number for number, _ in self.store.texts_after(table.id, 0, 10_000)]

    def close(self) -> None:
        for table in self.tables:
            table.close()
        self.receiver.close()
        self.broker.close()


@contextmanager
def hall(folder: Path, store: HallStore) -> Iterator[World]:
    """Return a hall that runs."""
    made = World(folder, store)
    try:
        yield made
    finally:
        made.close()
