"""Says whether a picture is good enough to read tiles from, and what would make it better.

Each tile is measured in a patch of fixed size, so that blur in one corner of the picture is found
as well as blur everywhere, and blur is measured relative to the tile.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from vision.core.types import CLIPPED, SMALLEST_PX, Advice, Bgr, Points, Quality, width_of

MEASURED_SHORT = 0.98
"""Factor on the least tile width: outlines are measured up to 2 % too small."""
MOST_LOOKED_AT = 60
"""At most this many tiles are measured, sampled evenly: 60 patches take 8 ms."""
BLURRED = 0.085
"""Standard deviation of the blur, as a share of the tile, above which a tile is blurred. Sharp
tiles measure 0.034 in a patch of 40 pixels; at 0.085 a blur of 7 % of the tile has swallowed the
print's thin lines."""
DARK = 45.0
"""A tile whose 90th percentile of brightness (0 to 255) is lower is dark: JPEG lost its colours."""
GLARING, GLARING_MORE = 0.25, 0.2
"""A tile glares if more than this share of it is clipped, and this much more than the median."""
TOO_BRIGHT = 0.45
"""If more than this share of the median tile is clipped, the whole picture is over-exposed."""
WASHED_OUT = 0.35
"""A brighter tile with less than this share of the median contrast is washed out by glare."""
SPOILT_SHARE = 0.3
"""From this share of dark or glaring tiles on, the picture is not good enough. With fewer, there is
only advice."""
LOST_SHARE = 0.5
"""From this share of blurred, cut-off or covered tiles on, the picture is not good enough; they do
not harm the other tiles. Of 150 held-out tables, three with a third of their tiles blurred by this
measure were read exactly."""
SOFT_SHARE = 0.15
"""Below this share blurred tiles are not reported: tiles with little print always measure soft."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Thresholds of the picture's quality; they differ by print, as some are easier to read."""

    blurred: float = BLURRED
    dark: float = DARK
    measured_short: float = MEASURED_SHORT
    lost: float = LOST_SHARE
    """Largest share of tiles that may be cut off or covered."""
    told_px: float = 0.0
    """Narrower tiles are reported as small, even if the picture is good enough."""
    poorly_told_px: float = 0.0
    """Narrower tiles are reported as small if the picture is not good enough: outlines of blurred,
    cut-off or faded tiles are measured too wide."""


USUAL = Limits()

TEXTS = {
    "blur": "The picture is blurred here: hold the camera still, wipe the lens, or focus again.",
    "dark": "It is too dark here: switch on a lamp, or open the curtains.",
    "glare": "Light is mirrored on tiles here: move the lamp, or tilt the camera a little.",
    "bright": "The picture is too bright here: dim the lamp, or lower the camera's exposure.",
    "small": "The tiles are too small, {px:.0f} pixels across instead of 24: "
    "bring the camera closer, or use a higher resolution.",
    "hardly": "The tiles are hardly 24 pixels across: "
    "bring the camera closer, or use a higher resolution.",
    "cut-off": "Tiles are cut off by the edge of the picture: move the camera back or aside.",
    "covered": "Something covers tiles here: take hands and things off them.",
    "grey": "The picture has no colours, so tiles of different colours look alike: "
    "take it in colour.",
}
"""The advice shown to the owner, by trouble."""


