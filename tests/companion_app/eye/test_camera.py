"""The camera while no game is on: opened for a look, given back soon, one source at a time."""

from __future__ import annotations

import threading
import time

import cv2
import numpy as np
import pytest

from companion_app.answers import InputError
from companion_app.eye.camera import IDLE_S, Look, TableCamera
from companion_app.eye.desk import source_in
from companion_app.line.standing import kind_of
from companion_app.live.demo import demo_record
from companion_app.live.errors import StoreError
from companion_app.refusal import Refusal
from engine.record import record_to_json
from vision.core.types import Frame
from vision.sources import SourceError

PATIENCE_S = 10.0


class Film:
    """A live source that counts its frames until it is closed."""

    live = True

    def __init__(self) -> None:
        self.closed = threading.Event()

    def frames(self):
        number = 0
        while not self.closed.is_set():
            number += 1
            time.sleep(0.005)
            yield Frame(np.full((36, 64, 3), number % 250, np.uint8), number * 0.1)

    def close(self) -> None:
        self.closed.set()


@pytest.fixture
def pictures(tmp_path):
    folder = tmp_path / "pictures"
    folder.mkdir()
    for number, level in enumerate((40, 90, 140)):
        cv2.imwrite(str(folder / f"{number}.png"), np.full((90, 160, 3), level, np.uint8))
    return folder


def test_camera_is_given_back_when_nobody_looks():
    now, film = [0.0], Film()
    look = Look("camera", lambda: film, lambda: now[0])

    first = look.frame()
    now[0] = IDLE_S + 1

    assert first is not None
    assert film.closed.wait(PATIENCE_S)


def test_camera_is_given_back_at_once_for_a_game():
    film = Film()
    look = Look("camera", lambda: film, time.monotonic)
    look.frame()

    look.close()

    assert film.closed.is_set()


def test_stored_pictures_show_the_first_and_the_game_begins_with_it(played, tmp_path, pictures):
    camera = TableCamera(played.desk, f"folder:{pictures}", tmp_path)

    shown = [camera.frame(), camera.frame()]
    feeder = camera.feeder(demo_record("schlangennest"))

    assert [frame.bgr[0, 0, 0] for frame in shown if frame is not None] == [40, 40]
    assert feeder is not None
    assert feeder.kind == "camera"


def test_camera_that_is_not_there_says_so_and_others_are_offered(played, tmp_path):
    played.eye.camera = TableCamera(played.desk, "webcam:93", tmp_path)
    guest = played.guest()

    said = guest.get("/api/camera")

    assert (said["seen"], said["ready"]) == (False, False)
    assert "webcam:93" in said["text"]
    assert [one["source"] for one in said["sources"]] == ["webcam:93", "phone", "demo"]
    with pytest.raises(Refusal):
        played.eye.camera.feeder(demo_record("schlangennest"))


class Broken:
    """A camera that fails at its first frame, as a Pi's does whose cable is off."""

    live = True

    def frames(self):
        raise SourceError("check its ribbon cable")

    def close(self) -> None: ...


def test_camera_that_fails_at_its_first_frame_says_why(played, tmp_path, monkeypatch):
    monkeypatch.setattr("companion_app.eye.camera.open_source", lambda *_, **__: Broken())
    camera = played.eye.camera = TableCamera(played.desk, "pi", tmp_path)

    assert "check its ribbon cable" in played.guest().get("/api/camera")["text"]

    record = demo_record("schlangennest")
    played.desk.begin(record, {}, camera.feeder(record))
    said = {}
    for _ in range(500):
        said = played.guest().get("/api/state")
        if said["trouble"]:
            break
        time.sleep(0.01)
    assert "check its ribbon cable" in said["trouble"]
    assert said["seeing"]["state"] == "camera-lost"


