"""A taught box's tiles are looked for where those that are surely read say they lie."""

import cv2
import numpy as np
import pytest

from vision.classify.reading import CellGuess, CellReading
from vision.classify.taught_tiles import with_own_tiles
from vision.core.ground import Ground
from vision.core.lattice import HEX_CORNERS, SQUARE_CORNERS
from vision.core.types import Detection, Detections

WIDE, SIZE_PX = 60.0, (640, 480)
CELLS = [(x, y) for y in range(3) for x in range(4)]
STEPS = {"square": np.eye(2), "hex": np.array([[1.0, 0.5], [0.0, np.sqrt(3) / 2]])}
CORNERS = {"square": SQUARE_CORNERS, "hex": HEX_CORNERS}
SHAPES = pytest.mark.parametrize("shape", ["square", "hex"])


def outline(shape, cell, confidence=0.9):
    places = np.array(cell, float) + CORNERS[shape]
    return Detection(WIDE * places @ STEPS[shape].T + (150, 150), confidence)


class Table:
    """A reader that knows where tiles lie: the nearer an outline is, the clearer it shows one.

    Tiles in cells that are ``bare`` have the colour of the table; outlines that lie beside their
    tiles by less than ``slack`` widths are read all the same, though not as well.
    """

    def __init__(self, shape, cells, bare=(), slack=0.1):
        self.slack = slack
        self.middles = np.stack([outline(shape, cell).centre_px for cell in cells])
        self.bgr = np.full((SIZE_PX[1], SIZE_PX[0], 3), (70, 110, 150), np.uint8)
        for cell in cells:
            if cell not in bare:
                corners = outline(shape, cell).corners_px.round().astype(np.int32)
                cv2.fillConvexPoly(self.bgr, corners, (200, 90, 60))

    def look(self, found):
        return [self._reading(one) for one in found]

    def _reading(self, one):
        off = float(np.linalg.norm(self.middles - one.centre_px, axis=1).min()) / WIDE
        guess = CellGuess("fox", 0, 0, 1.0 if off < self.slack else 0.3)
        return CellReading((guess,), far=0.1 if off < 0.1 else 0.2 if off < self.slack else 0.9)

    def completed(self, shape, found):
        ground = Ground(self.bgr, [one.corners_px for one in found])
        detections = Detections(SIZE_PX, shape, tuple(found))
        return with_own_tiles(detections, self.look(found), self.look, self.look, ground)


def middles(detections):
    return sorted(tuple(one.centre_px.round(3).tolist()) for one in detections.found)


def expected(shape, cells):
    return middles(Detections(SIZE_PX, shape, tuple(outline(shape, cell) for cell in cells)))


@SHAPES
def test_tiles_that_were_missed_are_found_one_beside_the_other(shape):
    lying = [*CELLS, (5, 4)]
    seen = [cell for cell in lying if cell not in [(2, 1), (3, 2), (3, 1)]]

    detections, readings = Table(shape, lying).completed(shape, [outline(shape, c) for c in seen])

    assert middles(detections) == expected(shape, lying)
    assert all(one.best == 1.0 for one in readings)


@SHAPES
def test_outlines_half_beside_a_tile_give_way_to_it(shape):
    seen = [outline(shape, cell) for cell in CELLS if cell != (2, 1)]
    beside = [outline(shape, (1.6, 1), 0.7), outline(shape, (2.4, 1), 0.7)]

    detections, _ = Table(shape, CELLS).completed(shape, [*seen, *beside])

    assert middles(detections) == expected(shape, CELLS)


@SHAPES
def test_cells_that_show_the_table_stay_empty(shape):
    seen = [cell for cell in CELLS if cell != (2, 1)]

    detections, _ = Table(shape, seen).completed(shape, [outline(shape, c) for c in seen])

    assert middles(detections) == expected(shape, seen)


@SHAPES
@pytest.mark.parametrize("outlined", [False, True])
def test_a_print_in_the_colours_of_the_table_counts_only_where_an_outline_was_seen(shape, outlined):
    seen = [cell for cell in CELLS if cell != (2, 1)]
    beside = [outline(shape, (1.6, 1), 0.7)] if outlined else []
    found = [*(outline(shape, c) for c in seen), *beside]

    detections, _ = Table(shape, CELLS, bare=[(2, 1)]).completed(shape, found)

    assert middles(detections) == expected(shape, CELLS if outlined else seen)


@SHAPES
def test_outlines_that_lie_beside_their_tiles_and_are_read_give_way_to_the_tiles_own(shape):
    askew = {(1, 1): 0.3, (2, 1): -0.3}
    table = Table(shape, CELLS, slack=0.4)
    found = [outline(shape, (x + askew.get((x, y), 0.0), y)) for x, y in CELLS]

    detections, _ = table.completed(shape, found)

    laid = tuple(outline(shape, cell) for cell in CELLS)
    assert middles(detections) == middles(Detections(SIZE_PX, shape, laid))
