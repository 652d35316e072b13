"""A copy of Schlangennest in quite other art, and photographs of it: what an owner's box may be.

Ropes on slate in place of snakes on white, no border, another size, other names, drawn another way
round. Nothing here is trained on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from engine.setfile import built_in_set
from engine.tiles import Strand, TileKind
from models.lab.evaluate.taught.invented import lesson_photo
from models.lab.evaluate.taught.photographed import Setting, keep_lessons, photograph_game
from models.lab.scenes.games.positions import Played
from models.lab.scenes.settings import draw_settings
from models.lab.scenes.splits import rng_of
from models.lab.scenes.world.arrays import Array
from models.lab.scenes.world.faces import BACK, Box, Face, card_back, face_of, square_outline
from models.lab.scenes.world.noise import field, ramp, unit

GAME = "schlangennest"
PITCH_MM = 38.0
FACE_PX = 192
ROPES = {
    "blue": ("copper", (60, 120, 205)),
    "red": ("ivory", (205, 228, 238)),
    "yellow": ("teal", (150, 160, 40)),
    "green": ("plum", (140, 60, 150)),
}
"""What the owner calls the game's colours, and how they are printed: blue, green, red."""
SHAPES = {"straight": "beam", "curve": "bend", "tail": "root", "head": "bird"}
OWN_UP = {"straight": 1, "curve": 2, "tail": 3, "head": 1}
"""Quarter turns of the owner's art against the game's."""
SLATE = np.array([(92, 104, 98), (124, 136, 128), (150, 160, 152)], float)
RIM, RIM_LIGHT = 0.12, 0.35
"""Width of the dark rim in half cards, and how bright it is at the very edge."""
ASLEEP = (60, 84, 96)
ROPE, ASLEEP_ROPE = 0.24, 0.14
"""Widths of coloured and of neutral ropes, in shares of a card."""
LESSON_SEEDS = (3, 5)
LAID_APART_MM = 9.0
"""Gap between tiles in the photographs to learn from, as owners are asked to leave."""
GAME_SEED = 8


def owner_name(kind: TileKind) -> str:
    """Return what the owner calls a tile of the game."""
    return f"{ROPES[str(kind.colour)][0]} {SHAPES[kind.shape]}"


def owner_map() -> dict[str, tuple[str, int]]:
    """Return the game's tile and turns of each of the owner's kinds."""
    kinds = built_in_set(GAME).kinds.values()
    return {owner_name(kind): (kind.name, OWN_UP[kind.shape]) for kind in kinds}


def rope_box() -> Box:
    """Return the box, its faces by the game's names and at the game's turns 0."""
    tile_set = replace(built_in_set(GAME), pitch_mm=PITCH_MM)
    faces = {kind.name: _face(kind, 0) for kind in tile_set.kinds.values()}
    faces[BACK] = card_back(PITCH_MM, np.array([70.0, 60, 40]))
    return Box(tile_set, faces)


def write_lessons(folder: Path, seeds: Sequence[int] = LESSON_SEEDS) -> dict[str, Any]:
    """Photograph all kinds once per seed into a folder, with ``labels.json`` and ``map.json``.

    Labels are in the owner's names and turns. Returns them.
    """
    return keep_lessons(folder, _shots(seeds), owner_map())


def _shots(seeds: Sequence[int]) -> Iterator[tuple[bytes, list[Any]]]:
    kinds = built_in_set(GAME).kinds.values()
    faces = {owner_name(kind): _face(kind, OWN_UP[kind.shape]) for kind in kinds}
    for seed in seeds:
        settings = draw_settings(seed, "held-out", "invented-square", (1600, 1200))
        apart = replace(settings, cards=replace(settings.cards, gap_mm=LAID_APART_MM))
        jpeg, truth = lesson_photo(apart, "square", PITCH_MM, faces, dict.fromkeys(faces, 4))
        yield (
            jpeg,
            [
                {
                    "tile": t["tile"],
                    "turns": t["turns"],
                    "at": t["at"],
                    "centre": np.mean(t["outline"], axis=0).tolist(),
                }
                for t in truth["tiles"]
            ],
        )


def write_game(
    folder: Path, box: Box | None, moves: int | None = None, size_px: tuple[int, int] = (1280, 720)
) -> Played:
    """Photograph a game move by move into a folder; ``None`` is the built-in box."""
    setting = Setting(GAME, GAME_SEED, size_px, steep_deg=(82.0, 82.0), upright=True)
    return photograph_game(folder, setting, box, moves)


