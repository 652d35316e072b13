"""Spines: the centre line of a snake, and shapes along it.

``way`` is the arc length along a spine, ``aside`` the offset to its right, both in millimetres.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from engine.draw.display import Contour, Point, joined, polygon, polyline, traced

MM_A_PIECE = 7.0
"""The length of a cubic in mm, short enough to follow every bend of a snake within 0.02 mm."""


@dataclass(frozen=True, slots=True)
class Spine:
    """A smooth line, sampled densely; beyond its ends it is extended straight."""

    points: tuple[Point, ...]
    lengths: tuple[float, ...]
    """The arc length from the start to each point."""

    @property
    def length(self) -> float:
        """The arc length of the whole line, in millimetres."""
        return self.lengths[-1]

    def at(self, way: float, aside: float = 0.0) -> Point:
        """Return the point at an arc length, shifted to the right by ``aside``."""
        i = min(max(bisect_right(self.lengths, way) - 1, 0), len(self.points) - 2)
        start, stop = self.lengths[i], self.lengths[i + 1]
        share = (way - start) / (stop - start)
        (x0, y0), (x1, y1) = self.points[i], self.points[i + 1]
        dx, dy = self.heading(way)
        return (x0 + (x1 - x0) * share - dy * aside, y0 + (y1 - y0) * share + dx * aside)

    def heading(self, way: float) -> Point:
        """Return the unit tangent at an arc length."""
        i = min(max(bisect_right(self.lengths, way) - 1, 0), len(self.points) - 2)
        start, stop = self.lengths[i], self.lengths[i + 1]
        share = min(max((way - start) / (stop - start), 0.0), 1.0)
        u, v = self._corner(i), self._corner(i + 1)
        dx, dy = u[0] + (v[0] - u[0]) * share, u[1] + (v[1] - u[1]) * share
        size = math.hypot(dx, dy)
        return (dx / size, dy / size)

    def turn(self, way: float) -> float:
        """Return the direction at an arc length, in degrees clockwise from the right."""
        dx, dy = self.heading(way)
        return math.degrees(math.atan2(dy, dx))

    def _corner(self, i: int) -> Point:
        (x0, y0) = self.points[max(i - 1, 0)]
        (x1, y1) = self.points[min(i + 1, len(self.points) - 1)]
        size = math.hypot(x1 - x0, y1 - y0)
        return ((x1 - x0) / size, (y1 - y0) / size)


def spine(points: Sequence[Point]) -> Spine:
    """Return the spine through points that are dense, or on one straight line."""
    steps = (math.dist(p, q) for p, q in pairwise(points))
    return Spine(tuple(points), tuple(accumulate(steps, initial=0.0)))


def bent(start: Point, corner: Point, stop: Point, samples: int = 24) -> list[Point]:
    """Return points of the quadratic Bézier curve with one control point, ``corner``."""

    def blend(t: float, k: int) -> float:
        return (1 - t) ** 2 * start[k] + 2 * t * (1 - t) * corner[k] + t * t * stop[k]

    return [(blend(i / samples, 0), blend(i / samples, 1)) for i in range(samples + 1)]


def quarter(start: Point, centre: Point, stop: Point, samples: int = 30) -> list[Point]:
    """Return points of the shorter circular arc around a centre, from one point to another."""
    radius = math.dist(start, centre)
    first = math.atan2(start[1] - centre[1], start[0] - centre[0])
    last = math.atan2(stop[1] - centre[1], stop[0] - centre[0])
    sweep = (last - first + math.pi) % (2 * math.pi) - math.pi
    angles = (first + sweep * i / samples for i in range(samples + 1))
    return [(centre[0] + radius * math.cos(a), centre[1] + radius * math.sin(a)) for a in angles]


def ribbon(line: Spine, start: float, stop: float, left: float, right: float) -> Contour:
    """Return the band between two offsets from a spine (negative is left)."""
    pieces = _pieces(line, start, stop)
    one = traced(lambda way: line.at(way, left), start, stop, pieces)
    other = traced(lambda way: line.at(way, right), stop, start, pieces)
    return joined(one, other)


def taper(line: Spine, start: float, stop: float, half: Callable[[float], float]) -> Contour:
    """Return the band whose half width is a function of the arc length."""
    pieces = max(6, _pieces(line, start, stop))
    one = traced(lambda way: line.at(way, -half(way)), start, stop, pieces)
    other = traced(lambda way: line.at(way, half(way)), stop, start, pieces)
    return joined(one, other)


def on(line: Spine, way: float, shape: Sequence[Point]) -> Contour:
    """Return a polygon on a spine; its points are (along, aside), relative to ``way``."""
    return polygon([line.at(way + along, aside) for along, aside in shape])


def line_on(line: Spine, places: Sequence[Point]) -> Contour:
    """Return a polyline through points given as (way, aside) of a spine."""
    return polyline([line.at(way, aside) for way, aside in places])


def _pieces(line: Spine, start: float, stop: float) -> int:
    if len(line.points) == 2:
        return 1
    return max(2, math.ceil((stop - start) / MM_A_PIECE))
