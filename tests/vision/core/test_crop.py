"""Cutting tiles out of pictures."""

from __future__ import annotations

import numpy as np
import pytest

from vision.core.crop import MARGIN, PATCH_PX, cut, cut_one, patch_corners

SQUARE = np.array([(100.0, 100), (164, 100), (164, 164), (100, 164)])


def quarters() -> np.ndarray:
    """A picture whose tile at ``SQUARE`` has four colours: clockwise blue, green, red, white."""
    bgr = np.zeros((300, 300, 3), np.uint8)
    bgr[100:132, 100:132] = (255, 0, 0)
    bgr[100:132, 132:164] = (0, 255, 0)
    bgr[132:164, 132:164] = (0, 0, 255)
    bgr[132:164, 100:132] = 255
    return bgr


def middles(patch: np.ndarray) -> list[list[int]]:
    low, high = PATCH_PX // 4, 3 * PATCH_PX // 4
    return [patch[y, x].tolist() for y, x in ((low, low), (low, high), (high, high), (high, low))]


def test_first_corner_comes_to_the_upper_left():
    patch = cut_one(quarters(), SQUARE)

    assert middles(patch) == [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255]]


def test_outline_that_starts_at_the_next_corner_is_turned_back_by_a_quarter():
    patch = cut_one(quarters(), np.roll(SQUARE, -1, axis=0))

    assert middles(patch) == [[0, 255, 0], [0, 0, 255], [255, 255, 255], [255, 0, 0]]


def test_corners_lie_a_margin_inside_the_patch():
    low, high = MARGIN * PATCH_PX - 0.5, (1 - MARGIN) * PATCH_PX - 0.5

    assert patch_corners(4) == pytest.approx(
        np.array([(low, low), (high, low), (high, high), (low, high)])
    )


def test_hex_has_its_first_corner_at_the_top():
    corners = patch_corners(6)

    assert corners[0] == pytest.approx(((PATCH_PX - 1) / 2, MARGIN * PATCH_PX - 0.5))


def test_large_tile_is_averaged_not_sampled():
    bgr = np.zeros((600, 600, 3), np.uint8)
    bgr[::2] = 255
    corners = np.array([(50.0, 50), (550, 50), (550, 550), (50, 550)])

    patch = cut_one(bgr, corners)

    assert np.abs(patch.astype(int) - 127).mean() < 40


@pytest.mark.parametrize("shift", [(-500.0, 0.0), (0.0, 900.0), (280.0, 280.0)])
def test_outline_outside_the_picture_still_gives_a_patch(shift):
    assert cut_one(quarters(), SQUARE + shift).shape == (PATCH_PX, PATCH_PX, 3)


def test_no_outlines_give_no_patches():
    assert cut(quarters(), []).shape == (0, PATCH_PX, PATCH_PX, 3)


def test_blank_picture_gives_blank_patches():
    patches = cut(np.full((200, 200, 3), 90, np.uint8), [SQUARE])

    assert (patches == 90).all()


def test_outline_without_area_gives_some_patch():
    assert cut_one(quarters(), np.full((6, 2), 50.0)).shape == (PATCH_PX, PATCH_PX, 3)
