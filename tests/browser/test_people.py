"""Games that people are in the middle of, and the people themselves, in a real browser."""

from __future__ import annotations

import pytest

from tests.browser.access import axe_faults, too_small

pytestmark = pytest.mark.browser
SMALLEST = 360, 740
FITS = "document.documentElement.scrollWidth <= innerWidth"


def starts_another(page):
    """Go through the wizard, up to its last button."""
    page.click(".game-card", "Snekagon")
    page.wait("document.querySelector('.seat-row')")
    page.click("button.primary.big")
    page.wait("document.querySelector('.hint-line')")
    page.click("button.primary.big")
    page.wait("document.querySelector('dialog .way')")


def test_running_game_is_left_only_by_an_answer(served, script):
    served.begin(script.record, {"blue": "Anna", "red": "Ben"})
    served.play(script.record, 4)
    first = served.desk.match.key
    page = served.open("/new", SMALLEST, host=True, language="ru")

    starts_another(page)
    assert page.js(FITS)
    assert axe_faults(page) == []
    assert too_small(page) == []
    page.click("[data-way=stay]")
    assert served.desk.match.key == first

    page.click("button.primary.big")
    page.click("[data-way=keep]")
    page.wait("location.pathname === '/'")
    assert served.desk.match.key != first
    assert not any(line.kind == "ended" for line in served.store.lines(first))


def test_game_that_is_ended_for_another_counts_and_tells_its_winner(served, script):
    served.begin(script.record, {"blue": "Anna", "red": "Ben"})
    served.play(script.record, 4)
    first = served.desk.match.key
    page = served.open("/new", host=True)

    starts_another(page)
    page.click("[data-way=end]")
    page.wait("document.querySelectorAll('dialog .ranks li').length === 2")
    assert served.desk.match.key == first
    page.click("[data-way=on]")

    page.wait("location.pathname === '/'")
    assert served.desk.match.key != first
    assert any(line.kind == "ended" for line in served.store.lines(first))


def test_kept_game_is_gone_on_with_only_when_the_running_one_is_answered_for(served, script):
    served.begin(script.record)
    served.play(script.record, 2)
    kept = served.desk.match.key
    served.begin(script.record)
    running = served.desk.match.key
    page = served.open(f"/games/{kept}", host=True)

    page.click("button", "Go on playing")
    page.wait("document.querySelector('dialog .way')")
    assert served.desk.match.key == running
    page.click("[data-way=keep]")

    page.wait("location.pathname === '/'")
    assert served.desk.match.key == kept
