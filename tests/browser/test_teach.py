"""The teaching wizard on a phone: from a photo over names to a box that reads."""

from __future__ import annotations

import json

import pytest

from companion_app.web.views.teaching import DRAFT
from tests.browser.chromium import wait_until
from tests.browser.conftest import PHONE
from tests.companion_app.web.views.test_teaching import LAID, kinds_of, photo
from tests.lessons import ShortLessons

pytestmark = pytest.mark.browser
LEARNING_S = 300.0


def give_file(page, selector: str, path) -> None:
    """Choose a file as a finger would."""
    root = page.ask("DOM.getDocument")["root"]["nodeId"]
    node = page.ask("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
    page.ask("DOM.setFileInputFiles", files=[str(path)], nodeId=node)


def test_a_photo_becomes_a_box_that_reads(served, tmp_path):
    picture = tmp_path / "tiles.jpg"
    picture.write_bytes(photo())
    served.companion.hands = ShortLessons(served.companion.hands)
    page = served.open("/teach", host=True)
    page.wait("document.querySelector('#teach-photo')")

    give_file(page, "#teach-photo", picture)
    page.wait("document.querySelectorAll('.teach-group').length === 3", LEARNING_S)
    assert page.js("document.querySelectorAll('.teach-tile img').length") == len(LAID)
    assert page.js(f"document.documentElement.scrollWidth <= {PHONE[0]}")
    page.shot(tmp_path / "groups.png")

    lesson = served.app.extensions[DRAFT].shown()["lesson"]
    kinds = kinds_of(lesson)
    for group, kind in {t["group"]: kinds[n] for n, t in enumerate(lesson["tiles"])}.items():
        page.fill(f"input[data-group='{group}']", kind)
    page.fill("#teach-name", "my-box")
    named = {t["group"]: kinds[n] for n, t in enumerate(lesson["tiles"])}
    wait_until(lambda: len(served.app.extensions[DRAFT].shown()["lesson"]["names"]) == len(named))
    page.click("#teach-go")
    page.wait("document.querySelector('.teach-report')", LEARNING_S)
    page.shot(tmp_path / "learnt.png")

    assert "my-box" in page.text(".teach-report")
    said = served.host().get("/api/teaching")["boxes"][0]
    for facts, words in (
        (said | {"missing": ["oak"]}, "Next photo: oak, which no photo shows yet."),
        (said | {"poor": [{"file": "0.png", "why": "dark"}]}, "the same tiles once more"),
        (said | {"alike": [{"tiles": ["sea", "sun"]}]}, "sea, sun"),
        (said | {"unsure": [], "alike": [], "kinds": [{"tile": "sea", "examples": 1}]}, "sea once"),
    ):
        told = f"import('/static/teach.js').then((page) => page.bestPhoto({json.dumps(facts)}))"
        assert words in page.js(told)
    page.wait("document.querySelector('details.teach-box')")
    page.js("document.querySelector('details.teach-box').open = true")
    give_file(page, "#trial-my-box", picture)
    page.wait(
        "/\\d/.test(document.querySelector('details.teach-box p[role=status]').textContent)",
        LEARNING_S,
    )
    _shelf_is_kept(served, page, tmp_path)


def _shelf_is_kept(served, page, folder) -> None:
    """Rename the box, save it, take it in beside itself, and delete it."""
    boxes = "[...document.querySelectorAll('.teach-box')].map((one) => one.dataset.box).join()"
    page.js("window.prompt = (text, now) => (now === 'my-box' ? 'his-box' : now)")
    page.js("window.confirm = () => true")
    page.js("document.querySelector('details.teach-box').open = true")
    page.click("details.teach-box button", "Rename")
    page.wait("document.querySelector('.teach-box summary b').textContent === 'his-box'")
    link = page.js("document.querySelector('details.teach-box a[download]').getAttribute('href')")
    (folder / "present.zip").write_bytes(served.host().client.get(link).data)

    served.time_s += 100  # Uploads are counted by the minute.
    give_file(page, "#teach-import", folder / "present.zip")
    page.wait(f"{boxes} === 'my-box,present-2'")
    page.errors.clear()  # the browser notes that the name was taken
    page.js("document.querySelector('details.teach-box').open = true")
    page.click("details.teach-box button", "Delete")
    page.wait(f"{boxes} === 'present-2'")
