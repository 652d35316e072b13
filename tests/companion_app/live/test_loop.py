"""The whole loop on drawn pictures: every disturbance, each from its seed."""

import numpy as np
import pytest

from companion_app.live.evaluate import DISTURBANCES, Umpire, _Director
from companion_app.live.loop import LiveLoop
from companion_app.live.store import Store
from engine.game import Start
from engine.games import game_named
from engine.notation import read_layout
from engine.placement import Layout
from engine.record import Record, find_set
from models.evaluate.scripted import Faults, Moment, ScriptedCamera, ScriptedReader
from models.scenes.positions import played
from models.scenes.script import illegal_move
from models.scenes.splits import rng_of
from vision.types import Frame

NO_FAULTS = Faults()


def directed(store, game_name: str, seed: int, faults: Faults = NO_FAULTS):
    game = game_named(game_name)
    box = find_set(game, None)
    one = played(game_name, "train", "random", seed)
    camera = ScriptedCamera(box, tuple(dict.fromkeys(one.layouts)))
    reader = ScriptedReader(camera, faults, seed)
    events: list[dict[str, object]] = []
    record = Record(game, box, Start(one.players))
    umpire = Umpire(
        record, list(one.moves), lambda m: LiveLoop(m, reader, events.append), store, "test"
    )
    umpire.events = events
    rng = rng_of("test", game_name, seed)
    return umpire, _Director(umpire, camera, reader, one, rng, illegal_move, game)


@pytest.mark.parametrize("kind", DISTURBANCES)
def test_game_goes_on_through(tmp_path, kind):
    with Store(tmp_path) as store:
        umpire, director = directed(store, "schlangennest", 4)
        director.quiet(0.6)
        number = 0
        for what in ("none", "none", kind, "none"):
            number += director.disturbed(what, number)

        assert umpire.counts.mistakes == []
        assert umpire.counts.numbers["moves right"] == umpire.counts.numbers["moves"] == number
        assert umpire.counts.numbers["questions"] == 0


@pytest.mark.parametrize("seed", [6, 9])
def test_foul_is_caught_and_taken_back_in_front_of_the_camera(tmp_path, seed):
    with Store(tmp_path) as store:
        umpire, director = directed(store, "schlangennest", seed)
        director.quiet(0.6)
        director.disturbed("none", 0)
        director.foul(1)

        assert umpire.counts.mistakes == []
        assert umpire.counts.numbers["fouls caught"] == umpire.counts.numbers["fouls"] == 1


def test_game_is_followed_though_every_tenth_tile_is_missed(tmp_path):
    with Store(tmp_path) as store:
        umpire, director = directed(store, "schlangennest", 7, Faults(missed=0.1, unsure=0.05))
        director.quiet(0.6)
        number = 0
        while number < 6:
            number += director.disturbed("none", number)

        assert [e for e in umpire.events if e["event"] == "verdict" and not e["legal"]] == []


def a_loop(store):
    umpire, director = directed(store, "schlangennest", 4)
    director.quiet(0.6)
    return umpire, director


def states(events) -> list[str]:
    return [event["state"] for event in events if event["event"] == "state"]


def test_states_are_told_in_words(tmp_path):
    with Store(tmp_path) as store:
        umpire, director = a_loop(store)
        director.visit(director.one.layouts[1])
        director.quiet(0.6)

        assert states(umpire.events) == [
            "looking", "settling", "settled", "hand", "settling", "settled",
        ]  # fmt: skip


def test_no_verdict_comes_while_a_hand_lies_still(tmp_path):
    with Store(tmp_path) as store:
        umpire, director = a_loop(store)
        director.visit(director.one.layouts[1])
        moment = Moment(director.one.layouts[1], hand=(0.5, 0.7))
        umpire.events.clear()
        for step in range(40):
            tremble = Moment(moment.layout, hand=(0.5 + 0.006 * (step % 2), 0.7))
            umpire.frame(director.camera.shoot(tremble))

        assert "verdict" not in [event["event"] for event in umpire.events]


def test_camera_that_sends_nothing_is_lost_and_comes_back(tmp_path):
    with Store(tmp_path) as store:
        umpire, director = a_loop(store)
        director.camera.wait(30)
        umpire.loop.silence(director.camera.now_s)
        assert umpire.loop.state == "camera-lost"
        director.quiet(0.6)

        assert umpire.loop.state == "settled"


def test_darkness_is_told_and_passes(tmp_path):
    with Store(tmp_path) as store:
        umpire, director = a_loop(store)
        for _ in range(8):
            umpire.frame(director.camera.shoot(Moment(Layout(), spoilt="black")))
        assert umpire.loop.state == "too-dark"
        director.quiet(0.6)

        assert umpire.loop.state == "settled"


def test_knocked_camera_is_found_again_within_two_seconds(tmp_path):
    with Store(tmp_path) as store:
        umpire, director = directed(store, "schlangennest", 4)
        director.quiet(0.6)
        for number in range(3):
            director.disturbed("none", number)
        director._before_move("knock", director.moment.layout)
        director.quiet(0.5)

        assert "camera-moved" in states(umpire.events)
        assert umpire.loop.state == "settled"


def test_table_that_nobody_knows_is_asked_about(tmp_path):
    with Store(tmp_path) as store:
        umpire, director = directed(store, "schlangennest", 4)
        director.quiet(0.6)
        director.disturbed("none", 0)
        director.disturbed("none", 1)
        umpire.answer = lambda t: None
        director.visit(
            read_layout("yellow/curve@0,0 yellow/tail@1,0 green/curve@0,1 green/tail@1,1")
        )
        director.quiet(9.0)

        assert [e["about"] for e in umpire.events if e["event"] == "question"] == ["next"]
        assert [e for e in umpire.events if e["event"] == "verdict" and not e["legal"]] == []


def test_frames_of_another_size_do_no_harm(tmp_path):
    with Store(tmp_path) as store:
        umpire, director = a_loop(store)
        director.disturbed("none", 0)
        shot = director.camera.shoot(director.moment)
        small = np.ascontiguousarray(shot.bgr[::2, ::2])
        umpire.frame(Frame(small, shot.taken_at_s))
        director.disturbed("none", 1)

        assert umpire.counts.mistakes == []


def test_store_that_fails_delays_the_verdict_and_loses_nothing(tmp_path):
    with Store(tmp_path) as store:
        umpire, director = a_loop(store)
        store._db.execute("PRAGMA max_page_count = 1")
        director.visit(director.one.layouts[1])
        director.quiet(0.6)
        assert umpire.loop.trouble is not None
        assert "verdict" not in [event["event"] for event in umpire.events]

        store._db.execute("PRAGMA max_page_count = 100000")
        director.quiet(0.6)

        assert umpire.loop.trouble is None
        assert [e["n"] for e in umpire.events if e["event"] == "verdict"] == [1]


def test_snapshot_is_ready_for_json(tmp_path):
    import json

    with Store(tmp_path) as store:
        umpire, director = a_loop(store)
        director.disturbed("none", 0)
        written = json.loads(json.dumps(umpire.loop.snapshot().to_json()))

        assert written["state"] == "settled"
        assert written["moves"] == 1
        assert written["last"]["n"] == 1
        assert set(written["scores"]) == set(written["players"])
