"""Draws a reading over its photo: outlines and names, with own styles for unsure and aside.

A small photo is enlarged, so that the names on its tiles are legible.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion_app.outlining import PLAIN, ink_of, stroke_px

Picture = NDArray[np.uint8]
Points = NDArray[np.float64]
Bgr = tuple[int, int, int]
WIDE_PX = 120.0
"""The least median width of a tile in the drawing, so that a long name has 12-pixel letters."""
LONGEST_PX = 4000
SMALLEST_LETTERS_PX = 11.0
UNSURE = "#f2b632"
ASIDE = "#c9d3de"
SHADE: Bgr = (28, 24, 22)
DARK = 240
"""An outline whose blue, green and red add up to at most this has a light rim, else a dark one."""


@dataclass(frozen=True, slots=True)
class Style:
    """The line style for tiles, unsure tiles, or what lies aside."""

    colour: str = ""
    """The colour of the line; empty for the colour of the tile."""
    dash: tuple[float, float] = (0.0, 0.0)
    """Lengths of strokes and gaps, in line widths; a gap of 0 gives a solid line."""
    width: float = 1.0


STYLES: Mapping[str, Style] = {
    "tiles": Style(),
    "unsure": Style(UNSURE, (3.0, 2.0), 1.2),
    "aside": Style(ASIDE, (0.1, 3.2), 0.9),
}


def drawn_over(
    bgr: Picture,
    table: Mapping[str, Any],
    own_px: Callable[[Points], Points],
    colours: Sequence[str] = (),
) -> Picture:
    """Return a photo with its reading drawn over it.

    Args:
        bgr: the photo, upright.
        table: the table state as a JSON document.
        own_px: maps points of the table state to pixels of ``bgr``.
        colours: the players' colours of the box.
    """
    found = [
        (part, entry, own_px(np.array(entry["outline"], float)))
        for part in STYLES
        for entry in table[part]
        if len(entry.get("outline", ())) > 2
    ]
    scale = _enlargement(bgr, [outline for _, _, outline in found])
    canvas: Picture = np.asarray(
        cv2.resize(bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC), np.uint8
    )
    found = [(part, entry, (outline + 0.5) * scale - 0.5) for part, entry, outline in found]
    width = max(2.0, stroke_px((canvas.shape[1], canvas.shape[0])))
    for part, entry, outline in found:
        style = STYLES[part]
        colour = style.colour or ink_of(str(entry["tile"]), colours)
        _outline(canvas, outline, style, width * style.width, _bgr(colour))
    _write_labels(
        canvas,
        [
            (outline, _words(part, entry), _bgr(STYLES[part].colour or PLAIN))
            for part, entry, outline in found
        ],
    )
    for clay in table["clay"]:
        if "centre" in clay:
            centre = (own_px(np.array([clay["centre"]], float))[0] + 0.5) * scale - 0.5
            _clay(canvas, centre, str(clay["kind"]), width)
    _sum_up(canvas, table)
    return canvas


def _enlargement(bgr: Picture, outlines: Iterable[Points]) -> float:
    widths = [float(np.sqrt(cv2.contourArea(one.astype(np.float32)))) for one in outlines]
    most = LONGEST_PX / max(bgr.shape[:2])
    wanted = WIDE_PX / max(1.0, float(np.median(widths))) if widths else 1.0
    return float(np.clip(wanted, 1.0, max(1.0, most)))


def _words(part: str, entry: Mapping[str, Any]) -> list[str]:
    """Return the lines of a label; a tile's name breaks at its first slash."""
    lines = str(entry["tile"]).split("/", 1)
    if part == "unsure":
        lines[-1] += "?"
        lines.append(str(entry.get("why", "")))
    return [line for line in lines if line]


def _outline(canvas: Picture, outline: Points, style: Style, width: float, colour: Bgr) -> None:
    lines = [np.rint(line * 16).astype(np.int32) for line in _dashes(outline, style, width)]
    rim = SHADE if sum(colour) > DARK else _bgr(PLAIN)
    for ink, wide in ((rim, width * 1.9), (colour, width)):
        cv2.polylines(canvas, lines, False, ink, max(1, round(wide)), cv2.LINE_AA, 4)


