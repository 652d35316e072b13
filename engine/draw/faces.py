"""Every face of a box, for print sheets, synthetic scenes and the page."""

from __future__ import annotations

from collections.abc import Sequence

from engine.draw.boards import clay_face
from engine.draw.cards import card_back, card_face
from engine.draw.face import Face
from engine.draw.hexes import hex_face
from engine.tiles import TileKind, TileSet


def face(
    tile_set: TileSet, kind: TileKind, side: str = "front", pitch_mm: float | None = None
) -> Face:
    """Return one side of a tile, drawn for a pitch in millimetres; by default the set's own."""
    pitch = tile_set.pitch_mm if pitch_mm is None else pitch_mm
    if tile_set.lattice == "hex":
        return hex_face(tile_set, kind, pitch, side)
    if side == "back":
        return card_back(tile_set, kind, pitch)
    return card_face(tile_set, kind, pitch)


def all_faces(tile_set: TileSet, pitch_mm: float | None = None) -> Sequence[tuple[Face, int]]:
    """Return front and back of everything in a box with their counts, clay included."""
    pitch = tile_set.pitch_mm if pitch_mm is None else pitch_mm
    sides = ("front", "back")
    tiles = [
        (face(tile_set, kind, side, pitch), kind.count)
        for kind in tile_set.kinds.values()
        for side in sides
    ]
    clay = [
        (clay_face(kind, pitch, side), count)
        for kind, count in tile_set.extras.get("clay", {}).items()
        for side in sides
    ]
    return (*tiles, *clay)