def test_source_of_a_game_is_kept_once(played, tmp_path, pictures, script):
    camera = TableCamera(played.desk, f"folder:{pictures}", tmp_path)
    played.begin(script.record)
    for _ in range(2):
        played.desk.feed(camera.feeder(script.record))
    key = played.desk.match.key

    noted = [line.body for line in played.store.lines(key) if line.kind == "source"]
    assert noted == [{"source": f"folder:{pictures}"}]


def test_game_goes_on_with_the_camera_that_was_chosen(played, tmp_path, pictures, script):
    camera = TableCamera(played.desk, f"folder:{pictures}", tmp_path)
    played.eye.camera = camera
    played.begin(script.record)

    played.host().post("/api/camera", {"source": "phone"})

    assert played.guest().get("/api/state")["source"]["kind"] == "phone"


# --- a game keeps its camera ---


def looked_at(played, record, camera):
    """Play two moves, and let the camera watch the game from there."""
    played.look_through(camera)
    played.begin(record)
    played.play(record, 2)
    played.desk.feed(camera.feeder(played.desk.match.record(), patient=True))
    return played.desk.match


@pytest.mark.parametrize("paused", [False, True])
def test_game_that_was_ended_by_mistake_is_watched_again(played, tmp_path, script, paused):
    looked_at(played, script.record, TableCamera(played.desk, "phone", tmp_path))
    if paused:
        played.desk.pause()
    host = played.host()

    host.post("/api/end")
    host.post("/api/undo")

    assert not played.desk.match.ended
    assert (played.desk.is_fed, played.desk.paused) == (not paused, paused)


def test_camera_that_cannot_be_opened_leaves_the_game_the_one_it_has(played, tmp_path, script):
    camera = TableCamera(played.desk, "phone", tmp_path)
    looked_at(played, script.record, camera)

    with pytest.raises(Refusal):
        camera.choose("webcam:93")

    assert camera.name == "phone"
    assert played.desk.feeder.kind == "phone"


def test_new_game_that_is_refused_leaves_the_camera_to_the_old_one(
    played, tmp_path, script, monkeypatch
):
    def opened(*_, patient, **__):
        if not patient:
            raise InputError("it is not plugged in")
        return Film()

    monkeypatch.setattr("companion_app.eye.camera.open_source", opened)
    match = looked_at(played, script.record, TableCamera(played.desk, "webcam:0", tmp_path))

    with pytest.raises(Refusal):
        played.eye.begin(record_to_json(script.record), {}, {})

    assert played.desk.match.key == match.key
    assert played.desk.feeder.kind == "camera"


def test_game_that_cannot_be_resumed_leaves_the_camera_to_the_one_that_is_on(
    played, tmp_path, script
):
    match = looked_at(played, script.record, TableCamera(played.desk, "phone", tmp_path))
    played.store.append("no game", "moves", {})

    with pytest.raises(StoreError):
        played.desk.resume("no game")

    assert played.desk.match.key == match.key
    assert played.desk.feeder.kind == "phone"


def test_game_of_a_camera_is_not_played_on_by_the_demo_table(played, tmp_path, script):
    match = looked_at(played, script.record, TableCamera(played.desk, "phone", tmp_path))
    played.desk.end()
    played.look_through(TableCamera(played.desk, "demo", tmp_path))

    played.eye.resume(match.key)
    resumed = played.desk.feeder.kind
    played.eye.pause(True)
    played.eye.pause(False)

    assert not played.desk.match.ended
    assert (resumed, played.desk.feeder.kind) == ("none", "none")
    assert source_in(played.store, match.key) == "phone"


def test_game_of_the_demo_table_is_played_on_by_it(played, tmp_path):
    match = looked_at(
        played, demo_record("schlangennest"), TableCamera(played.desk, "demo", tmp_path)
    )

    played.eye.resume(match.key)

    assert played.desk.feeder.kind == "demo"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("pi", "camera"),
        ("webcam:0", "camera"),
        ("folder:x", "camera"),
        ("phone", "phone"),
        ("demo:7", "demo"),
        ("recorded", "recorded"),
    ],
)
def test_source_is_of_a_kind(name, kind):
    assert kind_of(name) == kind
