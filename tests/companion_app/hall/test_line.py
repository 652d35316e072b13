"""The line between table and hall, by a real Mosquitto as the hall sets it up."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from companion_app.games.entries import Line, written
from companion_app.hall.errors import BadMessageError
from companion_app.hall.line.broker import find_mosquitto
from companion_app.hall.line.keys import key_from_text, key_to_pem
from companion_app.hall.line.message import (
    LARGEST_PICTURE,
    batch_to_bytes,
    parse_batch,
    signed,
    to_bytes,
    topic_from,
    topic_to,
)
from companion_app.hall.line.mqtt import close_client, new_client
from companion_app.hall.receiver import AT_ONCE
from companion_app.hall.table.agreeing import compare
from tests.browser.chromium import wait_until
from tests.companion_app.hall.world import World
from tests.companion_app.hall.world import hall as new_hall


@pytest.fixture
def world(tmp_path, small_store):
    """Return a hall on SQLite."""
    if find_mosquitto() is None:
        pytest.skip("there is no Mosquitto here")
    with new_hall(tmp_path, small_store) as made:
        yield made


@pytest.fixture
def both_worlds(tmp_path, store):
    """Return a hall on each database in turn."""
    if find_mosquitto() is None:
        pytest.skip("there is no Mosquitto here")
    with new_hall(tmp_path, store) as made:
        yield made


def play(table, moves: int, game: str = "g1") -> None:
    for n in range(moves):
        table.store.append(game, "moves", {"n": n + 1, "moves": []})


class Stranger:
    """A client with a table's certificate that sends whatever it likes."""

    def __init__(self, member, patience_s: float = 20) -> None:
        self.heard: list[bytes] = []
        self._client = new_client(
            member.authority, member.certificate, key_to_pem(key_from_text(member.key))
        )
        self._client.on_message = lambda *heard: self.heard.append(heard[2].payload)
        self._client.connect(member.broker_host, member.broker_port)
        self._client.loop_start()
        wait_until(self._client.is_connected, patience_s)

    def send(self, topic: str, payload: bytes) -> None:
        self._client.publish(topic, payload, qos=1).wait_for_publish(5)

    def listen(self, topic: str) -> None:
        self._client.subscribe(topic, qos=1)

    def close(self) -> None:
        close_client(self._client)


@pytest.fixture
def stranger(world):
    made: list[Stranger] = []

    def new(member) -> Stranger:
        made.append(Stranger(member))
        return made[-1]

    yield new
    for one in made:
        one.close()


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


def test_what_was_not_acknowledged_is_sent_when_the_broker_is_back(world: World):
    table = world.table()
    table.send()
    play(table, 2)
    wait_until(lambda: world.numbers(table) == [1, 2])

    world.broker.close()
    play(table, 3)
    world.start_broker()

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
    second = world.new_receiver()
    tables = [world.table(f"Table {n}") for n in range(4)]
    for table in tables:
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
    from companion_app.hall.store.arbiter_store import decide, decisions_of

    obeyed: list[int] = []

    def obey(do: Mapping[str, Any], number: int):
        del do
        obeyed.append(number)
        return {"ok": True, "text": ""}

    table = world.table(obey=obey)
    table.send()
    decision = decide(world.store, table.id, "Ann", "overrule", {"overrule": 3})
    assert decision is not None
    wait_until(lambda: table.sender._greeted)
    for _ in range(3):
        world.receiver.tell(table.id, {"ruling": decision.ruling, "do": decision.body})

    wait_until(lambda: decisions_of(world.store)[0].answer == "done")
    wait_until(table.sender._heard.empty)
    assert len(obeyed) == 1


# --- tables made to harm ---


def test_table_cannot_write_in_the_name_of_another(world: World, stranger):
    victim, thief = world.table(), world.table("Table 2")
    line = written(Line(1, "g1", "moves", {"n": 1, "moves": []}, 0.0))
    key = key_from_text(thief.member.key)
    topic = topic_from(world.keys.id, victim.id, "journal")
    forged = signed(key, topic, batch_to_bytes("ask", 0, [line]))
    # Past the broker's rules, which would not even carry it.
    bad = stranger(thief.member)
    bad.send(topic, forged)
    refused = world.receiver.counts["refused"]
    world.receiver._heard(None, None, FakeMessage(topic, forged))

    assert world.receiver.counts["refused"] == refused + 1
    bad.send(topic_from(world.keys.id, thief.id, "journal"), good(world, thief, 1))
    wait_until(lambda: world.numbers(thief) == [1])
    assert world.numbers(victim) == []


def test_message_of_one_kind_is_no_good_as_another(world: World):
    table = world.table()
    message = good(world, table, 1)
    topic = topic_from(world.keys.id, table.id, "health")
    world.receiver._heard(None, None, FakeMessage(topic, message))

    assert world.receiver.counts["refused"] == 1


def test_replayed_and_reordered_messages_change_nothing(world: World, stranger):
    table = world.table()
    bad = stranger(table.member)
    topic = topic_from(world.keys.id, table.id, "journal")
    first, second, third = (good(world, table, n) for n in (1, 2, 3))
    for message in (third, first, first, second, first, third, second):
        bad.send(topic, message)

    wait_until(lambda: world.numbers(table) == [1, 2, 3])
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
        parse_batch("a" * 24, batch_to_bytes("ask", 0, [line]))


