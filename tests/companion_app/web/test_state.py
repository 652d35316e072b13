"""What the page shows: every game, move by move, as the referee has it."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import pytest

from engine.referee import referee_record
from tests.companion_app.web.conftest import playthrough

GAMES = (
    "schlangennest_two_players",
    "snekagon_tie",
    "snekagon5g_floors",
    "sssnake_evening",
    "carnival_two_players",
)


def test_state_without_a_game_says_so(played):
    state = played.guest().get("/api/state")

    assert state["game"] is None


@pytest.mark.parametrize("name", GAMES)
def test_state_agrees_with_the_referee_at_the_end_of_a_game(played, name):
    record = playthrough(name)
    played.begin(record)

    played.play(record)

    state = played.guest().get("/api/state")
    judged = referee_record(record)
    assert state["scores"] == judged["scores"]
    assert state["over"] == judged["over"]
    assert {p["id"]: sum(line["points"] for line in p["lines"]) for p in state["players"]} == {
        player: sum(line["points"] for line in lines) for player, lines in judged["lines"].items()
    }


def test_stock_shows_no_colour_that_was_put_away(played):
    played.begin(playthrough("carnival_one_snake_each"))

    stock = played.guest().get("/api/state")["stock"]

    assert {one["colour"] for one in stock} == {"yellow", "black", None}


@pytest.mark.parametrize("name", GAMES)
def test_every_lying_tile_is_drawn_and_can_be_tapped(played, name):
    record = playthrough(name)
    played.begin(record)
    played.play(record, 6)
    guest = played.guest()

    drawn = ET.fromstring(guest.client.get("/api/table.svg").data)

    taps = {e.get("data-spots") for e in drawn.iter() if e.get("class") == "tap"}
    tiles = {" ".join(tile["spots"]) for tile in guest.get("/api/state")["tiles"]}
    assert taps == tiles
    assert all(e.get("aria-label") for e in drawn.iter() if e.get("class") == "tap")


def test_foul_is_shown_with_rule_sentence_and_marked_cells(played, script):
    played.begin(script.record)
    number, foul = script.fouls[0]
    played.play(script.record, number)

    played.lay(foul)

    state = played.guest().get("/api/state")
    assert state["foul"]["violations"][0]["rule"] == "own-end"
    assert state["foul"]["violations"][0]["text"].startswith("Here the end of the blue snake")
    assert state["foul"]["violations"][0]["rulebook"]
    assert state["foul"]["violations"][0]["spots"]
    assert state["turn"] == "blue"
    assert b"#d3122a" in played.guest().client.get("/api/table.svg").data


@pytest.mark.parametrize("name", GAMES)
def test_mark_of_the_drawing_changes_with_the_drawing_and_only_then(played, name):
    record = playthrough(name)
    played.begin(record)
    guest = played.guest()
    seen: dict[str, set[str]] = {}
    for move in (None, *record.moves[:8]):
        if move is not None:
            played.lay(move)
        played.desk.emit({"event": "state", "state": "hand"})
        drawn = guest.client.get("/api/table.svg").text
        seen.setdefault(guest.get("/api/state")["drawing"], set()).add(drawn)

    assert all(len(drawings) == 1 for drawings in seen.values())
    assert len(set.union(*seen.values())) == len(seen) > 1


def test_player_is_called_by_the_name_he_gave(played, script):
    played.begin(script.record, {"blue": "Łukasz <b>"})
    guest = played.guest()

    state = guest.get("/api/state")

    assert state["players"][0]["name"] == "Łukasz <b>"
    assert b"<b>" not in guest.client.get("/api/table.svg").data


def test_legal_moves_are_listed_with_their_places(played, script):
    played.begin(script.record)

    moves = played.guest().get("/api/moves")["moves"]

    assert moves
    assert all(move["spots"] for move in moves)


def test_page_whose_eye_ends_says_so_and_logs_no_fault(played, script, caplog):
    played.begin(script.record)
    guest = played.guest()
    played.desk.close()

    for path in ("/api/tile.svg?game=schlangennest&tile=blue/curve", "/api/state"):
        answer = guest.client.get(path)
        assert (answer.status_code, answer.get_json()["error"]["code"]) == (503, "eye-away")

    assert "Traceback" not in caplog.text


def test_tile_face_is_drawn_and_an_unknown_one_is_not(played):
    guest = played.guest()

    known = guest.client.get("/api/tile.svg?game=schlangennest&tile=blue/curve&turns=1")
    unknown = guest.client.get("/api/tile.svg?game=schlangennest&tile=../../etc/passwd")

    assert known.mimetype == "image/svg+xml"
    assert unknown.status_code == 404


def test_health_counts_games(played, script):
    played.begin(script.record)

    health = played.guest().get("/health")

    assert health["ok"] is True
    assert "games kept: 1" in json.dumps(health)


def test_what_keeps_the_referee_from_a_verdict_is_said_in_the_guests_language(played, script):
    played.begin(script.record)
    why = {"what": "several-lifted", "spots": [[0, 1, -2]]}
    played.desk.emit({"event": "state", "state": "unsure", "t": 9.0, "why": why})

    english, german = (played.guest().get(f"/api/state?lang={code}") for code in ("en", "de"))

    assert english["seeing"]["why"]["what"] == "several-lifted"
    assert english["seeing"]["why"]["text"].startswith("Several tiles are missing at once")
    assert german["seeing"]["why"]["text"].startswith("Mehrere Plättchen fehlen")
    assert english["seeing"]["why"]["spots"] == ["0:1:-2"]

    played.desk.emit({"event": "state", "state": "hand", "t": 9.5})
    assert played.guest().get("/api/state")["seeing"]["why"] is None
