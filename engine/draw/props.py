"""Drawings on cards other than snakes: logs, gifts, clouds, hats, gems, plasters, the house."""

from __future__ import annotations

import math

from engine.draw.display import (
    Contour,
    Group,
    Item,
    Path,
    Point,
    drawn,
    ellipse,
    filled,
    moved,
    placed,
    polygon,
    polyline,
    rectangle,
    rounded,
    scaled,
    stroked,
    turned,
)
from engine.draw.letters import words
from engine.draw.palette import INK, WHITE
from engine.draw.snake import HALF
from engine.draw.spine import Spine, ribbon, spine

BARK, WOOD, GRAIN = "#54371d", "#b98448", "#8a5a2b"
CLOUD, CLOUD_DARK = "#7d8799", "#454d5c"
GOLD, GOLD_DARK = "#ffcf33", "#9a6b00"


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


def gift() -> list[Item]:
    """Return a wrapped box with a bow, around (0, 0)."""
    red, dark, ribbon_colour = "#ef5d8f", "#8c1d4b", GOLD
    loops = [
        Contour((0, -8.5), ((-4, -18, -13, -17, -11.5, -11.5), (-10.5, -8.5, -4, -8.5, 0, -8.5))),
        Contour((0, -8.5), ((4, -18, 13, -17, 11.5, -11.5), (10.5, -8.5, 4, -8.5, 0, -8.5))),
    ]
    return [
        drawn(red, dark, 1.0, rounded(-12.5, -3.5, 25, 18.5, 1.5)),
        filled(ribbon_colour, rectangle(-2.6, -3.5, 5.2, 18.5)),
        filled(
            mix_dots := "#ffd9e6",
            *(ellipse(p, 1.2) for p in ((-8.5, 2), (-6, 9), (-10, 12), (8.5, 2), (6, 9), (10, 12))),
        ),
        drawn(mix_dots, dark, 1.0, rounded(-14.5, -8.5, 29, 6.5, 1.4)),
        filled(ribbon_colour, rectangle(-2.6, -8.0, 5.2, 5.5)),
        drawn(ribbon_colour, GOLD_DARK, 0.9, *loops),
        drawn(ribbon_colour, GOLD_DARK, 0.9, ellipse((0, -9.2), 2.3)),
    ]


def trouble(value: int) -> list[Item]:
    """Return a thunder cloud with its points, around (0, 0)."""
    puffs = [((-9, -3), 7.0), ((0, -8), 9.0), ((9.5, -3.5), 7.0), ((0, -1), 8.0)]
    bolt = polygon(
        ((-9.5, 2), (-14, 10.5), (-10.2, 10), (-13, 17.5), (-4.5, 7.2), (-8.3, 7.6), (-6, 2))
    )
    drops = [
        Contour(
            (x, y),
            ((x + 2.6, y + 4, x + 1.6, y + 6, x, y + 6), (x - 1.6, y + 6, x - 2.6, y + 4, x, y)),
        )
        for x, y in ((13.6, 5.0),)
    ]
    return [
        filled(CLOUD_DARK, *(ellipse(c, r + 1.1) for c, r in puffs[:1])),
        *(filled(CLOUD_DARK, ellipse(c, r + 1.1)) for c, r in puffs[1:]),
        drawn(GOLD, GOLD_DARK, 0.9, bolt),
        *(drawn("#6fb7ee", "#1d4f80", 0.8, drop) for drop in drops),
        *(filled(CLOUD, ellipse(c, r)) for c, r in puffs),
        stroked(CLOUD_DARK, 1.0, polyline(((-7.5, -11.6), (-3.6, -9.9)))),
        stroked(CLOUD_DARK, 1.0, polyline(((7.5, -11.6), (3.6, -9.9)))),
        filled(WHITE, ellipse((-4.2, -7.4), 1.7), ellipse((4.2, -7.4), 1.7)),
        filled(INK, ellipse((-3.8, -7.2), 0.95), ellipse((3.8, -7.2), 0.95)),
        stroked(CLOUD_DARK, 1.0, Contour((-3, -2.6), ((-2, -4.4, 2, -4.4, 3, -2.6),), False)),
        drawn(WHITE, "#b3261e", 1.2, ellipse((3.0, 11.0), 7.2)),
        words(f"{-abs(value)}", (2.6, 11.0), 7.0, "#b3261e", 0.2),
    ]


def hat(look: int, value: int) -> list[Item]:
    """Return one of four hats with its points below, around (0, 0)."""
    shape = (_jester, _top_hat, _cone, _pot)[look % 4]()
    colour = "#1f7a3a" if value > 0 else "#b3261e"
    return [
        placed(shape, moved(0, -5.5)),
        drawn(WHITE, colour, 1.1, rounded(-8.5, 8.2, 17, 10, 4)),
        words(f"{value:+d}", (0, 13.2), 6.0, colour, 0.2),
    ]


