"""Looking where a grid expects tiles: maps painted by hand."""

import numpy as np

from vision.core.lattice import fit_outlines
from vision.detect.network import CHANNELS, STRIDE, TileMaps
from vision.detect.probe import probe

PITCH = 40.0
GREY = np.full((360, 360, 3), 128, np.uint8)
UNIT = np.array([(-1.0, -1), (1, -1), (1, 1), (-1, 1)]) * PITCH / 2


def outlines(*cells: tuple[int, int]) -> np.ndarray:
    return np.array([UNIT + 100 + np.array([x, y]) * PITCH for x, y in cells])


def maps_showing(*cells: tuple[int, int]) -> TileMaps:
    maps = np.full((len(CHANNELS), 90, 90), -8.0, np.float32)
    for x, y in cells:
        left, top = (round((100 + k * PITCH - PITCH / 2) / STRIDE) for k in (x, y))
        maps[0, top : top + 10, left : left + 10] = 8.0
    return TileMaps(maps, (1.0, 1.0))


def middles(found) -> list[tuple[int, int]]:
    places = [p.corners_px.mean(axis=0) for p in found]
    return sorted((round((x - 100) / PITCH), round((y - 100) / PITCH)) for x, y in places)


def test_tile_between_others_is_seen():
    corners = outlines((0, 0), (1, 0), (2, 0), (0, 1), (2, 1))
    seen = maps_showing((0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1))

    assert middles(probe(GREY, seen, "square", corners, fit_outlines(corners, "square"))) == [
        (1, 1)
    ]


def test_row_of_missed_tiles_is_followed():
    corners = outlines((0, 0), (1, 0), (0, 1))
    seen = maps_showing((0, 0), (1, 0), (0, 1), (2, 0), (3, 0), (4, 0))

    found = probe(GREY, seen, "square", corners, fit_outlines(corners, "square"))

    assert middles(found) == [(2, 0), (3, 0), (4, 0)]


def test_hole_stays_a_hole():
    ring = [(x, y) for x in range(3) for y in range(3) if (x, y) != (1, 1)]
    corners = outlines(*ring)

    found = probe(GREY, maps_showing(*ring), "square", corners, fit_outlines(corners, "square"))

    assert found == []


def test_half_a_tile_is_none():
    corners = outlines((0, 0), (1, 0), (0, 1))
    seen = maps_showing((0, 0), (1, 0), (0, 1), (1, 1))
    seen.maps[0, :, 35:] = -8.0

    assert probe(GREY, seen, "square", corners, fit_outlines(corners, "square")) == []


def test_empty_maps_add_nothing():
    corners = outlines((0, 0), (1, 0), (0, 1))

    assert probe(GREY, maps_showing(), "square", corners, fit_outlines(corners, "square")) == []


def test_place_that_looks_like_the_table_is_empty():
    corners = outlines((0, 0), (1, 0), (2, 0), (0, 1), (2, 1))
    cells = [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1)]
    bgr = np.full((360, 360, 3), 90, np.uint8)
    for x, y in corners.mean(axis=1).astype(int):
        bgr[y - 20 : y + 20, x - 20 : x + 20] = (40, 60, 220)

    found = probe(bgr, maps_showing(*cells), "square", corners, fit_outlines(corners, "square"))

    assert found == []
