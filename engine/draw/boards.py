"""Hex boards with eyes, and the clay markers of Snekagon 5G."""

from __future__ import annotations

import math
from collections.abc import Iterable

from engine.draw.art import INK, WHITE
from engine.draw.display import (
    Affine,
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
    scaled,
    stroked,
    turned,
)
from engine.draw.face import BLEED_MM, Face
from engine.draw.hexes import HEX, centre, hexagon, outline
from engine.lattice import Cell, hex_board

RIM = 2.5
"""Width of a board's rim, in real millimetres."""
CLAY_WIDTH = 0.62
"""Diameter of a clay marker as a share of a cell."""
CLAY, CLAY_DARK, CLAY_LIGHT = "#c8744a", "#6e3419", "#e9b48f"
FIELD, FIELD_LINE = "#f3ead6", "#bfae8c"
RIM_COLOUR, RIM_LIGHT = "#6f5b3e", "#d9b978"


def clay_face(kind: str, pitch_mm: float, side: str = "front") -> Face:
    """Return a clay marker to lay on a tile; an open one opens to the east."""
    radius = pitch_mm * CLAY_WIDTH / 2
    corners = tuple(
        (radius + radius * math.cos(a), radius + radius * math.sin(a))
        for a in (i * math.pi / 24 for i in range(48))
    )
    mirror: Affine = (-1.0 if side == "back" else 1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
    items = (placed(clay_art(kind), moved(radius, radius), scaled(pitch_mm / HEX), mirror),)
    bleed = ellipse((radius, radius), radius + BLEED_MM)
    size = (2 * radius, 2 * radius)
    return Face(f"clay/{kind}", side, items, size, corners, bleed, ((0, 0),), (radius, radius))


def clay_art(kind: str) -> list[Item]:
    """Return the art of a clay marker around (0, 0), painted beyond its outline."""
    radius = HEX * CLAY_WIDTH / 2
    items: list[Item] = [
        filled(CLAY_DARK, ellipse((0, 0), radius + 4)),
        filled(CLAY, ellipse((0, 0), radius - 0.8)),
        stroked(CLAY_LIGHT, 0.5, ellipse((0, 0), radius - 1.7)),
        filled(CLAY_DARK, ellipse((0, 0), radius * 0.48)),
        filled("#2d1409", ellipse((0, 0), radius * 0.36)),
    ]
    if kind == "open":
        y = radius * 0.36
        mouth = polygon(((0, -y), (radius + 5, -y * 1.7), (radius + 5, y * 1.7), (0, y)))
        items[3:3] = [filled(CLAY_DARK, mouth)]
        items.append(
            filled(
                "#2d1409",
                polygon(
                    ((0, -y * 0.8), (radius + 5, -y * 1.45), (radius + 5, y * 1.45), (0, y * 0.8))
                ),
            )
        )
        items.append(
            filled(
                CLAY_LIGHT,
                polygon(((radius * 0.25, -1.1), (radius * 0.75, 0), (radius * 0.25, 1.1))),
            )
        )
    else:
        items.append(
            stroked(
                CLAY_LIGHT,
                0.8,
                polyline(((-1.1, -1.1), (1.1, 1.1))),
                polyline(((-1.1, 1.1), (1.1, -1.1))),
            )
        )
    return items


def board_art(side: int, eyes: Iterable[Cell], width: float, rim: float = RIM) -> list[Item]:
    """Return the art of a board around its centre, with bleed; ``width`` is a cell's in mm."""
    cells = hex_board(side)
    across, high = board_size(side, width, rim)
    around = polygon([(x - across / 2, y - high / 2) for x, y in board_outline(side, width, rim)])
    scale = width / HEX
    return [
        Path((around,), fill=RIM_COLOUR, stroke=RIM_COLOUR, width=2 * BLEED_MM),
        filled(FIELD, *(hexagon(cell, width) for cell in cells)),
        stroked(FIELD_LINE, 0.5 * scale, *(hexagon(cell, width) for cell in cells)),
        filled(FIELD_LINE, *(ellipse(centre(cell, width), 0.55 * scale) for cell in cells)),
        Path((polygon(outline(cells, width)),), stroke=RIM_LIGHT, width=0.7 * scale),
        *(placed(_eye(), moved(*centre(eye, width)), scaled(scale)) for eye in eyes),
    ]


def board_outline(side: int, width: float, rim: float = RIM) -> tuple[Point, ...]:
    """Return the six corners of a board, clockwise, from the top left of its bounding box.

    The outline ignores the toothed edge of the cells: six straight cuts are easier to make.
    """
    across, high = board_size(side, width, rim)
    middle = (across / 2, high / 2)
    return tuple(
        (middle[0] + across / 2 * math.cos(a), middle[1] + across / 2 * math.sin(a))
        for a in (math.radians(60 * i - 120) for i in range(6))
    )


def board_size(side: int, width: float, rim: float = RIM) -> tuple[float, float]:
    """Return width and height of a board with its rim: a regular hexagon with a flat top."""
    high = 2 * ((1.5 * (side - 1) + 1) * width / math.sqrt(3) + rim)
    return (high * 2 / math.sqrt(3), high)


def _eye() -> list[Item]:
    """Return a snake's eye that fills a cell."""
    rays: list[Item] = [
        placed([filled("#d98e1f", rectangle(-0.35, 2.5, 0.7, 4.3))], turned(i * 30))
        for i in range(12)
    ]
    slit = Contour((0, -6.2), ((2.6, -2.4, 2.6, 2.4, 0, 6.2), (-2.6, 2.4, -2.6, -2.4, 0, -6.2)))
    return [
        filled(RIM_COLOUR, hexagon((0, 0), HEX, 0.98)),
        drawn("#f5b93a", INK, 0.9, ellipse((0, 0), 7.6)),
        Group(tuple(rays), clip=(ellipse((0, 0), 7.2),)),
        filled(INK, slit),
        filled(WHITE, ellipse((2.7, -3.2), 1.4)),
    ]
