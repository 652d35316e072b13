"""What is seen of boards that cannot be placed is told."""

from __future__ import annotations

import numpy as np

from engine.setfile import built_in_set
from models.training.hex_samples import hex_table
from vision.core.crop import Pyramid
from vision.hexes.boards import boards_in
from vision.hexes.models import shipped_models
from vision.hexes.read import read_hex_table


def test_a_board_that_the_lower_edge_of_a_wide_picture_cuts_is_a_scrap():
    wide = hex_table(61462, "snekagon5g", "held-out", None)

    found = boards_in(Pyramid(wide.bgr), 5, shipped_models())

    assert len(found.boards) == 1
    ((_, (_, bottom)),) = found.scraps
    assert abs(bottom - len(wide.bgr)) < 20


def test_a_board_that_an_arm_hides_most_of_is_told_to_be_covered():
    table = hex_table(65153, "snekagon5g", "held-out", None)

    state = read_hex_table(table.bgr, built_in_set("snekagon5g"), "snekagon5g")

    middle = table.boards[2].px(np.zeros((1, 2)))[0]
    (covered,) = [advice.box for advice in state.quality.advice if advice.what == "covered"]
    assert covered is not None
    x, y, width, height = covered
    assert not state.quality.ok
    assert x < middle[0] < x + width
    assert y < middle[1] < y + height
