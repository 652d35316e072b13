"""The ground of square cards: border, decoration, backs, and the mark of the upper side."""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterator, Sequence

from engine.draw import snake
from engine.draw.art import WHITE, shape
from engine.draw.display import (
    Item,
    Point,
    drawn,
    filled,
    mix,
    moved,
    placed,
    polygon,
    rectangle,
    rounded,
    stroked,
    turned,
)
from engine.draw.palette import Coat
from engine.lattice import Cell, quarter_turned
from engine.tiles import TileKind, TileSet

CARD = 45.0
"""Side of a card in drawing units, which are scaled to the real pitch."""
MIDDLE = CARD / 2
BORDER = 1.3
"""Width of the darker edge by which a camera finds a card."""
GROUNDS = {
    "schlangennest": ("#fbf6e8", "#a58a5b", "pebbles"),
    "sssnake": ("#f1f8e4", "#6f9457", "leaves"),
    "carnival": ("#fdf5f0", "#b0778f", "confetti"),
}
"""Ground, border and decoration by game."""
PLAIN_GROUND = ("#faf6ec", "#94846a", "pebbles")
SPECKS = 22
"""The number of decorations on a card's ground."""
APART = 30.0
"""The square of the minimum distance between two decorations."""


def grounds(tile_set: TileSet) -> tuple[str, str, str]:
    """Return ground, border and decoration of a set."""
    return GROUNDS.get(tile_set.game, PLAIN_GROUND)


def ground_art(cells: Sequence[Cell], ground: str, border: str) -> Iterator[Item]:
    """Yield the border, painted beyond the card's sides, and the ground inside it."""
    for x, y in cells:
        left, top = x * CARD - MIDDLE, y * CARD - MIDDLE
        yield filled(border, rectangle(left - 5, top - 5, CARD + 10, CARD + 10))
    for x, y in cells:
        left, top, right, bottom = (
            (x * CARD - MIDDLE) + (0 if (x - 1, y) in cells else BORDER),
            (y * CARD - MIDDLE) + (0 if (x, y - 1) in cells else BORDER),
            (x * CARD + MIDDLE) - (0 if (x + 1, y) in cells else BORDER),
            (y * CARD + MIDDLE) - (0 if (x, y + 1) in cells else BORDER),
        )
        yield filled(ground, rectangle(left, top, right - left, bottom - top))


def back_art(cells: Sequence[Cell], border: str) -> Iterator[Item]:
    """Yield a coiled snake on the back of each cell, without an upper side."""
    dark, light = mix(border, "#000000", 0.25), mix(border, WHITE, 0.55)
    gem = drawn(light, dark, 0.5, polygon(((0, -3.2), (2.2, 0), (0, 3.2), (-2.2, 0))))
    for x, y in cells:
        shape: list[Item] = [
            stroked(light, 0.9, rounded(-18.5, -18.5, 37, 37, 5)),
            stroked(dark, 0.5, rounded(-20.2, -20.2, 40.4, 40.4, 6)),
            *(placed([gem], turned(90 * i + 45), moved(0, -19)) for i in range(4)),
            *snake.coil(Coat(light, dark, light, "plain"), 15.5, border, 2.2),
        ]
        yield placed(shape, moved(x * CARD, y * CARD))


def up_mark(kind: TileKind, border: str) -> Iterator[Item]:
    """Yield the small arrow to the upper side, on cards that look different in every turn."""
    if kind.period == 4 and (kind.strands or kind.exits):
        x, y = kind.cells[0][0] * CARD - MIDDLE, kind.cells[0][1] * CARD - MIDDLE
        yield filled(border, polygon(((x + 2.6, y + 6.2), (x + 4.6, y + 2.8), (x + 6.6, y + 6.2))))


def decoration(tile_set: TileSet, kind: TileKind, ground: str) -> Iterator[Item]:
    """Yield faint decorations on the ground, with the same rotational symmetry as the card."""
    _, border, style = grounds(tile_set)
    dice = random.Random(zlib.crc32(kind.shape.encode()))
    copies = 4 // kind.period
    for x, y in kind.cells:
        spots: list[Point] = []
        for _ in range(200):
            spot = (dice.uniform(2.5, 19.5), dice.uniform(-19.5, 19.5))
            around = [quarter_turned(spot, i * kind.period) for i in range(copies)]
            if all((p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2 > APART for p in around for q in spots):
                spots += around
                for i in range(copies):
                    degrees = 90 * kind.period * i
                    speck = _speck(style, len(spots), ground, border)
                    yield placed(speck, moved(x * CARD, y * CARD), turned(degrees), moved(*spot))
            if len(spots) >= SPECKS:
                break


def _speck(style: str, number: int, ground: str, border: str) -> list[Item]:
    if style == "confetti":
        colours = ("#f9c6d4", "#c9e4f7", "#fbe7a6", "#cdeccf", "#e3d2f5")
        return shape("dot" if number % 2 else "scrap", colour=colours[number % 5])
    return shape(style, colour=mix(ground, border, 0.28))
