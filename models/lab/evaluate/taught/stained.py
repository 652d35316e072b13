"""Snekagon 5G as somebody may have sawn it: stained blocks on boards with bored holes, clay of tin.

Nothing is printed and no colour is that of the printed set; rings of tin stand for the clay, open
ones with a gap. Nothing here is trained on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from engine.lattice import HEX_SIDE_NAMES, hex_board, hex_neighbours
from engine.placement import Clay, Layout, Piece
from engine.setfile import built_in_set
from models.lab.evaluate.taught.photographed import Setting, keep_lessons, laid_pieces, photographs
from models.lab.evaluate.taught.wood import EDGE, PITCH_MM, PX_PER_MM, SIDE, THICK_MM, block, plank
from models.lab.scenes.games.positions import Played, played
from models.lab.scenes.splits import rng_of
from models.lab.scenes.world.arrays import Array
from models.lab.scenes.world.faces import BOARD, Box, Face, face_of

GAME = "snekagon5g"
SIZE_PX = (2000, 1500)
STAINS = {
    "blue": ((120, 92, 52), (160, 126, 78), (186, 152, 104)),
    "red": ((40, 48, 128), (56, 66, 160), (80, 92, 186)),
    "yellow": ((70, 160, 200), (96, 190, 224), (126, 208, 236)),
    "green": ((62, 104, 58), (80, 134, 78), (104, 160, 102)),
    "violet": ((96, 52, 92), (128, 76, 124), (154, 102, 150)),
    BOARD: ((58, 66, 76), (78, 88, 100), (98, 110, 122)),
}
"""Dark, middle and light colour of five stains and of the boards' smoked oak: blue, green, red."""
TIN, TIN_DARK = (214, 208, 202), (120, 116, 112)
RING_MM, HOLE_MM, GAP_DEG = 7.0, 3.2, 44.0
"""Outer and inner radius of a ring of tin, and half of the gap of an open one."""
EYE_MM = 7.5
"""Radius of the holes in a board."""
PLAYERS = ("blue", "red", "yellow", "green", "violet")
LESSON_SEEDS, LESSON_BOARDS = (1, 2, 3), 2
TABLE_SEEDS = 300
"""First seed of the games whose last table is read."""
CLAY_A_BOARD = 5


@lru_cache(maxsize=1)
def stained_box() -> Box:
    """Return the box, its faces by the game's names."""
    tile_set = replace(built_in_set(GAME), pitch_mm=PITCH_MM)
    faces = {kind.name: block(kind, STAINS) for kind in tile_set.kinds.values()}
    eyes = [(q, r) for q, r in tile_set.extras["board"]["eyes"]]
    faces[BOARD] = plank(STAINS, eyes, EYE_MM)
    faces |= {f"clay/{kind}": _ring(kind) for kind in tile_set.extras["clay"]}
    return Box(tile_set, faces)


def write_lessons(folder: Path, seeds: Sequence[int] = LESSON_SEEDS) -> dict[str, Any]:
    """Photograph two boards with tiles and clay once per seed, with ``labels.json``."""
    layouts = {seed: laid_layout(seed, _colours(seed)) for seed in seeds}
    shots = (
        (
            photograph(layout, SIZE_PX, seed, LESSON_BOARDS),
            [
                *map(_tile, sorted(layout.pieces)),
                *map(_clay, sorted(layout.clay, key=lambda one: (one.board, one.cell))),
            ],
        )
        for seed, layout in layouts.items()
    )
    return keep_lessons(folder, shots)


def _colours(seed: int) -> tuple[str, ...]:
    """Return which colours lie on the two boards of a lesson: all five in two photographs."""
    return PLAYERS[:3] if seed % 2 else PLAYERS[2:]


def _tile(piece: Piece) -> dict[str, Any]:
    return {"tile": piece.tile, "board": piece.board, "cells": [list(c) for c in piece.cells]}


