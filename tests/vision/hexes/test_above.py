"""Seen from above, boards show that a look at the picture as it is misses."""

from __future__ import annotations

import numpy as np
import pytest

from engine.setfile import built_in_set
from models.training.hex_samples import hex_table
from vision.core.pyramid import Pyramid
from vision.hexes.above import Above, View
from vision.hexes.plane import HexBoard
from vision.hexes.read import read_hex_table
from vision.hexes.scraps import STRIDE
from vision.hexes.stencils import CELL_PX

BOARD = HexBoard(np.array([[30.0, 0, 220], [0, 30.0, 240], [0, 0, 1]]), (479.5, 239.5), 500.0)
SIZE = (960, 480)


def marks_at(x: float, radius: float) -> list[np.ndarray]:
    """Return what may be further boards where a round mark lies at the height of the board."""
    pyramid = Pyramid(np.zeros((*SIZE[::-1], 3), np.uint8))
    view = View.around(pyramid, [BOARD])
    shape = view.size[1] // STRIDE, view.size[0] // STRIDE
    rows, columns = np.indices(shape)
    places = view.plane(np.stack([columns, rows], axis=-1).astype(float).reshape(-1, 2))
    away = np.hypot(*(places - [(x - 220) / 30, 0]).T).reshape(shape)
    logits = np.where(away < radius, 3.0, -3.0).astype(np.float32)
    above = Above(view, np.zeros((*view.size[::-1], 3), np.uint8), logits, logits)
    return list(above.boards_beside([BOARD], SIZE))


def test_a_mark_as_large_as_a_board_is_told_with_its_place():
    (found,) = marks_at(700, 4.5)

    assert np.abs(found.mean(axis=0) - (700, 240)).max() < 30 * STRIDE / CELL_PX


@pytest.mark.parametrize(("x", "radius"), [(700, 2.0), (220, 4.5), (940, 4.5)],
                         ids=["small", "on the board", "beyond the edge"])  # fmt: skip
def test_no_other_mark_is(x, radius):
    assert marks_at(x, radius) == []


def test_a_board_that_an_arm_hides_most_of_is_told_to_be_covered():
    table = hex_table(65153, "snekagon5g", "held-out", None)

    state = read_hex_table(table.bgr, built_in_set("snekagon5g"), "snekagon5g")

    boards = {entry["board"] for entry in (*state.tiles, *state.unsure)}
    middle = table.boards[2].px(np.zeros((1, 2)))[0]
    (covered,) = [advice.box for advice in state.quality.advice if advice.what == "covered"]
    assert covered is not None
    x, y, width, height = covered
    assert not state.quality.ok
    assert len(boards) == 4
    assert x < middle[0] < x + width
    assert y < middle[1] < y + height
