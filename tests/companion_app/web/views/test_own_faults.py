"""What goes wrong in the program is never answered as a mistake of the guest."""

from __future__ import annotations

import re
from io import BytesIO
from itertools import cycle, product
from typing import Any

import pytest

from companion_app.live.places import Belief
from companion_app.live.settle import Settled
from companion_app.web.serving.routes import TABLE
from tests.companion_app.web.conftest import playthrough
from tests.companion_app.web.test_answers_undone import OLD, asked, shown
from vision.core.errors import ModelError, PictureError

ODD: tuple[Any, ...] = (
    None,
    True,
    False,
    -1,
    10**30,
    2.5,
    "",
    "blue",
    "ß" * 50,
    [],
    [[]],
    [{}],
    {},
    {"tile": []},
    {"tile": {}},
    {"tile": "blue/curve", "turns": []},
    {"tile": "blue/curve", "turns": 9},
    ["blue/curve", 1, "x"],
    [None, None, None],
    {"roll": []},
    {"value": {}, "tiles": 3},
    {"do": []},
    {"do": "place", "at": "x"},
    {"cells": [[0, 0]], "tile": []},
)
KINDS = ("roll", "pass", "discard", "finale", "overrule", "correct", "move")


@pytest.mark.parametrize("fault", [KeyError("n"), TypeError("of type"), IndexError(), ValueError()])
def test_fault_of_our_own_is_broken_and_logged(played, script, fault, caplog, monkeypatch):
    def fails(*_, **__):
        raise fault

    played.begin(script.record)
    monkeypatch.setattr(played.desk.referee, "tell", fails)

    answer = played.host().post("/api/tell", {"pass": True})

    assert answer.status_code == 500
    assert answer.get_json()["error"]["code"] == "broken"
    assert "a request failed: POST /api/tell" in caplog.text


def test_fault_of_our_own_in_any_view_is_broken_and_logged(played, caplog):
    def fails(*_, **__):
        raise fault

    host, app = played.host(), played.app
    walked = 0
    faults = cycle([KeyError("n"), RecursionError(), UnicodeError("x"), OSError(5)])
    for rule, fault in zip(app.url_map.iter_rules(), faults, strict=False):
        method = "POST" if "POST" in rule.methods else "GET"
        if TABLE[method, rule.rule].part.name == "page":
            continue
        app.view_functions[rule.endpoint] = lambda *_, **__: fails()
        path = re.sub("<int:[a-z]+>", "1", rule.rule)
        path = re.sub("<[a-z_]+>", "x", path)
        caplog.clear()
        played.time_s += 10
        answer = host.client.open(path, method=method, headers={"X-Snake-Eye": host.token}, json={})
        assert (answer.status_code, answer.get_json()["error"]["code"]) == (500, "broken"), path
        assert f"a request failed: {method} {path}" in caplog.text
        assert type(fault).__name__ in caplog.text
        walked += 1

    assert walked > 50


@pytest.mark.parametrize(("fault", "status"), [(ModelError("m"), 500), (PictureError("p"), 422)])
def test_photo_is_blamed_for_itself_only(played, fault, status, monkeypatch):
    def fails(*_, **__):
        raise fault

    monkeypatch.setattr(played.companion, "read_photo", fails)
    monkeypatch.setattr(played.companion.hands, "do", fails)
    guest = played.guest()

    answer = guest.client.post(
        "/api/photo-score",
        data={"game": "snekagon", "photo": (BytesIO(b"x"), "x.jpg")},
        headers={"X-Snake-Eye": guest.token},
    )

    assert answer.status_code == status


@pytest.mark.parametrize("game", ["schlangennest", "sssnake_rolls", "snekagon_tie"])
def test_whatever_is_told_is_taken_or_refused(played, script, game):
    record = script.record if game == "schlangennest" else playthrough(game)
    played.begin(record)
    played.play(record, 4)
    host = played.host()

    for kind, odd in product(KINDS, ODD):
        played.time_s += 10
        assert host.post("/api/tell", {kind: odd}).status_code in (200, 400, 409), (kind, odd)
    for odd, move in product((1, True, -1, "x", [], {}), ODD):
        played.time_s += 10
        told = {"correct": odd, "move": move}
        assert host.post("/api/tell", told).status_code in (200, 400, 409), told


@pytest.mark.parametrize("odd", ODD)
def test_whatever_is_answered_about_a_tile_is_taken_or_refused(played, script, odd):
    played.begin(script.record)
    doubt = Belief(((("blue/curve", 0), 0.5), (("red/curve", 1), 0.4)), sure=False, why="glare")
    shown(played, Settled(8, {}, {(0, 0, 0): doubt}))
    question = asked(played)

    answer = played.host().post("/api/tell", {"answer": question["id"], "value": odd})

    assert answer.status_code in (200, 400, 409)


@pytest.mark.parametrize("odd", ODD)
def test_whatever_is_answered_about_who_is_next_is_taken_or_refused(played, script, odd):
    played.begin(script.record)
    shown(played, OLD)

    answer = played.host().post("/api/tell", {"answer": asked(played)["id"], "value": odd})

    assert answer.status_code in (200, 400, 409)
