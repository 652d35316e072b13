"""The page in a real browser: a newcomer, fouls, corrections, sleep, two phones, languages."""

from __future__ import annotations

import json
import re

import pytest

from companion_app.help_orders import FOLDER, JOINED
from tests.browser.access import faults
from tests.browser.chromium import wait_until
from tests.browser.conftest import DESKTOP, TV
from tests.companion_app.web.conftest import playthrough

pytestmark = pytest.mark.browser

GAMES = {
    "schlangennest": "schlangennest_two_players",
    "snekagon": "snekagon_tie",
    "snekagon5g": "snekagon5g_floors",
    "sssnake": "sssnake_evening",
    "carnival": "carnival_two_players",
}
MOST_PAGE_BYTES = 150_000


def with_foul(served, script):
    served.begin(script.record)
    number, foul = script.fouls[0]
    served.play(script.record, number)
    served.lay(foul)
    return number


def test_newcomer_begins_a_game_in_few_steps(served):
    page = served.open("/")
    taps = 0

    for selector, words in (
        ("button.primary", "New game"),
        (".game-card", "Schlangennest"),
        ("button.primary", "Next"),
        ("button.primary", "Start"),
    ):
        page.click(selector, words)
        taps += 1
    page.fill("#pin-field", "424242")
    page.click("dialog button.primary")

    page.wait("document.querySelector('.board svg')")
    assert page.text(".verdict .headline") == "Blue begins."
    assert taps <= 5
    page.errors.clear()  # the browser notes the refusal that asked for the PIN


def test_second_game_takes_at_most_three_taps(served, script):
    served.begin(script.record, {"blue": "Anna"})
    page = served.open("/", host=True)
    first = served.desk.match.key

    page.click("#tabs a", "New game")
    page.click("button.again", "last time")
    page.click("[data-way=keep]")

    wait_until(lambda: served.desk.match.key != first)
    page.wait("document.querySelector('.player b')?.innerText === 'Anna'")


def test_foul_is_shown_and_overruled(served, script):
    number = with_foul(served, script)
    page = served.open("/", host=True)

    assert "the end of the blue snake" in page.text(".foul .why")
    page.click(".foul button", "The rule")
    assert "rulebook" in page.text("dialog cite")
    page.js("document.querySelector('dialog').close()")
    page.click(".foul button", "overrule")

    page.wait("!document.querySelector('.foul')")
    page.wait(f"document.querySelector('.moves summary').innerText === 'Moves: {number + 1}'")


def test_foul_is_taken_back(served, script):
    number = with_foul(served, script)
    page = served.open("/", host=True)

    page.click(".foul button", "Take it back")

    page.wait("!document.querySelector('.foul')")
    assert len(served.desk.match.accepted) == number


def test_guest_is_asked_for_the_pin_and_a_wrong_one_is_refused(served, script):
    with_foul(served, script)
    page = served.open("/")
    page.wait("document.querySelector('.foul')")
    assert "Take it back" not in page.text(".foul")

    page.click("#tabs a", "More")
    page.click("button.primary", "Become the host")
    page.fill("#pin-field", "111111")
    page.click("dialog button.primary")

    assert page.text("dialog .problem") or page.wait(
        "document.querySelector('dialog .problem').innerText === 'That PIN is wrong.'"
    )
    assert served.desk.referee.doubts.pending is not None
    page.errors.clear()  # the browser notes the refusal


def before_tile(served) -> str:
    return str(served.desk.match.accepted[2].move.tile)


def test_correction_of_an_earlier_move_changes_the_score(served, script):
    served.begin(script.record)
    served.play(script.record, 10)
    page = served.open("/", DESKTOP, host=True)
    before = dict(served.guest().get("/api/state")["scores"])

    page.click('.move-list li[value="3"] button')
    page.click("dialog button", "another tile")
    third = before_tile(served)
    page.click(
        "dialog .tile-choice:not(.now)", "curve" if third.endswith("straight") else "straight"
    )

    wait_until(lambda: served.guest().get("/api/state")["scores"] != before)
    page.wait("document.querySelector('.move-list .bad')")
    assert page.text(".toast").startswith("Changed: ")
    page.click(".toast button", "Undo")
    wait_until(lambda: served.guest().get("/api/state")["scores"] == before)


def one_more(served):
    """Lay any tile that may be laid now."""
    match = served.desk.match
    served.lay(next(m for m in match.game.legal_moves(match.position) if m.do == "place"))


