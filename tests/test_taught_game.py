"""From a box in quite other art to a refereed game: photos, ``teach``, ``watch``."""

import argparse
import io
import json
from typing import Any

import pytest

from companion_app.cli.teach_command import add_teach_command
from companion_app.cli.watch_command import add_watch_command
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


def run(add, *arguments: str) -> int:
    parser = argparse.ArgumentParser()
    add(parser.add_subparsers())
    parsed = parser.parse_args(arguments)
    return int(parsed.command(parsed))


def events(capsys) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("SNAKE_EYE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("sys.stdin", io.StringIO())
    # The same tables with and without photographs of surfaces beside the project.
    monkeypatch.setattr("models.lab.scenes.settings.photographed_surfaces", lambda split: ())
    with short_lessons():
        yield tmp_path


def test_every_kind_of_the_owner_is_a_tile_of_the_game():
    tiles = [tile for tile, _ in owner_map().values()]

    assert sorted(tiles) == sorted(rope_box().tile_set.kinds)


def test_a_taught_copy_of_a_game_is_refereed(home, capsys):
    lessons = home / "lessons"
    write_lessons(lessons, LESSON_SEEDS[:1])
    one = write_game(home / "game", rope_box(), MOVES, SIZE_PX)

    status = run(
        add_teach_command,
        "teach",
        "ropes",
        "--shape",
        "square",
        "--photos",
        str(lessons),
        "--labels",
        str(lessons / "labels.json"),
        "--game",
        GAME,
        "--map",
        str(lessons / "map.json"),
        "--json",
    )
    report = json.loads(capsys.readouterr().out)
    run(
        add_watch_command,
        "watch",
        f"folder:{home / 'game'}",
        "--game",
        GAME,
        "--set",
        "ropes",
        "--players",
        ",".join(one.players),
    )
    told = events(capsys)

    verdicts = [event for event in told if event["event"] == "verdict"]
    asked = [event["guesses"][0][0] for event in told if event["event"] == "question"]
    judged = [v["move"]["tile"] for v in verdicts]
    assert (status, report["missing"]) == (0, [])
    # The last card lies a sixth of a card off the two others: it is asked about by its name.
    assert [*judged, *asked] == [m.tile for m in one.moves[:MOVES]]
    assert len(asked) == 1
    assert [v["move"]["player"] for v in verdicts] == [m.player for m in one.moves[: len(judged)]]
    assert all(v["legal"] for v in verdicts)


def test_a_taught_wooden_board_is_refereed(home, capsys):
    lessons = home / "lessons"
    wood.write_lessons(lessons, wood.LESSON_SEEDS[:1])
    box = wood.wooden_box()
    one = wood.write_game(home / "game", box, MOVES, SIZE_PX)

    status = run(
        add_teach_command,
        "teach",
        "wood",
        "--shape",
        "hex",
        "--photos",
        str(lessons),
        "--labels",
        str(lessons / "labels.json"),
        "--game",
        wood.GAME,
        "--map",
        str(lessons / "map.json"),
        "--json",
    )
    report = json.loads(capsys.readouterr().out)
    run(
        add_watch_command,
        "watch",
        f"folder:{home / 'game'}",
        "--game",
        wood.GAME,
        "--set",
        "wood",
        "--players",
        ",".join(one.players),
    )
    told = events(capsys)

    verdicts = [event for event in told if event["event"] == "verdict"]
    assert (status, report["missing"], report["left_out"]) == (0, [], [])
    assert [v["move"]["tile"] for v in verdicts] == [m.tile for m in one.moves[:MOVES]]
    assert all(v["legal"] for v in verdicts)
    assert not [event for event in told if event["event"] == "question"]
