"""Cards that touch nothing: what a hand has laid is judged or asked about, stocks are left."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from companion_app.live.apart import as_laid
from engine.setfile import built_in_set
from tests.companion_app.live.tabletop import said, verdicts
from tests.companion_app.live.test_hindrance import HAND, STILL, Stage, outline, stage
from vision.core.tables import TableState

__all__ = ["stage"]
CARD = {"tile": "red/curve", "confidence": 0.99}


def card(stage: Stage, x: float, y: float) -> dict[str, Any]:
    """Return a card so many cells from the one that was laid first."""
    first = stage.match.accepted[0].move.at
    assert first is not None
    return {**CARD, "outline": outline(first[0] + x, first[1] + y)}


def painted(entry: dict[str, Any]) -> np.ndarray:
    """Return the picture of the table with a card on it."""
    bgr = STILL.copy()
    (left, top), _, (right, bottom), _ = (map(round, point) for point in entry["outline"])
    bgr[top:bottom, left:right] = (40, 40, 230)
    return bgr


def lay_aside(stage: Stage, entry: dict[str, Any], seconds: float = 2.0) -> list[dict[str, Any]]:
    """Let a hand lay a card that the reader takes for one aside; return what is said."""
    before = len(stage.events)
    stage.film(0.5, HAND)
    stage.aside = (*stage.aside, entry)
    stage.film(seconds, painted(entry))
    return stage.events[before:]


@pytest.mark.parametrize("away", [(2, 0), (0, -2), (2, 1)])
def test_card_that_a_hand_has_just_laid_and_that_touches_nothing_is_judged(stage, away):
    stage.play(1)

    events = lay_aside(stage, card(stage, *away))

    (foul,) = said(events, "verdict")
    first = stage.match.accepted[0].move.at
    assert first is not None
    assert foul["legal"] is False
    assert foul["move"]["at"] == [first[0] + away[0], first[1] + away[1]]


def test_foul_that_touches_nothing_is_lifted_again(stage):
    stage.play(1)
    lay_aside(stage, card(stage, 2, 0))

    stage.aside = ()
    stage.lay(stage.layout)

    assert stage.loop.referee.state.pending is None
    assert stage.loop.state == "settled"


def test_card_laid_off_the_lattice_is_asked_about_once_and_nothing_is_dropped(stage):
    stage.play(1)
    before = stage.match.accepted

    (question,) = said(lay_aside(stage, card(stage, 2.4, 0.4), 4.0), "question")
    assert question["about"] == "tile"
    stage.loop.tell({"answer": question["id"], "value": "none"})
    stage.film(20.0, painted(stage.aside[0]))
    stage.film(0.5, HAND)
    stage.film(20.0, painted(stage.aside[0]))

    assert len(said(stage.events, "question")) == 1
    assert verdicts(stage.events) == []
    assert stage.match.accepted == before


def test_card_off_the_lattice_that_somebody_names_is_judged(stage):
    stage.play(1)
    (question,) = said(lay_aside(stage, card(stage, 2.4, 0.4), 4.0), "question")

    stage.loop.tell({"answer": question["id"], "value": "red/curve"})
    stage.film(2.0, painted(stage.aside[0]))

    assert verdicts(stage.events) == [(2, False)]


def test_card_laid_out_of_reach_is_only_said_to_lie_apart(stage):
    stage.play(1)

    events = lay_aside(stage, card(stage, 5, 0), 5.0)

    assert not said(events, "question")
    assert not verdicts(events)
    assert stage.why == "apart"


def test_stock_that_was_hidden_for_a_while_is_not_taken_for_a_card_just_laid(stage):
    stage.play(1)
    stock = card(stage, 2, 0)
    stage.begin()
    stage.aside = (stock,)
    stage.film(2.0, painted(stock))
    stage.aside = ()
    stage.film(0.5, HAND)
    stage.film(2.0)
    stage.events.clear()

    events = lay_aside(stage, stock)

    assert not said(events, "question")
    assert not verdicts(events)


def test_card_that_a_sleeve_has_nudged_off_its_cell_is_still_the_known_one(stage):
    stage.play(4)
    known = stage.match.layout
    last = stage.match.accepted[-1].move
    (x, y), taken = last.at, {one.at for one in known.cards}
    dx, dy = next(
        (dx, dy) for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1)) if (x + dx, y + dy) not in taken
    )
    corners = outline(x + 0.53 * dx, y + 0.53 * dy)
    nudged = {**CARD, "tile": last.tile, "outline": corners}

    stage.layout = replace(known, cards=frozenset(c for c in known.cards if c.at != last.at))
    events = lay_aside(stage, nudged, 6.0)

    assert not said(events, "question")
    assert not said(events, "taken-back")
    assert stage.match.layout == known


def test_big_card_that_has_lain_aside_all_along_begins_no_field():
    box = built_in_set("sssnake")
    laid = {"tile": "big/1", "at": [0, 0], "field": 0, "outline": outline(0, 0)}
    stock = {"tile": "big/4", "at": [0, 0], "field": 1, "outline": outline(8, 5)}
    table = TableState((128, 72), (laid, stock))

    seen = as_laid(table, box, lambda entry: False, lambda entry: entry["tile"] == "big/4")

    assert (seen.tiles, seen.aside) == ((laid,), (stock,))


def test_known_big_card_without_a_neighbour_is_in_play_where_it_lay():
    box = built_in_set("sssnake")
    laid = {"tile": "big/1", "at": [0, 0], "field": 0, "outline": outline(0, 0)}
    lone = {"tile": "big/3", "confidence": 1.0, "outline": outline(8, 5)}
    stock = {"tile": "big/4", "confidence": 1.0, "outline": outline(8, 9)}
    table = TableState((128, 72), (laid,), aside=(lone, stock))
    spots = {"big/1": (0, 0, 0), "big/3": (2, 0, 0)}

    seen = as_laid(
        table,
        box,
        lambda entry: False,
        lambda entry: entry is stock,
        lambda entry: spots.get(entry["tile"]),
    )

    assert seen.tiles == (laid, {**lone, "at": [0, 0], "turns": 0, "field": 2})
    assert seen.aside == (stock,)
