"""Drawings on cards other than snakes: logs, gifts, clouds, hats, gems, plasters, the house."""

from __future__ import annotations

import math

from engine.draw.art import WHITE, shape, words
from engine.draw.display import (
    Group,
    Item,
    Point,
    drawn,
    ellipse,
    filled,
    moved,
    placed,
    rounded,
    stroked,
    turned,
)
from engine.draw.snake import HALF
from engine.draw.spine import Spine, ribbon, spine

BARK, WOOD, GRAIN = "#54371d", "#b98448", "#8a5a2b"
GOLD, GOLD_DARK = "#ffcf33", "#9a6b00"
GOOD, BAD = "#1f7a3a", "#b3261e"
"""The colours of printed points that help and that cost."""
HATS = ("jester", "top hat", "cone", "pot")
ORNAMENTS = ("crown", "flower", "glasses", "cap")


def log(line: Spine, start: float, stop: float) -> list[Item]:
    """Return a tree trunk along a spine, as wide as a snake, so that snakes continue in it."""
    inner = ribbon(line, start, stop, -HALF + 1.3, HALF - 1.3)
    grain: list[Item] = [
        stroked(GRAIN, 0.55, ribbon(line, start - 5, stop + 5, aside - 0.01, aside + 0.01))
        for aside in (-3.6, -1.3, 1.3, 3.6)
    ]
    middle = line.length / 2
    knots = [line.at(middle - line.length * 0.27, -2.4), line.at(middle + line.length * 0.27, 2.4)]
    grain += [
        drawn("#a06c36", GRAIN, 0.6, ellipse(knot, 2.0), ellipse(knot, 0.7)) for knot in knots
    ]
    return [
        filled(BARK, ribbon(line, start, stop, -HALF, HALF)),
        filled(WOOD, inner),
        Group(tuple(grain), clip=(inner,)),
    ]


def trouble(value: int) -> list[Item]:
    """Return a thunder cloud with its points, around (0, 0)."""
    return [*shape("trouble"), words(f"{-abs(value)}", (2.6, 11.0), 7.0, BAD, 0.2)]


def hat(look: int, value: int) -> list[Item]:
    """Return one of four hats with its points below, around (0, 0)."""
    colour = GOOD if value > 0 else BAD
    return [
        placed(shape(HATS[look % 4]), moved(0, -5.5)),
        drawn(WHITE, colour, 1.1, rounded(-8.5, 8.2, 17, 10, 4)),
        words(f"{value:+d}", (0, 13.2), 6.0, colour, 0.2),
    ]


def plasters(degrees: float) -> list[Item]:
    """Return two crossed plasters over a bump, for a snake that hit a corner."""
    strips = (placed(shape("plaster"), turned(degrees + turn)) for turn in (45, -45))
    return [*shape("bump"), *strips]


def badge(value: int, at: Point, degrees: float = 0.0) -> Item:
    """Return printed points in a circle."""
    colour = GOOD if value > 0 else BAD
    points = words(f"{value:+d}", (0, 0), 3.9 if abs(value) < 10 else 3.0, colour, 0.2)
    circle = drawn(WHITE, colour, 0.9, ellipse((0, 0), 4.9))
    return placed([circle, points], moved(*at), turned(degrees))


def knot_spine() -> Spine:
    """Return a line from W to E that crosses itself once."""

    def at(t: float) -> Point:
        x = 45 * (t - 0.5) + 20 * math.sin(2 * math.pi * t)
        y = -7.5 * (1 - math.cos(2 * math.pi * t)) + 7.5 * math.sin(2 * math.pi * t) ** 2
        return (x, y + 2.0 * math.sin(math.pi * t) ** 2)

    return spine([at(i / 160) for i in range(161)])
