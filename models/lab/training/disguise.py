"""Tables made harder than those of our own games: blocks of one colour, mats under tiles, chessmen.

Unknown boxes differ from ours in more than their prints: thick tiles of one ground colour whose
seams hardly show, islands on a printed mat, and boards whose squares are no tiles.
"""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from models.lab.scenes.world.arrays import Array, Random
from models.lab.scenes.world.faces import Face, face_of
from models.lab.scenes.world.negatives import CELL_PX
from models.lab.scenes.world.noise import field
from models.lab.scenes.world.surfaces import hsv
from models.lab.scenes.world.things import Item, Lathe, TableTop

NEAR_GROUND, FAR_FROM_GROUND = 15.0, 55.0
"""Differences, of 255, below which a colour counts as ground and above which as print."""
MAT = "mat"
MAT_PX = 512
FRAME_SHARE = 0.6
"""Share of mats printed for their layout: with a shore along the tiles and pictures beside."""
SPOT_MISS = 0.7
"""Least distance of a free place from the middle of any tile, in widths."""


def as_blocks(top: TableTop, rng: Random) -> TableTop:
    """Return the table with all its tiles on one ground colour, sides included."""
    dark = rng.random() < 0.6
    value = rng.uniform(0.04, 0.25) if dark else rng.uniform(0.2, 1.0)
    ground = hsv(rng.uniform(0, 360), rng.uniform(0, 0.25 if dark else 0.8), value)
    shown = {item.face for item in top.items if item.role in ("tile", "aside")}
    faces = {
        name: _on_ground(face, ground) if name in shown else face
        for name, face in top.faces.items()
    }
    side = tuple(int(c) for c in np.clip(ground * rng.uniform(0.7, 1.1), 0, 255))
    items = tuple(
        replace(item, side=(side[0], side[1], side[2]), wear=item.wear * 0.3)
        if item.role in ("tile", "aside")
        else item
        for item in top.items
    )
    return replace(top, faces=faces, items=items)


def _on_ground(face: Face, ground: Array) -> Face:
    """Return a face with its commonest colour replaced."""
    first = face.levels[0]
    solid = first[first[..., 3] > 250]
    common = np.median(solid[:, :3], axis=0)
    levels = []
    for level in face.levels:
        cover = level[..., 3:].astype(np.float32) / 255
        apart = np.abs(level[..., :3] - common * cover).max(axis=2, keepdims=True)
        print_share = np.clip((apart - NEAR_GROUND) / (FAR_FROM_GROUND - NEAR_GROUND), 0, 1)
        colour = level[..., :3] * print_share + ground * cover * (1 - print_share)
        levels.append(np.concatenate([np.clip(colour, 0, 255).astype(np.uint8), level[..., 3:]], 2))
    return replace(face, levels=tuple(levels))


def on_mat(top: TableTop, rng: Random) -> TableTop:
    """Return the table with a printed mat or frame under its layout."""
    tiles = [item for item in top.items if item.role == "tile"]
    corners = np.concatenate([t.outline_mm(top.faces[t.face])[:, :2] for t in tiles])
    middle = (corners.min(axis=0) + corners.max(axis=0)) / 2
    reach = float(np.linalg.norm(corners - middle, axis=1).max()) * float(rng.uniform(0.95, 1.3))
    sides = int(rng.choice([4, 6, 6, 24]))
    angles = np.arange(sides) * 2 * np.pi / sides + rng.uniform(0, np.pi)
    outline = np.stack([np.cos(angles), np.sin(angles)], axis=1) * reach
    if sides == 4:
        outline *= 1.2
    around = [t.outline_mm(top.faces[t.face])[:, :2] - middle for t in tiles]
    face = _mat_face(outline, around if rng.random() < FRAME_SHARE else [], rng)
    thick = float(rng.uniform(0.1, 2.5))
    mat = Item(
        MAT, float(middle[0]), float(middle[1]), 0.0, 0.0, thick, gloss=float(rng.uniform(0, 0.5))
    )
    raised = [
        replace(item, z_mm=item.z_mm + thick) if item.role == "tile" else item for item in top.items
    ]
    return replace(top, faces={**top.faces, MAT: face}, items=(mat, *raised))


def _mat_face(outline_mm: Array, tiles_mm: list[Array], rng: Random) -> Face:
    ground = hsv(rng.uniform(0, 360), rng.uniform(0.1, 0.9), rng.uniform(0.25, 0.95))
    relief = 1 + rng.uniform(0.02, 0.12) * field(rng, MAT_PX, (4, 4), 4)
    bgr = np.clip(ground * relief[..., None], 0, 255).astype(np.uint8)
    for _ in range(int(rng.integers(0, 30))):
        x, y = (int(v) for v in rng.integers(0, MAT_PX, 2))
        wide = int(rng.integers(6, 28))
        bgr[y : y + wide, x : x + wide] = _any_colour(rng)
    span = float(np.abs(outline_mm).max()) * 2.02
    density = MAT_PX / span
    if tiles_mm:
        _print_frame(bgr, [t * density + MAT_PX / 2 for t in tiles_mm], rng)
    return face_of(bgr, density, (MAT_PX / 2, MAT_PX / 2), outline_mm)


