"""The faces of the built-in sets, as the art draws them, ready to be painted into scenes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from engine.setfile import built_in_set
from engine.tiles import TileSet
from models.art import PaintedFace, faces
from models.scenes.faces import Face, FaceBook, enlarged, face_of

BOARD = "board"
BACK = "back"
"""The name of every face-down tile, as table states have it."""
PX_PER_MM = 6.0


@dataclass(frozen=True)
class Box:
    """A set as it was printed: what is in it, at which size, and what it looks like."""

    tile_set: TileSet
    """Its ``pitch_mm`` is that of the printed tiles."""
    faces: FaceBook


def printed_box(name: str, pitch_mm: float) -> Box:
    """Return a built-in set printed at some size."""
    tile_set = built_in_set(name)
    scale = pitch_mm / tile_set.pitch_mm
    faces = {key: enlarged(face, scale) for key, face in set_faces(name).items()}
    return Box(replace(tile_set, pitch_mm=pitch_mm), faces)


def own_box(tile_set: TileSet) -> Box:
    """Return a set of somebody's own, printed at its own size."""
    return Box(tile_set, _book(tile_set))


@lru_cache(maxsize=8)
def set_faces(name: str) -> FaceBook:
    """Return the faces of a built-in set by tile name, with ``back``, ``board`` and tokens."""
    return _book(built_in_set(name))


def _book(tile_set: TileSet) -> FaceBook:
    painted = faces(tile_set, PX_PER_MM)
    book = {key: _face(face) for key, face in painted.items() if not key.endswith(":back")}
    if tile_set.lattice == "square":
        first = next(kind.name for kind in tile_set.kinds.values() if len(kind.cells) == 1)
        book[BACK] = _face(painted[f"{first}:back"])
    return book


def _face(painted: PaintedFace) -> Face:
    origin = np.array(painted.origin_mm)
    outline = np.array(painted.outline_mm) - origin
    pixels = (
        float(origin[0] * painted.px_per_mm),
        float(origin[1] * painted.px_per_mm),
    )
    return face_of(painted.bgr, painted.px_per_mm, pixels, outline, painted.alpha, painted.cells)
