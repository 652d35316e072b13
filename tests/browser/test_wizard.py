"""The wizard in a real browser: camera, self-test, a game taken up, a phone as the camera."""

from __future__ import annotations

import shutil
import threading
import time

import cv2
import numpy as np
import pytest

from companion_app.eye.camera import TableCamera
from companion_app.line.commands import EyeAway
from companion_app.live.demo import DemoTable, demo_record
from companion_app.web.serving.certificate import HttpsOffer
from tests.browser.access import faults
from tests.browser.chromium import wait_until
from tests.companion_app.web.conftest import ten_tiles_of
from tests.companion_app.web.test_speech import english_in

pytestmark = pytest.mark.browser

MOST_S = 600.0
A_STEP_S = 45.0
"""What a newcomer may take to read a step and do what it asks."""


@pytest.fixture
def table(served, tmp_path):
    """Return a served desk over the demo table."""
    camera = TableCamera(served.desk, "demo", tmp_path, speed=30)
    served.eye.camera = camera
    yield served
    camera.release()


def picture_of_ten_tiles():
    record = demo_record("schlangennest")
    lying = DemoTable("schlangennest", ten_tiles_of(record.tile_set), record.start.players)
    frame = next(iter(lying.frames()))
    assert frame is not None
    return frame.bgr


def push(served, bgr):
    served.eye.camera.inbox.push(cv2.imencode(".jpg", bgr)[1].tobytes(), still=True)


def test_newcomer_is_led_from_the_camera_to_a_game_of_their_own(table):
    began = time.monotonic()
    page = table.open("/")
    steps = 0

    page.click("button.primary", "New game")
    page.wait("document.querySelector('.ready-line.good')")
    page.click(".camera-step button", "Become the host")
    page.fill("#pin-field", "424242")
    page.click("dialog button.primary")
    page.wait("document.querySelector('.viewfinder .camera').naturalWidth > 100")
    for selector, words in (("button.primary", "Next"), (".game-card", "Schlangennest")):
        page.click(selector, words)
        steps += 1
    page.fill('input[aria-label="Name of Blue"]', "Anna")
    page.click('button[aria-label="Red: one seat earlier"]')
    for selector, words in (("button.primary", "Next"), ("button.primary", "Start")):
        page.click(selector, words)
        steps += 1
    page.click(".waiting button", "Let the demo play it")
    page.wait("document.querySelector('.moves summary')?.innerText === 'Moves: 1'")

    assert page.js("[...document.querySelectorAll('.player b')].map((e) => e.innerText)") == [
        "Red",
        "Anna",
    ]
    assert table.desk.match.start.players == ("red", "blue")
    assert (steps + 4) * A_STEP_S + time.monotonic() - began < MOST_S


def test_what_is_wrong_is_marked_in_the_picture(table):
    table.eye.camera.choose("phone")
    bgr = picture_of_ten_tiles()
    push(table, bgr[:, 560:].copy())
    page = table.open("/new", host=True)

    page.wait("document.querySelector('.spot')")

    assert "cut off" in page.text(".advice")
    inside = page.js(
        "(() => { const s = document.querySelector('.spot').getBoundingClientRect(), "
        "v = document.querySelector('.viewfinder').getBoundingClientRect(); "
        "return s.left >= v.left - 2 && s.top >= v.top - 2 && s.bottom <= v.bottom + 2; })()"
    )
    assert inside is True


def to_players(page, game):
    if page.js("!!document.querySelector('.camera-step')"):
        page.click("button.primary", "Next")
    page.click(".game-card", game)
    page.wait("document.querySelector('.who-plays')")


def test_game_that_already_lies_there_is_taken_up_and_goes_on(table):
    page = table.open("/new", host=True)
    page.wait("document.querySelector('.camera-step') || document.querySelector('.game-card')")
    to_players(page, "Schlangennest")
    page.js(
        "{const one = document.querySelectorAll('.who-plays')[0]; one.value = '2'; "
        "one.dispatchEvent(new Event('change'))}"
    )
    page.click("button.primary", "Next")

    page.click(".looks button", "already lies there")
    page.wait("document.querySelectorAll('dialog .tap').length > 2")
    lying = page.js("document.querySelectorAll('dialog .tap').length")
    page.click("dialog .answer", "Red")

    page.wait("document.querySelector('.verdict .headline')")
    match = table.desk.match
    assert (match.start.midgame, match.start.next, len(match.layouts[0].cards)) == (
        True,
        "red",
        lying,
    )
    assert dict(table.desk.machine.seats) == {"blue": 2}
    page.click(".waiting button", "Let the demo play it")
    page.wait("document.querySelector('.moves summary')?.innerText === 'Moves: 1'")


