"""Measures tiles in a picture: how sharp, bright and contrasty each is, and how wide.

Each tile is looked at in a small patch of equal size, so that blur counts by how much of a tile it
smears.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from vision.core.types import Bgr, Points

PATCH_PX = 40
CLIPPED = 250
"""All channels at or above it: the camera saw nothing but light."""
FLAT = 25.0
"""Contrast in grey levels below which there is nothing to measure blur on."""


@dataclass(frozen=True, eq=False)
class Looks:
    """What was measured on tiles, one number each."""

    blur: Any
    """Deviation of the blur as a share of the tile; 0 where the tile is too flat to say."""
    brightness: Any
    clipped: Any
    contrast: Any
    middle: Any
    """Median brightness."""


def across_px(outline: Points) -> float:
    """Return how wide a tile is: the side of a square of its area, or a hex's flat width."""
    area = abs(float(cv2.contourArea(np.asarray(outline, np.float32))))
    return float(np.sqrt(area if len(outline) == 4 else area * 2 / np.sqrt(3)))


def look_at(bgr: Bgr, outlines: Sequence[Points]) -> Looks:
    """Measure tiles, each in a patch of its own."""
    count = len(outlines)
    if not count:
        return Looks(*[np.zeros(0)] * 5)
    # Channel by channel: NumPy is slow along an axis of three. It also sorts two bytes thirty
    # times as fast as one.
    planes = [plane.reshape(count, -1) for plane in cv2.split(_patches(bgr, outlines))]
    every_second = [np.sort(plane[:, ::2].astype(np.int16), axis=1) for plane in planes]
    contrasts = np.stack([_at(plane, 0.97) - _at(plane, 0.03) for plane in every_second])
    channel = contrasts.argmax(axis=0)
    contrast = contrasts.max(axis=0).astype(np.float64)
    best = np.stack(planes)[channel, np.arange(count)]
    # The slope of a blurred edge is its height over 2.5 deviations of the blur.
    blur = 0.4 * contrast / np.maximum(_steepness(best), 1e-3) / PATCH_PX
    lightest = np.sort(np.maximum.reduce(planes)[:, ::2].astype(np.int16), axis=1)
    clipped = (np.minimum.reduce(planes) >= CLIPPED).mean(axis=1)
    blur = np.where(contrast < FLAT, 0.0, blur)
    return Looks(blur, _at(lightest, 0.9), clipped, contrast, _at(lightest, 0.5))


def _at(ranked: Any, share: float) -> Any:
    return ranked[:, int(ranked.shape[1] * share)]


def _patches(bgr: Bgr, outlines: Sequence[Points]) -> Any:
    """Return all tiles below one another, each ``PATCH_PX`` wide and high.

    One call for all of them, and straight lines for perspective: nothing is read here, only
    measured, and it must be quick.
    """
    quads = np.array([_quad(np.asarray(outline, np.float64)) for outline in outlines])
    low = np.maximum(np.floor(quads.min(axis=(0, 1))) - 4, 0).astype(int)
    high = np.ceil(quads.max(axis=(0, 1))).astype(int) + 5
    part: Any = bgr[low[1] : max(high[1], low[1] + 1), low[0] : max(high[0], low[0] + 1)]
    sides = np.linalg.norm(quads - np.roll(quads, 1, axis=1), axis=2)
    shrink = max(1, int(np.median(sides) / (1.25 * PATCH_PX)))
    if shrink > 1 and min(part.shape[:2]) > shrink:
        size = (part.shape[1] // shrink, part.shape[0] // shrink)
        part = cv2.resize(part, size, interpolation=cv2.INTER_AREA)
    else:
        shrink = 1
    steps = np.linspace(-0.04, 1.04, PATCH_PX)
    across, down = (axis.ravel() for axis in np.meshgrid(steps, steps))
    weights = np.stack(
        [(1 - across) * (1 - down), across * (1 - down), across * down, (1 - across) * down]
    ).astype(np.float32)
    corners = ((quads - low + 0.5) / shrink - 0.5).astype(np.float32)
    xs, ys = ((corners[..., axis] @ weights).reshape(-1, PATCH_PX) for axis in (0, 1))
    return cv2.remap(part, xs, ys, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)


def _quad(outline: Points) -> Any:
    """Return four corners: a square's own, or of the square that a hex's corners lie around."""
    if len(outline) == 4:
        return outline
    turns = np.arange(len(outline)) * 2 * np.pi / len(outline)
    right = 2 * np.cos(turns) @ outline / len(outline)
    down = 2 * np.sin(turns) @ outline / len(outline)
    corners = ((-1, -1), (1, -1), (1, 1), (-1, 1))
    return np.array([outline.mean(axis=0) + 0.8 * (x * right + y * down) for x, y in corners])


def _steepness(flat: Any) -> Any:
    """Return the steepest edges of each patch in the direction in which they are softest.

    A moving camera blurs one direction only, and every tile has edges in two.
    """
    count = len(flat)
    # All patches in one tall picture: one call instead of one for each.
    tall = cv2.GaussianBlur(flat.reshape(-1, PATCH_PX).astype(np.float32), (5, 5), 0.7)
    soft = tall.reshape(count, PATCH_PX, PATCH_PX)
    across = (soft[:, 2:-2, 3:-1] - soft[:, 2:-2, 1:-3]) / 2
    down = (soft[:, 3:-1, 2:-2] - soft[:, 1:-3, 2:-2]) / 2
    softest = np.full(count, np.inf)
    for turn in np.arange(4) * np.pi / 4:
        slope = np.abs(np.cos(turn) * across + np.sin(turn) * down).reshape(count, -1)
        place = int(slope.shape[1] * 0.985)
        softest = np.minimum(softest, np.partition(slope, place, axis=1)[:, place])
    return softest
