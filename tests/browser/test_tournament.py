"""Tournaments in a real browser: the director's page, a player's phone, the wall."""

from __future__ import annotations

import pytest

from tests.browser.access import axe_faults
from tests.browser.chromium import Page, wait_until
from tests.browser.hall_fixtures import hall, opened, tournament

__all__ = ["hall", "opened", "tournament"]
pytestmark = pytest.mark.browser
TURNED_BY_HAND = (
    "const real = setInterval;"
    "window.setInterval = (act, ms) => {"
    " if (ms === 12000) window.turn = act; return real(act, ms); };"
)
"""Keeps what turns the wall's pages."""
NINE = tuple(f"Player {number}" for number in range(1, 10))
PEOPLE = ("<img src=x onerror=alert(1)>", "Ben Novak", "Cleo Ilves", "Dana Roy")


def signed_in(page: Page, hall) -> None:
    page.fill("form input[maxlength='40']", "Ann")
    page.fill("form input.pin", hall.process.pin)
    page.click("form button")
    page.wait("document.querySelector('.hall-code')")


def test_director_runs_a_round_from_a_phone(opened, hall):
    page = opened("/arbiter")
    signed_in(page, hall)
    page.click("#tabs a[href='/tournaments']")
    page.click("#tour-new")
    page.fill("dialog input[maxlength='80']", "Friday <b>night</b>")
    assert axe_faults(page) == []
    page.js("document.querySelectorAll('dialog select')[1].value = '4'")
    page.click("dialog form button")
    for name in PEOPLE:
        page.click("[data-act=add]")
        page.fill("dialog input[maxlength='80']", name)
        page.click("dialog form button")
        page.wait(f"document.querySelectorAll('.tour-check').length === {PEOPLE.index(name) + 1}")
    for count in range(1, 5):
        page.click(".tour-check[aria-pressed=false]")
        page.wait(f"document.querySelectorAll('.tour-check[aria-pressed=true]').length === {count}")
    page.click("[data-act=pair]")
    page.click("[data-act=start]")
    page.wait("/^(60:00|5\\d:)/.test(document.querySelector('.tour-clock').textContent)")
    assert page.text("h1") == "Friday <b>night</b>"
    assert not page.js("document.querySelector('main img[src=x]')")
    assert axe_faults(page) == []

    page.click(".tour-tables button")
    page.wait("document.querySelector('dialog input[type=number]')")
    # The keypad of digits has no minus, and points may be below zero.
    assert page.js("document.querySelector('dialog input[type=number]').inputMode") == ""
    page.js(
        "document.querySelectorAll('dialog input[type=number]').forEach((e, n) => "
        "{ e.value = 40 - 10 * n; })"
    )
    page.click("dialog form button")
    page.click("[data-act=close]")
    page.wait("document.querySelector('[data-act=end]')")
    page.click("a[href^='/tournament/']")
    page.wait("document.querySelectorAll('.tour-standings tbody tr').length === 4")
    page.click(".tour-standings button")
    assert "40" not in page.text(".tour-why")
    page.js("document.querySelector('dialog').close()")
    assert axe_faults(page) == []
    assert page.errors == []


def test_own_points_bye_and_tie_breaks_of_the_form_count(opened, hall, tournament):
    from tests.companion_app.hall.test_tournament_evening import typed

    def field(label: str) -> str:
        return f"dialog [aria-label^='{label}']"

    page = opened("/arbiter")
    signed_in(page, hall)
    page.click("#tabs a[href='/tournaments']")
    page.click("#tour-new")
    page.fill(field("Players at a table"), "4")
    page.fill(field("Points by place"), "own")
    page.fill(field("Own points at a table of 3"), "9; 4; 1/2")
    page.fill(field("Own points at a table of 4"), "9, 4, 2")
    page.fill(field("Points for a bye"), "2.5")
    page.fill(field("At equal points"), "wins")
    page.fill(field("This decides second"), "direct")
    shown = "dialog .field:not([hidden]) [aria-label^='Own points']"
    assert page.js(f'document.querySelectorAll("{shown}").length') == 2
    assert axe_faults(page) == []
    page.click("dialog form button")
    page.wait("document.querySelector('dialog .problem').textContent")
    assert page.text("dialog .problem") == "There are no points set for a table of 4."
    page.fill(field("Own points at a table of 4"), "9, 4, 2, 0")
    page.click("dialog form button")
    page.wait("document.querySelector('[data-act=pair]')")

    evening = tournament()
    evening.id = page.js("location.pathname.split('/')[2]")
    evening.at = f"/api/tournaments/{evening.id}"
    settings = evening.whole()["settings"]
    assert settings["own_points"] == [["9", "4", "1/2"], ["9", "4", "2", "0"]]
    assert settings["bye_points"] == "5/2"
    assert settings["tie_breaks"] == ["wins", "direct"]
    for name in PEOPLE[:3]:
        evening.do("add-player", name=name)
    for player in ("p1", "p2", "p3"):
        evening.do("check-in", player=player)
    evening.posted(f"{evening.at}/pair", {})
    evening.do("start-round")
    evening.do("result", **typed(evening.round()["tables"][0]))
    page.click("a[href^='/tournament/']")
    page.wait("document.querySelectorAll('.tour-standings tbody b').length === 3")
    earned = page.js(
        "[...document.querySelectorAll('.tour-standings tbody b')].map((e) => e.textContent)"
    )
    assert earned == ["9", "4", "0.5"]
    assert [one for one in page.errors if "409" not in one] == []