def gem(size: float = 1.0) -> list[Item]:
    """Return a cut diamond, around (0, 0)."""
    light, mid, deep, edge = "#e6fbff", "#9fe6f7", "#4fb9dc", "#0f5673"
    outline = ((-9, -2.5), (-5, -8), (5, -8), (9, -2.5), (0, 9))
    table = ((-4, -2.5), (0, -8), (4, -2.5))
    facets: list[Item] = [
        filled(mid, polygon(outline)),
        filled(light, polygon(((-5, -8), (0, -8), (-4, -2.5)))),
        filled(light, polygon(((0, -8), (5, -8), (4, -2.5)))),
        filled(WHITE, polygon(((-9, -2.5), (-5, -8), (-4, -2.5)))),
        filled(deep, polygon(((9, -2.5), (4, -2.5), (0, 9)))),
        filled(light, polygon(((-4, -2.5), (4, -2.5), (0, 9)))),
        stroked(
            edge, 0.7, polyline(((-9, -2.5), (9, -2.5))), polyline(((-4, -2.5), (0, 9), (4, -2.5)))
        ),
        stroked(edge, 0.7, polyline(table)),
        Path((polygon(outline),), stroke=edge, width=1.2),
    ]
    return [placed(facets, scaled(size))]


def plasters(at: Point, degrees: float) -> list[Item]:
    """Return two crossed plasters over a bump, for a snake that hit a corner."""
    strip: list[Item] = [
        drawn("#f6cfa3", "#8a5a35", 0.8, rounded(-9, -2.7, 18, 5.4, 2.6)),
        filled("#fbe8d2", rectangle(-3.2, -2.2, 6.4, 4.4)),
        filled(
            "#b57f52", *(ellipse((x, y), 0.42) for x in (-6.6, -4.8, 4.8, 6.6) for y in (-1, 1))
        ),
    ]
    star = polygon(
        [
            (r * math.cos(a * math.pi / 8), r * math.sin(a * math.pi / 8))
            for a in range(16)
            for r in ((11.0,) if a % 2 == 0 else (8.2,))
        ]
    )
    return [
        placed([drawn("#ff8a7a", "#a02618", 0.9, star)], moved(*at)),
        placed(strip, moved(*at), turned(degrees + 45)),
        placed(strip, moved(*at), turned(degrees - 45)),
    ]


def house() -> list[Item]:
    """Return a house seen from the front, its roof up, around (0, 0)."""
    wall, roof, dark = "#fff0cf", "#c8553d", "#5b2a1c"
    return [
        drawn("#8fbf6a", "#4d7a2d", 0.9, ellipse((0, 0.6), 14.6)),
        drawn(roof, dark, 1.0, rectangle(4.2, -11.5, 3.4, 7)),
        drawn(wall, dark, 1.0, rectangle(-8.5, -2.5, 17, 11.5)),
        drawn(roof, dark, 1.0, polygon(((-11.5, -2.2), (0, -12.5), (11.5, -2.2)))),
        stroked(
            dark, 0.5, polyline(((-7.4, -5.2), (7.4, -5.2))), polyline(((-3.8, -8.4), (3.8, -8.4)))
        ),
        drawn(
            "#7a4a25",
            dark,
            0.8,
            Contour((-2.8, 9), ((-2.8, 3), (-2.8, -1.2, 2.8, -1.2, 2.8, 3), (2.8, 9))),
        ),
        filled(GOLD, ellipse((1.5, 5), 0.6)),
        drawn("#9fd8f2", dark, 0.8, rectangle(-7, 0.6, 3, 3.4), rectangle(4, 0.6, 3, 3.4)),
    ]


def badge(value: int, at: Point, degrees: float = 0.0) -> Item:
    """Return printed points in a circle."""
    colour = "#1f7a3a" if value > 0 else "#b3261e"
    shape: list[Item] = [
        drawn(WHITE, colour, 0.9, ellipse((0, 0), 4.9)),
        words(f"{value:+d}", (0, 0), 3.9 if abs(value) < 10 else 3.0, colour, 0.2),
    ]
    return placed(shape, moved(*at), turned(degrees))


def knot_spine() -> Spine:
    """Return a line from W to E that crosses itself once."""

    def at(t: float) -> Point:
        x = 45 * (t - 0.5) + 20 * math.sin(2 * math.pi * t)
        y = -7.5 * (1 - math.cos(2 * math.pi * t)) + 7.5 * math.sin(2 * math.pi * t) ** 2
        return (x, y + 2.0 * math.sin(math.pi * t) ** 2)

    return spine([at(i / 160) for i in range(161)])


def ornament(number: int) -> list[Item]:
    """Return what a big snake wears on its head, around (0, 0), facing right."""
    return (_crown, _flower, _glasses, _cap)[number % 4]()


def _crown() -> list[Item]:
    points = ((-5, -6), (4, -7), (1.4, -3.5), (5.5, 0), (1.4, 3.5), (4, 7), (-5, 6))
    pearls = [ellipse(p, 1.1) for p in ((4, -7), (5.5, 0), (4, 7))]
    return [
        drawn(GOLD, GOLD_DARK, 0.9, polygon(points)),
        drawn("#e8413c", GOLD_DARK, 0.7, *pearls),
        filled("#3a7be0", ellipse((-2.4, 0), 1.3)),
    ]


