"""The wizard's camera: seen, judged, chosen, calibrated, tested, and a game taken up."""

from __future__ import annotations

import io
import json

import cv2
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion_app.eye.camera import TableCamera
from companion_app.live.demo import DemoTable, demo_record
from companion_app.web.speech import catalogue
from engine.games import GAMES
from models.lab.scenes.games.film import FilmedTable
from models.lab.scenes.settings import draw_settings
from tests.browser.chromium import wait_until
from tests.calibration.drawn import View, seen
from tests.companion_app.web.conftest import ten_tiles_of
from tests.companion_app.web.serving.test_openapi import JSON
from tests.companion_app.web.test_speech import english_in

GAME = "schlangennest"
SETTINGS = draw_settings(4, "held-out", GAME, (1280, 720))


@pytest.fixture(scope="module")
def ten_tiles():
    """Return a picture of the ten tiles side by side, as a camera saw them."""
    record = demo_record(GAME)
    table = DemoTable(GAME, ten_tiles_of(record.tile_set), record.start.players)
    frame = next(iter(table.frames()))
    assert frame is not None
    return frame.bgr


@pytest.fixture
def filmed(played, tmp_path):
    """Return a desk with a phone as its camera."""
    camera = TableCamera(played.desk, "phone", tmp_path)
    played.eye.camera = camera
    return played


def jpeg(bgr) -> bytes:
    return cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, 92])[1].tobytes()


def sent(guest, bgr):
    """Send one photo as the phone's page does."""
    return guest.client.post(
        "/api/camera/picture",
        data={"photo": (io.BytesIO(jpeg(bgr)), "a.jpg")},
        headers={"X-Snake-Eye": guest.token},
    )


def check(played, guest, bgr, language="en"):
    sent(guest, bgr)
    played.companion.checker._last = None
    return guest.get(f"/api/camera?game={GAME}&lang={language}")


# --- seeing ---


def test_camera_is_shown_and_ready_before_any_game(filmed, ten_tiles):
    host = filmed.host()

    said = check(filmed, host, ten_tiles)

    assert (said["ready"], said["tiles"], said["advice"]) == (True, 10, [])
    assert "10" in said["text"]
    assert host.client.get("/api/picture.jpg").data[:2] == b"\xff\xd8"


def test_without_a_picture_the_page_says_what_to_do(filmed):
    said = filmed.guest().get("/api/camera")

    assert (said["seen"], said["ready"]) == (False, False)
    assert "phone" in said["text"]
    assert filmed.host().client.get("/api/picture.jpg").status_code == 404


@pytest.mark.parametrize("language", ["en", "de", "fr", "ru", "cs"])
def test_bad_picture_is_named_in_the_readers_words_with_its_place(filmed, ten_tiles, language):
    outlines = np.argwhere(cv2.cvtColor(ten_tiles, cv2.COLOR_BGR2GRAY) > 150)
    left = int(np.quantile(outlines[:, 1], 0.3))

    said = check(filmed, filmed.host(), np.ascontiguousarray(ten_tiles[:, left:]), language)

    cut = next(one for one in said["advice"] if one["what"] == "cut-off")
    x, y, wide, high = cut["box"]
    assert x < 0.05 and y >= 0 and 0 < wide <= 1 and y + high <= 1.001
    assert language == "en" or not english_in(cut["text"] + said["text"])


def test_dark_picture_asks_for_a_lamp(filmed, ten_tiles):
    said = check(filmed, filmed.host(), (ten_tiles * 0.1).astype(np.uint8))

    assert not said["ready"]
    assert any("lamp" in one["text"] for one in said["advice"])


# --- choosing ---


def test_only_cameras_that_were_found_can_be_chosen(filmed):
    host = filmed.host()

    assert host.post("/api/camera", {"source": "folder:/etc"}).status_code == 400
    assert host.post("/api/camera", {"source": "demo"}).status_code == 200
    assert filmed.eye.camera.kind == "demo"
    assert filmed.settings.now.source == "demo"


def test_pictures_come_from_the_host_alone_and_only_as_pictures(filmed, ten_tiles):
    host = filmed.host()
    live = {"headers": {"X-Snake-Eye": host.token}, "content_type": "image/jpeg"}

    assert sent(filmed.guest(), ten_tiles).status_code == 403
    assert sent(host, ten_tiles).status_code == 200
    assert host.client.post("/api/camera/picture", data=jpeg(ten_tiles), **live).status_code == 200
    broken = host.client.post("/api/camera/picture", data=b"\xff\xd8nonsense", **live)
    assert (broken.status_code, broken.get_json()["error"]["code"]) == (422, "no-photo")
    filmed.eye.camera.choose("demo")
    assert sent(host, ten_tiles).get_json()["error"]["code"] == "other-camera"


def test_phone_that_sends_too_often_is_told_to_wait(filmed, ten_tiles):
    host = filmed.host()
    small = cv2.resize(ten_tiles, (160, 90))

    statuses = [sent(host, small).status_code for _ in range(50)]

    assert statuses.index(429) == 45


