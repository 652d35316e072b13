"""Outlines of tiles whose middles are known, from the edges that all of them share.

Prints differ from kind to kind, but every tile has a border. So the common size and turn are
searched for at which nearly every labelled tile has an edge all around, and then each tile is
adjusted by itself.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision import Bgr, Points, Shape
from vision.core.outline import HEX_UNIT, SQUARE_UNIT

Array = NDArray[np.float64]

WORKING_PX = 56.0
"""Distance between neighbours in the downscaled picture in which edges are searched."""
SMALLEST, LARGEST = 0.34, 1.04
"""Range of widths that are tried, relative to the distance to the nearest neighbour."""
SIZES, TURNS = 28, 18
BORDER_SEEN = 0.33
"""Edge strength from which on a border is seen: it is 0.66 around dark tiles that lie apart, and
0.25 at best where they touch."""
FEWEST_IN_ROWS, IN_ROWS = 6, 0.8
"""Least number of tiles, and least agreement of their neighbours' directions, to form rows."""
FINE_SIZES, FINE_TURNS = 14, np.radians((-3.0, -1.5, 0.0, 1.5, 3.0))
ALONG = 14
"""Sampling points along a side."""
AGREE = 0.35
"""Quantile of the tiles that rates a border: some tiles lie on their own colour."""
WEAK_EDGE = 24.0
"""Step of brightness that counts half; stronger steps count little more."""
MOST_ASKED = 48
"""Most tiles that are sampled to find the common size."""
TOUCHING = 0.4
"""Exponent of the preference for larger outlines: prints have borders inside the tile's own, and
touching tiles of one colour hardly show theirs."""
OWN_SHIFTS = np.linspace(-0.12, 0.12, 7)
OWN_TURNS = np.radians(np.linspace(-5, 5, 5))
LONE_SHARE = 0.3
"""Assumed distance between neighbours for a single tile, of the picture's shorter side."""


def outlines_around(
    bgr: Bgr, middles_px: Points, shape: Shape, hint_px: float | None = None
) -> Array:
    """Return an outline around each middle, N x 4 x 2 or N x 6 x 2.

    Args:
        bgr: the picture.
        middles_px: the tiles' middles.
        shape: shape of the tiles.
        hint_px: approximate width of the tiles, if known.
    """
    apart = _nearest(middles_px, bgr)
    scale = min(1.0, WORKING_PX / (hint_px or apart))
    maps = _edge_maps(bgr, scale)
    middles = (middles_px + 0.5) * scale - 0.5
    smallest, largest = SMALLEST * apart, LARGEST * apart
    if hint_px is not None:
        smallest, largest = 0.85 * hint_px, max(min(1.15 * hint_px, largest), 0.9 * hint_px)
    sizes = np.geomspace(smallest, largest, SIZES) * scale
    score, form = _form(maps, middles, shape, sizes, _turns(middles, shape))
    if score < BORDER_SEEN:
        # Touching tiles of one colour hardly show borders, but their neighbours give the width.
        width = (hint_px or apart) * scale
        form = width, float(_turns(middles, shape).mean())
        return _unscaled(middles[:, None] + _unit(shape, *form), scale)
    # Owners point slightly beside the middle, so the size is fitted again from corrected middles.
    middles = _own_places(maps, middles, shape, *form).mean(axis=1)
    sizes = form[0] * np.linspace(0.88, 1.14, FINE_SIZES)
    _, form = _form(maps, middles, shape, sizes, form[1] + FINE_TURNS)
    return _unscaled(_own_places(maps, middles, shape, *form), scale)


def _unscaled(corners: Array, scale: float) -> Array:
    return np.asarray((corners + 0.5) / scale - 0.5)


def _turns(middles: Array, shape: Shape) -> Array:
    """Return the turns to try: near the direction of rows if tiles form rows, else all turns."""
    folds = 4 if shape == "square" else 6
    every = np.arange(TURNS) * 2 * np.pi / folds / TURNS
    if len(middles) < FEWEST_IN_ROWS:
        return every
    way = middles[:, None] - middles[None]
    apart = np.linalg.norm(way, axis=2)
    np.fill_diagonal(apart, np.inf)
    nearest = way[np.arange(len(middles)), apart.argmin(axis=1)]
    agreed = np.exp(1j * folds * np.arctan2(nearest[:, 1], nearest[:, 0])).mean()
    if abs(agreed) < IN_ROWS:
        return every
    # The neighbours of a hex lie opposite its sides, not its corners.
    first = float(np.angle(agreed)) / folds + (0 if shape == "square" else np.pi / 6)
    return np.asarray(first + 2 * FINE_TURNS)


def _form(
    maps: Array, middles: Array, shape: Shape, sizes: Array, turns: Array
) -> tuple[float, tuple[float, float]]:
    """Return the best edge strength all around the tiles, with its width and turn."""
    asked = middles[:: len(middles) // MOST_ASKED + 1]
    best, form = (-1.0, -1.0), (float(sizes[0]), 0.0)
    for size in sizes:
        for turn in turns:
            strength = _strengths(maps, asked, _unit(shape, size, turn))
            seen = float(np.quantile(strength, AGREE, axis=0).mean())
            if (score := seen * float(size) ** TOUCHING) > best[0]:
                best, form = (score, seen), (float(size), float(turn))
    return best[1], form


def _nearest(middles: Points, bgr: Bgr) -> float:
    """Return the usual distance between neighbours."""
    if len(middles) < 2:
        return float(LONE_SHARE * min(bgr.shape[:2]))
    apart = np.linalg.norm(middles[:, None] - middles[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    return float(np.median(np.sort(apart.min(axis=1))[: max(1, len(middles) // 2)]))


def _edge_maps(bgr: Bgr, scale: float) -> Array:
    """Return colour gradients to the right and downwards, saturated, 2 x height x width."""
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
    """Return the corners of a tile of a given width and turn around the origin."""
    unit = SQUARE_UNIT / 2 if shape == "square" else HEX_UNIT / np.sqrt(3)
    c, s = np.cos(turn), np.sin(turn)
    return np.asarray(unit * width @ np.array([[c, s], [-s, c]]))


def _strengths(maps: Array, middles: Array, unit: Array) -> Array:
    """Return the mean edge strength of each side of each tile, tiles x sides."""
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
    """Return the outlines with each tile shifted and turned to its own border."""
    best = np.full(len(middles), -1.0)
    corners = np.zeros((len(middles), 4 if shape == "square" else 6, 2))
    for own_turn in OWN_TURNS:
        unit = _unit(shape, width, turn + own_turn)
        for dx in OWN_SHIFTS:
            for dy in OWN_SHIFTS:
                moved = middles + np.array([dx, dy]) * width
                # The penalty decides ties, as on a tile's own colour, for the owner's point.
                off = abs(dx) + abs(dy) + abs(own_turn)
                score = _strengths(maps, moved, unit).mean(axis=1) - 0.05 * off
                better = score > best
                best[better] = score[better]
                corners[better] = moved[better][:, None] + unit
    return corners
