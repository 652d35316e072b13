"""Outlines of tiles whose middles are known: from the edges that all of them share.

What is printed differs from kind to kind; the border of a tile is where all kinds agree. So one
size and one turn are looked for at which nearly every labelled tile has an edge all around, and
then each tile is put right by itself.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.outline import HEX_UNIT, SQUARE_UNIT
from vision.types import Bgr, Points, Shape

Array = NDArray[np.float64]

WORKING_PX = 56.0
"""Distance of neighbours at which edges are looked for."""
SMALLEST, LARGEST = 0.34, 1.04
"""Widths that are tried, in distances to the nearest neighbour."""
SIZES, TURNS = 28, 18
ALONG = 14
"""Points along a side that are looked at."""
AGREE = 0.35
"""A border is as strong as that share of the tiles has it at least: some lie on their own colour."""
WEAK_EDGE = 24.0
"""Steps of brightness that count half; stronger ones count little more."""
MOST_ASKED = 48
"""So many tiles are enough to find the size of all."""
TOUCHING = 0.4
"""How much larger outlines are preferred, as an exponent: prints have borders too, inside the tile's
own, and touching tiles of one colour hardly show theirs."""
OWN_SHIFTS = np.linspace(-0.12, 0.12, 7)
OWN_TURNS = np.radians(np.linspace(-5, 5, 5))
LONE_SHARE = 0.3
"""A single tile is taken to be at most so much of the picture's shorter side."""


def outlines_around(
    bgr: Bgr, middles_px: Points, shape: Shape, hint_px: float | None = None
) -> Array:
    """Return an outline around each middle, N x 4 x 2 or N x 6 x 2.

    Args:
        bgr: the picture.
        middles_px: where the tiles' middles are.
        shape: of the tiles.
        hint_px: how wide tiles are, where something is known of it.
    """
    apart = _nearest(middles_px, bgr)
    scale = min(1.0, WORKING_PX / (hint_px or apart))
    maps = _edge_maps(bgr, scale)
    middles = (middles_px + 0.5) * scale - 0.5
    smallest, largest = SMALLEST * apart, LARGEST * apart
    if hint_px is not None:
        smallest, largest = 0.85 * hint_px, max(min(1.15 * hint_px, largest), 0.9 * hint_px)
    sizes = np.geomspace(smallest, largest, SIZES) * scale
    folds = 4 if shape == "square" else 6
    turns = np.arange(TURNS) * 2 * np.pi / folds / TURNS
    asked = middles[:: len(middles) // MOST_ASKED + 1]
    best, form = -1.0, (sizes[0], 0.0)
    for size in sizes:
        for turn in turns:
            strength = _strengths(maps, asked, _unit(shape, size, turn))
            score = float(np.quantile(strength, AGREE, axis=0).mean()) * size**TOUCHING
            if score > best:
                best, form = score, (size, turn)
    corners = _own_places(maps, middles, shape, *form)
    return np.asarray((corners + 0.5) / scale - 0.5)


def _nearest(middles: Points, bgr: Bgr) -> float:
    """Return how far neighbours are apart."""
    if len(middles) < 2:
        return LONE_SHARE * min(bgr.shape[:2])
    apart = np.linalg.norm(middles[:, None] - middles[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    return float(np.median(np.sort(apart.min(axis=1))[: max(1, len(middles) // 2)]))


def _edge_maps(bgr: Bgr, scale: float) -> Array:
    """Return how much colours change to the right and downwards, 2 x height x width."""
    if scale < 1:
        bgr = np.asarray(cv2.resize(bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA))
    smooth = cv2.GaussianBlur(bgr, (0, 0), 1.2).astype(np.float32)
    across = cv2.Sobel(smooth, cv2.CV_32F, 1, 0) / 8
    down = cv2.Sobel(smooth, cv2.CV_32F, 0, 1) / 8
    strongest = (across**2 + down**2).argmax(axis=2)[..., None]
    picked = [np.take_along_axis(part, strongest, axis=2)[..., 0] for part in (across, down)]
    length = np.hypot(*picked)
    return np.stack(picked) / (length + WEAK_EDGE / 2)


def _unit(shape: Shape, width: float, turn: float) -> Array:
    """Return the corners of a tile of some width around the origin."""
    unit = SQUARE_UNIT / 2 if shape == "square" else HEX_UNIT / np.sqrt(3)
    c, s = np.cos(turn), np.sin(turn)
    return np.asarray(unit * width @ np.array([[c, s], [-s, c]]))


def _strengths(maps: Array, middles: Array, unit: Array) -> Array:
    """Return how much of an edge each side of each tile has, tiles x sides."""
    ends = np.roll(unit, -1, axis=0)
    share = (np.arange(ALONG) + 0.5) / ALONG
    share = 0.06 + 0.88 * share
    points = unit[:, None] * (1 - share)[None, :, None] + ends[:, None] * share[None, :, None]
    way = ends - unit
    normal = np.stack([way[:, 1], -way[:, 0]], axis=1) / np.linalg.norm(way, axis=1)[:, None]
    places = np.round(middles[:, None, None] + points[None]).astype(int)
    x = np.clip(places[..., 0], 0, maps.shape[2] - 1)
    y = np.clip(places[..., 1], 0, maps.shape[1] - 1)
    edge = maps[0][y, x] * normal[None, :, None, 0] + maps[1][y, x] * normal[None, :, None, 1]
    return np.asarray(np.abs(edge).mean(axis=2), np.float64)


def _own_places(maps: Array, middles: Array, shape: Shape, width: float, turn: float) -> Array:
    """Return the outlines with each tile shifted and turned to where its own border is."""
    best = np.full(len(middles), -1.0)
    corners = np.zeros((len(middles), 4 if shape == "square" else 6, 2))
    for own_turn in OWN_TURNS:
        unit = _unit(shape, width, turn + own_turn)
        for dx in OWN_SHIFTS:
            for dy in OWN_SHIFTS:
                moved = middles + np.array([dx, dy]) * width
                # Ties, as on a tile's own colour, stay where the owner pointed.
                off = abs(dx) + abs(dy) + abs(own_turn)
                score = _strengths(maps, moved, unit).mean(axis=1) - 0.05 * off
                better = score > best
                best[better] = score[better]
                corners[better] = moved[better][:, None] + unit
    return corners
