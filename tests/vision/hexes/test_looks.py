"""A doubtful cell has the colour of the tile that goes on into it."""

from __future__ import annotations

import numpy as np
import pytest

from vision.hexes.cells import CELLS, CellReadings
from vision.hexes.looks import with_what_goes_on
from vision.hexes.models import CONTENTS

SURE, BURNT, FURTHER = (0, 0), (1, 0), (2, 0)
EAST, WEST = 0, 3


def shares(name: str, sure: float) -> np.ndarray:
    rest = (1 - sure) / (len(CONTENTS) - 1)
    return np.where(np.arange(len(CONTENTS)) == CONTENTS.index(name), sure, rest)


def reading(seems: str, sure: float = 0.8, joined: float = 0.9) -> CellReadings:
    """Return a board with a blue cell and two beside it that seem to hold something else."""
    contents = dict.fromkeys(CELLS, shares("empty", 0.999))
    contents |= {SURE: shares("blue", 0.999), BURNT: shares(seems, sure)}
    contents |= {FURTHER: shares(seems, sure)}
    sides = {cell: np.zeros(6) for cell in CELLS}
    for cell, side in ((SURE, EAST), (BURNT, WEST), (BURNT, EAST), (FURTHER, WEST)):
        sides[cell][side] = joined
    none = dict.fromkeys(CELLS, np.array([1.0, 0, 0]))
    return CellReadings(contents, dict.fromkeys(CELLS, 0.0), none, sides, sides)


def held(found: CellReadings) -> list[str]:
    return [CONTENTS[int(found.contents[cell].argmax())] for cell in (SURE, BURNT, FURTHER)]


@pytest.mark.parametrize("seems", ["empty", "green"])
def test_burnt_cells_are_the_tiles_that_goes_on_into_them(seems):
    assert held(with_what_goes_on(reading(seems))) == ["blue"] * 3


def test_cells_that_are_sure_stay_what_they_are():
    assert held(with_what_goes_on(reading("green", sure=0.995))) == ["blue", "green", "green"]


def test_cells_into_which_no_tile_goes_on_stay_bare():
    assert held(with_what_goes_on(reading("empty", joined=0.5))) == ["blue", "empty", "empty"]


def test_a_side_that_only_one_of_its_cells_shows_is_none():
    one_sided = reading("empty")
    one_sided.joined[SURE][EAST] = 0.1

    assert held(with_what_goes_on(one_sided)) == ["blue", "empty", "empty"]


def test_covered_cells_are_left_alone():
    covered = reading("empty")
    covered.hidden[BURNT] = 0.5

    assert held(with_what_goes_on(covered)) == ["blue", "empty", "empty"]
