"""The print of a square card by its role: snakes, logs, a house, gifts, hats, troubles."""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Iterator

from engine.draw import props, snake
from engine.draw.art import WHITE, shape, words, words_width
from engine.draw.display import Item, drawn, ellipse, filled, moved, placed, scaled, turned
from engine.draw.ground import CARD, MIDDLE
from engine.draw.palette import JADE, KNOWN
from engine.draw.snake import HALF, OVERRUN
from engine.draw.spine import Spine, ribbon, spine
from engine.draw.strands import coat_in, is_straight, side_middle, strand_art, strand_spine
from engine.lattice import SQUARE_STEPS, square_neighbour
from engine.tiles import Exit, TileKind, TileSet

BIG_COATS = ("red", "violet", "blue", "orange")
"""The colours of the big snake cards, by number; pattern and ornament differ too."""


def picture(tile_set: TileSet, kind: TileKind, ground: str) -> Iterator[Item]:
    """Yield the shapes on the ground of a card, around the centre of cell ``(0, 0)``."""
    match kind.role:
        case "gift":
            yield from shape(kind.role)
        case "trouble":
            yield from props.trouble(kind.points)
        case "hat":
            hats = [k.name for k in tile_set.kinds.values() if k.role == "hat"]
            yield from props.hat(hats.index(kind.name), kind.points)
        case "house":
            yield from _house(tile_set, kind)
        case "log" | "crossing-log":
            yield from _logs(kind, ground)
        case "knot" if _straight_strand(kind):
            yield from _knot(tile_set, kind, ground)
        case _ if kind.exits:
            yield from _big(kind, ground)
        case _ if kind.strands:
            yield from strand_art(tile_set, kind, ground)
            yield from _extra(kind)
        case _:
            yield from _label(kind)


def printed_points(kind: TileKind) -> Iterator[Item]:
    """Yield printed points in the corners that no strand crosses."""
    if not kind.points or kind.role in ("hat", "trouble"):
        return
    if kind.strands and not is_straight(kind.strands[0]) and len(kind.strands[0].edges) > 1:
        edges = kind.strands[0].edges
        free = [SQUARE_STEPS[e] for e in range(4) if e not in edges]
        yield props.badge(
            kind.points, (15.2 * sum(s[0] for s in free), 15.2 * sum(s[1] for s in free))
        )
        return
    yield props.badge(kind.points, (15.2, 15.2 if kind.role == "knot" else -15.2))
    if kind.role == "knot":
        return
    if kind.period <= 2:
        yield props.badge(kind.points, (-15.2, 15.2), 180)


def number_of(kind: TileKind) -> int:
    """Return the number at the end of a name, counted from 0."""
    digits = re.search(r"(\d+)$", kind.name)
    return int(digits[1]) - 1 if digits else zlib.crc32(kind.name.encode()) % 4


def _extra(kind: TileKind) -> Iterator[Item]:
    """Yield what lies on the first strand: a diamond or plasters."""
    line = strand_spine(kind.strands[0])
    middle = line.at(line.length / 2)
    if kind.role == "diamond":
        yield placed([filled(WHITE, ellipse((0, 0), 11.2))], moved(*middle))
        yield placed(shape("gem"), moved(*middle), scaled(1.05))
    elif kind.role == "sore":
        hurt = props.plasters(line.turn(line.length / 2))
        yield placed(hurt, moved(*middle), scaled(0.8))


def _knot(tile_set: TileSet, kind: TileKind, ground: str) -> Iterator[Item]:
    skin = coat_in(tile_set, kind.strands[0].colour)
    line = props.knot_spine()
    length = line.length

    def half(way: float) -> float:
        share = min(max(way / length, 0.0), 1.0)
        near = min(share, 1 - share)
        return HALF - 2.7 * math.pow(min(1.0, near / 0.12), 1.5)

    degrees = 0 if set(kind.strands[0].edges) == {1, 3} else 90
    middle = length * 0.5
    art = [
        *snake.slimming(line, skin, -OVERRUN, middle, half),
        filled(ground, ribbon(line, length * 0.7, length * 0.95, -6.0, 6.0)),
        *snake.slimming(line, skin, middle - 0.6, length + OVERRUN, half),
    ]
    yield placed(art, turned(degrees))


