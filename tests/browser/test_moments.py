"""The great moments of an evening, each once on its hardest screen."""

from __future__ import annotations

import base64
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.browser.access import axe_faults, faults
from tests.browser.chromium import wait_until
from tests.browser.conftest import DESKTOP, LYING, MOST_SHIFT, PHONE, TV
from tests.browser.test_page import GAMES, with_foul
from tests.companion_app.web.conftest import playthrough

pytestmark = pytest.mark.browser

PICTURES = Path(__file__).parent / "pictures"
LEAST_CARD_PX = 32
FAR_OFF = 9.0
"""How much a share card may differ from the one that is kept, as other fonts make it: 0 to 255."""
VIEWS = ("/", "/new", "/games", "/settings", "/join", "/photo", "/rules", "/teach", "/checkup")


def box(page, selector):
    return page.js(f"document.querySelector({selector!r}).getBoundingClientRect().toJSON()")


def pointer(page, selector, kind):
    page.js(
        f"document.querySelector({selector!r}).dispatchEvent(new PointerEvent('{kind}', "
        "{bubbles: true, pointerId: 1}))"
    )


@pytest.mark.parametrize("size", [PHONE, LYING], ids=["upright", "lying"])
def test_foul_is_seen_in_one_glance(served, script, size):
    with_foul(served, script)
    page = served.open("/", size, host=True)
    page.wait("document.querySelector('.glance .crop .ring')")

    whole = box(page, ".foul .glance")
    low = size[1] - (60 if size == PHONE else 0)
    assert min(whole["width"], whole["height"]) >= 0.55 * min(size)
    assert page.text(".foul .headline") == "Blue laid a head"
    for part in (".glance", ".headline", ".why", "button.primary"):
        assert box(page, f".foul {part}")["bottom"] <= low, part
    assert page.js("document.querySelector('.frame').inert")
    ring = box(page, ".crop .ring")
    assert whole["left"] <= ring["left"] < ring["right"] <= whole["right"]


def test_foul_shows_the_table_before_while_it_is_held(served, script):
    with_foul(served, script)
    page = served.open("/")
    tiles = "document.querySelectorAll('.glance .crop > use').length"
    page.wait("document.querySelector('.hold')")
    after = page.js(tiles)

    pointer(page, ".glance", "pointerdown")
    held = page.js(tiles)
    page.js("document.querySelector('.hold').click()")

    assert held == after - 1
    assert page.js(tiles) == after
    page.click(".foul .fold")
    assert page.js("document.querySelector('.frame').inert") is False


def test_nothing_moves_while_a_game_is_played_to_its_end(served, script):
    served.begin(script.record)
    number, foul = script.fouls[0]
    pages = [served.open("/"), served.open("/", DESKTOP)]
    for page in pages:
        page.wait("document.querySelector('.board svg') && document.querySelector('#line')")
        page.watch_shifts()
    for n, move in enumerate(script.record.moves):
        if n == number:
            served.lay(foul)
            for page in pages:
                page.wait("document.querySelector('.foul')")
            served.desk.take_foul_back()
        served.lay(move)
        if n % 6 == 0:
            for page in pages:
                page.wait(f"document.querySelector('.moves summary').innerText.endsWith('{n + 1}')")

    for page in pages:
        page.wait("document.querySelector('.over .ranks')")
        assert page.shifted() <= MOST_SHIFT, page.js("shifts")


def test_score_is_counted_on_the_table_and_the_winner_has_a_rematch(served, script):
    served.begin(script.record, {"blue": "Anna", "red": "Ben"})
    served.play(script.record)
    first = served.desk.match
    page = served.open("/", host=True)
    points = "[...document.querySelectorAll('.player .points')].map((e) => e.innerText)"
    lines = served.guest().get("/api/state")["players"][0]["lines"]

    page.click(".over button", "Count it up")
    page.click(".counting button[aria-label='Pause']")
    for _ in range(2):  # a busy machine may have counted on meanwhile
        page.click(".counting button[aria-label='Line before']")
    page.wait(f"document.querySelectorAll('.lit.points').length === {len(lines[0]['spots'])}")
    assert page.js("getComputedStyle(document.querySelector('.lit.points')).fill") == "none"
    begun = page.js(points)
    page.click(".counting button[aria-label='Next line']")
    later = page.js(points)
    page.click(".counting button[aria-label='Line before']")
    assert axe_faults(page) == []
    assert page.js(points) == begun != later
    page.click(".counting button", "To the end")

    assert page.text(".over .headline") == "Anna and Ben share the win!"
    assert page.js("document.querySelectorAll('.ribbons i').length") > 0
    page.click(".over button.primary", "Rematch")
    wait_until(lambda: served.desk.match.key != first.key)
    page.wait("!document.querySelector('.over')")
    assert served.desk.match.start == first.start
    assert "Anna" in page.text(".players")


