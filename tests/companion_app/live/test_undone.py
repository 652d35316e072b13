"""Every answer can be taken back whole: game, table and question are as before it."""

from itertools import islice

import pytest

from companion_app.live.errors import StoreFull, ToldError
from companion_app.live.match import Match
from companion_app.live.referee import Referee
from engine.record import move_to_json, record_to_json
from tests.companion_app.live.tabletop import Tabletop, said
from tests.companion_app.live.test_judging import machine_wants
from tests.companion_app.live.test_referee import PLAIN, a_table, accepted, play
from tests.companion_app.live.test_store import FailingDisk
from tests.companion_app.live.test_withdrawn import OLD, doubtful, puzzled
from tests.engine.playing import random_game, variants


def written(match: Match) -> object:
    return record_to_json(match.record())


def look_with_another_camera(table: Tabletop) -> None:
    """Let a new referee go on with the game, as when the camera is changed."""
    before = table.referee
    table.referee = Referee(table.match, table.events.append)
    table.referee.take_over(before)
    table.referee.start(table.t)


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
    assert list(table.referee.doubts.questions) == [question["id"]]
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
    assert table.referee.doubts.answers == {}
    assert said(table.shows(seen, looks=30), "verdict") == []
    assert [q.about for q in table.referee.doubts.questions.values()] == ["tile"]


def named(table):
    """Name a tile that was doubted; return the game before it, and the move that it is."""
    play(table, PLAIN["schlangennest"], 5, 2)
    before = written(table.match)
    move = next(m for m in table.match.game.legal_moves(table.match.position) if m.at)
    seen = doubtful(table, list(move.at))
    (question,) = said(table.shows(seen, looks=30), "question")
    table.tell({"answer": question["id"], "value": {"tile": move.tile, "turns": move.turns}})
    table.keeps(seen)
    return before, move


def test_move_that_a_named_tile_led_to_is_undone_with_the_name(table):
    before, move = named(table)
    assert accepted(table)[-1].tile == move.tile

    table.referee.undo_told(table.t)

    assert written(table.match) == before
    assert table.referee.doubts.answers == {}


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
        assert [q.about for q in table.referee.doubts.questions.values()] == ["order"]
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
        assert (table.referee.doubts.pending is not None) == (value == "own-tile")

        assert table.referee.undo_told(table.t)

        assert written(table.match) == before
        assert table.referee.doubts.pending is None
        assert [q.about for q in table.referee.doubts.questions.values()] == ["hand"]


# --- another camera ------------------------------------------------------------------------------


def test_answer_that_dropped_moves_is_undone_after_the_camera_was_changed(table):
    question = puzzled(table)
    before = written(table.match)
    table.tell({"answer": question["id"], "value": "blue", "confirm": True})

    look_with_another_camera(table)

    assert table.referee.undo_told(table.t)
    assert written(table.match) == before
    assert list(table.referee.doubts.questions) == [question["id"]]


def test_move_that_a_named_tile_leads_to_under_another_camera_is_undone_with_the_name(table):
    play(table, PLAIN["schlangennest"], 5, 2)
    before = written(table.match)
    move = next(m for m in table.match.game.legal_moves(table.match.position) if m.at)
    seen = doubtful(table, list(move.at))
    (question,) = said(table.shows(seen, looks=30), "question")
    table.tell({"answer": question["id"], "value": {"tile": move.tile, "turns": move.turns}})

    look_with_another_camera(table)
    table.keeps(seen)
    assert accepted(table)[-1].tile == move.tile

    assert table.referee.undo_told(table.t)
    assert written(table.match) == before
    assert table.referee.doubts.answers == {}


# --- messages that came after --------------------------------------------------------------------


def test_move_that_was_told_after_an_answer_is_no_effect_of_it(table):
    play(table, PLAIN["schlangennest"], 5, 2)
    move = next(m for m in table.match.game.legal_moves(table.match.position) if m.at)
    (question,) = said(table.shows(doubtful(table, list(move.at)), looks=30), "question")
    table.tell({"answer": question["id"], "value": "none"})

    table.tell({"move": move_to_json(move)})

    assert not table.referee.can_undo_told
    table.referee.take_back(1, table.t)
    assert table.referee.can_undo_told


# --- the machine's move --------------------------------------------------------------------------


def test_what_lay_otherwise_than_the_machine_wants_cannot_stand_in_the_position_before(table):
    before, _ = named(table)
    _, other = machine_wants(table)
    table.shows(table.match.after(other))
    assert table.referee.doubts.otherwise is not None

    table.referee.undo_told(table.t)

    with pytest.raises(ToldError):
        table.tell({"stand": True})
    assert written(table.match) == before


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
