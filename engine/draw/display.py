"""The display list: vector shapes in millimetres, the source of SVG, PDF and raster pictures.

x grows to the right, y down. Strokes have round caps and joins. Shapes of several contours are
filled by the even-odd rule, so that an inner contour is a hole. There is no transparency, so that
every printer and renderer shows the same colours.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

Point = tuple[float, float]
Affine = tuple[float, float, float, float, float, float]
"""``(a, b, c, d, e, f)`` maps ``(x, y)`` to ``(a x + c y + e, b x + d y + f)``, as in SVG."""

IDENTITY: Affine = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
ROUND = 0.5522847498
"""Handle length of the cubic Bézier that approximates a quarter circle of radius 1."""


@dataclass(frozen=True, slots=True)
class Contour:
    """One run of straight lines and cubic Béziers."""

    start: Point
    segments: tuple[tuple[float, ...], ...]
    """Two numbers are a line to that point; six are a cubic: two handles and the end point."""
    closed: bool = True


@dataclass(frozen=True, slots=True)
class Path:
    """Contours that are painted together."""

    contours: tuple[Contour, ...]
    fill: str | None = None
    """The fill colour as ``#rrggbb``; ``None`` for no fill."""
    stroke: str | None = None
    width: float = 0.0


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text, for titles and names only; faces draw their letters as shapes."""

    at: Point
    words: str
    size: float
    colour: str = "#333333"
    anchor: str = "start"
    """The alignment at ``at``: ``start``, ``middle`` or ``end``."""


@dataclass(frozen=True, slots=True)
class Group:
    """Shapes that are moved, turned or clipped together."""

    items: tuple[Item, ...]
    transform: Affine = IDENTITY
    clip: tuple[Contour, ...] = ()
    """The clipping path, in the group's own coordinates; empty for no clip."""
    key: str = ""
    """Groups with the same key differ only in their transform, and may be written once."""


Item = Path | Text | Group


def polygon(points: Sequence[Point]) -> Contour:
    """Return a closed contour of straight sides."""
    return Contour(points[0], tuple(points[1:]))


def polyline(points: Sequence[Point]) -> Contour:
    """Return an open contour of straight lines."""
    return Contour(points[0], tuple(points[1:]), closed=False)


def rectangle(left: float, top: float, width: float, height: float) -> Contour:
    """Return an upright rectangle."""
    right, bottom = left + width, top + height
    return polygon(((left, top), (right, top), (right, bottom), (left, bottom)))


def rounded(left: float, top: float, width: float, height: float, radius: float) -> Contour:
    """Return an upright rectangle with round corners."""
    right, bottom, k = left + width, top + height, radius * (1 - ROUND)
    return Contour(
        (left + radius, top),
        (
            (right - radius, top),
            (right - k, top, right, top + k, right, top + radius),
            (right, bottom - radius),
            (right, bottom - k, right - k, bottom, right - radius, bottom),
            (left + radius, bottom),
            (left + k, bottom, left, bottom - k, left, bottom - radius),
            (left, top + radius),
            (left, top + k, left + k, top, left + radius, top),
        ),
    )


def ellipse(centre: Point, rx: float, ry: float | None = None) -> Contour:
    """Return an axis-aligned ellipse, or a circle if only one radius is given."""
    x, y = centre
    ry = rx if ry is None else ry
    kx, ky = rx * ROUND, ry * ROUND
    return Contour(
        (x + rx, y),
        (
            (x + rx, y + ky, x + kx, y + ry, x, y + ry),
            (x - kx, y + ry, x - rx, y + ky, x - rx, y),
            (x - rx, y - ky, x - kx, y - ry, x, y - ry),
            (x + kx, y - ry, x + rx, y - ky, x + rx, y),
        ),
    )


def filled(colour: str, *contours: Contour) -> Path:
    """Return contours filled with a colour."""
    return Path(contours, fill=colour)


def stroked(colour: str, width: float, *contours: Contour) -> Path:
    """Return contours drawn as lines."""
    return Path(contours, stroke=colour, width=width)


def drawn(fill: str, stroke: str, width: float, *contours: Contour) -> Path:
    """Return contours filled and outlined."""
    return Path(contours, fill=fill, stroke=stroke, width=width)


def traced(curve: Callable[[float], Point], start: float, stop: float, pieces: int) -> Contour:
    """Return an open contour of cubics that approximates a smooth curve."""
    step = (stop - start) / pieces
    points = [curve(start + i * step) for i in range(pieces + 1)]
    slopes = [_slope(curve, start + i * step, step / 20) for i in range(pieces + 1)]
    segments = []
    for (p, u), (q, v) in zip(
        zip(points, slopes, strict=True), list(zip(points, slopes, strict=True))[1:], strict=False
    ):
        k = step / 3
        segments.append(
            (p[0] + u[0] * k, p[1] + u[1] * k, q[0] - v[0] * k, q[1] - v[1] * k, q[0], q[1])
        )
    return Contour(points[0], tuple(segments), closed=False)


def joined(*contours: Contour) -> Contour:
    """Return one closed contour that runs through open contours in order."""
    segments = list(contours[0].segments)
    for contour in contours[1:]:
        segments += [contour.start, *contour.segments]
    return Contour(contours[0].start, tuple(segments))


def moved(x: float, y: float) -> Affine:
    """Return a translation."""
    return (1.0, 0.0, 0.0, 1.0, x, y)


def scaled(factor: float) -> Affine:
    """Return a uniform scaling about the origin."""
    return (factor, 0.0, 0.0, factor, 0.0, 0.0)


def turned(degrees: float) -> Affine:
    """Return a rotation about the origin, clockwise on the screen."""
    if degrees % 90 == 0:
        cos, sin = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[round(degrees / 90) % 4]
    else:
        cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return (cos, sin, -sin, cos, 0.0, 0.0)


def after(*maps: Affine) -> Affine:
    """Return the composition of maps, applied from the last to the first (matrix product)."""
    result = IDENTITY
    for m in maps:
        a, b, c, d, e, f = result
        result = (
            a * m[0] + c * m[1],
            b * m[0] + d * m[1],
            a * m[2] + c * m[3],
            b * m[2] + d * m[3],
            a * m[4] + c * m[5] + e,
            b * m[4] + d * m[5] + f,
        )
    return result


def mapped(transform: Affine, point: Point) -> Point:
    """Return the image of a point under a map."""
    a, b, c, d, e, f = transform
    return (a * point[0] + c * point[1] + e, b * point[0] + d * point[1] + f)


def enlargement(transform: Affine) -> float:
    """Return the scale factor of a map: the root of its absolute determinant."""
    return math.sqrt(abs(transform[0] * transform[3] - transform[1] * transform[2]))


def placed(items: Iterable[Item], *maps: Affine) -> Group:
    """Return the items transformed by maps, which apply from the last to the first."""
    return Group(tuple(items), after(*maps))


def mix(colour: str, other: str, share: float) -> str:
    """Return the linear mix of two colours; ``share`` is the part of ``other``, 0 to 1."""
    pairs = ((int(colour[i : i + 2], 16), int(other[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def _slope(curve: Callable[[float], Point], t: float, small: float) -> Point:
    (x0, y0), (x1, y1) = curve(t - small), curve(t + small)
    return ((x1 - x0) / (2 * small), (y1 - y0) / (2 * small))
