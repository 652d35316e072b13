import math

import pytest

from engine.draw.boards import board_outline, board_size
from engine.draw.hexes import grown, hex_face, notches, outline
from engine.draw.ring import walk
from engine.hexpath import path_cells
from engine.setfile import built_in_set

PATHS = ("1", "2", "0", "+", "00", "0+", "++", "+-", "000", "0++", "+++", "+-+")


@pytest.mark.parametrize("path", PATHS)
def test_inner_hexes_have_four_notches_and_ends_two_next_to_the_joint(path):
    cells = path_cells(path)
    count = {cell: sum(c == cell for c, _ in notches(cells)) for cell in cells}

    if len(cells) == 1:
        assert count == {(0, 0): 0}
    else:
        ends = {cells[0], cells[-1]}
        assert all(n == (2 if cell in ends else 4) for cell, n in count.items())


def test_the_end_of_a_pair_is_notched_beside_its_joint():
    # (0, 0) is joined by its side E (0): its notches are on SE (1) and NE (5).
    assert {side for cell, side in notches(((0, 0), (1, 0))) if cell == (0, 0)} == {1, 5}


@pytest.mark.parametrize("path", PATHS)
def test_outline_encloses_the_area_of_its_cells(path):
    cells = path_cells(path)
    corners = outline(cells, 20.0)
    area = (
        sum(
            x0 * y1 - x1 * y0
            for (x0, y0), (x1, y1) in zip(corners, corners[1:] + corners[:1], strict=True)
        )
        / 2
    )

    assert area == pytest.approx(len(cells) * 20.0**2 * math.sqrt(3) / 2)


def test_an_outline_can_be_pushed_outwards():
    square = ((0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0))

    assert grown(square, 2) == [(-2, -2), (12, -2), (12, 12), (-2, 12)]


def test_the_back_of_a_hex_tile_is_the_front_in_a_mirror():
    tile_set = built_in_set("snekagon")
    front, back = (hex_face(tile_set, tile_set["red/4/0+"], 20.0, s) for s in ("front", "back"))
    width = front.size_mm[0]
    mirrored = sorted((round(width - x, 6), round(y, 6)) for x, y in front.outline_mm)

    assert sorted((round(x, 6), round(y, 6)) for x, y in back.outline_mm) == mirrored
    assert back.origin_mm == pytest.approx((width - front.origin_mm[0], front.origin_mm[1]))
    assert back.cells == ((0, 0), (-1, 0), (-2, 0), (-3, 1))


def test_a_board_is_a_regular_hexagon_around_its_cells():
    size = board_size(6, 19.0)
    corners = board_outline(6, 19.0)

    assert max(x for x, _ in corners) == pytest.approx(size[0])
    assert max(y for _, y in corners) == pytest.approx(size[1])
    assert size[1] == pytest.approx(17 * 19.0 / math.sqrt(3) + 5)


def test_cells_are_walked_from_end_to_end():
    cells = path_cells("+-+")

    assert walk(tuple(sorted(cells))) in (cells, cells[::-1])
