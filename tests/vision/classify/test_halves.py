"""Half a card is enough where the other half is covered."""

from __future__ import annotations

import numpy as np
import pytest

from models.lab.training.drills import drill_crops
from vision.classify.reader import read_halves, shipped_reader, upper_halves

SKIN = (130, 150, 205)
GAMES = ("schlangennest", "sssnake", "carnival")


def test_lower_half_becomes_the_mirror_of_the_upper_one():
    patch = np.arange(4, dtype=np.uint8)[None, :, None, None] * np.ones((1, 4, 4, 3), np.uint8)

    halves = upper_halves(patch)

    assert halves[0, :, 0, 0].tolist() == [0, 1, 1, 0]


@pytest.mark.parametrize("side", range(4))
def test_card_is_read_from_any_half_that_nothing_covers(side):
    crops = drill_crops("schlangennest", 7, "held-out")
    covered = np.rot90(crops.patches, side, axes=(1, 2)).copy()
    covered[:, 32:] = SKIN
    patches = np.ascontiguousarray(np.rot90(covered, -side, axes=(1, 2)))

    readings = shipped_reader("schlangennest").read(patches)

    sure = [
        (reading.guesses[0], look)
        for reading, look in zip(readings, crops.looks, strict=True)
        if reading.covered and reading.best >= 0.98
    ]
    right = [(guess.tile, guess.turns % 2) == (look.tile, look.turns % 2) for guess, look in sure]
    assert len(sure) > 0.6 * len(readings)
    assert np.mean(right) > 0.97


@pytest.mark.parametrize("game", GAMES)
def test_cards_that_nothing_covers_are_left_to_the_whole(game):
    half = shipped_reader(game).half
    assert half is not None
    crops = drill_crops(game, 3, "held-out")

    assert read_halves(half, crops.patches).count(None) > 0.97 * len(crops.patches)
    assert read_halves(half, crops.patches[:0]) == []


def test_plain_patch_is_no_half_of_a_card():
    half = shipped_reader("sssnake").half
    assert half is not None
    plain = np.full((1, 64, 64, 3), (90, 150, 170), np.uint8)

    assert read_halves(half, plain) == [None]
