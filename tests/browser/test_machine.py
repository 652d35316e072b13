"""The machine at the table, as a phone shows it."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import quote

import pytest

from tests.browser.access import axe_faults, too_small
from tests.browser.conftest import PHONE, TV
from tests.companion_app.web.conftest import playthrough

pytestmark = pytest.mark.browser

SMALLEST = 360, 740
NEST = "schlangennest_two_players"


def with_machine(served, name=NEST, **seats):
    """Begin a game in which the machine has thought about its first move."""
    record = playthrough(name)
    served.desk.begin(replace(record, moves=()), {}, machine=seats)
    served.eye.machine.look()
    return served.desk.referee.doubts.machine.move


@pytest.mark.parametrize("size", [PHONE, TV], ids=["phone", "television"])
def test_what_it_wants_lies_on_the_drawing_as_a_ghost(served, size):
    move = with_machine(served, blue=2)
    page = served.open("/tv" if size == TV else "/", size)
    page.wait("document.querySelector('.board .ghost-of-move image')")

    assert move.tile.replace("/", "%2F") in page.js(
        "document.querySelector('.ghost-of-move image').getAttribute('href')"
    )
    assert page.text(".machine .headline").startswith("Please lay for me: blue")
    assert page.js("document.documentElement.scrollWidth <= innerWidth")


def test_laid_otherwise_it_says_so_and_people_let_it_stand(served):
    move = with_machine(served, blue=2)
    match = served.desk.match
    other = next(one for one in match.game.legal_moves(match.position) if one != move)
    page = served.open("/", PHONE, host=True)
    page.wait("document.querySelector('.machine')")
    served.lay(other)
    page.wait("document.querySelector('.machine.otherwise')")
    said = page.text(".machine.otherwise .headline")
    tops = page.js(
        "[...document.querySelectorAll('.machine.otherwise figure img')]"
        ".map((e) => Math.round(e.getBoundingClientRect().top))"
    )
    page.click(".machine.otherwise .row.wrap button")
    page.wait("!document.querySelector('.machine')")

    assert said.startswith("That is not what I meant")
    assert len(tops) == 2
    assert len(set(tops)) == 1  # what lies and what belongs there stand side by side
    assert [one.move for one in match.accepted] == [other]


def test_a_seat_of_the_wizard_is_the_machines(served):
    page = served.open("/new", PHONE, host=True)
    page.wait("document.querySelector('.game-card')")
    page.click(".game-card")
    page.wait("document.querySelector('.who-plays')")
    page.js(
        "{const one = document.querySelectorAll('.who-plays')[1]; one.value = '4'; "
        "one.dispatchEvent(new Event('change'))}"
    )
    page.click(".row .primary.big")
    page.wait("document.querySelector('.card > .row .primary.big .icon')")
    page.click(".card > .row .primary.big")
    page.wait("document.querySelector('.table-view .player')")

    assert list(served.desk.machine.seats.values()) == [4]


def test_machine_that_is_called_otherwise_stays_the_machine(served):
    page = served.open("/new", PHONE, host=True)
    page.click(".game-card", "Sssnake")
    page.wait("document.querySelectorAll('.who-plays').length > 1")
    page.js(
        "{const one = document.querySelectorAll('.who-plays')[1]; one.value = '3'; "
        "one.dispatchEvent(new Event('change'))}"
    )
    second = ".seat-row:nth-child(2) .name"
    page.wait(f"document.querySelector('{second}').value === 'Snake Eye'")
    page.fill(second, "")
    page.fill(second, "Robot ")
    page.click(".row .primary.big")
    page.wait("document.querySelector('.card > .row .primary.big .icon')")
    page.click(".card > .row .primary.big")
    page.wait("document.querySelector('.table-view .player')")

    assert dict(served.desk.machine.seats) == {"Robot": 3}


def test_every_place_of_a_game_alone_is_as_large_as_a_finger_and_one_is_in_sight(served):
    page = served.open("/alone", SMALLEST)
    page.wait("document.querySelector('#alone-level').labels[0].innerText.length > 5")

    page.click(".game-card", "5G")
    page.wait("document.querySelectorAll('.place-choice').length > 50")

    places = "[...document.querySelectorAll('.place-choice')].map((e) => e.getBoundingClientRect())"
    seen = "document.querySelector('.alone .board').getBoundingClientRect()"
    assert page.js(f"Math.min(...{places}.map((place) => place.width))") >= 44
    assert page.js(
        f"{places}.some((one) => one.left >= {seen}.left && one.right <= {seen}.right"
        f" && one.top >= {seen}.top && one.bottom <= {seen}.bottom)"
    )
    assert page.js("document.documentElement.scrollWidth <= innerWidth")
    assert axe_faults(page) == []


def test_game_alone_ends_with_its_count_and_goes_on_at_the_same_or_another_level(served):
    page = served.open("/alone", SMALLEST)
    page.click(".game-card", "Schlangennest")
    page.wait("document.querySelector('.place-choice')")
    games = served.companion.alone._games
    ((name, game),) = games.items()
    games[name] = replace(game, over=True)

    page.go(served.url + "/alone")
    page.wait("document.querySelectorAll('.card.over .ranks li').length === 2")
    assert axe_faults(page) == []
    assert too_small(page) == []
    page.click(".card.over button", "level 1")

    page.wait("!document.querySelector('.card.over') && document.querySelector('.place-choice')")
    assert [one.level for one in games.values() if not one.over] == [1]


def test_a_phone_plays_alone_on_the_drawing(served):
    page = served.open("/alone", PHONE)
    page.wait("document.querySelector('.game-card')")
    page.click(".game-card")
    page.wait("document.querySelector('.place-choice')")
    page.js("document.querySelector('.place-choice').dispatchEvent(new Event('click'))")
    page.wait("document.querySelector('.answer.pictured, .alone-legal .primary')")
    page.js("document.querySelector('.answer.pictured')?.click()")
    page.wait("document.querySelector('.alone-legal .primary')")
    page.click(".alone-legal .primary")
    page.wait(
        "document.querySelector('.page.alone .headline').textContent.includes('·')"
        " || document.querySelectorAll('.board .tap').length > 1"
    )

    assert served.store.games() == []


def seats_offered(served, game):
    """Return what the wizard writes into the name fields of a game, once it knows past games."""
    page = served.open("/new", PHONE, host=True)
    page.click(".game-card", game)
    page.wait("[...document.querySelectorAll('.seat-row input.name')].some((e) => e.value)")
    offered = page.js(
        "[...document.querySelectorAll('.seat-row.on input.name')].map((e) => e.value)"
    )
    return offered, page.js(
        "[...document.querySelectorAll('#known-names option')].map((e) => e.value)"
    )


def test_the_machines_name_is_offered_to_nobody_in_the_next_game(served):
    served.host().post(
        "/api/new",
        {
            "game": "schlangennest",
            "players": ["blue", "red"],
            "machine": {"red": 1},
            "names": {"blue": "Anna", "red": "Snake Eye"},
        },
    )

    assert seats_offered(served, "Schlangennest") == (["Anna", ""], ["Anna"])


def test_the_machines_seats_are_free_in_the_next_game_of_names(served):
    served.host().post(
        "/api/new",
        {
            "game": "sssnake",
            "players": ["Anna", "Snake Eye", "Snake Eye 2"],
            "machine": {"Snake Eye": 1, "Snake Eye 2": 2},
        },
    )

    assert seats_offered(served, "Sssnake") == (["Anna", "", ""], ["Anna"])


def alone_game(served):
    """Return the only game of one phone."""
    (game,) = served.companion.alone._games.values()
    return game


def test_a_hex_tile_is_laid_alone_by_tapping_its_places(served):
    page = served.open("/alone", PHONE)
    page.click(".game-card", "Snekagon")
    page.wait("document.querySelector('.place-choice')")
    page.js("document.querySelector('.place-choice').dispatchEvent(new Event('click'))")
    page.click(".alone-legal .primary")
    page.wait("document.querySelector('.page.alone .headline').textContent.includes('·')")
    game = alone_game(served)
    way = next(one for one in game.legal if one["tile"].startswith("4"))
    tile = quote(f"{game.seat}/{way['tile']}", safe="")
    first, *others = [f"0:{q}:{r}" for q, r in way["cells"]]
    tap = (
        "document.querySelector('.place-choice[data-spot=\"{}\"]')"
        "?.dispatchEvent(new Event('click'))"
    )
    page.wait(f"document.querySelector('.place-choice[data-spot=\"{first}\"]')")
    page.js(tap.format(first))
    page.wait(f"document.querySelector('.answer.pictured img[src*=\"{tile}\"]')")
    page.js(f"document.querySelector('.answer.pictured img[src*=\"{tile}\"]').parentNode.click()")
    for spot in others:
        page.js(tap.format(spot))
    page.wait("document.querySelector('.alone-legal .primary')")
    page.click(".alone-legal .primary")
    page.wait("document.querySelectorAll('.board .tap').length >= 3")

    assert way in alone_game(served).moves


def test_muted_it_is_shown_and_not_spoken(served):
    record = playthrough("carnival_evening")
    who = record.start.players[0]
    served.desk.begin(replace(record, moves=()), {}, machine={who: 1})
    served.eye.machine.show_hand(who, [f"{who}/straight"])
    served.eye.machine.look()
    served.eye.machine.mute(True)
    page = served.open("/", PHONE)
    page.wait("document.querySelector('.card.machine')")
    page.js("import('/static/ui.js').then((ui) => ui.choose('voice', true))")
    page.js("window.heard = []; speechSynthesis.speak = (one) => { heard.push(one.text); }; 1")
    served.lay(served.desk.referee.doubts.machine.move)
    page.wait("document.getElementById('polite').textContent.includes('Please draw a tile')")

    assert not page.js("heard.some((one) => one.includes('Please'))")