def test_players_phone_shows_its_table_and_confirms_the_result(opened, tournament):
    from tests.companion_app.hall.test_tournament_evening import typed

    evening = tournament(*PEOPLE[:3], here=False)
    for player in ("p1", "p3"):
        evening.sign_in(player)
    page = opened(f"/tournament/{evening.id}/me")
    page.fill("input.code", "wrong")
    page.click("form button")
    page.wait("document.querySelector('form .problem').textContent")
    page.fill("input.code", evening.whole()["codes"]["p2"])
    page.click("form button")
    page.wait("document.querySelector('h1').textContent.includes('Ben')")
    evening.posted(f"{evening.at}/pair", {})
    evening.do("start-round")
    assert page.text("#my-table") == "Table 1"
    (table,) = evening.round()["tables"]
    other = next(player for player in table["players"] if player != "p2")
    assert evening.mine(other, "result", **typed(table))[0] == 200
    page.wait("document.querySelector('#confirm')")
    assert axe_faults(page) == []

    page.click("#confirm")
    wait_until(lambda: evening.round()["tables"][0]["result"]["final"])
    page.wait("!document.querySelector('#confirm')")


def test_wall_shows_clock_and_pairings_from_afar(opened, tournament):
    evening = tournament(*NINE)
    evening.posted(f"{evening.at}/pair", {})
    page = opened(f"/tournament/{evening.id}/tv", 1280, 720)
    page.wait("document.querySelectorAll('.tour-tables li.card').length === 3")
    evening.do("start-round")

    page.wait("/^\\d+:\\d\\d$/.test(document.querySelector('.tour-clock.big').textContent)")
    assert axe_faults(page) == []
    assert page.errors == []


def test_clock_on_the_wall_goes_on_when_the_page_turns(opened, hall, tournament):
    evening = tournament(*NINE, round_minutes=60)
    evening.posted(f"{evening.at}/pair", {})
    evening.do("start-round")
    page = opened("/tournaments")
    page.ask("Page.addScriptToEvaluateOnNewDocument", source=TURNED_BY_HAND)
    page.go(f"http://127.0.0.1:{hall.port}/tournament/{evening.id}/tv")
    page.wait("/^\\d+:\\d\\d$/.test(document.querySelector('.tour-clock.big').textContent)")

    left = page.js(
        "(() => { const now = Date.now; Date.now = () => now() + 90000; turn();"
        "const text = document.querySelector('.tour-clock.big').textContent;"
        "Date.now = now; return text; })()"
    )
    # A busy machine may have taken a while to begin.
    assert left.partition(":")[0] in ("57", "58")


def test_arbiter_corrects_a_move_from_the_phone(opened, hall):
    from companion_app.hall.demo import Player
    from companion_app.hall.store.arbiter_store import decisions_of

    table = hall.table(obey=lambda _do, _number: {"ok": True, "text": ""})
    player = Player(table.store, 3, "schlangennest")
    for _ in range(4):
        player.step()
    page = opened("/arbiter")
    signed_in(page, hall)
    wait_until(lambda: hall.arbiter().ask("GET", f"/api/arbiter/moves/{table.id}/2")[0] == 200)
    page.click("[data-act=correct]")
    page.click("[data-move='2']")
    page.wait("[...document.querySelectorAll('.hall-choices img')].every((e) => e.naturalWidth)")
    assert axe_faults(page) == []
    page.click(".hall-choices button")

    wait_until(lambda: [one.answer for one in decisions_of(hall.process.store)] == ["done"])
    assert page.errors == []


