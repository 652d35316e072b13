"""Readers of taught boxes: features, groups of looks, confidences."""

from __future__ import annotations

import numpy as np
import pytest

from engine.setfile import built_in_set
from engine.tiles import TileSet
from vision.classify.embedding import described_count
from vision.classify.features import feature_count, features
from vision.classify.taught_looks import make_reader
from vision.core.crop import PATCH_PX
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
    project = rng.normal(0, 1, (described_count(), 5)).astype(np.float32)
    centres = rng.normal(0, 9, (len(LOOKS), 5)).astype(np.float32)
    return make_reader(SET, LOOKS, project, centres, temperature, known)


def test_blank_patches_have_features_without_holes():
    rows = features(np.zeros((2, PATCH_PX, PATCH_PX, 3), np.uint8))

    assert rows.shape == (2, feature_count())
    assert np.isfinite(rows).all()


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
