"""The guide in a real browser: reached from the menu and from a question, fit for every screen."""

from __future__ import annotations

import pytest

from companion_app.web.guide import CHAPTERS
from tests.browser.access import faults, too_small
from tests.browser.conftest import DESKTOP, PHONE
from tests.companion_app.web.conftest import playthrough

pytestmark = pytest.mark.browser


def test_menu_leads_to_the_guide_and_the_guide_back_to_the_table(served):
    page = served.open("/settings", language="de")
    page.click(".links a", "Anleitung")
    page.wait("document.querySelector('article h1')?.innerText === 'Die Anleitung'")

    page.click("article a", "Wenn etwas klemmt")
    page.wait("location.pathname === '/guide/de/trouble.md'")
    page.click("main a", "Zurück zum Tisch")

    page.wait("location.pathname === '/' && document.getElementById('tabs')?.children.length")


def test_question_leads_to_its_place_in_the_guide(served):
    served.begin(playthrough("sssnake_evening"))
    page = served.open("/", host=True)
    page.wait("document.querySelector('.question .guide-link')")

    page.go(page.js("document.querySelector('.question .guide-link').href"))

    page.wait("location.pathname === '/guide/en/unsure.md' && location.hash === '#roll'")
    page.wait("document.getElementById('roll').getBoundingClientRect().top >= 56")


@pytest.mark.parametrize(
    ("language", "size", "letters"),
    [("en", PHONE, 100), ("de", PHONE, 200), ("de", DESKTOP, 100)],
)
def test_every_chapter_fits_the_screen_and_has_no_fault_of_access(served, language, size, letters):
    page = served.open("/", size)
    page.letters(letters)
    for name in CHAPTERS:
        page.go(f"{served.url}/guide/{language}/{name}.md")
        page.wait("[...document.images].every((one) => one.complete && one.naturalWidth)")
        assert page.js("document.documentElement.scrollWidth <= innerWidth"), name
        # What axe finds in large letters it finds in small ones.
        assert (faults if letters == 100 else too_small)(page) == [], name


def test_chosen_colours_hold_in_the_guide(served):
    page = served.open("/")
    page.js("import('/static/ui.js').then((ui) => ui.choose('theme', 'dark'))")

    page.go(served.url + "/guide/en/light.md")

    page.wait("document.documentElement.dataset.theme === 'dark'")
