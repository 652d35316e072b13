"""Teaching on tiny drawn pictures: what is learnt, what is said about it, and what is refused."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from engine.setfile import built_in_set, load_set
from models.teaching.edges import outlines_around
from models.teaching.errors import TeachingError
from models.teaching.examples import Examples, aligned, plain
from models.teaching.fit import seen_periods
from models.teaching.labels import mapping_for, parse_labels, read_mapping
from models.teaching.match import picture_ahead
from models.teaching.parcel import exported, taken_in
from models.teaching.store import Kept, read_kept, with_new, write_kept
from models.teaching.teach import Gathered, Lesson, teach, with_corrections
from tests.lessons import short_lessons
from vision.classify.taught import find_taught
from vision.core.crop import PATCH_PX, cut, patch_corners
from vision.core.errors import ModelError
from vision.core.request import ReadRequest
from vision.intake.picture import load_picture
from vision.read import Stages, read_table, stages_for

SIDE = 80
COLOURS = {"sea": (200, 120, 40), "wood": (40, 140, 60), "sun": (60, 210, 240)}


def face(kind: str, turns: int = 0) -> np.ndarray:
    """Return a square with a bar at its top and a dot, so that it has an up."""
    tile = np.full((SIDE, SIDE, 3), COLOURS[kind], np.uint8)
    cv2.rectangle(tile, (8, 8), (SIDE - 9, 22), (250, 250, 250), -1)
    cv2.circle(tile, (24, 54), 10, (20, 20, 30), -1)
    return np.rot90(tile, -turns)


def grid_photo(path: Path, rows: list[list[str]], turns: int = 0) -> None:
    picture = np.concatenate(
        [np.concatenate([face(kind, turns) for kind in row], axis=1) for row in rows]
    )
    cv2.imwrite(str(path), picture)


ROWS = [["sea", "wood", "sun"], ["sun", "sea", "wood"]]


def labels_of(rows: list[list[str]], turns: int | None = None) -> dict[str, Any]:
    more = {} if turns is None else {"turns": turns}
    entries = [
        {"tile": kind, "at": [x, y], **more}
        for y, row in enumerate(rows)
        for x, kind in enumerate(row)
    ]
    return {"photos": {"one.png": entries}}


@pytest.fixture(scope="module")
def shelf(tmp_path_factory):
    """A folder with one photo, and the box that was taught from it."""
    folder = tmp_path_factory.mktemp("teaching")
    grid_photo(folder / "one.png", ROWS)
    lesson = Lesson(
        "mine", "square", folder, parse_labels(labels_of(ROWS, 0), "square"), grid=(3, 2)
    )
    report = teach(lesson, folder / "sets")
    return folder, report


def read(folder: Path, file: str):
    box = find_taught("mine", (folder / "sets",))
    assert box is not None
    request = ReadRequest("square", box.tile_set, grid=(3, 2))
    stages = Stages(stages_for(ReadRequest("square")).detect, box.reader)
    return read_table(load_picture(folder / file), request, stages)


def test_taught_tiles_are_read_where_they_lie(shelf):
    folder, _ = shelf
    grid_photo(folder / "other.png", [["wood", "wood", "sea"], ["sea", "sun", "sun"]])

    state = read(folder, "other.png")

    found = {tuple(tile["at"]): tile["tile"] for tile in (*state.tiles, *state.unsure)}
    assert [found[x, 0] for x in range(3)] == ["wood", "wood", "sea"]
    assert [found[x, 1] for x in range(3)] == ["sea", "sun", "sun"]


def test_turns_are_read_where_the_kind_has_an_up(shelf):
    folder, _ = shelf
    grid_photo(folder / "turned.png", ROWS, turns=3)

    state = read(folder, "turned.png")

    assert {tile["turns"] for tile in (*state.tiles, *state.unsure)} == {3}


def test_report_says_what_was_learnt_and_what_would_help(shelf):
    _, report = shelf

    assert [(kind["tile"], kind["examples"]) for kind in report["kinds"]] == [
        ("sea", 2),
        ("sun", 2),
        ("wood", 2),
    ]
    assert {"unsure", "alike", "best_photo", "left_out", "odd"} <= set(report)


def test_what_is_kept_is_plain_data_and_checked(shelf):
    folder, _ = shelf
    manifest = json.loads((folder / "sets" / "mine.json").read_text())
    copy = folder / "broken"
    copy.mkdir()
    (copy / manifest["file"]).write_bytes(b"not arrays")
    (copy / "mine.json").write_text(json.dumps(manifest))

    with pytest.raises(ModelError, match="manifest names"):
        find_taught("mine", (copy,))


def test_prints_come_back_as_they_were_photographed(shelf):
    folder, _ = shelf
    box = find_taught("mine", (folder / "sets",))

    assert box is not None and box.reader is not None and box.reader.prints is not None
    prints = box.reader.prints
    assert sorted(prints.tiles) == ["sea", "sun", "wood"]
    middle = {tile: face[40, 44] for tile, face in zip(prints.tiles, prints.faces, strict=True)}
    assert all(np.abs(middle[tile].astype(int) - COLOURS[tile]).max() < 12 for tile in COLOURS)


def test_manifest_cannot_name_files_elsewhere(shelf):
    folder, _ = shelf
    manifest = json.loads((folder / "sets" / "mine.json").read_text())
    copy = folder / "elsewhere"
    copy.mkdir()
    (copy / "mine.json").write_text(json.dumps({**manifest, "file": "../sets/x.npz"}))

    with pytest.raises(ModelError, match="names no arrays"):
        find_taught("mine", (copy,))


def test_built_in_names_are_refused_and_nothing_is_written(tmp_path):
    lesson = Lesson("carnival", "square", tmp_path, parse_labels(labels_of(ROWS), "square"))

    with pytest.raises(TeachingError, match="built in"):
        teach(lesson, tmp_path / "sets")

    assert not (tmp_path / "sets").exists()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ([], 'needs "photos"'),
        ({"photos": {}}, 'needs "photos"'),
        ({"photos": {"a.jpg": 3}}, "must be a list of tiles"),
        ({"photos": {"a.jpg": ["fox"]}}, "tile 1: must be like"),
        ({"photos": {"a.jpg": [{"at": [0, 0]}]}}, '"tile" must be the name'),
        ({"photos": {"a.jpg": [{"tile": "fox"}]}}, "does not say where fox lies"),
        ({"photos": {"a.jpg": [{"tile": "fox", "at": [0.5, 0]}]}}, "two whole numbers"),
        ({"photos": {"a.jpg": [{"tile": "fox", "at": "b4"}]}}, "two whole numbers"),
        ({"photos": {"a.jpg": [{"tile": "fox", "cells": []}]}}, "must be a list of cells"),
        (
            {"photos": {"a.jpg": [{"tile": "fox", "cells": [[0, 0], [1, 0]]}]}},
            "covers several cells",
        ),
        ({"photos": {"a.jpg": [{"tile": "fox", "centre": [1]}]}}, "must be pixels"),
        ({"photos": {"a.jpg": [{"tile": "fox", "centre": ["x", 2]}]}}, "must be pixels"),
        ({"photos": {"a.jpg": [{"tile": "fox", "outline": [[0, 0], [1, 1]]}]}}, "4 corners"),
        ({"photos": {"a.jpg": [{"tile": "fox", "outline": [[0, 0]] * 4}]}}, "encloses nothing"),
        ({"photos": {"a.jpg": [{"tile": "fox", "at": [0, 0], "turns": 4}]}}, "from 0 to 3"),
    ],
)
def test_bad_labels_get_one_clear_sentence(data, words):
    with pytest.raises(TeachingError) as caught:
        parse_labels(data, "square")

    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_unknown_tiles_and_other_keys_are_passed_over():
    entries = [{"tile": "unknown"}, {"tile": "fox", "at": [1, 2], "crowns": 3}]

    labels = parse_labels({"set": "x", "photos": {"a.jpg": entries}}, "square")

    assert [label.tile for label in labels.photos["a.jpg"]] == ["fox"]


def test_unknown_things_that_lie_somewhere_are_kept_as_no_tiles():
    entries = [{"tile": "unknown", "at": [0, 0]}, {"tile": "fox", "at": [1, 2]}]

    labels = parse_labels({"set": "x", "photos": {"a.jpg": entries}}, "square")

    assert [label.tile for label in labels.photos["a.jpg"]] == ["unknown", "fox"]


def test_cells_outside_the_grid_are_named(tmp_path):
    grid_photo(tmp_path / "one.png", ROWS)
    labels = {"photos": {"one.png": [{"tile": "sea", "at": [3, 0]}]}}
    lesson = Lesson("mine", "square", tmp_path, parse_labels(labels, "square"), grid=(3, 2))

    with pytest.raises(TeachingError, match=r"outside the grid of 3x2"):
        teach(lesson, tmp_path / "sets")


def test_photos_that_are_not_there_are_named(tmp_path):
    lesson = Lesson("mine", "square", tmp_path, parse_labels(labels_of(ROWS), "square"))

    with pytest.raises(TeachingError, match=r"one\.png"):
        teach(lesson, tmp_path / "sets")


def test_one_kind_alone_cannot_be_told_from_others(tmp_path):
    grid_photo(tmp_path / "one.png", [["sea"]])
    labels = parse_labels(labels_of([["sea"]]), "square")

    with pytest.raises(TeachingError, match="2 kinds at least"):
        teach(Lesson("mine", "square", tmp_path, labels, grid=(1, 1)), tmp_path / "sets")


def test_tiles_outside_the_picture_are_named(tmp_path):
    grid_photo(tmp_path / "one.png", ROWS)
    labels = parse_labels({"photos": {"one.png": [{"tile": "sea", "centre": [9e3, 1]}]}}, "square")

    with pytest.raises(TeachingError, match="outside the picture"):
        teach(Lesson("mine", "square", tmp_path, labels), tmp_path / "sets")


def test_border_is_found_around_pointed_middles():
    table = np.full((400, 400, 3), (120, 160, 190), np.uint8)
    middles = np.array([(100.0, 110), (230, 110), (100, 260), (230, 260)])
    for (x, y), kind in zip(middles.astype(int), ("sea", "wood", "sun", "sea"), strict=True):
        table[y - SIDE // 2 : y + SIDE // 2, x - SIDE // 2 : x + SIDE // 2] = face(kind)

    outlines = outlines_around(table, middles + 3, "square")

    off = outlines.mean(axis=1) - middles
    assert np.abs(off).max() < 5
    assert np.allclose(np.linalg.norm(outlines[:, 1] - outlines[:, 0], axis=1), SIDE, atol=6)


def test_a_tile_that_looks_the_same_upside_down_has_period_two():
    stripe = np.full((112, 112, 3), 220, np.uint8)
    stripe[46:66] = (30, 30, 200)
    examples = Examples(stripe[None], ("stripe",), np.array([0]), ("a.jpg",))

    assert seen_periods(examples, 4) == {"stripe": 2}


def test_prints_without_an_up_are_turned_alike_before_they_are_learnt():
    patch = cv2.copyMakeBorder(face("sea"), 16, 16, 16, 16, cv2.BORDER_CONSTANT)
    turned = np.stack([np.rot90(patch, -k) for k in (0, 1, 3)]).astype(np.uint8)
    examples = Examples(turned, ("sea",) * 3, np.array([-1, -1, -1]), ("a.jpg",) * 3)

    turns = aligned(examples, 4).turns

    assert [(int(t) - int(turns[0])) % 4 for t in turns] == [0, 1, 3]


def some_examples(*tiles: str, photo: str = "a.jpg") -> Examples:
    patches = np.zeros((len(tiles), 112, 112, 3), np.uint8)
    return Examples(patches, tiles, np.zeros(len(tiles), np.int64), (photo,) * len(tiles))


def test_new_photos_add_to_what_was_learnt_before():
    old = Kept(some_examples("fox", "owl"), {"a.jpg": "1"})

    both = with_new(old, Kept(some_examples("fox"), {"a.jpg": "2"}))

    assert Counter(both.examples.tiles) == {"fox": 2, "owl": 1}
    assert set(both.digests.values()) == {"1", "2"}


def test_photos_of_the_same_name_in_every_lesson_are_all_kept():
    kept = Kept(some_examples("fox"), {"a.jpg": "1"})

    for lesson in ("2", "3", "4"):
        kept = with_new(kept, Kept(some_examples("fox"), {"a.jpg": lesson}))

    assert set(kept.digests.values()) == {"1", "2", "3", "4"}
    assert sorted(kept.examples.photos) == sorted(kept.digests)


def test_a_photo_that_is_labelled_anew_replaces_its_old_labels():
    old = Kept(some_examples("fox", "owl"), {"a.jpg": "1"})

    both = with_new(old, Kept(some_examples("elk", photo="b.jpg"), {"b.jpg": "1"}))

    assert both.examples.tiles == ("elk",)


def test_kept_examples_come_back_as_they_were(tmp_path):
    kept = Kept(some_examples("fox", "owl"), {"a.jpg": "1"})
    sha256 = write_kept(tmp_path / "mine-0.examples.npz", kept)
    manifest = {"examples": {"file": "mine-0.examples.npz", "sha256": sha256}}
    (tmp_path / "mine.json").write_text(json.dumps(manifest))

    found = read_kept(tmp_path, "mine")

    assert found is not None
    assert (found[0].examples.tiles, found[0].digests) == (("fox", "owl"), {"a.jpg": "1"})


def test_corrections_of_this_box_alone_are_learnt_from(tmp_path):
    grid_photo(tmp_path / "one.png", ROWS)
    corner = [[0, 0], [SIDE, 0], [SIDE, SIDE], [0, SIDE]]
    for name in ("mine", "other"):
        labels = {"set": name, "photos": {"one.png": [{"tile": "sea", "outline": corner}]}}
        (tmp_path / f"{name}.json").write_text(json.dumps(labels))
    lesson = Lesson(
        "mine", "square", tmp_path, parse_labels(labels_of(ROWS), "square"), corrections=tmp_path
    )

    gathered = with_corrections(lesson, Gathered(some_examples("sea"), (), {}))

    assert (gathered.corrections, len(gathered.examples)) == (1, 2)


def test_a_hex_patch_shows_nothing_of_its_neighbours():
    picture = np.zeros((200, 200, 3), np.uint8)
    outline = patch_corners(6, 100) + 50
    cv2.fillPoly(picture, [np.round(outline).astype(np.int32)], (200, 200, 200))

    patch = cut(picture, [outline])[0]

    assert patch[0, 0].min() > 150


def test_turned_patches_are_cut_as_play_cuts_them():
    patch = np.zeros((112, 112, 3), np.uint8)
    patch[:56, :56] = 255

    turned = plain(patch[None], [1], 4)[0]

    assert turned.shape == (PATCH_PX, PATCH_PX, 3)
    assert turned[16, 48].min() > 200
    assert turned[16, 16].max() < 50


@pytest.mark.parametrize("turns", range(4))
def test_up_of_an_outline_is_counted_clockwise(turns):
    corners = np.roll(np.array([(0.0, 0), (9, 1), (8, 10), (-1, 9)]), -turns, axis=0)

    assert picture_ahead(corners, "square") == turns


def test_map_names_and_turns_the_kinds_of_a_game():
    nest = built_in_set("schlangennest")
    examples = Examples(np.zeros((1, 112, 112, 3), np.uint8), ("fox",), np.array([1]), ("a.jpg",))

    mapped = mapping_for(examples, nest, {"fox": ("blue/curve", 2)}, "square")

    assert (mapped.examples.tiles, int(mapped.examples.turns[0])) == (("blue/curve",), 3)


def test_kinds_without_a_place_in_the_game_are_named():
    examples = Examples(np.zeros((1, 112, 112, 3), np.uint8), ("fox",), np.array([1]), ("a.jpg",))

    with pytest.raises(TeachingError, match="fox has no place"):
        mapping_for(examples, built_in_set("schlangennest"), None, "square")


@pytest.mark.parametrize("text", ["[]", '{"fox": "blue/curve"}', '{"fox": ["blue/curve", 9]}', "{"])
def test_bad_maps_get_one_clear_sentence(tmp_path, text):
    path = tmp_path / "map.json"
    path.write_text(text)

    with pytest.raises(TeachingError, match=r"map\.json"):
        read_mapping(path)


@pytest.fixture(scope="module")
def nest(tmp_path_factory):
    """A folder with a box that was taught for Schlangennest, and the report."""
    folder = tmp_path_factory.mktemp("nest")
    grid_photo(folder / "one.png", ROWS)
    names = {"sea": ("blue/curve", 0), "wood": ("green/curve", 0), "sun": ("yellow/curve", 0)}
    labels = parse_labels(labels_of(ROWS, 0), "square")
    lesson = Lesson("nest-two", "square", folder, labels, "schlangennest", names, (3, 2))
    with short_lessons():
        return folder / "sets", teach(lesson, folder / "sets")


def test_a_box_taught_for_a_game_has_its_set_file(nest):
    sets, report = nest

    box = load_set("nest-two", (sets,))
    assert (box.name, box.game) == ("nest-two", "schlangennest")
    assert box["blue/curve"].count == built_in_set("schlangennest")["blue/curve"].count
    assert "red/curve" in report["missing"]


def test_a_box_taught_for_a_game_can_be_taken_in_under_another_name(nest, tmp_path):
    taken_in(tmp_path, exported(nest[0], "nest-two"), "their-nest")

    box = load_set("their-nest", (tmp_path,))
    assert (box.name, box.title) == ("their-nest", "their-nest")
    assert box.kinds.keys() == built_in_set("schlangennest").kinds.keys()
