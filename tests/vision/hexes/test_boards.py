"""Boards are found where they lie; where none lies, none is."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from models.lab.training.hex_samples import hex_table
from vision.core.crop import Pyramid
from vision.hexes.boards import CROP_PX, boards_in, crop
from vision.hexes.cells import CELLS
from vision.hexes.models import shipped_models
from vision.hexes.plane import FIXED, HexBoard, fitted, plane_of

SIZE = (640, 480)


def found_in(bgr: np.ndarray, most: int) -> tuple[HexBoard, ...]:
    return boards_in(Pyramid(bgr), most, shipped_models())


def seen_board(lens: float = 0.0) -> HexBoard:
    """Return a board of cells 30 px wide, turned and tilted a little."""
    turn = cv2.getRotationMatrix2D((0, 0), 17, 30.0)
    homography = np.vstack([turn, [0.004, 0.006, 1.0]])
    homography[:2, 2] = 330, 225
    return HexBoard(homography, (319.5, 239.5), 400.0, lens)


@pytest.mark.parametrize("level", [0, 128, 255])
def test_a_blank_picture_has_no_board(level):
    blank = np.full((*SIZE[::-1], 3), level, np.uint8)

    assert found_in(blank, 5) == ()


def test_a_tiny_picture_has_no_board():
    assert found_in(np.zeros((1, 1, 3), np.uint8), 1) == ()


def test_noise_has_no_board():
    noise = np.random.default_rng(1).integers(0, 256, (*SIZE[::-1], 3), np.uint8)

    assert found_in(noise, 5) == ()


def test_a_board_in_a_light_that_clips_one_colour_is_found():
    table = hex_table(1, "snekagon", "held-out", (1024, 768))
    clipped = table.bgr.copy()
    clipped[..., 2] = 255

    (board,) = found_in(clipped, 1)

    assert board.unsteady < 0.04


@pytest.mark.parametrize("lens", [-0.15, 0.0, 0.06])
def test_fixed_points_give_back_the_board_and_its_lens(lens):
    board = seen_board(lens)
    placed = fitted(board.px(FIXED), seen_board())

    gap = board.px(plane_of(CELLS)) - placed.px(plane_of(CELLS))

    assert np.abs(gap).max() < 0.02 * board.cell_px()


def test_a_turned_board_counts_its_cells_from_another_side():
    board = seen_board(-0.1)

    east, turned = board.px(plane_of([(1, 0)])), board.turned(1).px(plane_of([(1, 0)]))

    assert np.allclose(board.px(plane_of([(0, 1)])), turned)
    assert not np.allclose(east, turned)
    assert np.allclose(board.turned(6).px(FIXED), board.px(FIXED))


def test_what_lies_outside_the_picture_is_grey():
    board = seen_board()
    away = HexBoard(
        board.px_from_plane + np.array([[0, 0, 5000], [0, 0, 0], [0, 0, 0]]),
        board.middle_px,
        board.radius_px,
    )

    seen = crop(Pyramid(np.zeros((480, 640, 3), np.uint8)), away)

    assert seen.shape == (CROP_PX, CROP_PX, 3)
    assert (seen == 128).all()
