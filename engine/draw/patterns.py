"""Scales and patterns along a body; every colour has its own pattern, for colour-blind players.

Marks are evenly spaced between the two sides of a strand and symmetric, so that the pattern
continues from card to card.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from engine.draw.art import ART, commands, painted, pairs
from engine.draw.display import Contour, Item, ellipse, filled, stroked
from engine.draw.palette import Coat
from engine.draw.spine import Spine, line_on, on, ribbon

MARK_STEP = 11.25
"""The distance between marks in millimetres: four marks on a straight card of 45 mm."""
SCALE_STEP = 5.6
WIDEST_DOT = 1.9


def pattern_marks(
    line: Spine, coat: Coat, start: float, stop: float, half: float
) -> Iterator[Item]:
    """Yield the marks of a coat's pattern; none for the pattern ``plain``.

    Args:
        line: the spine.
        coat: the colours, and the pattern.
        start: the arc length where the body begins.
        stop: the arc length where it ends.
        half: half the body's width inside its outline.
    """
    step = line.length / max(1, round(line.length / MARK_STEP))
    first, last = math.floor(start / step), math.ceil(stop / step)
    if coat.pattern == "stripes":
        for near, far in ((-0.52, -0.2), (0.2, 0.52)):
            yield filled(coat.mark, ribbon(line, start, stop, near * half, far * half))
    elif coat.pattern == "zigzag":
        turns = [
            (i * step / 2 + step / 4, half * (0.55 if i % 2 == 0 else -0.55))
            for i in range(2 * first - 1, 2 * last + 1)
        ]
        yield stroked(coat.mark, half * 0.42, line_on(line, turns))
    for written in ART["patterns"].get(coat.pattern, {"body": ()})["body"]:
        mark = painted(written, {"mark": coat.mark, "outline": coat.outline})
        shapes = [
            _laid(line, (i + 0.5) * step, step, half, *command)
            for i in range(first, last)
            for command in commands(written.split(": ")[1])
        ]
        yield replace(mark, contours=tuple(shapes), width=mark.width * half)


def scale_net(line: Spine, start: float, stop: float, half: float) -> Iterator[Contour]:
    """Yield the lines between scales."""
    step = line.length / max(1, round(line.length / SCALE_STEP))
    for i in range(math.floor(start / step) - 1, math.ceil(stop / step) + 1):
        for sign in (-1, 1):
            bow = [(i * step + step * k, sign * half * (k - 1)) for k in range(3)]
            yield line_on(line, bow)


def _laid(
    line: Spine, way: float, step: float, half: float, letter: str, numbers: tuple[float, ...]
) -> Contour:
    """Return a shape of a mark on a spine: along in steps, aside in half widths."""
    x, y, *size = numbers
    if letter == "B":
        along, aside = size
        return ribbon(line, way + x * step, way + (x + along) * step, y * half, (y + aside) * half)
    if letter == "E":
        dot = min(WIDEST_DOT, half * 0.3)
        return ellipse(line.at(way + x * step, y * half), dot * size[0])
    points = [(along * step, aside * half) for along, aside in pairs(numbers)]
    if letter == "P":
        return on(line, way, points)
    # Lines look towards the middle of the strand.
    turn = -1 if way > line.length / 2 else 1
    return line_on(line, [(way + turn * along, aside) for along, aside in points])
