"""Smooth random fields that repeat without a seam: the raw material of surfaces and prints."""

from __future__ import annotations

import cv2
import numpy as np

from models.lab.scenes.world.arrays import Array, f32


def field(
    rng: np.random.Generator, size: int, cells: tuple[int, int], octaves: int = 4, keep: float = 0.5
) -> Array:
    """Return a size x size field with mean 0 and standard deviation 1.

    Args:
        rng: source of randomness.
        size: pixels per side.
        cells: number of bumps across and down in the coarsest octave.
        octaves: number of octaves, each with bumps half as large as the one before.
        keep: strength of each octave relative to the one before.
    """
    total = np.zeros((size, size), np.float32)
    across, down = cells
    strength = 1.0
    for _ in range(octaves):
        if across > size or down > size:
            break
        total += strength * _bumps(rng, size, across, down)
        across, down, strength = across * 2, down * 2, strength * keep
    return f32((total - total.mean()) / max(float(total.std()), 1e-6))


def _bumps(rng: np.random.Generator, size: int, across: int, down: int) -> Array:
    grid = rng.standard_normal((down, across), dtype=np.float32)
    if across == size and down == size:
        return grid
    if size % 4 == 0 and max(across, down) <= size // 8:
        # Broad bumps are made small first and then enlarged, which is much faster.
        small = np.pad(_stretched(grid, size // 4), 1, mode="wrap")
        large = cv2.resize(small, (size + 8, size + 8), interpolation=cv2.INTER_LINEAR)
        return large[4 : size + 4, 4 : size + 4]
    return _stretched(grid, size)


def _stretched(grid: Array, size: int) -> Array:
    """Return a small field enlarged by cubic interpolation, wrapped around at the border."""
    down, across = grid.shape
    x, y = across / size, down / size
    back = np.array([[x, 0, 0.5 * across / size - 0.5], [0, y, 0.5 * down / size - 0.5]])
    how = cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP
    return cv2.warpAffine(grid, back, (size, size), flags=how, borderMode=cv2.BORDER_WRAP)


def ramp(values: Array, colours: Array) -> Array:
    """Return colours for values 0 to 1, along a list of colours."""
    places = np.linspace(0, 255, len(colours))
    table = np.stack([np.interp(np.arange(256), places, colours[:, c]) for c in range(3)], axis=1)
    levels = np.clip(values * 255, 0, 255).astype(np.uint8)
    return np.asarray(table.astype(np.uint8)[levels])


def unit(values: Array, spread: float = 2.5) -> Array:
    """Return a field of standard deviation 1 as values 0 to 1."""
    return np.clip(values / (2 * spread) + 0.5, 0, 1)
