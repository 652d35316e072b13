"""A wooden Snekagon and photographs of it: blocks of two woods on a board with engraved cells.

Nothing is printed: what tells tiles from the board and from one another is the wood, the chamfered
edges and the grooves. Nothing here is trained on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from math import ceil
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from engine.draw.boards import board_outline, board_size
from engine.draw.hexes import outline
from engine.lattice import hex_board
from engine.placement import Layout, Piece
from engine.setfile import built_in_set
from engine.tiles import TileKind
from models.lab.evaluate.taught.photographed import Setting, keep_lessons, photographs
from models.lab.scenes.games.positions import laid_anyhow
from models.lab.scenes.splits import rng_of
from models.lab.scenes.world.arrays import Array
from models.lab.scenes.world.faces import BOARD, Box, Face, face_of
from models.lab.scenes.world.noise import field, ramp, unit

Wood = tuple[tuple[int, int, int], ...]
"""Dark, middle and light colour: blue, green, red."""

GAME = "snekagon"
PITCH_MM = 24.0
PX_PER_MM = 6.0
THICK_MM = 4.0
RIM_MM = 9.0
SIDE = 6
WOODS = {
    "red": ((92, 140, 182), (128, 178, 214), (150, 198, 228)),
    "green": ((30, 44, 62), (40, 60, 86), (54, 78, 108)),
    BOARD: ((38, 72, 118), (52, 92, 144), (66, 108, 162)),
}
"""Dark, middle and light colour of maple, walnut and the board's cherry: blue, green, red."""
OWN_WORDS = {"red": "maple", "green": "walnut"}
"""What the owner calls the two colours."""
CHAMFER_MM, CHAMFER_LIGHT = 1.6, 0.55
EDGE = (40, 62, 88)
"""The colour of sawn edges."""
GROOVE_MM, GROOVE_LIGHT = 0.9, 0.45
LESSON_SEEDS = (3, 5)
GAME_SEED = 4
MOST_TRIES = 400
TABLE_SEEDS = 200
"""First seed of the tables that are read; earlier ones were looked at while the features were
chosen."""


def owner_name(tile: str) -> str:
    """Return what the owner calls a tile of the game."""
    colour, _, shape = tile.partition("/")
    return f"{OWN_WORDS[colour]} {shape}"


def owner_map() -> dict[str, tuple[str, int]]:
    """Return the game's tile of each of the owner's kinds."""
    return {owner_name(name): (name, 0) for name in built_in_set(GAME).kinds}


@lru_cache(maxsize=1)
def wooden_box() -> Box:
    """Return the box, its faces by the game's names."""
    tile_set = replace(built_in_set(GAME), pitch_mm=PITCH_MM)
    faces = {kind.name: block(kind, WOODS) for kind in tile_set.kinds.values()}
    faces[BOARD] = plank(WOODS)
    return Box(tile_set, faces)


# --- Photographs ---


def write_lessons(folder: Path, seeds: Sequence[int] = LESSON_SEEDS) -> dict[str, Any]:
    """Photograph the board with all tiles on it per seed, with ``labels.json`` and ``map.json``.

    Labels are in the owner's names, by cells. Returns them.
    """
    shots = []
    for seed in seeds:
        layout = lesson_layout(seed)
        pieces = [(owner_name(piece.tile), piece.cells) for piece in sorted(layout.pieces)]
        labels = [{"tile": name, "cells": [list(cell) for cell in cells]} for name, cells in pieces]
        shots.append((photograph(layout, (1600, 1200), seed), labels))
    return keep_lessons(folder, shots, owner_map())


def photograph(layout: Layout, size_px: tuple[int, int], seed: int) -> bytes:
    """Return one photograph of a layout."""
    (jpeg,) = photographs(setting_of(seed, size_px), [layout], ("red", "green"), wooden_box())
    return jpeg


def lesson_layout(seed: int) -> Layout:
    """Return all tiles of the box laid at random on the board, as far as there is room."""
    free, pieces = set(hex_board(SIDE)), []
    rng = rng_of("wooden-lesson", seed)
    for kind in sorted(built_in_set(GAME).kinds.values(), key=lambda kind: -len(kind.cells)):
        spots = sorted(free)
        for _ in range(MOST_TRIES):
            cells = laid_anyhow(kind, spots[int(rng.integers(len(spots)))], rng)
            if set(cells) <= free:
                free -= set(cells)
                pieces.append(Piece(kind.name, cells))
                break
    return Layout(pieces=frozenset(pieces))


def setting_of(seed: int, size_px: tuple[int, int]) -> Setting:
    """Return a table for blocks of wood."""
    return Setting(GAME, seed, size_px, (72.0, 90.0), thick_mm=THICK_MM, edge=EDGE)


# --- The art ---


def block(kind: TileKind, woods: Mapping[str, Wood]) -> Face:
    """Return a block of wood whose edges are chamfered all round."""
    corners = np.array(outline(kind.cells, PITCH_MM))
    low, high = corners.min(axis=0), corners.max(axis=0)
    canvas = _wood(woods[str(kind.colour)], high - low, kind.name)
    origin = -low * PX_PER_MM
    inner = _filled(canvas.shape, corners * PX_PER_MM + origin)
    depth = cv2.distanceTransform(inner, cv2.DIST_L2, 5) / PX_PER_MM
    light = CHAMFER_LIGHT + (1 - CHAMFER_LIGHT) * np.clip(depth / CHAMFER_MM, 0, 1)
    canvas = (canvas * light[..., None]).astype(np.uint8)
    return face_of(
        canvas, PX_PER_MM, (float(origin[0]), float(origin[1])), corners, cells=kind.cells
    )


def plank(woods: Mapping[str, Wood]) -> Face:
    """Return a plank with a groove around each cell."""
    across, high = board_size(SIDE, PITCH_MM, RIM_MM)
    corners = np.array(board_outline(SIDE, PITCH_MM, RIM_MM)) - np.array([across, high]) / 2
    size = np.array([across, high])
    canvas = _wood(woods[BOARD], size, BOARD)
    origin = size / 2 * PX_PER_MM
    grooves = np.zeros(canvas.shape[:2], np.uint8)
    for cell in hex_board(SIDE):
        ring = np.array(outline([cell], PITCH_MM)) * PX_PER_MM + origin
        points = np.round(ring * 16).astype(np.int32)
        cv2.polylines(grooves, [points], True, 255, round(GROOVE_MM * PX_PER_MM), cv2.LINE_AA, 4)
    light = 1 - (1 - GROOVE_LIGHT) * grooves / 255
    canvas = (canvas * light[..., None]).astype(np.uint8)
    return face_of(canvas, PX_PER_MM, (float(origin[0]), float(origin[1])), corners)


def _wood(colours: Wood, size_mm: Array, name: str) -> Array:
    """Return a piece of wood of the given size, with its grain in a random direction."""
    width, height = (ceil(float(mm) * PX_PER_MM) for mm in size_mm)
    rng = rng_of("wooden", name)
    side = 256
    grain = field(rng, side, (2, 24), 4, 0.65) + 0.6 * field(rng, side, (8, 128), 2, 0.6)
    made = ramp(unit(grain / float(grain.std()), 2.2), np.array(colours, float))
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), float(rng.uniform(0, 180)), 2.0)
    return np.asarray(
        cv2.warpAffine(
            made, turn, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_WRAP
        )
    )


def _filled(shape: tuple[int, ...], corners_px: Array) -> Array:
    mask = np.zeros(shape[:2], np.uint8)
    cv2.fillPoly(mask, [np.round(corners_px * 16).astype(np.int32)], 255, cv2.LINE_8, 4)
    return mask
