"""What an owner and a camera's phone see, each once on its hardest screen."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion_app.eye.camera import TableCamera
from companion_app.eye.desk import Feeder
from tests.browser.access import axe_faults, too_small
from tests.browser.conftest import LYING, PHONE
from tests.browser.test_teach import give_file

pytestmark = pytest.mark.browser
LONG_S = 120.0
FITS = "document.documentElement.scrollWidth <= innerWidth"


class Phone(Feeder):
    """A phone over the table, whose pictures the test itself stands for."""

    kind = "phone"


def test_the_phone_that_is_the_camera_shows_the_verdict_and_the_table(served, script, tmp_path):
    number, foul = script.fouls[0]
    served.begin(script.record)
    served.desk.feeder = Phone()
    served.look_through(TableCamera(served.desk, "phone", tmp_path))
    served.play(script.record, number)
    page = served.open("/camera", dark=True, host=True, language="ru")
    page.letters(200)
    page.wait("document.querySelector('.phone-table .last .headline')")
    page.wait("document.querySelector('.phone-table img').naturalWidth > 0")

    assert (
        page.text(".phone-table .last .headline")
        == served.guest().get("/api/state?lang=ru")["moves"][-1]["text"]
    )
    served.lay(foul)
    page.wait("document.querySelector('.phone-table .illegal small').textContent.length > 10")
    assert page.js(FITS)
    assert axe_faults(page) == []


def test_host_backs_up_and_is_told_why_nothing_is_restored(served, tmp_path):
    page = served.open("/settings", dark=True, host=True, language="cs")
    page.letters(200)
    page.click("#backups")
    page.js("HTMLAnchorElement.prototype.click = function () { window.fetched = this.href; }")

    page.click("#backup-make")
    page.wait("window.fetched?.endsWith('/api/backup.zip')", LONG_S)
    (tmp_path / "no.zip").write_bytes(b"no backup")
    give_file(page, "#backup-file", tmp_path / "no.zip")
    assert axe_faults(page) == []
    page.click("#restore-go")
    page.wait("document.querySelector('dialog .problem')", LONG_S)

    assert "Snake Eye" in page.text(".toast.bad")
    assert page.js(FITS)
    page.errors.clear()  # the browser notes the refusal


def test_tiles_are_marked_by_hand_on_a_phone_on_its_side(served, tmp_path):
    bare = tmp_path / "bare.png"
    cv2.imwrite(str(bare), np.full((300, 400, 3), 200, np.uint8))
    page = served.open("/teach", LYING, host=True, language="de")
    page.wait("document.querySelector('#teach-photo')")

    give_file(page, "#teach-photo", bare)
    page.wait("document.querySelector('.teach-marks .primary')", LONG_S)
    assert page.js(FITS)
    page.click(".teach-marks .primary")
    page.wait("document.querySelector('.mark-photo img')?.naturalWidth > 0", LONG_S)
    for x, y in ((0.2, 0.2), (0.4, 0.2), (0.4, 0.5), (0.2, 0.5)):
        page.js(
            "(() => { const svg = document.querySelector('.mark-photo svg');"
            " const box = svg.getBoundingClientRect();"
            f" const at = {{ clientX: box.left + {x} * box.width,"
            f" clientY: box.top + {y} * box.height }};"
            " svg.dispatchEvent(new MouseEvent('click', at)); })()"
        )
    page.wait("document.querySelectorAll('.teach-tile').length === 1", LONG_S)
    assert axe_faults(page) == []


def test_sheets_are_printed_and_sound_is_offered_at_the_table(served, script):
    served.begin(script.record)
    page = served.open("/", PHONE, language="fr")
    page.click(".tool", "Son")
    page.click("dialog input[type=checkbox]")
    page.wait("document.querySelector('.tool[aria-pressed=true]')")
    assert axe_faults(page) == []
    page.js("document.querySelector('dialog').close()")
    page.letters(200)
    page.js(
        "import('/static/print.js').then(({ showPrints }) => fetch('/api/games')"
        ".then((answer) => answer.json()).then(({ games }) => showPrints("
        "games.find((one) => one.game === 'snekagon'), 'snekagon')))"
    )

    page.click("[data-part=instructions] button")
    page.wait(
        "document.querySelector('[data-part=instructions] a')?.href.startsWith('blob:')", LONG_S
    )
    assert page.js(FITS)
    assert too_small(page) == []
    assert axe_faults(page) == []
