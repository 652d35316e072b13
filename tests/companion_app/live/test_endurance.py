"""A long evening in short: a tile is laid and taken back, over and over, and no picture is kept."""

import tracemalloc
from collections import Counter

from companion_app.live.loop import LiveLoop
from companion_app.live.match import Match
from companion_app.live.store import Store
from engine.game import Start
from engine.games import game_named
from engine.record import Record, find_set
from models.lab.scenes.games.positions import played
from tests.live_games.scripted import Moment, ScriptedCamera, ScriptedReader, hand_visit

STILL, SETTLED, ROUNDS = 15, 2, 4
MOST_GROWN_MB = 2.0
"""What the log's cache may take; a frame kept in each round takes three times as much."""


def test_evening_needs_no_more_memory_at_its_end_than_at_its_beginning(tmp_path):
    game = game_named("schlangennest")
    box, one = find_set(game, None), played("schlangennest", "train", "random", 4)
    camera = ScriptedCamera(box, tuple(one.layouts[:2]))
    heard: Counter[object] = Counter()
    used = []
    with Store(tmp_path) as store:
        match = Match.begin(store, Record(game, box, Start(one.players)))
        loop = LiveLoop(match, ScriptedReader(camera), lambda said: heard.update([said["event"]]))
        loop.start()
        tracemalloc.start()
        try:
            for _ in range(SETTLED + ROUNDS):
                for layout, other in (one.layouts[:2], one.layouts[1::-1]):
                    for moment in (*[Moment(layout)] * STILL, *hand_visit(layout, other)):
                        loop.see(camera.shoot(moment))
                used.append(tracemalloc.get_traced_memory()[0] / 1e6)
        finally:
            tracemalloc.stop()

    assert heard["verdict"] >= ROUNDS
    assert heard["taken-back"] >= ROUNDS
    assert used[-1] - used[SETTLED - 1] < MOST_GROWN_MB, used
