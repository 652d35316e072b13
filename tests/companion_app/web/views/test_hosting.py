"""A pause, names that were wrong, and games that nobody wants to keep."""

from __future__ import annotations

from companion_app.eye.desk import Feeder
from companion_app.games.kept import KeptGames
from companion_app.live.store import Store


class Looking(Feeder):
    """Something that shows tables, as far as the desk knows."""

    kind = "camera"


def test_pause_lets_the_camera_look_away_until_the_host_goes_on(played, script):
    played.eye.make_feeder = lambda _record: Looking()
    played.begin(script.record)
    played.desk.feed(Looking())
    host = played.host()

    paused = host.post("/api/pause", {"on": True}).get_json()
    again = host.post("/api/pause", {"on": False}).get_json()

    assert (paused["paused"], paused["source"]["kind"]) == (True, "none")
    assert (again["paused"], again["source"]["kind"]) == (False, "camera")


def test_renamed_player_has_the_new_name_in_the_game_and_among_kept_ones(played, script):
    played.begin(script.record, {"blue": "Anna", "red": "Ben"})
    key = played.desk.match.key
    host = played.host()

    answer = host.post("/api/games/rename", {"key": key, "player": "red", "name": " Ida "})

    assert answer.get_json()["names"] == {"blue": "Anna", "red": "Ida"}
    assert [p["name"] for p in host.get("/api/state")["players"]] == ["Anna", "Ida"]
    assert [p["name"] for p in host.get(f"/api/games/{key}")["players"]] == ["Anna", "Ida"]


def test_wrong_names_and_players_are_refused(played, script):
    played.begin(script.record)
    key = played.desk.match.key
    host = played.host()

    for body in (
        {"player": "red", "name": " "},
        {"player": "red", "name": "x" * 41},
        {"player": "nobody", "name": "Ida"},
    ):
        assert host.post("/api/games/rename", {"key": key, **body}).status_code == 400


def test_deleted_game_is_gone_with_its_pictures(played, script, tmp_path):
    played.begin(script.record)
    old = played.desk.match.key
    line = played.store.append(old, "foul", {"move": {"player": "red"}}, {"after": b"jpeg"})
    played.begin(script.record)
    host = played.host()

    assert host.post("/api/games/delete", {"key": old}).status_code == 200

    assert [game["key"] for game in host.get("/api/history")["games"]] == [played.desk.match.key]
    assert KeptGames(played.store.path).picture(old, line.seq, "after") is None
    played.store.close()
    with Store(tmp_path) as opened:
        assert opened.games() == [played.desk.match.key]
        assert opened.damage is None


def test_game_that_is_on_is_not_deleted(played, script):
    played.begin(script.record)
    key = played.desk.match.key

    refused = played.host().post("/api/games/delete", {"key": key})

    assert refused.get_json()["error"]["code"] == "game-is-on"
    assert played.store.games() == [key]