def test_correction_is_undone_alone_when_more_moves_came_after_it(served, script):
    served.begin(script.record)
    served.play(script.record, 3)
    page = served.open("/", DESKTOP, host=True)
    before = served.desk.match.accepted[2].move
    page.click('.move-list li[value="3"] button')
    page.click("dialog button", "another tile")
    page.click(
        "dialog .tile-choice:not(.now)", "curve" if before.tile.endswith("straight") else "straight"
    )
    page.wait("document.querySelector('.toast button')")
    assert served.desk.match.accepted[2].move != before
    one_more(served)
    page.wait("document.querySelector('.moves summary')?.innerText === 'Moves: 4'")
    page.click(".toast button", "Undo")

    wait_until(lambda: served.desk.match.accepted[2].move == before)
    assert len(served.desk.match.accepted) == 4


def test_back_to_before_a_move_takes_back_what_was_laid_meanwhile_too(served, script):
    served.begin(script.record)
    served.play(script.record, 3)
    page = served.open("/", DESKTOP, host=True)
    page.click('.move-list li[value="3"] button')
    page.wait("document.querySelector('dialog')")
    one_more(served)
    page.wait("document.querySelector('.moves summary')?.innerText === 'Moves: 4'")
    page.click("dialog button", "before move 3")

    page.wait("document.querySelector('.moves summary')?.innerText === 'Moves: 2'")
    assert len(served.desk.match.accepted) == 2


def test_roll_is_told_by_a_tap(served):
    served.begin(playthrough("sssnake_evening"))
    page = served.open("/", host=True)

    page.click(".question .answer", "2")

    page.wait("document.querySelector('.moves summary')?.innerText === 'Moves: 1'")


def test_last_round_is_announced_once_and_says_what_is_laid(served):
    record = playthrough("carnival_last_rounds")
    served.begin(record)
    served.play(record, 3)
    page = served.open("/", host=True)
    page.wait("[...document.querySelectorAll('.tool')].some((e) => e.title === 'Last round')")

    page.click(".tool", "Last round")

    page.wait("document.querySelector('.last small')?.textContent.includes('heads')")
    page.wait(
        "[...document.querySelectorAll('.tool')].find((e) => e.title === 'Last round').disabled"
    )
    for number in (5, 6, 7):
        page.click(".tool", "Pass")
        page.wait(f"document.querySelector('.moves summary')?.innerText === 'Moves: {number}'")
    page.wait("document.querySelector('.over .winner')")


def test_two_phones_stay_in_step(served, script):
    served.begin(script.record)
    one, two = served.open("/"), served.open("/", DESKTOP)

    served.play(script.record, 3)

    for page in (one, two):
        page.wait("document.querySelector('.moves summary')?.innerText === 'Moves: 3'")
    assert one.text(".verdict .headline") == two.text(".verdict .headline")


def test_phone_that_lost_its_network_catches_up(served, script):
    served.begin(script.record)
    page = served.open("/")
    page.wait("document.getElementById('line').dataset.live === 'yes'")
    offline = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    page.ask("Network.enable")
    page.ask("Network.emulateNetworkConditions", offline=True, **offline)
    served.play(script.record, 4)
    page.ask("Network.emulateNetworkConditions", offline=False, **offline)
    page.js("dispatchEvent(new Event('online'))")

    page.wait("document.querySelector('.moves summary')?.innerText === 'Moves: 4'")
    page.errors.clear()  # the browser notes the lost line


def test_heartbeats_keep_a_silent_line(served, monkeypatch):
    monkeypatch.setattr("companion_app.web.views.events.HEARTBEAT_S", 0.1)
    page = served.open("/")
    page.wait("document.getElementById('line').dataset.live === 'yes'")
    page.js(
        "import('/static/app.js').then(({live}) => "
        "{ window.live = live; window.line = live.source; live.heard -= 20000; })"
    )

    page.wait("Date.now() - live.heard < 10000")

    assert page.js("line === live.source")


def test_hand_that_the_arbiter_put_down_is_down_on_the_phone(served, script):
    joined = served.companion.home / FOLDER / JOINED
    joined.parent.mkdir()
    joined.write_text('{"name": "Hall", "table": "1"}', encoding="utf-8")
    served.begin(script.record)
    served.desk.raise_hand(True)
    page = served.open("/")
    page.wait("document.querySelector('button[aria-pressed=true]')?.innerText.includes('called')")

    served.desk.raise_hand(False)

    page.wait(
        "[...document.querySelectorAll('button[aria-pressed=false]')]"
        ".some((one) => one.innerText === 'Call the arbiter')"
    )


