"""Paints display lists into pictures with OpenCV: quickly, and always the same."""

from __future__ import annotations

import pathlib
from collections.abc import Iterable, Sequence
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from engine.draw.display import (
    IDENTITY,
    Affine,
    Contour,
    Group,
    Item,
    Path,
    Point,
    after,
    enlargement,
    mapped,
    scaled,
)

Bgr = tuple[int, int, int]
FONTS = tuple(
    pathlib.Path("/usr/share/fonts") / folder / "DejaVuSans-Bold.ttf"
    for folder in ("truetype/dejavu", "dejavu", "TTF", "dejavu-sans-fonts")
)
"""Where a font of most scripts lies on the systems that have it; else Pillow's own, of Latin."""
LARGEST_PX = 2000
Picture = NDArray[np.uint8]
SUBPIXEL_BITS = 4
"""OpenCV takes corners in whole sixteenths of a pixel."""
MOST_PIXELS = 40_000_000
"""Of the enlarged canvas; larger faces (whole boards) are enlarged less before they are reduced."""


# --- Letters ---


def write(
    canvas: Picture,
    at: tuple[float, float],
    words: str,
    size_px: float,
    colour: Bgr,
    anchor: str = "start",
) -> None:
    """Paint a line of words into a picture, standing on ``at``: its start, middle or end."""
    font = _font(round(size_px))
    left, top, right, bottom = (round(side) for side in font.getbbox(words, anchor="ls"))
    x = at[0] - {"start": 0, "middle": 0.5, "end": 1}[anchor] * font.getlength(words)
    mask = Image.new("L", (max(1, right - left), max(1, bottom - top)))
    ImageDraw.Draw(mask).text((-left, -top), words, 255, font, anchor="ls")
    _blend(canvas, np.asarray(mask), (round(x) + left, round(at[1]) + top), colour)


def length(words: str, size_px: float) -> float:
    """Return how many pixels a line of words is long."""
    return _font(round(size_px)).getlength(words)


def _blend(canvas: Picture, mask: Picture, at: tuple[int, int], colour: Bgr) -> None:
    left, top = (max(0, -side) for side in at)
    x, y = (max(0, side) for side in at)
    mask = mask[top : top + max(0, canvas.shape[0] - y), left : left + max(0, canvas.shape[1] - x)]
    if not mask.size:
        return
    part = canvas[y : y + mask.shape[0], x : x + mask.shape[1]]
    share = mask[..., None] / 255.0
    part[:] = np.rint(part * (1 - share) + np.array(colour) * share).astype(np.uint8)


@lru_cache(maxsize=16)
def _font(size_px: int) -> ImageFont.FreeTypeFont:
    size = max(1, min(LARGEST_PX, size_px))
    for path in FONTS:
        if path.is_file():
            return ImageFont.truetype(path, size)
    font = ImageFont.load_default(size)
    assert isinstance(font, ImageFont.FreeTypeFont)
    return font


def paint(items: Iterable[Item], size_mm: tuple[float, float], px_per_mm: float) -> Picture:
    """Return a blue-first picture of what lies within ``(0, 0)`` and ``size_mm``."""
    width, height = (max(1, round(side * px_per_mm)) for side in size_mm)
    finer = 3 if width * height * 9 < MOST_PIXELS else 2
    canvas = np.full((height * finer, width * finer, 3), 255, np.uint8)
    _paint_items(canvas, items, after(scaled(px_per_mm * finer), IDENTITY))
    return _reduced(canvas, (width, height))


def coverage(
    contours: Sequence[Contour], size_mm: tuple[float, float], px_per_mm: float
) -> Picture:
    """Return how much of each pixel lies inside contours, 0 to 255."""
    width, height = (max(1, round(side * px_per_mm)) for side in size_mm)
    canvas = np.zeros((height * 3, width * 3), np.uint8)
    cv2.fillPoly(canvas, _corners(contours, scaled(px_per_mm * 3)), 255, cv2.LINE_8, SUBPIXEL_BITS)
    return _reduced(canvas, (width, height))