def test_game_that_somebody_begins_waits_until_its_player_is_chosen(table):
    record = demo_record("schlangennest")
    table.desk.begin(record, None, table.eye.camera.feeder(record), by_people=False)
    page = table.open("/", host=True)
    page.wait(
        "document.querySelector('.demo-note') && !document.querySelector('.demo-note').hidden"
    )

    table.host().post("/api/new", {"game": "snekagon", "players": ["red", "green"]})
    page.wait("document.querySelectorAll('.waiting button.wide').length === 4")
    hint_is_gone = page.js("document.querySelector('.demo-note').hidden")
    assert table.desk.match.accepted == ()
    page.click(".waiting button", "Plug in a camera")
    page.wait("document.querySelector('dialog .problem')")
    page.js("document.querySelector('dialog').close()")
    page.click(".waiting button", "Let the demo play it")

    page.wait("!document.querySelector('.waiting')")
    page.wait("/^Moves: [1-9]/.test(document.querySelector('.moves summary')?.innerText)")
    assert hint_is_gone
    assert page.js("document.querySelector('.demo-note').hidden")


def test_picture_with_outlines_is_shown_beside_the_drawing_and_zooms_by_pinch(table):
    record = demo_record("schlangennest")
    table.desk.begin(record, None, table.eye.camera.feeder(record), by_people=False)
    page = table.open("/", host=True)
    # A busy machine may have seen the second move before the page has drawn the first.
    page.wait("/^Moves: [1-9]/.test(document.querySelector('.moves summary')?.innerText)")

    page.click(".demo-note button")
    page.wait("document.querySelector('.demo-note').hidden")
    page.go(table.url + "/")
    page.click(".tool", "Camera")
    assert page.js("document.querySelector('.demo-note').hidden")
    page.wait("document.querySelectorAll('.seen .tap.last polygon').length === 1")
    page.wait("document.querySelector('.seen .picture')?.getAttribute('href').startsWith('blob:')")
    for gap in (40, 90, 140):
        kind = "touchStart" if gap == 40 else "touchMove"
        points = [{"x": 195 - gap, "y": 300, "id": 1}, {"x": 195 + gap, "y": 300, "id": 2}]
        page.ask("Input.dispatchTouchEvent", type=kind, touchPoints=points)
    page.ask("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    assert page.wait("document.querySelector('.board.zoomed .seen')")
    page.click(".tool", "Drawing")
    page.wait("document.querySelector('.board svg[data-lattice=square]')")


def test_phone_sends_its_live_picture(table):
    table.eye.camera.choose("phone")
    page = table.open("/camera", host=True)

    page.click("button.primary", "Start the live picture")

    wait_until(lambda: table.eye.camera.frame() is not None)
    page.click("button.primary", "Stop")


def test_phone_goes_on_as_the_camera_when_the_eye_was_started_again(table, monkeypatch):
    table.eye.camera.choose("phone")
    page = table.open("/camera", host=True)
    page.click("button.primary", "Start the live picture")
    wait_until(lambda: table.eye.camera.frame() is not None)
    phone_picture, away = table.eye.phone_picture, threading.Event()

    def answered(data, still):
        if away.is_set():
            raise EyeAway
        return phone_picture(data, still)

    monkeypatch.setattr(table.eye, "phone_picture", answered)
    away.set()
    page.wait("document.querySelector('.phone-camera').innerText.includes('being started again')")
    away.clear()

    page.wait("document.querySelector('.phone-camera').innerText.includes('Pictures sent')")
    page.click("button.primary", "Stop")
    page.errors.clear()  # the browser notes the refusals


def test_phone_goes_on_as_the_camera_after_a_picture_that_cannot_be_used(table, monkeypatch):
    table.eye.camera.choose("phone")
    page = table.open("/camera", host=True)
    inbox = table.eye.camera.inbox
    refused: list[int] = []
    push = inbox.push

    def pushed(data, still=False):
        if not refused:
            refused.append(len(data))
            return push(data[: len(data) // 2], still)
        return push(data, still)

    monkeypatch.setattr(inbox, "push", pushed)
    page.click("button.primary", "Start the live picture")

    page.wait("document.querySelector('.phone-camera').innerText.includes('Pictures sent')")
    assert refused
    page.click("button.primary", "Stop")
    page.errors.clear()  # the browser notes the refusal


def test_phone_stops_when_another_camera_is_chosen(table):
    table.eye.camera.choose("phone")
    page = table.open("/camera", host=True)
    page.click("button.primary", "Start the live picture")
    wait_until(lambda: table.eye.camera.frame() is not None)

    table.eye.camera.choose("demo")

    page.wait("document.querySelector('.phone-camera video').hidden")
    page.errors.clear()  # the browser notes the refusal


def test_over_plain_http_the_phone_is_offered_https(table, tmp_path):
    if shutil.which("openssl") is None:
        pytest.skip("this system has no openssl")
    table.companion.https = HttpsOffer(tmp_path / "tls", "127.0.0.1", table.server, 0)
    page = table.open("/settings")
    page.ask("Security.enable")
    page.ask("Security.setIgnoreCertificateErrors", ignore=True)
    plain = table.url.replace("127.0.0.1", "snake-eye.local")
    page.go(plain + "/camera")

    page.click("button", "Take the phone as the camera")
    page.fill("#pin-field", "424242")
    page.click("dialog button.primary")
    page.wait("!document.querySelector('dialog')")
    page.wait("document.querySelector('.phone-camera').innerText.includes('https')")
    page.click(".phone-camera button", "secure page")
    page.wait("document.querySelector('a[href^=https]')")
    page.go(page.js("document.querySelector('a[href^=https]').href"))

    assert page.js("isSecureContext && location.protocol") == "https:"
    page.wait("!!document.querySelector('button.primary.big.wide')")
    page.errors.clear()  # the browser notes the refusal that asked for the PIN


def test_axe_finds_no_fault_in_any_step(table):
    table.eye.camera.choose("phone")
    push(table, np.full((360, 640, 3), 8, np.uint8))
    page = table.open("/new", host=True)

    def check(name, ready):
        page.wait(ready)
        assert faults(page) == [], name

    check("camera", "document.querySelector('.ready-line.bad')")
    page.js("document.querySelector('.camera-step details').open = true")
    check("sheet", "document.querySelector('.camera-step details button')")
    page.click("button.primary.big", "Next")
    page.click(".game-card", "Schlangennest")
    check("players", "document.querySelector('.seat-row')")
    page.click("button.primary", "Next")
    page.js("document.querySelector('.options').open = true")
    check("ready", "document.querySelector('.options select')")
    page.go(table.url + "/camera")
    check("phone", "document.querySelector('.phone-camera .ready-line.bad')")


@pytest.mark.parametrize("language", ["de", "ru"])
def test_every_step_is_in_the_chosen_language(table, language):
    table.eye.camera.choose("phone")
    push(table, np.full((360, 640, 3), 8, np.uint8))
    page = table.open("/settings", host=True)
    page.js(f"fetch('/language/{language}')")
    said = []

    def read(ready):
        page.wait(ready)
        said.append(page.js("document.querySelector('main').innerText"))

    page.go(table.url + "/camera")
    read("document.querySelector('.phone-camera .ready-line.bad')")
    page.go(table.url + "/new")
    read("document.querySelector('.camera-step .advice li')")
    for game in range(5):
        page.js("document.querySelectorAll('.steps button')[1]?.click()")
        page.js("document.querySelector('.camera-step .primary.big')?.click()")
        page.wait(f"document.querySelectorAll('.game-card')[{game}]")
        page.js(f"document.querySelectorAll('.game-card')[{game}].click()")
        page.js(
            "document.querySelectorAll('.seat-row input.name')"
            ".forEach((e, n) => { e.value = 'N' + n; e.dispatchEvent(new Event('input')); })"
        )
        read("document.querySelector('.seat-row')")
        page.js("document.querySelector('.card .primary.big').click()")
        page.js("document.querySelectorAll('.options').forEach((e) => { e.open = true; })")
        read("document.querySelector('.looks')")

    assert english_in(" ".join(said)) == []


def test_box_from_a_shop_is_taught_first(table):
    page = table.open("/new", host=True)
    page.wait("document.querySelector('.camera-step') || document.querySelector('.game-card')")
    to_players(page, "Schlangennest")

    page.wait("document.querySelector('.boxes [aria-pressed=true]')?.innerText === 'Printed here'")
    page.click(".boxes button", "The box from a shop")
    assert "never seen a bought box" in page.text("dialog")
    page.click("dialog button.primary")

    page.wait("location.pathname === '/teach' && document.querySelector('#teach-photo')")
