"""The exact truth of a picture, in the format of a reader's table state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import cv2
import numpy as np

from models.lab.scenes.camera.camera import Camera
from models.lab.scenes.camera.canvas import Canvas
from models.lab.scenes.world.arrays import Array, Json
from models.lab.scenes.world.faces import Face
from models.lab.scenes.world.things import Item, TableTop

LEAST_SEEN_ASIDE = 0.25
"""Things aside with a smaller visible share (in a pile, under a hand) are not in the truth."""
GLARING = 0.5
"""Shine, in linear light, above which a print is washed out."""


def truth_of(top: TableTop, canvas: Canvas) -> Json:
    """Return the table state as a perfect reader would give it.

    Each outline is the upper face's, in the face's own order: squares clockwise from the upper
    left corner of the print. Beyond the table state's own keys an entry has ``visible`` (the
    share that is seen), ``in_frame``, ``cut`` and ``glare``.
    """
    counts = np.bincount(canvas.ids.ravel(), minlength=len(top.items) + 1)
    _count_clay_as_tile(top, counts)
    seen: dict[str, list[Json]] = {"tile": [], "aside": [], "clay": [], "board": []}
    for number, item in enumerate(top.items, start=1):
        if item.role in seen:
            entry = _entry(item, top.faces[item.face], canvas, int(counts[number]))
            least = LEAST_SEEN_ASIDE if item.role == "aside" else 0.0
            if entry["in_frame"] > 0 and entry["visible"] >= least:
                seen[item.role].append(entry)
    return table_state(canvas.camera.size_px, top.facts, seen, camera_truth(canvas.camera))


def table_state(
    size_px: Sequence[int], facts: Json, seen: Mapping[str, list[Json]], camera: Json
) -> Json:
    """Return a table state of what is seen, by role, in a picture that is good enough."""
    return {
        "format": "snake-eye/table",
        "version": 1,
        "size": list(size_px),
        **facts,
        "tiles": seen["tile"],
        "unsure": [],
        "aside": seen["aside"],
        "clay": seen["clay"],
        "splits": [],
        "boards": seen["board"],
        "quality": {"ok": True, "advice": []},
        "camera": camera,
    }


def _count_clay_as_tile(top: TableTop, counts: Array) -> None:
    """Count visible clay as part of the tile that it lies on, so that clay hides nothing."""
    owner = {
        (item.truth.get("board"), tuple(cell)): number
        for number, item in enumerate(top.items, start=1)
        if item.role == "tile"
        for cell in item.truth.get("cells", ())
    }
    for number, item in enumerate(top.items, start=1):
        if item.role == "clay":
            below = owner.get((item.truth["board"], tuple(item.truth["cell"])))
            if below is not None:
                counts[below] += counts[number]


def camera_truth(camera: Camera) -> Json:
    """Return the camera in OpenCV's terms; the table's depth axis points down."""
    tvec = -camera.rotation @ (camera.position_mm * (1, 1, -1))
    return {
        "matrix": camera.matrix.tolist(),
        "distortion": camera.distortion.tolist(),
        "rotation": camera.rotation.tolist(),
        "translation": tvec.tolist(),
        "px_from_mm": camera.px_from_mm().tolist(),
    }


def outline_px(item: Item, face: Face, camera: Camera) -> Array:
    """Return the corners of an item's upper face in pixels."""
    return camera.project(item.outline_mm(face))


def _entry(item: Item, face: Face, canvas: Canvas, seen: int) -> Json:
    outline = outline_px(item, face, canvas.camera)
    whole = abs(float(cv2.contourArea(outline.astype(np.float32))))
    inside = _area_inside(outline, canvas.camera.size_px)
    in_frame = min(1.0, inside / max(whole, 1e-6))
    visible = min(1.0, seen / canvas.ids_scale**2 / max(whole, 1e-6))
    entry: Json = {**item.truth, "outline": np.round(outline, 2).tolist(), "confidence": 1.0}
    entry["visible"] = round(visible, 3) if visible < 0.97 * in_frame else round(in_frame, 3)
    entry["in_frame"] = round(in_frame, 3)
    entry["cut"] = in_frame < 0.995
    entry["glare"] = _glare(canvas, outline)
    return entry


def _area_inside(outline: Array, size_px: tuple[int, int]) -> float:
    width, height = size_px
    points = outline.astype(np.float32)
    low, high = points.min(axis=0), points.max(axis=0)
    if (low >= -0.5).all() and high[0] <= width - 0.5 and high[1] <= height - 0.5:
        return abs(float(cv2.contourArea(points)))
    if high[0] < 0 or high[1] < 0 or low[0] > width or low[1] > height:
        return 0.0
    # Small outlines are drawn at four times their size; outlines of hex tiles may be concave.
    scale = 1.0 if min(high - low) > 40 else 4.0
    size = np.ceil((high - low) * scale).astype(int) + 2
    mask = np.zeros((size[1], size[0]), np.uint8)
    cv2.fillPoly(mask, [np.round((points - low) * scale * 16).astype(np.int32)], 1, cv2.LINE_8, 4)
    left, top = np.maximum(np.ceil((-0.5 - low) * scale), 0).astype(int)
    right, bottom = np.floor((np.array([width, height]) - 0.5 - low) * scale).astype(int)
    total = max(int(mask.sum()), 1)
    kept = int(mask[top : max(bottom, 0), left : max(right, 0)].sum())
    return abs(float(cv2.contourArea(points))) * kept / total


def _glare(canvas: Canvas, outline: Array) -> float:
    """Return the share of a tile's bounding box that shines too much to be read."""
    if canvas.lamp.shine_at_mm is None:
        return 0.0
    window = canvas.window(outline, 0)
    return round(float((canvas.shine[window] > GLARING).mean()), 3) if window else 0.0