def _flower() -> list[Item]:
    petals = [
        (4.1 * math.cos(a), 4.1 * math.sin(a)) for a in (i * 2 * math.pi / 6 for i in range(6))
    ]
    return [
        *(drawn("#ff9ac4", "#9c2f63", 0.7, ellipse(p, 2.7)) for p in petals),
        drawn(GOLD, GOLD_DARK, 0.8, ellipse((0, 0), 2.7)),
    ]


def _glasses() -> list[Item]:
    rims = [ellipse((7.2, side * 4.95), 3.9) for side in (-1, 1)]
    return [
        Path(tuple(rims), stroke=INK, width=1.3),
        stroked(
            INK, 1.3, polyline(((5.2, -8.6), (-1.5, -9.6))), polyline(((5.2, 8.6), (-1.5, 9.6)))
        ),
    ]


def _cap() -> list[Item]:
    red, dark = "#dd3b32", "#6b1512"
    seams = [
        polyline(((-1, 0), (-1 + 6.2 * math.cos(a), 6.2 * math.sin(a))))
        for a in (i * math.pi / 3 + math.pi / 6 for i in range(6))
    ]
    return [
        drawn(red, dark, 0.9, Contour((2, -6.5), ((10, -6, 10, 6, 2, 6.5),))),
        drawn(WHITE, dark, 0.9, ellipse((-1, 0), 6.4)),
        stroked(dark, 0.6, *seams),
        drawn(red, dark, 0.6, ellipse((-1, 0), 2.0)),
    ]


def _jester() -> list[Item]:
    left = Contour((-9, 8), ((-11, -2, -13, -9, -17, -5), (-17, -11, -8, -14, 0, 1), (0, 8)))
    right = Contour((9, 8), ((11, -2, 13, -9, 17, -5), (17, -11, 8, -14, 0, 1), (0, 8)))
    top = Contour((-5.5, 4), ((-4, -6, -3, -11, 0, -14), (3, -11, 4, -6, 5.5, 4)))
    bells = [ellipse(p, 1.9) for p in ((-17, -4), (17, -4), (0, -14))]
    return [
        drawn("#2fa84f", "#0f4a22", 1.0, left),
        drawn("#dd3b32", "#6b1512", 1.0, right),
        drawn("#9552cf", "#3d1c63", 1.0, top),
        drawn(GOLD, GOLD_DARK, 0.9, rounded(-10.5, 6, 21, 4.6, 2)),
        *(drawn(GOLD, GOLD_DARK, 0.8, bell) for bell in bells),
    ]


def _top_hat() -> list[Item]:
    return [
        drawn("#3a3a44", INK, 1.0, Contour((-8, 6), ((-8.6, -13), (8.6, -13), (8, 6)))),
        drawn("#dd3b32", "#6b1512", 0.9, rectangle(-8.2, 0.2, 16.4, 4.6)),
        drawn("#3a3a44", INK, 1.0, rounded(-15, 5, 30, 4.8, 2.4)),
        drawn("#f4f2ee", INK, 0.7, ellipse((9, -6), 2.3), ellipse((9, -6), 0.7)),
    ]


def _cone() -> list[Item]:
    cone = Contour((-10.5, 9.5), ((-2, -13), (10.5, 9.5), (4, 12.5, -4, 12.5, -10.5, 9.5)))
    bands: list[Item] = [
        stroked("#ffe27a", 2.4, polyline(((-12, y + 3), (12, y - 3)))) for y in (-7, 0, 7)
    ]
    return [
        filled("#2d74da", cone),
        Group(tuple(bands), clip=(cone,)),
        Path((cone,), stroke="#12305f", width=1.0),
        *(
            drawn("#ff9ac4", "#9c2f63", 0.7, ellipse(p, 2.0))
            for p in ((-3.6, -12.6), (-0.4, -13), (-2, -15.3))
        ),
    ]


def _pot() -> list[Item]:
    return [
        drawn("#9aa2ad", "#454d5c", 1.0, rounded(8, -6, 13, 3.4, 1.6)),
        drawn(
            "#aeb6c0",
            "#454d5c",
            1.0,
            Contour((-11, -4.5), ((-11, 3, -9, 9.5, -6, 9.5), (6, 9.5), (9, 9.5, 11, 3, 11, -4.5))),
        ),
        drawn("#c7ced6", "#454d5c", 1.0, rounded(-12.5, -7.5, 25, 4, 2)),
        stroked("#eef1f4", 1.3, polyline(((-7.5, -0.5), (-6.4, 5)))),
        drawn("#e9c46a", "#7a5200", 0.8, polygon(((1, 1), (6, 0), (7, 5), (2, 6)))),
        stroked(
            "#7a5200", 0.6, polyline(((2.2, 2.2), (5.8, 4.4))), polyline(((5.4, 1.4), (2.8, 4.9)))
        ),
    ]
