"""The reader of built-in boxes: what it says of prints, of what is no tile, and its files."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest

from engine.setfile import built_in_set
from models.lab.training.drills import drill_crops
from models.lab.training.shipped_reader import prints, prototypes, write_reader
from vision.classify.reader import ARRAYS, MANIFEST, NETWORK, load_reader, shipped_reader
from vision.core.crop import PATCH_PX
from vision.core.errors import ModelError
from vision.core.files import TRAINED, set_hash
from vision.core.types import QUARTERS, period_of

GAMES = ("schlangennest", "sssnake", "carnival")
SKIN = (130, 150, 205)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for file in (MANIFEST, NETWORK, ARRAYS):
        shutil.copy(TRAINED / file, tmp_path / file)
    return tmp_path


def said_otherwise(folder: Path, **facts: object) -> None:
    manifest = json.loads((folder / MANIFEST).read_text("utf-8"))
    (folder / MANIFEST).write_text(json.dumps({**manifest, **facts}), "utf-8")


@pytest.mark.parametrize("game", GAMES)
def test_every_print_is_read_as_itself_in_every_turn(game):
    box, reader = built_in_set(game), shipped_reader(game)
    for (tile, cell), patch in prints(box).items():
        turned = np.stack([np.rot90(patch, -turns) for turns in range(QUARTERS)])

        guesses = [reading.guesses[0] for reading in reader.read(turned)]

        period = period_of(box, tile)
        want = [(tile, cell, turns % period) for turns in range(QUARTERS)]
        assert [(guess.tile, guess.cell, guess.turns) for guess in guesses] == want
        assert min(guess.confidence for guess in guesses) > 0.9


@pytest.mark.parametrize("game", GAMES)
def test_prototypes_are_those_of_the_box_as_it_is_printed(game):
    reader = shipped_reader(game)

    box = prototypes(reader.network, built_in_set(game))

    assert box.looks == reader.box.looks
    assert (box.prints * reader.box.prints).sum(axis=1).min() > 0.999


@pytest.mark.parametrize("game", GAMES)
def test_bands_and_letters_that_are_no_tiles_are_not_named_surely(game):
    band = np.full((PATCH_PX, PATCH_PX, 3), 235, np.uint8)
    cv2.rectangle(band, (0, 22), (PATCH_PX, 42), (60, 60, 200), -1)
    letter = np.full((PATCH_PX, PATCH_PX, 3), 225, np.uint8)
    cv2.putText(letter, "R", (16, 48), cv2.FONT_HERSHEY_SIMPLEX, 1.4, (30, 30, 160), 4)
    cloth = np.zeros((PATCH_PX, PATCH_PX, 3), np.uint8)
    cloth[:, ::8], cloth[:, 1::8] = (40, 140, 220), (40, 140, 220)
    blank = np.full((PATCH_PX, PATCH_PX, 3), 128, np.uint8)

    readings = shipped_reader(game).read(np.stack([band, letter, cloth, blank]), [48.0] * 4)

    assert all(reading.best < 0.8 for reading in readings)


@pytest.mark.parametrize("game", GAMES)
def test_faces_that_light_has_burnt_in_part_are_read_right_or_not_surely(game):
    cells = prints(built_in_set(game))
    patches = np.stack(list(cells.values()))
    for patch in patches:
        cv2.circle(patch, (PATCH_PX // 2, PATCH_PX // 2), 27, (255, 255, 255), -1)

    readings = shipped_reader(game).read(patches, [48.0] * len(patches))

    guesses = [one.guesses[0] if one.best >= 0.8 else None for one in readings]
    told = [(one, cell) for one, cell in zip(guesses, cells, strict=True) if one is not None]
    assert [(one.tile, one.cell) for one, _ in told] == [cell for _, cell in told]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("side", range(QUARTERS))
def test_card_whose_half_is_covered_is_read_and_told_as_covered(game, side):
    box, crops = built_in_set(game), drill_crops(game, 7, "held-out")
    covered = np.rot90(crops.patches, side, axes=(1, 2)).copy()
    covered[:, PATCH_PX // 2 :] = SKIN
    patches = np.ascontiguousarray(np.rot90(covered, -side, axes=(1, 2)))

    readings = shipped_reader(game).read(patches)

    right = [
        (one.tile, one.cell, one.turns)
        == (look.tile, look.cell, look.turns % period_of(box, look.tile))
        for one, look in zip((said.guesses[0] for said in readings), crops.looks, strict=True)
    ]
    sure = np.array([one.best >= 0.98 for one in readings])
    assert np.mean([one.odd for one in readings]) > 0.9
    assert np.mean(right) > 0.97
    assert np.array(right)[sure].all()


def test_guesses_are_ranked_and_small_tiles_are_read_less_surely():
    crops = drill_crops("carnival", 3, "held-out")
    reader = shipped_reader("carnival")

    large, small = (reader.read(crops.patches, [wide] * len(crops.patches)) for wide in (60, 9))

    for reading in large:
        sure = [guess.confidence for guess in reading.guesses]
        assert sure == sorted(sure, reverse=True)
        assert sum(sure) <= 1 + 1e-6
    assert np.mean([one.best for one in small]) < np.mean([one.best for one in large])
    assert reader.read(crops.patches[:0]) == []


@pytest.mark.parametrize("key", ["format", "version", "patch_px", "margin", "colour", "numbers"])
def test_manifest_that_says_something_else_is_refused(folder, key):
    said_otherwise(folder, **{key: "other"})

    with pytest.raises(ModelError, match=key):
        load_reader(built_in_set("sssnake"), folder)


def test_box_with_other_prints_is_refused(folder):
    boxes = json.loads((folder / MANIFEST).read_text("utf-8"))["boxes"]
    said_otherwise(folder, boxes={**boxes, "sssnake": boxes["carnival"]})

    with pytest.raises(ModelError, match="sssnake"):
        load_reader(built_in_set("sssnake"), folder)
    assert load_reader(built_in_set("carnival"), folder).box.looks


def test_prototypes_without_their_looks_are_refused(folder):
    boxes = json.loads((folder / MANIFEST).read_text("utf-8"))["boxes"]
    own = {**boxes["sssnake"], "looks": boxes["sssnake"]["looks"][1:]}
    said_otherwise(folder, boxes={**boxes, "sssnake": own})

    with pytest.raises(ModelError, match="do not fit"):
        load_reader(built_in_set("sssnake"), folder)


@pytest.mark.parametrize("file", [NETWORK, ARRAYS])
def test_files_that_were_exchanged_are_refused(folder, file):
    (folder / file).write_bytes(b"PK not the same")

    with pytest.raises(ModelError, match="manifest"):
        load_reader(built_in_set("sssnake"), folder)


def test_reader_is_the_same_after_it_was_written(folder):
    own = shipped_reader("sssnake")
    with np.load(folder / ARRAYS) as arrays:
        score = {name: arrays[name] for name in arrays.files if "." not in name or "score." in name}
    write_reader(score, folder, {"seed": 1})

    again = load_reader(built_in_set("sssnake"), folder)

    patches = np.random.default_rng(3).integers(0, 256, (6, PATCH_PX, PATCH_PX, 3), np.uint8)
    assert again.box.looks == own.box.looks
    assert [one.best for one in again.read(patches)] == pytest.approx(
        [one.best for one in own.read(patches)], abs=1e-3
    )


def test_missing_reader_says_how_to_make_one(tmp_path):
    with pytest.raises(ModelError, match="make train"):
        load_reader(built_in_set("sssnake"), tmp_path)


def test_hash_changes_with_the_cards_but_not_with_their_counts():
    own = set_hash(built_in_set("schlangennest"))

    assert own != set_hash(built_in_set("carnival"))
    assert len(own) == 16
