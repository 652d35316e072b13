"""Finds the cameras that are plugged in: a Raspberry Pi's own, and webcams.

Not every video device is a camera: a Raspberry Pi has a dozen for its video decoders, and a webcam
has a second one for metadata. So each device is asked for its capabilities.
"""

from __future__ import annotations

import fcntl
import os
import struct
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

QUERY_CAPABILITIES = 0x80685600
"""Linux' VIDIOC_QUERYCAP: it returns 104 bytes, with the device's capabilities at byte 88."""
ANSWER_BYTES, ABILITIES_AT = 104, 88
TAKES_PICTURES = 0x00000001
CONVERTS = 0x00004000 | 0x00008000
"""Memory-to-memory capability flags: decoders and scalers, which claim to capture video too."""


def found_cameras(
    devices: Path = Path("/dev"), abilities: Callable[[Path], int] | None = None
) -> list[str]:
    """Return the source names of the cameras, the Pi's own first."""
    from vision.sources.pi_camera import has_library, pi_cameras

    asked = abilities or _abilities
    own = ["pi"] if has_library() and pi_cameras() else []
    numbers = [
        int(device.name.removeprefix("video"))
        for device in devices.glob("video[0-9]*")
        if device.name.removeprefix("video").isdigit()
        and asked(device) & (TAKES_PICTURES | CONVERTS) == TAKES_PICTURES
    ]
    return own + [f"webcam:{number}" for number in sorted(numbers)]


def _abilities(device: Path) -> int:
    """Return a video device's capability flags; 0 if it cannot be queried."""
    answer = bytearray(ANSWER_BYTES)
    with suppress(OSError):
        handle = os.open(device, os.O_RDWR | os.O_NONBLOCK)
        try:
            fcntl.ioctl(handle, QUERY_CAPABILITIES, answer)
        finally:
            os.close(handle)
    (abilities,) = struct.unpack_from("=I", answer, ABILITIES_AT)
    return int(abilities)
