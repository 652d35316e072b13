"""The line between table and hall: signed messages over https, as both ends speak it."""

from __future__ import annotations

import json
import socket
import ssl
import threading
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest

from companion_app.games.entries import Line, written
from companion_app.hall.errors import BadMessageError, NoAnswerError, RefusedError
from companion_app.hall.line.keys import key_from_text
from companion_app.hall.line.message import (
    KINDS,
    LARGEST_PICTURE,
    MOST_BYTES,
    from_bytes,
    from_table,
    opened,
    parse_batch,
    signed,
    to_bytes,
    to_table,
)
from companion_app.hall.line.pinned import PinnedLine
from companion_app.hall.receiver import AT_ONCE
from companion_app.hall.store.arbiter_store import decide, decisions_of
from companion_app.hall.table.agreeing import compare
from companion_app.hall.table.hall_line import AVOIDED_S, Doors, HallLine
from tests.browser.chromium import wait_until
from tests.companion_app.hall.world import Door, World
from tests.companion_app.hall.world import hall as new_hall

OK, MALFORMED, NO_MEMBER, NOT_THERE, TOO_LARGE, TOO_MANY = 200, 400, 403, 404, 413, 429


@pytest.fixture
def world(tmp_path, small_store):
    """Return a hall on SQLite."""
    with new_hall(tmp_path, small_store) as made:
        yield made


@pytest.fixture
def both_worlds(tmp_path, store):
    """Return a hall on each database in turn."""
    with new_hall(tmp_path, store) as made:
        yield made


def play(table, moves: int, game: str = "g1") -> None:
    for n in range(moves):
        table.store.append(game, "moves", {"n": n + 1, "moves": []})


def post(world: World, path: str, message: bytes) -> int:
    """Send bytes to the hall's port as anybody can; return the status."""
    with closing(PinnedLine(world.door.address, world.keys.fingerprint, 20)) as line:
        return line.post(path, message)[0]


def send(world: World, table, kind: str, body: bytes, by=None, to: str = "") -> int:
    """Send a body that a table has signed for a kind; return the status."""
    key = key_from_text((by or table).member.key)
    message = signed(key, from_table(world.keys.id, table.id, kind), body)
    return post(world, f"/table/{to or table.id}/{kind}", message)


def batch(number: int, after: int | None = None) -> bytes:
    line = written(Line(number, "g1", "moves", {"n": number, "moves": []}, 0.0))
    return lines(number - 1 if after is None else after, line)


def lines(after: Any, *texts: Any) -> bytes:
    return to_bytes({"ask": "a", "after": after, "lines": list(texts)})


def test_log_reaches_the_hall_line_by_line_and_a_command_proves_it(both_worlds: World):
    world = both_worlds
    table, other = world.table(), world.table("Table 2")
    play(table, 450)
    table.send(), other.send()
    play(other, 3)

    wait_until(lambda: world.numbers(table) == list(range(1, 451)), 30)
    wait_until(lambda: world.numbers(other) == [1, 2, 3], 30)

    agreed = compare(table.member, table.journal)
    assert (agreed.ok, agreed.lines) == (True, 450)
    wait_until(lambda: table.files.cursor().acked == 450)


def test_games_before_a_table_joined_stay_at_the_table(world: World):
    table = world.table(since=2)
    play(table, 2, "at-home")
    play(table, 2, "in-the-hall")
    table.send()

    wait_until(lambda: world.numbers(table) == [3, 4])
    assert world.store.games(table.id) == ["in-the-hall"]


def test_what_was_not_acknowledged_is_sent_when_the_hall_is_back(world: World):
    table = world.table()
    table.send()
    play(table, 2)
    wait_until(lambda: world.numbers(table) == [1, 2])

    world.door.close()
    play(table, 3)
    world.open_again()

    wait_until(lambda: world.numbers(table) == [1, 2, 3, 4, 5], 30)


def test_lines_of_a_table_that_was_off_come_in_its_next_life(world: World):
    table = world.table()
    table.send()
    play(table, 1)
    wait_until(lambda: table.files.cursor().acked == 1)
    table.stop_sending()
    play(table, 4)
    table.send()

    wait_until(lambda: world.numbers(table) == [1, 2, 3, 4, 5])
    assert table.files.cursor().life == 2


def test_hall_that_lost_its_newest_lines_gets_them_anew(world: World):
    from sqlalchemy import delete, update

    from companion_app.hall.store.schema import events, tables

    table = world.table()
    table.send()
    play(table, 5)
    wait_until(lambda: table.files.cursor().acked == 5)
    with world.store.writing() as change:
        change.line.execute(delete(events).where(events.c.number > 2))
        change.line.execute(update(tables).values(acked=2))
    play(table, 1)

    wait_until(lambda: world.numbers(table) == [1, 2, 3, 4, 5, 6])


