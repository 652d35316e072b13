"""The demo table: pictures at their time, of a game with one's own people."""

from __future__ import annotations

from itertools import islice

import pytest

from companion_app.live.demo import DemoSource, DemoTable, demo_record, halfway
from engine.games import GAMES


def test_demo_makes_pictures_of_a_real_game_as_fast_as_asked():
    slept: list[float] = []
    source = DemoSource(
        "schlangennest", 2, speed=2.0, size_px=(320, 180), clock=lambda: 0.0, sleep=slept.append
    )
    frames = list(islice(source.frames(), 3))
    source.close()

    assert [frame.taken_at_s for frame in frames if frame] == [0.0, 0.1, 0.2]
    assert all(frame is not None and frame.bgr.shape == (180, 320, 3) for frame in frames)
    assert slept == [0.05, 0.1]
    assert source.record.start.players == ("blue", "red")


def test_a_hastened_demo_makes_fewer_frames():
    source = DemoSource("snekagon", 2, speed=8.0, size_px=(320, 180), sleep=lambda _: None)

    frames = list(islice(source.frames(), 2))

    assert [frame.taken_at_s for frame in frames if frame] == [0.0, 0.2]


@pytest.mark.parametrize("game", sorted(GAMES))
def test_half_way_through_a_game_something_lies_there(game):
    record = demo_record(game)
    layout = halfway(record)

    frame = next(DemoTable(game, layout, record.start.players, size_px=(320, 180)).frames())

    assert len(layout.placements()) >= 3
    assert frame is not None
    assert frame.bgr.shape == (180, 320, 3)
