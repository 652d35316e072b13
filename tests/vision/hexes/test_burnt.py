"""Cells of which light leaves nothing to read are found, sure and dim ones are not."""

from __future__ import annotations

import numpy as np
import pytest

from vision.hexes.burnt import burnt_cells
from vision.hexes.cells import CELLS, CellReadings
from vision.hexes.models import CONTENTS
from vision.hexes.plane import HexBoard, plane_of

BOARD = HexBoard(
    np.array([[40.0, 0, 300], [0, 40, 300], [0, 0, 1]]), middle_px=(300, 300), radius_px=424
)
CELL = (2, -1)


@pytest.mark.parametrize(
    ("level", "sure", "lost", "burnt"),
    [(255, 0.62, (), 1), (255, 0.95, (), 0), (200, 0.62, (), 0), (255, 0.62, (CELL,), 0)],
    ids=["burnt", "sure", "dim", "hidden"],
)
def test_a_doubtful_cell_in_nothing_but_light_is_burnt(level, sure, lost, burnt):
    picture = np.full((600, 600, 3), 180, np.uint8)
    x, y = BOARD.px(plane_of([CELL]))[0].astype(int)
    picture[y - 15 : y + 15, x - 15 : x + 15] = level
    bare = np.eye(len(CONTENTS))[0]
    contents = dict.fromkeys(CELLS, bare) | {CELL: bare * sure + (1 - sure) / len(CONTENTS)}
    sides = dict.fromkeys(CELLS, np.zeros(6))
    none = dict.fromkeys(CELLS, np.array([1.0, 0, 0]))
    reading = CellReadings(contents, dict.fromkeys(CELLS, 0.0), none, sides, sides)

    found = burnt_cells(picture, [BOARD], [reading], [lost])

    assert len(found) == burnt
    assert all(np.allclose(one.mean(axis=0), (x, y), atol=1) for one in found)
