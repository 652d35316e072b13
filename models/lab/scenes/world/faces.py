"""Faces for the painter: with an outline, transparent outside it, at several resolutions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from math import sqrt

import cv2
import numpy as np

from engine.setfile import built_in_set
from engine.tiles import TileSet
from models.art import PaintedFace, faces
from models.lab.scenes.world.arrays import Array, pair

Cell = tuple[int, int]

PAD_PX = 2
SMALLEST_PX = 12
SQRT3 = sqrt(3.0)
BOARD = "board"
BACK = "back"
"""The name of every face-down tile, as table states have it."""
ART_PX_PER_MM = 6.0


@dataclass(frozen=True)
class Face:
    """One side of a flat thing, around its own origin (for tiles the centre of cell 0, 0)."""

    levels: tuple[Array, ...]
    """Pyramid of BGRA pictures, colours premultiplied by alpha; each half the one before."""
    px_per_mm: float
    """Resolution of the first level."""
    origin_px: tuple[float, float]
    """Position of the origin in the first level, from the outer corner of the upper left pixel."""
    outline_mm: Array
    """Corners around the origin, clockwise from the upper left; x right, y down."""
    cells: tuple[Cell, ...] = ((0, 0),)

    def level_for(self, px_per_mm: float) -> tuple[Array, float]:
        """Return the smallest level that is fine enough, and its pixels per millimetre."""
        index, density = 0, self.px_per_mm
        while index + 1 < len(self.levels) and density / 2 >= px_per_mm:
            index, density = index + 1, density / 2
        return self.levels[index], density

    def size_mm(self) -> tuple[float, float]:
        """Return width and height of the outline."""
        size = self.outline_mm.max(axis=0) - self.outline_mm.min(axis=0)
        return float(size[0]), float(size[1])


def face_of(
    bgr: Array,
    px_per_mm: float,
    origin_px: tuple[float, float],
    outline_mm: Array,
    alpha: Array | None = None,
    cells: Iterable[Cell] = ((0, 0),),
) -> Face:
    """Return a face from a picture; without ``alpha`` everything inside the outline is opaque."""
    if alpha is None:
        alpha = inside(bgr.shape[:2], outline_mm * px_per_mm + np.asarray(origin_px))
    bgra = cv2.merge([_covered(bgr, alpha), alpha])
    pad = PAD_PX * 4
    bgra = cv2.copyMakeBorder(bgra, pad, pad, pad, pad, cv2.BORDER_CONSTANT, value=(0, 0, 0, 0))
    origin = (origin_px[0] + pad, origin_px[1] + pad)
    return Face(pyramid(bgra), px_per_mm, origin, np.asarray(outline_mm, float), tuple(cells))


def whole_face(bgr: Array, px_per_mm: float) -> Face:
    """Return a face that is all of a picture, its origin in the middle."""
    height, width = bgr.shape[:2]
    outline = square_outline(width / px_per_mm, height / px_per_mm)
    return face_of(bgr, px_per_mm, (width / 2, height / 2), outline)


def enlarged(face: Face, scale: float) -> Face:
    """Return the same face on a larger or smaller tile."""
    return replace(face, px_per_mm=face.px_per_mm / scale, outline_mm=face.outline_mm * scale)


def pyramid(bgra: Array) -> tuple[Array, ...]:
    """Return a picture and its halves, down to a few pixels."""
    levels = [bgra]
    while min(levels[-1].shape[:2]) >= 2 * SMALLEST_PX:
        height, width = levels[-1].shape[:2]
        even = levels[-1][: height // 2 * 2, : width // 2 * 2]
        levels.append(cv2.resize(even, (width // 2, height // 2), interpolation=cv2.INTER_AREA))
    return tuple(levels)


def printed(face: Face, table: Array, fade: Array | None, px_per_mm: float) -> Face:
    """Return the face as a poor printer prints it, at the resolution that a picture needs.

    Args:
        face: the face as drawn.
        table: the printer's tone curves for blue, green and red, 256 x 1 x 3.
        fade: share of ink that is missing along the face's height, 0 to 1, or nothing.
        px_per_mm: the finest resolution that the picture shows.
    """
    bgra, density = face.level_for(px_per_mm)
    scale = density / face.px_per_mm
    alpha = bgra[..., 3]
    made = cv2.LUT(np.ascontiguousarray(bgra[..., :3]), table)
    if fade is not None:
        lines = np.interp(np.linspace(0, 1, len(made)), np.linspace(0, 1, len(fade)), fade)
        made = (made + (245 - made.astype(np.float32)) * lines[:, None, None]).astype(np.uint8)
    made = _covered(made, alpha)
    origin = (face.origin_px[0] * scale, face.origin_px[1] * scale)
    levels = pyramid(cv2.merge([made, alpha]))
    return replace(face, levels=levels, px_per_mm=density, origin_px=origin)


def square_outline(width_mm: float, height_mm: float | None = None) -> Array:
    """Return the corners of a rectangle around its middle, clockwise from the upper left."""
    x, y = width_mm / 2, (height_mm or width_mm) / 2
    return np.array([(-x, -y), (x, -y), (x, y), (-x, y)])


def hex_centre(cell: Cell, pitch_mm: float) -> Array:
    """Return the middle of a hex cell whose corners point up and down."""
    q, r = cell
    return np.array([pitch_mm * (q + r / 2), pitch_mm * SQRT3 / 2 * r])


def hex_outline(pitch_mm: float) -> Array:
    """Return the corners of one hex cell, clockwise from the upper left."""
    angles = np.radians(np.array([210, 270, 330, 30, 90, 150]))
    return np.stack([np.cos(angles), np.sin(angles)], axis=1) * pitch_mm / SQRT3


def card_back(pitch_mm: float, colour: Array, px_per_mm: float = 6.0) -> Face:
    """Return a plain patterned back, for sets without one."""
    side = round(pitch_mm * px_per_mm)
    ys, xs = np.mgrid[0:side, 0:side] / side
    lines = (np.sin((xs + ys) * 40) + np.sin((xs - ys) * 40)) * 0.12
    bgr = np.clip(colour * (1 + lines)[..., None], 0, 255)
    margin = max(1, side // 14)
    frame = np.full((side, side, 3), 238.0)
    frame[margin:-margin, margin:-margin] = bgr[margin:-margin, margin:-margin]
    return face_of(
        frame.astype(np.uint8), px_per_mm, (side / 2, side / 2), square_outline(pitch_mm)
    )


def inside(shape: tuple[int, ...], outline_px: Array) -> Array:
    """Return how much of each pixel lies inside an outline, 0 to 255."""
    finer = 4
    canvas = np.zeros((shape[0] * finer, shape[1] * finer), np.uint8)
    corners = np.round((outline_px * finer - 0.5) * 16).astype(np.int32)
    cv2.fillPoly(canvas, [corners], 255, cv2.LINE_8, 4)
    return cv2.resize(canvas, (shape[1], shape[0]), interpolation=cv2.INTER_AREA)


def _covered(bgr: Array, alpha: Array) -> Array:
    return cv2.multiply(bgr, cv2.merge([alpha] * 3), scale=1 / 255)


# --- The built-in sets ---


@dataclass(frozen=True)
class Box:
    """A set as printed: its tiles, their size and their faces."""

    tile_set: TileSet
    """Its ``pitch_mm`` is that of the printed tiles."""
    faces: Mapping[str, Face]


def printed_box(name: str, pitch_mm: float) -> Box:
    """Return a built-in set printed at some size."""
    tile_set = built_in_set(name)
    scale = pitch_mm / tile_set.pitch_mm
    faces = {key: enlarged(face, scale) for key, face in set_faces(name).items()}
    return Box(replace(tile_set, pitch_mm=pitch_mm), faces)


def own_box(tile_set: TileSet) -> Box:
    """Return an owner's set, printed at its own size."""
    return Box(tile_set, _book(tile_set))


@lru_cache(maxsize=8)
def set_faces(name: str) -> Mapping[str, Face]:
    """Return the faces of a built-in set by tile name, with ``back``, ``board`` and tokens."""
    return _book(built_in_set(name))


def _book(tile_set: TileSet) -> Mapping[str, Face]:
    painted = faces(tile_set, ART_PX_PER_MM)
    book = {key: _painted_face(face) for key, face in painted.items() if not key.endswith(":back")}
    if tile_set.lattice == "square":
        first = next(kind.name for kind in tile_set.kinds.values() if len(kind.cells) == 1)
        book[BACK] = _painted_face(painted[f"{first}:back"])
    return book


def _painted_face(painted: PaintedFace) -> Face:
    origin = np.array(painted.origin_mm)
    outline, pixels = np.array(painted.outline_mm) - origin, pair(origin * painted.px_per_mm)
    return face_of(painted.bgr, painted.px_per_mm, pixels, outline, painted.alpha, painted.cells)
