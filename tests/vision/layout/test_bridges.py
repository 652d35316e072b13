"""Islands of a layout are counted on from it, if they drift a little."""

from __future__ import annotations

import numpy as np
import pytest

from engine.setfile import built_in_set
from vision.classify.reader import CellGuess, CellReading
from vision.core.types import Detection, LatticeFit
from vision.layout.bridges import bridged_shift
from vision.layout.cards import CardGroup, group_cards

PITCH = 50.0
NEST = built_in_set("schlangennest")
UNIT = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])


def laid(places: dict[tuple[int, int], tuple[float, float]]) -> CardGroup:
    """Return cards by their cells, laid at places that are counted in cells too."""
    found = [Detection((UNIT + np.array(place)) * PITCH, 0.95) for place in places.values()]
    matrix = np.diag([PITCH, PITCH, 1.0])
    fit = LatticeFit({cell: number for number, cell in enumerate(places)}, matrix, 0.0)
    reading = CellReading((CellGuess("red/straight", 0, 0, 1.0),))
    return group_cards(found, fit, [reading] * len(found), NEST)


@pytest.mark.parametrize(("count", "drift", "shift"), [
    (10, 0.25, (0, 0)), (10, 0.5, None), (5, 0.25, None), (5, 0.1, (0, 0)),
])  # fmt: skip
def test_long_island_may_drift_off_the_lattice_of_all(count, drift, shift):
    layout = laid({(x, y): (x, y) for x in range(6) for y in range(5)})
    row = {(x, 2): (float(x), 2.0) for x in range(8, 8 + count)}
    row[(7 + count, 2)] = (7.0 + count, 2 + drift)

    assert bridged_shift(layout, laid(row), 0, (0, 0)) == shift
