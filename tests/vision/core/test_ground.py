"""Something on a table has colours that are seen in one place only."""

from __future__ import annotations

import numpy as np
import pytest

from vision.core.ground import Ground

TABLE, STRIPE, SKIN = (60, 110, 150), (180, 190, 200), (140, 160, 215)
WIDE = 40


def cell(x: float, y: float) -> np.ndarray:
    corners = np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])
    return np.asarray((corners + np.array([x, y])) * WIDE)


@pytest.fixture
def bgr() -> np.ndarray:
    """A striped cloth with an arm over it from the right."""
    picture = np.full((480, 640, 3), TABLE, np.uint8)
    picture[:, ::20] = STRIPE
    picture[:, 1::20] = STRIPE
    picture[200:280, 360:] = SKIN
    return picture


def test_cell_under_an_arm_is_hidden_and_bare_cloth_is_not(bgr):
    ground = Ground(bgr, [cell(2, 5)])

    hidden = ground.hidden(np.stack([cell(10, 5.5), cell(3, 5), cell(12, 2)]))

    assert hidden.tolist() == [True, False, False]


def test_cell_outside_the_picture_is_hidden_and_not_inside(bgr):
    ground = Ground(bgr, [cell(2, 5)])
    outlines = np.stack([cell(-3, 5), cell(3, 5)])

    assert ground.hidden(outlines).tolist() == [True, False]
    assert ground.inside(outlines).tolist() == [False, True]


def test_shadow_on_the_table_hides_nothing(bgr):
    bgr[:, 400:] = (bgr[:, 400:] * 0.85).astype(np.uint8)
    ground = Ground(bgr, [cell(2, 5)])

    assert not ground.hidden(np.stack([cell(12, 2)]))[0]


def test_picture_that_is_all_cards_shows_no_table():
    picture = np.full((40, 40, 3), 200, np.uint8)
    ground = Ground(picture, [np.array([(-9.0, -9.0), (50, -9), (50, 50), (-9, 50)])])

    assert ground.hidden(np.stack([cell(0, 0)])).tolist() == [True]
