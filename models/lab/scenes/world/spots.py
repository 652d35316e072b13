"""Spots of light on tiles, as lamps and windows leave them: any size, over any part of a face."""

from __future__ import annotations

import cv2
import numpy as np

from models.lab.scenes.world.arrays import Array, Random

GAMMA = 2.2
AROUND = 3.5
"""Reach of the computed light beyond a tile, in tile widths."""
GRID_PX = 256


def spot_light(x: Array, y: Array, rng: Random) -> Array:
    """Return the linear light that a spot adds at places of a tile, in three channels.

    Args:
        x: horizontal position of each place, 0 to 1 on the tile.
        y: vertical position of each place, 0 to 1 on the tile.
        rng: source of randomness.
    """
    middle, wide = rng.uniform(-0.1, 1.1, 2), float(np.exp(rng.uniform(np.log(0.06), np.log(1.2))))
    turn, long = float(rng.uniform(0, np.pi)), float(rng.uniform(1, 3))
    u = (x - middle[0]) * np.cos(turn) + (y - middle[1]) * np.sin(turn)
    v = (y - middle[1]) * np.cos(turn) - (x - middle[0]) * np.sin(turn)
    far = np.sqrt((u / long) ** 2 + v**2) / wide
    soft = float(np.exp(rng.uniform(np.log(0.05), np.log(1.0))))
    light = 1 / (1 + np.exp(np.clip((far - 1) / soft * 3, -30, 30)))
    tint = 1 + rng.uniform(-0.12, 0.05, 3)
    return np.asarray(light[..., None] * tint * float(rng.uniform(0.3, 2.0)))


def lit_more(bgr: Array, light: Array) -> Array:
    """Return a picture with linear light added to it."""
    linear = (bgr / 255.0) ** GAMMA + light
    return np.asarray(255 * np.clip(linear, 0, 1) ** (1 / GAMMA), np.uint8)


def spotted_tile(bgr: Array, outline: Array, rng: Random) -> Array:
    """Return a picture in which one tile has a spot on it.

    Args:
        bgr: the picture.
        outline: four corners of the tile.
        rng: source of randomness.
    """
    steps = np.linspace(-AROUND, 1 + AROUND, GRID_PX)
    light = spot_light(*np.meshgrid(steps, steps), rng).astype(np.float32)
    unit = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32)
    ends = unit * (1 + 2 * AROUND) - AROUND
    grid_from_unit = cv2.getPerspectiveTransform(ends, unit * (GRID_PX - 1))
    px_from_unit = cv2.getPerspectiveTransform(unit, outline.astype(np.float32))
    size = (bgr.shape[1], bgr.shape[0])
    spread = cv2.warpPerspective(light, px_from_unit @ np.linalg.inv(grid_from_unit), size)
    return lit_more(bgr, spread)
