"""The line between eye and page over a real socket, both ends in this process."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from multiprocessing.connection import Pipe
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import companion_app.web.views
from companion_app.eye.commands import Commands
from companion_app.eye.corrections import Corrections
from companion_app.eye.desk import Desk
from companion_app.eye.machine import MachineSeats
from companion_app.eye.reader import MOST_WAITING, CommandReader
from companion_app.games.play import play
from companion_app.line.commands import (
    CHANGES,
    WITHIN_S,
    EyeAway,
    EyeCommands,
    Still,
    brought,
    call_of,
    carry_out,
)
from companion_app.line.eye import Eye, EyeBrokenError
from companion_app.line.hub import Hub
from companion_app.line.standing import News
from companion_app.line.wire import MOST_BYTES, call, packed, receive, unpacked
from companion_app.live.errors import StoreFull, ToldError
from companion_app.live.explain import Row
from companion_app.live.questions import Question, QuestionShown, as_shown, question_to_json
from companion_app.live.store import Store
from companion_app.refusal import Refusal
from companion_app.seat.player import NoPlayer
from engine.record import record_to_json
from tests.browser.chromium import wait_until

PATIENCE_S = 20.0


class Line:
    """An eye that answers, and a page that asks it."""

    def __init__(self, folder: Path) -> None:
        self.path = str(folder / "line")
        self.store = Store(folder)
        self.desk = Desk(self.store)
        machine = MachineSeats(self.desk, NoPlayer())
        self.commands = Commands(self.desk, None, Corrections(folder / "corrections"), machine)
        self.reader = self.listening()
        self.hub = Hub()
        self.eye = Eye(self.path, self.hub, lambda: None)
        self.eye.start()
        self.eye.standing()

    def listening(self) -> CommandReader:
        """Return a reader that listens."""
        reader = CommandReader(self.path, self.commands, self.desk.hub)
        reader.start()
        return reader

    def close(self) -> None:
        self.eye.close()
        self.reader.close()
        self.desk.close()
        self.store.close()


@pytest.fixture
def line(tmp_path) -> Iterator[Line]:
    one = Line(tmp_path)
    yield one
    one.close()


def raising(error: Exception) -> Any:
    def answer() -> None:
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
    line.commands.end = raising(error)

    with pytest.raises(Refusal) as refused:
        line.eye.ask(EyeCommands.end)

    assert (refused.value.status, refused.value.code) == (status, code)
    assert refused.value.detail == ("" if code == "other-camera" else str(error))


def test_fault_of_the_eye_is_a_fault_and_logged_there(line, caplog):
    line.commands.end = raising(KeyError("n"))

    with pytest.raises(EyeBrokenError, match="end"):
        line.eye.ask(EyeCommands.end)

    assert "the page's command failed: end" in caplog.text


def test_answer_that_does_not_come_in_time_is_given_up_and_others_still_come(line, monkeypatch):
    go_on = threading.Event()
    line.commands.end = lambda: go_on.wait(PATIENCE_S)
    monkeypatch.setitem(WITHIN_S, "end", 0.05)

    with pytest.raises(EyeAway):
        line.eye.ask(EyeCommands.end)

    assert line.eye.ask(EyeCommands.wipe_pictures) == 0
    go_on.set()


def test_answer_brings_the_standing_that_it_led_to(line, script):
    said = record_to_json(script.record) | {"moves": []}
    line.eye.ask(EyeCommands.begin, said, {"blue": "Anna"}, {})

    standing = line.eye.standing()
    assert (standing.key, standing.seq) == (line.desk.match.key, line.desk.match.seq)
    assert play(line.store.lines(standing.key)).names == {"blue": "Anna"}, "the log says the rest"


def test_table_is_paused_as_soon_as_the_answer_says_so(line, script):
    line.eye.ask(EyeCommands.begin, record_to_json(script.record), {}, {})

    for on in (True, False, True):
        line.desk.say = lambda *_: None  # no news beside the answer
        line.eye.ask(EyeCommands.pause, on)
        assert line.eye.standing().paused is on


def told(events: list[Any]) -> list[int]:
    return [event["n"] for event in events if event["event"] == "turn"]


def test_events_come_in_order_and_a_page_that_comes_again_is_told_that_it_has_missed_some(line):
    phone = line.hub.listen(None)
    for number in range(20):
        line.desk.emit({"event": "turn", "n": number})
    wait_until(lambda: line.hub.version >= 21)
    line.reader.close()
    wait_until(lambda: not line.eye.is_there)

    line.desk.emit({"event": "turn", "n": 20})
    line.reader = line.listening()
    wait_until(lambda: line.eye.is_there)

    heard = [event.body for event in phone.take(0.0)]
    assert told(heard) == list(range(20))
    assert [body["event"] for body in heard[-2:]] == ["missed", "missed"], "lost, and back again"


def test_eye_never_waits_for_a_page_that_does_not_read(line):
    line.eye.close()
    with call(line.path) as silent:
        silent.send_bytes(packed(("limit_pictures", [None], True)))
        first = receive(silent, News, PATIENCE_S)
        wide = "x" * 10_000

        for number in range(3 * MOST_WAITING):
            line.desk.emit({"event": "turn", "state": wide, "n": number})

        heard: list[Any] = []
        while not told(heard) or told(heard)[-1] != 3 * MOST_WAITING - 1:
            heard += receive(silent, News, PATIENCE_S).events
    assert first.standing.key is None
    assert "missed" in [event["event"] for event in heard]
    assert len(heard) < 3 * MOST_WAITING


def test_page_that_has_gone_is_forgotten(line):
    wait_until(lambda: line.desk.hub.listening == 1)

    line.eye.close()

    wait_until(lambda: line.desk.hub.listening == 0)


def test_commands_while_nobody_answers_are_refused_at_once(line):
    line.reader.close()
    wait_until(lambda: not line.eye.is_there)

    with pytest.raises(EyeAway) as refused:
        line.eye.ask(EyeCommands.end)

    assert (refused.value.status, refused.value.retry_after_s) == (503, 2)


def test_command_to_a_desk_that_is_closed_is_refused_without_a_fault(line, caplog):
    line.desk.close()

    with pytest.raises(Refusal) as refused:
        line.eye.ask(EyeCommands.wipe_pictures)

    assert refused.value.code == "eye-away"
    assert "Traceback" not in caplog.text


# --- bytes ---


def test_picture_goes_over_as_it_is():
    still = Still(100, 256, 1.5, bytes(range(256)) * 300)
    assert brought("look", unpacked(packed(still), Any)) == still


def test_half_a_character_goes_over_as_a_question_mark():
    sent = packed(call_of(EyeCommands.rename, "key", "blue", name="a\ud800ö"))

    assert unpacked(sent, Any) == ["rename", ["key", "blue", "a?ö"]]


def test_number_beyond_all_bounds_is_refused(line):
    with pytest.raises(Refusal) as refused:
        line.eye.ask(EyeCommands.tell, {"answer": 10**30}, is_host=True)

    assert (refused.value.status, refused.value.code) == (400, "bad-request")


@pytest.mark.parametrize(
    "sent", [b"", b"\x80", b"\xc1", packed([]), packed(["end"]), packed({"end": []})]
)
def test_what_is_no_message_cuts_the_line(line, sent):
    with call(line.path) as wire:
        wire.send_bytes(sent)

        with pytest.raises(ConnectionError):
            receive(wire, Any, PATIENCE_S)


@pytest.mark.parametrize(
    ("name", "given"),
    [("dance", []), ("__init__", []), ("pause", []), ("pause", ["yes"]), ("end", [1])],
)
def test_what_is_no_command_is_refused(line, name, given):
    with pytest.raises(Refusal) as refused:
        carry_out(line.commands, name, given)

    assert (refused.value.status, refused.value.code) == (400, "bad-request")


def test_whatever_a_view_shows_at_once_brings_the_standing_with_its_answer():
    views = Path(companion_app.web.views.__file__).parent
    shown = {
        name
        for file in views.glob("*.py")
        for name in re.findall(r"\bdone\(\s*EyeCommands.(\w+)", file.read_text(encoding="utf-8"))
    }

    assert len(shown) > 8
    assert shown <= CHANGES


def test_message_beyond_all_bounds_cuts_the_line():
    here, there = Pipe()
    with here, there:
        os.write(there.fileno(), (MOST_BYTES + 1).to_bytes(4, "big"))

        with pytest.raises(OSError, match="bad message length"):
            receive(here, Any)


# --- what is said of the referee ---


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

    there = unpacked(packed(as_shown(asked, match)), QuestionShown)

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
    assert after.at > before.at