def test_two_hall_processes_share_the_work_and_store_each_line_once(both_worlds: World):
    world = both_worlds
    second = Door(world.store, world.keys)
    both = (world.door.address, second.address)
    tables = [world.table(f"Table {n}") for n in range(4)]
    for table in tables:
        table.files.keep(replace(table.files.cursor(), doors=both))
        table.send()
    for _ in range(5):
        for table in tables:
            play(table, 4)

    whole = list(range(1, 21))
    wait_until(lambda: [world.numbers(table) for table in tables] == [whole] * 4, 30)
    second.close()


def test_foul_comes_with_its_pictures(world: World):
    table = world.table()
    jpeg = b"\xff\xd8\xff" + b"x" * 50_000
    table.store.append("g1", "foul", {"n": 1}, {"before": jpeg, "after": jpeg + b"2"})
    table.send()

    wait_until(lambda: world.store.picture(table.id, 1, "after") == jpeg + b"2")
    wait_until(lambda: table.files.cursor().pictured == 1)
    assert world.store.picture(table.id, 1, "before") == jpeg


def test_largest_pictures_of_a_foul_both_arrive(world: World):
    table = world.table()
    jpeg = b"\xff\xd8\xff".ljust(LARGEST_PICTURE, b"x")
    table.store.append("g1", "foul", {"n": 1}, {"before": jpeg, "after": jpeg})
    table.send()

    wait_until(lambda: table.files.cursor().pictured == 1)
    found = [world.store.picture(table.id, 1, name) for name in ("before", "after")]
    assert found == [jpeg, jpeg]


def test_ruling_is_obeyed_once_however_often_it_is_sent(world: World):
    obeyed: list[int] = []

    def obey(do: Mapping[str, Any], number: int):
        del do
        obeyed.append(number)
        return {"ok": True, "text": ""}

    table = world.table(obey=obey)
    table.send()
    decision = decide(world.store, table.id, "Ann", "overrule", {"overrule": 3})
    assert decision is not None
    again = {"rulings": [{"ruling": decision.ruling, "do": decision.body}]}
    for _ in range(3):
        table.sender._heard.put(again)

    wait_until(lambda: decisions_of(world.store)[0].answer == "done")
    wait_until(table.sender._heard.empty)
    assert len(obeyed) == 1


def test_table_that_waits_hears_of_a_ruling_from_whichever_process_it_comes(both_worlds: World):
    world, orders = both_worlds, []

    def obey(do: Mapping[str, Any], number: int):
        del number
        orders.append(do)
        return {"ok": True, "text": ""}

    table = world.table(obey=obey)
    table.send()
    wait_until(lambda: world.receiver._held)

    decide(world.store, table.id, "Ann", "lift", {"what": "lift"})

    wait_until(lambda: decisions_of(world.store)[0].answer == "done")
    assert orders == [{"what": "lift"}]


def test_ruling_whose_answer_was_lost_is_answered_the_next_time(world: World, monkeypatch):
    table = world.table(obey=lambda _do, _number: {"ok": True, "text": ""})
    line = HallLine(table.member, Doors(table.member), 30)
    decision = decide(world.store, table.id, "Ann", "lift", {})
    assert decision is not None
    wait = {"n": 1, "health": {}}

    (first,) = line.ask("wait", {**wait, "known": 0})["rulings"]
    monkeypatch.setattr("companion_app.hall.receiver.HOLD_S", 0.0)
    (again,) = line.ask("wait", {**wait, "known": decision.ruling})["rulings"]

    assert first["ruling"] == again["ruling"] == decision.ruling
    line.close()


def test_hundreds_of_tables_that_wait_take_no_thread_of_the_hall(world: World):
    tables = [world.table(f"Table {n}") for n in range(20)]
    before = threading.active_count()
    for table in tables:
        table.send()
    wait_until(lambda: len(world.receiver._held) == len(tables))

    # Each table has two threads of its own here; those of the hall look keys up.
    assert threading.active_count() < before + 2 * len(tables) + 8


def test_table_goes_to_another_process_where_one_does_not_answer(world: World):
    second = Door(world.store, world.keys)
    table = world.table()
    nobody = "127.0.0.1:9"
    table.files.keep(replace(table.files.cursor(), doors=(nobody, second.address)))
    world.door.close()
    table.send()
    play(table, 3)

    wait_until(lambda: world.numbers(table) == [1, 2, 3])
    second.close()


def test_table_tries_a_silent_process_again_later_and_more_rarely(world: World):
    now_s = 1000.0
    member = world.table().member
    doors = Doors(member, ["127.0.0.1:1", "127.0.0.1:2"], lambda: now_s)
    first = doors.best()
    doors.note_silence(first)
    other = doors.best()
    now_s += AVOIDED_S
    again = doors.best()
    doors.note_silence(first)
    now_s += AVOIDED_S
    still = doors.best()
    doors.note_answer(first)

    assert other != first
    assert (again, still, doors.best()) == (first, other, first)


