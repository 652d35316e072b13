"""The demo goes on by itself, game after game, and counts for nobody."""

from __future__ import annotations

import threading

import pytest

from companion_app.eye.demo_rounds import DemoRounds
from companion_app.eye.feeder import Feeder
from companion_app.live.demo import demo_record
from engine.games import GAMES


class DemoShown(Feeder):
    """The demo table, as far as the desk knows."""

    kind = name = "demo"


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

    def begin(*arguments):
        match = real(*arguments)
        news.release()
        return match

    played.desk.begin = begin
    yield going, begun, news
    going.close()


def test_all_games_come_in_turn_each_with_a_round_of_its_own(played, rounds):
    going, begun, news = rounds
    match = played.desk.begin(demo_record("schlangennest"), {}, DemoShown())
    going.take(match.key, "schlangennest")
    news.acquire()

    for _ in range(6):
        played.desk.end()
        assert news.acquire(timeout=30)

    going.close()
    names = list(GAMES)
    first = names.index("schlangennest")
    assert begun == [(names[n % 5], n) for n in range(first + 1, first + 7)]
    assert len(played.store.games()) <= 3


def test_game_of_people_is_left_on_the_table(played, rounds, script):
    going, begun, _ = rounds
    match = played.desk.begin(demo_record("schlangennest"), {}, DemoShown())
    going.take(match.key, "schlangennest")

    played.begin(script.record)
    played.desk.end()
    going.close()

    assert begun == []
    assert played.desk.match.start == script.record.start


def test_demo_counts_neither_in_statistics_nor_in_a_series(played, script):
    for feeder in (DemoShown(), DemoShown(), Feeder()):
        played.desk.begin(demo_record("schlangennest"), {"blue": "Anna"}, feeder)
        played.desk.end()
    guest = played.guest()

    assert [game["demo"] for game in guest.get("/api/history")["games"]] == [False, True, True]
    assert {p["name"]: p["games"] for p in guest.get("/api/statistics")["players"]} == {
        "Anna": 1, "Red": 1}  # fmt: skip
    assert guest.get("/api/series")["series"] == []
