"""A board is told from what lies around it, and placed without that where it confuses."""

from __future__ import annotations

import numpy as np
import pytest

from models.training.hex_samples import hex_table
from vision.hexes.boards import find_boards
from vision.hexes.cells import CELLS
from vision.hexes.plane import FIXED, plane_of
from vision.hexes.scraps import Alone


@pytest.fixture(scope="module")
def table():
    """A board on a chequered cloth, on which looks placed it 0.1 of a cell apart."""
    return hex_table(58490, "snekagon", "held-out", None)


@pytest.fixture(scope="module")
def board(table):
    return find_boards(table.bgr, 1)[0]


def test_a_board_on_a_chequered_cloth_is_placed(table, board):
    true, placed = table.boards[0].px(plane_of(CELLS)), board.px(plane_of(CELLS))
    off = [np.hypot(*(true - own).T).min() for own in placed]

    assert board.unsteady < 0.04
    assert max(off) < 0.12 * board.cell_px()


def test_the_cloth_is_painted_over_and_the_board_is_left(table, board):
    own = Alone.around(table.bgr, board.px(FIXED), board.cell_px())
    painted = own.painted(table.bgr, board.cell_px())
    cells = board.px(plane_of(CELLS)).round().astype(int)

    assert own.is_whole(board)
    assert (painted[cells[:, 1], cells[:, 0]] == table.bgr[cells[:, 1], cells[:, 0]]).all()
    assert (painted[:100] == 128).all()


def test_a_board_under_a_sleeve_is_not_whole(table, board):
    covered = table.bgr.copy()
    middle = board.middle().round().astype(int)
    covered[:, middle[0] : middle[0] + 150] = (60, 40, 30)

    assert not Alone.around(covered, board.px(FIXED), board.cell_px()).is_whole(board)
