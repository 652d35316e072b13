"""A finished game looked over on the phone: curve, turning points, the better move, try it again.

What the machine found is told here, so that a game of few moves has a turning point.
"""

from __future__ import annotations

import pytest

from engine.record import move_to_json
from tests.browser.conftest import PHONE
from tests.companion_app.web.conftest import playthrough

pytestmark = pytest.mark.browser

NEST, MOVES, COSTLY = "schlangennest_two_players", 6, 5
SURE = {"luck": 0.0, "luck_interval": [-0.1, 0.1], "skill": -0.3, "skill_interval": [-0.4, -0.2]}


class Finder:
    """A machine that found one costly move in a game."""

    def __init__(self, better, names):
        self.better, self.names = move_to_json(better), names

    def ask(self, what, body, within_s=0.0, wanted=lambda: True):
        """Return the same answer each time: the better move is the one that it would make."""
        if what == "move":
            return {"moves": [{"move": self.better, "value": 0.7}], "needs": None}
        first, second = self.names
        moves = [
            {
                "n": n,
                "player": one["player"],
                "before": {first: 0.7, second: 0.3},
                "after": {first: 0.4, second: 0.6} if n >= COSTLY else {first: 0.7, second: 0.3},
                "luck": 0.0,
                "skill": -0.3 if n == COSTLY else 0.0,
                "best": self.better if n == COSTLY else None,
                "turning": n == COSTLY,
            }
            for n, one in enumerate(body["record"]["moves"], start=1)
        ]
        return {
            "players": dict.fromkeys(self.names, SURE),
            "moves": moves,
        }


@pytest.fixture
def finished(served):
    """Return a finished game of a few moves, and a move that is better than the fifth."""
    record = playthrough(NEST)
    served.begin(record, {"blue": "Bruno", "red": "Rosa"})
    served.play(record, MOVES)
    match = served.desk.match
    before = match.positions[COSTLY - 1]
    made = match.accepted[COSTLY - 1].move
    better = next(
        one
        for one in match.game.legal_moves(before)
        if one.do == "place" and (one.tile, one.at, one.turns) != (made.tile, made.at, made.turns)
    )
    served.companion.player = Finder(better, record.start.players)
    served.host().post("/api/end", {})
    return match.key, better


def opened(served, key):
    page = served.open(f"/games/{key}", PHONE)
    page.wait("document.querySelector('.look-over button')")
    page.click(".look-over button")
    page.wait("document.querySelector('.look-over .curve')")
    return page


def lay(page, legal, move):
    """Tap the place of a move on the drawing, choose it among what fits there, and lay it."""
    (wanted,) = [one for one in legal if one["move"] == move_to_json(move)]
    spot = wanted["spots"][0]
    places = list(dict.fromkeys(one for other in legal for one in other["spots"]))
    here = [one for one in legal if spot in one["spots"]]
    page.wait(f"document.querySelectorAll('.place-choice').length === {len(places)}")
    page.js(
        f"document.querySelectorAll('.place-choice')[{places.index(spot)}]"
        ".dispatchEvent(new Event('click'))"
    )
    if len(here) > 1:
        page.wait("document.querySelector('dialog .answer.pictured')")
        page.js(f"document.querySelectorAll('dialog .answer')[{here.index(wanted)}].click()")
    page.wait("document.querySelector('.alone-legal .primary')")
    page.click(".alone-legal .primary")


def test_curve_and_turning_point_lead_to_the_better_move_as_a_ghost(served, finished):
    key, better = finished
    page = opened(served, key)
    lines = page.js("document.querySelectorAll('.look-over .curve polyline').length")
    marks = page.js("document.querySelectorAll('.look-over .curve line').length")
    points = page.js("document.querySelectorAll('.look-over .turning-list li').length")
    page.click(".look-over .turning-list button")
    page.wait("document.querySelector('.board .ghost-of-move image')")

    assert (lines, marks, points) == (2, 1, 1)
    assert (
        page.js("[...document.querySelectorAll('.look-over td')].map((c) => c.textContent)")
        == [
            "not sure",
            "−0.30 (−0.40 … −0.20)",
        ]
        * 2
    )
    assert "Row " in page.text(".look-over .turning-list small")
    assert page.js("Number(document.querySelector('.slider').value)") == COSTLY - 1
    assert better.tile.replace("/", "%2F") in page.js(
        "document.querySelector('.ghost-of-move image').getAttribute('href')"
    )


def test_a_costly_move_is_tried_again_and_graded_only_after_the_answer(served, finished):
    key, better = finished
    legal = served.guest().post(f"/api/games/{key}/try", {"n": COSTLY}).get_json()["legal"]
    made = served.desk.match.accepted[COSTLY - 1].move
    page = opened(served, key)
    page.click(".look-over > button.wide")
    page.wait("document.querySelector('.look-over [role=status]')")
    answer = "document.querySelector('.look-over [role=status]').textContent"
    said = [page.js(answer)]
    ghosts = page.js("document.querySelectorAll('.ghost-of-move').length")
    for move in (made, better):
        lay(page, legal, move)
        page.wait(
            f"document.querySelector('.look-over [role=status]').textContent !== {said[-1]!r}"
        )
        said.append(page.text(".look-over [role=status]"))

    page.click(".look-over .row .primary")
    page.wait("document.querySelector('.look-over .curve')")
    page.wait("document.querySelector('.ghost-of-move image')")
    assert page.text(".look-over [role=status]")
    assert not page.js("document.querySelector('.place-choice')")
    assert ghosts == 0
    assert said == ["", "There is something better.", "Yes, that is good."]


def test_mistakes_over_all_games_lead_to_the_question_about_the_move(served, finished):
    key, _ = finished
    opened(served, key)
    page = served.open("/games", PHONE)
    page.wait("document.querySelector('.mistakes button')")
    page.click(".mistakes button")
    page.wait("document.querySelector('.mistakes .turning-list button')")
    said = page.text(".mistakes .turning-list button")
    page.click(".mistakes .turning-list button")
    page.wait("document.querySelector('.look-over .row .primary')")

    assert f"move {COSTLY}" in said
    assert page.js("Number(document.querySelector('.slider').value)") == COSTLY - 1
    assert page.text(".look-over .headline").startswith("Bruno")
