"""Grids from outlines: cells, gaps, corners, several grids; drawn by a formula, not by a camera."""

import numpy as np
import pytest

from vision.core.lattice import fit_lattices, fit_outlines, mapped, turned_cells
from vision.core.types import Detection, Detections, Shape

PITCH = 45.0
SQUARE = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]) * PITCH
ANGLES = np.radians([210, 270, 330, 30, 90, 150])
HEX = np.stack([np.cos(ANGLES), np.sin(ANGLES)], axis=1) * PITCH / np.sqrt(3)


def middle(cell: tuple[int, int], shape: Shape) -> np.ndarray:
    x, y = cell
    if shape == "square":
        return np.array([x, y]) * PITCH
    return np.array([x + y / 2, y * np.sqrt(3) / 2]) * PITCH


def laid(cells, shape: Shape, seed: int = 0, shift_mm: float = 0.0, turn_deg: float = 0.0):
    """Return outlines on the table, each turned by whole turns and a little."""
    rng = np.random.default_rng(seed)
    steps = 4 if shape == "square" else 6
    outlines = []
    for cell in cells:
        angle = np.radians(rng.integers(steps) * 360 / steps + rng.uniform(-turn_deg, turn_deg))
        spin = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        unit = SQUARE if shape == "square" else HEX
        outlines.append(unit @ spin.T + middle(cell, shape) + rng.uniform(-1, 1, 2) * shift_mm)
    return np.array(outlines)


def seen(outlines, elevation_deg: float):
    """Return outlines as a camera sees them from 800 mm, the table turned by 30 degrees."""
    up, turn = np.radians(elevation_deg), np.radians(30)
    spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    flat = (outlines - outlines.mean(axis=(0, 1))) @ spin.T
    away = 800 - flat[..., 1] * np.cos(up)
    return np.stack([900 * flat[..., 0], 900 * flat[..., 1] * np.sin(up)], -1) / away[..., None]


def cells_agree(fit, cells, shape: Shape) -> bool:
    steps = 4 if shape == "square" else 6
    mine = {tile: cell for cell, tile in fit.cells.items()}
    if sorted(mine) != list(range(len(cells))):
        return False
    found = np.array([mine[k] for k in range(len(cells))])
    gaps = [turned_cells(found, np.full(len(cells), k), steps) - np.array(cells) for k in range(6)]
    return any((gap == gap[0]).all() for gap in gaps)


GROWN = [(0, 0), (1, 0), (2, 0), (2, 1), (2, 2), (1, 2), (0, 2), (3, 2), (4, 2), (-1, 0), (-1, -1)]


@pytest.mark.parametrize("shape", ["square", "hex"])
@pytest.mark.parametrize("elevation_deg", [90, 60, 45])
def test_careless_layout_keeps_its_cells(shape: Shape, elevation_deg: float):
    outlines = seen(laid(GROWN, shape, 3, shift_mm=2.0, turn_deg=5.0), elevation_deg)

    fits = fit_outlines(outlines, shape)

    assert len(fits) == 1
    assert cells_agree(fits[0], GROWN, shape)


def test_islands_that_touch_at_a_corner_are_one_grid():
    cells = [(0, 0), (1, 0), (2, 1), (3, 1)]

    fits = fit_outlines(seen(laid(cells, "square"), 60), "square")

    assert len(fits) == 1
    assert cells_agree(fits[0], cells, "square")


def test_row_with_a_missing_tile_is_one_grid():
    cells = [(0, 0), (1, 0), (3, 0), (4, 0)]

    fits = fit_outlines(seen(laid(cells, "square"), 70), "square")

    assert [len(fit.cells) for fit in fits] == [4]


def test_tiles_aside_are_grids_of_their_own_and_the_largest_comes_first():
    layout = laid(GROWN, "square", 1, 1.0, 3.0)
    aside = laid([(0, 0), (1, 0)], "square", 2) + np.array([-4.4, 1.3]) * PITCH

    fits = fit_outlines(seen(np.concatenate([aside, layout]), 60), "square")

    assert [len(fit.cells) for fit in fits] == [len(GROWN), 2]
    assert set(fits[1].cells.values()) == {0, 1}


def test_homography_leads_from_cells_to_middles():
    outlines = seen(laid(GROWN, "hex"), 50)

    fit = fit_outlines(outlines, "hex")[0]

    middles = outlines.mean(axis=1)
    for cell, tile in fit.cells.items():
        assert np.linalg.norm(mapped(fit.px_from_cell, np.array([cell]))[0] - middles[tile]) < 2
    assert fit.residual < 0.05


def test_single_tile_has_a_grid_with_its_own_axes():
    outlines = laid([(0, 0)], "square")

    fit = fit_outlines(outlines, "square")[0]

    steps = mapped(fit.px_from_cell, np.array([(0, 0), (1, 0), (0, 1)]))
    assert np.linalg.norm(steps[1] - steps[0]) == pytest.approx(PITCH, rel=0.01)
    assert np.linalg.norm(steps[2] - steps[0]) == pytest.approx(PITCH, rel=0.01)


def test_tile_on_a_taken_place_does_not_push_another_out():
    cells = [(0, 0), (1, 0), (2, 0), (1, 0)]

    fits = fit_outlines(laid(cells, "square", 4, 0.5), "square")

    assert [len(fit.cells) for fit in fits] == [3, 1]


def test_nothing_found_is_no_grid():
    assert fit_lattices(Detections((640, 480), "square", ())) == []


def test_flat_outline_does_not_stop_the_others():
    flat = np.zeros((1, 4, 2)) + 500
    found = np.concatenate([laid([(0, 0), (1, 0)], "square"), flat])
    detections = Detections((640, 480), "square", tuple(Detection(c, 0.9) for c in found))

    fits = fit_lattices(detections)

    assert [len(fit.cells) for fit in fits] == [2, 1]
