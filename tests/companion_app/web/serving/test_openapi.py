"""The interface in writing: complete, and no request from it breaks the server."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion_app.web.serving.openapi import document, path_of
from companion_app.web.serving.routes import TABLE
from engine.games import GAMES

WORD = st.text(st.characters(codec="utf-8"), max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 400) | st.text(max_size=6) | st.floats(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)


READ = {path_of(route): route.takes for route in TABLE.values() if route.method == "GET"}
CHANGE = {path_of(route): route.takes for route in TABLE.values() if route.method == "POST"}


def test_every_address_of_the_interface_is_described():
    described = document()["paths"]
    assert {path_of(route) for route in TABLE.values() if "/api/" in route.address} <= set(
        described
    )


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    path=st.sampled_from([p for p in CHANGE if p not in ("/api/login", "/api/new")]), data=st.data()
)
def test_no_body_breaks_the_server(played, script, path, data):
    if played.desk.referee is None:
        played.begin(script.record)
    keys = list(CHANGE[path])
    body = data.draw(st.dictionaries(st.sampled_from(keys), JSON, max_size=4) if keys else JSON)
    host = played.host()
    played.time_s += 100

    answer = host.post(path, body)

    assert answer.status_code < 500, answer.get_json()
    if answer.status_code >= 400:
        assert answer.get_json()["error"]["text"]
    played.settings.change_pin("424242")
    played.settings.change(players_answer=True, open_to={}, names=())


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    path=st.sampled_from([p for p in READ if p != "/api/events" and "print" not in p]),
    words=st.lists(WORD, min_size=4, max_size=4),
)
def test_no_address_breaks_the_server(played, path, words):
    parts = iter(words)
    filled = re.sub(r"\{\w+\}", lambda _: quote(next(parts), safe="") or "x", path)
    query = dict.fromkeys(READ[path], words[-1])

    answer = played.guest().client.get(filled, query_string=query)

    assert answer.status_code < 500
    if answer.status_code >= 400:
        assert answer.get_json()["error"]["text"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"null",
        b'"text"',
        b"\xff\xfe",
        b"[" * 20_000,
        b'{"a":' * 20_000,
        b'{"%s": "\\ud83d"}',
        b'{"%s": {"\\udc00": ["x"]}}',
    ],
    ids=[
        "nothing",
        "half",
        "null",
        "text",
        "no-text",
        "deep-list",
        "deep-object",
        "half-a-letter",
        "half-a-letter-as-key",
    ],
)
def test_no_broken_body_breaks_the_server(played, body):
    host = played.host()
    sent = [(path, key) for path in sorted(CHANGE) for key in [*CHANGE[path], "x"]]
    for path, key in sent:
        played.time_s += 100
        answer = host.client.post(
            path,
            data=body.replace(b"%s", key.encode()),
            content_type="application/json",
            headers={"X-Snake-Eye": host.token},
        )
        if path == "/api/logout":
            host.be_host()

        assert answer.status_code < 500, (path, key)
        if answer.status_code >= 400:
            assert answer.get_json()["error"]["text"]


BEGINNINGS = st.fixed_dictionaries(
    {"game": st.sampled_from([*GAMES, "chess"])},
    optional={
        "players": st.lists(st.sampled_from(["blue", "red", "yellow", "green", "Anna"]), max_size=5)
        | JSON,
        "names": st.dictionaries(st.sampled_from(["blue", "red"]), JSON, max_size=2) | JSON,
        "options": st.dictionaries(
            st.sampled_from(sorted({o.name for g in GAMES.values() for o in g.facts.options})),
            JSON | st.sampled_from(["both", "easy", [5, 7], True, [[0, 0], [1, 1]]]),
            max_size=2,
        )
        | JSON,
        "set": JSON,
    },
)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(body=BEGINNINGS)
def test_no_beginning_breaks_the_server(played, body):
    played.time_s += 100

    answer = played.host().post("/api/new", body)

    assert answer.status_code < 500, answer.get_json()
    if answer.status_code >= 400:
        assert answer.get_json()["error"]["text"]
    else:
        assert answer.get_json()["game"] == body["game"]
