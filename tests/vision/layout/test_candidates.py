"""Which outlines may be cards of a box."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from vision.classify.reader import CellGuess, CellReading
from vision.core.ground import Ground
from vision.core.types import Detection, Detections
from vision.layout.candidates import cards_only, with_faint

WIDE = 40
PLANK, SEAM, PAPER = (60, 110, 150), (40, 80, 120), (225, 230, 235)
UNIT = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], float)


@pytest.mark.parametrize(("sure", "far", "kept"), [
    (0.48, 0.5, 3), (0.8, 0.4, 3), (0.48, 0.1, 4), (0.95, 0.5, 4),
])  # fmt: skip
def test_plank_that_is_read_as_a_card_is_one_only_if_it_is_well_seen(sure, far, kept):
    bgr = np.full((480, 640, 3), PLANK, np.uint8)
    bgr[::20] = SEAM
    bgr[200 : 200 + WIDE, 200 : 200 + 3 * WIDE] = PAPER
    outlines = [(UNIT + np.array([5 + x, 5])) * WIDE for x in range(4)]
    ground = Ground(bgr, outlines)
    found = [Detection(outline, 0.95) for outline in outlines]
    found[3] = replace(found[3], confidence=sure)
    readings = [CellReading((CellGuess("red/straight", 0, 0, 1.0),))] * 3
    readings.append(CellReading((CellGuess("yellow/straight", 0, 0, 1.0),), far=far))

    seen, _ = cards_only(Detections((640, 480), "square", tuple(found)), readings, ground)

    assert len(seen.found) == kept


@pytest.mark.parametrize(("outlined", "kept"), [(0.95, 4), (0.85, 3)])
def test_washed_out_cards_are_some_where_one_leads_to_the_next(outlined, kept):
    bgr = np.full((480, 640, 3), PLANK, np.uint8)
    bgr[200 : 200 + WIDE, 200 : 200 + 4 * WIDE] = PAPER
    found = [Detection((UNIT + np.array([5 + x, 5])) * WIDE, 0.95) for x in range(4)]
    found[2:] = [replace(one, confidence=outlined) for one in found[2:]]
    pale = CellReading((CellGuess("yellow/straight", 0, 0, 0.6),), odd=True, far=0.7)
    readings = [CellReading((CellGuess("red/straight", 0, 0, 1.0),)), pale, pale, pale]
    ground = Ground(bgr, [one.corners_px for one in found])

    seen, _ = cards_only(Detections((640, 480), "square", tuple(found)), readings, ground)

    assert len(seen.found) == kept


@pytest.mark.parametrize(("faint", "taken"), [(1, 0), (2, 2)])
def test_cards_among_bricks_that_outnumber_them_are_taken_if_they_are_more_than_one(faint, taken):
    cards = [Detection((UNIT + np.array([5 + x, 5])) * WIDE, 0.6) for x in range(faint)]
    bricks = [Detection((UNIT + np.array([5 + x, 8])) * WIDE, 0.4) for x in range(3)]
    seen = Detections((640, 480), "square", (), (*cards, *bricks, *cards))

    def look(some):
        said = {6: 0.05, 9: 0.8}
        return [
            CellReading(
                (CellGuess("red/straight", 0, 0, 1.0),),
                far=said[round(one.centre_px[1] / WIDE + 0.5)],
            )
            for one in some
        ]

    found, readings = with_faint(seen, [], look)

    assert len(found.found) == len(readings) == taken
