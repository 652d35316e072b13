"""The host's undo, redo and end: nothing of an earlier position outlives them."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import islice
from types import SimpleNamespace
from typing import Any

import pytest

from companion_app.eye.desk import Feeder, GameLeftError
from companion_app.live.errors import StoreError, StoreFull, ToldError
from companion_app.live.match import Match
from engine.game import Move, Start
from engine.record import Record, find_set
from tests.browser.chromium import wait_until
from tests.companion_app.live.test_referee import PLAIN
from tests.companion_app.live.test_store import FailingDisk
from tests.companion_app.web.conftest import Played, busy, playthrough
from tests.companion_app.web.test_answers_undone import OLD, doubtful, shown
from tests.engine.playing import Variant, random_game, variants


class Camera(Feeder):
    """A camera with a clock of its own, as far as the desk knows."""

    kind = "camera"

    def __init__(self) -> None:
        self.loop: Any = SimpleNamespace(now_s=0.0)


def moves_of(played: Played) -> list[Move]:
    assert played.desk.match is not None
    return [one.move for one in played.desk.match.accepted]


def log_kinds(played: Played) -> list[str]:
    assert played.desk.match is not None
    return [line.kind for line in played.store.lines(played.desk.match.key)]


def begun(played: Played, variant: Variant) -> None:
    start = Start(variant.players, variant.options)
    played.begin(Record(variant.game, find_set(variant.game, None), start))


@pytest.fixture
def fouled(played, script):
    """Return a desk on which a foul lies on the table."""
    number, foul = script.fouls[0]
    played.begin(script.record)
    played.play(script.record, number)
    played.lay(foul)
    assert played.desk.referee.state.pending is not None
    return played


@pytest.fixture
def passed(played):
    """Return a desk where the last move is a pass that the referee made for a stuck player."""
    begun(played, PLAIN["snekagon"])
    for _, _, move in islice(random_game(PLAIN["snekagon"], 4), 14):
        played.lay(move)
    assert [move.do for move in moves_of(played)] == ["place"] * 14 + ["pass"]
    return played


# --- its thread ----------------------------------------------------------------------------------


def test_deeds_are_done_in_the_order_in_which_they_are_asked_for(played):
    done: list[int] = []
    free = threading.Event()
    with ThreadPoolExecutor(3) as phones:
        phones.submit(played.desk.do, free.wait)
        for number in range(3):
            wait_until(lambda: played.desk._inbox._work_queue.qsize() == number)  # noqa: B023
            phones.submit(played.desk.do, partial(done.append, number))
        free.set()

    assert done == [0, 1, 2]


def test_deed_within_a_deed_is_done_at_once(played):
    assert played.desk.do(lambda: played.desk.do(lambda: "done")) == "done"


def test_desk_that_is_busy_for_too_long_is_told(played):
    with busy(played.desk), pytest.raises(TimeoutError):
        played.desk.do(lambda: None, within_s=0.01)


def test_nothing_is_done_to_a_game_after_its_desk_is_closed(played):
    played.desk.close()

    with pytest.raises(GameLeftError):
        played.desk.do(lambda: None)


# --- undo ----------------------------------------------------------------------------------------


def test_undo_takes_the_foul_on_the_table_back_with_the_move_before_it(fouled):
    number = fouled.desk.referee.state.pending.n

    fouled.desk.undo()

    assert fouled.desk.referee.state.pending is None
    assert len(moves_of(fouled)) == number - 2
    assert log_kinds(fouled).count("foul-taken-back") == 1
    with pytest.raises(ToldError):
        fouled.desk.overrule_pending()


def test_undo_withdraws_a_question_about_the_position_that_is_gone(played):
    begun(played, next(v for v in variants() if v.options == {"hands": "ask"}))
    match = played.desk.match
    legal = match.game.legal_moves
    played.lay(next(move for move in legal(match.position) if not move.declares))
    move = next(move for move in legal(match.position) if move.declares)
    shown(played, match.after(move))
    (question,) = played.desk.referee.state.questions.values()
    assert question.about == "hand"

    played.desk.undo()

    assert moves_of(played) == []
    assert played.desk.referee.state.questions == {}
    with pytest.raises(ToldError):
        played.desk.tell({"answer": question.id, "value": "no-own-tile"})


def test_undo_after_a_pass_without_a_choice_takes_back_the_move_before_it(passed):
    before = moves_of(passed)

    passed.desk.undo()
    undone = moves_of(passed)
    passed.desk.redo()

    assert undone == before[:-2]
    assert moves_of(passed) == before
    assert not passed.desk.can_redo


def test_undo_after_a_named_foul_that_was_let_stand_takes_back_the_last_move_only(played, script):
    played.begin(script.record)
    played.play(script.record, 2)
    seen, _ = doubtful(played)
    shown(played, seen)
    (question,) = played.desk.referee.state.questions.values()
    played.desk.tell({"answer": question.id, "value": {"tile": "red/tail", "turns": 0}})
    shown(played, seen)
    played.desk.overrule_pending()
    before, match = moves_of(played), played.desk.match
    played.lay(next(move for move in match.game.legal_moves(match.position) if move.at))
    assert len(moves_of(played)) == len(before) + 1

    played.desk.undo()

    assert moves_of(played) == before


def test_question_that_undo_has_put_back_goes_when_the_table_moves_past_it(played, script):
    played.begin(script.record)
    played.play(script.record, 2)
    camera = Camera()
    played.desk.feed(camera)
    played.desk._began -= 10_000  # the desk is older than the camera
    seen, _ = doubtful(played)
    shown(played, seen)
    (question,) = played.desk.referee.state.questions.values()
    played.desk.tell({"answer": question.id, "value": "none"})
    camera.loop.now_s = played.time_s
    played.desk.undo()
    assert list(played.desk.referee.state.questions) == [question.id]

    (((_, x, y), belief),) = seen.doubts.items()
    shown(played, replace(seen, doubts={(0, x + 3, y): belief}))

    assert question.id not in played.desk.referee.state.questions


# --- redo ----------------------------------------------------------------------------------------


def test_move_that_was_taken_back_cannot_be_redone_after_another_one(played, script):
    played.begin(script.record)
    played.play(script.record, 4)
    match = played.desk.match
    played.desk.undo()
    other = next(m for m in match.game.legal_moves(match.position) if m != script.record.moves[3])

    played.lay(other)

    assert moves_of(played)[3:] == [other]
    assert not played.desk.can_redo
    with pytest.raises(ToldError):
        played.desk.redo()


def test_move_that_was_taken_back_cannot_be_redone_in_a_game_begun_anew(played, script):
    played.begin(script.record)
    played.play(script.record, 1)
    played.desk.undo()
    shown(played, OLD)
    (question,) = played.desk.referee.state.questions.values()

    played.desk.tell({"answer": question.id, "value": "blue"})

    assert not played.desk.can_redo


def test_redo_over_a_pass_without_a_choice_makes_the_pass_once(passed):
    before = moves_of(passed)

    passed.desk.take_back(3)
    passed.desk.redo()
    passed.desk.redo()

    assert moves_of(passed) == before
    assert not passed.desk.can_redo


def test_redo_is_refused_where_the_move_does_not_fit_any_more(played, script):
    played.begin(script.record)
    played.play(script.record, 5)
    played.desk.undo()
    shown(played, played.desk.match.layouts[-2])
    assert len(moves_of(played)) == 3

    with pytest.raises(ToldError):
        played.desk.redo()

    assert len(moves_of(played)) == 3


def test_redo_takes_the_foul_on_the_table_back(played, script):
    number, foul = script.fouls[0]
    played.begin(script.record)
    played.play(script.record, number + 1)
    before = moves_of(played)
    played.desk.undo()
    played.lay(foul)
    assert played.desk.referee.state.pending is not None

    played.desk.redo()

    assert played.desk.referee.state.pending is None
    assert moves_of(played) == before


# --- end -----------------------------------------------------------------------------------------


def test_ended_game_asks_nothing_any_more(played):
    played.begin(playthrough("sssnake_evening"))
    listener = played.desk.hub.listen(None)
    (question,) = played.desk.referee.state.questions.values()

    played.desk.end()

    assert played.desk.referee.state.questions == {}
    events = [event.body for event in listener.take(0.0)]
    assert [one["id"] for one in events if one["event"] == "withdrawn"] == [question.id]


def test_roll_told_after_the_end_is_no_move_of_the_game(played):
    played.begin(playthrough("sssnake_evening"))
    played.desk.end()

    played.desk.tell({"roll": 2})

    assert moves_of(played) == []
    assert played.desk.match.ended


def test_undo_of_an_answer_after_the_end_opens_the_game_again(played):
    played.begin(playthrough("sssnake_evening"))
    (question,) = played.desk.referee.state.questions.values()
    played.desk.tell({"answer": question.id, "value": 2})
    played.desk.end()

    played.desk.undo()

    assert not played.desk.match.ended
    assert [one.about for one in played.desk.referee.state.questions.values()] == ["roll"]


def test_correction_after_the_end_leaves_the_game_ended(played, script):
    played.begin(script.record)
    played.play(script.record, 4)
    played.desk.end()

    played.desk.tell({"correct": 4, "move": {"tile": "red/tail"}})

    assert moves_of(played)[3].tile == "red/tail"
    assert played.desk.match.ended


def test_ended_game_has_nothing_to_redo(played, script):
    played.begin(script.record)
    played.play(script.record, 4)
    played.desk.undo()

    played.desk.end()

    assert not played.desk.can_redo


# --- resume --------------------------------------------------------------------------------------


@pytest.mark.parametrize("other_ends", [True, False])
def test_older_game_that_was_resumed_is_the_one_that_goes_on_after_a_restart(
    played, script, other_ends
):
    played.begin(script.record)
    played.play(script.record, 2)
    older, moves = played.desk.match.key, moves_of(played)
    played.begin(script.record)
    if other_ends:
        played.desk.end()

    played.desk.resume(older)

    assert played.store.unfinished() == older
    assert moves_of(played) == moves


def test_game_that_goes_on_after_a_restart_is_not_noted_each_time(played, script):
    played.begin(script.record)
    before = log_kinds(played)

    played.desk.resume(played.desk.match.key)

    assert log_kinds(played) == before


def test_game_is_replayed_once_when_it_is_resumed_before_a_camera(played, script, monkeypatch):
    played.begin(script.record)
    played.play(script.record, 2)
    older, moves = played.desk.match.key, moves_of(played)
    played.begin(script.record)
    played.desk.feed(Camera())
    replayed, resume = [], Match.resume

    def counted(store, key, folders):
        replayed.append(key)
        return resume(store, key, folders)

    monkeypatch.setattr(Match, "resume", counted)

    played.desk.resume(older)

    assert replayed == [older]
    assert moves_of(played) == moves


def test_correction_is_undone_after_its_game_was_ended_and_resumed(played, script):
    played.begin(script.record)
    played.play(script.record, 4)
    before = moves_of(played)
    played.desk.tell({"correct": 4, "move": {"tile": "red/tail"}})
    played.desk.end()
    played.desk.resume(played.desk.match.key)

    played.desk.undo()

    assert moves_of(played) == before


def test_game_that_is_deleted_while_the_camera_stops_is_not_resumed(played, script, monkeypatch):
    played.begin(script.record)
    older = played.desk.match.key
    played.begin(script.record)
    going = played.desk.match.key
    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(played.desk, "stop_feeding", lambda: played.store.forget(older))
        with pytest.raises(StoreError):
            played.desk.resume(older)

    assert played.store.games() == [going]
    assert played.desk.match.key == going


# --- a full disk ---------------------------------------------------------------------------------


def test_foul_stays_on_the_table_when_its_lifting_cannot_be_kept(fouled):
    FailingDisk(fouled.store, lambda statement: "INSERT" in statement)

    with pytest.raises(StoreFull):
        fouled.desk.take_foul_back()

    assert fouled.desk.referee.state.pending is not None
