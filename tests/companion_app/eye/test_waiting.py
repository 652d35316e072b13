"""A game that people begin where only the demo table is waits for them; the demo asks first."""

from __future__ import annotations

from companion_app.eye.camera import TableCamera
from companion_app.live.demo import demo_record

GAME = "schlangennest"
SPEED = 30.0


def begun(played, tmp_path):
    camera = played.look_through(TableCamera(played.desk, "demo", tmp_path, speed=SPEED))
    answer = played.host().post("/api/new", {"game": GAME, "players": ["blue", "red"]})
    assert answer.status_code == 200
    return camera


def source(played):
    return played.guest().get("/api/state")["source"]


def test_game_of_people_waits_until_they_have_chosen_who_plays_it(played, tmp_path):
    camera = begun(played, tmp_path)
    before = source(played)

    played.host().post("/api/camera", {"source": "demo"})
    after = source(played)
    camera.release()

    assert before == {"kind": "none", "by_people": True, "waits": True}
    assert after == {"kind": "demo", "by_people": True, "waits": False}


def test_game_of_people_is_not_played_after_a_pause_or_when_it_is_gone_on_with(played, tmp_path):
    camera = begun(played, tmp_path)
    key = played.desk.match.key
    host = played.host()

    host.post("/api/pause", {"on": True})
    paused = source(played)["waits"]
    host.post("/api/pause", {"on": False})
    going = source(played)["kind"]
    host.post("/api/end")
    host.post("/api/resume", {"key": key})
    camera.release()

    assert not paused
    assert going == "none"
    assert source(played) == {"kind": "none", "by_people": True, "waits": True}


def test_game_that_the_demo_begins_by_itself_is_its_own(played, tmp_path):
    camera = played.look_through(TableCamera(played.desk, "demo", tmp_path, speed=SPEED))
    record = demo_record(GAME)
    match = played.desk.begin(record, None, camera.feeder(record), by_people=False)
    first = source(played)

    played.eye.resume(match.key)
    camera.release()

    assert first == {"kind": "demo", "by_people": False, "waits": False}
    assert source(played)["by_people"] is False