def _logs(kind: TileKind, ground: str) -> Iterator[Item]:
    for number, strand in enumerate(reversed(kind.strands)):
        line = strand_spine(strand)
        if number:
            yield snake.halo(line, ground, 0.24 * line.length, 0.76 * line.length)
        yield from props.log(line, -OVERRUN, line.length + OVERRUN)


def _house(tile_set: TileSet, kind: TileKind) -> Iterator[Item]:
    for way_out in kind.exits:
        line = spine([side_middle(way_out.cell, way_out.edge), (0.0, 0.0)])
        skin = coat_in(tile_set, way_out.name)
        yield from snake.body(line, skin, -OVERRUN, line.length)
    yield from shape("house")


def _big(kind: TileKind, ground: str) -> Iterator[Item]:
    """Yield a big snake's head and tail, each with a collar at its exit."""
    number = number_of(kind)
    own = KNOWN[BIG_COATS[number % 4]]
    for way_out in sorted(kind.exits, key=lambda e: e.name == "head"):
        room = _room(kind, way_out)
        start = side_middle(way_out.cell, way_out.edge)
        dx, dy = SQUARE_STEPS[way_out.edge]
        line = spine([start, (start[0] - dx * room, start[1] - dy * room)])
        if way_out.name == "tail":
            yield from snake.tail(_waved(line), own, 2.0, room - 2, ground)
        else:
            yield from snake.head(
                line, own, 2.0, room - 6, ground, tongue=6.0, grown=min(1.75, room / 25)
            )
            grown = min(1.75, room / 25)
            at = line.at(room - 6 - 14.0 * grown)
            yield placed(
                shape(props.ORNAMENTS[number % 4]),
                moved(*at),
                turned(line.turn(0)),
                scaled(grown * 0.95),
            )
        yield from snake.body(line, JADE, -OVERRUN, 6.0)
        yield drawn(
            props.GOLD, props.GOLD_DARK, 0.8, ribbon(line, 5.0, 8.2, -HALF - 0.9, HALF + 0.9)
        )
    label = str(number + 1)
    cell = kind.cells[0]
    at_label = (cell[0] * CARD - MIDDLE + 6.5, cell[1] * CARD + MIDDLE - 6.5)
    yield drawn(WHITE, own.outline, 0.9, ellipse(at_label, 4.0))
    yield words(label, at_label, 4.4, own.outline, 0.2)


def _room(kind: TileKind, way_out: Exit) -> float:
    """Return how far a head or tail may reach into the card from its exit, in millimetres."""
    cell, steps = way_out.cell, 0
    inwards = (way_out.edge + 2) % 4
    while cell in kind.cells:
        cell, steps = square_neighbour(cell, inwards), steps + 1
    last = square_neighbour(cell, way_out.edge)
    shared = any(e.cell == last and e.edge == inwards for e in kind.exits)
    share = (0.56 if way_out.name == "head" else 0.44) if shared else 0.8
    return steps * CARD * share


def _waved(line: Spine) -> Spine:
    """Return the line with a wave that grows from its start."""
    count = 60
    return spine(
        [
            line.at(t * line.length, 5.5 * t**1.2 * math.sin(2.2 * math.pi * t) * min(1, t / 0.25))
            for t in (i / count for i in range(count + 1))
        ]
    )


def _label(kind: TileKind) -> Iterator[Item]:
    """Yield the name of a tile that has no role, strands or exits to draw."""
    lines = kind.name.split("/")
    height = min([6.0, *(36.0 / words_width(line, 1.0) for line in lines)])
    for i, line in enumerate(lines):
        y = (i - (len(lines) - 1) / 2) * height * 1.7
        yield words(line, (0, y), height, "#4a4238")


def _straight_strand(kind: TileKind) -> bool:
    return len(kind.strands) == 1 and is_straight(kind.strands[0])
