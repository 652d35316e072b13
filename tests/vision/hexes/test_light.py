"""Colours of cells are judged beside those of all other cells of a picture."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from vision.hexes.cells import CELL_PX, CELLS, EMPTY, SIDE, VIEW_PX, CellReadings
from vision.hexes.light import in_one_light
from vision.hexes.looks import is_doubtful
from vision.hexes.models import CONTENTS

PAPER, RED, VIOLET = (200, 200, 200), (90, 90, 210), (200, 110, 160)
CLAY = (90, 120, 220)
PALE_VIOLET = (200, 175, 189)
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


@pytest.mark.parametrize(("bgr", "true"), [(PALE_VIOLET, "violet"), (PAPER, "empty")])
def test_a_doubtful_cell_that_light_has_washed_out_is_of_the_colour_it_leans_to(reading, bgr, true):
    doubtful = replace(
        reading, contents=reading.contents | {ODD: shares("empty", 0.8, second="violet")}
    )

    assert holding(doubtful, ODD, with_odd(bgr)) == true


def under_clay(reading: CellReadings, bgr: tuple[int, int, int], held: np.ndarray):
    """Return a reading with clay on a cell, and a view that shows clay and the cell's corners."""
    open_clay = np.array([0.0, 1.0, 0.0])
    covered = replace(reading, contents=reading.contents | {ODD: held},
                      clay=reading.clay | {ODD: open_clay})  # fmt: skip
    view = with_odd(bgr)
    y, x = (ODD[1] + SIDE) * CELL_PX + CELL_PX // 2, (ODD[0] + SIDE) * CELL_PX + CELL_PX // 2
    cv2.circle(view, (x, y), CELL_PX // 3, CLAY, cv2.FILLED)
    return covered, view


@pytest.mark.parametrize(("true", "bgr"), [("red", RED), ("violet", VIOLET)])
@pytest.mark.parametrize("said", ["red", "violet"])
def test_the_corners_around_clay_tell_a_doubtful_tile(reading, true, bgr, said):
    other = "violet" if said == "red" else "red"
    covered, view = under_clay(reading, bgr, shares(said, 0.995, second=other))

    assert holding(covered, ODD, view) == true


def test_corners_that_light_has_burnt_away_tell_nothing(reading):
    covered, view = under_clay(reading, PAPER, shares("violet", 0.995, second="red"))

    assert holding(covered, ODD, view) == "violet"


def test_a_sure_tile_under_clay_keeps_its_colour(reading):
    covered, view = under_clay(reading, VIOLET, shares("red", 0.9995))

    assert holding(covered, ODD, view) == "red"


def test_a_sure_tile_keeps_its_colour(reading):
    clear = replace(reading, contents=reading.contents | {ODD: shares("violet")})

    assert holding(clear, ODD, with_odd(RED)) == "violet"


def test_colours_are_compared_with_those_of_other_boards(reading):
    bare = replace(reading, contents=dict.fromkeys(CELLS, shares("empty")))
    _, seen = in_one_light([reading, bare], [VIEW, view_of({ODD: RED})])

    assert CONTENTS[int(seen.contents[ODD].argmax())] == "red"
    assert all(seen.contents[c].argmax() == EMPTY for c in CELLS if c != ODD)


@pytest.mark.parametrize(("hint", "doubtful"), [(0.0001, False), (0.0007, True)])
def test_a_tile_that_hints_at_clay_is_worth_another_look(reading, hint, doubtful):
    clay = np.array([1 - hint, hint, 0.0])

    assert is_doubtful(replace(reading, clay=reading.clay | {(0, 0): clay})) is doubtful
    assert not is_doubtful(replace(reading, clay=reading.clay | {ODD: clay}))


@pytest.mark.parametrize(
    ("share", "doubtful"), [(0.001, False), (0.5, True), (0.98, True), (0.999, False)]
)
def test_a_side_that_may_part_two_tiles_is_worth_another_look(reading, share, doubtful):
    sides = {cell: reading.joined[cell].copy() for cell in CELLS}
    sides[(0, 0)][0] = sides[(1, 0)][3] = share

    assert is_doubtful(replace(reading, joined=sides)) is doubtful


@pytest.mark.parametrize(("second", "held"), [("violet", "violet"), ("eye", "empty")])
def test_pale_tile_is_no_bare_cell_where_the_network_hints_at_its_colour(reading, second, held):
    red, green, blue = (int(0.75 * v + 0.25 * p) for v, p in zip(VIOLET, PAPER, strict=True))
    doubtful = replace(reading, contents=reading.contents | {ODD: shares("empty", 0.8, second)})

    assert holding(doubtful, ODD, with_odd((red, green, blue))) == held


@pytest.mark.parametrize(
    ("said", "second", "bgr", "held"),
    [
        ("green", "empty", PAPER, "empty"),
        ("green", "empty", (196, 201, 198), "green"),
        ("green", "empty", (60, 200, 60), "green"),
        ("blue", "violet", VIOLET, "violet"),
        ("blue", "violet", (220, 140, 100), "blue"),
        ("blue", "eye", VIOLET, "blue"),
    ],
)
def test_a_doubtful_cell_of_a_colour_seen_nowhere_else_is_what_it_looks_just_like(
    reading, said, second, bgr, held
):
    doubtful = replace(reading, contents=reading.contents | {ODD: shares(said, 0.98, second)})

    assert holding(doubtful, ODD, with_odd(bgr)) == held
