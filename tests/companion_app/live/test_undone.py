"""Every answer can be taken back whole: game, table and question are as before it."""

from typing import Any

import pytest

from companion_app.live.errors import StoreFull
from companion_app.live.match import Match
from engine.placement import Layout
from engine.record import record_to_json
from tests.companion_app.live.tabletop import Tabletop, said
from tests.companion_app.live.test_referee import PLAIN, a_table, play
from tests.companion_app.live.test_store import FailingDisk


def written(match: Match) -> object:
    return record_to_json(match.record())


@pytest.fixture
def table(tmp_path):
    with a_table(tmp_path, PLAIN["schlangennest"]) as table:
        yield table


def puzzled(table: Tabletop) -> dict[str, Any]:
    """Play some moves, then take tiles from the middle: no moves lead there."""
    play(table, PLAIN["schlangennest"], 5, 6)
    left = Layout(frozenset(sorted(table.match.layout.cards)[2:]))
    (question,) = said(table.shows(left, looks=60), "question")
    assert question["about"] == "next"
    return question


def test_undone_answer_stays_undone_when_the_game_is_taken_up_again(table):
    question = puzzled(table)
    before = written(table.match)
    table.tell({"answer": question["id"], "value": "blue", "confirm": True})
    table.referee.undo_told(table.t)
    play_on = table.shows(table.match.layouts[-2])

    again = Match.resume(table.store, table.match.key)

    assert said(play_on, "taken-back")
    assert written(again) == written(table.match) != before


# --- a full disk ---------------------------------------------------------------------------------


def test_answer_whose_undoing_cannot_be_kept_can_be_undone_later(table):
    question = puzzled(table)
    before, disk = written(table.match), ["full"]
    table.tell({"answer": question["id"], "value": "blue", "confirm": True})
    FailingDisk(table.store, lambda statement: bool(disk) and "INSERT" in statement)
    with pytest.raises(StoreFull):
        table.referee.undo_told(table.t)

    disk.clear()

    assert table.referee.undo_told(table.t)
    assert written(table.match) == before
