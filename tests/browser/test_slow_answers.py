"""Answers that come late, not at all, or while a sheet is open: nothing of it is lost.

The page's own requests are held or refused in the browser, where a slow network would do it.
"""

from __future__ import annotations

import pytest

from companion_app.eye.camera import TableCamera
from tests.browser.conftest import PHONE

pytestmark = pytest.mark.browser

MOVES = "document.querySelector('.moves summary')?.innerText"
LIVE = "document.getElementById('line').dataset.live"
HOLD = """(() => {
    const real = window.fetch;
    window.held = [];
    window.fetch = (url, how) => url !== ADDRESS ? real(url, how) : new Promise((done) => held.push((status, code) =>
      done(status ? new Response(JSON.stringify({ error: { code, text: code, detail: '' } }), { status }) : real(url, how))));
    window.release = () => { window.fetch = real; for (const go of held.splice(0)) go(); };
})()"""  # noqa: E501
"""From now on the requests of one address wait in ``held``; each is let go, or refused."""


def hold(page, address):
    page.js(HOLD.replace("ADDRESS", repr(address)))


def test_refusal_is_seen_over_an_open_sheet(served):
    page = served.open("/", PHONE)
    page.js(
        "import('/static/ui.js').then((ui) => { ui.sheet('A sheet', 'Its text');"
        " ui.attempt(() => { throw new Error('The disk is full.'); }); })"
    )

    page.wait(
        "document.querySelector('dialog[open] .toast.bad')?.innerText === 'The disk is full.'"
    )
    box = page.js("document.querySelector('.toast').getBoundingClientRect().toJSON()")
    at = int(box["left"]) + 6, int(box["top"] + box["height"] / 2)
    red, green, blue = page.picture().getpixel(at)
    assert red > 2 * max(green, blue)
    page.js("document.querySelector('dialog').close()")
    page.wait(
        "document.querySelector('body > #toasts .toast') && !document.querySelector('dialog')"
    )


def test_one_refused_look_at_the_table_is_made_good_while_the_stream_goes_on(served, script):
    served.begin(script.record)
    page = served.open("/", PHONE)
    page.wait(f"{LIVE} === 'yes'")
    hold(page, "/api/state")
    served.play(script.record, 1)
    page.wait("held.length === 1")
    page.js("held.shift()(503, 'full-house')")
    page.wait(f"{LIVE} === 'no'")
    page.js("release()")

    page.wait(f"{LIVE} === 'yes' && {MOVES} === 'Moves: 1'")


def test_foul_is_said_when_its_state_is_there_however_late(served, script):
    number, foul = script.fouls[0]
    served.begin(script.record)
    served.play(script.record, number)
    page = served.open("/", PHONE)
    page.wait(f"{LIVE} === 'yes' && {MOVES} === 'Moves: {number}'")
    page.js(
        "window.said = []; for (const id of ['assertive', 'polite'])"
        " new MutationObserver(() => { const text = document.getElementById(id).textContent;"
        " if (text) said.push(text); })"
        ".observe(document.getElementById(id), { childList: true })"
    )
    hold(page, "/api/state")
    served.lay(foul)
    page.wait("held.length === 1 && (window.since ??= performance.now())")
    page.wait("performance.now() - since > 600")  # longer than the page waits before it speaks
    page.js("release()")

    page.wait("said.length")
    assert page.text(".foul .headline") in page.js("said[0]")


def filming(served, tmp_path):
    """Return a phone that is the camera and sends; its pictures are held on their way."""
    served.eye.camera = TableCamera(served.desk, "phone", tmp_path)
    page = served.open("/camera", host=True)
    hold(page, "/api/camera/picture")
    page.click("button.primary", "Start the live picture")
    page.wait("held.length === 1")
    return page


def test_picture_of_a_stream_that_was_stopped_does_not_stop_the_next_one(served, tmp_path):
    page = filming(served, tmp_path)
    page.click("button.primary", "Stop")
    page.click("button.primary", "Start the live picture")
    page.wait("held.length === 2")
    page.js("held.shift()(400, 'other-camera')")
    page.wait("document.querySelector('.toast.bad')")
    page.js("release()")

    page.wait("/[1-9]/.test(document.querySelector('.phone-camera [role=status]').textContent)")
    assert page.js("!document.querySelector('video').hidden")
    page.click("button.primary", "Stop")
    served.eye.camera.release()


def test_phone_whose_camera_was_taken_away_stops_and_says_so(served, tmp_path):
    page = filming(served, tmp_path)
    page.js(
        "document.querySelector('video').srcObject.getVideoTracks()[0]"
        ".dispatchEvent(new Event('ended'))"
    )

    page.wait("document.querySelector('.phone-camera .problem').textContent")
    assert page.js("document.querySelector('video').hidden")
    page.js("release()")
    served.eye.camera.release()
