"""From the wizard to the end of a demo game, in all five games: every picture is made and read."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion_app.eye.corrections import Corrections
from companion_app.eye.watching import Watched
from companion_app.live.demo import DemoSource, Manners
from companion_app.live.reading import make_reader
from engine.record import parse_record, record_to_json
from engine.referee import referee_record
from tests.browser.chromium import wait_until
from tests.browser.conftest import DESKTOP, MOST_SHIFT, PHONE

pytestmark = pytest.mark.browser

TITLES = {
    "schlangennest": "Schlangennest",
    "snekagon": "Snekagon",
    "snekagon5g": "Snekagon 5G",
    "sssnake": "Sssnake",
    "carnival": "Carnival",
}
ON_DESKTOP = ("schlangennest", "snekagon5g")
FOULS = (3, 5)
"""Before which moves somebody tries what is not allowed."""
ENDED_EARLY = ("snekagon", "snekagon5g", "sssnake")
"""The longest games: the host ends them; the others are played until the rules end them."""
SMALL_HANDS = 3
"""Tiles a player after which Carnival's last round is announced."""
GAME_S = 240.0
"""So long a hastened game may take on a busy machine."""


def fed(served, folder):
    """Let the demo's players wait for the host whenever a foul was called."""
    served.eye.corrections = Corrections(folder / "corrections")
    manners = Manners(pace_s=0.2, foul_s=600.0, foul_at=FOULS)

    def feeder(record):
        name = record.game.facts.name
        source = DemoSource(name, 1, 200.0, (960, 540), record=record, manners=manners)
        return Watched("demo", source, make_reader(record.game, record.tile_set))

    served.eye.make_feeder = feeder


def begun_by_wizard(served, game):
    page = served.open("/new", DESKTOP if game in ON_DESKTOP else PHONE, host=True)
    page.wait("document.querySelector('.game-card')")
    found = "[...document.querySelectorAll('.game-card')].find((e) => "
    page.js(f"{found} e.querySelector('b').innerText === '{TITLES[game]}').click()")
    page.click("button.primary", "Next")
    if game == "schlangennest":
        page.click(".options summary")
        page.fill(".options select", '"own"')
        page.js(
            "document.querySelectorAll('.own-size input').forEach((e) => { e.value = '4'; "
            "e.dispatchEvent(new Event('change', {bubbles: true})); })"
        )
    page.click("button.primary", "Start")
    page.wait("document.querySelector('.board svg')")
    return page


def overruled(served, page):
    """Overrule the first foul; the game goes on from there."""
    page.wait("document.querySelector('.foul .headline')", GAME_S)
    number = served.desk.referee.doubts.pending.n
    page.wait("document.querySelector('.foul .crop .picture')?.getBBox().width > 99")
    page.click(".foul button", "overrule")
    wait_until(lambda: len(served.desk.match.accepted) >= number)
    assert served.desk.match.accepted[number - 1].overruled
    page.wait("!document.querySelector('.foul')")


def taken_back(served, page):
    """Take the second foul back; the demo's players lift its tile."""
    page.wait("document.querySelector('.foul .headline')", GAME_S)
    number = served.desk.referee.doubts.pending.n
    page.click(".foul button", "Take it back")
    page.wait("!document.querySelector('.foul')")
    wait_until(lambda: len(served.desk.match.accepted) >= number, GAME_S)
    assert not served.desk.match.accepted[number - 1].violations


@pytest.mark.parametrize("game", TITLES)
def test_wizard_leads_to_a_finished_game_with_a_foul_overruled_and_one_taken_back(
    served, game, tmp_path, monkeypatch
):
    monkeypatch.setattr("companion_app.live.demo.FINALE_AFTER_TILES", SMALL_HANDS)
    fed(served, tmp_path)
    page = begun_by_wizard(served, game)

    overruled(served, page)
    page.go(served.url + "/")
    page.wait("document.querySelector('.board svg')")
    page.watch_shifts()
    taken_back(served, page)
    if game in ENDED_EARLY:
        corrected(served)  # the camera no longer looks once the host has ended it
        ended_by_the_host(page)
    page.wait("document.querySelector('.over .headline')", GAME_S)
    assert page.shifted() <= MOST_SHIFT, page.js("shifts")
    if game == "schlangennest":
        seen_by_the_camera(page)

    match = served.desk.match
    flags = [judged["legal"] for judged in referee_record(match.record())["moves"]]
    shown = page.js("[...document.querySelectorAll('.player .points')].map((e) => e.innerText)")
    scores = match.game.outcome(match.position).scores.values()
    assert [s.replace("−", "-") for s in shown] == ["–" if s is None else str(s) for s in scores]
    assert sum(bool(one.violations) for one in match.accepted) == 1
    assert flags.index(False) + 1 == FOULS[0]
    sent = page.js(f"fetch('/api/games/{match.key}/record.json').then((r) => r.json())")
    assert record_to_json(parse_record(sent)) == record_to_json(match.record())
    pictures = [served.store.picture(one.seq, "after") for one in match.accepted]
    assert sum(picture is not None for picture in pictures) > len(pictures) / 3
    if game not in ENDED_EARLY:
        corrected(served)


def ended_by_the_host(page):
    """End the game before all tiles lie there; the score counts as it stands."""
    page.click(".tool[title='End game']")
    page.click("dialog button.danger", "End game")


def seen_by_the_camera(page):
    """Tap a tile: its sheet shows what the camera sees there beside what it was read as."""
    page.click(".over .fold")
    page.js(
        "document.querySelector('.board .tap').dispatchEvent("
        "new MouseEvent('click', {bubbles: true}))"
    )
    page.wait("document.querySelector('dialog .photo-part .crop .picture')")
    page.js("document.querySelector('dialog').close()")


def corrected(served):
    """Name the tile of the last move of which there is a picture: it is kept with that label."""
    match = served.desk.match
    number, one = max(
        (
            (n, one)
            for n, one in enumerate(match.accepted, start=1)
            if one.move.do == "place" and served.store.picture(one.seq, "after") is not None
        ),
        key=lambda pair: pair[0],
    )
    same = {"tile": one.move.tile}
    if one.move.cells:
        same = {"cells": [list(cell) for cell in one.move.cells]}
    answer = served.host().post("/api/tell", {"correct": number, "move": same})
    assert answer.status_code == 200

    (kept,) = served.companion.corrections.listed()
    jpeg = served.companion.corrections.picture(kept["file"])
    crop = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert kept["tile"].endswith(one.move.tile)
    assert crop is not None
    assert min(crop.shape[:2]) > 24
