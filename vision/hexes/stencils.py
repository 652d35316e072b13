"""What the marks of hex tiles that lie beside boards look like: every path in every turn.

Stencils stand on the map of a network that marks a part of each cell of a tile.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import pi

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.draw.hexes import outline as cells_outline
from engine.hexpath import path_cells
from engine.lattice import Cell
from vision.core.types import Points
from vision.hexes.plane import plane_of
from vision.hexes.scraps import STRIDE

Floats = NDArray[np.float32]

CELL_PX = 16
"""How wide cells are where tiles beside boards are looked for."""
PATCH = 32
"""Map pixels of the square that a tile is compared in."""
TURNS = 24
SHRINK = 0.7
"""The network marks so much of each cell's size."""
BLUR = 0.8


def fits_of(patch: Floats, paths: tuple[str, ...]) -> dict[str, tuple[float, float, bool]]:
    """Return by path how well marks fit it at best, 0 to 1, at which angle, and whether flipped."""
    rows, names = _stencils(paths)
    soft = cv2.GaussianBlur(patch, (0, 0), BLUR).ravel()
    both = np.minimum(rows, soft).sum(axis=1)
    fits = both / np.maximum(rows.sum(axis=1) + soft.sum() - both, 1e-6)
    best: dict[str, tuple[float, float, bool]] = {}
    for fit, (path, angle, flipped) in zip(fits.tolist(), names, strict=True):
        if path not in best or fit > best[path][0]:
            best[path] = (fit, angle, flipped)
    return best


def outline_of(path: str, angle: float, flipped: bool, middle: Points) -> Points:
    """Return the corners of a tile that lies so about a place of the plane."""
    origin = plane_of(path_cells(path)).mean(axis=0)
    corners = np.array(cells_outline(path_cells(path), 1.0)) - origin
    return np.asarray(corners @ _turn(angle, flipped).T + middle)


@lru_cache(maxsize=16)
def _stencils(paths: tuple[str, ...]) -> tuple[Floats, tuple[tuple[str, float, bool], ...]]:
    """Return what the marks of each tile look like in each turn, one a row."""
    rows, names = [], []
    for path in paths:
        for flipped in (False, True):
            for turn in range(TURNS):
                angle = 2 * pi * turn / TURNS
                rows.append(_drawn(path_cells(path), angle, flipped).ravel())
                names.append((path, angle, flipped))
    return np.array(rows, np.float32), tuple(names)


def _turn(angle: float, flipped: bool) -> NDArray[np.float64]:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s], [s, c]]) @ np.diag([-1.0 if flipped else 1.0, 1.0])


def _drawn(cells: Sequence[Cell], angle: float, flipped: bool) -> Floats:
    fine = 4
    picture = np.zeros((PATCH * fine, PATCH * fine), np.uint8)
    turn, places = _turn(angle, flipped), plane_of(cells)
    middles = (places - places.mean(axis=0)) @ turn.T
    hexagon = np.array(cells_outline([(0, 0)], SHRINK)) @ turn.T
    for middle in middles:
        at = (hexagon + middle) * CELL_PX / STRIDE + PATCH // 2 + 0.5
        cv2.fillPoly(picture, [np.round(at * fine).astype(np.int32)], 255)
    small = cv2.resize(picture, (PATCH, PATCH), None, 0, 0, cv2.INTER_AREA)
    return np.asarray(cv2.GaussianBlur(small.astype(np.float32) / 255, (0, 0), BLUR), np.float32)
