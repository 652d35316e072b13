"""The live line, over real sockets: in step, resumed, capped, and never in the loop's way."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from companion_app.eye.recorded import settled_on
from companion_app.line.hub import MISSED, MOST_WAITING, REMEMBERED, Hub
from companion_app.web.serving.streams import MOST_LISTENERS
from companion_app.web.serving.web_server import Server
from engine.game import Move
from engine.notation import read_layout
from engine.placement import Layout
from engine.record import move_to_json
from tests.companion_app.web.conftest import playthrough
from tests.kit.phones import Phone

PATIENCE_S = 10.0


@contextmanager
def serving(played, most_listeners: int = MOST_LISTENERS) -> Iterator[int]:
    server = Server(played.app, "127.0.0.1", 0, most_listeners=most_listeners)
    server.start()
    try:
        yield server.port
    finally:
        played.desk.hub.close()
        server.close()


def listening(played, count: int) -> None:
    for _ in range(200):
        if played.desk.hub.listening == count:
            return
        time.sleep(0.02)
    raise AssertionError(f"{played.desk.hub.listening} listen, not {count}")


def test_two_phones_hear_the_same_verdict_at_once(played, script):
    played.begin(script.record)
    with serving(played) as port:
        phones = [Phone(port), Phone(port)]
        listening(played, 2)

        began = time.monotonic()
        played.play(script.record, 1)
        heard = [phone.hear("verdict") for phone in phones]

        assert heard[0] == heard[1]
        assert heard[0]["legal"] is True
        assert time.monotonic() - began < 5
        for phone in phones:
            phone.close()


def test_phone_that_slept_hears_what_it_missed(played, script):
    played.begin(script.record)
    with serving(played) as port:
        phone = Phone(port)
        listening(played, 1)
        played.play(script.record, 1)
        phone.hear("verdict")
        phone.close()
        played.lay(script.record.moves[1])

        again = Phone(port, phone.last_id)

        assert again.hear("verdict")["n"] == 2
        again.close()


def test_phone_from_before_a_restart_is_told_to_fetch_everything(played):
    with serving(played) as port:
        phone = Phone(port, after=999)

        assert phone.hear("missed") == {"event": "missed"}
        phone.close()


def test_phone_too_many_is_told_to_try_again(played):
    with serving(played, most_listeners=1) as port:
        first = Phone(port)
        listening(played, 1)

        second = Phone(port)

        assert second.answer.status == 503
        assert int(second.answer.headers["Retry-After"]) > 0
        assert json.loads(second.answer.read())["error"]["code"] == "full-house"
        second.close()
        first.close()


def test_phone_that_asks_for_headers_alone_does_not_listen_for_ever(played):
    with serving(played) as port:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
        connection.request("HEAD", "/api/events")

        assert connection.getresponse().status == 200
        listening(played, 0)
        connection.close()


def test_silence_is_broken_by_an_event_that_the_page_can_hear(played, monkeypatch):
    monkeypatch.setattr("companion_app.web.views.events.HEARTBEAT_S", 0.01)
    with serving(played) as port:
        phone = Phone(port)

        assert phone.hear("beat") == {"event": "beat"}
        assert phone.last_id is None
        phone.close()


def test_slow_phone_never_holds_up_the_table():
    hub = Hub()
    slow = hub.listen(None)

    for number in range(10 * MOST_WAITING):
        hub.publish({"event": "state", "n": number})

    waiting = slow.take(0)
    assert len(waiting) <= MOST_WAITING + 1
    assert MISSED in waiting
    assert waiting[-1].body["n"] == 10 * MOST_WAITING - 1


def test_events_long_past_are_not_remembered():
    hub = Hub()
    for number in range(REMEMBERED + 10):
        hub.publish({"event": "state", "n": number})

    assert hub.listen(1).take(0) == [MISSED]
    assert [e.id for e in hub.listen(hub.version - 2).take(0)] == [hub.version - 1, hub.version]


@pytest.mark.parametrize("since", ["²", "9" * 5000, "-1", "x"])
def test_stream_after_what_is_no_number_begins_now(played, since):
    answer = played.guest().client.head("/api/events", query_string={"since": since})

    assert answer.status_code == 200


def test_fifty_phones_hear_within_300_ms(played, script):
    played.begin(script.record)
    with serving(played) as port:
        phones = [Phone(port) for _ in range(50)]
        listening(played, 50)
        heard: list[float] = []

        def wait(phone: Phone) -> None:
            phone.hear("turn")
            heard.append(time.monotonic())

        threads = [threading.Thread(target=wait, args=(phone,)) for phone in phones]
        for thread in threads:
            thread.start()
        played.desk.hub.publish({"event": "turn", "player": "red"})
        said = time.monotonic()
        for thread in threads:
            thread.join(PATIENCE_S)

        assert len(heard) == 50
        assert sorted(heard)[25] - said < 0.3
        for phone in phones:
            phone.close()


def another_tile(move: Move) -> dict[str, Any]:
    """Return what else the tile of a move might have been: turned, or of fewer cells."""
    if move.cells is None:
        return {"turns": ((move.turns or 0) + 1) % 4}
    return {"cells": [list(cell) for cell in move.cells[:-1]]}


@pytest.mark.parametrize("game", ["schlangennest_two_players", "snekagon_seven_turns"])
def test_every_phone_hears_of_a_correction_and_gets_another_table(played, game):
    record = playthrough(game)
    n = next(i for i, move in enumerate(record.moves, 1) if len(move.cells or "long") > 1)
    played.begin(record)
    played.play(record, n)
    before = played.guest().get("/api/state")
    drawn = played.guest().client.get("/api/table.svg").data
    told = {"correct": n, "move": another_tile(record.moves[n - 1])}
    with serving(played) as port:
        phones = [Phone(port), Phone(port)]
        listening(played, 2)

        assert played.host().post("/api/tell", told).status_code == 200

        for phone in phones:
            assert phone.hear("verdict")["n"] == n
            assert phone.last_id > before["version"]
            phone.close()
    after = played.guest().get("/api/state")
    assert after["version"] > before["version"]
    assert after["tiles"] != before["tiles"]
    assert played.guest().client.get("/api/table.svg").data != drawn


CHANGES: dict[str, tuple[str, dict[str, Any] | None]] = {
    "undo": ("/api/undo", None),
    "undo of so many": ("/api/undo", {"count": 2}),
    "correction": ("/api/tell", {"correct": 2, "move": {"tile": "red/tail"}}),
    "move": ("/api/tell", {"move": {"do": "place"}}),
    "end": ("/api/end", None),
}


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_changes_the_game_is_heard_by_every_phone(played, script, change):
    played.begin(script.record)
    played.play(script.record, 4)
    before = played.guest().get("/api/state")
    phones = [played.desk.hub.listen(None) for _ in range(2)]
    address, body = CHANGES[change]
    if change == "move":
        body = {"move": move_to_json(script.record.moves[4])}

    answer = played.host().post(address, body)

    assert answer.status_code == 200
    assert answer.get_json()["moves"] != before["moves"] or answer.get_json()["over"]
    heard = [[event.body["event"] for event in phone.take(0)] for phone in phones]
    assert heard[0] == heard[1] != []
    assert set(heard[0]) - {"score", "turn"}


def test_phone_hears_that_a_question_was_withdrawn(played, script):
    played.begin(script.record)
    old = read_layout("blue/curve@0,0 red/curve@1,0 blue/tail@0,1 red/tail@1,1")
    phone = played.desk.hub.listen(None)
    for table in (old, Layout()):
        played.desk.referee.state.touch()
        for _ in range(4):
            played.time_s += 1
            played.desk.referee.look(settled_on(table), played.time_s)

    assert "withdrawn" in [event.body["event"] for event in phone.take(0)]
    assert played.guest().get("/api/state")["questions"] == []
