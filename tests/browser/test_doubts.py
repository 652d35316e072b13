"""Painted tables that are really read, in a real browser: covered, doubtful, scored by a photo."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import cv2
import numpy as np
import pytest

from companion_app.eye.watching import Watched
from companion_app.live.demo import DemoTable, demo_record, dice, plan
from companion_app.live.reading import make_reader
from companion_app.web.lessons.photo_reading import read_photo
from engine.game import Start
from tests.browser.access import axe_faults
from tests.browser.chromium import wait_until
from tests.browser.test_teach import give_file
from vision.core.types import Frame

pytestmark = pytest.mark.browser

GAME = "schlangennest"
FRAMES_A_SECOND = 5.0
CUP, COIN = (60, 90, 120), (128, 128, 128)


class Still:
    """A camera over a table on which the test lays things."""

    live = False

    def __init__(self, bgr: np.ndarray) -> None:
        self.bgr = bgr
        self._closed = False

    def frames(self) -> Iterator[Frame | None]:
        """Yield what lies there right now."""
        number = 0
        while not self._closed:
            number += 1
            yield Frame(self.bgr.copy(), number / FRAMES_A_SECOND)
            time.sleep(0.5 / FRAMES_A_SECOND)

    def close(self) -> None:
        """Stop."""
        self._closed = True


@pytest.fixture(scope="module")
def begun():
    """Return the start of a demo game, and what it looks like after four and after five moves."""
    record = demo_record(GAME)
    positions = [record.game.opening(record.start, record.tile_set)]
    for move in plan(record.game, positions[0], dice(GAME, 1))[:5]:
        positions.append(record.game.apply(positions[-1], move))
    return record, *positions[4:]


def painted(record, position) -> np.ndarray:
    table = DemoTable(GAME, record.game.layout(position), record.start.players, size_px=(960, 540))
    frame = next(iter(table.frames()))
    assert frame is not None
    return frame.bgr


def watched(served, record, position, bgr) -> Still:
    """Take up a game in its middle, before a camera that sees a picture."""
    lying = record.game.layout(position)
    start = Start(record.start.players, record.start.options, lying, position.to_move, midgame=True)
    source = Still(bgr)
    served.desk.begin(
        replace(record, start=start),
        {"blue": "Anna"},
        Watched("demo", source, make_reader(record.game, record.tile_set)),
    )
    return source


def seen_at(served, card) -> np.ndarray:
    """Return where in the picture the loop sees a card."""
    wait_until(lambda: served.desk.feeder.loop.state == "settled")
    return np.asarray(served.desk.feeder.loop.outlines_px[0, *card.at], np.float32)


def without(bgr: np.ndarray, outline: np.ndarray) -> np.ndarray:
    """Return the picture with the bare table where a card lies."""
    there = cv2.fillPoly(np.zeros(bgr.shape[:2], np.uint8), [outline.astype(np.int32)], 255)
    return cv2.inpaint(bgr, cv2.dilate(there, np.ones((13, 13))), 5, cv2.INPAINT_TELEA)


def with_disc(bgr: np.ndarray, outline: np.ndarray, share: float, colour) -> np.ndarray:
    """Return the picture with a disc over a card, by its share of the card's half diagonal."""
    radius = share * float(np.linalg.norm(outline[0] - outline[2])) / 2
    middle = outline.mean(axis=0)
    return cv2.circle(
        bgr.copy(), (int(middle[0]), int(middle[1])), int(radius), colour, -1, cv2.LINE_AA
    )


def test_tile_under_a_cup_is_shown_as_covered_and_still_counts(served, begun):
    record, four, five = begun
    (card,) = record.game.layout(five).cards - record.game.layout(four).cards
    bgr = painted(record, five)
    source = watched(served, record, five, bgr)
    page = served.open("/", host=True)
    outline = seen_at(served, card)
    before = page.text(".players")

    source.bgr = with_disc(bgr, outline, 0.95, CUP)
    page.wait("document.querySelectorAll('.board .veil.covered').length === 1")

    assert "covered" in page.text(".source .badge[title*='covered']")
    assert page.text(".players") == before
    assert axe_faults(page) == []
    page.click(".tool", "Camera")
    page.wait("document.querySelectorAll('.seen .covered polygon').length === 1")
    page.click(".tool", "Drawing")
    source.bgr = bgr
    page.wait("document.querySelector('.board .tap') && !document.querySelector('.board .veil')")
    assert served.desk.match.accepted == ()