def test_director_puts_right_a_closed_round_a_forfeit_a_ban_and_a_name(opened, hall, tournament):
    from tests.companion_app.hall.test_tournament_evening import typed

    evening = tournament(*PEOPLE[:3])
    evening.posted(f"{evening.at}/pair", {})
    evening.do("start-round")
    (table,) = evening.round()["tables"]
    evening.do("result", **typed(table))
    evening.do("forfeit", "taken for another", table=1, player=table["players"][0])
    evening.do("close-round")
    evening.posted(f"{evening.at}/pair", {})
    evening.do("forbid", players=["p1", "p2"])
    page = opened("/arbiter")
    signed_in(page, hall)
    page.go(f"http://127.0.0.1:{hall.port}/tournament/{evening.id}/director")
    page.click("[data-act=allow]")
    wait_until(lambda: evening.whole()["forbidden"] == [])
    page.click("details[data-round='1'] summary")
    assert axe_faults(page) == []
    page.click("details[data-round='1'] button")
    page.wait("document.querySelector('dialog input[type=number]')")
    page.js(
        "document.querySelectorAll('dialog input[type=number]').forEach((e, n) => "
        "{ e.value = 10 + n; })"
    )
    page.js("document.querySelector('dialog input[type=checkbox]').checked = false")
    assert axe_faults(page) == []
    page.click("dialog form button")
    page.fill("dialog input[maxlength='300']", "the wrong one")
    page.click("dialog form button")

    def corrected() -> bool:
        old = evening.whole()["rounds"][0]["tables"][0]
        points = [old["result"]["scores"].get(player) for player in table["players"]]
        return (old["forfeits"], points) == ([], [10, 11, 12])

    wait_until(corrected)
    page.wait("document.querySelector('details[data-round=\"1\"]').open")
    page.click("li:nth-child(2) > [data-act=change]")
    page.fill("dialog input[maxlength='80']", "Bén Nováček")
    assert axe_faults(page) == []
    page.click("dialog form button")
    wait_until(lambda: evening.whole()["players"][1]["full_name"] == "Bén Nováček")
    page.click("li:nth-child(3) > [data-act=change]")
    page.wait("document.querySelectorAll('dialog input[type=checkbox]').length > 1")
    page.js("document.querySelectorAll('dialog input[type=checkbox]')[1].checked = true")
    page.click("dialog form button")
    page.wait("document.querySelectorAll('[data-act=change]').length === 2")
    assert "Cleo" not in str(evening.whole())
    assert page.errors == []


def test_director_sits_a_player_out_of_the_next_round(opened, hall, tournament):
    evening = tournament(*PEOPLE)
    page = opened("/arbiter")
    signed_in(page, hall)
    page.go(f"http://127.0.0.1:{hall.port}/tournament/{evening.id}/director")
    page.click("li:nth-child(2) > [data-act=change]")
    page.wait("document.querySelector(\"dialog [aria-label^='Sits round 1 out']\")")
    page.js("document.querySelector(\"dialog [aria-label^='Sits round 1 out']\").checked = true")
    assert axe_faults(page) == []
    page.click("dialog form button")
    page.wait(
        "document.querySelector('li:nth-child(2) > .tour-check')"
        ".textContent.includes('sits round 1 out')"
    )
    assert axe_faults(page) == []
    assert page.js("document.documentElement.scrollWidth") == 390
    page.click("[data-act=pair]")
    page.wait("document.querySelector('[data-act=start]')")
    (table,) = evening.round()["tables"]
    assert sorted(table["players"]) == ["p1", "p3", "p4"]
    assert page.errors == []


def test_arbiters_phone_shows_an_objection_and_leads_to_it(opened, hall, tournament):
    from tests.companion_app.hall.test_tournament_evening import typed

    evening = tournament(*PEOPLE[:3], here=False)
    for player in ("p1", "p2", "p3"):
        evening.sign_in(player)
    evening.posted(f"{evening.at}/pair", {})
    evening.do("start-round")
    (table,) = evening.round()["tables"]
    evening.mine(table["players"][0], "result", **typed(table))
    evening.mine(table["players"][1], "object", table=1)
    page = opened("/arbiter")
    signed_in(page, hall)
    assert page.text(".hall-call h2") == "Table 1 – objection"
    assert axe_faults(page) == []
    page.click(".hall-call a")
    page.wait("document.querySelector('[data-act=close]')")
    assert page.errors == []


def test_wall_that_is_signed_in_shows_public_names_alone(opened, hall, tournament):
    evening = tournament(*PEOPLE[1:])
    evening.do("hide-player", player="p2")
    evening.posted(f"{evening.at}/pair", {})
    page = opened("/arbiter", 1280, 720)
    signed_in(page, hall)
    page.go(f"http://127.0.0.1:{hall.port}/tournament/{evening.id}/tv")
    page.wait("document.querySelectorAll('.tour-tables li.card').length === 1")

    said = page.text("main")
    assert "Ben N." in said
    assert "Player 2" in said
    assert "Cleo" not in said
    assert "Novak" not in said


def test_what_an_imported_list_left_out_stays_to_be_read(opened, hall, tournament):
    evening = tournament()
    page = opened("/arbiter")
    signed_in(page, hall)
    page.go(f"http://127.0.0.1:{hall.port}/tournament/{evening.id}/director")
    page.wait("document.querySelector('input.file')")
    page.js(
        "(() => { const given = new DataTransfer();"
        "given.items.add(new File(['name;group\\nÄnne;A\\nänne;A\\n;B\\n'], 'list.csv'));"
        "const input = document.querySelector('input.file'); input.files = given.files;"
        "input.dispatchEvent(new Event('change')); })()"
    )

    assert page.text("dialog [data-notes]").splitlines() == [
        "änne is on the list twice (line 3) and was entered once.",
        "Line 4 has no name and was left out.",
    ]
    assert axe_faults(page) == []
    assert [one["full_name"] for one in evening.whole()["players"]] == ["Änne"]
    assert page.errors == []
