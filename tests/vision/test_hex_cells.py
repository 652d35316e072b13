"""Cells are read from laid out boards, whatever the picture holds."""

from __future__ import annotations

import numpy as np
import pytest

from engine.lattice import HEX_STEPS
from vision.hex_boards import HexBoard, Pyramid
from vision.hex_cells import (
    CELLS,
    VIEW_PX,
    CellReadings,
    balanced,
    laid_out,
    read_cells,
    turned_cell,
)
from vision.hex_models import shipped_models

BOARD = HexBoard(np.array([[30.0, 0, 320], [0, 30.0, 240], [0, 0, 1]]), (319.5, 239.5), 400.0)


def test_no_boards_have_no_cells():
    pyramid = Pyramid(np.zeros((480, 640, 3), np.uint8))

    assert read_cells(pyramid, [], shipped_models()) == ()


@pytest.mark.parametrize("level", [0, 255])
def test_a_blank_picture_gives_shares_that_add_up(level):
    pyramid = Pyramid(np.full((480, 640, 3), level, np.uint8))

    (reading,) = read_cells(pyramid, [BOARD], shipped_models())

    assert set(reading.contents) == set(CELLS)
    assert all(abs(shares.sum() - 1) < 1e-6 for shares in reading.contents.values())


def test_paper_is_made_grey_whatever_the_light():
    warm = np.full((VIEW_PX, VIEW_PX, 3), (90, 140, 180), np.uint8)

    assert np.ptp(balanced(warm)) <= 1


def test_rows_and_columns_of_the_view_are_q_and_r():
    picture = np.zeros((480, 640, 3), np.uint8)
    picture[230:250, 340:360] = 255

    view = laid_out(Pyramid(picture), BOARD)
    ys, xs = np.nonzero(view[..., 0] > 200)

    # The middle of cell (1, 0) lies 30 px to the right of the centre.
    assert abs(xs.mean() / 24 - 6.5 - 1) < 0.1
    assert abs(ys.mean() / 24 - 6.5) < 0.1


def test_turning_readings_turns_cells_and_sides_together():
    numbered = {cell: np.array([float(i)]) for i, cell in enumerate(CELLS)}
    sides = {cell: np.arange(6.0) for cell in CELLS}
    reading = CellReadings(numbered, dict.fromkeys(CELLS, 0.0), numbered, sides, sides)

    turned = reading.turned(1)

    assert turned.contents[(1, 0)] == numbered[(0, 1)]
    assert turned_cell(HEX_STEPS[0], 1) == HEX_STEPS[1]
    assert turned.joined[(0, 0)][0] == 1
