"""The line between eye and page over a real socket, both ends in this process."""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from multiprocessing.connection import Client
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

import companion_app.web.views
from companion_app.eye.answering import MOST_WAITING, Answering
from companion_app.eye.commands import Commands
from companion_app.eye.corrections import Corrections
from companion_app.eye.desk import Desk
from companion_app.eye.machine import MachineSeats
from companion_app.games.play import play
from companion_app.line.ends import EyeAway
from companion_app.line.far import EyeBrokenError, FarEye
from companion_app.line.hub import Hub
from companion_app.line.wire import MOST_BYTES, Wire, WireCut, call, listen
from companion_app.live.errors import StoreFull, ToldError
from companion_app.live.explain import Row
from companion_app.live.questions import Question, QuestionShown, as_shown, question_to_json
from companion_app.live.store import Store
from companion_app.refusal import Refusal
from companion_app.seat.player import NoPlayer
from engine.record import record_to_json
from tests.browser.chromium import wait_until
from tests.companion_app.web.conftest import playthrough

PATIENCE_S = 20.0


class Line:
    """An eye that answers, and a page that asks it."""

    def __init__(self, folder: Path) -> None:
        self.path = str(folder / "line")
        self.store = Store(folder)
        self.desk = Desk(self.store)
        machine = MachineSeats(self.desk, NoPlayer())
        self.commands = Commands(self.desk, None, Corrections(folder / "corrections"), machine)
        self.answering = Answering(self.path, self.commands, self.desk.hub)
        self.answering.start()
        self.hub = Hub()
        self.eye = FarEye(self.path, self.hub)
        self.eye.start()
        self.eye.standing()

    def answers(self, what: str, answer: Any) -> None:
        """Let the eye answer a question in its own way."""
        self.commands._waiting = {**self.commands._waiting, what: answer}

    def close(self) -> None:
        self.eye.close()
        self.answering.close()
        self.desk.close()
        self.store.close()


@pytest.fixture
def line(tmp_path) -> Iterator[Line]:
    one = Line(tmp_path)
    yield one
    one.close()


def raising(error: Exception) -> Any:
    def answer(*_: object) -> None:
        raise error

    return answer


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (ToldError("no"), 409, "cannot-be"),
        (StoreFull("no room"), 507, "not-kept"),
        (Refusal("why", code="not-your-seat", status=403), 403, "not-your-seat"),
        (Refusal(code="other-camera"), 400, "other-camera"),
    ],
)
def test_refusal_comes_over_with_its_status_code_and_reason(line, error, status, code):
    line.answers("end", raising(error))

    with pytest.raises(Refusal) as refused:
        line.eye.ask("end")

    assert (refused.value.status, refused.value.code) == (status, code)
    assert refused.value.detail == ("" if code == "other-camera" else str(error))


def test_fault_of_the_eye_is_a_fault_and_logged_there(line, caplog):
    line.answers("end", raising(KeyError("n")))

    with pytest.raises(EyeBrokenError):
        line.eye.ask("end")

    assert "the page's question failed: end" in caplog.text


def test_question_that_nobody_knows_is_refused(line):
    with pytest.raises(Refusal, match="nothing is called dance"):
        line.eye.ask("dance")


def test_answer_that_does_not_come_in_time_is_given_up_and_others_still_come(line):
    go_on = threading.Event()
    line.answers("end", lambda *_: go_on.wait(PATIENCE_S))

    with pytest.raises(EyeAway):
        line.eye.ask("end", within_s=0.05)

    assert line.eye.ask("wipe-pictures").body == 0
    go_on.set()


def test_answer_brings_the_standing_that_it_led_to(line, script):
    said = record_to_json(script.record) | {"moves": []}
    line.eye.ask("begin", {"record": said, "names": {"blue": "Anna"}})

    standing = line.eye.standing()
    assert standing.key == line.desk.match.key
    assert (standing.seq, standing.names) == (line.desk.match.seq, {"blue": "Anna"})


def test_table_is_paused_as_soon_as_the_answer_says_so(line, script):
    line.eye.ask("begin", {"record": record_to_json(script.record), "names": {}})

    for on in (True, False, True):
        line.desk.say = lambda *_: None  # no news beside the answer
        line.eye.ask("pause", {"on": on})
        assert line.eye.standing().paused is on


def test_whatever_a_view_shows_at_once_brings_the_standing_with_its_answer():
    views = Path(companion_app.web.views.__file__).parent
    shown = {
        name
        for file in views.glob("*.py")
        for name in re.findall(r'\bdone\(\s*"([a-z-]+)"', file.read_text(encoding="utf-8"))
    }

    assert len(shown) > 8
    assert shown <= Commands.CHANGES


def test_events_come_with_their_numbers_in_order_and_none_is_lost_by_a_cut(line):
    phone = line.hub.listen(None)
    for number in range(20):
        line.desk.emit({"event": "turn", "n": number})
    wait_until(lambda: line.hub.version >= 20)

    line.eye._wire.hang_up()
    for number in range(20, 40):
        line.desk.emit({"event": "turn", "n": number})
    wait_until(lambda: line.eye.is_there and line.hub.version >= 41)

    heard = [event.body for event in phone.take(0.0)]
    told = [body["n"] for body in heard if body["event"] == "turn"]
    assert told == list(range(40))
    assert sum(body["event"] == "missed" for body in heard) == 1, "the cut itself is told"