def assess(
    bgr: Bgr,
    outlines: Sequence[Points],
    *,
    scale: float = 1.0,
    cut_off: Sequence[Points] = (),
    covered: Sequence[Points] = (),
    limits: Limits = USUAL,
    of: int | None = None,
    cut_read: int = 0,
    burnt: Sequence[Points] = (),
    beside: Sequence[Points] = (),
) -> Quality:
    """Say whether the tiles of a layout can be read from a picture.

    Args:
        bgr: the picture.
        outlines: the tiles' corners in pixels of ``bgr``; if there are none, the picture as a whole
            is measured.
        scale: pixels of the full-size picture per pixel of ``bgr``; advice boxes are full-size.
        cut_off: cut-off tiles, in addition to those of ``outlines`` that leave the picture.
        covered: tiles that are known to lie under a hand or an object.
        limits: the thresholds.
        of: the total number of tiles, cut-off and covered ones included, if ``outlines`` are only
            some of them.
        cut_read: how many of ``cut_off`` are surely read nevertheless; these do not count as lost,
            unless most of the layout is cut off.
        burnt: outlines of possible tiles that are clipped to white.
        beside: tiles not known to be in play; if they are small, there is only advice.
    """
    size = (bgr.shape[1], bgr.shape[0])
    cut_tiles = [*cut_off, *(o for o in outlines if leaves(o, size))]
    whole = [o for o in outlines if not leaves(o, size)]
    every = of or len(whole) + len(cut_tiles) + len(covered)
    gone = len(cut_tiles) - cut_read + len(covered)
    lost = gone > limits.lost * every or len(cut_tiles) > LOST_SHARE * every
    troubles = () if outlines else picture_troubles(bgr)
    found = [
        *((_advice(what, None, scale, size), True) for what in troubles),
        *(
            _small(whole, scale, size, limits)
            or _hardly([*covered, *beside], scale, size, SMALLEST_PX)
        ),
        *_spoilt(bgr, whole, scale, size, limits, burnt=bool(burnt)),
        *_hidden("cut-off", cut_tiles, lost, scale, size),
        *_hidden("covered", covered, lost, scale, size),
        *_hidden("glare", burnt, True, scale, size),
    ]
    ok = not any(serious for _, serious in found)
    if not ok and "small" not in {advice.what for advice, _ in found}:
        every_tile = [*outlines, *cut_off, *covered, *beside]
        found += _hardly(every_tile, scale, size, limits.poorly_told_px)
    return Quality(ok, tuple(advice for advice, _ in found))


def _hidden(
    what: str, outlines: Sequence[Points], lost: bool, scale: float, size: tuple[int, int]
) -> list[tuple[Advice, bool]]:
    """Return advice about tiles that are partly or fully hidden, if there are any."""
    return [(_advice(what, outlines, scale, size), lost)] if outlines else []


def grey_advice() -> Advice:
    """Return the advice about a picture without colours.

    Its ``what`` is ``unknown-tile``, since colourless tiles cannot be told apart.
    """
    return Advice("unknown-tile", TEXTS["grey"])


def tile_trouble(bgr: Bgr, outline: Points, *, scale: float = 1.0) -> str | None:
    """Return what makes one tile hard to read, or ``None`` when nothing does.

    Args:
        bgr: the picture.
        outline: the tile's corners in pixels of ``bgr``.
        scale: pixels of the full-size picture per pixel of ``bgr``.
    """
    if leaves(outline, (bgr.shape[1], bgr.shape[0])):
        return "cut-off"
    if width_of(outline) * scale < SMALLEST_PX * MEASURED_SHORT:
        return "small"
    looks = look_at(bgr, [outline])
    if looks.brightness[0] < DARK:
        return "dark"
    flat_and_bright = looks.contrast[0] < FLAT and looks.middle[0] > 225
    if looks.clipped[0] > TOO_BRIGHT or flat_and_bright:
        return "glare"
    return "blur" if looks.blur[0] > BLURRED else None


def leaves(outline: Points, size_px: tuple[int, int]) -> bool:
    """Say whether an outline extends beyond the picture by more than a pixel."""
    low, high = outline.min(axis=0), outline.max(axis=0)
    return bool((low < -1.5).any() or (high > np.array(size_px) + 0.5).any())


def _small(
    outlines: Sequence[Points], scale: float, size: tuple[int, int], limits: Limits
) -> list[tuple[Advice, bool]]:
    widths = [width_of(o) * scale for o in outlines]
    least = SMALLEST_PX * limits.measured_short
    tiny = [o for o, w in zip(outlines, widths, strict=True) if w < least]
    if not tiny:
        return _hardly(outlines, scale, size, limits.told_px)
    advice = _advice("small", tiny, scale, size)
    text = advice.text.format(px=np.floor(min(widths)))
    return [(Advice("small", text, advice.box), True)]


def _hardly(
    outlines: Sequence[Points], scale: float, size: tuple[int, int], below_px: float
) -> list[tuple[Advice, bool]]:
    """Return advice about tiles narrower than ``below_px``, if there are any."""
    tiny = [o for o in outlines if width_of(o) * scale < below_px]
    return [(_advice("hardly", tiny, scale, size), False)] if tiny else []


