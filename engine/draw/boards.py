"""Hex boards with eyes, and the clay markers of Snekagon 5G."""

from __future__ import annotations

import math
from collections.abc import Iterable

from engine.draw.art import shape
from engine.draw.display import (
    Affine,
    Item,
    Path,
    Point,
    ellipse,
    filled,
    moved,
    placed,
    polygon,
    scaled,
    stroked,
)
from engine.draw.face import BLEED_MM, Face, round_face
from engine.draw.hexes import HEX, centre, hexagon, outline
from engine.lattice import Cell, hex_board

RIM = 2.5
"""Width of a board's rim, in real millimetres."""
CLAY_WIDTH = 0.62
"""Diameter of a clay marker as a share of a cell."""
FIELD, FIELD_LINE = "#f3ead6", "#bfae8c"
RIM_COLOUR, RIM_LIGHT = "#6f5b3e", "#d9b978"


def clay_face(kind: str, pitch_mm: float, side: str = "front") -> Face:
    """Return a clay marker to lay on a tile; an open one opens to the east."""
    mirror: Affine = (-1.0 if side == "back" else 1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
    art = placed(shape(f"clay {kind}"), scaled(pitch_mm / HEX), mirror)
    return round_face(f"clay/{kind}", side, art, pitch_mm * CLAY_WIDTH / 2)


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
        *(placed(shape("eye"), moved(*centre(eye, width)), scaled(scale)) for eye in eyes),
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
