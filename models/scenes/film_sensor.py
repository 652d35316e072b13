"""The sensor of a film camera: what stays the same from frame to frame is worked out once.

Light is held as its root in 16 bits, already sharpened. A frame is then one sum, of that and of
noise cut from a bank, and the tone curve: a tenth of what developing a photograph takes.
"""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np

from models.scenes.arrays import Array, not_below
from models.scenes.develop import NOISE_PX, Developer, noise_bank, tone_curve
from models.scenes.settings import SensorSettings

STEPS = 32
"""Steps of the 16-bit light to one level of 255: noise of half a level is still smooth."""
SHARPEN_PX = 1.2
MOST = 3.9
"""Roots of light above it have no room in 16 bits; from 1 on a picture is white."""


class FilmSensor:
    """One camera's way from the root of the light to 8-bit frames."""

    def __init__(self, sensor: SensorSettings, level: float, size_px: tuple[int, int]) -> None:
        self._sharpen = sensor.sharpen
        self._curve = tone_curve(round(sensor.contrast, 2))
        developer = Developer(sensor, level)
        self._grain = self._laid_out(developer.noise_boost, size_px) if sensor.noise else None

    def held(self, root: Array) -> Array:
        """Return the root of the light as it is kept: sharpened, in 16 bits."""
        if self._sharpen:
            soft = cv2.GaussianBlur(root, (0, 0), SHARPEN_PX)
            root = cv2.addWeighted(root, 1 + self._sharpen, soft, -self._sharpen, 0)
        return in_steps(np.clip(root, -1.0, MOST)).astype(np.int16)

    def frame(self, held: Array, rng: np.random.Generator, gain: float = 1.0) -> Array:
        """Return a picture, blue first, with fresh noise; ``gain`` is what exposure does to it."""
        height, width = held.shape[:2]
        bright = gain**0.5 / STEPS
        if self._grain is None:
            eight = cv2.convertScaleAbs(not_below(held, 0.0), alpha=bright)
        else:
            x, y = (int(v) for v in rng.integers(0, NOISE_PX, 2))
            grain = self._grain[y : y + height, x : x + width]
            eight = cv2.addWeighted(held, bright, grain, 1 / STEPS, 0, dtype=cv2.CV_8U)
        return np.asarray(cv2.LUT(eight, self._curve))

    def _laid_out(self, boost: float, size_px: tuple[int, int]) -> Array:
        """Return noise larger than a picture, sharpened as the picture is."""
        bank = noise_bank() * np.float32(boost)
        width, height = size_px
        across, down = width // NOISE_PX + 2, height // NOISE_PX + 2
        return np.tile(self.held(bank), (down, across, 1))


def in_steps(root: Array) -> Array:
    """Return the root of light in the steps of the 16 bits, not rounded."""
    return np.asarray(root * np.float32(255 * STEPS))


@lru_cache(maxsize=2)
def film_sensor(sensor: SensorSettings, level: float, size_px: tuple[int, int]) -> FilmSensor:
    """Return the sensor of a camera; two are kept, since their noise takes long to lay out."""
    return FilmSensor(sensor, level, size_px)
