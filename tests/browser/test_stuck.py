"""A game that is stuck, in a real browser: what to do is said, and nothing is dropped unasked."""

from __future__ import annotations

from functools import partial

import pytest

from companion_app.eye.desk import Feeder
from companion_app.eye.recorded import settled_on
from engine.notation import read_layout
from engine.placement import Layout
from tests.browser.chromium import wait_until

pytestmark = pytest.mark.browser

OLD = read_layout("blue/curve@0,0 red/curve@1,0 blue/tail@0,1 red/tail@1,1")


def shown(served, table: Layout) -> None:
    served.desk.do(served.desk.referee.touch)
    for _ in range(8):
        served.time_s += 1
        served.desk.do(partial(served.desk.referee.look, settled_on(table), served.time_s))


def test_what_keeps_the_referee_from_a_verdict_stands_where_not_sure_yet_stood(served, script):
    served.begin(script.record)
    served.play(script.record, 3)
    served.desk.feeder = type("Camera", (Feeder,), {"kind": "camera"})()
    page = served.open("/")
    served.desk.emit({"event": "state", "state": "unsure", "t": 1.0})
    page.wait("document.querySelector('.seeing')?.innerText === 'Not sure yet'")

    why = {"what": "several-lifted", "spots": []}
    served.desk.emit({"event": "state", "state": "unsure", "t": 5.0, "why": why})
    page.wait("document.querySelector('.seeing').innerText.startsWith('Several tiles are missing')")

    served.desk.emit({"event": "state", "state": "hand", "t": 6.0})
    page.wait("document.querySelector('.seeing').innerText === 'A hand over the table'")


def test_question_that_the_table_has_moved_past_leaves_the_page(served, script):
    served.begin(script.record)
    page = served.open("/")
    shown(served, OLD)
    page.wait("document.querySelector('.question .headline')?.innerText === 'Who is next?'")

    shown(served, Layout())

    page.wait("!document.querySelector('.question')")


def test_answer_that_drops_moves_asks_first_and_undo_brings_them_back(served, script):
    served.begin(script.record)
    served.play(script.record, 6)
    page = served.open("/", host=True)
    shown(served, Layout(frozenset(sorted(served.desk.match.layout.cards)[2:])))
    page.wait("document.querySelectorAll('.question .answer').length === 2")

    page.js("document.querySelector('.question .answer').click()")
    page.wait("document.querySelector('dialog[open] .danger')")
    assert len(served.desk.match.accepted) == 6
    page.js("document.querySelector('dialog[open] .danger').click()")
    wait_until(lambda: served.desk.match.accepted == ())
    page.wait("document.querySelector('.moves summary')?.innerText === 'Moves: 0'")
    page.click(".tool", "Undo")

    page.wait("document.querySelector('.moves summary')?.innerText === 'Moves: 6'")
