"""Readers: forward pass, groups of looks, files."""

from __future__ import annotations

import json

import numpy as np
import pytest

from engine.setfile import built_in_set
from engine.tiles import TileSet
from vision.classify.features import feature_count, features
from vision.classify.reader import (
    file_names,
    load_reader,
    make_reader,
    shipped_reader,
    write_reader,
)
from vision.core.crop import PATCH_PX
from vision.core.errors import ModelError
from vision.core.files import set_hash
from vision.core.types import BACK, QUARTERS, Look

SET = built_in_set("schlangennest")


def square_looks(tile_set: TileSet) -> tuple[Look, ...]:
    """Return every look of a box of square cards and of its back, in a stable order."""
    cells = [
        (kind.name, cell) for kind in tile_set.kinds.values() for cell in range(len(kind.cells))
    ]
    return tuple(
        Look(tile, cell, turns) for tile, cell in (*cells, (BACK, 0)) for turns in range(QUARTERS)
    )


LOOKS = square_looks(SET)


def random_reader(temperature: float = 1.0, known: float = 1e6):
    rng = np.random.default_rng(1)
    project = rng.normal(0, 1, (feature_count(), 5)).astype(np.float32)
    centres = rng.normal(0, 9, (len(LOOKS), 5)).astype(np.float32)
    return make_reader(SET, LOOKS, project, centres, temperature, known)


def test_blank_patches_have_features_without_holes():
    rows = features(np.zeros((2, PATCH_PX, PATCH_PX, 3), np.uint8))

    assert rows.shape == (2, feature_count())
    assert np.isfinite(rows).all()


def test_no_patches_give_no_readings():
    assert random_reader().read(np.zeros((0, PATCH_PX, PATCH_PX, 3), np.uint8)) == []


def colours_of(patch: np.ndarray, first: int, count: int) -> np.ndarray:
    """Numbers about colours: 64 places a picture, after those about shapes."""
    shapes = feature_count() - 11 * 64
    return features(patch.astype(np.uint8))[0, shapes + 64 * first : shapes + 64 * (first + count)]


def test_brightness_of_the_light_hardly_changes_the_colours_beside_white():
    rng = np.random.default_rng(2)
    patch = rng.integers(60, 250, (1, PATCH_PX, PATCH_PX, 3))

    bright, dim = (colours_of(patch * level, 3, 3) for level in (1.0, 0.7))

    assert np.abs(bright - dim).max() < 0.12


def test_pale_print_hardly_changes_colours_beside_the_strongest_one():
    patch = np.full((1, PATCH_PX, PATCH_PX, 3), 240.0)
    patch[:, 20:44] = (160, 60, 120)
    pale = 240 - (240 - patch) * 0.6

    shown, paler = (colours_of(one, 6, 2) for one in (patch, pale))
    plain, plainer = (colours_of(one, 3, 3) for one in (patch, pale))

    assert np.abs(shown - paler).max() < 0.3 * np.abs(shown).max()
    assert np.abs(plain - plainer).max() > 0.3 * np.abs(plain).max()


def test_confidences_add_up_to_one_with_what_is_strange():
    reader = random_reader(known=1e9)
    distances = np.full((3, len(LOOKS)), 50.0, np.float32)

    assert reader.confidences(distances).sum(axis=1) == pytest.approx(1.0)


def test_looks_that_mean_the_same_are_one_guess():
    reader = random_reader()
    distances = np.full((1, len(LOOKS)), 900.0, np.float32)
    distances[0, [LOOKS.index(Look("blue/straight", 0, t)) for t in (1, 3)]] = 10.0

    best = reader.readings(distances)[0].guesses[0]

    assert (best.tile, best.turns) == ("blue/straight", 1)
    assert best.confidence > 0.999


def test_what_is_far_from_everything_is_unknown():
    reader = random_reader(known=100.0)

    reading = reader.readings(np.full((1, len(LOOKS)), 5000.0, np.float32))[0]

    assert reading.why == "unknown-tile"
    assert [guess.confidence for guess in reading.guesses] == [pytest.approx(0, abs=1e-3)]


def test_higher_temperature_is_less_sure():
    distances = np.linspace(10, 60, len(LOOKS), dtype=np.float32)[None]

    sure, modest = (random_reader(t).confidences(distances).max() for t in (1.0, 10.0))

    assert sure > modest


def test_reader_is_the_same_after_writing_and_loading(tmp_path):
    reader = random_reader(3.0, 400.0)
    write_reader(reader, SET, tmp_path, {"tiles": 1})

    loaded = load_reader(SET, tmp_path)

    assert loaded.looks == reader.looks
    assert loaded.groups == reader.groups
    assert (loaded.temperature, loaded.known) == (3.0, 400.0)
    assert loaded.centres == pytest.approx(reader.centres)


@pytest.mark.parametrize("key", ["set_hash", "features", "patch_px", "colour", "format"])
def test_manifest_that_says_something_else_is_refused(tmp_path, key):
    write_reader(random_reader(), SET, tmp_path, {})
    path = tmp_path / file_names(SET.name)[0]
    manifest = json.loads(path.read_text()) | {key: "other"}
    path.write_text(json.dumps(manifest))

    with pytest.raises(ModelError, match=key):
        load_reader(SET, tmp_path)


def test_arrays_that_were_exchanged_are_refused(tmp_path):
    write_reader(random_reader(), SET, tmp_path, {})
    (tmp_path / file_names(SET.name)[1]).write_bytes(b"PK not the same")

    with pytest.raises(ModelError, match="manifest"):
        load_reader(SET, tmp_path)


def test_missing_reader_says_how_to_make_one(tmp_path):
    with pytest.raises(ModelError, match="make train"):
        load_reader(SET, tmp_path)


def test_hash_changes_with_the_cards_but_not_with_their_counts():
    other = built_in_set("carnival")

    assert set_hash(SET) != set_hash(other)
    assert len(set_hash(SET)) == 16


@pytest.mark.parametrize("name", ["schlangennest", "carnival", "sssnake"])
def test_shipped_readers_know_every_look_of_their_box(name):
    reader = shipped_reader(name)

    assert set(reader.looks) == set(square_looks(built_in_set(name)))


@pytest.mark.parametrize("name", ["schlangennest", "carnival", "sssnake"])
def test_blank_patch_is_not_read_surely(name):
    blank = np.full((1, PATCH_PX, PATCH_PX, 3), 128, np.uint8)

    reading = shipped_reader(name).read(blank)[0]

    assert not reading.guesses or reading.guesses[0].confidence < 0.8