def test_reduced_motion_is_respected(served, script):
    served.begin(script.record)
    served.play(script.record)
    page = served.open("/")
    page.ask(
        "Emulation.setEmulatedMedia",
        features=[{"name": "prefers-reduced-motion", "value": "reduce"}],
    )
    page.go(served.url)
    page.wait("document.querySelector('.fresh')")

    page.click(".over button", "Count it up")
    page.wait("document.querySelector('.counting [aria-label=\"Go on counting\"]')")

    assert page.js("document.getAnimations().length") == 0


ACROSS = """[...document.querySelectorAll('.player')].map((one) => {
  const { left, width } = one.getBoundingClientRect();
  return [left, width].map(Math.round);
})"""


@pytest.mark.parametrize(
    ("game", "size"), [*((game, PHONE) for game in GAMES), ("schlangennest", DESKTOP)]
)
def test_whole_game_is_shown_move_by_move_and_its_share_card_is_the_kept_one(served, game, size):
    record = playthrough(GAMES[game])
    names = dict(zip(record.start.players, ("Anna", "Béla", "Čeněk", "Юлия", "Eve"), strict=False))
    served.begin(record, names)
    page = served.open("/", size)

    served.play(record)

    moves = len(served.desk.match.accepted)
    page.wait(f"document.querySelector('.moves summary')?.innerText === 'Moves: {moves}'")
    state = served.guest().get("/api/state")
    page.wait(f"document.querySelectorAll('.board .tap').length === {len(state['tiles'])}")
    shown = page.js("[...document.querySelectorAll('.player .points')].map((e) => e.innerText)")
    scores = state["scores"].values()
    assert [s.replace("−", "-") for s in shown] == ["–" if s is None else str(s) for s in scores]
    before = page.js(ACROSS)
    page.click(".player")
    page.wait("document.querySelector('.seat.open .lines')")
    assert page.js(ACROSS) == before
    assert page.js("document.querySelectorAll('.seat.open .ours').length") == (game == "carnival")
    served.desk.end()
    is_the_kept_card(page, game)


def is_the_kept_card(page, game):
    """Compare the share card of the game that is on with its picture."""
    data = page.js(
        "Promise.all([import('/static/sharecard.js'), fetch('/api/state').then((r) => r.json())])"
        ".then(([card, state]) => card.cardPng(state)).then((blob) => new Promise((done) => {"
        "const reader = new FileReader(); reader.onload = () => done(reader.result);"
        "reader.readAsDataURL(blob); }))"
    )
    made = picture(base64.b64decode(data.partition(",")[2]))
    kept = picture((PICTURES / f"share_{game}.png").read_bytes())
    assert made.shape == (1350, 1080, 3)
    small = [cv2.resize(one, (108, 135), interpolation=cv2.INTER_AREA) for one in (made, kept)]
    assert float(cv2.absdiff(*small).mean()) < FAR_OFF


def picture(png):
    return cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR)


def test_phone_with_a_seat_buzzes_and_says_so_when_it_is_its_turn(served, script):
    served.begin(script.record, {"red": "Ben"})
    page = served.open(f"/#join={served.settings.now.join_code}")
    page.js("window.buzzed = []; navigator.vibrate = (p) => buzzed.push(p); 1")
    page.click("dialog label.option", "I am Ben")
    page.click("dialog .primary", "Sit down")
    page.wait("!document.querySelector('dialog')")
    page.wait("document.querySelector('.verdict .headline')?.innerText === 'Blue begins.'")

    served.lay(script.record.moves[0])

    assert page.wait("document.querySelector('.mine .headline')?.innerText === 'Your turn, Ben!'")
    page.wait("buzzed.length")
    assert page.js("buzzed.length") == 1
    tools = page.js("[...document.querySelectorAll('.tool')].map((e) => e.title)")
    assert not {"Undo", "Redo", "End game", "Pause"} & set(tools)
    assert {"Pass", "My seats"} <= set(tools)


def test_host_renames_a_player_and_deletes_an_old_game(served, script):
    served.begin(script.record, {"blue": "Ana"})
    served.play(script.record)
    old = served.desk.match.key
    served.begin(script.record)
    page = served.open(f"/games/{old}", host=True)

    page.click("section.card button", "Change names")
    page.fill("dialog input[name=blue]", "Anna")
    page.click("dialog button.primary", "Save")
    page.wait("document.querySelector('.replay .mini')?.innerText.includes('Anna')")
    page.click("section.card button", "Delete this game")
    page.click("dialog button.danger")

    page.wait("location.pathname === '/games' && document.querySelector('.game-list')")
    assert old not in served.store.games()
    # The new name draws the table anew, which may be asked for while the game is deleted.
    page.errors = [error for error in page.errors if f"{old}/table.svg" not in error]


