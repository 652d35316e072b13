"""Tiles beside boards are named by shape, colour and what the box has left."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from engine.hexpath import path_cells
from engine.setfile import built_in_set
from vision.core.crop import Pyramid
from vision.hexes.aside import (
    _drawn,
    _guesses,
    _is_cut,
    _shared_out,
    fits_of,
    in_view,
    outline_of,
    part_around,
)
from vision.hexes.plane import HexBoard

BOX = built_in_set("snekagon5g")
PATHS = tuple(sorted({kind.path for kind in BOX.kinds.values() if kind.path}))
BOARD = HexBoard(np.array([[30.0, 0, 320], [0, 30.0, 240], [0, 0, 1]]), (319.5, 239.5), 400.0)


def path_of(kind: str) -> str:
    return BOX[kind].path or ""


def gaps(**near: float) -> dict[str, float]:
    return {colour: near.get(colour, 80.0) for colour in BOX.colours}


@pytest.mark.parametrize("path", PATHS)
def test_marks_of_a_path_fit_it_best(path):
    fits = fits_of(_drawn(path_cells(path), 0.3, True), PATHS)

    assert max(fits, key=lambda name: fits[name][0]) == path


def test_a_tile_that_the_box_has_no_more_is_the_other_colour():
    path = path_of("violet/4/0+")
    guesses = _guesses(_drawn(path_cells(path), 0.0, False), gaps(violet=24, blue=20), BOX)
    left = Counter({name: int(not name.startswith("blue")) for name in BOX.kinds})

    ((_, named),) = _shared_out([(np.zeros(2), guesses)], left)

    assert guesses[0].tile == "blue/4/0+"
    assert named.tile == "violet/4/0+"


def test_what_is_seen_far_more_often_than_the_box_has_it_is_a_pattern():
    one = _guesses(_drawn(path_cells(path_of("red/1")), 0.0, False), gaps(red=20), BOX)

    assert not list(_shared_out([(np.zeros(2), one)] * 9, Counter(BOX.counts)))


def test_a_single_hex_too_many_is_not_one_of_another_colour():
    near = gaps(red=20, blue=22, green=23, violet=24)
    one = _guesses(_drawn(path_cells(path_of("red/1")), 0.0, False), near, BOX)
    box = Counter({name: 1 for name in BOX.counts})

    assert [guess.tile for _, guess in _shared_out([(np.zeros(2), one)] * 3, box)] == ["red/1"]


def test_a_single_hex_of_no_colour_of_the_box_is_a_die():
    patch = _drawn(path_cells(path_of("red/1")), 0.0, False)

    assert not any(guess.tile.endswith("/1") for guess in _guesses(patch, gaps(red=45), BOX))


def test_marks_at_the_edge_of_the_picture_are_cut():
    pyramid = Pyramid(np.zeros((480, 640, 3), np.uint8))

    assert _is_cut(np.array([(4.0, 200.0)]), pyramid, BOARD)
    assert not _is_cut(np.array([(40.0, 200.0)]), pyramid, BOARD)


def test_the_view_ends_where_the_picture_does():
    pyramid = Pyramid(np.zeros((480, 640, 3), np.uint8))
    low, high = in_view(pyramid, BOARD)
    _, size = part_around(pyramid, [BOARD])

    assert np.allclose([*low, *high], [-320 / 30, -8, 320 / 30, 8])
    assert size[0] < 400


def test_outlines_lie_about_their_middle():
    corners = outline_of(path_of("red/2"), 0.7, False, np.array([3.0, -2.0]))

    assert np.allclose(corners.mean(axis=0), (3.0, -2.0), atol=0.05)
