"""Loose hexes are laid on the grid whose seams are seen, and frames around them are left out."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.core.lattice import mapped
from vision.detect.loose_hexes import laid_hexes
from vision.detect.network import CHANNELS, STRIDE, TileMaps
from vision.hexes.plane import HEX_CORNERS, SKEW

SIZE = (640, 480)
ISLAND = [(x, y) for x in range(-2, 3) for y in range(-2, 3) if abs(x + y) <= 2]
PX_FROM_PLANE = np.array([[66.0, 12.0, 320.0], [-9.0, 58.0, 240.0], [1e-2, 3e-2, 1.0]])


def outlines_of(cells) -> np.ndarray:
    middles = np.array(cells, float) @ SKEW.T
    places = (middles[:, None] + HEX_CORNERS).reshape(-1, 2)
    return mapped(PX_FROM_PLANE, places).reshape(-1, 6, 2)


def maps_of(outlines) -> TileMaps:
    """Return maps that show the sides of outlines and nothing else."""
    shown = np.zeros((SIZE[1] // STRIDE, SIZE[0] // STRIDE), np.float32)
    for outline in outlines:
        at = (np.asarray(outline) + 0.5 - STRIDE / 2) / STRIDE
        cv2.polylines(shown, [np.round(at * 16).astype(np.int32)], True, 1.0, 1, cv2.LINE_AA, 4)
    shown = np.clip(cv2.GaussianBlur(shown, (0, 0), 0.8), 0, 0.7)
    maps = np.full((len(CHANNELS), *shown.shape), -6.0, np.float32)
    maps[CHANNELS.index("side")] = np.log((shown + 1e-3) / (1 - shown))
    return TileMaps(maps, (1.0, 1.0))


def picture_of(cells, frame=(200, 120, 40), tile=(60, 160, 80)) -> np.ndarray:
    bgr = np.full((SIZE[1], SIZE[0], 3), frame, np.uint8)
    noise = np.random.default_rng(3)
    for outline in outlines_of(cells):
        shade = tuple(int(c) for c in np.array(tile) + noise.integers(-20, 20, 3))
        cv2.fillPoly(bgr, [np.round(outline).astype(np.int32)], shade)
    return bgr


def error(one, other) -> float:
    """Return the mean distance of corners in radii."""
    radius = np.linalg.norm(other - other.mean(axis=1, keepdims=True), axis=2).mean()
    return float(np.linalg.norm(one - other, axis=2).mean() / radius)


@pytest.mark.parametrize("seed", [1, 2])
def test_outlines_that_are_off_are_laid_on_the_seams(seed):
    true = outlines_of(ISLAND)
    rng = np.random.default_rng(seed)
    off = true + rng.normal(0, 3.0, (len(true), 1, 2)) + rng.normal(0, 1.5, true.shape)

    laid, sure = laid_hexes(picture_of(ISLAND), maps_of(true), off, np.full(len(true), 0.8))

    assert len(laid) == len(sure) == len(true)
    assert error(laid, true) < min(0.03, error(off, true) / 2)


def test_a_tile_off_its_grid_is_followed_a_part_of_the_way():
    true = outlines_of(ISLAND)
    true[5] += np.array([4.0, 0.0])

    laid, _ = laid_hexes(picture_of(ISLAND), maps_of(true), true, np.full(len(true), 0.8))

    moved = (laid[5] - outlines_of(ISLAND)[5]).mean(axis=0)
    assert 0.5 < moved[0] < 4.0


def test_a_place_beside_tiles_without_sides_or_their_colours_is_none():
    beside = [*ISLAND, (3, -1)]
    maps = maps_of(outlines_of(ISLAND))
    sure = np.append(np.full(len(ISLAND), 0.8), 0.6)

    laid, _ = laid_hexes(picture_of(ISLAND), maps, outlines_of(beside), sure)

    assert error(laid, outlines_of(ISLAND)) < 0.03


@pytest.mark.parametrize("what", ["sides", "colours"])
def test_one_kind_of_evidence_is_enough_for_a_tile(what):
    every = [*ISLAND, (3, -1)]
    maps = maps_of(outlines_of(every if what == "sides" else ISLAND))
    bgr = picture_of(every if what == "colours" else ISLAND)

    laid, _ = laid_hexes(bgr, maps, outlines_of(every), np.append(np.full(len(ISLAND), 0.8), 0.6))

    assert len(laid) == len(every)


@pytest.mark.parametrize("lost", [(2, 0), (1, 0)])
def test_a_place_that_shows_every_side_and_the_colours_is_a_tile_that_was_missed(lost):
    found = [cell for cell in ISLAND if cell != lost]
    maps = maps_of(outlines_of(ISLAND))
    maps.maps[CHANNELS.index("hex")] = 2.0

    laid, _ = laid_hexes(picture_of(ISLAND), maps, outlines_of(found), np.full(len(found), 0.8))

    gaps = laid.mean(axis=1) - outlines_of([lost])[0].mean(axis=0)
    assert len(laid) == len(ISLAND)
    assert np.linalg.norm(gaps, axis=1).min() < 2.0


def test_a_hole_among_tiles_stays_one():
    found = [cell for cell in ISLAND if cell != (0, 0)]
    maps = maps_of(outlines_of(found))

    laid, _ = laid_hexes(picture_of(found), maps, outlines_of(found), np.full(len(found), 0.8))

    assert len(laid) == len(found)


def test_few_tiles_keep_their_own_outlines():
    true = outlines_of(ISLAND[:4])

    laid, sure = laid_hexes(picture_of(ISLAND), maps_of(true), true + 3.0, np.full(4, 0.7))

    assert np.array_equal(laid, true + 3.0)
    assert sure.tolist() == [0.7] * 4
