"""Holes in a layout of a taught box show the table; tiles do not."""

import numpy as np
import pytest

from vision.classify.reading import CellGuess, CellReading
from vision.classify.taught_tiles import tiles_only
from vision.core.types import Detection

SIDE = 60
TABLE, TILE = (70, 110, 150), (200, 40, 40)
ROW = 6
HOLE = 3


@pytest.fixture
def picture():
    """A row of tiles on a table, with a gap where the fourth would lie."""
    bgr = np.full((360, 480, 3), TABLE, np.uint8)
    for n in range(ROW):
        if n != HOLE:
            bgr[150 : 150 + SIDE, 40 + n * SIDE : 40 + (n + 1) * SIDE] = TILE
    return bgr


def row(confidence: float = 0.9) -> list[Detection]:
    unit = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], float) * (SIDE - 1)
    return [Detection(unit + np.array([40 + n * SIDE, 150]), confidence) for n in range(ROW)]


def readings(
    far_at_hole: float, why: str | None = None, confidence: float = 0.97
) -> list[CellReading]:
    guess = (CellGuess("fox", 0, 0, confidence),)
    return [
        CellReading(guess, why if n == HOLE else None, far=far_at_hole if n == HOLE else 0.1)
        for n in range(ROW)
    ]


def test_strange_outline_in_the_colours_of_the_table_is_no_tile(picture):
    kept = tiles_only(picture, row(), readings(0.5))

    assert [n for n, tile in enumerate(kept) if not tile] == [HOLE]


def test_strange_outline_in_other_colours_may_be_a_covered_tile(picture):
    picture[150 : 150 + SIDE, 40 + HOLE * SIDE : 40 + (HOLE + 1) * SIDE] = (30, 220, 30)

    assert all(tiles_only(picture, row(), readings(0.5)))


def test_strange_outline_that_was_hardly_found_is_no_tile(picture):
    picture[150 : 150 + SIDE, 40 + HOLE * SIDE : 40 + (HOLE + 1) * SIDE] = (30, 220, 30)

    assert not tiles_only(picture, row(0.4), readings(0.5))[HOLE]


def test_strange_outline_that_was_hardly_found_is_a_tile_if_it_is_read_beyond_doubt(picture):
    picture[150 : 150 + SIDE, 40 + HOLE * SIDE : 40 + (HOLE + 1) * SIDE] = (30, 220, 30)

    assert all(tiles_only(picture, row(0.4), readings(0.5, confidence=0.995)))


def test_nothing_is_strange_that_looks_as_tiles_here_do(picture):
    assert all(tiles_only(picture, row(), readings(0.15)))


def test_few_sure_tiles_say_nothing_about_the_rest(picture):
    few = slice(1, HOLE + 1)

    assert all(tiles_only(picture, row()[few], readings(0.5)[few]))


def test_what_nothing_looks_like_is_strange_anyway(picture):
    few = slice(0, HOLE + 1)

    kept = tiles_only(picture, row()[few], readings(1.5, "unknown-tile")[few])

    assert kept == [True] * HOLE + [False]


def test_outline_that_is_surely_found_and_read_beyond_doubt_is_a_tile_in_any_colours(picture):
    assert all(tiles_only(picture, row(), readings(0.5, confidence=0.995)))


def test_outline_beyond_doubt_beside_tiles_is_one_though_light_gave_it_the_tables_colours(picture):
    found = row()
    found[HOLE] = Detection(found[HOLE].corners_px, 0.96)

    assert all(tiles_only(picture, found, readings(0.9)))


def test_slab_of_the_table_beside_no_tile_is_none_however_surely_it_is_found(picture):
    slab = Detection(row()[0].corners_px + np.array([330.0, -140.0]), 0.97)
    seen = [one for n, one in enumerate(readings(0.1)) if n != HOLE]
    said = CellReading((CellGuess("fox", 0, 0, 0.2),), far=0.9)

    kept = tiles_only(
        picture, [*(d for n, d in enumerate(row()) if n != HOLE), slab], [*seen, said]
    )

    assert kept == [True] * (ROW - 1) + [False]


@pytest.mark.parametrize(("confidence", "tile"), [(0.992, False), (0.9995, True)])
def test_hardly_found_outline_of_table_that_looks_a_little_like_a_print(picture, confidence, tile):
    found = row()
    found[HOLE] = Detection(found[HOLE].corners_px, 0.66)

    assert tiles_only(picture, found, readings(0.19, confidence=confidence))[HOLE] is tile


def test_hole_that_shows_a_rare_print_of_the_cloth_is_no_tile(picture):
    rare = (30, 220, 30)
    for x, y in ((30, 20), (200, 290), (400, 40), (60, 300)):
        picture[y : y + 40, x : x + 40] = rare
    left = 40 + HOLE * SIDE
    picture[152:206, left + 4 : left + 58] = rare

    assert not tiles_only(picture, row(), readings(0.9))[HOLE]
