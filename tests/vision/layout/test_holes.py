"""Holes in a layout show the table, cards their paper."""

from __future__ import annotations

import numpy as np

from engine.setfile import built_in_set
from vision.classify.reader import CellGuess, CellReading
from vision.core.types import Detection
from vision.layout.holes import shows_paper

PAPER, INK, TABLE = (215, 225, 230), (60, 60, 200), (90, 150, 170)
WIDE = 40
NEST = built_in_set("schlangennest")


def test_hole_between_cards_shows_no_paper():
    bgr, found, readings = row_of_cards()
    bgr[:, WIDE : 2 * WIDE] = TABLE

    assert shows_paper(bgr, found, readings, NEST) == [True, False, True]


def test_half_covered_card_still_shows_its_paper():
    bgr, found, readings = row_of_cards()
    bgr[WIDE // 2 :, WIDE : 2 * WIDE] = TABLE

    assert shows_paper(bgr, found, readings, NEST) == [True, True, True]


def test_washed_out_card_is_no_hole():
    bgr, found, readings = row_of_cards()
    bgr[:, WIDE : 2 * WIDE] = 255

    assert shows_paper(bgr, found, readings, NEST) == [True, True, True]


def test_without_cards_around_nothing_is_called_a_hole():
    bgr, found, readings = row_of_cards()
    odd = [readings[1]] * 3

    assert shows_paper(bgr, found, odd, NEST) == [True, True, True]
    assert shows_paper(bgr, (), (), NEST) == []


def row_of_cards():
    """Return a picture of three printed cards side by side; the middle one is read with doubt."""
    bgr = np.full((WIDE, 3 * WIDE, 3), PAPER, np.uint8)
    bgr[WIDE // 3 : WIDE // 2] = INK
    unit = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], float)
    found = [Detection((unit + np.array([x, 0])) * WIDE - 0.5, 0.9) for x in range(3)]
    sure = CellReading((CellGuess("red/straight", 0, 0, 1.0),))
    return bgr, found, [sure, CellReading((), "unknown-tile", odd=True), sure]