def _print_frame(bgr: Array, tiles_px: list[Array], rng: Random) -> None:
    """Print a shore along a layout's tiles, and pictures on some of the free places around it."""
    middles = np.array([tile.mean(axis=0) for tile in tiles_px])
    width = float(np.median([np.sqrt(cv2.contourArea(t.astype(np.float32))) for t in tiles_px]))
    band = np.zeros(bgr.shape[:2], np.uint8)
    cv2.fillPoly(band, [np.round(tile).astype(np.int32) for tile in tiles_px], 255)
    reach = 2 * max(1, round(width * rng.uniform(0.03, 0.2))) + 1
    wider = cv2.dilate(band, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (reach, reach)))
    soft: Array = cv2.GaussianBlur(wider, (0, 0), reach / 4)
    shore = soft.astype(np.float32) + field(rng, MAT_PX, (16, 16), 3) * 60 > 128
    bgr[shore] = _any_colour(rng)
    sides = [(tile + np.roll(tile, -1, axis=0)) / 2 for tile in tiles_px]
    beside = np.concatenate([2 * s - m for s, m in zip(sides, middles, strict=True)])
    apart = np.linalg.norm(beside[:, None] - middles[None], axis=2).min(axis=1)
    share = rng.uniform(0.2, 0.9)
    for x, y in beside[apart > SPOT_MISS * width]:
        if rng.random() < share:
            _print_picture(bgr, (float(x), float(y)), width * float(rng.uniform(0.15, 0.5)), rng)


def _print_picture(bgr: Array, at: tuple[float, float], size: float, rng: Random) -> None:
    """Print something round or angular and a few strokes, like harbours, names and figures."""
    for _ in range(int(rng.integers(1, 4))):
        x, y = np.array(at) + rng.normal(0, 0.25, 2) * size
        axes = rng.uniform(0.3, 1.0, 2) * size
        box = ((float(x), float(y)), (float(axes[0]), float(axes[1])), float(rng.uniform(0, 180)))
        if rng.random() < 0.5:
            cv2.ellipse(bgr, box, _any_colour(rng).tolist(), -1, cv2.LINE_AA)
        else:
            corners = np.round(cv2.boxPoints(box)).astype(np.int32)
            cv2.fillPoly(bgr, [corners], _any_colour(rng).tolist(), cv2.LINE_AA)
    for _ in range(int(rng.integers(0, 4))):
        ends = np.round(np.array(at) + rng.normal(0, 0.7, (2, 2)) * size).astype(int)
        wide = max(1, round(size * float(rng.uniform(0.04, 0.15))))
        cv2.line(
            bgr, ends[0].tolist(), ends[1].tolist(), _any_colour(rng).tolist(), wide, cv2.LINE_AA
        )


def _any_colour(rng: Random) -> Array:
    return hsv(rng.uniform(0, 360), rng.uniform(0, 1), rng.uniform(0.2, 1))


def with_men(top: TableTop, rng: Random) -> TableTop:
    """Return a chessboard with men or draughtsmen, at the start or in the middle of a game."""
    boards = [item for item in top.items if item.face == "chessboard"]
    if not boards:
        return top
    board, face = boards[0], top.faces["chessboard"]
    cell = CELL_PX / face.px_per_mm
    count = 8 if face.size_mm()[0] / cell < 10 else 10
    flat = rng.random() < 0.25
    kinds = [_profile(cell, rng, flat=flat) for _ in range(3)]
    light = hsv(rng.uniform(15, 50), rng.uniform(0.05, 0.6), rng.uniform(0.6, 1))
    dark = hsv(rng.uniform(0, 360), rng.uniform(0, 0.7), rng.uniform(0.03, 0.4))
    start = rng.random() < 0.5
    share = float(rng.uniform(0.1, 0.6))
    turn = np.radians(board.angle_deg)
    men = []
    for row in range(count):
        for column in range(count):
            home = row < 2 or row >= count - 2
            if not (home and rng.random() < 0.9 if start else rng.random() < share):
                continue
            x, y = (
                (k - (count - 1) / 2) * cell + rng.normal(0, 0.05) * cell for k in (column, row)
            )
            tint = (light if (row < count / 2) == (rng.random() < 0.95) else dark) * rng.uniform(
                0.85, 1.1
            )
            men.append(
                Lathe(
                    float(board.x_mm + x * np.cos(turn) - y * np.sin(turn)),
                    float(board.y_mm + x * np.sin(turn) + y * np.cos(turn)),
                    kinds[int(rng.integers(3))],
                    (float(tint[0]), float(tint[1]), float(tint[2])),
                    None,
                    board.thickness_mm,
                    float(rng.uniform(0.1, 0.8)),
                )
            )
    return replace(top, lathes=tuple(men))


def _profile(cell: float, rng: Random, *, flat: bool) -> tuple[tuple[float, float], ...]:
    """Return a man's profile: height and radius."""
    foot = cell * float(rng.uniform(0.24, 0.44))
    if flat:
        tall = cell * float(rng.uniform(0.1, 0.3))
        return ((0, foot), (tall, foot), (tall, foot * 0.7))
    tall = cell * float(rng.uniform(0.7, 2.0))
    waist, head = float(rng.uniform(0.3, 0.7)), float(rng.uniform(0.4, 0.9))
    crown = float(rng.uniform(0.05, 0.6))
    return (
        (0, foot),
        (tall * 0.1, foot),
        (tall * 0.2, foot * 0.75),
        (tall * 0.55, foot * waist),
        (tall * 0.7, foot * head),
        (tall * 0.88, foot * head * 0.95),
        (tall, foot * crown),
    )
