"""Answers on the page: none drops a move unsaid, and every one can be undone."""

from __future__ import annotations

from functools import partial
from typing import Any

from companion_app.eye.recorded import settled_on
from companion_app.live.places import Belief
from companion_app.live.settle import Settled
from engine.notation import read_layout
from engine.placement import Layout
from tests.companion_app.web.conftest import Played, playthrough

OLD = read_layout("blue/curve@0,0 red/curve@1,0 blue/tail@0,1 red/tail@1,1")


def shown(played: Played, table: Layout | Settled, looks: int = 8) -> None:
    """Show the referee a table for so many seconds."""
    settled = settled_on(table) if isinstance(table, Layout) else table
    referee = played.desk.referee
    assert referee is not None
    played.desk.do(referee.state.touch)
    for _ in range(looks):
        played.time_s += 1
        played.desk.do(partial(referee.look, settled, played.time_s))


def asked(played: Played) -> dict[str, Any]:
    (question,) = played.guest().get("/api/state")["questions"]
    return dict(question)


def without_middle(layout: Layout) -> Layout:
    return Layout(frozenset(sorted(layout.cards)[2:]))


def test_question_that_the_table_has_moved_past_is_gone_from_the_page(played, script):
    played.begin(script.record)
    shown(played, OLD)
    question = asked(played)
    shown(played, Layout())
    played.play(script.record, 3)

    refused = played.seat("blue").post("/api/tell", {"answer": question["id"], "value": "blue"})

    assert refused.status_code == 409
    assert refused.get_json()["error"]["code"] == "question-gone"
    assert "no longer open" in refused.get_json()["error"]["text"]
    state = played.guest().get("/api/state")
    assert state["questions"] == []
    assert len(state["moves"]) == 3


def test_answer_that_drops_moves_is_refused_until_the_host_confirms_it(played, script):
    played.begin(script.record)
    played.play(script.record, 6)
    shown(played, without_middle(played.desk.match.layout))
    question = asked(played)
    assert question["drops"] == 6
    assert "without the moves so far" in question["text"]
    answer = {"answer": question["id"], "value": "blue"}

    unsaid = played.host().post("/api/tell", answer)
    by_guest = played.guest().post("/api/tell", {**answer, "confirm": True})
    assert unsaid.get_json()["error"]["code"] == "drops-moves"
    assert by_guest.status_code == 403
    assert len(played.guest().get("/api/state")["moves"]) == 6

    after = played.host().post("/api/tell", {**answer, "confirm": True}).get_json()
    assert after["moves"] == []
    assert after["can_undo"] is True


def test_dropped_moves_come_back_by_undo(played, script):
    played.begin(script.record)
    played.play(script.record, 6)
    before = played.guest().get("/api/state")
    shown(played, without_middle(played.desk.match.layout))
    host = played.host()
    host.post("/api/tell", {"answer": asked(played)["id"], "value": "blue", "confirm": True})

    undone = host.post("/api/undo").get_json()

    assert undone["moves"] == before["moves"]
    assert undone["tiles"] == before["tiles"]
    assert undone["turn"] == before["turn"]


def test_game_taken_up_in_its_middle_is_undone_though_no_move_was_made(played, script):
    played.begin(script.record)
    shown(played, OLD)
    host = played.host()
    joined = host.post("/api/tell", {"answer": asked(played)["id"], "value": "red"}).get_json()
    assert joined["can_undo"] is True

    undone = host.post("/api/undo").get_json()

    assert undone["tiles"] == []
    assert undone["can_undo"] is False
    assert [question["about"] for question in undone["questions"]] == ["next"]


def doubtful(played: Played) -> tuple[Settled, dict[str, Any]]:
    """Return a table with the next card of a game hard to read, and the right answer."""
    match = played.desk.match
    assert match is not None
    move = next(m for m in match.game.legal_moves(match.position) if m.at)
    assert move.at is not None
    assert move.tile is not None
    assert move.turns is not None
    lying = settled_on(match.layout)
    spot = (0, *move.at)
    guesses = (((move.tile, move.turns), 0.5), (("red/tail", 0), 0.4))
    doubts = {spot: Belief(guesses, sure=False, why="glare")}
    return Settled(8, lying.sure, doubts), {"tile": move.tile, "turns": move.turns}


def test_named_tile_is_undone_with_the_move_it_led_to(played, script):
    played.begin(script.record)
    played.play(script.record, 2)
    seen, tile = doubtful(played)
    shown(played, seen)
    host = played.host()
    host.post("/api/tell", {"answer": asked(played)["id"], "value": tile})
    shown(played, seen)
    assert len(played.guest().get("/api/state")["moves"]) == 3

    undone = host.post("/api/undo").get_json()

    assert len(undone["moves"]) == 2
    shown(played, seen)
    assert asked(played)["about"] == "tile"
    assert len(played.guest().get("/api/state")["moves"]) == 2


def test_roll_is_undone_and_can_be_done_again(played):
    played.begin(playthrough("sssnake_evening"))
    host = played.host()
    told = host.post("/api/tell", {"answer": asked(played)["id"], "value": 2}).get_json()

    undone = host.post("/api/undo").get_json()
    again = host.post("/api/redo").get_json()

    assert undone["moves"] == []
    assert [question["about"] for question in undone["questions"]] == ["roll"]
    assert [one["move"] for one in again["moves"]] == [one["move"] for one in told["moves"]]


def test_undo_of_so_many_moves_takes_back_moves(played, script):
    played.begin(script.record)
    played.play(script.record, 4)
    host = played.host()
    other = {"tile": "blue/tail"}
    host.post("/api/tell", {"correct": 3, "move": other})

    undone = host.post("/api/undo", {"count": 1}).get_json()

    assert len(undone["moves"]) == 3
    assert undone["moves"][2]["move"]["tile"] == "blue/tail"


def test_correction_is_undone(played, script):
    played.begin(script.record)
    played.play(script.record, 4)
    host = played.host()
    before = host.get("/api/state")["moves"]
    host.post("/api/tell", {"correct": 3, "move": {"tile": "blue/tail"}})

    assert host.post("/api/undo").get_json()["moves"] == before
