"""Games that version 0.1.0 kept are taken up by this one, and what is shared of them is a record.

The folder ``kept_by_0_1_0`` was written by the store of that version: every game, every kind of
line, and names with characters that it let through.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from companion_app.live.errors import StoreError
from companion_app.live.former_store import FORMER_FILE
from companion_app.live.match import Match
from companion_app.live.store import Store
from engine.given import load_json
from engine.record import parse_record, record_to_json

KEPT = Path(__file__).parent / "kept_by_0_1_0"
EXPECTED: dict[str, Any] = json.loads((KEPT / "expected.json").read_text(encoding="utf-8"))
HIDDEN = "odd-names"
"""A game with names that hide characters, which no version takes any more."""
SOUND = [key for key in EXPECTED if key != HIDDEN]


@pytest.fixture
def store(tmp_path):
    shutil.copy(KEPT / FORMER_FILE, tmp_path)
    with Store(tmp_path) as store:
        yield store


def test_all_kept_games_are_there(store):
    assert store.damage is None
    assert store.games() == list(EXPECTED)


@pytest.mark.parametrize("key", SOUND)
def test_a_kept_game_is_taken_up_as_it_was_left(store, key):
    match = Match.resume(store, key)

    assert record_to_json(match.record()) == EXPECTED[key]


@pytest.mark.parametrize("key", SOUND)
def test_what_is_shared_of_a_kept_game_is_a_record(store, key):
    shared = json.dumps(record_to_json(Match.resume(store, key).record()))

    assert json.dumps(record_to_json(parse_record(load_json(shared)))) == shared


def test_game_with_hidden_characters_in_a_name_is_left_alone_and_says_why(store):
    with pytest.raises(StoreError, match=r"line .* cannot be understood: .*left"):
        Match.resume(store, HIDDEN)

    assert HIDDEN in store.games()