def _clay(one: Clay) -> dict[str, Any]:
    said: dict[str, Any] = {
        "tile": f"clay/{one.kind}",
        "board": one.board,
        "cells": [list(one.cell)],
    }
    return said if one.opens is None else {**said, "opens": one.opens}


def photograph(layout: Layout, size_px: tuple[int, int], seed: int, boards: int) -> bytes:
    """Return one photograph of a layout on ``boards`` boards."""
    setting = Setting(GAME, seed, size_px, (74.0, 90.0), thick_mm=THICK_MM, edge=EDGE)
    # There is one board per player; the layout says which tiles lie on which board.
    (jpeg,) = photographs(setting, [layout], PLAYERS[:boards], stained_box())
    return jpeg


def write_table(path: Path, seed: int) -> Played:
    """Photograph the last table of a game."""
    one = played(GAME, "held-out", "greedy", seed)
    path.write_bytes(photograph(one.layouts[-1], SIZE_PX, seed, len(one.players)))
    return one


def laid_layout(seed: int, colours: Sequence[str]) -> Layout:
    """Return tiles of some colours laid at random on boards, clay of both kinds on some of them."""
    rng = rng_of("stained-lesson", seed)
    box = built_in_set(GAME)
    eyes = {(q, r) for q, r in box.extras["board"]["eyes"]}
    free = {
        (n, *cell) for n in range(LESSON_BOARDS) for cell in hex_board(SIDE) if cell not in eyes
    }
    kinds = [kind for colour in colours for kind in box.of_colour(colour)]
    pieces = laid_pieces(kinds, free, rng)
    return Layout(pieces=frozenset(pieces), clay=frozenset(_clays(pieces, rng)))


def _clays(pieces: Sequence[Piece], rng: np.random.Generator) -> list[Clay]:
    """Return clay on ends of tiles: open towards their bodies, closed on single hexes."""
    found = []
    for number in range(LESSON_BOARDS):
        own = [piece for piece in sorted(pieces) if piece.board == number]
        for index in rng.permutation(len(own))[:CLAY_A_BOARD].tolist():
            cell = own[index].cells[0]
            beside = hex_neighbours(cell)
            sides = [k for k, other in enumerate(beside) if other in own[index].cells]
            opens = HEX_SIDE_NAMES[sides[0]] if sides else None
            found.append(Clay(number, cell, "open" if opens else "closed", opens))
        singles = [piece for piece in own if len(piece.cells) == 1]
        taken = {clay.cell for clay in found if clay.board == number}
        found += [
            Clay(number, piece.cells[0], "closed", None)
            for piece in singles
            if piece.cells[0] not in taken
        ]
    return found


def _ring(kind: str) -> Face:
    """Return a ring of tin, its gap to the east if it is open."""
    half = round(RING_MM * PX_PER_MM)
    place = np.arange(2 * half + 1) - half
    x, y = np.meshgrid(place, place)
    away = np.hypot(x, y) / PX_PER_MM
    light = np.clip((away - HOLE_MM) / (RING_MM - HOLE_MM), 0, 1)[..., None]
    canvas = np.array(TIN) * np.sin(np.pi * light) + np.array(TIN_DARK) * (1 - light * 0.6)
    cover: Array = ((away >= HOLE_MM) & (away <= RING_MM)).astype(np.float32)
    if kind == "open":
        cover[np.abs(np.degrees(np.arctan2(y, x))) < GAP_DEG] = 0
    alpha = cv2.GaussianBlur(cover, (0, 0), 0.8) * 255
    angles = np.radians(np.arange(0, 360, 7.5))
    corners = np.stack([np.cos(angles), np.sin(angles)], axis=1) * RING_MM
    return face_of(
        np.clip(canvas, 0, 255).astype(np.uint8),
        PX_PER_MM,
        (half, half),
        corners,
        alpha.astype(np.uint8),
    )