def _reduced(canvas: Picture, size: tuple[int, int]) -> Picture:
    return np.asarray(cv2.resize(canvas, size, interpolation=cv2.INTER_AREA), np.uint8)


def _paint_items(canvas: Picture, items: Iterable[Item], transform: Affine) -> None:
    for item in items:
        if isinstance(item, Path):
            _paint_path(canvas, item, transform)
        elif isinstance(item, Group):
            inner = after(transform, item.transform)
            if item.clip:
                _paint_clipped(canvas, item, inner)
            else:
                _paint_items(canvas, item.items, inner)
        elif item.words:
            at, size = mapped(transform, item.at), item.size * enlargement(transform)
            write(canvas, at, item.words, size, _bgr(item.colour), item.anchor)


def _paint_path(canvas: Picture, path: Path, transform: Affine) -> None:
    if path.fill and path.contours:
        corners = _corners(path.contours, transform)
        cv2.fillPoly(canvas, corners, _bgr(path.fill), cv2.LINE_8, SUBPIXEL_BITS)
    if path.stroke:
        thickness = max(1, round(path.width * enlargement(transform)))
        for contour in path.contours:
            cv2.polylines(
                canvas,
                _corners((contour,), transform),
                contour.closed,
                _bgr(path.stroke),
                thickness,
                cv2.LINE_8,
                SUBPIXEL_BITS,
            )


def _paint_clipped(canvas: Picture, group: Group, transform: Affine) -> None:
    corners = _corners(group.clip, transform)
    every = np.concatenate(corners).reshape(-1, 2) >> SUBPIXEL_BITS
    left, top = np.maximum(every.min(axis=0) - 1, 0)
    right, bottom = np.minimum(every.max(axis=0) + 2, (canvas.shape[1], canvas.shape[0]))
    if left >= right or top >= bottom:
        return
    window = canvas[top:bottom, left:right]
    shifted = after((1.0, 0.0, 0.0, 1.0, -float(left), -float(top)), transform)
    mask = np.zeros(window.shape[:2], np.uint8)
    cv2.fillPoly(mask, _corners(group.clip, shifted), 255, cv2.LINE_8, SUBPIXEL_BITS)
    layer = window.copy()
    _paint_items(layer, group.items, shifted)
    cv2.copyTo(layer, mask, window)


def _corners(contours: Sequence[Contour], transform: Affine) -> list[NDArray[np.int32]]:
    """Return the contours as many short lines, in sixteenths of a pixel.

    OpenCV counts from the middle of the first pixel, we from its corner.
    """
    factor = 1 << SUBPIXEL_BITS
    return [
        np.rint((np.array(_flat(contour, transform)) - 0.5) * factor).astype(np.int32)
        for contour in contours
    ]


def _flat(contour: Contour, transform: Affine) -> list[Point]:
    here = mapped(transform, contour.start)
    points = [here]
    for segment in contour.segments:
        ends = [mapped(transform, segment[i : i + 2]) for i in range(0, len(segment), 2)]  # type: ignore[arg-type]
        if len(ends) == 1:
            points.append(ends[0])
        else:
            points += _cubic(here, *ends)
        here = ends[-1]
    return points


def _cubic(start: Point, a: Point, b: Point, stop: Point) -> list[Point]:
    span = abs(stop[0] - start[0]) + abs(stop[1] - start[1])
    steps = int(min(16, 3 + span // 10))
    points = []
    for i in range(1, steps + 1):
        t = i / steps
        w0, w1, w2, w3 = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
        points.append(
            (
                w0 * start[0] + w1 * a[0] + w2 * b[0] + w3 * stop[0],
                w0 * start[1] + w1 * a[1] + w2 * b[1] + w3 * stop[1],
            )
        )
    return points


def _bgr(colour: str) -> tuple[int, int, int]:
    return (int(colour[5:7], 16), int(colour[3:5], 16), int(colour[1:3], 16))
