"""The hall's page in a real browser: live cards, one table large, the arbiter, words as text."""

from __future__ import annotations

import pytest

from companion_app.games.entries import Names
from tests.browser.hall_fixtures import hall, opened

__all__ = ["hall", "opened"]
pytestmark = pytest.mark.browser
MANY = 500


def test_table_is_live_in_the_hall_and_opens_large(opened, hall):
    from companion_app.hall.demo import Player

    table = hall.table("<b>Table</b> 1")
    page = opened("/")
    page.wait("document.querySelector('.hall-table')")
    player = Player(table.store, 2, "snekagon")
    for _ in range(3):
        player.step()
    page.wait("document.querySelectorAll('.hall-table li').length === 2")
    page.wait("document.querySelector('.hall-table img')?.naturalWidth > 0")
    assert page.text(".hall-table header b") == "<b>Table</b> 1"

    page.click(".hall-table a")
    page.wait("document.querySelector('.hall-large svg .tap')")
    page.js(
        "const s = document.querySelector('.hall-replay input'); s.value = 0;"
        "s.dispatchEvent(new Event('input'))"
    )
    page.wait("!document.querySelector('.hall-large svg .tap')")


def test_hall_of_many_tables_finds_a_player(opened, hall, monkeypatch):
    from companion_app.hall.store import hall_store

    # The page is the same on PostgreSQL, which takes so many.
    monkeypatch.setattr(hall_store, "MOST_EMBEDDED", MANY)
    store = hall.process.store
    for number in range(MANY):
        id_ = f"{number:024x}"
        store.add_table(id_, "key", f"Table {number + 1}", 0)
        if number == 300:
            people = [
                {
                    "id": "red",
                    "name": "Zoe",
                    "coloured": True,
                    "colour": "#f00",
                    "score": 3,
                    "turn": True,
                    "winner": False,
                }
            ]
            document = {"title": "Snekagon", "players": people}
            store.keep_standings([hall_store.Made(id_, 1, "g1", document)])
    hall.process.overview.read(None)
    page = opened("/?q=zoe")

    page.wait(f"document.querySelectorAll('.hall-table').length === {MANY}")
    assert (
        page.js(
            "[...document.querySelectorAll('.hall-table:not([hidden]) header b')]"
            ".map((b) => b.textContent).join()"
        )
        == "Table 301"
    )


def test_arbiter_logs_in_and_sees_the_code(opened, hall):
    page = opened("/arbiter")
    page.wait("document.querySelector('form input.pin')")
    page.fill("form input[maxlength='40']", "Ann")
    page.fill("form input.pin", hall.process.pin)
    page.click("form button")

    page.wait(f"document.querySelector('.hall-code')?.textContent === '{hall.process.code}'")
    hall.table("Table 2")
    page.wait("document.querySelector('.hall-list')?.textContent.includes('Table 2')")


def test_view_that_was_left_before_its_answer_came_opens_no_stream(opened, hall):
    page = opened("/tournaments")
    page.js(
        "(() => { const real = window.fetch; window.fetch = (url, how) => url !== '/api/hall'"
        " ? real(url, how) : new Promise((done) => { window.answer = () => done(real(url)); });"
        " window.streams = 0; const Stream = window.EventSource;"
        " window.EventSource = function (url) { streams += 1; return new Stream(url); };"
        " window.EventSource.CLOSED = Stream.CLOSED; })()"
    )
    page.click("#tabs a[href='/']")
    page.wait("window.answer")
    page.click("#tabs a[href='/tournaments']")
    page.js("answer()")
    page.click("#tabs a[href='/']")
    page.js("answer()")

    page.wait("streams > 0 && document.querySelector('.hall-search small').textContent")
    assert page.js("streams") == 1


def test_arbiter_hides_a_name_at_a_table_and_shows_it_again(opened, hall):
    from companion_app.hall.demo import Player
    from tests.browser.access import axe_faults
    from tests.browser.test_tournament import signed_in

    table = hall.table()
    match = Player(table.store, 2, "snekagon").step()
    match.note(Names({"red": "Zoë", "green": "Ben"}))
    page = opened("/arbiter")
    signed_in(page, hall)
    page.go(f"http://127.0.0.1:{hall.port}/table/{table.id}")
    page.wait("document.querySelectorAll('[data-act=hide]').length === 2")
    assert axe_faults(page) == []
    page.click("[data-act=hide]")
    page.wait("!document.querySelector('aside').innerText.includes('Zoë')")

    page.click(".toast button")
    page.wait("document.querySelector('aside').innerText.includes('Zoë')")
    assert page.errors == []


def test_arbiter_is_asked_first_and_has_a_while_to_take_it_back(opened, hall):
    from companion_app.hall.demo import Player
    from companion_app.hall.store import arbiter_store
    from tests.browser.test_tournament import signed_in

    table = hall.table("Table 1")
    Player(table.store, 2, "snekagon").step()
    page = opened("/arbiter")
    signed_in(page, hall)
    page.go(f"http://127.0.0.1:{hall.port}/arbiter")
    page.wait("document.querySelector('.hall-list')?.textContent.includes('Table 1')")
    page.wait("fetch('/api/arbiter').then((r) => r.json()).then((a) => a.tables[0].game.key)")

    def asked(words):
        page.click(".hall-list button", words)
        page.wait("document.querySelector('dialog p')?.textContent.length > 40")
        page.click("dialog button.danger", words)
        page.wait("document.querySelector('.toast button')")

    asked("Take the last move back")
    page.click(".toast button", "Undo")
    page.click(".hall-list button", "Remove this table")
    page.click("dialog button", "Cancel")
    asked("End the game")
    none = arbiter_store.decisions_of(hall.process.store, most=9)
    page.go(f"http://127.0.0.1:{hall.port}/")

    page.wait(
        "fetch('/api/arbiter').then((r) => r.json())"
        ".then((a) => a.decisions.map((one) => one.what).join() === 'end')"
    )
    assert list(none) == []
    assert page.errors == []


def test_table_that_joined_under_1_0_0_says_when_it_was_heard_and_what_to_do(opened, hall):
    from sqlalchemy import update

    from companion_app.hall.store.schema import tables

    hall.process.store.add_table("1" * 24, "key", "Table 9", 0)
    with hall.process.store.writing() as change:
        change.line.execute(update(tables).values(by_https=False, heard_s=1_700_000_000.0))
        change.tables.add("1" * 24)
    page = opened("/")

    page.wait("document.querySelector('.hall-table .badge')?.textContent.includes('2023')")
    assert "update this table" in page.text(".hall-table .badge")