def test_reload_in_mid_game_shows_the_same(served, script):
    served.begin(script.record)
    served.play(script.record, 5)
    page = served.open("/")
    before = page.text(".players")

    page.go(served.url + "/")

    assert page.text(".players") == before


def test_finished_game_is_replayed_by_slider(served, script):
    served.begin(script.record, {"blue": "Anna"})
    served.play(script.record)
    page = served.open("/games", DESKTOP)

    page.click(".game-list a", "Schlangennest")
    page.fill(".slider", "3")

    page.wait("document.querySelectorAll('.board .tap').length === 3")
    assert page.text(".replay .headline").startswith("3.")
    links = page.js("[...document.querySelectorAll('a.button')].map((a) => a.getAttribute('href'))")
    for link in links:
        assert served.guest().client.get(link).status_code == 200


@pytest.mark.parametrize("language", ["de", "ru"])
def test_every_view_is_in_the_chosen_language(served, script, language):
    from tests.companion_app.web.test_speech import english_in

    with_foul(served, script)
    served.guest()
    page = served.open("/settings")
    page.js(f"fetch('/language/{language}')")
    for path in ("/", "/new", "/settings", "/photo"):
        page.go(served.url + path)
        page.wait("document.querySelector('main').innerText.length > 30")
        text = page.js("document.body.innerText.replaceAll('English', '')")
        words = english_in(re.sub("«[^»]*»", "", text))
        assert words == [], (path, words)
    assert page.js("document.documentElement.lang") == language


def test_page_is_light_and_loads_nothing_from_elsewhere(served, script):
    served.begin(script.record)
    page = served.open("/")
    page.note_requests()
    page.go(served.url + "/")
    page.wait("document.querySelector('.board svg')")

    sizes = page.js(
        "performance.getEntriesByType('resource').map((e) => [e.name, e.encodedBodySize])"
    )

    assert sum(size for name, size in sizes if ".jpg" not in name) < MOST_PAGE_BYTES
    assert page.requests
    assert all(url.startswith((served.url, "data:", "blob:")) for url in page.requests)


def test_tiles_are_reached_by_keyboard(served, script):
    served.begin(script.record)
    served.play(script.record, 6)
    page = served.open("/", DESKTOP)
    page.wait("document.querySelector('.tap[tabindex=\"0\"]')")

    page.js("document.querySelector('.tap[tabindex=\"0\"]').focus()")
    first = page.js("document.activeElement.getAttribute('aria-label')")
    page.js(
        "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', "
        "{key: 'ArrowRight', bubbles: true}))"
    )
    second = page.js("document.activeElement.getAttribute('aria-label')")
    page.js(
        "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', "
        "{key: 'Enter', bubbles: true}))"
    )

    assert first != second
    assert second.split(",")[0] in page.text("dialog")


def test_tapped_tile_says_in_which_points_it_counts(served, script):
    served.begin(script.record, {"blue": "Anna"})
    served.play(script.record, 10)
    page = served.open("/", DESKTOP)
    lines = served.guest().get("/api/state")["players"][0]["lines"]
    spot = lines[0]["spots"][0]
    page.wait(f"document.querySelector('.tap[data-spots=\"{spot}\"]')")

    page.js(
        f"document.querySelector('.tap[data-spots=\"{spot}\"]').dispatchEvent("
        "new MouseEvent('click', {bubbles: true}))"
    )
    page.click("dialog .card-lines button", lines[0]["why"])

    page.wait(f"document.querySelectorAll('.lit.points').length === {len(lines[0]['spots'])}")


def test_axe_finds_no_fault_and_touch_targets_are_large_enough(served, script):
    with_foul(served, script)
    page = served.open("/")
    for path in ("/", "/new", "/games", "/settings", "/join", "/photo", "/rules", "/teach", "/tv"):
        page.go(served.url + path)
        page.wait("document.querySelector('main').innerText.length > 30")
        assert faults(page) == [], path


def test_names_with_markup_stay_text(served):
    served.host().post("/api/new", {"game": "sssnake", "players": ["<img src=x>", "b"]})
    page = served.open("/")

    assert "<img src=x>" in page.text(".players")
    assert page.js("document.querySelectorAll('main img[src=x]').length") == 0


def test_television_shows_the_table_without_controls(served, script):
    served.begin(script.record)
    page = served.open("/tv", TV)

    page.wait("document.querySelector('.board svg')")
    assert page.js("getComputedStyle(document.getElementById('tabs')).display") == "none"
    assert page.js("document.documentElement.scrollHeight <= innerHeight + 2")


