"""A tile that somebody has named is lifted like any other."""

import pytest

from engine.placement import Layout
from tests.companion_app.live.tabletop import said
from tests.companion_app.live.test_referee import PLAIN, a_table, accepted, play
from tests.companion_app.live.test_withdrawn import doubtful


def corrected(table, game: str) -> int:
    """Let somebody say that the last tile is another; return the number of its move."""
    play(table, PLAIN[game], 5, 5)
    n = max(i for i, one in enumerate(accepted(table), 1) if one.do == "place")
    last = accepted(table)[n - 1]
    if last.cells is None:
        table.tell({"correct": n, "move": {"turns": ((last.turns or 0) + 1) % 4}})
    else:
        table.tell({"correct": n, "move": {"tile": "1", "cells": [list(last.cells[0])]}})
    assert accepted(table)[n - 1] != last
    return n


@pytest.mark.parametrize("game", ["schlangennest", "snekagon"])
def test_corrected_tile_that_is_lifted_is_taken_back(tmp_path, game):
    with a_table(tmp_path, PLAIN[game]) as table:
        n = corrected(table, game)
        table.keeps(table.match.layout)

        events = table.shows(table.match.layouts[n - 1])

        assert [e["n"] for e in said(events, "taken-back")] == [n]
        assert len(table.match.accepted) == n - 1


def test_other_tile_laid_where_a_corrected_one_lay_is_read_as_what_it_is(tmp_path):
    with a_table(tmp_path, PLAIN["schlangennest"]) as table:
        n = corrected(table, "schlangennest")
        named = accepted(table)[n - 1]
        table.shows(table.match.layouts[n - 1])
        moves = table.match.game.legal_moves(table.match.position)
        move = next(m for m in moves if m.at == named.at and m != named)

        events = table.shows(table.match.after(move))

        assert accepted(table)[-1] == move
        assert all(verdict["legal"] for verdict in said(events, "verdict"))


def test_named_tile_that_is_lifted_is_taken_back(tmp_path):
    with a_table(tmp_path, PLAIN["schlangennest"]) as table:
        play(table, PLAIN["schlangennest"], 5, 2)
        move = next(m for m in table.match.game.legal_moves(table.match.position) if m.at)
        before, seen = table.match.layout, doubtful(table, [*(move.at or ())])
        (question,) = said(table.shows(seen, looks=30), "question")
        table.tell({"answer": question["id"], "value": {"tile": move.tile, "turns": move.turns}})
        table.keeps(seen)
        assert accepted(table)[-1] == move

        events = table.shows(before)

        assert [e["n"] for e in said(events, "taken-back")] == [3]


def test_earlier_corrected_tile_that_is_lifted_is_asked_about(tmp_path):
    with a_table(tmp_path, PLAIN["schlangennest"]) as table:
        play(table, PLAIN["schlangennest"], 5, 6)
        third = accepted(table)[2]
        table.tell({"correct": 3, "move": {"turns": ((third.turns or 0) + 1) % 4}})
        left = Layout(frozenset(c for c in table.match.layout.cards if c.at != third.at))

        (question,) = said(table.shows(left, looks=60), "question")

        assert question["about"] == "tile"
        assert question["at"] == [*(third.at or ())]
        table.tell({"answer": question["id"], "value": question["guesses"][0][0]})
        assert said(table.shows(left, looks=60), "question") == []
