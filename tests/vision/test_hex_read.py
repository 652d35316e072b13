"""A whole reading of the hex games, on blank pictures and on a drawn table."""

from __future__ import annotations

import numpy as np
import pytest

from engine.setfile import built_in_set
from models.evaluate.hex_tables import compared, interval
from models.training.hex_samples import hex_table
from vision.hex_read import read_hex_table


@pytest.mark.parametrize("game", ["snekagon", "snekagon5g"])
@pytest.mark.parametrize("level", [0, 200])
def test_a_blank_picture_has_nothing_and_says_so(game, level):
    blank = np.full((480, 640, 3), level, np.uint8)

    state = read_hex_table(blank, built_in_set(game), game)

    assert state.tiles == state.unsure == state.aside == state.clay == ()
    assert not state.quality.ok
    assert state.quality.advice


@pytest.mark.parametrize(("game", "seed"), [("snekagon", 1), ("snekagon5g", 2)])
def test_a_drawn_table_is_read(game, seed):
    table = hex_table(seed, game, "held-out", (1600, 1200))

    state = read_hex_table(table.bgr, built_in_set(game), game)

    assert compared(table, state, game)["exact"]


def test_intervals_hold_the_share():
    low, high = interval(1, 1000)

    assert low < 0.001 < high