def test_television_shows_five_boards_whole_beside_five_players(served):
    record = playthrough("snekagon5g_five_players")
    served.begin(record)
    served.play(record, 12)
    page = served.open("/tv", TV)

    page.wait("document.querySelectorAll('.player').length === 5")
    page.wait("document.querySelector('.board svg')")
    assert page.js("document.querySelector('.frame').getBoundingClientRect().bottom <= innerHeight")


def test_television_that_waits_shows_the_game_that_begins(served, script):
    page = served.open("/tv", TV)
    page.wait("document.querySelector('.welcome .tv-join img')")

    served.begin(script.record, {"blue": "Anna"})

    page.wait("document.querySelector('.board svg') && !document.querySelector('.welcome')")
    assert "Anna" in page.text(".players")


def test_phone_out_of_reach_says_so_in_the_shell(served):
    page = served.open("/", worker=True)
    page.wait("navigator.serviceWorker.getRegistration().then((r) => r?.active?.state)")
    page.wait("caches.match('/static/hexpick.js').then((kept) => !!kept)")
    served.server.close()

    page.ask("Page.reload")

    page.wait("document.querySelector('main').innerText.includes('cannot be reached')")
    assert page.js("getComputedStyle(document.querySelector('.loading')).textAlign") == "center"
    page.errors.clear()  # the browser notes what it could not fetch


def test_manifest_and_worker_are_there(served):
    page = served.open("/", worker=True)

    manifest = json.loads(page.js("fetch('/manifest.webmanifest').then((r) => r.text())"))

    assert manifest["start_url"] == "/"
    page.wait("navigator.serviceWorker.getRegistration().then((r) => !!r)")


def test_guest_sees_only_what_he_may_do_until_he_sits_down(served, script):
    served.begin(script.record)
    page = served.open("/")
    tools = "[...document.querySelectorAll('.tool span')].map((e) => e.innerText)"
    page.wait(f"{tools}.includes('Join the table')")
    assert not {"Undo", "Pass", "End"} & set(page.js(tools))

    page.click(".tool", "Join the table")
    page.fill("#code-field", served.settings.now.join_code.lower())
    page.click("dialog .primary", "Join")
    page.click("dialog label.option", "I am Blue")
    page.click("dialog .primary", "Sit down")

    page.wait(f"{tools}.includes('Pass')")
    assert "Undo" not in page.js(tools)
    assert served.guest().get("/api/me")["taken"] == {"blue": 1}


def test_seat_that_the_host_frees_is_gone_from_the_phone(served, script):
    served.begin(script.record)
    page = served.open(f"/#join={served.settings.now.join_code}")
    page.click("dialog label.option", "I am Blue")
    page.click("dialog .primary", "Sit down")
    tools = "[...document.querySelectorAll('.tool span')].map((e) => e.innerText)"
    page.wait(f"{tools}.includes('Pass')")

    served.host().post("/api/seats/free", {"seat": "blue"})

    page.wait(f"!{tools}.includes('Pass')")


def test_host_sees_the_phones_and_signs_one_out(served, script):
    served.begin(script.record)
    other = served.seat("blue")
    page = served.open("/settings", host=True)

    page.click("button", "Phones at the table")
    page.click("dialog button", "Sign out all others")

    page.wait("document.querySelectorAll('dialog .phones > div').length === 1")
    assert other.get("/api/me")["role"] == "watcher"


def test_phone_of_an_unknown_kind_is_called_a_device(served, script):
    served.begin(script.record)
    served.seat("blue")
    page = served.open("/settings", host=True)

    page.click("button", "Phones at the table")
    page.wait("document.querySelectorAll('dialog .phones > div').length === 2")

    assert "A device" in page.text("dialog .phones")
    assert "scan" not in page.text("dialog .phones")


def test_end_without_a_winner_is_said(served, script):
    served.begin(script.record)
    page = served.open("/")

    said = page.js(
        "import('/static/ending.js').then((ending) => ending.winnerText("
        "{players: [{name: 'Ann', winner: false}, {name: 'Ben', winner: false}]}))"
    )

    assert said == "Nobody wins."


def test_emptied_field_for_the_room_of_pictures_deletes_none(served, script):
    served.begin(script.record)
    served.store.append(served.desk.match.key, "picture", {}, {"after": b"jpeg"})
    page = served.open("/settings", host=True)

    page.fill("#pictures_mb", "")
    page.fill("#ideas", "3")
    wait_until(lambda: served.settings.now.ideas == 3)

    assert served.settings.now.pictures_mb == 500
    page.wait("document.querySelector('#pictures_mb').value === '500'")
    assert served.store.forget_pictures() == 1
