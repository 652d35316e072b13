"""A game taken up in its middle with a tile half under a cup: nobody guesses how long it is."""

import pytest

from companion_app.live.errors import ToldError
from engine.placement import Layout, Piece
from tests.companion_app.live.tabletop import Tabletop, said
from vision.core.tables import TableState

HALF = Piece("red/4/0+", ((0, -3), (0, -2), (0, -1), (1, -4)))
SEEN = {"tile": "red/2", "cells": [[0, -2], [0, -1]], "guesses": [["red/2", 0.9]], "why": "covered"}
REST = (Piece("green/3/0", ((3, -3), (4, -3), (5, -3))), Piece("red/2", ((-3, 1), (-3, 2))))


@pytest.fixture
def table(tmp_path):
    table = Tabletop(tmp_path, "snekagon", ("red", "green"))
    yield table
    table.close()


def half_hidden(table: Tabletop) -> TableState:
    rest = table.state(Layout.of(*REST))
    return TableState(rest.size_px, rest.tiles, ({**SEEN, "confidence": 0.9},))


def test_game_is_not_taken_up_before_all_of_a_tile_is_seen(table):
    (question,) = said(table.shows(half_hidden(table), looks=30), "question")
    assert question["about"] == "tile"
    assert question["cells"] == SEEN["cells"]
    assert question["guesses"] == [["red/2", 0.5]]

    (question,) = said(table.shows(Layout.of(HALF, *REST)), "question")

    assert question["about"] == "next"
    assert [open.about for open in table.referee.doubts.questions.values()] == ["next"]
    table.tell({"answer": question["id"], "value": "green"})
    assert HALF in table.match.layout.pieces


def test_hand_that_takes_the_cup_away_at_once_is_asked_nothing_about_it(table):
    assert said(table.shows(half_hidden(table), looks=8), "question") == []

    assert [e["about"] for e in said(table.shows(Layout.of(HALF, *REST)), "question")] == ["next"]


@pytest.mark.parametrize("value", ["red/2", "red", {"tile": "red/2"}, ["red/2", 0.5]])
def test_tile_that_is_said_to_be_whole_is_taken_up_as_it_is_seen(table, value):
    (question,) = said(table.shows(half_hidden(table), looks=30), "question")

    table.tell({"answer": question["id"], "value": value})

    (question,) = said(table.keeps(half_hidden(table)), "question")
    assert question["about"] == "next"


@pytest.mark.parametrize("value", ["red/4/0+", "none", None, 7])
def test_nobody_can_say_where_the_rest_of_a_hidden_tile_lies(table, value):
    (question,) = said(table.shows(half_hidden(table), looks=30), "question")

    with pytest.raises(ToldError, match="take away what lies over the tile"):
        table.tell({"answer": question["id"], "value": value})

    assert question["id"] in table.referee.doubts.questions
