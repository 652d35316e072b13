"""The command ``teach`` from photos to ``read --set``, and what it says to bad input."""

import argparse
import json
from functools import partial

import cv2
import numpy as np
import pytest

from companion_app.answers import InputError
from companion_app.boxes import box_for
from companion_app.cli.reading import request_from
from companion_app.home import set_folders
from engine.games import game_named
from models.teaching.shelf import give_title, name_for
from tests.lessons import short_lessons
from vision.classify.taught import find_taught

SIDE = 72
COLOURS = {"Sea": (200, 120, 40), "Wood": (40, 140, 60), "Sun": (60, 210, 240)}


@pytest.fixture
def teach(run):
    """Teach a box by the command."""
    return partial(run, "teach")


def refused(ran) -> str:
    """The one sentence of a command that was refused."""
    assert (ran.status, ran.out, ran.err.count("\n")) == (2, "", 1)
    return str(ran.err)


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("SNAKE_EYE_HOME", str(tmp_path / "home"))
    with short_lessons():
        yield tmp_path


def photo_and_labels(folder, more=()):
    faces = []
    for kind, colour in COLOURS.items():
        tile = np.full((SIDE, SIDE, 3), colour, np.uint8)
        cv2.circle(tile, (24, 20), len(kind) * 3, (10, 10, 10), -1)
        faces.append(tile)
    cv2.imwrite(str(folder / "one.png"), np.concatenate(faces, axis=1))
    entries = [{"tile": kind, "at": [x, 0]} for x, kind in enumerate(COLOURS)]
    labels = folder / "labels.json"
    labels.write_text(json.dumps({"photos": {"one.png": [*entries, *more]}}))
    return ["--shape", "square", "--photos", str(folder), "--labels", str(labels), "--grid", "3x1"]


def test_taught_box_is_reported_and_read_and_the_same_photo_counts_once(home, teach):
    for_people = teach("my-box", *photo_and_labels(home)).out
    again = teach("my-box", *photo_and_labels(home), "--json")

    status, (report,) = again.status, again.documents
    asked = argparse.Namespace(game=None, set="my-box", shape=None, grid="3x1", profile=None)
    request, sets = request_from(asked), home / "home" / "sets"
    assert "snake-eye read PHOTO --set my-box" in for_people
    assert (status, report["set"], report["examples"]) == (0, "my-box", len(COLOURS))
    assert (request.shape, request.game, request.set_name) == ("square", None, "my-box")
    assert request.tile_set is not None
    assert set(request.tile_set.kinds) == set(COLOURS)
    assert find_taught("my-box", (sets,)) is not None
    assert len(list(sets.glob("my-box-*.npz"))) == 2


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("Mein Spiel", [], "not a valid name for a set"),
        ("schlangennest", [], "built in"),
        ("mine", ["--grid", "5"], "5x7"),
        ("mine", ["--map", "x.json"], "--game"),
        ("mine", ["--photos", "nowhere"], "no folder nowhere"),
        ("mine", ["--labels", "nowhere.json"], "nowhere.json cannot be read"),
        ("mine", ["--game", "schlangennest"], "Sea has no place in the map"),
        ("mine", ["--grid", "2x1"], "outside the grid of 2x1"),
    ],
)
def test_what_cannot_be_used_gets_one_clear_sentence(home, teach, name, change, words):
    assert words in refused(teach(name, *photo_and_labels(home), *change))
    assert not list((home / "home").glob("sets/*.json"))


def test_labels_that_are_no_json_are_refused(home, teach):
    arguments = photo_and_labels(home)
    (home / "labels.json").write_text("tiles: many")

    assert "no JSON" in refused(teach("mine", *arguments))


def test_grids_are_for_squares(home, teach):
    arguments = photo_and_labels(home)

    assert "for squares" in refused(teach("mine", *arguments, "--shape", "hex"))


def test_a_box_without_a_game_is_read_but_not_played(home, teach):
    sets = home / "home" / "sets"
    sets.mkdir(parents=True)
    (sets / "loose.json").write_text("{}")

    with pytest.raises(InputError, match=r"taught without a game.*read --set loose"):
        box_for(game_named("schlangennest"), "loose")


def of_game(folder, game, *tiles):
    map_file = folder / f"{game}.json"
    map_file.write_text(
        json.dumps({kind: [tile, 0] for kind, tile in zip(COLOURS, tiles, strict=True)})
    )
    return ["--game", game, "--map", str(map_file)]


def test_a_box_that_is_taught_anew_plays_by_its_new_game_or_by_none(home, teach):
    asked, sets = photo_and_labels(home), home / "home" / "sets"
    nest = of_game(home, "schlangennest", "blue/curve", "blue/straight", "red/curve")
    sssnake = of_game(home, "sssnake", "curve", "straight", "crossing")

    teach("ropes", *asked, *nest)
    give_title(sets, "ropes", "Red ropes")
    assert "--replace" in refused(teach("ropes", *asked, *sssnake))
    teach("ropes", *asked, *sssnake, "--replace")
    assert box_for(game_named("sssnake"), "ropes").game == "sssnake"
    taught = find_taught("ropes", set_folders())
    assert taught is not None
    assert taught.tile_set.game == "sssnake"

    teach("ropes", *asked, "--replace")
    with pytest.raises(InputError, match="taught without a game"):
        box_for(game_named("sssnake"), "ropes")


def test_rules_that_the_owner_wrote_are_never_forgotten(home, teach):
    asked, rules = photo_and_labels(home), home / "home" / "sets" / "ropes.toml"
    teach(
        "ropes", *asked, *of_game(home, "schlangennest", "blue/curve", "blue/straight", "red/curve")
    )
    rules.write_text(rules.read_text().replace("count = 9", "count = 8"))
    own = rules.read_text()

    assert "is a box for schlangennest, not for sssnake" in refused(
        teach(
            "ropes", *asked, *of_game(home, "sssnake", "curve", "straight", "crossing"), "--replace"
        )
    )
    assert rules.read_text() == own


def test_a_box_keeps_its_title_when_photos_are_added(home, teach):
    asked, sets = photo_and_labels(home), home / "home" / "sets"
    teach("krabicka-c-1", *asked)
    give_title(sets, "krabicka-c-1", "Krabička č. 1")

    teach("krabicka-c-1", *asked)

    assert name_for(sets, "Krabička č. 1") == "krabicka-c-1"


def test_photos_that_nobody_may_see_get_one_clear_sentence(home, teach, monkeypatch):
    def closed(path):
        raise PermissionError(13, "Permission denied")

    asked = photo_and_labels(home)
    monkeypatch.setattr("pathlib.Path.is_dir", closed)

    assert "Permission denied" in refused(teach("my-box", *asked))
