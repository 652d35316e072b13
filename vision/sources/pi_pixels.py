"""Converts a camera buffer, in whatever pixel format the camera chose, to blue-first pixels.

Format names are those of libcamera and the Linux kernel, which count from the highest byte:
``RGB888`` is blue-first in memory, ``BGR888`` red-first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from vision.core.errors import VisionError
from vision.core.types import Bgr

Array = Any

CHANNELS = ("RGB888", "BGR888", "XRGB8888", "XBGR8888", "RGBX8888", "BGRX8888")
"""A byte for each letter, the last one first in memory."""
PACKED = ("YUYV", "YVYU", "UYVY", "VYUY")
"""Packed 4:2:2: two pixels in four bytes, in the order of the letters."""
HALF_PLANES = ("NV12", "NV21")
"""Semi-planar 4:2:0: chroma at half size, U and V alternating; V first in the second format."""
THIRD_PLANES = ("YUV420", "YVU420")
"""Planar 4:2:0: chroma at half size in two planes; V first in the second format."""
FORMATS = frozenset([*CHANNELS, *PACKED, *HALF_PLANES, *THIRD_PLANES, "R8", "MJPEG"])


class PixelError(VisionError):
    """A buffer cannot be read as a picture."""


@dataclass(frozen=True, slots=True)
class StreamLayout:
    """The memory layout of a stream's buffers, as reported by the camera."""

    format: str
    size_px: tuple[int, int]
    """Width and height."""
    stride: int
    """Bytes from one row to the next, padding included."""
    full_range: bool = True
    """Whether Y uses all of 0 to 255, as in JPEG, and not 16 to 235, as in video."""
    rec709: bool = False
    """Whether YUV is coded by Rec. 709 (high-definition video), not by Rec. 601 (JPEG)."""


def bgr_from_buffer(buffer: Array, layout: StreamLayout) -> Bgr:
    """Return a copy of the picture in a buffer as height x width x 3, blue first.

    Raises:
        PixelError: the format is not known, or the buffer is too short for the layout.
    """
    data = np.asarray(buffer).reshape(-1).view(np.uint8)
    name = layout.format
    if name == "MJPEG":
        return _from_jpeg(data)
    if name in CHANNELS:
        return _from_channels(data, layout)
    if name == "R8":
        return np.asarray(cv2.cvtColor(_rows(data, layout, layout.size_px[0]), cv2.COLOR_GRAY2BGR))
    if name in HALF_PLANES or name in THIRD_PLANES or name in PACKED:
        return _from_colours(*_colour_planes(data, layout), layout)
    raise PixelError(
        f"the camera gives pictures as {name}, which Snake Eye does not know; "
        f"it knows {', '.join(sorted(FORMATS))}"
    )


def _rows(data: Array, layout: StreamLayout, row_bytes: int, *, start: int = 0) -> Array:
    """Return the rows of the first plane without their padding."""
    return _plane(data, start, layout.size_px[1], layout.stride, row_bytes)


def _plane(data: Array, start: int, rows: int, stride: int, row_bytes: int) -> Array:
    # The last row may lack its padding.
    end = start + stride * (rows - 1) + row_bytes
    if stride < row_bytes or len(data) < end:
        raise PixelError(
            f"a camera buffer of {len(data)} bytes with rows of {stride} is too short: "
            f"{rows} rows of {row_bytes} bytes were to begin at {start}"
        )
    strided = np.lib.stride_tricks.as_strided(data[start:end], (rows, row_bytes), (stride, 1))
    return np.ascontiguousarray(strided)


def _from_channels(data: Array, layout: StreamLayout) -> Bgr:
    width, height = layout.size_px
    letters = layout.format.rstrip("8")[::-1]
    rows = _rows(data, layout, width * len(letters)).reshape(height, width, len(letters))
    blue, red = map(letters.index, "BR")
    pixels = rows[..., blue : red + 1] if blue < red else rows[..., red : blue + 1][..., ::-1]
    # A copy: without padding `_plane` returns a view, and the camera reuses the buffer.
    return np.array(pixels, order="C")


def _colour_planes(data: Array, layout: StreamLayout) -> tuple[Array, Array, Array]:
    """Return the Y, U and V planes; U and V may be of half the size."""
    width, height = layout.size_px
    half_width, half_height = (width + 1) // 2, (height + 1) // 2
    name, stride = layout.format, layout.stride
    if name in PACKED:
        rows = _rows(data, layout, half_width * 4)
        y, u, v = map(name.index, "YUV")
        return rows[:, y::2][:, :width], rows[:, u::4], rows[:, v::4]
    bright, start = _rows(data, layout, width), stride * height
    if name in HALF_PLANES:
        pairs = _plane(data, start, half_height, stride, half_width * 2)
        chroma = [pairs[:, ::2], pairs[:, 1::2]]
    else:
        half_stride = stride // 2
        chroma = [
            _plane(data, begin, half_height, half_stride, half_width)
            for begin in (start, start + half_stride * half_height)
        ]
    u, v = chroma if name in (HALF_PLANES[0], THIRD_PLANES[0]) else reversed(chroma)
    return bright, u, v


def _from_colours(bright: Array, u: Array, v: Array, layout: StreamLayout) -> Bgr:
    size = layout.size_px
    full = [
        cv2.resize(np.ascontiguousarray(plane), size, interpolation=cv2.INTER_LINEAR)
        for plane in (u, v)
    ]
    stacked = cv2.merge([np.ascontiguousarray(bright), *full])
    return np.asarray(cv2.transform(stacked, _bgr_from_yuv(layout)), np.uint8)


def _bgr_from_yuv(layout: StreamLayout) -> Array:
    """Return the 3 x 4 matrix from Y, U and V in bytes to blue, green and red."""
    red, blue = (0.2126, 0.0722) if layout.rec709 else (0.299, 0.114)
    green = 1 - red - blue
    bright, low = (1.0, 0.0) if layout.full_range else (255 / 219, 16.0)
    colour = 1.0 if layout.full_range else 255 / 224
    to_blue, to_red = 2 * (1 - blue) * colour, 2 * (1 - red) * colour
    rows = np.array(
        [
            [bright, to_blue, 0],
            [bright, -to_blue * blue / green, -to_red * red / green],
            [bright, 0, to_red],
        ]
    )
    offset = -rows @ np.array([low, 128.0, 128.0])
    return np.column_stack([rows, offset]).astype(np.float64)


def _from_jpeg(data: Array) -> Bgr:
    picture = cv2.imdecode(data, cv2.IMREAD_COLOR)
    if picture is None:
        raise PixelError("the camera gave a JPEG that cannot be opened; try another resolution")
    return np.asarray(picture, np.uint8)
