"""Controls of the Pi's camera: sensor mode, locked exposure, and detection of light changes."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field
from typing import Any, TypedDict, cast

import numpy as np


class Metadata(TypedDict, total=False):
    """Metadata of a frame, by libcamera's names."""

    ExposureTime: int
    AnalogueGain: float
    ColourGains: tuple[float, float]
    LensPosition: float
    SensorTimestamp: int


class Controls(TypedDict, total=False):
    """Settable controls of a camera, by libcamera's names."""

    AeEnable: bool
    ExposureTime: int
    AnalogueGain: float
    AwbEnable: bool
    ColourGains: tuple[float, float]
    AfMode: int
    LensPosition: float
    FrameDurationLimits: tuple[int, int]


class SensorOutput(TypedDict):
    """A sensor mode in the form that picamera2 takes."""

    output_size: tuple[int, int]
    bit_depth: int


STEADY_FRAMES = 10
"""Consecutive similar frames that count as settled; a changed control takes up to four to act."""


@dataclass
class LightWatch:
    """Detects a lasting change of the light since exposure was locked."""

    factor: float = 1.8
    """Least brightness ratio that counts: a lamp doubles or halves it, an arm or a cloud less."""
    for_s: float = 4.0
    """Seconds that a change must last; a person who leans over the table is gone sooner."""
    _locked_at: float | None = None
    _off_since_s: float | None = field(default=None, repr=False)

    def locked(self, bgr: Any) -> None:
        """Record the brightness of a well exposed table as the reference."""
        self._locked_at = self._brightness(bgr)
        self._off_since_s = None

    def has_changed(self, bgr: Any, now_s: float) -> bool:
        """Say whether the table has been darker or brighter by ``factor`` for ``for_s`` seconds."""
        if self._locked_at is None:
            return False
        ratio = self._brightness(bgr) / self._locked_at
        if 1 / self.factor < ratio < self.factor:
            self._off_since_s = None
            return False
        if self._off_since_s is None:
            self._off_since_s = now_s
        return now_s - self._off_since_s >= self.for_s

    @staticmethod
    def _brightness(bgr: Any) -> float:
        # Every 16th pixel is enough for a mean; adding 1 avoids a division by zero.
        return float(np.mean(bgr[::16, ::16, 1])) + 1.0


@dataclass
class Settling:
    """Says when automatic exposure and white balance have adapted to the light."""

    end_s: float
    """Time after which they are locked even if they still change."""
    _before: Metadata | None = field(default=None, repr=False)
    _steady: int = field(default=0, repr=False)

    def is_over(self, metadata: Metadata, now_s: float) -> bool:
        """Say whether they are steady after this frame, or cannot be waited for any longer."""
        if "ExposureTime" not in metadata and "ColourGains" not in metadata:
            return True
        same = self._before is not None and alike(self._before, metadata)
        self._before, self._steady = metadata, self._steady + 1 if same else 0
        return self._steady >= STEADY_FRAMES or now_s >= self.end_s


def sensor_mode(camera: Any, fps: float) -> SensorOutput | None:
    """Return the sensor mode with the full field of view that is fast enough; ``None`` if none.

    By default libcamera picks a mode by its size, which on modules 2 and HQ is a cropped one that
    cuts off the edges of the table.
    """
    # Only the Pi's own cameras have sensor modes; a webcam or a virtual camera has none.
    if "ColorFilterArrangement" not in camera.camera_properties:
        return None
    modes = [mode for mode in camera.sensor_modes if "crop_limits" in mode]
    if not modes:
        return None
    widest = max(_area(mode["crop_limits"][2:]) for mode in modes)
    # The crops of modes with the same field of view differ by a few pixels.
    whole = [mode for mode in modes if _area(mode["crop_limits"][2:]) >= 0.97 * widest]
    quick = [mode for mode in whole if mode["fps"] >= fps] or whole
    best = max(quick, key=lambda mode: (mode["fps"] >= fps, _area(mode["size"]), mode["bit_depth"]))
    return {"output_size": best["size"], "bit_depth": best["bit_depth"]}


def _area(size: Any) -> int:
    return int(size[0]) * int(size[1])


def alike(before: Metadata, after: Metadata) -> bool:
    """Say whether exposure and colour gains of two frames are within 2 % of each other."""

    def numbers(metadata: Metadata) -> list[float]:
        exposure = metadata.get("ExposureTime", 1) * metadata.get("AnalogueGain", 1.0)
        return [float(exposure), *map(float, metadata.get("ColourGains", ()))]

    first, second = numbers(before), numbers(after)
    return len(first) == len(second) and bool(np.allclose(first, second, rtol=0.02))


def locks(metadata: Metadata, known: Container[str]) -> Controls:
    """Return the controls that lock exposure and white balance at their current values.

    Args:
        metadata: the metadata of the newest frame.
        known: the names of the controls that the camera has.
    """
    wanted: Controls = {}
    if "ExposureTime" in metadata and "AnalogueGain" in metadata:
        wanted |= {
            "AeEnable": False,
            "ExposureTime": int(metadata["ExposureTime"]),
            "AnalogueGain": float(metadata["AnalogueGain"]),
        }
    if "ColourGains" in metadata:
        red, blue = metadata["ColourGains"]
        wanted |= {"AwbEnable": False, "ColourGains": (float(red), float(blue))}
    return cast(Controls, {name: value for name, value in wanted.items() if name in known})


def freed(locked: Controls) -> Controls:
    """Return the controls that make locked exposure and white balance automatic again."""
    return cast(Controls, {name: True for name in ("AeEnable", "AwbEnable") if name in locked})