# --- The art ---


def _face(kind: TileKind, turns: int) -> Face:
    """Return a card as printed, turned by whole quarters."""
    grain = unit(field(rng_of("slate", kind.name), FACE_PX, (3, 9), 5, 0.7))
    canvas = np.ascontiguousarray(ramp(grain, SLATE))
    # Neutral strands lie below the coloured one.
    for strand in sorted(kind.turned(turns), key=lambda strand: strand.colour in ROPES):
        _draw(canvas, strand)
    canvas = (canvas * _worn()[..., None]).astype(np.uint8)
    density = FACE_PX / PITCH_MM
    return face_of(canvas, density, (FACE_PX / 2, FACE_PX / 2), square_outline(PITCH_MM))


def _worn() -> Array:
    """Return the brightness of each place: old cards are dark around the rim."""
    place = np.abs((np.arange(FACE_PX) + 0.5) / FACE_PX * 2 - 1)
    rim = np.maximum(place[:, None], place[None])
    return np.asarray(1 - (1 - RIM_LIGHT) * np.clip((rim - 1 + RIM) / RIM, 0, 1))


def _draw(canvas: Array, strand: Strand) -> None:
    own = strand.colour in ROPES
    colour = ROPES[str(strand.colour)][1] if own else ASLEEP
    wide = round((ROPE if own else ASLEEP_ROPE) * FACE_PX)
    line = _way(strand)
    points = np.round((line * FACE_PX / 2 + FACE_PX / 2) * 16).astype(np.int32)
    dark = tuple(round(c * 0.45) for c in colour)
    cv2.polylines(canvas, [points], False, dark, wide + 8, cv2.LINE_AA, 4)
    cv2.polylines(canvas, [points], False, colour, wide, cv2.LINE_AA, 4)
    for k in range(2, len(line) - 2, 4):
        _twist(canvas, line[k], line[k + 1] - line[k - 1], wide, dark)
    if strand.cap:
        _cap(canvas, line[-1], colour, wide, head=strand.cap == "head", own=own)


def _way(strand: Strand) -> Array:
    """Return the middle line from side to side, or to near the middle, in half cards."""
    sides = np.array([(0.0, -1.0), (1, 0), (0, 1), (-1, 0)])
    start = sides[strand.edges[0]]
    t = np.linspace(0, 1, 25)[:, None]
    if len(strand.edges) == 1:
        return np.asarray(start * (1 - 0.72 * t))
    end = sides[strand.edges[1]]
    return np.asarray((1 - t) ** 2 * start + t**2 * end)


def _twist(canvas: Array, at: Array, along: Array, wide: int, colour: tuple[int, ...]) -> None:
    """Draw one turn of a rope across it."""
    across = np.array([-along[1], along[0]]) / np.linalg.norm(along)
    slant = along / np.linalg.norm(along) * 0.5
    ends = np.array(
        [at - (across + slant) * wide / FACE_PX, at + (across + slant) * wide / FACE_PX]
    )
    points = np.round((ends * FACE_PX / 2 + FACE_PX / 2) * 16).astype(np.int32)
    cv2.polylines(canvas, [points], False, colour, 3, cv2.LINE_AA, 4)


def _cap(
    canvas: Array, at: Array, colour: tuple[int, ...], wide: int, *, head: bool, own: bool
) -> None:
    """Draw a knot with an eye where a head ends, a block where a tail does."""
    x, y = np.round(at * FACE_PX / 2 + FACE_PX / 2).astype(int).tolist()
    dark = tuple(round(c * 0.35) for c in colour)
    if head:
        cv2.circle(canvas, (x, y), round(wide * 0.85), colour, -1, cv2.LINE_AA)
        cv2.circle(canvas, (x, y), round(wide * 0.4), (20, 230, 250) if own else dark, -1)
        cv2.circle(canvas, (x, y), round(wide * 0.15), (10, 10, 10), -1)
    else:
        half = round(wide * 0.7)
        cv2.rectangle(canvas, (x - half, y - half), (x + half, y + half), colour, -1)
        cv2.rectangle(canvas, (x - half, y - half), (x + half, y + half), dark, 5, cv2.LINE_AA)