def test_tile_under_a_coin_is_asked_about_and_answered_by_its_picture(served, begun):
    record, four, five = begun
    (new,) = record.game.layout(five).cards - record.game.layout(four).cards
    bgr = painted(record, five)
    watched(served, record, five, bgr)
    outline = seen_at(served, new)
    source = watched(served, record, four, without(bgr, outline))
    page = served.open("/", host=True)
    # What the desk says may still be of the camera before.
    wait_until(lambda: served.desk.feeder.loop.state == "settled")

    source.bgr = with_disc(bgr, outline, 0.7, COIN)
    page.wait("document.querySelector('.question .pictured img')?.complete")
    page.wait("document.querySelectorAll('.board .lit.ask').length === 1")
    pictures = page.js("[...document.querySelectorAll('.pictured img')].map((i) => i.src)")
    wanted = [n for n, src in enumerate(pictures) if new.tile.replace("/", "%2F") in src]
    page.js(f"document.querySelectorAll('.question .pictured')[{wanted[0]}].click()")

    wait_until(lambda: served.desk.match.accepted)
    move = served.desk.match.accepted[0].move
    assert (move.tile, move.at, move.turns) == (new.tile, new.at, new.turns)
    page.wait("document.querySelector('.moves summary')?.innerText === 'Moves: 1'")
    page.wait("document.querySelector('.board .tap') && !document.querySelector('.board .lit.ask')")


POINTS = "[...document.querySelectorAll('.photo-scores .points')].map((e) => +e.innerText)"


def test_one_photo_is_scored_put_right_and_read_as_another_game(served, begun, tmp_path):
    record, _, five = begun
    served.companion.read_photo = read_photo
    photo = tmp_path / "table.jpg"
    cv2.imwrite(str(photo), painted(record, five))
    page = served.open("/photo", language="de", dark=True)
    page.letters(200)
    page.wait("document.querySelector('select option')")
    (tmp_path / "no.jpg").write_text("no picture")

    give_file(page, "#photo-kept", tmp_path / "no.jpg")
    page.wait("document.querySelector('.photo .problem')")
    assert "JPEG" in page.text(".photo .problem")
    assert "/" not in page.text(".photo .problem")
    page.errors.clear()  # the browser notes the refusal
    give_file(page, "#photo-file", photo)
    page.wait("document.querySelector('.photo-scores')")
    assert page.text(".photo-scores .kicker").lower() == "das spiel ist noch nicht zu ende"

    scores = sorted(record.game.outcome(five).scores.values(), reverse=True)
    lying = record.game.layout(five).cards
    assert page.js(POINTS) == scores
    assert page.text(".photo-scores .headline").endswith(f": {scores[0]}")
    taps = "document.querySelectorAll('.photo-seen .tap').length"
    page.wait(f"{taps} === {len(lying)}")
    assert page.js("document.documentElement.scrollWidth <= innerWidth")
    assert axe_faults(page) == []

    # Another game that is chosen is for the next photo.
    page.js("document.querySelector('#photo-game').value = 'snekagon'")
    page.js(
        "document.querySelector('.photo-seen .tap')"
        ".dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter'}))"
    )
    page.click("dialog button", "Hier liegt kein Plättchen")
    page.wait(f"{taps} === {len(lying) - 1}")
    page.wait(f"{POINTS}.join() !== {','.join(map(str, scores))!r}")
    page.click(".toast button")
    page.wait(f"{taps} === {len(lying)}")
    page.wait(f"{POINTS}.join() === {','.join(map(str, scores))!r}")

    page.js(
        "window.offered = []; import('/static/photo.js').then(({ PhotoView }) => {"
        " const view = new PhotoView();"
        " view.game.append(new Option('Carnival', 'carnival'));"
        " offered = [...view.offered('carnival'), ...view.offered(null)]; })"
    )
    page.wait("offered.map((one) => one.innerText).join() === 'Als Carnival lesen'")
