"""The box was away and is back: every view fills itself, and shows the game that is on now."""

from __future__ import annotations

import json

import pytest

from companion_app.eye.camera import TableCamera
from companion_app.web.views.pages import VIEWS
from tests.browser.conftest import PHONE
from tests.companion_app.web.conftest import playthrough

pytestmark = pytest.mark.browser

OTHER = "sssnake_evening"
FILLED = {
    "/": "document.querySelectorAll('.board .tap').length === {tiles}",
    "/tv": "document.querySelectorAll('.board .tap').length === {tiles} && "
    "document.querySelector('.tv-join img').naturalWidth",
    "/new": "[...document.querySelectorAll('.game-card')].length === 5 && "
    "document.querySelector('button.again').innerText.includes('Sssnake')",
    "/games": "document.querySelectorAll('.game-list a').length === {games}",
    "/photo": "document.querySelectorAll('main option').length === 5",
    "/settings": "document.querySelectorAll('.links a').length > 3",
    "/join": "document.querySelector('.qr').naturalWidth",
    "/rules": "document.querySelectorAll('.rules > details').length === 5",
    "/camera": "document.querySelector('.phone-camera').innerText.includes('Another camera')",
    "/checkup": "document.querySelectorAll('.checks li').length > 3 && "
    "document.querySelector('main').innerText.includes('Version')",
    "/alone": "document.querySelectorAll('.alone .game-card').length === 5",
    "/teach": "document.querySelector('.teach').innerText.includes('Taught boxes')",
    "/games/KEY": "document.querySelectorAll('.board .tap').length === 3",
}


def test_walk_knows_every_view():
    assert {f"/{view}" for view in VIEWS} == set(FILLED) - {"/games/KEY"}


def opened(served, path):
    """Return a phone on which a view is open, and which keeps the page for bad days."""
    # Boxes are not for watchers.
    page = served.open(path, PHONE, host=path == "/teach", worker=True)
    page.wait("caches.match('/static/hexpick.js').then((kept) => !!kept)")
    page.wait("navigator.serviceWorker.getRegistration().then((r) => r?.active?.state)")
    page.wait("document.getElementById('line').dataset.live === 'yes'")
    return page


def with_camera(served, folder):
    served.eye.camera = TableCamera(served.desk, "demo", folder, speed=30)


def restart(served, folder, meanwhile=lambda: None):
    """Switch the box off and on; another game is on then."""
    served.eye.camera.release()
    served.away()
    meanwhile()
    served.back()
    with_camera(served, folder)
    other = playthrough(OTHER)
    served.begin(other)
    served.play(other, 6)


def check(served, pages):
    """Wait until every view shows what is there now."""
    guest = served.guest()
    tiles, games = len(guest.get("/api/state")["tiles"]), len(guest.get("/api/history")["games"])
    for page, filled in zip(pages, FILLED.values(), strict=True):
        page.wait(filled.replace("{tiles}", str(tiles)).replace("{games}", str(games)))
        page.wait("document.getElementById('line').dataset.live === 'yes'")
        # The browser itself notes what it could not fetch.
        page.errors = [error for error in page.errors if "net::ERR" not in error]


def test_every_view_comes_back_by_itself(served, script, tmp_path):
    served.begin(script.record)
    served.play(script.record, 3)
    with_camera(served, tmp_path)
    paths = [path.replace("KEY", served.desk.match.key) for path in FILLED]
    pages = [opened(served, path) for path in paths]

    def go_to_while_away():
        for page, path in zip(pages, paths, strict=True):
            page.wait("document.getElementById('line').dataset.live === 'no'")
            page.js(f"import('/static/app.js').then((app) => app.go({json.dumps(path)}))")

    def open_while_away():
        for page, path in zip(pages, paths, strict=True):
            page.ask("Page.navigate", url=served.url + path)
            page.wait("document.querySelector('main').innerText.includes('cannot be reached')")

    restart(served, tmp_path)
    check(served, pages)
    restart(served, tmp_path, go_to_while_away)
    check(served, pages)
    restart(served, tmp_path, open_while_away)
    check(served, pages)
    served.eye.camera.release()
