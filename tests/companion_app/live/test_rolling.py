"""Rolls that are told: in time, ahead of it, wrongly, or for cards that fit nowhere."""

from __future__ import annotations

from math import inf

import pytest

from companion_app.live.errors import StoreFull
from companion_app.live.questions import Question, concerns
from companion_app.live.referee import Referee
from engine.game import Move, Start
from engine.notation import read_layout
from tests.companion_app.live.tabletop import Tabletop, said
from tests.companion_app.live.test_judging import DICE, rolled, table_of
from tests.companion_app.live.test_referee import accepted
from tests.companion_app.live.test_store import FailingDisk

NEARLY = "curve@2,0#{0} curve@2,-1^3#{0} straight@1,-1#{0} straight@0,-1#{0} curve@-1,-1^2#{0}"
"""A snake whose two ends face the cell -1,0: a curve closes it, a straight does not fit."""

dice = table_of(DICE)


@pytest.fixture
def shut(dice):
    """Return a table whose two snakes take no straight card, and a curve only to close them."""
    lying = read_layout(" ".join(NEARLY.format(field) for field in (0, 1)))
    dice.match.restart(Start(("a", "b"), {}, lying, midgame=True))
    return dice


def asked(table: Tabletop) -> list[str]:
    return [question.about for question in table.referee.doubts.questions.values()]


def the_question(table: Tabletop) -> Question:
    (question,) = table.referee.doubts.questions.values()
    return question


# --- cards that fit nowhere ----------------------------------------------------------------------


def test_card_that_fits_nowhere_goes_out_and_the_next_roll_is_asked_for(shut):
    happened = shut.tell({"roll": 1, "tiles": ["straight"]})

    assert accepted(shut)[1:] == [Move("a", "discard", "straight")]
    assert said(happened, "turn")[-1]["player"] == "b"
    assert asked(shut) == ["roll"]


def test_which_of_several_cards_goes_out_is_asked_of_who_rolled(shut):
    shut.tell({"roll": 3, "tiles": ["straight", "curve", "curve"]})
    question = the_question(shut)
    assert (question.about, [guess[0] for guess in question.guesses]) == (
        "hand",
        ["straight", "curve"],
    )

    shut.tell({"answer": question.id, "value": "curve"})

    assert accepted(shut)[1:] == [Move("a", "discard", "curve")]
    assert asked(shut) == []


def test_untold_card_that_may_fit_nowhere_can_be_put_away(shut):
    shut.tell({"roll": 1})
    question = the_question(shut)
    assert (question.about, question.guesses) == ("hand", (["straight", 1.0],))

    shut.tell({"answer": question.id, "value": "straight"})

    assert accepted(shut)[1:] == [Move("a", "discard", "straight")]
    assert asked(shut) == ["roll"]


def test_untold_card_that_was_given_away_is_put_away_by_who_rolled(shut):
    shut.tell({"roll": 2})
    shut.tell({"discard": "straight"})
    assert shut.match.position.to_move == "b"
    assert concerns(the_question(shut), shut.match) == ("a",)

    shut.tell({"discard": "straight"})

    assert accepted(shut)[1:] == [Move("a", "discard", "straight")] * 2


def test_card_to_put_away_is_not_asked_for_any_more_once_the_cards_are_told(shut):
    shut.tell({"roll": 1})
    assert asked(shut) == ["hand"]

    shut.tell({"correct": 1, "move": {"tiles": ["curve"]}})

    assert asked(shut) == []


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
