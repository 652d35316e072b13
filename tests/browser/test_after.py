"""Putting right, answering, sharing and the small choices, in a real browser."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial

import cv2
import numpy as np
import pytest

from companion_app.eye.corrections import Corrections
from companion_app.eye.recorded import settled_on
from companion_app.live.places import Belief, contents
from engine.record import parse_record, record_to_json
from models.teaching.store import game_file
from tests.browser.access import axe_faults, too_small
from tests.browser.chromium import wait_until
from tests.browser.conftest import DESKTOP
from tests.companion_app.web.conftest import playthrough

pytestmark = pytest.mark.browser


def pressed(page):
    """Return the cells under the tile in the dialog."""
    spots = page.js(
        "[...document.querySelectorAll('dialog .cell-choice[aria-pressed=true]')]"
        ".map((cell) => cell.dataset.spot)"
    )
    return {tuple(map(int, spot.split(":"))) for spot in spots}


def press_cell(page, spot):
    page.js(
        f"document.querySelector('dialog .cell-choice[data-spot=\"{spot}\"]').dispatchEvent("
        "new MouseEvent('click', {bubbles: true}))"
    )


def test_hex_tile_is_named_laid_turned_and_flipped(served):
    record = playthrough("snekagon_tie")
    served.begin(record)
    served.play(record, 6)
    page = served.open("/", DESKTOP, host=True)
    before = served.desk.match.accepted[3].move
    kinds = [kind for kind in served.desk.match.box.kinds.values() if kind.colour == before.player]

    page.click('.move-list li[value="4"] button')
    page.click("dialog button", "another tile")
    page.wait("document.querySelectorAll('dialog .cell-choice').length === 91")
    assert pressed(page) == {(0, *cell) for cell in before.cells}
    assert page.js("document.querySelectorAll('dialog .piece').length") == len(kinds)
    assert axe_faults(page) == []
    page.click("dialog .piece[data-tile$='4/0+']")
    press_cell(page, "0:-3:5")
    seen = [pressed(page)]
    for words in ("Turn", "Flip"):
        page.click("dialog button", words)
        seen.append(pressed(page))
    page.click("dialog button.primary", "lies like this")

    wait_until(lambda: served.desk.match.accepted[3].move != before)
    after = served.desk.match.accepted[3].move
    assert len({frozenset(cells) for cells in seen}) == 3
    assert all(len(cells) == 4 for cells in seen)
    assert {(0, *cell) for cell in after.cells} == seen[-1]
    assert after.tile.startswith("4/")


def test_hex_tile_is_put_on_another_board(served):
    record = playthrough("snekagon5g_floors")
    served.begin(record)
    served.play(record, 3)
    page = served.open("/", host=True)
    page.click(".moves summary")
    page.click('.move-list li[value="3"] button')
    page.click("dialog button", "another tile")
    page.wait("document.querySelectorAll('dialog .cell-choice').length > 91")
    other = (served.desk.match.accepted[2].move.board + 1) % 2

    press_cell(page, f"{other}:2:1")

    assert {spot[0] for spot in pressed(page)} == {other}


def test_unsure_tile_is_answered_by_its_picture(served, script):
    served.begin(script.record)
    served.play(script.record, 4)
    match = served.desk.match
    move = script.record.moves[4]
    after = match.game.layout(match.game.apply(match.position, move))
    settled = settled_on(after)
    place = next(s for s in contents(after) if s not in contents(match.layout))
    right = contents(after)[place]
    wrong = ("green/tail", 2)
    doubt = Belief(((wrong, 0.5), (right, 0.45)), sure=False)
    sure = {s: c for s, c in settled.sure.items() if s != place}
    doubtful = replace(settled, sure=sure, doubts={place: doubt})
    page = served.open("/", host=True)
    for second in range(4):
        served.desk.do(partial(served.desk.referee.look, doubtful, 100.0 + second))

    page.wait("document.querySelectorAll('.question .pictured img').length === 2")
    page.wait("[...document.querySelectorAll('.question .pictured img')].every((i) => i.complete)")
    assert page.js("document.querySelector('.pictured img').getBoundingClientRect().width") >= 96
    page.js("document.querySelectorAll('.question .pictured')[1].click()")
    wait_until(lambda: not served.desk.referee.state.questions)
    served.desk.do(partial(served.desk.referee.look, doubtful, 110.0))

    page.wait("document.querySelector('.moves summary')?.innerText === 'Moves: 5'")
    assert match.accepted[-1].move == move


def test_drawn_cards_are_told_by_taps(served):
    served.begin(playthrough("sssnake_evening"))
    page = served.open(f"/#join={served.settings.now.join_code}")
    first = served.desk.match.position.to_move
    page.click("dialog label.option", f"I am {first.capitalize()}")
    page.click("dialog .primary", "Sit down")

    page.click(".question .answer", "Which cards?")
    page.click("dialog .tile-grid .tile-choice", "straight")
    page.click("dialog .tile-grid .tile-choice", "curve")
    page.click("dialog button.primary", "Rolled 2")

    wait_until(lambda: served.desk.match.accepted)
    assert served.desk.match.accepted[0].move.value == 2
    assert len(served.desk.match.accepted[0].move.tiles) == 2


@pytest.fixture
def finished(served, script):
    served.begin(script.record, {"blue": "Anna", "red": "Ben"})
    served.play(script.record)
    return served


def test_every_share_is_opened_again_and_is_the_same_game(finished, script, tmp_path):
    key = finished.desk.match.key
    page = finished.open(f"/games/{key}", DESKTOP, host=True)
    page.ask("Page.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path / "got"))
    tiles = len(finished.desk.match.layout.cards)
    page.wait(f"document.querySelectorAll('.board .tap').length === {tiles}")
    assert axe_faults(page) == []
    assert too_small(page) == []

    for words in ("picture", "record", "BG Stats"):
        page.js(
            "[...document.querySelectorAll('section.card button, section.card a.button')]"
            f".find((e) => e.textContent.toLowerCase().includes('{words.lower()}')).click()"
        )
    ends = (".png", ".json", ".bgsplay")
    got = wait_until(lambda: downloaded(tmp_path / "got", ends))

    png = cv2.imdecode(np.frombuffer(got[".png"], np.uint8), cv2.IMREAD_COLOR)
    assert png is not None
    assert png.shape[1] == 1600
    assert len(np.unique(png.astype(np.uint32) @ (1, 1 << 8, 1 << 16))) > 100
    sent = json.loads(got[".json"])
    assert record_to_json(parse_record(sent)) == record_to_json(script.record)
    play = json.loads(got[".bgsplay"])["plays"][0]
    assert [one["score"] for one in play["playerScores"]] == ["21", "21"]
    page.js(
        f"import('/static/ui.js').then((ui) => ui.post('/api/new', {{record: {json.dumps(sent)}}}))"
    )
    assert record_to_json(finished.desk.match.record())["players"] == sent["players"]


def downloaded(folder, ends):
    found = {file.suffix: file.read_bytes() for file in folder.glob("*") if file.suffix in ends}
    return found if set(found) == set(ends) and all(found.values()) else None


def test_games_view_shows_series_and_statistics(served):
    record = playthrough("sssnake_evening")
    for _ in range(2):
        served.begin(record)
        served.play(record)
        served.desk.end()
    page = served.open("/games")

    page.wait("document.querySelectorAll('.series tbody tr').length === 3")

    rows = page.js("[...document.querySelectorAll('.series tbody tr')].map((r) => r.innerText)")
    assert [row.split("\t")[-1].replace("−", "-") for row in rows] == ["0", "-2", "-16"]
    assert "Average" in page.text("main")
    assert axe_faults(page) == []


def test_games_whose_box_is_gone_are_told_of(served, tmp_path):
    rules = tmp_path / "sets" / "my-nest.toml"
    rules.parent.mkdir()
    rules.write_text(game_file("my-nest", "schlangennest"), encoding="utf-8")
    served.use_sets(rules.parent)
    asked = {"game": "schlangennest", "set": "my-nest", "players": ["blue", "red"]}
    assert served.host().post("/api/new", asked).status_code == 200
    served.desk.end()
    rules.unlink()

    page = served.open("/games")
    page.wait("document.querySelector('#unreadable')")

    assert page.text("#unreadable").startswith("Kept games that cannot be shown: 1.")


def test_corrections_are_listed_and_deleted(served, tmp_path):
    kept = served.eye.corrections = Corrections(tmp_path / "corrections")
    noise = np.random.default_rng(1).integers(0, 255, (80, 80, 3), np.uint8)
    for tile in ("red/1", "green/2"):
        kept.keep("snekagon", noise, {"tile": tile, "outline": []})
    page = served.open("/settings", host=True)

    page.click("button", "Your corrections")
    page.wait("document.querySelectorAll('.corrections img').length === 2")
    assert axe_faults(page) == []
    page.click(".corrections button", "Delete")
    page.wait("document.querySelectorAll('.corrections img').length === 1")
    page.click("dialog button", "Delete all")

    assert page.wait("document.querySelector('dialog').innerText.includes('None yet')")
    assert kept.listed() == []


def test_sound_voice_clock_and_legal_moves_are_choices(served, script):
    served.begin(script.record)
    page = served.open("/settings")
    for words in ("sound", "verdict", "moves", "clock"):
        page.js(
            "[...document.querySelectorAll('.settings label.option')]"
            f".filter((e) => e.innerText.toLowerCase().includes('{words}'))"
            ".map((e) => e.querySelector('input')).filter((i) => !i.checked)"
            ".forEach((i) => i.click())"
        )
    page.js(
        "window.heard = []; const made = AudioContext.prototype.createOscillator;"
        "AudioContext.prototype.createOscillator = function () { heard.push('tone');"
        " return made.call(this); };"
        "const spoke = speechSynthesis.speak.bind(speechSynthesis);"
        "speechSynthesis.speak = (u) => { heard.push(u.text); spoke(u); }; 1"
    )
    page.click("#tabs a", "Table")
    page.wait("document.querySelectorAll('.ghost-tile').length > 0")
    served.play(script.record, 1)

    page.wait("document.querySelector('.clock')")
    page.wait("heard.includes('tone') && heard.some((one) => one.includes('Blue'))")
    spots = {s for one in served.guest().get("/api/moves")["moves"] for s in one["spots"]}
    page.wait(f"document.querySelectorAll('.ghost-tile').length === {len(spots)}")


def test_guest_may_answer_only_where_the_host_allows_it(served):
    served.begin(playthrough("sssnake_evening"))
    host = served.open("/settings", host=True)
    host.click("label.option", "answer")
    wait_until(lambda: not served.settings.now.players_answer)
    seat = served.open(f"/#join={served.settings.now.join_code}")
    seat.click("dialog label.option", "I am")
    seat.click("dialog .primary", "Sit down")

    seat.wait("document.querySelector('.question') && !document.querySelector('dialog')")
    assert seat.js("document.querySelectorAll('.question .answer').length") == 0


@pytest.mark.parametrize("language", ["de", "ru"])
def test_games_and_dialogs_are_in_the_chosen_language(served, language):
    from tests.companion_app.web.test_speech import english_in

    record = playthrough("snekagon_tie")
    for _ in range(2):
        served.begin(record, {"red": "Anna", "green": "Ben"})
        served.play(record)
        served.desk.end()
    page = served.open("/games", DESKTOP, host=True)
    page.js(f"fetch('/language/{language}')")
    for path in ("/games", f"/games/{served.desk.match.key}", "/settings", "/"):
        page.go(served.url + path)
        page.wait("document.querySelector('main').innerText.length > 60")
        if path == "/":
            page.click(".move-list button")
            page.click("dialog button.wide")
            page.wait("document.querySelectorAll('dialog .cell-choice').length > 90")
        text = page.js("document.body.innerText.replaceAll('English', '')")
        assert english_in(text.replace("Anna", "").replace("Ben", "")) == [], path
