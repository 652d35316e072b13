"""A tile's place is told in rows and places that people can count."""

from __future__ import annotations

from companion_app.web.rows import Where, where
from companion_app.web.speech import Speech
from engine.placement import Layout, Piece, Placement
from engine.setfile import built_in_set


def test_cards_count_from_the_upper_left_corner_of_their_layout():
    corner, card = Placement("blue/curve", (-3, -2)), Placement("blue/curve", (-1, 0))

    assert where(corner, [corner, card], None) == Where(1, 1)
    assert where(card, [corner, card], None) == Where(3, 3)


def test_fields_of_two_players_count_each_for_itself():
    mine, other = Placement("curve", (4, 4), 0, 0), Placement("curve", (-9, -9), 0, 1)

    assert where(mine, [mine, other], None) == Where(1, 1)


def test_hexes_count_along_the_rows_of_their_board():
    def of(*cell):
        return where(Piece("red/1", (cell,), None), [], 6)

    assert of(0, -5) == Where(1, 1)
    assert of(5, -5) == Where(1, 6)
    assert of(-5, 0) == Where(6, 1)
    assert of(5, 0) == Where(6, 11)
    assert of(-5, 5) == Where(11, 1)


def test_boards_count_from_one():
    tile = Piece("red/1", ((0, 0),), 0)
    label = Speech("en").labels(Layout.of(tile), built_in_set("snekagon5g"))

    assert where(tile, [], 6).board == 1
    assert label(tile) == "Board 1: red tile of 1, row 6, place 6"
