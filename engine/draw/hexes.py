"""Faces of hex tiles with their notches, and the geometry of hex cells."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from engine.draw import snake
from engine.draw.art import words, words_width
from engine.draw.display import (
    Affine,
    Contour,
    Item,
    Path,
    Point,
    filled,
    mix,
    moved,
    placed,
    polygon,
    polyline,
    rectangle,
    scaled,
    stroked,
    turned,
)
from engine.draw.face import BLEED_MM, Face
from engine.draw.palette import Coat, coat
from engine.draw.spine import Spine, bent, spine
from engine.lattice import Cell, hex_neighbours
from engine.tiles import TileKind, TileSet

HEX = 20.0
"""Flat-to-flat width of a cell in drawing units, which are scaled to the real pitch."""
HALF = 4.3
"""Half the width of a snake on a hex tile, in drawing units."""
EDGE = 0.9
"""Width of the dark edge of a tile, in drawing units."""


def centre(cell: Cell, width: float = HEX) -> Point:
    """Return the centre of a cell, relative to the centre of ``(0, 0)``."""
    q, r = cell
    return (width * (q + r / 2), width * math.sqrt(3) / 2 * r)


def corner(cell: Cell, number: int, width: float = HEX) -> Point:
    """Return a corner of a cell; corner 0 is between the sides NE and E, then clockwise."""
    x, y = centre(cell, width)
    angle = math.radians(60 * number - 30)
    radius = width / math.sqrt(3)
    return (x + radius * math.cos(angle), y + radius * math.sin(angle))


def hexagon(cell: Cell, width: float = HEX, share: float = 1.0) -> Contour:
    """Return the outline of a cell, scaled by ``share`` around its centre."""
    x, y = centre(cell, width)
    return polygon(
        [
            (x + (p[0] - x) * share, y + (p[1] - y) * share)
            for p in (corner(cell, i, width) for i in range(6))
        ]
    )


def outline(cells: Sequence[Cell], width: float = HEX) -> tuple[Point, ...]:
    """Return the corners around connected cells without a hole, clockwise."""
    inside = set(cells)
    sides = [
        (cell, i)
        for cell in cells
        for i, other in enumerate(hex_neighbours(cell))
        if other not in inside
    ]
    following = {_rounded(corner(cell, i, width)): corner(cell, i + 1, width) for cell, i in sides}
    here = start = corner(*sides[0], width)
    corners = []
    for _ in following:
        corners.append(here)
        here = following[_rounded(here)]
        if math.dist(here, start) < width / 100:
            break
    return tuple(corners)


def notches(cells: Sequence[Cell]) -> tuple[tuple[Cell, int], ...]:
    """Return the sides of a tile's cells that have a notch.

    Notches show where a tile ends: an inner hex has them on its four free sides, the end hex of a
    longer tile on the two sides next to its joint, a single hex has none.
    """
    found = []
    for cell in cells:
        joints = [i for i, other in enumerate(hex_neighbours(cell)) if other in cells]
        if len(joints) == 1:
            found += [(cell, (joints[0] + 1) % 6), (cell, (joints[0] - 1) % 6)]
        elif joints:
            found += [(cell, i) for i in range(6) if i not in joints]
    return tuple(found)


def hex_face(tile_set: TileSet, kind: TileKind, pitch_mm: float, side: str = "front") -> Face:
    """Return one side of a hex tile; the back is the mirror image of the front."""
    skin = coat(kind.colour or "grey", tile_set.colours)
    art = tile_art(kind.cells, skin) if kind.path else _named(kind, skin)
    flip = side == "back"
    cells = tuple((-q - r, r) for q, r in kind.cells) if flip else kind.cells
    # The outline of the mirrored cells is clockwise too.
    corners = outline(cells, pitch_mm)
    left, top = min(x for x, _ in corners), min(y for _, y in corners)
    size = (max(x for x, _ in corners) - left, max(y for _, y in corners) - top)
    mirror: Affine = (-1.0 if flip else 1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
    items = (placed(art, moved(-left, -top), scaled(pitch_mm / HEX), mirror),)
    shifted = tuple((x - left, y - top) for x, y in corners)
    bleed = polygon(grown(shifted, BLEED_MM))
    return Face(kind.name, side, items, size, shifted, bleed, cells, (-left, -top))


@lru_cache(maxsize=512)
def tile_art(cells: tuple[Cell, ...], skin: Coat) -> tuple[Item, ...]:
    """Return the art of a hex tile, around the centre of ``(0, 0)``.

    Args:
        cells: the cells in order, from the snake's head to its tail.
        skin: the coat of the snake.
    """
    around = polygon(outline(cells))
    ground = skin.pale
    items: list[Item] = [
        Path((around,), fill=ground, stroke=skin.outline, width=9.0),
        filled(ground, *(hexagon(cell) for cell in cells)),
        stroked(mix(ground, skin.outline, 0.35), 0.35, *_seams(cells)),
        Path((around,), stroke=skin.outline, width=2 * EDGE),
        filled(skin.outline, *(_notch(cell, side) for cell, side in notches(cells))),
    ]
    if len(cells) == 1:
        rolled = snake.coil(skin, 8.0, ground, 1.12)
        return (*items, placed(rolled, moved(0.4, -1.2), turned(78)))
    line = _path_spine(cells)
    neck, tip = line.length - 7.0, line.length

    def half(way: float) -> float:
        share = min(max(way / 13.0, 0.0), 1.0)
        return HALF * (1 - math.pow(1 - share, 2.4)) + 0.3

    return (
        *items,
        *snake.slimming(line, skin, 0.0, neck, half),
        *snake.head(line, skin, neck - 0.5, tip, ground, half=HALF, tongue=0.0, grown=1.12)[1:],
    )


def _named(kind: TileKind, skin: Coat) -> tuple[Item, ...]:
    """Return the art of a hex tile without a snake: its cells and its name."""
    lines = kind.name.split("/")
    height = min([3.4, *(15.0 / words_width(line, 1.0) for line in lines)])
    names = [
        words(line, (0, (i - (len(lines) - 1) / 2) * height * 1.7), height, skin.outline)
        for i, line in enumerate(lines)
    ]
    return (
        filled(skin.pale, rectangle(-1000, -1000, 2000, 2000)),
        *(Path((hexagon(cell),), stroke=skin.outline, width=EDGE) for cell in kind.cells),
        *names,
    )


def grown(corners: Sequence[Point], by: float) -> list[Point]:
    """Return a clockwise outline offset outwards by a distance."""
    count = len(corners)
    result = []
    for i, here in enumerate(corners):
        before, behind = corners[i - 1], corners[(i + 1) % count]
        u = _unit(before, here)
        v = _unit(here, behind)
        # Outward normals of the two sides: clockwise with y down, the outside is on the left.
        n, m = (u[1], -u[0]), (v[1], -v[0])
        k = by / (1 + n[0] * m[0] + n[1] * m[1])
        result.append((here[0] + (n[0] + m[0]) * k, here[1] + (n[1] + m[1]) * k))
    return result


def side_point(cell: Cell, side: int, width: float = HEX) -> Point:
    """Return the middle of a side of a cell."""
    a, b = corner(cell, side, width), corner(cell, side + 1, width)
    return ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2)


def _seams(cells: Sequence[Cell]) -> Iterator[Contour]:
    for cell, other in pairwise(cells):
        side = hex_neighbours(cell).index(other)
        yield polyline((corner(cell, side), corner(cell, side + 1)))


def _notch(cell: Cell, side: int) -> Contour:
    x, y = side_point(cell, side)
    (ax, ay), (bx, by) = corner(cell, side), corner(cell, side + 1)
    length = math.dist((ax, ay), (bx, by))
    u, inward = ((bx - ax) / length, (by - ay) / length), _unit((x, y), centre(cell))
    wide, deep, out = 2.5, 3.1, 2.5
    return polygon(
        (
            (x - u[0] * wide - inward[0] * out, y - u[1] * wide - inward[1] * out),
            (x + u[0] * wide - inward[0] * out, y + u[1] * wide - inward[1] * out),
            (x + u[0] * wide, y + u[1] * wide),
            (x + inward[0] * deep, y + inward[1] * deep),
            (x - u[0] * wide, y - u[1] * wide),
        )
    )


def _path_spine(cells: Sequence[Cell]) -> Spine:
    """Return the line from the tail in the last cell to the snout in the first."""
    middles = [centre(cell) for cell in reversed(cells)]
    joints = [((a[0] + b[0]) / 2, (a[1] + b[1]) / 2) for a, b in pairwise(middles)]
    tail = _unit(joints[0], middles[0])
    head = _unit(joints[-1], middles[-1])
    points: list[Point] = [(middles[0][0] + tail[0] * 6.3, middles[0][1] + tail[1] * 6.3)]
    points += _between(points[0], joints[0])
    for before, middle, behind in zip(joints, middles[1:-1], joints[1:], strict=False):
        points += bent(before, middle, behind, 16)[1:]
    snout = (middles[-1][0] + head[0] * 6.0, middles[-1][1] + head[1] * 6.0)
    points += _between(joints[-1], snout)
    return spine(points)


def _between(start: Point, stop: Point, count: int = 6) -> list[Point]:
    return [
        (start[0] + (stop[0] - start[0]) * i / count, start[1] + (stop[1] - start[1]) * i / count)
        for i in range(1, count + 1)
    ]


def _unit(start: Point, stop: Point) -> Point:
    dx, dy = stop[0] - start[0], stop[1] - start[1]
    size = math.hypot(dx, dy)
    return (dx / size, dy / size)


def _rounded(point: Point) -> tuple[int, int]:
    return (round(point[0] * 100), round(point[1] * 100))
