"""Where snakes of hexes can go on."""

from engine.draw.ends import open_hex_ends
from engine.lattice import hex_board
from engine.placement import Clay, Layout, Piece

BOARD = frozenset(hex_board(6))
E, W = 0, 3


def test_snake_goes_on_at_both_ends_away_from_its_body():
    layout = Layout(pieces=frozenset([Piece("red/3/0", ((0, 0), (1, 0), (2, 0)), None)]))

    assert sorted(open_hex_ends(layout, BOARD)) == [((0, 0), W), ((2, 0), E)]


def test_end_at_the_border_or_at_another_tile_is_not_open_there():
    layout = Layout(
        pieces=frozenset([Piece("red/2", ((3, 0), (4, 0)), 1), Piece("green/1", ((5, 0),), 1)])
    )

    ends = dict(open_hex_ends(layout, BOARD))

    assert ends[1, 3, 0] == W
    assert ends[1, 4, 0] not in (E, W)


def test_single_hex_and_a_cell_with_clay_are_no_ends():
    layout = Layout(
        pieces=frozenset([Piece("red/1", ((0, 0),), 0), Piece("blue/2", ((3, 0), (4, 0)), 0)]),
        clay=frozenset([Clay(0, (3, 0), "closed", None)]),
    )

    assert [place for place, _ in open_hex_ends(layout, BOARD)] == [(0, 4, 0)]
