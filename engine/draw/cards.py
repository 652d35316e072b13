"""Faces of square cards, from their strands, exits, role and points."""

from __future__ import annotations

from collections.abc import Sequence

from engine.draw.display import Item, Point, mix, moved, placed, polygon, rectangle, scaled
from engine.draw.face import BLEED_MM, Face
from engine.draw.ground import CARD, back_art, decoration, ground_art, grounds, up_mark
from engine.draw.palette import coat
from engine.draw.roles import number_of, picture, printed_points
from engine.lattice import Cell, bounding_box, square_neighbour
from engine.tiles import TileKind, TileSet

BIG_GROUNDS = ("#fff0c4", "#ffe0ea", "#dcecff", "#e9e0fa")


def card_face(tile_set: TileSet, kind: TileKind, pitch_mm: float) -> Face:
    """Return the front of a card whose cells are ``pitch_mm`` wide."""
    return _face(kind.name, "front", kind.cells, _card_art(tile_set, kind), pitch_mm)


def card_back(tile_set: TileSet, kind: TileKind, pitch_mm: float) -> Face:
    """Return the back of a card, which is the same for all cards of one footprint."""
    _, border, _ = grounds(tile_set)
    art = [*ground_art(kind.cells, border, border), *back_art(kind.cells, border)]
    return _face(kind.name, "back", kind.cells, art, pitch_mm)


def _card_art(tile_set: TileSet, kind: TileKind) -> list[Item]:
    ground, border, _ = grounds(tile_set)
    if kind.colour:
        # The border shows the colour of the card even where little of the snake is on it.
        skin = coat(kind.colour, tile_set.colours)
        border = mix(skin.base, skin.outline, 0.3)
    if kind.role == "big":
        ground = BIG_GROUNDS[number_of(kind) % 4]
    return [
        *ground_art(kind.cells, ground, border),
        *decoration(tile_set, kind, ground),
        *picture(tile_set, kind, ground),
        *printed_points(kind),
        *up_mark(kind, border),
    ]


def _face(name: str, side: str, cells: tuple[Cell, ...], art: list[Item], pitch: float) -> Face:
    left, top = min(x for x, _ in cells), min(y for _, y in cells)
    columns, rows = max(x for x, _ in cells) - left + 1, max(y for _, y in cells) - top + 1
    size = (columns * pitch, rows * pitch)
    origin = ((0.5 - left) * pitch, (0.5 - top) * pitch)
    corners = tuple((origin[0] + x * pitch, origin[1] + y * pitch) for x, y in _corners(cells))
    items = (placed(art, moved(*origin), scaled(pitch / CARD)),)
    if columns * rows == len(cells):
        b = BLEED_MM
        bleed = rectangle(-b, -b, size[0] + 2 * b, size[1] + 2 * b)
    else:
        bleed = polygon(corners)
    return Face(name, side, items, size, corners, bleed, cells, origin)


def _corners(cells: Sequence[Cell]) -> list[Point]:
    """Return the outline of cells, clockwise, in units of a cell from the centre of ``(0, 0)``.

    Cells that are not connected by their sides get their bounding box.
    """
    sides = {}
    for cell in cells:
        x, y = cell
        square = ((x - 0.5, y - 0.5), (x + 0.5, y - 0.5), (x + 0.5, y + 0.5), (x - 0.5, y + 0.5))
        for edge in range(4):
            if square_neighbour(cell, edge) not in cells:
                sides[square[edge]] = square[(edge + 1) % 4]
    here = min(sides, key=lambda p: (p[1], p[0]))
    outline: list[Point] = []
    while here not in outline:
        outline.append(here)
        here = sides[here]
    if len(outline) < len(sides) or here != outline[0]:
        left, top, right, bottom = bounding_box(cells) or (0, 0, 0, 0)
        return [
            (left - 0.5, top - 0.5),
            (right + 0.5, top - 0.5),
            (right + 0.5, bottom + 0.5),
            (left - 0.5, bottom + 0.5),
        ]
    return [p for i, p in enumerate(outline) if _is_corner(outline, i)]


def _is_corner(outline: Sequence[Point], i: int) -> bool:
    before, here, behind = outline[i - 1], outline[i], outline[(i + 1) % len(outline)]
    return not (before[0] == here[0] == behind[0] or before[1] == here[1] == behind[1])
