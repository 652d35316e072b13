"""The parts of a box other than tiles: diamond tokens, and a die to fold."""

from __future__ import annotations

from collections.abc import Sequence

from engine.draw.art import INK, WHITE, shape, words
from engine.draw.display import Item, Point, drawn, ellipse, filled, placed, scaled
from engine.draw.face import Face, round_face
from engine.draw.ground import CARD
from engine.tiles import TileSet

TOKEN_WIDTH = 0.5
"""Diameter of a diamond token as a share of a card."""
DIE_SIDE_MM = 18.0


def extra_faces(tile_set: TileSet, pitch_mm: float) -> Sequence[tuple[Face, int]]:
    """Return the tokens that a box needs and their counts: one for each diamond in it."""
    diamonds = sum(kind.count for kind in tile_set.kinds.values() if kind.role == "diamond")
    if not diamonds:
        return ()
    value = tile_set.extras.get("diamond_points", 4)
    return tuple((token_face(value, pitch_mm, side), diamonds) for side in ("front", "back"))


def token_face(value: int, pitch_mm: float, side: str = "front") -> Face:
    """Return a round token with a diamond and its points; both sides are the same."""
    art: list[Item] = [
        *shape("token"),
        placed(shape("gem"), scaled(0.78)),
        drawn(WHITE, "#24506b", 0.7, ellipse((0, 6.2), 3.6)),
        words(str(value), (0, 6.2), 4.2, INK, 0.2),
    ]
    scale = scaled(pitch_mm / CARD)
    return round_face("token/diamond", side, placed(art, scale), pitch_mm * TOKEN_WIDTH / 2)


def die_side(value: int, size: float) -> list[Item]:
    """Return one side of the die around (0, 0); its dots are snakes' eyes."""
    spots: dict[int, tuple[Point, ...]] = {
        1: ((0, 0),),
        2: ((-0.22, -0.22), (0.22, 0.22)),
        3: ((-0.27, -0.27), (0, 0), (0.27, 0.27)),
    }
    items: list[Item] = []
    for x, y in spots[value]:
        at, r = (x * size, y * size), size * 0.12
        items += [
            drawn("#f5b93a", INK, size * 0.025, ellipse(at, r)),
            filled(INK, ellipse(at, r * 0.36, r * 0.8)),
        ]
    return items
