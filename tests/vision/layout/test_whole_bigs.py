"""Big cards of which one outline was found; what places show is made up here."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from engine.setfile import built_in_set
from vision.classify.reading import CellGuess, CellReading
from vision.core.types import Detection, Detections
from vision.layout.whole_bigs import with_whole_bigs

SSSNAKE, NEST = built_in_set("sssnake"), built_in_set("schlangennest")
WIDE, LONG = 50.0, 40.0
"""Cells are seen lengthwise: wider than long."""
MIDDLE = np.array([300.0, 200.0])
UNIT = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
STRANGE = CellReading((CellGuess("crossing", 0, 0, 0.01),), "unknown-tile", odd=True, far=1.2)


def outline(x: float, y: float, long: float = LONG) -> np.ndarray:
    return np.asarray(UNIT * np.array([WIDE, long]) + np.array([x, y]))


def look(found: Sequence[Detection]) -> list[CellReading]:
    """Read outlines of a table with one big card, its head below its tail."""
    return [reading_at(*one.centre_px) for one in found]


def reading_at(x: float, y: float) -> CellReading:
    for cell, at in ((0, MIDDLE[1] - LONG / 2), (1, MIDDLE[1] + LONG / 2)):
        off = np.hypot(x - MIDDLE[0], y - at) / LONG
        if off < 0.2:
            return CellReading((CellGuess("big/2", cell, 1, 0.999),), far=float(2 * off))
    return STRANGE


def halves(detections: Detections, readings) -> list[tuple[int, float]]:
    return sorted(
        (reading.guesses[0].cell, round(float(one.centre_px[1])))
        for one, reading in zip(detections.found, readings, strict=True)
        if reading.guesses[0].tile == "big/2"
    )


@pytest.mark.parametrize("off", [-0.3, 0.0, 0.1, 0.4])
@pytest.mark.parametrize("long", [1.0, 1.2])
def test_outline_across_a_big_card_becomes_its_two_halves(off, long):
    one = Detection(outline(MIDDLE[0], MIDDLE[1] + off * LONG, long * LONG), 0.8)
    detections = Detections((640, 480), "square", (one,))

    seen, readings = with_whole_bigs(detections, look([one]), SSSNAKE, look)

    tail, head = halves(seen, readings)
    assert (tail[0], head[0]) == (0, 1)
    assert tail[1] == pytest.approx(MIDDLE[1] - LONG / 2, abs=6)
    assert head[1] == pytest.approx(MIDDLE[1] + LONG / 2, abs=6)
    assert len(seen.found) == 2


def test_half_whose_other_one_was_not_found_gets_it():
    one = Detection(outline(MIDDLE[0], MIDDLE[1] + 0.55 * LONG), 0.8)
    detections = Detections((640, 480), "square", (one,))

    seen, readings = with_whole_bigs(detections, look([one]), SSSNAKE, look)

    assert [cell for cell, _ in halves(seen, readings)] == [0, 1]


def test_both_halves_stay_as_they_were_found():
    found = tuple(Detection(outline(MIDDLE[0], MIDDLE[1] + y * LONG), 0.9) for y in (-0.52, 0.48))
    detections = Detections((640, 480), "square", found)

    seen, _ = with_whole_bigs(detections, look(found), SSSNAKE, look)

    assert seen.found == found


def test_strange_outline_elsewhere_stays_strange():
    one = Detection(outline(80, 80), 0.8)
    detections = Detections((640, 480), "square", (one,))

    seen, readings = with_whole_bigs(detections, [STRANGE], SSSNAKE, look)

    assert seen.found == (one,)
    assert readings == [STRANGE]


def test_box_without_big_cards_is_not_looked_at():
    one = Detection(outline(*MIDDLE), 0.8)
    detections = Detections((640, 480), "square", (one,))

    seen, _ = with_whole_bigs(detections, [STRANGE], NEST, look)

    assert seen is detections


def test_outline_across_a_big_card_beside_others_is_looked_at_before_bricks():
    card = CellReading((CellGuess("curve", 0, 0, 1.0),))
    beside = Detection(outline(MIDDLE[0] + WIDE, MIDDLE[1]), 0.9)
    across = Detection(outline(*MIDDLE), 0.6)
    bricks = [Detection(outline(60.0 + 70 * n, 400), 0.9) for n in range(8)]
    detections = Detections((640, 480), "square", (*bricks, across, beside))

    seen, readings = with_whole_bigs(detections, [*[STRANGE] * 9, card], SSSNAKE, look)

    assert [cell for cell, _ in halves(seen, readings)] == [0, 1]


@pytest.mark.parametrize(
    ("sure", "beside", "found"), [(0.8, True, 2), (0.4, True, 0), (0.8, False, 0)]
)
def test_faint_outline_across_a_big_card_beside_others_becomes_its_halves(sure, beside, found):
    card = CellReading((CellGuess("curve", 0, 0, 1.0),))
    other = Detection(outline(MIDDLE[0] + (1 if beside else 4) * WIDE, MIDDLE[1]), 0.9)
    detections = Detections((640, 480), "square", (other,), (Detection(outline(*MIDDLE), sure),))

    seen, readings = with_whole_bigs(detections, [card], SSSNAKE, look)

    assert len(halves(seen, readings)) == found


def test_an_outline_as_long_as_wide_is_tried_along_both_axes():
    one = Detection(outline(MIDDLE[0], MIDDLE[1], 1.5 * LONG) * [1.16, 1] - [48, 0], 0.9)
    detections = Detections((640, 480), "square", (one,))

    seen, readings = with_whole_bigs(detections, look([one]), SSSNAKE, narrow_look)

    assert [cell for cell, _ in halves(seen, readings)] == [0, 1]


def narrow_look(found: Sequence[Detection]) -> list[CellReading]:
    """Read outlines that are no longer than the card's halves; longer ones show nothing."""
    long = [one.corners_px[2, 1] - one.corners_px[1, 1] for one in found]
    return [
        reading if length < 1.15 * LONG else STRANGE
        for reading, length in zip(look(found), long, strict=True)
    ]
