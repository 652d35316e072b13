"""Every answer can be taken back whole: game, table and question are as before it."""

from itertools import islice

import pytest

from companion_app.live.match import Match
from engine.record import record_to_json
from tests.companion_app.live.tabletop import said
from tests.companion_app.live.test_referee import PLAIN, a_table, accepted, play
from tests.companion_app.live.test_withdrawn import OLD, doubtful, puzzled
from tests.engine.playing import random_game, variants


def written(match: Match) -> object:
    return record_to_json(match.record())


@pytest.fixture
def table(tmp_path):
    with a_table(tmp_path, PLAIN["schlangennest"]) as table:
        yield table


def test_game_taken_up_in_its_middle_is_given_up_again(table):
    (question,) = said(table.shows(OLD), "question")
    before = written(table.match)
    table.tell({"answer": question["id"], "value": "blue"})

    assert table.referee.undo_told(table.t)

    assert written(table.match) == before
    assert list(table.referee.state.questions) == [question["id"]]
    assert not table.referee.undo_told(table.t)


def test_moves_that_an_answer_dropped_come_back(table):
    question = puzzled(table)
    before = written(table.match)
    table.tell({"answer": question["id"], "value": "blue", "confirm": True})

    table.referee.undo_told(table.t)

    assert written(table.match) == before
    assert len(table.match.accepted) == 6


def test_undone_answer_stays_undone_when_the_game_is_taken_up_again(table):
    question = puzzled(table)
    before = written(table.match)
    table.tell({"answer": question["id"], "value": "blue", "confirm": True})
    table.referee.undo_told(table.t)
    play_on = table.shows(table.match.layouts[-2])

    again = Match.resume(table.store, table.match.key)

    assert said(play_on, "taken-back")
    assert written(again) == written(table.match) != before


def test_tile_that_was_named_wrongly_is_asked_about_again(table):
    play(table, PLAIN["schlangennest"], 5, 2)
    before = written(table.match)
    spot = next(m.at for m in table.match.game.legal_moves(table.match.position) if m.at)
    seen = doubtful(table, list(spot))
    (question,) = said(table.shows(seen, looks=30), "question")
    table.tell({"answer": question["id"], "value": {"tile": "blue/tail", "turns": 0}})

    assert table.referee.undo_told(table.t)

    assert written(table.match) == before
    assert table.referee.state.answers == {}
    assert said(table.shows(seen, looks=30), "verdict") == []
    assert [q.about for q in table.referee.state.questions.values()] == ["tile"]


def test_move_that_a_named_tile_led_to_is_undone_with_the_name(table):
    play(table, PLAIN["schlangennest"], 5, 2)
    before = written(table.match)
    move = next(m for m in table.match.game.legal_moves(table.match.position) if m.at)
    seen = doubtful(table, list(move.at))
    (question,) = said(table.shows(seen, looks=30), "question")
    table.tell({"answer": question["id"], "value": {"tile": move.tile, "turns": move.turns}})
    table.keeps(seen)
    assert accepted(table)[-1].tile == move.tile

    table.referee.undo_told(table.t)

    assert written(table.match) == before
    assert table.referee.state.answers == {}


def test_correction_is_undone(table):
    play(table, PLAIN["schlangennest"], 5, 6)
    before = written(table.match)
    other = "blue/straight" if accepted(table)[2].tile == "blue/curve" else "blue/curve"
    table.tell({"correct": 3, "move": {"tile": other}})
    assert written(table.match) != before

    table.referee.undo_told(table.t)

    assert written(table.match) == before


def test_word_about_the_order_is_undone_with_the_moves_it_led_to(tmp_path):
    variant = PLAIN["carnival"]
    with a_table(tmp_path, variant) as table:
        _, (after, _, second) = islice(random_game(variant, 1), 2)
        both = variant.game.layout(variant.game.apply(after, second))
        before = written(table.match)
        (question,) = said(table.shows(both), "question")
        assert question["about"] == "order"
        table.tell({"answer": question["id"], "value": 0})
        table.keeps(both)
        assert len(accepted(table)) == 2

        assert table.referee.undo_told(table.t)

        assert written(table.match) == before
        assert [q.about for q in table.referee.state.questions.values()] == ["order"]
        assert said(table.keeps(both), "verdict") == []


@pytest.mark.parametrize("value", ["no-own-tile", "own-tile"])
def test_word_about_a_hand_is_undone(tmp_path, value):
    variant = next(v for v in variants() if v.options == {"hands": "ask"})
    with a_table(tmp_path, variant) as table:
        game, position = table.match.game, table.match.position
        move = next(m for m in game.legal_moves(position) if m.declares)
        lying = game.layout(game.apply(position, move))
        before = written(table.match)
        (question,) = said(table.shows(lying), "question")
        table.tell({"answer": question["id"], "value": value})
        assert bool(table.match.accepted) == (value == "no-own-tile")
        assert (table.referee.state.pending is not None) == (value == "own-tile")

        assert table.referee.undo_told(table.t)

        assert written(table.match) == before
        assert table.referee.state.pending is None
        assert [q.about for q in table.referee.state.questions.values()] == ["hand"]