def test_door_that_leads_nowhere_is_not_kept(world: World):
    table = world.table()
    table.send()
    good, bad = ["hall.local:8883", "[::1]:8883"], ["x", "x:99999", "x:y", "", 7, None]
    table.sender._heard.put({"doors": bad + good})

    wait_until(lambda: table.files.cursor().doors == tuple(good))


def test_tables_spread_over_the_processes(world: World):
    ports = [f"127.0.0.1:{port}" for port in (1, 2, 3)]
    member = world.table().member
    chosen = {Doors(replace(member, table=f"{n:024d}"), ports).best() for n in range(30)}

    assert chosen == {*ports}


# --- somebody else at the port ---


def test_nothing_is_sent_to_whoever_has_another_certificate(world: World, tmp_path):
    table = world.table()
    impostor = replace(table.member, fingerprint="0" * 64)
    line = HallLine(impostor, Doors(impostor))

    with pytest.raises(NoAnswerError, match="not this table's hall"):
        line.ask("lines", {"after": 0, "lines": []})
    line.close()
    assert not world.receiver.counts


def test_answer_that_the_hall_did_not_sign_moves_nothing(world: World):
    table = world.table()
    other = replace(table.member, hall_key=world.table("Table 2").member.hall_key[:-8] + "AAAAAAA=")
    line = HallLine(other, Doors(other))

    with pytest.raises(NoAnswerError, match="not the hall's"):
        line.ask("lines", {"after": 0, "lines": []})
    line.close()


def test_port_of_the_tables_speaks_nothing_but_new_tls_and_has_no_page(world: World):
    table = world.table()
    old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
    old.maximum_version = ssl.TLSVersion.TLSv1_2
    where = ("127.0.0.1", world.door.port)
    with socket.create_connection(where, 10) as sock, pytest.raises(OSError):
        old.wrap_socket(sock)
    with socket.create_connection(where, 10) as sock:
        sock.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert not sock.recv(100).startswith(b"HTTP")

    paths = ("/", "/api/hall", f"/table/{table.id}", f"/table/{table.id}/x", "/table/../lines")
    assert {post(world, path, b"x" * 100) for path in paths} == {NOT_THERE}


# --- tables made to harm ---


def test_table_cannot_write_in_the_name_of_another(world: World):
    victim, thief = world.table(), world.table("Table 2")

    assert send(world, victim, "lines", batch(1), by=thief) == NO_MEMBER
    assert send(world, thief, "lines", batch(1), to=victim.id) == NO_MEMBER
    assert send(world, thief, "lines", batch(1)) == OK
    assert (world.numbers(thief), world.numbers(victim)) == ([1], [])


def test_message_of_one_kind_is_no_good_as_another(world: World):
    table = world.table()
    key, purpose = key_from_text(table.member.key), from_table(world.keys.id, table.id, "lines")

    assert post(world, f"/table/{table.id}/marks", signed(key, purpose, batch(1))) == NO_MEMBER


def test_message_of_nobody_is_refused(world: World):
    assert post(world, f"/table/{'a' * 24}/lines", b"x" * 100) == NO_MEMBER


def test_replayed_and_reordered_messages_change_nothing(world: World):
    table = world.table()
    for number in (3, 1, 1, 2, 1, 3, 2):
        assert send(world, table, "lines", batch(number)) == OK

    assert world.numbers(table) == [1, 2, 3]
    assert [line.body["n"] for line in world.store.lines(table.id, "g1")] == [1, 2, 3]


GARBAGE = [
    b"",
    b"{",
    b"[]",
    b"\xff\xfe",
    b"[" * 100_000,
    b'{"ask": "a", "after": 0}',
    b'{"ask": "a", "after": -1, "lines": []}',
    b'{"ask": "a", "after": 1e400, "lines": []}',
    b'{"ask": "a", "after": true, "lines": []}',
    b'{"ask": "a/b", "after": 0, "lines": []}',
    b'{"ask": "a", "after": 0, "lines": ["x"]}',
    b'{"ask": "a", "after": 0, "lines": [7]}',
    json.dumps(
        {
            "ask": "a",
            "after": 0,
            "lines": [written(Line(1, "g'; DROP TABLE events; --", "moves", {}, 0.0))],
        }
    ).encode(),
    json.dumps(
        {
            "ask": "a",
            "after": 0,
            "lines": [
                written(Line(2, "g", "moves", {}, 0.0)),
                written(Line(1, "g", "moves", {}, 0.0)),
            ],
        }
    ).encode(),
    json.dumps(
        {"ask": "a", "after": 0, "lines": [written(Line(1, "g\0", "moves", {}, 0.0))]}
    ).encode(),
    json.dumps(
        {"ask": "a", "after": 0, "lines": [written(Line(1 << 60, "g", "moves", {}, 0.0))]}
    ).encode(),
]


