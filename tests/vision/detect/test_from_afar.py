"""Cards that are much larger than the network wants them, and nothing else in the picture."""

from __future__ import annotations

import numpy as np

from vision.classify.reader import CellGuess, CellReading
from vision.core.types import Detection, Detections
from vision.detect.from_afar import seen_from_afar

BLANK = np.full((480, 640, 3), 200, np.uint8)
PART = np.array([(100, 100), (140, 100), (140, 140), (100, 140)], float)
FOUND = Detections((640, 480), "square", (Detection(PART, 0.9),))


def reading(sure: float, *, odd: bool = False) -> CellReading:
    return CellReading((CellGuess("red/straight", 0, 0, sure),), odd=odd)


def unasked(found):
    raise AssertionError("nothing more is looked at")


def test_where_a_card_is_surely_read_nobody_looks_again():
    readings = [reading(0.9)]

    assert seen_from_afar(BLANK, FOUND, readings, unasked) == (FOUND, readings)


def test_where_nothing_larger_is_seen_what_was_found_stays():
    readings = [reading(0.9, odd=True)]

    seen = seen_from_afar(BLANK, FOUND, readings, lambda found: [reading(0.5)] * len(found))

    assert seen == (FOUND, readings)


def test_nothing_found_stays_nothing():
    empty = Detections((640, 480), "square", ())

    assert seen_from_afar(BLANK, empty, [], unasked) == (empty, [])
