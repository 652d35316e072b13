"""The types that every file here uses, and OpenCV calls whose own types are too narrow."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
"""A picture or a list of points; the variable's name says which, with unit and colour order."""
Random = np.random.Generator
Json = dict[str, Any]


def pair(values: Any) -> tuple[float, float]:
    """Return the first two of some values as plain numbers."""
    return float(values[0]), float(values[1])


def three(values: Any) -> tuple[float, float, float]:
    """Return the first three of some values as plain numbers."""
    return float(values[0]), float(values[1]), float(values[2])


def f32(values: Any) -> Array:
    """Return values as an array of 32-bit floats, so that pictures keep single precision."""
    return np.asarray(values, np.float32)


def looked_up(picture: Array, places: Array, border: int = cv2.BORDER_CONSTANT) -> Array:
    """Return a picture's values at places, H x W x 2, interpolated between its pixels."""
    nothing: Any = None
    found = cv2.remap(picture, places, nothing, cv2.INTER_LINEAR, borderMode=border)
    return np.asarray(found)


def scaled(picture: Array, factors: tuple[float, ...]) -> Array:
    """Return a picture with each channel multiplied by its factor."""
    by: Any = factors
    return np.asarray(cv2.multiply(picture, by))


def not_below(picture: Array, least: float) -> Array:
    """Return a picture with all values raised to at least ``least``."""
    floor: Any = least
    return np.asarray(cv2.max(picture, floor))
