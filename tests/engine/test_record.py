"""Records and tables: keys that nobody knows are named, and no value at all breaks the parsers."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import EngineError, RecordError
from engine.game import Start
from engine.games import GAMES
from engine.given import load_json
from engine.record import find_set, parse_counts, parse_record, parse_table
from engine.referee import referee_record, score_table
from engine.snakes import card

PLAYTHROUGHS = Path(__file__).parent.parent / "playthroughs"
NEST: dict[str, Any] = {
    "format": "snake-eye/record",
    "version": 1,
    "game": "schlangennest",
    "players": ["blue", "red"],
    "options": {},
    "setup": {"tiles": []},
    "next": "blue",
    "moves": [{"player": "blue", "do": "place", "tile": "blue/curve", "at": [0, 0], "turns": 0}],
}
SEEN: dict[str, Any] = {
    "format": "snake-eye/table",
    "version": 1,
    "file": None,
    "size": [640, 480],
    "game": None,
    "set": None,
    "clay": [],
    "aside": [{"tile": "back", "outline": [], "confidence": 0.5}],
    "tiles": [{"tile": "blue/curve", "at": [0, 0], "turns": 0, "confidence": 0.9, "outline": []}],
    "unsure": [{"tile": "red/curve", "at": [1, 0], "turns": 0, "guesses": [], "why": "glare"}],
    "splits": [],
    "quality": {"ok": True, "advice": [{"what": "dark", "text": "", "box": []}]},
}


def record(**changes: Any) -> dict[str, Any]:
    return deepcopy(NEST) | changes


def move(**changes: Any) -> dict[str, Any]:
    return record(moves=[NEST["moves"][0] | changes])


REFUSED = json.loads((Path(__file__).parent / "refusals.json").read_text("utf-8"))
UNKNOWN: dict[str, dict[str, Any]] = REFUSED["unknown keys of records"]


@pytest.mark.parametrize("said", UNKNOWN)
def test_a_key_that_is_not_known_is_refused_by_name(said):
    with pytest.raises(RecordError) as error:
        parse_record(UNKNOWN[said])
    assert str(error.value).startswith(said)


@pytest.mark.parametrize(
    ("part", "key"),
    [
        ("tiles", "tiel"),
        ("unsure", "gusses"),
        ("aside", "tiel"),
        ("splits", "way"),
        ("clay", "knid"),
        ("quality", "okay"),
    ],
)
def test_a_key_that_no_camera_writes_is_refused_by_name(part, key):
    table = deepcopy(SEEN)
    if part == "quality":
        table[part][key] = 1
    else:
        table[part] = [{key: 1}]

    with pytest.raises(RecordError, match=rf"{part}.*\.{key}: is not known here"):
        parse_table(GAMES["schlangennest"], find_set(GAMES["schlangennest"], None), table)


@pytest.mark.parametrize(
    "key", ["format", "version", "game", "set", "players", "options", "setup", "next", "moves"]
)
def test_null_is_no_value_of_a_record(key):
    with pytest.raises(RecordError, match=f"^{key}: .*null"):
        parse_record(record(**{key: None}))


@pytest.mark.parametrize("key", ["player", "do", "tile", "at", "turns"])
def test_null_is_no_value_of_a_move(key):
    with pytest.raises(RecordError, match=rf"^moves\[0\]\.{key}: .*null"):
        parse_record(move(**{key: None}))


def test_a_record_that_is_read_again_leaves_no_more_cards_in_memory():
    referee_record(parse_record(NEST))
    kept = card.cache_info().currsize
    referee_record(parse_record(NEST))

    assert card.cache_info().currsize == kept


@pytest.mark.parametrize("at", [[10**9, 0], [0, -(10**9)], [10_001, 0]])
def test_a_tile_off_every_table_is_refused(at):
    with pytest.raises(RecordError, match=r"moves\[0\]\.at: .* is too far away"):
        parse_record(move(at=at))


# --- any value at all


def whole_records() -> list[dict[str, Any]]:
    files = (json.loads(path.read_text("utf-8")) for path in sorted(PLAYTHROUGHS.glob("*.json")))
    games = [game for data in files for game in data.get("games", [data])]
    records = [game["record"] for game in games if "record" in game]
    return [found | {"moves": found["moves"][:6]} for found in records]


RECORDS = whole_records()
SHOWN: dict[str, dict[str, Any]] = {
    "schlangennest": {},
    "snekagon": {"tiles": [{"tile": "red/2", "cells": [[0, 0], [1, 0]]}]},
    "snekagon5g": {
        "tiles": [{"tile": "red/1", "cells": [[0, 0]], "board": 1}],
        "clay": [{"board": 1, "cell": [1, 0], "kind": "open", "opens": "NE"}],
    },
    "sssnake": {
        "tiles": [
            {"tile": "big/1", "at": [0, 0], "turns": 0, "field": 0},
            {"tile": "curve", "at": [2, 0], "turns": 0, "field": 0},
        ],
        "out": {"curve": 2},
    },
    "carnival": {
        "tiles": [
            {"tile": "house", "at": [0, 0], "turns": 0},
            {"tile": "yellow/straight", "at": [0, -1], "turns": 1},
        ],
        "tokens": {"yellow": 1},
    },
}
TABLES = [{"game": name, "table": deepcopy(SEEN) | table} for name, table in SHOWN.items()]
ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 5),
    st.integers(-(10**12), 10**12),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=4),
    st.sampled_from(["blue", "place", "pass", "blue/curve", "1", "x" * 50_000, "\u202e"]),
    st.recursive(
        st.none() | st.integers(0, 3),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
        ),
        max_leaves=6,
    ),
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    below = value.items() if isinstance(value, dict) else enumerate(value)
    found = [path]
    for key, one in below:
        found += places(one, (*path, key)) if isinstance(one, dict | list) else [(*path, key)]
    return found


def mutated(data: st.DataObject, value: Any) -> Any:
    """Return a value with one to three things in it changed, taken out or put in."""
    value = deepcopy(value)
    for _ in range(data.draw(st.integers(1, 3))):
        *way, last = data.draw(st.sampled_from(places(value)[1:] or [("game",)]))
        holder = value
        for key in way:
            holder = holder[key]
        what = data.draw(st.sampled_from(["change", "change", "take out", "put in"]))
        if what == "change":
            holder[last] = data.draw(ODD)
        elif what == "take out":
            del holder[last]
        elif isinstance(holder, dict):
            holder[data.draw(st.text(max_size=5))] = data.draw(ODD)
        else:
            holder.insert(last, data.draw(ODD))
    return value


@settings(max_examples=400)
@given(st.data())
def test_any_record_gets_an_answer_or_an_error_of_ours(data):
    broken = mutated(data, data.draw(st.sampled_from(RECORDS)))
    try:
        answer = referee_record(parse_record(load_json(json.dumps(broken))))
    except EngineError as error:
        assert len(str(error)) <= 520
        assert str(error).isprintable()
    else:
        assert len(answer["moves"]) == len(broken.get("moves", ()))


@settings(max_examples=300)
@given(st.data())
def test_any_table_gets_a_score_or_an_error_of_ours(data):
    whole = data.draw(st.sampled_from(TABLES))
    game = GAMES[whole["game"]]
    box = find_set(game, None)
    table = mutated(data, whole["table"])
    try:
        layout, read = parse_table(game, box, load_json(json.dumps(table)), more=game.facts.counts)
        counts = {key: parse_counts(read.get(key, {}), key) for key in game.facts.counts}
        players = (game.facts.player_names or ("a", "b"))[: game.facts.fewest_players]
        answer = score_table(game, box, Start(players, {}, layout, midgame=True, **counts))  # type: ignore[arg-type]
    except EngineError as error:
        assert len(str(error)) <= 520
        assert str(error).isprintable()
    else:
        assert set(answer["scores"]) == set(players)


@settings(max_examples=100)
@given(st.binary(max_size=40) | st.text(max_size=40))
def test_any_text_is_json_or_an_error_of_ours(text):
    try:
        load_json(text, "game.json")
    except RecordError as error:
        assert str(error).startswith("game.json: ")
