"""From a box in quite other art to a refereed game: photos, ``teach``, ``watch``."""

from typing import Any

import pytest

from models.lab.evaluate.taught import wood
from models.lab.evaluate.taught.ropes import (
    GAME,
    LESSON_SEEDS,
    owner_map,
    rope_box,
    write_game,
    write_lessons,
)
from tests.lessons import short_lessons

MOVES = 3
SIZE_PX = (1024, 768)


def refereed(run, home, name: str, shape: str, game: str, players) -> tuple[Any, list[Any]]:
    """Teach a box from its lessons, watch its game, and return the report and all events."""
    lessons = home / "lessons"
    files = f"--photos {lessons} --labels {lessons}/labels.json --map {lessons}/map.json"
    taught = run(*f"teach {name} --shape {shape} {files} --game {game} --json".split())
    assert taught.status == 0
    watch = f"watch folder:{home}/game --game {game} --set {name} --players {','.join(players)}"
    return taught.documents[0], run(*watch.split()).documents


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("SNAKE_EYE_HOME", str(tmp_path / "home"))
    # The same tables with and without photographs of surfaces beside the project.
    monkeypatch.setattr("models.lab.scenes.settings.photographed_surfaces", lambda split: ())
    with short_lessons():
        yield tmp_path


def test_every_kind_of_the_owner_is_a_tile_of_the_game():
    tiles = [tile for tile, _ in owner_map().values()]

    assert sorted(tiles) == sorted(rope_box().tile_set.kinds)


def test_a_taught_copy_of_a_game_is_refereed(home, run):
    write_lessons(home / "lessons", LESSON_SEEDS[:1])
    one = write_game(home / "game", rope_box(), MOVES, SIZE_PX)

    report, told = refereed(run, home, "ropes", "square", GAME, one.players)

    verdicts = [event for event in told if event["event"] == "verdict"]
    asked = [event["guesses"][0][0] for event in told if event["event"] == "question"]
    judged = [v["move"]["tile"] for v in verdicts]
    assert report["missing"] == []
    # The last card lies a sixth of a card off the two others: it is asked about by its name.
    assert [*judged, *asked] == [m.tile for m in one.moves[:MOVES]]
    assert len(asked) == 1
    assert [v["move"]["player"] for v in verdicts] == [m.player for m in one.moves[: len(judged)]]
    assert all(v["legal"] for v in verdicts)


def test_a_taught_wooden_board_is_refereed(home, run):
    wood.write_lessons(home / "lessons", wood.LESSON_SEEDS[:1])
    one = wood.write_game(home / "game", wood.wooden_box(), MOVES, SIZE_PX)

    report, told = refereed(run, home, "wood", "hex", wood.GAME, one.players)

    verdicts = [event for event in told if event["event"] == "verdict"]
    assert (report["missing"], report["left_out"]) == ([], [])
    assert [v["move"]["tile"] for v in verdicts] == [m.tile for m in one.moves[:MOVES]]
    assert all(v["legal"] for v in verdicts)
    assert not [event for event in told if event["event"] == "question"]