def _spoilt(
    bgr: Bgr,
    outlines: Sequence[Points],
    scale: float,
    size: tuple[int, int],
    limits: Limits,
    *,
    burnt: bool,
) -> list[tuple[Advice, bool]]:
    """Return advice about blur, darkness and glare, and whether each is serious.

    Glare and brightness are left out if there are burnt tiles, which have advice of their own.
    """
    if len(outlines) > MOST_LOOKED_AT:
        chosen = np.linspace(0, len(outlines) - 1, MOST_LOOKED_AT).round().astype(int)
        outlines = [outlines[i] for i in chosen]
    if not outlines:
        return []
    looks = look_at(bgr, outlines)
    usual = float(np.median(looks.clipped))
    glare = (looks.clipped > GLARING) & (looks.clipped > usual + GLARING_MORE)
    glare |= (looks.contrast < WASHED_OUT * float(np.median(looks.contrast))) & (
        looks.middle > np.maximum(200, 1.15 * float(np.median(looks.middle)))
    )
    bright = np.full(len(outlines), usual > TOO_BRIGHT) & (looks.clipped > TOO_BRIGHT)
    dark = looks.brightness < limits.dark
    # Small tiles always measure blurred, and are already reported as small.
    least = SMALLEST_PX * limits.measured_short
    large = np.array([width_of(o) * scale >= least for o in outlines])
    blur = (looks.blur > limits.blurred) & ~dark & ~glare & large
    found = []
    shining = () if burnt else (("glare", glare), ("bright", bright))
    for what, troubled in (("dark", dark), ("blur", blur), *shining):
        if troubled.any():
            where = [o for o, bad in zip(outlines, troubled, strict=True) if bad]
            share = float(troubled.mean())
            serious = share >= (LOST_SHARE if what == "blur" else SPOILT_SHARE)
            soft = share >= SOFT_SHARE or float(np.median(looks.blur)) > 0.7 * limits.blurred
            if what != "blur" or soft:
                found.append((_advice(what, where, scale, size), serious))
    return found


# --- Pictures in which no tile was found ---

WIDE_PX = 480
PICTURE_BLURRED_PX = 3.2
"""Blur (standard deviation in a picture of 480 pixels) above which no tile of 24 can be found."""


def picture_troubles(bgr: Bgr) -> list[str]:
    """Return what is wrong with the picture as a whole, to explain why no tile was found."""
    factor = min(1.0, WIDE_PX / max(bgr.shape))
    small = cv2.resize(bgr, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    brightest = small.max(axis=2)
    if float(np.quantile(brightest, 0.98)) < DARK:
        return ["dark"]
    if float((small.min(axis=2) >= CLIPPED).mean()) > 0.7:
        return ["bright"]
    gray = cv2.GaussianBlur(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), (5, 5), 0.7)
    steep = cv2.magnitude(cv2.Sobel(gray, cv2.CV_32F, 1, 0), cv2.Sobel(gray, cv2.CV_32F, 0, 1)) / 8
    low, high = np.quantile(gray, [0.02, 0.98])
    contrast = float(high - low)
    if contrast < FLAT:
        return []
    return (
        ["blur"] if 0.4 * contrast / float(np.quantile(steep, 0.998)) > PICTURE_BLURRED_PX else []
    )


def _advice(
    what: str, outlines: Sequence[Points] | None, scale: float, size: tuple[int, int]
) -> Advice:
    word = {"bright": "glare", "hardly": "small"}.get(what, what)
    if outlines is None:
        return Advice(word, TEXTS[what].replace(" here:", ":"))
    points = np.concatenate([np.asarray(o, np.float64) for o in outlines])
    low = np.clip(np.floor(points.min(axis=0)), 0, np.array(size) - 1) * scale
    high = np.clip(np.ceil(points.max(axis=0)) + 1, 1, np.array(size)) * scale
    left, top = (int(v) for v in low)
    return Advice(word, TEXTS[what], (left, top, int(high[0]) - left, int(high[1]) - top))


PATCH_PX = 40
FLAT = 25.0
"""Contrast in grey levels below which blur cannot be measured."""


@dataclass(frozen=True, eq=False)
class Looks:
    """Measurements of tiles, arrays with one number per tile."""

    blur: Any
    """Standard deviation of the blur, as a share of the tile; 0 if its contrast is too low."""
    brightness: Any
    clipped: Any
    contrast: Any
    middle: Any
    """Median brightness."""


