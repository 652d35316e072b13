"""Rolls that are told and cannot be kept at once, or were told to another camera."""

from __future__ import annotations

from math import inf

import pytest

from companion_app.live.errors import StoreFull
from companion_app.live.questions import Question
from companion_app.live.referee import Referee
from tests.companion_app.live.tabletop import Tabletop
from tests.companion_app.live.test_judging import DICE, rolled, table_of
from tests.companion_app.live.test_referee import accepted
from tests.companion_app.live.test_store import FailingDisk

dice = table_of(DICE)


def the_question(table: Tabletop) -> Question:
    (question,) = table.referee.doubts.questions.values()
    return question


# --- a full disk ---------------------------------------------------------------------------------


def test_roll_is_asked_for_again_where_its_answer_could_not_be_kept(dice):
    question, disk = the_question(dice), ["full"]
    FailingDisk(dice.store, lambda statement: bool(disk) and "INSERT" in statement)
    with pytest.raises(StoreFull):
        dice.tell({"answer": question.id, "value": 1})
    disk.clear()

    assert the_question(dice) is question
    dice.tell({"answer": question.id, "value": 2})

    assert [move.value for move in accepted(dice)] == [2]


def test_roll_told_ahead_that_could_not_be_kept_counts_once_there_is_room(dice):
    first, *_ = rolled(dice, 1)
    lying = dice.match.after(first)
    dice.tell({"roll": 2})
    disk = ["full"]
    FailingDisk(dice.store, lambda statement: bool(disk) and "INSERT" in statement)
    with pytest.raises(StoreFull):
        dice.shows(lying)
    assert len(accepted(dice)) == 1
    disk.clear()

    dice.keeps(lying)

    assert [move.value for move in accepted(dice) if move.do == "roll"] == [1, 2]


# --- another camera ------------------------------------------------------------------------------


def test_roll_told_ahead_keeps_no_time_of_the_clock_before_when_a_correction_is_undone(dice):
    dice.t = 100.0
    dice.tell({"roll": 2})
    dice.tell({"roll": 3})
    dice.tell({"correct": 1, "move": {"value": 1}})
    before, dice.referee = dice.referee, Referee(dice.match, dice.events.append)
    dice.referee.take_over(before)

    assert dice.referee.undo_told(0.0)

    assert [(t, move.value) for t, move in dice.referee.doubts.rolls] == [(-inf, 3)]
    assert dice.referee.doubts.rolled_s == -inf
