"""Colours of cells are judged beside those of all other cells of a picture."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from vision.hex_cells import CELL_PX, CELLS, EMPTY, SIDE, VIEW_PX, CellReadings
from vision.hex_light import in_one_light
from vision.hex_looks import is_doubtful
from vision.hex_models import CONTENTS

PAPER, RED, VIOLET = (200, 200, 200), (90, 90, 210), (200, 110, 160)
RED_CELLS, VIOLET_CELLS = ((0, 0), (1, 0), (2, 0)), ((-3, 0), (-3, 1), (-3, 2))
ODD = (4, -4)


def shares(name: str, sure: float = 0.999, second: str = "eye") -> np.ndarray:
    found = np.zeros(len(CONTENTS))
    found[CONTENTS.index(name)], found[CONTENTS.index(second)] = sure, 1 - sure
    return found


def view_of(colours: dict[tuple[int, int], tuple[int, int, int]]) -> np.ndarray:
    view = np.full((VIEW_PX, VIEW_PX, 3), PAPER, np.uint8)
    for (q, r), bgr in colours.items():
        y, x = (r + SIDE) * CELL_PX, (q + SIDE) * CELL_PX
        view[y : y + CELL_PX, x : x + CELL_PX] = bgr
    return view


VIEW = view_of(dict.fromkeys(RED_CELLS, RED) | dict.fromkeys(VIOLET_CELLS, VIOLET))


@pytest.fixture
def reading() -> CellReadings:
    contents = dict.fromkeys(CELLS, shares("empty"))
    contents |= dict.fromkeys(RED_CELLS, shares("red"))
    contents |= dict.fromkeys(VIOLET_CELLS, shares("violet"))
    sides = dict.fromkeys(CELLS, np.zeros(6))
    return CellReadings(contents, dict.fromkeys(CELLS, 0.0),
                        dict.fromkeys(CELLS, np.array([1.0, 0, 0])), sides, sides)  # fmt: skip


def holding(reading: CellReadings, cell: tuple[int, int], view: np.ndarray) -> str:
    (seen,) = in_one_light([reading], [view])
    return CONTENTS[int(seen.contents[cell].argmax())]


def with_odd(bgr: tuple[int, int, int]) -> np.ndarray:
    view = VIEW.copy()
    y, x = (ODD[1] + SIDE) * CELL_PX, (ODD[0] + SIDE) * CELL_PX
    view[y : y + CELL_PX, x : x + CELL_PX] = bgr
    return view


def test_a_bare_cell_in_the_colour_of_red_tiles_is_red(reading):
    assert holding(reading, ODD, with_odd(RED)) == "red"


def test_a_bare_cell_in_the_shade_stays_bare(reading):
    assert holding(reading, ODD, with_odd((120, 120, 122))) == "empty"


def test_a_bare_cell_in_a_colour_that_no_tile_has_stays_bare(reading):
    assert holding(reading, ODD, with_odd((60, 200, 60))) == "empty"


def test_a_cell_that_something_may_lie_on_is_left_as_it_is(reading):
    covered = replace(reading, hidden=reading.hidden | {ODD: 0.2})

    assert holding(covered, ODD, with_odd(RED)) == "empty"


def test_a_doubtful_cell_is_of_the_colour_that_it_has(reading):
    doubtful = replace(
        reading, contents=reading.contents | {ODD: shares("violet", 0.94, second="red")}
    )

    assert holding(doubtful, ODD, with_odd(RED)) == "red"
    assert holding(doubtful, ODD, with_odd(VIOLET)) == "violet"


def test_a_sure_tile_keeps_its_colour(reading):
    clear = replace(reading, contents=reading.contents | {ODD: shares("violet")})

    assert holding(clear, ODD, with_odd(RED)) == "violet"


def test_colours_are_compared_with_those_of_other_boards(reading):
    bare = replace(reading, contents=dict.fromkeys(CELLS, shares("empty")))
    _, seen = in_one_light([reading, bare], [VIEW, view_of({ODD: RED})])

    assert CONTENTS[int(seen.contents[ODD].argmax())] == "red"
    assert all(seen.contents[c].argmax() == EMPTY for c in CELLS if c != ODD)


@pytest.mark.parametrize(
    ("share", "doubtful"), [(0.001, False), (0.5, True), (0.98, True), (0.999, False)]
)
def test_a_side_that_may_part_two_tiles_is_worth_another_look(reading, share, doubtful):
    sides = {cell: reading.joined[cell].copy() for cell in CELLS}
    sides[(0, 0)][0] = sides[(1, 0)][3] = share

    assert is_doubtful(replace(reading, joined=sides)) is doubtful