def look_at(bgr: Bgr, outlines: Sequence[Points]) -> Looks:
    """Measure tiles, each in a patch of its own."""
    count = len(outlines)
    if not count:
        return Looks(*[np.zeros(0)] * 5)
    # One array per channel: NumPy is slow along an axis of length three. It also sorts int16
    # thirty times as fast as uint8.
    planes = [plane.reshape(count, -1) for plane in cv2.split(_patches(bgr, outlines))]
    every_second = [np.sort(plane[:, ::2].astype(np.int16), axis=1) for plane in planes]
    contrasts = np.stack([_at(plane, 0.97) - _at(plane, 0.03) for plane in every_second])
    channel = contrasts.argmax(axis=0)
    contrast = contrasts.max(axis=0).astype(np.float64)
    best = np.stack(planes)[channel, np.arange(count)]
    # The slope of a blurred edge is its height divided by 2.5 standard deviations of the blur.
    blur = 0.4 * contrast / np.maximum(_steepness(best), 1e-3) / PATCH_PX
    lightest = np.sort(np.maximum.reduce(planes)[:, ::2].astype(np.int16), axis=1)
    clipped = (np.minimum.reduce(planes) >= CLIPPED).mean(axis=1)
    blur = np.where(contrast < FLAT, 0.0, blur)
    return Looks(blur, _at(lightest, 0.9), clipped, contrast, _at(lightest, 0.5))


def _at(ranked: Any, share: float) -> Any:
    return ranked[:, int(ranked.shape[1] * share)]


def _patches(bgr: Bgr, outlines: Sequence[Points]) -> Any:
    """Return all tiles in one column, each resampled to ``PATCH_PX`` wide and high.

    For speed all tiles are resampled in one call, bilinearly instead of by homography, which is
    accurate enough to measure tiles but not to read them.
    """
    quads = np.array([_quad(np.asarray(outline, np.float64)) for outline in outlines])
    low = np.maximum(np.floor(quads.min(axis=(0, 1))) - 4, 0).astype(int)
    high = np.ceil(quads.max(axis=(0, 1))).astype(int) + 5
    part: Any = bgr[low[1] : max(high[1], low[1] + 1), low[0] : max(high[0], low[0] + 1)]
    sides = np.linalg.norm(quads - np.roll(quads, 1, axis=1), axis=2)
    shrink = max(1, int(np.median(sides) / (1.25 * PATCH_PX)))
    if shrink > 1 and min(part.shape[:2]) > shrink:
        size = (part.shape[1] // shrink, part.shape[0] // shrink)
        part = cv2.resize(part, size, interpolation=cv2.INTER_AREA)
    else:
        shrink = 1
    steps = np.linspace(-0.04, 1.04, PATCH_PX)
    across, down = (axis.ravel() for axis in np.meshgrid(steps, steps))
    weights = np.stack(
        [(1 - across) * (1 - down), across * (1 - down), across * down, (1 - across) * down]
    ).astype(np.float32)
    corners = ((quads - low + 0.5) / shrink - 0.5).astype(np.float32)
    xs, ys = ((corners[..., axis] @ weights).reshape(-1, PATCH_PX) for axis in (0, 1))
    return cv2.remap(part, xs, ys, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)


def _quad(outline: Points) -> Any:
    """Return a square's own corners, or those of a square fitted into a hex."""
    if len(outline) == 4:
        return outline
    turns = np.arange(len(outline)) * 2 * np.pi / len(outline)
    right = 2 * np.cos(turns) @ outline / len(outline)
    down = 2 * np.sin(turns) @ outline / len(outline)
    corners = ((-1, -1), (1, -1), (1, 1), (-1, 1))
    return np.array([outline.mean(axis=0) + 0.8 * (x * right + y * down) for x, y in corners])


def _steepness(flat: Any) -> Any:
    """Return the slope of each patch's steepest edges, in the direction where it is lowest.

    Motion blur softens only one direction, and every tile has edges in at least two.
    """
    count = len(flat)
    # All patches are blurred as one tall picture, in one call.
    tall = cv2.GaussianBlur(flat.reshape(-1, PATCH_PX).astype(np.float32), (5, 5), 0.7)
    soft = tall.reshape(count, PATCH_PX, PATCH_PX)
    across = (soft[:, 2:-2, 3:-1] - soft[:, 2:-2, 1:-3]) / 2
    down = (soft[:, 3:-1, 2:-2] - soft[:, 1:-3, 2:-2]) / 2
    softest = np.full(count, np.inf)
    for turn in np.arange(4) * np.pi / 4:
        slope = np.abs(np.cos(turn) * across + np.sin(turn) * down).reshape(count, -1)
        place = int(slope.shape[1] * 0.985)
        softest = np.minimum(softest, np.partition(slope, place, axis=1)[:, place])
    return softest
