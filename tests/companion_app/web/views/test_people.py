"""People: seats that are theirs in every game, statistics, another name, being forgotten."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion_app.live.store import Store
from tests.companion_app.web.conftest import playthrough


def players_of(guest, game=""):
    return guest.get(f"/api/statistics?game={game}")["players"]


@pytest.fixture
def evening(played, script):
    """Return a desk with two games of Anna and Ben, the second with colours changed."""
    for names in ({"blue": "Anna", "red": "Ben"}, {"blue": "Ben", "red": "Anna"}):
        played.begin(script.record, names)
        played.play(script.record)
    return played


# --- seats ---------------------------------------------------------------------------------------


def test_seat_belongs_to_a_person_whatever_her_colour_is_in_the_next_game(played, script):
    played.begin(script.record, {"blue": "Anna", "red": "Ben"})
    phone = played.seat("blue")

    played.begin(script.record, {"blue": "Ben", "red": "Anna"})

    assert phone.get("/api/me")["seats"] == ["red"]
    assert phone.get("/api/me")["taken"] == {"red": 1}
    assert not phone.get("/api/me")["asks_who"]


def test_phone_whose_people_do_not_play_is_asked_once_who_it_is(played, script):
    played.begin(script.record, {"blue": "Anna", "red": "Ben"})
    phone, watcher = played.seat("blue"), played.seat()

    played.begin(script.record, {"blue": "Ben", "red": "Cleo"})

    assert phone.get("/api/me")["seats"] == []
    assert phone.get("/api/me")["asks_who"]
    assert not watcher.get("/api/me")["asks_who"]
    phone.post("/api/join", {"seats": []})
    assert not phone.get("/api/me")["asks_who"]


def test_colour_without_a_name_is_held_as_long_as_nobody_else_has_it(played, script):
    played.begin(script.record)
    phone = played.seat("blue")

    played.begin(script.record)
    before = phone.get("/api/me")["seats"]
    played.begin(script.record, {"blue": "Ben"})

    assert (before, phone.get("/api/me")["seats"]) == (["blue"], [])


def test_phone_follows_a_person_whose_name_is_said_or_changed(played, script):
    played.begin(script.record)
    phone, host = played.seat("blue"), played.host()
    key = played.desk.match.key

    host.post("/api/games/rename", {"key": key, "player": "blue", "name": "Anna"})
    host.post("/api/people", {"name": "Anna", "to": "Anne"})
    played.begin(script.record, {"red": "Anne"})

    assert phone.get("/api/me")["seats"] == ["red"]


def test_seat_that_is_freed_is_freed_of_the_person_who_holds_it_now(played, script):
    played.begin(script.record, {"blue": "Anna"})
    phone = played.seat("blue")
    played.begin(script.record, {"red": "Anna"})

    answer = played.host().post("/api/seats/free", {"seat": "red"}).get_json()

    assert answer == {"taken": {}}
    assert phone.get("/api/me")["seats"] == []


# --- statistics ----------------------------------------------------------------------------------


def test_colours_without_a_name_and_the_machine_are_nobody(played, script):
    played.begin(script.record, {"blue": "Anna", "red": "Rot"})
    played.play(script.record)
    played.begin(script.record, {"blue": "Anna", "red": "Snake Eye"})
    played.desk.do(lambda: played.eye.machine.sit("red", 2))
    played.desk.end()
    tellers = playthrough("sssnake_evening")
    played.begin(replace(tellers, start=replace(tellers.start, players=("Player 1", "Joueur 2"))))
    played.desk.end()

    (anna,) = players_of(played.guest())

    assert (anna["name"], anna["games"]) == ("Anna", 2)
    assert [one["name"] for one in anna["against"]] == ["Snake Eye"]


def test_statistics_of_one_game_leave_out_the_others(evening):
    tellers = playthrough("sssnake_evening")
    evening.begin(tellers)
    evening.play(tellers)
    guest = evening.guest()

    everybody, nest = players_of(guest), players_of(guest, "schlangennest")

    assert {one["name"] for one in nest} == {"Anna", "Ben"}
    assert len(everybody) > len(nest)
    assert [one["game"] for one in guest.get("/api/statistics")["played"]] == [
        "sssnake",
        "schlangennest",
    ]
    assert guest.client.get("/api/statistics?game=chess").status_code == 404


# --- another name --------------------------------------------------------------------------------


def test_person_is_called_otherwise_in_every_kept_game(evening):
    host = evening.host()
    assert [one["name"] for one in players_of(host)] == ["Anna", "Ben"]

    assert host.post("/api/people", {"name": "Anna", "to": "Anne"}).get_json() == {"games": 2}

    assert [one["name"] for one in players_of(host)] == ["Anne", "Ben"]
    assert evening.desk.names == {"blue": "Ben", "red": "Anne"}


def test_two_names_of_one_person_become_one(evening, script):
    evening.begin(script.record, {"blue": "Annie"})
    evening.play(script.record)

    evening.host().post("/api/people", {"name": "Annie", "to": "Anna"})

    assert {one["name"]: one["games"] for one in players_of(evening.guest())} == {
        "Anna": 3,
        "Ben": 2,
    }


def test_people_who_met_are_two_people(evening):
    refused = evening.host().post("/api/people", {"name": "Anna", "to": "Ben"})

    assert (refused.status_code, refused.get_json()["error"]["code"]) == (409, "people-met")
    assert {one["name"] for one in players_of(evening.guest())} == {"Anna", "Ben"}


def test_only_the_host_calls_people_otherwise(evening):
    assert evening.guest().post("/api/people", {"name": "Anna", "to": ""}).status_code == 403


# --- forgotten -----------------------------------------------------------------------------------


def texts_under(folder):
    files = [file for file in folder.rglob("*") if file.is_file()]
    return {file.name: file.read_bytes() for file in files}


def test_forgotten_person_stands_in_no_file_and_the_games_stay(evening, script):
    evening.seat("red")
    evening.begin(script.record)
    before = evening.guest().get("/api/history")["games"]

    evening.host().post("/api/people", {"name": "Anna", "to": ""})

    games = evening.guest().get("/api/history")["games"]
    assert [one["name"] for one in players_of(evening.guest())] == ["Ben"]
    assert [game["moves"] for game in games] == [game["moves"] for game in before]
    left = texts_under(evening.store.path.parent)
    assert [name for name, data in left.items() if b'"Anna"' in data] == []


def test_player_whose_name_is_in_the_moves_is_forgotten_there_too(played):
    record = playthrough("sssnake_evening")
    played.begin(record)
    played.play(record)
    played.begin(record)
    second = played.desk.match.key
    kept = played.guest().get("/api/history")["games"][1]
    name = record.start.players[0]
    host = played.host()
    while_on = host.post("/api/people", {"name": name.capitalize(), "to": ""})
    played.begin(playthrough("snekagon_tie"))
    played.desk.do(lambda: played.store.forget(second))

    host.post("/api/people", {"name": name.capitalize(), "to": ""})

    games = played.guest().get("/api/history")["games"]
    (game,) = (one for one in games if one["key"] == kept["key"])
    assert [one["score"] for one in game["players"]] == [one["score"] for one in kept["players"]]
    assert game["players"][0]["name"] == "Player 1"
    assert while_on.get_json()["error"]["code"] == "game-is-on"
    text = (played.store.path.parent / "games").glob("**/*")
    logs = [file.read_bytes() for file in text if file.is_file() and kept["key"] in str(file)]
    assert logs
    assert not any(f'"{name}"'.encode() in log for log in logs)


def test_home_whose_person_was_forgotten_opens_again_with_all_its_games(evening):
    evening.host().post("/api/people", {"name": "Anna", "to": ""})
    games = evening.store.games()

    evening.store.close()

    with Store(evening.store.path.parent) as store:
        assert store.games() == games
        assert store.damage is None
