"""Where each hex board lies in a render, and which of its cells are hidden."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import cos, radians, sin, sqrt
from typing import Any

import cv2
import numpy as np

from engine.lattice import hex_board
from models.lab.scenes.world.arrays import Array, Json
from models.lab.scenes.world.things import Item

SIDE = 6
"""Cells along a side of the printed boards."""
CELL_POINTS = np.array(
    [(0.0, 0.0)]
    + [(r * cos(radians(a)), r * sin(radians(a))) for r in (0.18, 0.36) for a in range(0, 360, 45)]
)
HIDDEN, SEEN = 0.35, 0.7
"""Visible share of a cell below which it is hidden, and above which it is not."""


def planes_of(items: Sequence[Item], cell_mm: float) -> list[Json]:
    """Return for each board its pose, the numbers of its items and the heights of its cells."""
    planes = []
    for number, board in enumerate(items, start=1):
        if board.role != "board":
            continue
        name = board.truth["board"]
        origin, right, down = board.axes()
        laid = [
            (other, item)
            for other, item in enumerate(items, start=1)
            if item.role in ("tile", "clay") and (item.truth.get("board") or 0) == name
        ]
        heights = [
            [q, r, item.top_mm]
            for _, item in laid
            if item.role == "tile"
            for q, r in item.truth["cells"]
        ]
        axes = {"origin_mm": origin.tolist(), "right": right.tolist(), "down": down.tolist()}
        own = [number, *(other for other, _ in laid)]
        planes.append({"board": name, **axes, "cell_mm": cell_mm, "heights": heights, "own": own})
    return planes


def hidden_cells(plane: Mapping[str, Any], camera: Mapping[str, Any], ids: Array) -> list[Json]:
    """Return the cells that are not fully visible, as ``{"cell", "hidden"}``.

    Args:
        plane: an entry of ``planes_of``.
        camera: the camera in the renderer's labels.
        ids: the number of the item that each pixel shows, from 1, or 0.
    """
    heights = {(q, r): height for q, r, height in plane["heights"]}
    found = []
    for q, r in hex_board(SIDE):
        points = CELL_POINTS + np.array([q + r / 2, r * sqrt(3) / 2])
        places = places_mm(plane, points)
        places[:, 2] = heights.get((q, r), plane["origin_mm"][2])
        seen = seen_share(projected(camera, places), ids, plane["own"])
        if seen <= SEEN:
            found.append({"cell": [q, r], "hidden": 1 if seen < HIDDEN else -1})
    return found


def seen_share(px: Array, ids: Array, own: Sequence[int]) -> float:
    """Return the share of points at which a picture shows one of the given items."""
    rows, columns = ids.shape
    at = np.round(px).astype(int)
    inside = (at >= 0).all(axis=1) & (at[:, 0] < columns) & (at[:, 1] < rows)
    shown = ids[np.clip(at[:, 1], 0, rows - 1), np.clip(at[:, 0], 0, columns - 1)]
    return float((np.isin(shown, own) & inside).mean())


def places_mm(plane: Mapping[str, Any], points: Array) -> Array:
    """Return places on a board's plane as x, y and height on the table."""
    flat = np.asarray(points, float) * plane["cell_mm"]
    right, down = np.array(plane["right"]), np.array(plane["down"])
    return np.asarray(np.array(plane["origin_mm"]) + flat[:, :1] * right + flat[:, 1:] * down)


def projected(camera: Mapping[str, Any], places: Array) -> Array:
    """Return pixels of places; the renderer's y axis points away from the viewer, unlike ours."""
    turn, _ = cv2.Rodrigues(np.array(camera["rotation"], float))
    words = "translation", "matrix", "distortion_k1k2p1p2k3"
    shift, matrix, bent = (np.array(camera[word], float) for word in words)
    px, _ = cv2.projectPoints(places * (1, -1, 1), turn, shift, matrix, bent)
    return np.asarray(px.reshape(-1, 2))
