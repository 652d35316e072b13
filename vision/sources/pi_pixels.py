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

ORDERS = {
    "RGB888": (3, (0, 1, 2)),
    "BGR888": (3, (2, 1, 0)),
    "XRGB8888": (4, (0, 1, 2)),
    "XBGR8888": (4, (2, 1, 0)),
    "RGBX8888": (4, (1, 2, 3)),
    "BGRX8888": (4, (3, 2, 1)),
}
"""Bytes per pixel, and the positions of blue, green and red among them."""
PACKED = {"YUYV": (0, 1, 3), "YVYU": (0, 3, 1), "UYVY": (1, 0, 2), "VYUY": (1, 2, 0)}
"""Packed 4:2:2, two pixels in four bytes: the positions of the first Y, of U and of V."""
HALF_PLANES = {"NV12": (0, 1), "NV21": (1, 0)}
"""Semi-planar 4:2:0, interleaved chroma at half size: the positions of U and V in a pair."""
THIRD_PLANES = {"YUV420": (0, 1), "YVU420": (1, 0)}
"""Planar 4:2:0, chroma in two planes at half size: the positions of the U and V planes."""
FORMATS = frozenset([*ORDERS, *PACKED, *HALF_PLANES, *THIRD_PLANES, "R8", "MJPEG"])


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
    if name in ORDERS:
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
    bytes_a_pixel, order = ORDERS[layout.format]
    rows = _rows(data, layout, width * bytes_a_pixel).reshape(height, width, bytes_a_pixel)
    if order == (0, 1, 2) and bytes_a_pixel == 3:
        # Without padding `_plane` returns a view, and the camera reuses the buffer: copy it.
        return np.array(rows)
    return np.ascontiguousarray(rows[..., list(order)])


def _colour_planes(data: Array, layout: StreamLayout) -> tuple[Array, Array, Array]:
    """Return the Y, U and V planes; U and V may be of half the size."""
    width, height = layout.size_px
    half_width, half_height = (width + 1) // 2, (height + 1) // 2
    name, stride = layout.format, layout.stride
    if name in PACKED:
        bright, u, v = PACKED[name]
        rows = _rows(data, layout, half_width * 4)
        return rows[:, bright::2][:, :width], rows[:, u::4], rows[:, v::4]
    bright_rows = _rows(data, layout, width)
    start = stride * height
    if name in HALF_PLANES:
        pairs = _plane(data, start, half_height, stride, half_width * 2)
        u, v = HALF_PLANES[name]
        return bright_rows, pairs[:, u::2], pairs[:, v::2]
    half_stride = stride // 2
    second = start + half_stride * half_height
    planes = [
        _plane(data, begin, half_height, half_stride, half_width) for begin in (start, second)
    ]
    u, v = THIRD_PLANES[name]
    return bright_rows, planes[u], planes[v]


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
