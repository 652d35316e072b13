from itertools import islice

from companion_app.live.demo import DemoSource


def test_demo_makes_pictures_of_a_real_game_as_fast_as_asked():
    slept: list[float] = []
    source = DemoSource(
        "schlangennest", 2, speed=2.0, size_px=(320, 180), most_moves=1,
        clock=lambda: 0.0, sleep=slept.append,
    )  # fmt: skip
    frames = list(islice(source.frames(), 3))
    source.close()

    assert [frame.taken_at_s for frame in frames if frame] == [0.0, 0.1, 0.2]
    assert all(frame is not None and frame.bgr.shape == (180, 320, 3) for frame in frames)
    assert slept == [0.05, 0.1]
    assert set(source.players) <= {"blue", "red", "yellow", "green"}
