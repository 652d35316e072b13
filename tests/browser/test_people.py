"""Games that people are in the middle of, and the people themselves, in a real browser."""

from __future__ import annotations

import pytest

from tests.browser.access import axe_faults, too_small

pytestmark = pytest.mark.browser
SMALLEST = 360, 740
LETTERS = "[...document.querySelectorAll('.player b')].map((e) => e.innerText)"
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


@pytest.fixture
def evening(served, script):
    """Return a desk with a finished game of Anna and Ben, which is not on the table any more."""
    served.begin(script.record, {"blue": "Anna", "red": "Ben"})
    served.play(script.record)
    served.desk.end()
    served.desk.referee = None
    return served


def test_same_as_last_time_starts_in_two_taps(evening):
    page = evening.open("/", SMALLEST, host=True, language="ru")

    page.click("#tabs a[href='/new']")
    page.click("button.again")

    page.wait("location.pathname === '/'")
    page.wait(f"String({LETTERS}) === 'Anna,Ben'")
    assert evening.desk.match.accepted == ()


def test_people_are_seated_by_a_tap_where_they_sat_last_time(evening):
    page = evening.open("/new", SMALLEST, language="ru")
    page.wait("document.querySelector('.host-first')")
    page.js(
        "import('/static/ui.js').then((ui) => ui.post('/api/login', {pin: '424242'})"
        ".then(() => ui.loadMe())).then(() => document.dispatchEvent(new Event('host')))"
    )
    page.wait("!document.querySelector('.host-first')")

    page.click(".game-card", "Schlangennest")
    page.wait("document.querySelectorAll('.chip[aria-pressed=true]').length === 2")
    page.click(".chip", "Anna")
    assert page.js("document.querySelector('.seat-row .name').value") == ""
    page.click(".chip", "Anna")
    assert page.js("document.querySelector('.seat-row .name').value") == "Anna"
    assert "1" in page.js("document.querySelector('#known-names option').label")
    button = page.js("document.querySelector('.on-bar .primary').getBoundingClientRect().bottom")
    assert button <= SMALLEST[1]
    assert page.js(FITS)
    assert axe_faults(page) == []
    assert too_small(page) == []


def test_phone_is_the_same_person_in_the_next_game_or_is_asked(served, script):
    served.begin(script.record, {"blue": "Anna", "red": "Ben"})
    page = served.open(f"/#join={served.settings.now.join_code}", SMALLEST)
    page.click("dialog label.option", "Anna")
    page.click("dialog .primary")
    page.wait("!document.querySelector('dialog')")

    served.begin(script.record, {"blue": "Ben", "red": "Anna"})
    page.wait(f"String({LETTERS}) === 'Ben,Anna'")
    page.wait("import('/static/ui.js').then((ui) => String(ui.me.seats) === 'red')")
    assert not page.js("!!document.querySelector('dialog')")

    served.begin(script.record, {"blue": "Ben", "red": "Cleo"})
    page.wait("document.querySelectorAll('dialog label.option').length === 2")
    assert axe_faults(page) == []
    page.click("dialog button", "Just watching")
    page.wait("import('/static/ui.js').then((ui) => !ui.me.asks_who)")


def test_person_is_renamed_and_forgotten_on_the_page(evening):
    page = evening.open("/games", SMALLEST, host=True)
    page.click("[data-person=Anna]")
    page.wait("document.querySelectorAll('dialog .people li').length === 2")
    assert page.js(FITS)
    assert axe_faults(page) == []
    assert too_small(page) == []

    page.click("dialog button", "Rename")
    page.fill("dialog form input", "Ben")
    assert "one person" in page.text("dialog form p")
    page.fill("dialog form input", "Anne")
    page.click("dialog button.primary")
    page.click("[data-person=Anne]")
    page.click("dialog button", "Forget")
    page.click("dialog button.danger")

    page.wait("!document.querySelector('[data-person=Anne]')")
    assert page.js("document.querySelectorAll('.person').length") == 1
