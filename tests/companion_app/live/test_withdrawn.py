"""Questions live as long as what they ask about lies there, and drop no move unsaid."""

from typing import Any

import pytest

from companion_app.live.errors import QuestionGone, ToldError, WouldDrop
from engine.placement import Layout
from tests.companion_app.live.tabletop import Tabletop, said
from tests.companion_app.live.test_referee import PLAIN, a_table, play
from vision.core.tables import TableState

OLD = "blue/curve@0,0 red/curve@1,0 blue/tail@0,1 red/tail@1,1"
STRANGE = "yellow/curve@0,0 yellow/tail@1,0 green/curve@0,1 green/tail@1,1"


@pytest.fixture
def table(tmp_path):
    with a_table(tmp_path, PLAIN["schlangennest"]) as table:
        yield table


def open_questions(table: Tabletop) -> list[str]:
    return [question.about for question in table.referee.doubts.questions.values()]


def puzzled(table: Tabletop) -> dict[str, Any]:
    """Play some moves, then take tiles from the middle: no moves lead there."""
    play(table, PLAIN["schlangennest"], 5, 6)
    left = Layout(frozenset(sorted(table.match.layout.cards)[2:]))
    (question,) = said(table.shows(left, looks=60), "question")
    assert question["about"] == "next"
    return question


def test_question_who_is_next_is_withdrawn_when_the_old_tiles_are_cleared(table):
    (question,) = said(table.shows(OLD), "question")
    assert question["about"] == "next"

    events = table.shows(Layout())

    assert [e["id"] for e in said(events, "withdrawn")] == [question["id"]]
    assert open_questions(table) == []
    with pytest.raises(QuestionGone):
        table.tell({"answer": question["id"], "value": "blue"})


def test_game_that_is_played_on_keeps_its_moves_whatever_is_answered_late(table):
    (question,) = said(table.shows(OLD), "question")
    table.shows(Layout())
    play(table, PLAIN["schlangennest"], 5, 4)

    with pytest.raises(ToldError):
        table.tell({"answer": question["id"], "value": "blue"})

    assert len(table.match.accepted) == 4


def test_question_about_a_table_that_was_changed_gives_way_to_one_about_the_new_table(table):
    (first,) = said(table.shows(OLD), "question")

    events = table.shows(OLD + " blue/curve@2,0", looks=20)

    (second,) = said(events, "question")
    assert [e["id"] for e in said(events, "withdrawn")] == [first["id"]]
    assert list(table.referee.doubts.questions) == [second["id"]]


def test_question_stays_while_its_table_lies(table):
    (question,) = said(table.shows(OLD), "question")

    events = table.keeps(OLD, looks=100) + table.shows(OLD, looks=100)

    assert said(events, "withdrawn") == said(events, "question") == []
    assert list(table.referee.doubts.questions) == [question["id"]]


def doubtful(table: Tabletop, at: list[int]) -> TableState:
    lying = table.state(table.match.layout)
    entry = {
        "tile": "blue/curve",
        "at": at,
        "turns": 0,
        "confidence": 0.5,
        "why": "glare",
        "guesses": [["blue/curve", 0.5, 0], ["blue/straight", 0.4, 0]],
    }
    return TableState(lying.size_px, lying.tiles, (entry,))


def test_question_about_a_tile_is_withdrawn_when_another_place_is_doubtful(table):
    play(table, PLAIN["schlangennest"], 5, 2)
    (first,) = said(table.shows(doubtful(table, [7, 7]), looks=30), "question")

    events = table.shows(doubtful(table, [9, 9]), looks=30)

    (second,) = said(events, "question")
    assert [e["id"] for e in said(events, "withdrawn")] == [first["id"]]
    assert list(table.referee.doubts.questions) == [second["id"]]


def test_question_says_how_many_moves_its_answer_drops_and_the_answer_must_be_confirmed(table):
    question = puzzled(table)
    assert question["drops"] == 6

    with pytest.raises(WouldDrop, match="6"):
        table.tell({"answer": question["id"], "value": "blue"})
    assert len(table.match.accepted) == 6
    assert question["id"] in table.referee.doubts.questions

    table.tell({"answer": question["id"], "value": "blue", "confirm": True})
    assert table.match.accepted == ()


def test_first_table_of_a_game_drops_nothing_and_needs_no_confirmation(table):
    (question,) = said(table.shows(OLD), "question")
    assert "drops" not in question

    table.tell({"answer": question["id"], "value": "blue"})

    assert table.match.start.midgame


def test_question_stays_while_the_table_settles(table):
    play(table, PLAIN["schlangennest"], 5, 2)
    (question,) = said(table.shows(doubtful(table, [7, 7]), looks=30), "question")
    before = table.match.layouts[-2]
    table.t += 5

    assert table.shows(before, looks=3) == []

    assert table.standing == "settling"
    assert list(table.referee.doubts.questions) == [question["id"]]
    assert said(table.keeps(before, looks=1), "withdrawn")
