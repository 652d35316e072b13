"""Painted faces of a box, in memory."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from engine.draw import Face, all_faces
from engine.draw.boards import board_art, board_outline, board_size
from engine.draw.display import Point, moved, placed, polygon
from engine.draw.tokens import extra_faces
from engine.lattice import Cell
from engine.tiles import TileSet
from models.art.paint import Picture, coverage, paint


@dataclass(frozen=True, slots=True, eq=False)
class PaintedFace:
    """One side of a tile as a picture, cut out along its outline."""

    tile: str
    side: str
    """``front`` or ``back``."""
    bgr: Picture
    """Height x width x 3, painted a little beyond the outline where the outline is no box."""
    alpha: Picture
    """Height x width: 255 inside the outline."""
    px_per_mm: float
    size_mm: tuple[float, float]
    outline_mm: tuple[Point, ...]
    """From the picture's upper left corner, clockwise."""
    cells: tuple[Cell, ...]
    origin_mm: Point
    """Centre of cell ``(0, 0)``."""
    count: int
    """How many the box has."""


def painted(face: Face, count: int, px_per_mm: float) -> PaintedFace:
    """Return a face as a picture."""
    bgr = paint(face.items, face.size_mm, px_per_mm)
    alpha = coverage((face.outline,), face.size_mm, px_per_mm)
    place = face.size_mm, face.outline_mm, face.cells, face.origin_mm
    return PaintedFace(face.tile, face.side, bgr, alpha, px_per_mm, *place, count)


def faces(
    tile_set: TileSet, px_per_mm: float = 6.0, pitch_mm: float | None = None
) -> dict[str, PaintedFace]:
    """Return every face of a box by name; treat the pictures as read-only, they are kept.

    Fronts stand under the tile's name, backs under the name and ``:back``; clay markers, tokens
    and boards are there too (``clay/open``, ``token/diamond``, ``board``).
    """
    pitch = tile_set.pitch_mm if pitch_mm is None else pitch_mm
    key = (tile_set.name, tile_set.game, tuple(tile_set.kinds.items()), repr(dict(tile_set.extras)))
    return dict(_faces(_Box(key, tile_set), px_per_mm, pitch))


@dataclass(frozen=True, slots=True)
class _Box:
    """A tile set that can be a key: sets of equal content are equal."""

    key: tuple[object, ...]
    tile_set: TileSet = field(compare=False)


@lru_cache(maxsize=12)
def _faces(box: _Box, px_per_mm: float, pitch: float) -> dict[str, PaintedFace]:
    tile_set = box.tile_set
    result: dict[str, PaintedFace] = {}
    backs: dict[tuple[Cell, ...], PaintedFace] = {}
    for face, count in (*all_faces(tile_set, pitch), *extra_faces(tile_set, pitch)):
        if face.side == "front":
            result[face.tile] = painted(face, count, px_per_mm)
        elif tile_set.lattice == "hex":
            result[f"{face.tile}:back"] = _mirrored(result[face.tile], face)
        else:
            # All backs of one footprint are one picture.
            same = backs.get(face.cells) if face.tile in tile_set else None
            back = replace(same, tile=face.tile, count=count) if same else None
            result[f"{face.tile}:back"] = back or painted(face, count, px_per_mm)
            if face.tile in tile_set:
                backs.setdefault(face.cells, result[f"{face.tile}:back"])
    if "board" in tile_set.extras:
        result["board"] = board_picture(tile_set, pitch, px_per_mm)
    return result


def _mirrored(front: PaintedFace, back: Face) -> PaintedFace:
    """Return the second side of a hex tile, which is the first in a mirror."""
    return replace(
        front,
        side="back",
        bgr=np.ascontiguousarray(front.bgr[:, ::-1]),
        alpha=np.ascontiguousarray(front.alpha[:, ::-1]),
        outline_mm=back.outline_mm,
        cells=back.cells,
        origin_mm=back.origin_mm,
    )


def board_picture(tile_set: TileSet, cell_width_mm: float, px_per_mm: float) -> PaintedFace:
    """Return a hex board with its rim, eyes included."""
    board = tile_set.extras["board"]
    side = board.get("side", 6)
    eyes = [(q, r) for q, r in board.get("eyes", ())]
    size = board_size(side, cell_width_mm)
    middle = (size[0] / 2, size[1] / 2)
    outline = board_outline(side, cell_width_mm)
    bgr = paint([placed(board_art(side, eyes, cell_width_mm), moved(*middle))], size, px_per_mm)
    alpha = coverage((polygon(outline),), size, px_per_mm)
    return PaintedFace("board", "front", bgr, alpha, px_per_mm, size, outline, (), middle, 1)