def test_eye_never_waits_for_a_page_that_does_not_read(line):
    line.eye.close()
    silent = call(line.path)
    silent.send({"life": None, "after": None})
    assert silent.receive()[0]["standing"]["key"] is None
    wide = "x" * 10_000

    for number in range(3 * MOST_WAITING):
        line.desk.emit({"event": "state", "state": wide, "n": number})

    said: list[Any] = []
    while not said or said[-1][1].get("n") != 3 * MOST_WAITING - 1:
        said += silent.receive()[0].get("events", [])
    silent.hang_up()
    silent.close()
    assert "missed" in [body["event"] for _, body in said]
    assert len(said) < 3 * MOST_WAITING


def test_page_that_comes_anew_takes_the_place_of_the_one_before(line):
    first = line.eye._wire
    other = call(line.path)
    other.send({"life": None, "after": None})

    said, _ = other.receive()

    assert said["standing"]["number"] > 0
    wait_until(lambda: line.eye._wire not in (first, None))
    assert line.eye.ask("wipe-pictures").body == 0, "it has called again"
    other.close()


def test_questions_while_nobody_answers_are_refused_at_once(line):
    line.answering.close()
    wait_until(lambda: not line.eye.is_there)

    with pytest.raises(EyeAway) as refused:
        line.eye.ask("end")

    assert (refused.value.status, refused.value.retry_after_s) == (503, 2)


# --- bytes ---


@pytest.fixture
def ends(tmp_path) -> Iterator[tuple[Wire, Any]]:
    with listen(str(tmp_path / "line")) as listener:
        other = Client(str(tmp_path / "line"), "AF_UNIX")
        wire = Wire(listener.accept())
        yield wire, other
        wire.close()
        other.close()


def test_picture_goes_over_as_it_is(ends):
    wire, other = ends
    picture = bytes(range(256)) * 1000
    there = Wire(other)
    sending = threading.Thread(target=there.send, args=({"a": "ö"}, picture))
    sending.start()

    assert wire.receive() == ({"a": "ö"}, picture)
    sending.join()


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"\0\0\0\1",
        b"\0\0\0\2{}"[:5],
        b"\0\0\0\2[]",
        b"\xff\xff\xff\xff{}",
        b"\0\0\0\1\x80",
        b"\0\0\0\2\x80\x05",
    ],
)
def test_what_is_no_message_cuts_the_line(ends, sent):
    wire, other = ends
    other.send_bytes(sent)

    with pytest.raises(WireCut):
        wire.receive()


def test_message_beyond_all_bounds_cuts_the_line(ends):
    wire, other = ends
    os.write(other.fileno(), (MOST_BYTES + 1).to_bytes(4, "big"))

    with pytest.raises(WireCut):
        wire.receive()


# --- what is said of the referee ---


@pytest.mark.parametrize(
    "name", ["schlangennest_two_players", "snekagon_tie", "sssnake_rolls", "carnival_evening"]
)
def test_announced_foul_is_the_same_at_the_other_end(played, script, name):
    record = script.record if name == "schlangennest_two_players" else playthrough(name)
    played.begin(record)
    played.play(record, 4)
    match = played.desk.match
    move, verdict = a_foul(match, record)
    seq = match.foul(move, verdict.violations, 1.0)

    there = play(played.store.lines(match.key)).pending
    assert there is not None
    assert (there.n, there.seq, there.move) == (match.next_n, seq, move)
    assert there.violations == verdict.violations


def a_foul(match: Any, record: Any) -> Any:
    """Return a move of the game that breaks a rule now."""
    for move in record.moves:
        verdict = match.game.judge(match.position, move)
        if not verdict.legal:
            return move, verdict
    raise AssertionError("every move is legal")


def test_question_is_asked_the_same_at_the_other_end(played, script):
    played.begin(script.record)
    match = played.desk.match
    row = Row((replace(script.record.moves[0], do="pass", player="red"),), None)
    asked = Question(
        3,
        "order",
        ("order", 1),
        (["blue/curve", 0.5],),
        (0, 1, 2),
        ((0, 1),),
        {"pass": row, "hidden": True},
    )

    sent = json.dumps(msgspec.to_builtins(as_shown(asked, match)))
    there = msgspec.convert(json.loads(sent), QuestionShown)

    assert there.question == question_to_json(asked, match)
    assert there.named == ("pass", "hidden")
    assert there.asked_of == there.concerns == ("red",)
    assert there.places == ((0, 1, 2),)


def test_standing_says_nothing_new_for_a_look(line):
    before = line.commands.standing()
    loop = SimpleNamespace(covered=frozenset(), unsure=frozenset(), looks=7)
    line.desk.feeder = SimpleNamespace(kind="none", name="", loop=loop, stop=lambda: None)

    after = line.commands.standing()

    assert (after.looks, after.mark) == (7, before.mark)
    assert after.number > before.number
