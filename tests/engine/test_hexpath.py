"""Tiles from their turn strings."""

from __future__ import annotations

from itertools import product

import pytest

from engine.hexpath import free_shape, is_path, path_cells, path_shape
from engine.hexplacements import oriented_walks, walks
from engine.lattice import hex_board


def free_tiles(hexes):
    """Return the shapes of all tiles of so many hexes."""
    if hexes < 3:
        return {path_shape(str(hexes))}
    paths = map("".join, product("0+-", repeat=hexes - 2))
    return {path_shape(path) for path in paths if is_path(path)}


def test_there_are_1_1_2_4_and_10_free_tiles_of_1_to_5_hexes():
    assert [len(free_tiles(hexes)) for hexes in range(1, 6)] == [1, 1, 2, 4, 10]


@pytest.mark.parametrize(
    ("path", "cells"),
    [
        ("1", [(0, 0)]),
        ("2", [(0, 0), (1, 0)]),
        ("0", [(0, 0), (1, 0), (2, 0)]),
        ("+", [(0, 0), (1, 0), (1, 1)]),
        ("-", [(0, 0), (1, 0), (2, -1)]),
        ("+-", [(0, 0), (1, 0), (1, 1), (2, 1)]),
        ("+++", [(0, 0), (1, 0), (1, 1), (0, 2), (-1, 2)]),
    ],
)
def test_turns_lead_from_hex_to_hex(path, cells):
    assert list(path_cells(path)) == cells


@pytest.mark.parametrize("path", ["++++", "", "x", "00x", None, 3, "0" * 21])
def test_what_touches_itself_or_is_not_turns_is_no_tile(path):
    assert not is_path(path)


@pytest.mark.parametrize("path", ["1", "2", "0", "+", "0+", "+-", "0+-", "+0-"])
def test_a_tile_is_the_same_shape_turned_flipped_and_shifted(path):
    for walk in oriented_walks(path):
        assert free_shape((q + 3, r - 2) for q, r in walk) == path_shape(path)


def test_mirrored_and_reversed_turns_are_the_same_tile():
    assert path_shape("0+") == path_shape("0-") == path_shape("+0") == path_shape("-0")
    assert path_shape("+-") != path_shape("++")


def test_placements_lie_on_the_board_from_end_to_end():
    board = hex_board(6)
    for walk in walks("0+", board):
        assert set(walk) <= set(board)
        assert walk[0] < walk[-1]