# --- calibrating ---


def test_sheet_on_the_table_calibrates_the_camera_and_is_kept(filmed, ten_tiles):
    host = filmed.host()
    sent(host, ten_tiles)
    refused = host.post("/api/camera/calibrate").get_json()["error"]["code"]
    sent(host, cv2.cvtColor(seen(View((5, 4), 3)), cv2.COLOR_GRAY2BGR))

    said = host.post("/api/camera/calibrate").get_json()["calibrated"]

    assert refused == "no-sheet"
    assert (said["pictures"], said["table"]) == (1, True)
    assert filmed.eye.camera.profile().table.learnt_from == "sheet"
    assert host.get("/api/camera")["calibrated"]["pictures"] == 1
    host.post("/api/camera/forget")
    assert filmed.eye.camera.profile() is None


def test_camera_that_hangs_differently_than_when_calibrated_is_noticed(filmed, ten_tiles):
    host = filmed.host()
    sent(host, cv2.cvtColor(seen(View((5, 4), 3)), cv2.COLOR_GRAY2BGR))
    host.post("/api/camera/calibrate")

    said = check(filmed, host, ten_tiles)

    assert "moved" in [one["what"] for one in said["advice"]]


def test_sheet_can_be_printed(filmed):
    assert filmed.guest().client.get("/api/sheet.pdf").data[:4] == b"%PDF"
    assert filmed.guest().client.get("/api/sheet.pdf?paper=a7").status_code == 400


# --- a game taken up ---


def test_game_that_already_lies_there_is_taken_up_and_goes_on_photo_by_photo(filmed):
    record = demo_record(GAME)
    position = record.game.opening(record.start, record.tile_set)
    layouts, moves = [], []
    for _ in range(6):
        move = next(m for m in record.game.legal_moves(position) if m.do == "place")
        moves.append(move)
        position = record.game.apply(position, move)
        layouts.append(record.game.layout(position))
    lying = FilmedTable(SETTINGS, record.start.players, layouts[4], iter(layouts), 5.0)
    host = filmed.host()
    sent(host, next(lying.quiet(0.2)).bgr)
    wanted = {"game": GAME, "players": ["red", "blue"], "options": {"size": [4, 4]}}

    seen_there = host.post("/api/table", wanted).get_json()
    state = host.post(
        "/api/new", {"record": {**wanted, "setup": seen_there["table"], "next": moves[5].player}}
    ).get_json()
    wait_until(lambda: filmed.desk.seeing == "settled")
    list(lying.visit((layouts[5],)))
    sent(host, next(lying.quiet(0.2)).bgr)
    wait_until(lambda: filmed.desk.match.accepted)

    assert (seen_there["tiles"], seen_there["unsure"], seen_there["broken"]) == (5, 0, [])
    assert (len(state["tiles"]), state["turn"], state["moves"]) == (5, moves[5].player, [])
    assert state["source"]["kind"] == "phone"
    assert filmed.desk.match.accepted[0].move.tile == moves[5].tile


def test_fixed_border_is_taken_from_the_table_that_lies_there(filmed, ten_tiles):
    host = filmed.host()
    sent(host, ten_tiles)
    wanted = {"game": GAME, "players": ["red", "blue"], "options": {"border": "fixed"}}

    seen_there = host.post("/api/table", wanted).get_json()
    refused = host.post("/api/table", {**wanted, "players": ["blue", "red", "yellow", "green"]})

    assert (seen_there["tiles"], seen_there["possible"]) == (10, True)
    assert "two or three players" in refused.get_json()["error"]["detail"]


# --- words and shapes ---


@pytest.mark.parametrize("game", list(GAMES))
def test_every_option_can_be_chosen_in_words(game):
    words = catalogue("en")["page"]
    for option in GAMES[game].facts.options:
        if isinstance(option.default, bool):
            continue  # a tick has the rule book's sentence
        assert f"opt-{option.name}" in words
        for value in option.values:
            written = value if isinstance(value, str) else json.dumps(value)
            assert option.more == "cells" or f"option-{option.name}-{written}" in words
            assert value is None or option.parse(value) == value


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    path=st.sampled_from(
        [
            "/api/camera",
            "/api/camera/picture",
            "/api/camera/calibrate",
            "/api/camera/forget",
            "/api/table",
            "/api/https",
        ]
    ),
    body=st.dictionaries(
        st.sampled_from(["source", "game", "set", "players", "options"]),
        JSON | st.sampled_from([*GAMES, "phone"]),
        max_size=4,
    ),
)
def test_no_body_breaks_the_wizard(filmed, path, body):
    host = filmed.host()
    filmed.time_s += 100

    answer = host.post(path, body)

    assert answer.status_code < 500, answer.get_json()
    if answer.status_code >= 400:
        assert answer.get_json()["error"]["text"]
