"""From a box in quite other art to a refereed game: photos, ``teach``, ``watch``."""

from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from engine.setfile import built_in_set
from models.lab.evaluate.taught import wood
from models.lab.evaluate.taught.invented import lesson_photo
from models.lab.evaluate.taught.photographed import Setting, keep_lessons, photograph_game
from models.lab.scenes.settings import draw_settings
from models.lab.scenes.world.faces import BACK, Box, Face
from models.lab.scenes.world.invented import invented_set
from tests.lessons import short_lessons

MOVES = 3
SIZE_PX = (1024, 768)
GAME, PRINTS = "schlangennest", "invented-square-0003"
"""A game, and the prints of quite another box that its cards have here."""
SEED, LESSON_SEED = 8, 3
LAID_APART_MM = 9.0
"""Gap between tiles in the photograph to learn from, as owners are asked to leave."""


@cache
def own_names() -> dict[str, str]:
    """The game's tile of each kind, by what the owner calls it."""
    return dict(zip(invented_set(PRINTS).faces, built_in_set(GAME).kinds, strict=False))


def copied_box() -> Box:
    """The game in that art, its faces by the game's names."""
    prints = invented_set(PRINTS)
    faces: dict[str, Face] = {tile: prints.faces[name] for name, tile in own_names().items()}
    box = replace(built_in_set(GAME), pitch_mm=prints.pitch_mm)
    return Box(box, faces | {BACK: prints.back})


def write_lesson(folder) -> None:
    """Photograph every kind once, with labels in the owner's names."""
    settings = draw_settings(LESSON_SEED, "held-out", "invented-square", (1600, 1200))
    apart = replace(settings, cards=replace(settings.cards, gap_mm=LAID_APART_MM))
    prints = invented_set(PRINTS)
    faces = {name: prints.faces[name] for name in own_names()}
    jpeg, truth = lesson_photo(apart, "square", prints.pitch_mm, faces, dict.fromkeys(faces, 4))
    labels = [{key: one[key] for key in ("tile", "turns", "at")} for one in truth["tiles"]]
    mapped = {name: (tile, 0) for name, tile in own_names().items()}
    keep_lessons(folder, [(jpeg, labels)], mapped)


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


def test_a_taught_copy_of_a_game_is_refereed(home, run):
    write_lesson(home / "lessons")
    setting = Setting(GAME, SEED, SIZE_PX, steep_deg=(82.0, 82.0), upright=True)
    one = photograph_game(home / "game", setting, copied_box(), MOVES)

    report, told = refereed(run, home, "copied", "square", GAME, one.players)

    verdicts = [event for event in told if event["event"] == "verdict"]
    asked = [event["guesses"][0][0] for event in told if event["event"] == "question"]
    judged = [v["move"]["tile"] for v in verdicts]
    assert report["missing"] == []
    assert [*judged, *asked] == [m.tile for m in one.moves[:MOVES]]
    assert [v["move"]["player"] for v in verdicts] == [m.player for m in one.moves[: len(judged)]]
    assert all(v["legal"] for v in verdicts)
    assert len(asked) <= 1, asked


def test_a_taught_wooden_board_is_refereed(home, run):
    wood.write_lessons(home / "lessons", wood.LESSON_SEEDS[:1])
    setting = wood.setting_of(wood.GAME_SEED, SIZE_PX)
    one = photograph_game(home / "game", setting, wood.wooden_box(), MOVES)

    report, told = refereed(run, home, "wood", "hex", wood.GAME, one.players)

    verdicts = [event for event in told if event["event"] == "verdict"]
    assert (report["missing"], report["left_out"]) == ([], [])
    assert [v["move"]["tile"] for v in verdicts] == [m.tile for m in one.moves[:MOVES]]
    assert all(v["legal"] for v in verdicts)
    assert not [event for event in told if event["event"] == "question"]
