"""Where two pictures of one table differ, after exposure and white balance are made equal."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core.types import Bgr, Points

Small = NDArray[np.float32]
Mask = NDArray[np.bool_]
Box = tuple[int, int, int, int]
"""Left, top, right and bottom in pixels of the whole picture; right and bottom are outside."""

WIDTH_PX = 480
"""Of the small picture: at 1280 pixels a tile of 24 is 9 wide there, and sensor noise is averaged
away."""
LEVELS = 9.0
"""Noise of a usual picture stays below 5 levels of 255 after the averaging."""
ABOVE_NOISE = 9.0
"""In a noisier one so many times what half of the pixels differ by: six deviations."""
MOST_NOISE = 8.0
"""Where half of the pixels differ by more, that is no noise: everything looks different."""
LEAST_PX = 5
"""Smaller specks of the small picture are noise: a tile of 24 pixels has 81."""


def shrunk(bgr: Bgr) -> Small:
    """Return a small, smooth copy of a picture."""
    height, width = bgr.shape[:2]
    size = WIDTH_PX, max(1, round(WIDTH_PX * height / width))
    small = cv2.resize(bgr, size, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.GaussianBlur(small, (5, 5), 1.0), np.float32)


def in_its_light(old: Small, new: Small) -> Small:
    """Return an older picture as bright and of the tint that a newer one has."""
    # Every sixth pixel will do; each colour by itself, since lamps differ in tint.
    one, other = new[::6, ::6].reshape(-1, 3), old[::6, ::6].reshape(-1, 3)
    gains = np.clip(np.median((one + 4) / (other + 4), axis=0), 0.1, 10.0)
    return np.asarray(cv2.transform(old, np.diag(gains).astype(np.float32)), np.float32)


def changed_between(old: Small, new: Small) -> Mask:
    """Return where two small pictures differ, specks left out."""
    blue, green, red = cv2.split(cv2.absdiff(new, in_its_light(old, new)))
    off = cv2.max(cv2.max(blue, green), red)
    noise = float(np.median(off[::6, ::6]))
    if noise > MOST_NOISE:
        return np.ones(off.shape, bool)
    mask = np.asarray(off > max(LEVELS, ABOVE_NOISE * noise), np.uint8)
    if not mask.any():
        return mask.astype(bool)
    _, labels, stats, _ = cv2.connectedComponentsWithStats(mask)
    large = stats[:, cv2.CC_STAT_AREA] >= LEAST_PX
    large[0] = False
    return np.asarray(large[labels])


def grown(mask: Mask, by_px: float) -> Mask:
    """Return a mask that reaches so much further, in pixels of the small picture."""
    radius = max(1, round(by_px))
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * radius + 1, 2 * radius + 1))
    return np.asarray(cv2.dilate(mask.astype(np.uint8), kernel) > 0)


def boxes_around(mask: Mask, room_px: float, size_px: tuple[int, int]) -> list[Box]:
    """Return boxes around the parts of a mask, with room, none of them overlapping.

    Args:
        mask: in the small picture.
        room_px: free space around each part, in pixels of the whole picture.
        size_px: width and height of the whole picture.
    """
    scale = size_px[0] / mask.shape[1]
    _, _, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8))
    boxes = []
    for left, top, width, height, _ in stats[1:].tolist():
        low_x, low_y = left * scale - room_px, top * scale - room_px
        high_x, high_y = (left + width) * scale + room_px, (top + height) * scale + room_px
        boxes.append((
            max(0, int(low_x)), max(0, int(low_y)),
            min(size_px[0], int(high_x) + 1), min(size_px[1], int(high_y) + 1),
        ))  # fmt: skip
    return _merged(boxes)


def _merged(boxes: list[Box]) -> list[Box]:
    done: list[Box] = []
    for box in boxes:
        meeting = [other for other in done if _meet(box, other)]
        lows, highs = zip(*((b[:2], b[2:]) for b in (box, *meeting)), strict=True)
        (left, top), (right, bottom) = (
            map(min, zip(*lows, strict=True)),
            map(max, zip(*highs, strict=True)),
        )
        done = [*(other for other in done if other not in meeting), (left, top, right, bottom)]
    return done if len(done) == len(boxes) else _merged(done)


def _meet(one: Box, other: Box) -> bool:
    return (
        one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
    )  # fmt: skip


def painted_on(outlines: list[Points], shape: tuple[int, ...], scale: float) -> Mask:
    """Return a mask of the small picture with outlines of the whole one filled."""
    mask = np.zeros(shape[:2], np.uint8)
    for outline in outlines:
        points = np.round(np.asarray(outline, np.float64) * scale).astype(np.int32)
        cv2.fillPoly(mask, [points.reshape(-1, 1, 2)], 1)
    return np.asarray(mask > 0)