@pytest.mark.parametrize("at_s", [float("nan"), float("inf"), -1.0, 1 << 60])
def test_line_without_a_time_is_refused(at_s):
    line = written(Line(1, "g1", "moves", {}, at_s))

    with pytest.raises(BadMessageError):
        parse_batch("a" * 24, lines(0, line))


def test_garbage_of_a_table_is_refused_and_the_line_stays_up(world: World, monkeypatch):
    monkeypatch.setattr("companion_app.hall.receiver.GATHER_S", 0.0)
    table = world.table()
    for kind in KINDS:
        for body in GARBAGE[1:]:
            world.receiver._allowance.clear()
            assert send(world, table, kind, body) in (MALFORMED, *[OK] * (kind == "marks"))
    assert send(world, table, "lines", b"") == NO_MEMBER
    assert send(world, table, "lines", b"x" * MOST_BYTES) == TOO_LARGE
    table.send()
    play(table, 1)

    wait_until(lambda: world.numbers(table) == [1])


def test_answer_with_text_that_no_database_takes_does_not_end_the_line(both_worlds: World):
    world = both_worlds
    table, other = world.table(), world.table("Table 2")
    for text in ("half \ud800", "nothing \0"):
        decision = decide(world.store, table.id, "Ann", "end", {})
        assert decision is not None
        answer = {"ask": "a", "answers": decision.ruling, "ok": False, "text": text}
        assert send(world, table, "answer", to_bytes(answer)) == OK
    assert send(world, other, "lines", batch(1)) == OK

    answers = [one.answer for one in decisions_of(world.store)]
    assert answers == ["refused: nothing  ", "refused: half  "]


def test_health_that_no_page_can_show_is_refused(world: World):
    table = world.table()
    odd = ({"camera": "\ud800"}, {"degrees": float("nan")}, {"degrees": 10**400}, {"x": "y" * 9999})
    for health in odd:
        wait = to_bytes({"ask": "a", "n": 1, "known": 0, "health": health})
        assert send(world, table, "wait", wait) == MALFORMED
    table.send()

    wait_until(lambda: [one.heard_s for one in world.store.members()] != [None])
    assert [one.health for one in world.store.members()] == [{}]


def test_flood_of_one_table_does_not_hold_up_another(world: World):
    loud, quiet = world.table(), world.table("Table 2")
    world.receiver._clock = lambda: 0.0
    key, purpose = key_from_text(loud.member.key), from_table(world.keys.id, loud.id, "lines")
    message, path = signed(key, purpose, batch(1)), f"/table/{loud.id}/lines"
    for _ in range(int(AT_ONCE) - 1):
        world.receiver.take(loud.id, "lines", message, lambda _status, _body: None)
    assert [post(world, path, message) for _ in range(3)] == [OK, TOO_MANY, TOO_MANY]
    quiet.send()
    play(quiet, 3)

    wait_until(lambda: world.numbers(quiet) == [1, 2, 3])
    assert world.numbers(loud) == [1]


def test_table_that_was_sent_away_writes_nothing_from_that_moment(both_worlds: World):
    world = both_worlds
    second = Door(world.store, world.keys)
    table, other = world.table(), world.table("Table 2")
    for number, door in enumerate((world.door, second), start=1):
        line = HallLine(replace(table.member, port=door.port), Doors(table.member, [door.address]))
        assert line.ask("lines", json.loads(batch(number)))["acked"] == number
        line.close()

    assert world.store.revoke(table.id)
    for door in (world.door, second):
        line = HallLine(table.member, Doors(table.member, [door.address]))
        with pytest.raises(RefusedError):
            line.ask("lines", json.loads(batch(3)))
        line.close()
    assert send(world, other, "lines", batch(1)) == OK
    assert world.numbers(table) == [1, 2]
    second.close()


def test_answers_are_for_one_table_and_one_question_alone(world: World):
    one, two = world.table(), world.table("Table 2")
    key, purpose = key_from_text(one.member.key), from_table(world.keys.id, one.id, "lines")
    with closing(PinnedLine(world.door.address, world.keys.fingerprint, 20)) as line:
        message = signed(key, purpose, batch(1))
        status, answer = line.post(f"/table/{one.id}/lines", message)
    hall_key = world.keys.signing.public_key()

    assert (status, from_bytes(opened(hall_key, to_table(world.keys.id, one.id), answer))) == (
        OK,
        {"ask": "a", "acked": 1},
    )
    with pytest.raises(BadMessageError):
        opened(hall_key, to_table(world.keys.id, two.id), answer)
