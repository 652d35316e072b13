"""A hall and its tables that were set up under 1.0.0, when they spoke through a broker."""

from __future__ import annotations

import json
import threading
from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import text

from companion_app.games.entries import read_line
from companion_app.games.kept import KeptGames
from companion_app.hall.errors import JoinError
from companion_app.hall.line.joining import Request, table_proof
from companion_app.hall.line.keys import HallKeys, id_of, key_to_text, public_to_text
from companion_app.hall.store.database import _engine, address_of, migrate
from companion_app.hall.table.membership import FILE, FOLDER, MembershipFiles, with_door
from companion_app.hall.table.sender import send_log
from companion_app.live.store import FILE as GAMES
from companion_app.live.store import Store
from tests.browser.chromium import wait_until
from tests.companion_app.hall.of_1_0_0 import make_hall_of_1_0_0
from tests.companion_app.hall.test_hall_page import HallOfTest, shown
from tests.kit.phones import Guest

HEARD_S = 1_700_000_000.0
LINES = 6
"""Lines in the log of the table, of which the hall has the first two."""


class Before:
    """A hall of 1.0.0 and one table that joined it, each in its folder."""

    def __init__(self, folder) -> None:
        self.folder, self.home = folder, folder / "table"
        self.keys = HallKeys(Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate(), "")
        self.key = Ed25519PrivateKey.generate()
        self.table = id_of(self.key.public_key())
        with Store(self.home) as store:
            self.lines = [
                store.append("g1", "moves", {"n": n, "moves": []}) for n in range(1, LINES + 1)
            ]
        journal = KeptGames(self.home / GAMES)
        self.texts = [line for _, line in journal.after(0, LINES, 1 << 20)]
        journal.close()
        self._hall()

    def _hall(self) -> None:
        engine = _engine(address_of(None, self.folder / "hall"))
        pair = [key_to_text(self.keys.signing), key_to_text(self.keys.serving)]
        rows = [
            {"t": self.table, "n": number, "l": line}
            for number, line in enumerate(self.texts[:2], start=1)
        ]
        with engine.begin() as line:
            make_hall_of_1_0_0(line)
            line.execute(text("INSERT INTO facts VALUES ('keys', :k)"), {"k": json.dumps(pair)})
            line.execute(
                text(
                    "INSERT INTO tables (id, public_key, name, joined_s, acked, heard_s) "
                    "VALUES (:t, :k, 'Table 1', 1.0, 2, :h)"
                ),
                {"t": self.table, "k": public_to_text(self.key.public_key()), "h": HEARD_S},
            )
            line.execute(text("INSERT INTO events VALUES (:t, 'g1', :n, 'moves', :l, 1.0)"), rows)
        engine.dispose()

    def opened(self) -> HallOfTest:
        """Take the hall over and open it; the table knows the address of its page."""
        migrate(address_of(None, self.folder / "hall"), self.folder / "hall")
        hall = HallOfTest(self.folder)
        (self.home / FOLDER).mkdir()
        membership = {
            "address": f"http://127.0.0.1:{hall.port}",
            "hall": self.keys.id,
            "hall_key": self.keys.public_text,
            "table": self.table,
            "name": "Table 1",
            "key": key_to_text(self.key),
            "authority": "-----BEGIN CERTIFICATE-----",
            "certificate": "-----BEGIN CERTIFICATE-----",
            "broker_host": "127.0.0.1",
            "broker_port": 8883,
            "since": 0,
        }
        (self.home / FOLDER / FILE).write_text(json.dumps(membership))
        cursor = {"acked": 2, "pictured": 0, "life": 3, "ruled": 1}
        (self.home / FOLDER / "cursor.json").write_text(json.dumps(cursor))
        return hall


@pytest.fixture
def before(tmp_path):
    return Before(tmp_path)


@pytest.fixture
def hall(before):
    made = before.opened()
    yield made
    made.close()


def test_hall_keeps_its_key_and_says_which_tables_need_an_update(before, hall):
    assert hall.process.keys.id == before.keys.id
    table = shown(Guest(hall.port))

    assert (table["id"], table["update"], table["heard_s"]) == (before.table, True, HEARD_S)


def test_table_sends_its_kept_lines_after_its_update_and_pins_the_certificate(before, hall):
    stop, guest = threading.Event(), Guest(hall.port)
    sending = threading.Thread(
        target=send_log, args=(before.home, lambda: {"camera": "settled"}, dict, stop)
    )
    sending.start()
    store = hall.process.store
    try:
        wait_until(lambda: len(store.texts_after(before.table, 0, 99)) == LINES)
        wait_until(lambda: "update" not in shown(guest))
    finally:
        stop.set()
        sending.join(20)

    assert [line for _, line in store.texts_after(before.table, 0, 99)] == before.texts
    assert read_line(before.texts[0]) == before.lines[0]
    files = MembershipFiles(before.home)
    member = files.membership()
    assert member is not None
    assert (member.fingerprint, member.port) == (
        hall.process.keys.fingerprint,
        hall.process.tables.port,
    )
    assert (files.cursor().ruled, files.cursor().life) == (1, 4)


def test_certificate_that_another_key_signed_is_not_pinned(before, hall):
    member = MembershipFiles(before.home).membership()
    assert member is not None
    assert member.fingerprint == ""
    stranger = replace(hall.process.keys, signing=Ed25519PrivateKey.generate())
    hall.process.hall.keys = stranger

    with pytest.raises(JoinError, match="by its own key"):
        with_door(member)


def test_table_of_1_0_0_that_wants_to_join_is_asked_for_its_update(before, hall):
    guest, key = Guest(hall.port), public_to_text(before.key.public_key())
    asked = Request(key, "Table 2", 0, "n" * 32)
    proof = table_proof(hall.process.code, before.keys.public_text, asked)
    sent = {"public_key": key, "name": "Table 2", "since": 0, "nonce": "n" * 32, "proof": proof}

    status, answer, _ = guest.ask("POST", "/api/hall/join", sent, headers={"Accept-Language": "de"})

    assert (status, json.loads(answer)["error"]["code"]) == (400, "table-too-old")
    assert "Aktualisiere zuerst" in json.loads(answer)["error"]["text"]
    assert len(hall.process.store.members()) == 1


def test_table_looks_again_where_to_send_when_the_hall_has_moved(before, hall, monkeypatch):
    monkeypatch.setattr("companion_app.hall.table.sender.LOST_S", 0.2)
    files = MembershipFiles(before.home)
    member = files.membership()
    assert member is not None
    files.renew(replace(with_door(member), port=9))

    send_log(before.home, dict, lambda _do, _number: {}, threading.Event())

    again = files.membership()
    assert again is not None
    assert again.port == hall.process.tables.port
