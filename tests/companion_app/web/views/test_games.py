"""After the game: history, replay, statistics, and every export opened again."""

from __future__ import annotations

import io
import json
import time
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pypdfium2
import pytest

from companion_app.web.bgstats import play_file
from engine.record import parse_record, record_to_json
from tests.companion_app.web.conftest import playthrough


@pytest.fixture
def finished(played, script):
    played.begin(script.record, {"blue": "Anna", "red": "Ben"})
    played.play(script.record)
    return played


def key_of(guest):
    return guest.get("/api/history")["games"][0]["key"]


def test_history_lists_games_with_scores(finished):
    game = finished.guest().get("/api/history")["games"][0]

    assert game["ended"] is True
    assert {p["name"]: p["score"] for p in game["players"]} == {"Anna": 21, "Ben": 21}
    assert game["moves"] == 34


def test_statistics_count_by_person(finished):
    people = finished.guest().get("/api/statistics")["players"]

    assert people[0] == {
        "name": "Anna",
        "games": 1,
        "won": 1,
        "best": {"Schlangennest": 21},
        "average": {"Schlangennest": 21.0},
        "fouls": 0,
        "by_game": [{"title": "Schlangennest", "games": 1, "won": 1}],
        "against": [{"name": "Ben", "games": 1, "won": 0, "lost": 0}],
    }


def test_replay_shows_every_move(finished):
    guest = finished.guest()
    key = key_of(guest)

    game = guest.get(f"/api/games/{key}?n=5")

    assert len(game["moves"]) == 5
    assert len(game["curve"]) == 35
    first = guest.client.get(f"/api/games/{key}/table.svg?n=0").data
    last = guest.client.get(f"/api/games/{key}/table.svg").data
    assert first.count(b"data-tile") < last.count(b"data-tile")


def test_what_is_noted_a_day_later_does_not_change_when_the_game_ended(finished, monkeypatch):
    host = finished.host()
    key = key_of(host)
    ended_s = host.get(f"/api/games/{key}")["ended_s"]
    monkeypatch.setattr(finished.store, "_clock", lambda: ended_s + 86_400)

    host.post("/api/games/rename", {"key": key, "player": "blue", "name": "Anne"})
    finished.desk.raise_hand(False)

    game = host.get(f"/api/games/{key}")
    assert "Anne" in [player["name"] for player in game["players"]]
    assert game["ended_s"] == ended_s


def test_record_is_read_back_as_the_same_game(finished, script):
    guest = finished.guest()

    sent = guest.client.get(f"/api/games/{key_of(guest)}/record.json")

    assert record_to_json(parse_record(json.loads(sent.data))) == record_to_json(script.record)
    assert "attachment" in sent.headers["Content-Disposition"]


def test_bgstats_file_has_what_the_app_needs(finished):
    guest = finished.guest()
    key = key_of(guest)

    play = json.loads(guest.client.get(f"/api/games/{key}/play.bgsplay").data)
    again = json.loads(guest.client.get(f"/api/games/{key}/play.bgsplay").data)

    assert play["plays"][0]["uuid"] == again["plays"][0]["uuid"]
    scores = play["plays"][0]["playerScores"]
    assert [(s["score"], s["winner"], s["rank"]) for s in scores] == [("21", True, 1)] * 2
    assert isinstance(play["plays"][0]["playDateYmd"], int)
    refs = {player["id"]: player["name"] for player in play["players"]}
    assert [refs[s["playerRefId"]] for s in scores] == ["Anna", "Ben"]


def test_bgstats_dates_a_play_by_the_clock_on_the_wall(monkeypatch):
    after_midnight = datetime(2026, 6, 30, 22, 30, tzinfo=UTC).timestamp()
    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
    time.tzset()
    try:
        play = play_file(
            {
                "key": "one",
                "game": "sssnake",
                "title": "Sssnake",
                "began_s": after_midnight,
                "ended_s": after_midnight + 600,
                "players": [],
            }
        )["plays"][0]
    finally:
        monkeypatch.undo()
        time.tzset()

    assert play["playDate"] == "2026-07-01 00:30:00"
    assert play["playDateYmd"] == 20260701


def test_tiles_are_printed_as_pdf_sheets(played):
    sent = played.guest().client.get("/api/print/snekagon.zip?paper=letter").data

    with zipfile.ZipFile(io.BytesIO(sent)) as archive:
        assert "tiles.pdf" in archive.namelist()
        with pypdfium2.PdfDocument(archive.read("tiles.pdf")) as pdf:
            assert len(pdf) > 0


@pytest.mark.parametrize("n", ["²", "-1", "1e3", "1234567"])
def test_what_is_no_number_of_moves_is_refused(finished, n):
    guest = finished.guest()

    refused = guest.client.get(f"/api/games/{key_of(guest)}", query_string={"n": n})

    assert refused.status_code == 400


def test_unknown_game_is_not_found(played):
    assert played.guest().client.get("/api/games/nothing").status_code == 404


def test_finished_table_is_scored_from_a_table_state(played):
    record = playthrough("schlangennest_two_players")
    tiles = [
        {"tile": m.tile, "at": list(m.at or ()), "turns": m.turns}
        for m in record.moves
        if m.do == "place"
    ]
    guest = played.guest()

    scored = guest.post("/api/photo-score", {"game": "schlangennest", "table": {"tiles": tiles}})

    assert scored.status_code == 200
    assert scored.get_json()["players"][0]["score"] is not None
    assert scored.get_json()["svg"].startswith("<svg")


def test_photo_without_a_reader_says_so(played):
    guest = played.guest()
    photo = {"photo": (io.BytesIO(b"no picture"), "a.jpg"), "game": "schlangennest"}

    refused = guest.client.post(
        "/api/photo-score", data=photo, headers={"X-Snake-Eye": guest.token}
    )

    assert refused.status_code == 400
    assert refused.get_json()["error"]["code"] == "no-reader"


def read(data: bytes, game: str, box: str, folders: tuple[Path, ...]) -> dict[str, object]:
    assert (data, game, box, folders) == (b"a picture", "schlangennest", "schlangennest", ())
    return {
        "tiles": [{"tile": "blue/curve", "at": [0, 0], "turns": 1}],
        "unsure": [{"tile": "red/curve", "at": [1, 0]}],
        "quality": {"ok": False, "advice": [{"what": "blur", "text": "blurred"}]},
    }


def test_photo_is_scored_by_the_reader_and_its_advice_is_said(played):
    played.companion.read_photo = read
    guest = played.guest()
    photo = {"photo": (io.BytesIO(b"a picture"), "a.jpg"), "game": "schlangennest"}

    answer = guest.client.post(
        "/api/photo-score?lang=de", data=photo, headers={"X-Snake-Eye": guest.token}
    ).get_json()

    assert [p["score"] for p in answer["players"]] == [1]
    assert answer["unsure"] == 1
    assert answer["advice"] == ["Das Foto ist unscharf: ruhig halten oder Linse putzen."]


def test_pictures_are_wiped_by_one_tap(finished):
    assert finished.host().post("/api/pictures/wipe").get_json() == {"wiped": 0}


def test_players_of_a_photo_without_colours_are_called_by_number(played):
    lies = [{"tile": f"big/{n + 1}", "at": [0, 0], "turns": 0, "field": n} for n in range(2)]

    answer = (
        played.guest()
        .post("/api/photo-score?lang=de", {"game": "sssnake", "table": {"tiles": lies}})
        .get_json()
    )

    assert [(one["id"], one["name"]) for one in answer["players"]] == [
        ("1", "Spieler 1"),
        ("2", "Spieler 2"),
    ]