def test_sssnake_begins_without_typing_and_remembers_names(served):
    record = playthrough("sssnake_evening")
    page = served.open("/new", host=True)
    page.click(".game-card", "Sssnake")
    page.click("button.primary", "Next")
    page.click("button.primary", "Start")
    wait_until(lambda: served.desk.match is not None)
    assert served.desk.match.start.players == ("Player 1", "Player 2")

    served.begin(record)
    page.go(served.url + "/new")
    page.wait("document.querySelector('.game-card')")
    names = list(record.start.players)
    page.wait("fetch('/api/history').then((r) => r.json()).then((r) => r.games.length === 2)")
    page.go(served.url + "/new")
    page.click(".game-card", "Sssnake")
    page.wait("[...document.querySelectorAll('.seats .name')].some((e) => e.value)")
    filled = page.js("[...document.querySelectorAll('.seats .name')].map((e) => e.value)")
    assert [name for name in filled if name] == names
    # Also where the memory comes later than the tap.
    page.go(served.url + "/rules")
    page.js(
        "window.fetched = fetch; window.fetch = (url, ...rest) => String(url).includes("
        "'/api/history') ? new Promise((go) => { window.later = go; })"
        ".then(() => fetched(url, ...rest)) : fetched(url, ...rest)"
    )
    page.click("#tabs a[href='/new']")
    page.click(".game-card", "Sssnake")
    page.wait("document.querySelector('.seats .name')")
    page.js("later()")
    page.wait("[...document.querySelectorAll('.seats .name')].some((e) => e.value)")
    # A name that was just typed costs no second tap: the row below comes without redrawing.
    page.js("document.querySelector('.seats .name').focus()")
    page.fill(".seats .seat-row:last-child .name", "Dora")
    page.click("button.primary", "Next")
    page.wait("document.querySelector('.ring-place') && !document.querySelector('.seats')")


def test_cards_of_sssnake_are_large_enough_on_a_phone(served):
    record = playthrough("sssnake_evening")
    served.begin(record)
    served.play(record, 14)
    page = served.open("/")
    page.wait("document.querySelector('.board.scrolls svg')")

    sizes = page.js(
        "[...document.querySelectorAll('.board .tap rect')]"
        ".map((e) => e.getBoundingClientRect().width)"
    )

    assert min(sizes) >= LEAST_CARD_PX


def test_television_view_suits_a_phone_and_has_a_way_back(served, script):
    served.begin(script.record)
    page = served.open("/tv")
    page.wait("document.querySelector('.board svg')")

    assert box(page, ".board")["width"] > 300
    page.sized(*TV)
    page.wait("document.querySelector('.for-tv .side')")
    page.click(".tv-back")

    page.wait("location.pathname === '/' && document.querySelector('.tools .tool')")


def test_letters_twice_as_large_need_no_scrolling_to_the_side(served, script):
    with_foul(served, script)
    page = served.open("/", language="de", host=True)
    page.letters(200)

    for path in (*VIEWS, f"/games/{served.desk.match.key}"):
        page.go(served.url + path)
        page.wait("!document.querySelector('main .loading')")
        assert page.js("document.documentElement.scrollWidth") <= PHONE[0], path


def test_players_whose_colours_begin_alike_have_letters_that_differ(served):
    record = playthrough("carnival_two_players")
    served.begin(record)
    page = served.open("/", language="cs")
    served.host().post("/api/new", {"game": "carnival", "players": ["violet", "black", "red"]})

    page.wait("document.querySelectorAll('.player .avatar').length === 3")
    letters = page.js("[...document.querySelectorAll('.player .avatar')].map((e) => e.innerText)")
    assert letters == ["F", "Čn", "Čv"]


def test_page_by_plain_http_leaves_no_error_in_the_console(served, script):
    served.begin(script.record)
    page = served.open("/")

    page.go(served.url.replace("127.0.0.1", "snake-eye.local") + "/")
    page.wait("document.querySelector('.board svg')")

    assert page.js("isSecureContext") is False
    assert page.errors == []


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_keys_go_through_the_page_as_the_eye_does(served, script, size):
    served.begin(script.record)
    served.play(script.record, 5)
    page = served.open("/", size, host=True)
    page.wait("document.querySelector('.board .tap') && document.querySelector('.moves summary')")

    order = page.js("""['#top a', '#tabs a', '.player', '.board .tap', '.tool', '.moves summary']
        .map((s) => [s, document.querySelector(s)]).sort(([, a], [, b]) =>
            a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1)
        .map(([s]) => s)""")

    around = ["#top a", ".player", ".board .tap", ".tool", ".moves summary", "#tabs a"]
    beside = ["#top a", "#tabs a", ".board .tap", ".tool", ".player", ".moves summary"]
    assert order == (around if size == PHONE else beside)


def test_axe_finds_no_fault_at_the_end_of_a_game_nor_in_the_rules(served, script):
    served.begin(script.record)
    served.play(script.record)
    page = served.open("/", host=True)
    for path in ("/", f"/games/{served.desk.match.key}", "/rules?game=carnival", "/checkup"):
        page.go(served.url + path)
        page.wait("!document.querySelector('main .loading')")
        assert faults(page) == [], path
    page.wait("document.querySelector('.checks, .card')")
    page.go(served.url + "/rules?game=carnival")
    page.wait(
        "[...document.querySelectorAll('.in-a-minute img')].filter((e) => e.naturalWidth)"
        ".length >= 2"
    )
    served.begin(playthrough("sssnake_evening"))
    page.go(served.url)
    page.wait("document.querySelector('.question')")
    assert faults(page) == []
