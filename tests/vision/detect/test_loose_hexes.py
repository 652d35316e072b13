"""Of loose hexes those that touch are the layout."""

import numpy as np

from vision.classify.reading import CellGuess, CellReading
from vision.classify.taught import loose_set
from vision.core.types import Detection, Detections, LatticeFit
from vision.detect.loose_hexes import reconstruct_hexes
from vision.hexes.plane import SKEW

WIDE = 60.0
BOX = loose_set("mine", "hex", {"fox": 1, "owl": 1})
CORNERS = np.array([(np.cos(a), np.sin(a)) for a in np.radians([-90, -30, 30, 90, 150, 210])])


def lattice(cells: list[tuple[int, int]], first: int, at: tuple[float, float]) -> LatticeFit:
    matrix = np.eye(3)
    matrix[:2, :2], matrix[:2, 2] = WIDE * SKEW, at
    return LatticeFit({cell: first + n for n, cell in enumerate(cells)}, matrix, 0.0)


def outlines(fit: LatticeFit) -> list[Detection]:
    middles = [fit.px_from_cell[:2, :2] @ cell + fit.px_from_cell[:2, 2] for cell in fit.cells]
    return [Detection(middle + CORNERS * WIDE / np.sqrt(3), 0.9) for middle in middles]


def test_two_tiles_that_touch_are_the_layout_not_two_that_happen_to_fit():
    apart = lattice([(0, 0), (2, -1)], 0, (100.0, 100.0))
    pair = lattice([(0, 0), (1, -1)], 2, (400.0, 300.0))
    found = (*outlines(apart), *outlines(pair))
    readings = [
        CellReading((CellGuess(tile, 0, 0, 0.99),)) for tile in ("fox", "fox", "owl", "owl")
    ]

    table = reconstruct_hexes(Detections((640, 480), "hex", found), [apart, pair], readings, BOX)

    assert [tile["tile"] for tile in table.tiles] == ["owl", "owl"]
    assert [tile["tile"] for tile in table.aside] == ["fox", "fox"]


def test_of_two_pairs_that_touch_the_one_in_the_middle_is_the_layout():
    edge = lattice([(0, 0), (1, -1)], 0, (60.0, 90.0))
    pair = lattice([(0, 0), (1, -1)], 2, (300.0, 260.0))
    found = (*outlines(edge), *outlines(pair))
    readings = [
        CellReading((CellGuess(tile, 0, 0, 0.99),)) for tile in ("fox", "fox", "owl", "owl")
    ]

    table = reconstruct_hexes(Detections((640, 480), "hex", found), [edge, pair], readings, BOX)

    assert [tile["tile"] for tile in table.tiles] == ["owl", "owl"]


def test_tile_two_cells_away_that_touches_none_lies_aside():
    fit = lattice([(0, 0), (1, 0), (0, 1), (3, 0)], 0, (150.0, 150.0))
    readings = [
        CellReading((CellGuess(tile, 0, 0, 0.99),)) for tile in ("owl", "owl", "owl", "fox")
    ]
    detections = Detections((640, 480), "hex", tuple(outlines(fit)))

    table = reconstruct_hexes(detections, [fit], readings, BOX)

    assert [tile["tile"] for tile in table.tiles] == ["owl", "owl", "owl"]
    assert [tile["tile"] for tile in table.aside] == ["fox"]
