"""Draws snakes: bodies with scales and a pattern, heads with a face, tails with a tip.

Everything is drawn for a card of 45 mm; callers scale the result.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from engine.draw.art import ART, contours, painted, shape
from engine.draw.display import (
    Contour,
    Group,
    Item,
    Path,
    after,
    filled,
    moved,
    placed,
    polyline,
    scaled,
    stroked,
    turned,
)
from engine.draw.palette import PATTERNS, Coat
from engine.draw.patterns import pattern_marks, scale_net
from engine.draw.spine import Spine, ribbon, spine, taper

HALF = 7.4
"""Half the width of a body, in mm; a body is a third of a card, so two curves leave a gap."""
RIM = 1.0
"""Width of the dark outline, in millimetres."""
OVERRUN = 3.0
"""How far bodies extend beyond the card's side for the bleed, in millimetres."""
TONGUE = "#c81e3a"


def body(line: Spine, coat: Coat, start: float, stop: float, half: float = HALF) -> list[Item]:
    """Return a piece of snake of constant width between two arc lengths of its spine."""
    outer = ribbon(line, start, stop, -half, half)
    inner = ribbon(line, start, stop, -half + RIM, half - RIM)
    return [filled(coat.outline, outer), *_skin(line, coat, inner, start, stop, half - RIM)]


def slimming(
    line: Spine, coat: Coat, start: float, stop: float, half: Callable[[float], float]
) -> list[Item]:
    """Return a piece of snake whose half width is a function of the arc length."""
    outer = taper(line, start, stop, half)
    # Where the body is thinner than its outline, only the outline is drawn.
    thin = 1.6 if half(start) < RIM else 0.0
    inner = taper(line, start + thin, stop, lambda way: max(half(way) - RIM, 0.05))
    widest = max(half(start), half(stop)) - RIM
    return [filled(coat.outline, outer), *_skin(line, coat, inner, start, stop, widest)]


def halo(line: Spine, colour: str, start: float, stop: float, half: float = HALF) -> Path:
    """Return a band in the ground colour, which shows that a body passes above another."""
    return filled(colour, ribbon(line, start, stop, -half - 1.7, half + 1.7))


def tail(
    line: Spine, coat: Coat, start: float, stop: float, ground: str, half: float = HALF
) -> list[Item]:
    """Return a body that ends in a tip with two rings."""
    span = stop - start

    def width(way: float) -> float:
        share = min(max((way - start) / span, 0.0), 1.0)
        return half * math.pow(1 - math.pow(share, 2.2), 0.75) + 0.25

    def shrunk(way: float) -> float:
        return max(width(way) - RIM, 0.05)

    outer = taper(line, start, stop, width)
    inner = taper(line, start, stop - 1.3, shrunk)
    rings = [
        filled(coat.outline, ribbon(line, way, way + 0.9, -width(way) * 0.9, width(way) * 0.9))
        for way in (stop - 0.16 * span - 1.0, stop - 0.30 * span - 1.0)
    ]
    return [
        Path(
            (taper(line, max(start, 3.0), stop + 1.4, lambda way: width(way) + 1.7),), fill=ground
        ),
        filled(coat.outline, outer),
        *_skin(line, coat, inner, start, stop, half - RIM),
        Group(tuple(rings), clip=(inner,)),
    ]


def head(
    line: Spine,
    coat: Coat,
    start: float,
    tip: float,
    ground: str,
    *,
    half: float = HALF,
    tongue: float = 5.0,
    awake: bool = True,
    grown: float = 1.0,
) -> list[Item]:
    """Return a body that ends in a head with its snout at ``tip``.

    Args:
        line: the spine, from the card's side inwards.
        coat: the snake's colours.
        start: arc length where the body begins.
        tip: arc length where the snout ends.
        ground: colour of the gap around the head.
        half: half the width of the body.
        tongue: how far the tongue sticks out; 0 for none.
        awake: whether the eyes are open; neutral snakes sleep.
        grown: scale of the head relative to the body.
    """
    size = half / HALF
    place = after(moved(*line.at(tip)), turned(line.turn(tip)), scaled(size * grown))
    face = _head_shape(coat, tongue / size / grown, awake=awake)
    neck = tip - 9.0 * size * grown
    return [
        placed(shape("around head", ground=ground), place),
        *body(line, coat, start, neck, half),
        placed(face, place),
    ]


def coil(coat: Coat, radius: float, ground: str, turns: float = 1.6) -> list[Item]:
    """Return a snake coiled around (0, 0), its head outermost."""
    half = radius / (1.2 + 2.05 * turns)
    reach = radius - 1.6 * half
    points = [
        ((0.9 * half + reach * t) * math.cos(a), (0.9 * half + reach * t) * math.sin(a))
        for t in (i / 140 for i in range(141))
        for a in [turns * 2 * math.pi * t - 0.6]
    ]
    line = spine(points)
    thin = 14 * half

    def width(way: float) -> float:
        return half * (0.3 + 0.7 * min(1.0, max(way, 0.0) / thin))

    stop = line.length - 5.5 * half / HALF
    return [
        filled(coat.outline, taper(line, 0.0, stop, width)),
        *_skin(line, coat, taper(line, 0.4, stop, lambda w: width(w) * 0.8), 0, stop, half * 0.8),
        *head(
            line,
            coat,
            stop - 1,
            line.length + half * 0.8,
            ground,
            half=half * 1.05,
            tongue=half,
            grown=1.15,
        )[-1:],
    ]


def _head_shape(coat: Coat, tongue: float, *, awake: bool) -> list[Item]:
    """Return a head with its snout at (0, 0), looking to the right."""
    colours = {"outline": coat.outline, "base": coat.base, "shade": coat.shade, "mark": coat.mark}
    whole = shape("head", **colours)
    if tongue:
        fork = tongue * 0.55
        tips = (
            polyline(((-2, 0), (fork, 0), (tongue, -1.7))),
            polyline(((fork, 0), (tongue, 1.7))),
        )
        whole.insert(0, stroked(TONGUE, 1.1, *tips))
    if coat.pattern in PATTERNS:
        mark = painted(ART["patterns"][coat.pattern]["head"], colours)
        whole.append(Group((mark,), clip=contours(ART["head"])))
    return [*whole, *shape("awake" if awake else "asleep", **colours)]


def _skin(
    line: Spine, coat: Coat, inner: Contour, start: float, stop: float, half: float
) -> list[Item]:
    """Return base colour, flanks, scales and pattern inside the outline."""
    flank = half * 0.62
    marks: list[Item] = [
        filled(
            coat.shade,
            ribbon(line, start, stop, -half, -flank),
            ribbon(line, start, stop, flank, half),
        ),
        stroked(coat.net, 0.32, *scale_net(line, start, stop, half)),
        *pattern_marks(line, coat, start, stop, half),
    ]
    return [filled(coat.base, inner), Group(tuple(marks), clip=(inner,))]
