"""Whatever changes the table redraws it on every phone that shows it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from engine.record import move_to_json
from tests.browser.conftest import DESKTOP, TV
from tests.companion_app.web.conftest import playthrough

pytestmark = pytest.mark.browser

PARTS = """(svg) => [...svg.querySelectorAll(':scope > use, .tap')].map((part) =>
    part.dataset.tile ? part.dataset.tile + ' ' + part.dataset.spots
    : part.getAttribute('href') + ' ' + part.getAttribute('transform'))"""
"""What a drawing shows: every tile and board where it lies, and what can be tapped."""


def shows(page, url):
    """Wait until a page shows the drawing that the table has now."""
    page.wait(f"""fetch({json.dumps(url)}).then((answer) => answer.text()).then((text) => {{
        const parts = {PARTS}, fresh = new DOMParser().parseFromString(text, 'image/svg+xml');
        const shown = document.querySelector('.board svg');
        return shown && String(parts(shown)) === String(parts(fresh.documentElement));
    }})""")


def corrected(served, n, **changes):
    """Say on another phone what a move really was."""
    answer = served.host().post("/api/tell", {"correct": n, "move": changes})
    assert answer.status_code == 200, answer.get_json()


def other_place(served, n):
    """Return how else the tile of a hex move can lie."""
    match = served.desk.match
    move = match.accepted[n - 1].move
    moves = match.game.legal_moves(match.positions[n - 1])
    other = next(m for m in moves if m.tile == move.tile and m.cells != move.cells)
    return move_to_json(other)["cells"]


@pytest.mark.parametrize("game", ["schlangennest_two_players", "carnival_two_players"])
def test_correction_of_a_card_is_drawn_on_every_phone(served, game):
    record = playthrough(game)
    served.begin(record)
    served.play(record, 6)
    pages = [served.open("/"), served.open("/tv", TV)]
    for page in pages:
        shows(page, "/api/table.svg")
    laid = served.desk.match.accepted[2].move
    before = served.guest().client.get("/api/table.svg").text

    corrected(served, 3, turns=(laid.turns + 1) % 4)

    assert served.guest().client.get("/api/table.svg").text != before
    for page in pages:
        shows(page, "/api/table.svg")


@pytest.mark.parametrize("game", ["snekagon_tie", "snekagon5g_floors"])
def test_correction_of_a_hex_tile_is_drawn_on_every_phone(served, game):
    record = playthrough(game)
    served.begin(record)
    served.play(record, 4)
    pages = [served.open("/"), served.open("/", DESKTOP)]
    for page in pages:
        shows(page, "/api/table.svg")
    before = served.guest().client.get("/api/table.svg").text

    corrected(served, 4, cells=other_place(served, 4))

    assert served.guest().client.get("/api/table.svg").text != before
    for page in pages:
        shows(page, "/api/table.svg")


def test_table_that_is_taken_up_with_other_tiles_is_drawn_anew(served, script):
    served.begin(script.record)
    page = served.open("/")
    shows(page, "/api/table.svg")
    match = served.desk.match
    after = match.game.apply(match.position, script.record.moves[0])

    lying = match.game.layout(after)
    start = replace(match.start, layout=lying, next=after.to_move, midgame=True)
    served.desk.do(lambda: match.restart(start))
    served.desk.emit({"event": "told"})

    page.wait("document.querySelectorAll('.board .tap').length === 1")


def test_correction_is_drawn_where_the_game_is_looked_through(served, script):
    served.begin(script.record)
    served.play(script.record, 6)
    key = served.desk.match.key
    page = served.open(f"/games/{key}")
    shows(page, f"/api/games/{key}/table.svg?n=6")
    page.fill(".slider", "4")
    shows(page, f"/api/games/{key}/table.svg?n=4")
    laid = served.desk.match.accepted[2].move

    corrected(served, 3, turns=(laid.turns + 1) % 4)

    shows(page, f"/api/games/{key}/table.svg?n=4")
    assert page.js("document.querySelector('.slider').value") == "4"
