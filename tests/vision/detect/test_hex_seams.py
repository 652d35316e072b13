"""Boards of which a part is hidden are placed by the sides of the cells that are seen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from models.lab.training.hex_samples import hex_table
from vision.core.crop import Pyramid
from vision.detect.hex_seams import on_its_seams
from vision.hexes.boards import boards_in
from vision.hexes.cells import CELLS
from vision.hexes.models import shipped_models
from vision.hexes.plane import FIXED, plane_of


@pytest.fixture(scope="module")
def table():
    return hex_table(1, "snekagon", "held-out", (1024, 768))


@pytest.fixture(scope="module")
def board(table):
    return boards_in(Pyramid(table.bgr), 1, shipped_models())[0]


def off(one, other) -> float:
    """Return how far two boards' fixed points are apart, in cell widths."""
    gap = one.px(FIXED) - other.px(FIXED)
    return float(np.hypot(*gap.T).mean() / one.cell_px())


@pytest.mark.parametrize("move", [(0.25, 0.0), (-0.1, 0.2), (0.5, 0.29), (1.0, 0.0)])
def test_a_board_that_is_misplaced_is_moved_back(table, board, move):
    away = np.eye(3)
    away[:2, 2] = move
    wrong = replace(board, px_from_plane=board.px_from_plane @ away, unsteady=0.3)

    placed = on_its_seams(table.bgr, wrong)

    assert off(placed, board) < 0.08
    assert placed.unsteady == 0.0


def test_where_no_cells_are_shown_nothing_is_sure(table, board):
    blank = np.full_like(table.bgr, 120)

    assert on_its_seams(blank, board).unsteady >= 1.0


def test_few_cells_in_the_picture_move_nothing(table, board):
    right = int(np.sort(board.px(plane_of(CELLS))[:, 0])[8])

    assert on_its_seams(np.ascontiguousarray(table.bgr[:, :right]), board) is board


@pytest.mark.parametrize("share", [0.3, 0.45])
def test_a_board_of_which_much_is_cut_off_does_not_slide_on_by_a_cell(table, board, share):
    right = int(np.quantile(board.px(plane_of(CELLS))[:, 0], 1 - share))
    shown = np.ascontiguousarray(table.bgr[:, :right])

    placed = on_its_seams(shown, board)

    assert off(placed, board) < 0.2
    assert placed.unsteady == 0.0
