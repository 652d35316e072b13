"""What is marked as a board and cannot be placed must look like one."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from models.training.hex_samples import hex_table
from vision.core.pyramid import Pyramid
from vision.hexes.boards import boards_in, find_boards
from vision.hexes.models import shipped_models
from vision.hexes.plane import HexBoard
from vision.hexes.scraps import marks_beside, shows_a_board
from vision.hexes.starts import finder_input


@pytest.fixture(scope="module")
def table():
    return hex_table(1, "snekagon", "held-out", (1024, 768))


@pytest.fixture(scope="module")
def board(table):
    return find_boards(table.bgr, 1)[0]


@pytest.fixture(scope="module")
def marked(table):
    small, scale = finder_input(table.bgr)
    return shipped_models().mark(small)[0], scale


def test_a_board_shows_one_where_it_is_marked(table, board, marked):
    shown, scale = marked

    assert shows_a_board(table.bgr, shown, scale, board)


def test_cloth_that_is_marked_shows_none(table, board, marked):
    cloth = np.tile(table.bgr[:96, :128], (8, 8, 1))
    shown, scale = marked

    assert not shows_a_board(cloth, shown, scale, board)


def test_where_nothing_is_marked_there_is_none(table, board, marked):
    shown, scale = marked

    assert not shows_a_board(table.bgr, np.full_like(shown, -3.0), scale, board)


def test_what_a_sleeve_leaves_of_a_board_is_enough(table, board, marked):
    middle = board.px(np.zeros((1, 2)))[0].round().astype(int).tolist()
    shown, scale = marked
    hidden = shown.copy()
    picture = table.bgr.copy()
    cv2.rectangle(picture, (0, 0), (middle[0], 767), (60, 40, 30), cv2.FILLED)
    hidden[:, : int(middle[0] * scale / 4)] = -3.0

    assert shows_a_board(picture, hidden, scale, board)


def test_a_board_that_the_lower_edge_of_a_wide_picture_cuts_is_a_scrap():
    wide = hex_table(61462, "snekagon5g", "held-out", None)

    found = boards_in(Pyramid(wide.bgr), 5, shipped_models())

    assert len(found.boards) == 1
    ((_, (_, bottom)),) = found.scraps
    assert abs(bottom - len(wide.bgr)) < 20


def test_cells_are_wider_where_the_table_is_nearer():
    tilted = HexBoard(
        np.array([[28.0, -6.4, 320], [0, 26, 240], [0, -0.02, 1]]), (319.5, 239.5), 400.0
    )
    cell_px = {}
    for where, rows in (("far", slice(0, 20)), ("near", slice(-20, None))):
        shown = np.full((120, 160), -9.0, np.float32)
        shown[rows, :20] = 9.0
        (mark,) = marks_beside(shown, 1.0, [tilted])
        cell_px[where] = mark.cell_px

    assert cell_px["near"] > 1.2 * cell_px["far"]
