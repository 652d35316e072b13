"""The demo goes on by itself, game after game, and counts for nobody."""

from __future__ import annotations

import threading

import pytest

from companion_app.eye.camera import TableCamera
from companion_app.eye.demo_rounds import DemoRounds, demo_rounds
from companion_app.eye.desk import Feeder
from companion_app.live.demo import demo_record
from engine.games import GAMES


class DemoShown(Feeder):
    """The demo table, as far as the desk knows."""

    kind = name = "demo"


class WebcamShown(Feeder):
    """A webcam, as far as the desk knows."""

    kind = "camera"
    name = "webcam:0"


@pytest.fixture
def rounds(played):
    """Return the rounds of a desk, and what was begun in them: game and round."""
    begun: list[tuple[str, int]] = []
    news = threading.Semaphore(0)

    def feeder(record, number):
        begun.append((record.game.facts.name, number))
        return DemoShown()

    going = DemoRounds(played.desk, feeder, admired_s=0.0)
    real = played.desk.begin

    def begin(*arguments, **more):
        match = real(*arguments, **more)
        news.release()
        return match

    played.desk.begin = begin
    yield going, begun, news
    going.close()


def test_all_games_come_in_turn_each_with_a_round_of_its_own(played, rounds):
    going, begun, news = rounds
    played.desk.begin(demo_record("schlangennest"), {}, DemoShown())
    going.take(None)
    news.acquire()

    for _ in range(6):
        played.desk.end()
        assert news.acquire(timeout=30)

    going.close()
    names = list(GAMES)
    first = names.index("schlangennest")
    assert begun == [(names[n % 5], n) for n in range(first + 1, first + 7)]
    assert len(played.store.games()) <= 3


@pytest.mark.parametrize("found", ["no game", "a game that is over"])
def test_an_eye_that_was_killed_between_two_rounds_begins_the_next(played, rounds, found):
    _, begun, news = rounds
    match = played.desk.begin(demo_record("sssnake"), {}, DemoShown())
    news.acquire()
    played.desk.end()
    if found == "no game":
        played.desk.referee = None

    again = DemoRounds(played.desk, lambda r, n: begun.append((r.game.facts.name, n)), admired_s=0)
    again.take(match.key)

    assert news.acquire(timeout=30)
    again.close()
    assert begun == [("carnival", list(GAMES).index("carnival"))]


def test_after_a_game_of_people_a_new_eye_begins_no_round(played, rounds, script):
    going, begun, _ = rounds
    played.begin(script.record)
    played.desk.end()
    played.desk.referee = None

    going.take(None)
    going.close()

    assert begun == []


def test_game_of_people_is_left_on_the_table(played, rounds, script):
    going, begun, _ = rounds
    played.desk.begin(demo_record("schlangennest"), {}, DemoShown())
    going.take(None)

    played.begin(script.record)
    played.desk.end()
    going.close()

    assert begun == []
    assert played.desk.match.start == script.record.start


@pytest.mark.parametrize(
    ("shown", "is_round"),
    [([DemoShown], True), ([Feeder], False), ([WebcamShown, DemoShown], False)],
    ids=["the demo's", "told by hand", "begun with a camera"],
)
def test_game_that_was_resumed_is_a_round_only_if_the_demo_alone_showed_it(played, shown, is_round):
    going = DemoRounds(played.desk, lambda *_: DemoShown())
    match = played.desk.begin(demo_record("schlangennest"), {}, shown[0]())
    for again in shown[1:]:
        played.desk.feed(again())

    going.take(match.key)
    played.desk.end()

    assert going._is_over() == is_round
    going.close()


@pytest.mark.parametrize("resumed", [True, False], ids=["resumed", "gone on with by a camera"])
def test_game_that_people_may_have_played_is_never_deleted(played, rounds, resumed):
    going, _, news = rounds
    match = played.desk.begin(demo_record("schlangennest"), {}, DemoShown())
    going.take(match.key if resumed else None)
    news.acquire()
    if not resumed:
        played.desk.feed(WebcamShown())

    for _ in range(5):
        played.desk.end()
        assert news.acquire(timeout=30)

    going.close()
    assert match.key in played.store.games()


def test_no_demo_game_begins_once_a_camera_was_chosen(played, tmp_path):
    camera = TableCamera(played.desk, "demo", tmp_path)
    going = demo_rounds(played.desk, camera)
    played.desk.begin(demo_record("schlangennest"), {}, DemoShown())
    going.take(None)

    camera.name = "webcam:0"
    played.desk.end()

    assert not going._is_over()
    going.close()


def test_demo_counts_neither_in_statistics_nor_in_a_series(played, script):
    for feeder in (DemoShown(), DemoShown(), Feeder()):
        played.desk.begin(demo_record("schlangennest"), {"blue": "Anna"}, feeder)
        played.desk.end()
    guest = played.guest()

    assert [game["demo"] for game in guest.get("/api/history")["games"]] == [False, True, True]
    players = guest.get("/api/statistics")["players"]
    assert {one["name"]: one["games"] for one in players} == {"Anna": 1}
    assert guest.get("/api/series")["series"] == []