def test_garbage_of_a_table_is_thrown_away_and_the_line_stays_up(world: World):
    table = world.table()
    for kind in ("journal", "health", "picture", "answer", "ask"):
        topic = topic_from(world.keys.id, table.id, kind)
        for body in GARBAGE:
            world.receiver._allowance.clear()
            message = signed(key_from_text(table.member.key), topic, body)
            world.receiver._heard(None, None, FakeMessage(topic, message))
    table.send()
    play(table, 1)

    wait_until(lambda: world.numbers(table) == [1])
    assert world.receiver.counts["refused"] >= len(GARBAGE)


def test_answer_with_text_that_no_database_takes_does_not_end_the_line(both_worlds: World):
    from companion_app.hall.store.arbiter_store import decide, decisions_of

    world = both_worlds
    table, other = world.table(), world.table("Table 2")
    for text in ("half \ud800", "nothing \0"):
        decision = decide(world.store, table.id, "Ann", "end", {})
        assert decision is not None
        hand_over(world, table, "answer", {"answers": decision.ruling, "ok": False, "text": text})
    other.send()
    play(other, 1)

    wait_until(lambda: world.numbers(other) == [1])
    answers = [one.answer for one in decisions_of(world.store)]
    assert answers == ["refused: nothing  ", "refused: half  "]


def test_health_that_no_page_can_show_is_thrown_away(world: World):
    table = world.table()
    hand_over(world, table, "health", {"n": 1, "camera": "settled"})
    hand_over(world, table, "health", {"n": 2, "camera": "\ud800"})
    hand_over(world, table, "health", {"n": 3, "degrees": float("nan")})
    hand_over(world, table, "health", {"n": 4, "degrees": 10**400})

    wait_until(lambda: world.receiver.counts["refused"] == 3)
    wait_until(lambda: [one.health for one in world.store.members()] == [{"camera": "settled"}])


def test_flood_of_one_table_does_not_hold_up_another(world: World, stranger):
    loud, quiet = world.table(), world.table("Table 2")
    bad = stranger(loud.member)
    topic = topic_from(world.keys.id, loud.id, "journal")
    world.receiver._clock = lambda: 0.0
    for _ in range(int(AT_ONCE) + 100):
        bad.send(topic, good(world, loud, 1))
    quiet.send()
    play(quiet, 3)

    wait_until(lambda: world.numbers(quiet) == [1, 2, 3])
    wait_until(lambda: world.receiver.counts["refused"] >= 100)
    assert world.numbers(loud) == [1]


def test_table_that_was_sent_away_writes_nothing_and_is_let_in_by_nobody(world: World, stranger):
    table = world.table()
    table.send()
    play(table, 1)
    wait_until(lambda: world.numbers(table) == [1])
    world.store.revoke(table.id)
    play(table, 2)
    other = world.table("Table 2")
    other.send()
    play(other, 1)
    wait_until(lambda: world.numbers(other) == [1])
    assert world.numbers(table) == [1]

    world.broker.keep_running([table.id])
    table.stop_sending()
    wait_until(lambda: not _let_in(table.member), 20)
    assert _let_in(other.member)


def test_broker_lets_a_table_hear_itself_alone(world: World, stranger):
    one, two = world.table(), world.table("Table 2")
    nosy = stranger(one.member)
    for topic in (
        "#",
        topic_to(world.keys.id, two.id),
        topic_to(world.keys.id, one.id),
        topic_from(world.keys.id, two.id, "journal"),
    ):
        nosy.listen(topic)
    two.send()
    play(two, 3)
    wait_until(lambda: world.numbers(two) == [1, 2, 3])
    world.receiver.tell(one.id, {"ask": "x"})

    wait_until(lambda: nosy.heard)
    assert all(b'"ask": "x"' in message for message in nosy.heard)


def test_answer_that_the_hall_did_not_sign_moves_nothing(world: World):
    table = world.table()
    table.send()
    play(table, 2)
    wait_until(lambda: table.files.cursor().acked == 2)
    topic = topic_to(world.keys.id, table.id)
    forged = signed(key_from_text(table.member.key), topic, b'{"ask": "a", "acked": 99}')
    table.sender._heard.put(forged)
    play(table, 1)

    wait_until(lambda: world.numbers(table) == [1, 2, 3])
    assert table.files.cursor().acked <= 3


class FakeMessage:
    """A message as the broker's client hands it over."""

    def __init__(self, topic: str, payload: bytes) -> None:
        self.topic, self.payload = topic, payload


def hand_over(world: World, table, kind: str, body: dict[str, Any]) -> None:
    """Give the receiver a message that its table signed."""
    topic = topic_from(world.keys.id, table.id, kind)
    message = signed(key_from_text(table.member.key), topic, to_bytes(body))
    world.receiver._heard(None, None, FakeMessage(topic, message))


def good(world: World, table, number: int) -> bytes:
    line = written(Line(number, "g1", "moves", {"n": number, "moves": []}, 0.0))
    topic = topic_from(world.keys.id, table.id, "journal")
    body = batch_to_bytes(f"ask{number}", number - 1, [line])
    return signed(key_from_text(table.member.key), topic, body)


def _let_in(member) -> bool:
    try:
        one = Stranger(member, 1)
    except (OSError, AssertionError):
        return False
    one.close()
    return True
