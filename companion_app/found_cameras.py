"""The cameras that are plugged in: a Raspberry Pi's own, and webcams that really take pictures.

A Raspberry Pi lists a dozen devices for its video decoders beside those of cameras, and a webcam
has a second one for its own notes; each is asked what it can do.
"""

from __future__ import annotations

import fcntl
import os
import struct
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

QUERY_CAPABILITIES = 0x80685600
"""Linux' VIDIOC_QUERYCAP: 104 bytes come back, the device's own abilities at byte 88."""
ANSWER_BYTES, ABILITIES_AT = 104, 88
TAKES_PICTURES = 0x00000001
CONVERTS = 0x00004000 | 0x00008000
"""Memory to memory: decoders and scalers, which also say that they take pictures."""


def found_cameras(
    devices: Path = Path("/dev"), abilities: Callable[[Path], int] | None = None
) -> list[str]:
    """Return the cameras as sources are named, the Pi's own first."""
    from vision.sources.pi_camera import has_library, pi_cameras

    asked = abilities or _abilities
    own = ["pi"] if has_library() and pi_cameras() else []
    numbers = [
        int(device.name.removeprefix("video"))
        for device in devices.glob("video[0-9]*")
        if device.name.removeprefix("video").isdigit() and _is_camera(asked(device))
    ]
    return own + [f"webcam:{number}" for number in sorted(numbers)]


def _is_camera(abilities: int) -> bool:
    return bool(abilities & TAKES_PICTURES) and not abilities & CONVERTS


def _abilities(device: Path) -> int:
    """Return what a device says it can do; nothing where it cannot be asked."""
    answer = bytearray(ANSWER_BYTES)
    with suppress(OSError):
        handle = os.open(device, os.O_RDWR | os.O_NONBLOCK)
        try:
            fcntl.ioctl(handle, QUERY_CAPABILITIES, answer)
        finally:
            os.close(handle)
    (abilities,) = struct.unpack_from("=I", answer, ABILITIES_AT)
    return int(abilities)
