"""Options in words: everything that a rule book lets players choose can be chosen in the wizard."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.games import GAMES
from engine.options import one_of
from tests.browser.chromium import wait_until
from tests.browser.conftest import DESKTOP

pytestmark = pytest.mark.browser


def to_options(page, game):
    """Walk to the last step of the wizard, and open the options."""
    place = list(GAMES).index(game)
    page.wait(f"document.querySelectorAll('.game-card')[{place}]")
    page.js(f"document.querySelectorAll('.game-card')[{place}].click()")
    page.js(
        "document.querySelectorAll('.seat-row input.name:not([disabled])')"
        ".forEach((e, n) => { e.value = ['Anna', 'Ben'][n]; e.dispatchEvent(new Event('input')); })"
    )
    page.click("button.primary", "Next")
    page.wait("document.querySelector('.looks, button.primary.big')")
    page.js("document.querySelectorAll('.options').forEach((e) => { e.open = true; })")


def shown(page):
    return page.js(
        "[...document.querySelectorAll('[data-option]')]"
        ".filter((e) => e.getClientRects().length)"
        ".filter((e) => e.querySelector('input, select, [role=button]'))"
        ".map((e) => e.dataset.option)"
    )


def test_every_option_of_every_game_has_a_control(served):
    page = served.open("/new", host=True)
    offered = {}
    for game in GAMES:
        to_options(page, game)
        offered[game] = set(shown(page))
        if game == "schlangennest":
            assert "colours" not in shown(page)
            page.fill("[data-option=two_snakes] select", '"both"')
            assert not {"border", "frame"} & set(shown(page))
            offered[game] |= set(shown(page))
        page.js("document.querySelector('.steps button').click()")

    assert offered == {
        name: {option.name for option in game.facts.options} for name, game in GAMES.items()
    }


def test_two_snakes_begin_with_the_colours_that_were_chosen(served):
    page = served.open("/new", host=True)
    to_options(page, "schlangennest")
    page.fill("[data-option=two_snakes] select", '"both"')
    said = page.js("document.querySelector('[data-option=colours] select').options[2].text")
    page.js(
        "(() => { const e = document.querySelector('[data-option=colours] select'); "
        "e.selectedIndex = 2; e.dispatchEvent(new Event('change')); })()"
    )
    page.click("button.primary", "Start")

    wait_until(lambda: served.desk.match)
    assert said == "Anna: Blue + Green · Ben: Red + Yellow"
    assert served.desk.match.start.options["colours"] == {
        "blue": ["blue", "green"],
        "red": ["red", "yellow"],
    }


def test_a_third_player_takes_the_choice_of_two_snakes_away(served):
    page = served.open("/new", host=True)
    to_options(page, "schlangennest")
    page.fill("[data-option=two_snakes] select", '"one"')
    page.click("button", "Back")
    page.click(".pick input[name=yellow]")
    page.click("button.primary", "Next")
    page.click("button.primary", "Start")

    wait_until(lambda: served.desk.match)
    assert len(served.desk.match.start.players) == 3
    assert "two_snakes" not in served.desk.match.start.options


def test_border_and_frame_are_offered_while_a_colour_is_left_for_them(served):
    page = served.open("/new", host=True)
    to_options(page, "schlangennest")
    offered = [{"border", "frame"} & set(shown(page))]
    for colour in ("yellow", "green"):
        page.click("button", "Back")
        page.click(f".pick input[name={colour}]")
        page.click("button.primary", "Next")
        page.wait("document.querySelector('.looks, button.primary.big')")
        page.js("document.querySelectorAll('.options').forEach((e) => { e.open = true; })")
        offered.append({"border", "frame"} & set(shown(page)))

    assert offered == [{"border", "frame"}, {"border"}, set()]


def test_one_snake_each_leaves_no_colours_to_choose(served):
    page = served.open("/new", host=True)
    to_options(page, "carnival")
    assert "colours" in shown(page)
    page.fill("[data-option=snakes] select", "1")
    assert "colours" not in shown(page)
    page.click("button.primary", "Start")

    wait_until(lambda: served.desk.match)
    assert served.desk.match.start.options == {"snakes": 1}


def test_holes_of_the_boards_are_moved_by_a_tap(served):
    page = served.open("/new", DESKTOP, host=True)
    to_options(page, "snekagon5g")
    page.wait("document.querySelectorAll('.bare-board [aria-pressed=true]').length === 2")
    page.js(
        "document.querySelector('.bare-board [aria-label=\"Row 7, place 7\"]')"
        ".dispatchEvent(new MouseEvent('click', {bubbles: true}))"
    )
    page.click("button.primary", "Start")

    wait_until(lambda: served.desk.match)
    assert served.desk.match.start.options["eyes"] == [[3, -2], [1, 1]]
    assert served.desk.match.box.extras["board"]["eyes"] == [[3, -2], [1, 1]]


def test_own_size_that_is_too_large_is_shown_as_it_counts(served):
    page = served.open("/new", host=True)
    to_options(page, "schlangennest")
    page.fill("[data-option=size] select", '"own"')
    page.fill("[data-option=size] .own-size input", "99")
    said = page.js("document.querySelector('.own-size input').value")
    page.click("button.primary", "Start")

    wait_until(lambda: served.desk.match)
    assert said == "12"
    assert served.desk.match.start.options["size"] == [12, 7]


def test_two_snakes_each_are_offered_the_size_for_four(served):
    page = served.open("/new", host=True)
    to_options(page, "schlangennest")
    page.fill("[data-option=two_snakes] select", '"both"')
    offered = page.js(
        "[...document.querySelectorAll('[data-option=size] .own-size input')].map((e) => e.value)"
    )
    page.fill("[data-option=two_snakes] select", '"off"')
    taken_back = page.js("document.querySelector('[data-option=size] select').value")
    page.fill("[data-option=size] select", "null")
    page.fill("[data-option=two_snakes] select", '"both"')
    page.click("button.primary", "Start")

    wait_until(lambda: served.desk.match)
    assert (offered, taken_back) == (["7", "9"], '"recommended"')
    assert served.desk.match.start.options == {"two_snakes": "both", "size": None}


def test_an_option_that_no_one_has_drawn_yet_is_chosen_by_its_values(served, monkeypatch):
    facts = GAMES["snekagon"].facts
    invented = one_of("weather", "It is dry, wet or windy.", "dry", "wet", 3)
    monkeypatch.setattr(
        type(GAMES["snekagon"]), "facts", replace(facts, options=(*facts.options, invented))
    )
    page = served.open("/new", host=True)
    to_options(page, "snekagon")
    listed = page.js(
        "[...document.querySelectorAll('[data-option=weather] option')].map((e) => e.text)"
    )
    page.fill("[data-option=weather] select", "3")
    page.click("button.primary", "Start")

    wait_until(lambda: served.desk.match)
    assert listed == ["dry", "wet", "3"]
    assert served.desk.match.start.options == {"weather": 3}
