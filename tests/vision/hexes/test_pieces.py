"""Cells become tiles: by what joins them, by the box, and honestly where neither decides."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.lattice import HEX_STEPS
from engine.placement import Piece
from engine.setfile import built_in_set
from vision.hexes.cells import CELLS, CellReadings
from vision.hexes.models import CONTENTS
from vision.hexes.pieces import contents_of, pieces_of

SNEKAGON, FIVE = built_in_set("snekagon"), built_in_set("snekagon5g")


def board_with(*pieces: Piece, side: float = 0.99, colour: float = 0.999) -> CellReadings:
    """Return what a good picture of a board with some tiles gives."""
    contents, joined = {}, {}
    owner = {cell: piece for piece in pieces for cell in piece.cells}
    for cell in CELLS:
        name = owner[cell].tile.partition("/")[0] if cell in owner else "empty"
        shares = np.full(len(CONTENTS), (1 - colour) / (len(CONTENTS) - 1))
        shares[CONTENTS.index(name)] = colour
        contents[cell] = shares
        near = [(cell[0] + q, cell[1] + r) for q, r in HEX_STEPS]
        inside = [cell in owner and owner.get(n) is owner[cell] for n in near]
        joined[cell] = np.where(inside, side, 1 - side)
    nothing = dict.fromkeys(CELLS, np.array([1.0, 0, 0]))
    anywhere = dict.fromkeys(CELLS, np.full(6, 1 / 6))
    return CellReadings(contents, dict.fromkeys(CELLS, 0.0), nothing, anywhere, joined)


THREE = Piece("red/3/0", ((0, 0), (1, 0), (2, 0)))
ONE = Piece("red/1", ((3, 0),))


def test_sides_tell_three_and_one_from_four():
    pieces, splits = pieces_of([board_with(THREE, ONE)], SNEKAGON, numbered=False)

    assert {seen.piece for seen in pieces} == {THREE, ONE}
    assert all(seen.share > 0.9 for seen in pieces)
    assert splits == ()


def test_sides_that_say_nothing_leave_several_ways():
    pieces, splits = pieces_of([board_with(THREE, ONE, side=0.5)], SNEKAGON, numbered=False)

    assert len(splits) == 1
    ways = [set(way) for way in splits[0].ways]
    assert {THREE, ONE} in ways
    assert {Piece("red/4/00", ((0, 0), (1, 0), (2, 0), (3, 0)))} in ways
    assert all(seen.share < 0.9 for seen in pieces)


def test_the_box_overrules_sides_that_it_cannot_make():
    two = [Piece("red/1", ((0, 0),)), Piece("red/1", ((1, 0),))]

    pieces, _ = pieces_of([board_with(*two, side=0.8)], SNEKAGON, numbered=False)

    assert [seen.piece for seen in pieces] == [Piece("red/2", ((0, 0), (1, 0)))]


def test_more_tiles_than_the_box_has_are_still_shown():
    two = [Piece("red/1", ((0, 0),)), Piece("red/1", ((4, 0),))]

    pieces, _ = pieces_of([board_with(*two)], SNEKAGON, numbered=False)

    assert {seen.piece for seen in pieces} == set(two)
    assert not any(seen.known for seen in pieces)


def test_sides_that_are_clear_are_not_overruled_by_the_box():
    two = [THREE, Piece("red/3/0", ((0, 3), (1, 3), (2, 3))), Piece("red/1", ((3, 0),))]

    pieces, _ = pieces_of([board_with(*two, side=0.9999)], SNEKAGON, numbered=False)

    assert {seen.piece for seen in pieces} == set(two)
    assert {seen.piece.tile for seen in pieces if seen.known} == {"red/1"}


def test_a_tile_that_goes_on_under_a_hand_takes_nothing_from_the_others():
    hidden = Piece("red/4/00", ((-2, 3), (-1, 3), (0, 3), (1, 3)))
    board = board_with(THREE, hidden)
    for cell in ((0, 3), (1, 3)):
        board.contents[cell][:] = board.contents[(0, -3)]
        board.joined[cell][:] = 0.01

    pieces, _ = pieces_of([board], SNEKAGON, numbered=False, lost={(0, 0, 3), (0, 1, 3)})

    assert {seen.piece for seen in pieces if not seen.torn} == {THREE}
    assert [seen.piece.cells for seen in pieces if seen.torn] == [((-2, 3), (-1, 3))]


def test_single_hexes_beyond_what_the_box_holds_are_doubted_and_spoil_no_other_tile():
    phantoms = [Piece("green/1", (cell,)) for cell in ((4, 0), (4, -2), (-4, 0), (-4, 2))]

    pieces, _ = pieces_of([board_with(THREE, *phantoms)], SNEKAGON, numbered=False)

    assert {seen.piece for seen in pieces if seen.known} == {THREE}
    assert {seen.piece for seen in pieces if not seen.known} == set(phantoms)


def test_boards_are_numbered_where_there_are_several():
    boards = [board_with(THREE), board_with(ONE)]

    pieces, _ = pieces_of(boards, FIVE, numbered=True)

    assert {(seen.piece.tile, seen.piece.board) for seen in pieces} == {
        ("red/3/0", 0),
        ("red/1", 1),
    }


def test_colours_that_the_box_lacks_are_not_seen():
    contents = contents_of(board_with(Piece("violet/1", ((0, 0),)), colour=0.9), SNEKAGON)

    assert contents[(0, 0)][CONTENTS.index("violet")] == 0


@pytest.mark.parametrize(("yellow", "held"), [(0.005, "yellow"), (0.0, "empty")])
def test_what_looks_like_an_eye_where_none_is_may_be_a_tile(yellow, held):
    board = board_with()
    shares = np.zeros(len(CONTENTS))
    shares[CONTENTS.index("yellow")], shares[CONTENTS.index("eye")] = yellow, 1 - yellow

    contents = contents_of(replace(board, contents=board.contents | {(-2, 2): shares}), FIVE)

    assert CONTENTS[int(contents[(-2, 2)].argmax())] == held


def test_an_empty_board_has_no_tiles():
    assert pieces_of([board_with()], SNEKAGON, numbered=False) == ((), ())


def test_no_board_has_no_tiles():
    assert pieces_of([], FIVE, numbered=True) == ((), ())


def test_a_cell_that_one_colour_needs_is_not_anothers():
    five = Piece("blue/5/000", ((0, 0), (1, 0), (2, 0), (3, 0), (4, 0)))
    others = [Piece("blue/4/00", ((0, 3), (1, 3), (2, 3), (-1, 3)))]
    board = board_with(five, *others)
    board.contents[(4, 0)][:] = 0
    board.contents[(4, 0)][[CONTENTS.index("blue"), CONTENTS.index("violet")]] = 0.4, 0.6

    pieces, _ = pieces_of([board], FIVE, numbered=True)

    cells = [cell for seen in pieces for cell in seen.piece.cells]
    assert len(cells) == len(set(cells))
