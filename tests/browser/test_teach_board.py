"""A wooden Snekagon taught on a phone: the empty board, tiles on it, colours, learnt, played."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion_app.hands.pool import Hands
from companion_app.web.views.teaching import DRAFT
from engine.placement import Layout
from models.lab.evaluate.taught.wood import lesson_layout, photograph
from tests.browser.chromium import Page
from tests.browser.conftest import PHONE
from tests.browser.test_teach import LEARNING_S, give_file
from tests.companion_app.web.test_board_lessons import LESSON, OTHER, SIZE_PX, by_truth

pytestmark = pytest.mark.browser


def fits_a_phone(page: Page) -> bool:
    return bool(page.js(f"document.documentElement.scrollWidth <= {PHONE[0]}"))


def framed(page: Page, board: int) -> int:
    return int(page.js(f"document.querySelectorAll('[data-board=\"{board}\"] .under').length"))


def written(folder: Path, name: str, layout: Layout, seed: int) -> Path:
    path = folder / name
    path.write_bytes(photograph(layout, SIZE_PX, seed))
    return path


@pytest.fixture
def home(served, monkeypatch):
    """Return the home of a served desk; its workers begin in it."""
    folder = served.store.path.parent
    monkeypatch.setenv("SNAKE_EYE_HOME", str(folder))
    served.use_sets(folder / "sets")
    with Hands() as hands:
        served.companion.hands = hands
        yield folder


@pytest.mark.usefixtures("home")
def test_a_wooden_board_becomes_a_box_that_plays(served, tmp_path):
    page = served.open("/teach", host=True)
    page.wait("document.querySelector('#teach-shape')")
    page.fill("#teach-shape", "board")
    assert "Snekagon 5G" in page.text("main")  # Is taught elsewhere, and that is said.
    assert page.js(
        "[...document.querySelector('#teach-board-game').options].map((o) => o.value)"
    ) == ["snekagon"]

    give_file(page, "#teach-photo", written(tmp_path, "empty.jpg", Layout(), LESSON))
    page.wait("document.querySelector('[data-board=\"0\"] image')", LEARNING_S)
    give_file(page, "#teach-photo", written(tmp_path, "tiles.jpg", lesson_layout(LESSON), LESSON))
    page.wait("document.querySelector('[data-board=\"1\"] image')", LEARNING_S)
    assert (framed(page, 0), framed(page, 1)) == (0, 16)
    assert fits_a_phone(page)
    page.js("document.querySelector('[data-board=\"1\"]').scrollIntoView()")
    page.shot(tmp_path / "found.png")

    # A cell is said to be bare, and given back to its tile.
    lesson = served.app.extensions[DRAFT].shown()["lesson"]
    piece = next(one for one in lesson["boards"][1]["pieces"] if len(one["cells"]) == 2)
    q, r = piece["cells"][0]
    page.click(f"[data-board='1'] [data-cell='{q},{r}']")
    page.wait("document.querySelector('[data-board=\"1\"] [aria-pressed=true]')")
    page.shot(tmp_path / "picked.png")
    page.click("[data-board='1'] [data-lies=bare]")
    page.wait("!document.querySelector('[data-board=\"1\"] [aria-pressed=true]')")
    for q, r in piece["cells"]:
        page.click(f"[data-board='1'] [data-cell='{q},{r}']")
    page.click(f"[data-board='1'] [data-lies={piece['colour']}]")
    page.wait("!document.querySelector('[data-board=\"1\"] [aria-pressed=true]')")

    for sort, colour in by_truth(lesson, LESSON).items():
        page.fill(f"select[data-sort='{sort}']", colour)
        page.wait(f"document.querySelector(\"select[data-sort='{sort}']\").value === '{colour}'")
    page.wait("document.querySelectorAll('.teach-needs li:not(.done)').length === 0")
    page.js("document.querySelector('.teach-needs').scrollIntoView()")
    page.shot(tmp_path / "needs.png")
    page.fill("#teach-name", "my-wood")
    page.click("#teach-go")
    page.wait("document.querySelector('.teach-report')", LEARNING_S)
    assert "my-wood: the board is learnt" in page.text(".teach-report")
    page.js("document.querySelector('.teach-report').scrollIntoView()")
    page.shot(tmp_path / "learnt.png")

    page.js("document.querySelector('details.teach-box').open = true")
    give_file(page, "#trial-my-wood", written(tmp_path, "other.jpg", lesson_layout(OTHER), OTHER))
    page.wait(
        "/16/.test(document.querySelector('details.teach-box p[role=status]').textContent)",
        LEARNING_S,
    )
    assert fits_a_phone(page)
    page.click("details.teach-box button", "Play")
    page.wait("document.querySelector('.setup .boxes [aria-pressed=true]')")
    chosen = page.js("document.querySelector('.setup .boxes [aria-pressed=true]').dataset.set")
    assert chosen == "my-wood"
    page.click(".setup button.primary", "Next")
    page.click(".setup button.primary", "Start")
    page.wait("location.pathname === '/'")
    assert served.desk.match.box.name == "my-wood"
