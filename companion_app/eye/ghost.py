"""Computes where in the camera's picture the machine's tile belongs, from the tiles around it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import cos, pi, sin, sqrt
from typing import Any

import cv2
import numpy as np

from companion_app.live.loop import LiveLoop
from companion_app.live.places import Point, Spot, spots_of, tiles_of
from engine.infer import change_between

ENOUGH = 2
"""Fewest tiles of a field that must be seen: one alone does not fix the field's orientation."""
SQUARE = tuple((x / 2, y / 2) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1)))
HEXAGON = tuple((sin(k * pi / 3) / sqrt(3), cos(k * pi / 3) / sqrt(3)) for k in range(6))


def outlines_ahead(loop: LiveLoop) -> list[list[list[float]]]:
    """Return the outlines, in pixels, of the cells of the machine's chosen tile."""
    turn, match = loop.referee.doubts.machine, loop.match
    if turn is None or turn.move is None or turn.position is not match.position:
        return []
    after = match.after(turn.move)
    laid = tiles_of(change_between(match.layout, after).laid)
    spots = [spot for one in laid for spot in spots_of(one)]
    return cells_px(spots, loop.outlines_px, match.box.lattice == "hex")


def cells_px(
    spots: Iterable[Spot], seen_px: Mapping[Spot, Sequence[Point]], is_hex: bool
) -> list[list[list[float]]]:
    """Return outlines of cells in pixels, from outlines of seen tiles; empty if too few."""
    found = []
    for spot in spots:
        pairs = _pairs(spot[0], seen_px, is_hex)
        way = _way(pairs)
        if way is None:
            return []
        x, y = _flat(spot, is_hex)
        corners = [(x + dx, y + dy) for dx, dy in (HEXAGON if is_hex else SQUARE)]
        at = cv2.perspectiveTransform(np.array([corners], np.float64), way)[0]
        found.append([[round(float(u), 1), round(float(v), 1)] for u, v in at])
    return found


def _flat(spot: Spot, is_hex: bool) -> Point:
    _, x, y = spot
    return (x + y / 2, y * sqrt(3) / 2) if is_hex else (float(x), float(y))


def _pairs(
    number: int, seen_px: Mapping[Spot, Sequence[Point]], is_hex: bool
) -> list[tuple[Point, Point]]:
    """Return pairs of tile centres, on the field and in the picture.

    A tile of several cells has one outline, which is stored for each of its cells.
    """
    tiles: dict[tuple[Point, ...], list[Point]] = {}
    for spot, outline in seen_px.items():
        if spot[0] == number and outline:
            tiles.setdefault(tuple(outline), []).append(_flat(spot, is_hex))
    return [(_middle(cells), _middle(outline)) for outline, cells in tiles.items()]


def _middle(points: Sequence[Point]) -> Point:
    return (sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points))


def _way(pairs: list[tuple[Point, Point]]) -> Any:
    """Return the affine map from field to picture, a similarity if the tiles lie in one line."""
    if len(pairs) < ENOUGH:
        return None
    field = np.array([one for one, _ in pairs], np.float64)
    picture = np.array([one for _, one in pairs], np.float64)
    flat = np.linalg.matrix_rank(field - field.mean(axis=0), tol=1e-6) < 2
    fit: Any = cv2.estimateAffinePartial2D if flat else cv2.estimateAffine2D
    part, _ = fit(field, picture, ransacReprojThreshold=1e6)
    return None if part is None else np.vstack([part, [0.0, 0.0, 1.0]])
