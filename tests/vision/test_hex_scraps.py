"""What is marked as a board and cannot be placed must look like one."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from models.training.hex_samples import hex_table
from vision.hex_boards import find_boards, finder_input
from vision.hex_models import shipped_models
from vision.hex_scraps import shows_a_board


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
