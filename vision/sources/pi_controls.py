"""How the Pi's camera is held: its sensor mode, when it has settled, when the light changed."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field
from typing import Any, TypedDict

import numpy as np


class Metadata(TypedDict, total=False):
    """What a frame says of itself, by libcamera's names."""

    ExposureTime: int
    AnalogueGain: float
    ColourGains: tuple[float, float]
    LensPosition: float
    SensorTimestamp: int


class Controls(TypedDict, total=False):
    """What can be asked of a camera, by libcamera's names."""

    AeEnable: bool
    ExposureTime: int
    AnalogueGain: float
    AwbEnable: bool
    ColourGains: tuple[float, float]
    AfMode: int
    LensPosition: float
    FrameDurationLimits: tuple[int, int]


class SensorOutput(TypedDict):
    """One of a sensor's modes, as picamera2 is asked for it."""

    output_size: tuple[int, int]
    bit_depth: int


@dataclass
class LightWatch:
    """Notices that the light has changed for good since exposure was locked."""

    factor: float = 1.8
    """Twice as bright or half as bright is a lamp; an arm or a cloud is less."""
    for_s: float = 4.0
    """A person leaning in goes away again, or dims less."""
    _locked_at: float | None = None
    _off_since_s: float | None = field(default=None, repr=False)

    def locked(self, bgr: Any) -> None:
        """Take note of how bright a table is that is exposed well."""
        self._locked_at = self._brightness(bgr)
        self._off_since_s = None

    def has_changed(self, bgr: Any, now_s: float) -> bool:
        """Say whether the table has been much darker or brighter for a while."""
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
        # Every 16th pixel is enough for a mean; 1 keeps a black picture from dividing by nothing.
        return float(np.mean(bgr[::16, ::16, 1])) + 1.0


def sensor_mode(camera: Any, fps: float) -> SensorOutput | None:
    """Return the sensor mode that sees the whole field and is quick enough, if there are modes.

    Left to itself libcamera takes a mode of the wanted size, and on modules 2 and HQ that one
    cuts the edges of the table off.
    """
    # Only the Pi's own cameras have modes; a webcam or a virtual one has none.
    if "ColorFilterArrangement" not in camera.camera_properties:
        return None
    modes = [mode for mode in camera.sensor_modes if "crop_limits" in mode]
    if not modes:
        return None
    widest = max(_area(mode["crop_limits"][2:]) for mode in modes)
    # Modes of one field differ in their crop by a few pixels.
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
    """Return the controls that keep exposure and colours as they are now.

    Args:
        metadata: of the newest frame.
        known: the names of the controls that the camera has.
    """
    wanted: Controls = {}
    if "ExposureTime" in metadata and "AnalogueGain" in metadata:
        if "AeEnable" in known:
            wanted["AeEnable"] = False
        if "ExposureTime" in known:
            wanted["ExposureTime"] = int(metadata["ExposureTime"])
        if "AnalogueGain" in known:
            wanted["AnalogueGain"] = float(metadata["AnalogueGain"])
    if "ColourGains" in metadata:
        if "AwbEnable" in known:
            wanted["AwbEnable"] = False
        if "ColourGains" in known:
            red, blue = metadata["ColourGains"]
            wanted["ColourGains"] = float(red), float(blue)
    return wanted