def _dashes(outline: Points, style: Style, width: float) -> list[Points]:
    """Return a closed outline as polylines: a solid one, or the dashes along each side."""
    closed = np.vstack([outline, outline[:1]])
    on, off = (length * width for length in style.dash)
    if not off:
        return [closed]
    lines = []
    for start, stop in pairwise(closed):
        length = float(np.hypot(*(stop - start)))
        count = max(1, round((length + off) / (on + off)))
        step = (length + off) / count
        for i in range(count):
            ends = np.clip([i * step, (i + 1) * step - off], 0, length) / max(length, 1e-9)
            lines.append(start + ends[:, None] * (stop - start))
    return lines


def _write_labels(canvas: Picture, labels: Sequence[tuple[Points, Sequence[str], Bgr]]) -> None:
    """Write each label on a plate at its tile's widest point, most in the same letter size."""
    middles = [_middle(outline) for outline, _, _ in labels]
    sizes = [
        _letters(words, 1.5 * room, 1.1 * room)
        for (_, words, _), (_, room) in zip(labels, middles, strict=True)
    ]
    usual = float(np.percentile(sizes, 25)) if sizes else 0.0
    for (_, words, colour), (centre, _), size in zip(labels, middles, sizes, strict=True):
        _plate(canvas, centre, words, min(size, usual), colour)


def _letters(words: Sequence[str], wide_px: float, high_px: float) -> float:
    from models.art.paint import length

    longest = max(length(line, 100.0) for line in words) / 100.0
    return max(SMALLEST_LETTERS_PX, min(wide_px / longest, high_px / len(words) / 1.2, 40.0))


def _plate(canvas: Picture, centre: Points, words: Sequence[str], size: float, colour: Bgr) -> None:
    from models.art.paint import length, write

    wide, high = max(length(line, size) for line in words) + 0.5 * size, 1.2 * size * len(words)
    left, top = centre[0] - wide / 2, centre[1] - high / 2
    box = np.rint([left, top, left + wide, top + high]).astype(int)
    x0, y0 = np.maximum(box[:2], 0)
    part = canvas[y0 : max(box[3], 0), x0 : max(box[2], 0)]
    part[:] = np.rint(part * 0.3 + np.array(SHADE) * 0.7).astype(np.uint8)
    for i, line in enumerate(words):
        baseline = (float(centre[0]), float(top + (i + 0.92) * 1.2 * size))
        write(canvas, baseline, line, size, colour, "middle")


def _middle(outline: Points) -> tuple[Points, float]:
    """Return the point of an outline that is farthest from its border, and how far that is."""
    low = np.floor(outline.min(axis=0)) - 1
    across, down = (np.ceil(outline.max(axis=0)) - low + 2).astype(int)
    mask = np.zeros((min(down, 2 * LONGEST_PX), min(across, 2 * LONGEST_PX)), np.uint8)
    cv2.fillPoly(mask, [np.rint(outline - low).astype(np.int32)], 255)
    depth = cv2.distanceTransform(mask, cv2.DIST_L2, 3)
    # Among points within 10 % of the largest depth, the one nearest to the centroid looks best.
    ys, xs = np.nonzero(depth >= depth.max() * 0.9)
    points = np.stack([xs, ys], axis=1) + low
    nearest = points[np.argmin(((points - outline.mean(axis=0)) ** 2).sum(axis=1))]
    return nearest, max(1.0, float(depth.max()))


def _clay(canvas: Picture, centre: Points, kind: str, width: float) -> None:
    at = (round(float(centre[0])), round(float(centre[1])))
    for ink, wide in ((SHADE, 1.9 * width), (_bgr(UNSURE), width)):
        cv2.circle(canvas, at, round(5 * width), ink, max(1, round(wide)), cv2.LINE_AA)
    below = np.array([centre[0], centre[1] + 9 * width])
    _plate(canvas, below, [kind], max(SMALLEST_LETTERS_PX, 4 * width), _bgr(PLAIN))


def _sum_up(canvas: Picture, table: Mapping[str, Any]) -> None:
    """Write the counts of tiles, unsure and aside in the lower left corner, each in its colour."""
    from models.art.paint import length

    size = max(SMALLEST_LETTERS_PX, max(canvas.shape[:2]) / 70)
    x, y = 0.6 * size, canvas.shape[0] - size
    for part, style in STYLES.items():
        words = f"{len(table[part])} {part}"
        wide = length(words, size)
        _plate(canvas, np.array([x + wide / 2, y]), [words], size, _bgr(style.colour or PLAIN))
        x += wide + size


def _bgr(colour: str) -> Bgr:
    return (int(colour[5:7], 16), int(colour[3:5], 16), int(colour[1:3], 16))
