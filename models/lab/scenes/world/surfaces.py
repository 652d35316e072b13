"""What tiles lie on: tables, cloths, felt, glass and floors, each made from its name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np

from models.lab.scenes.splits import SPLITS, photographed_surfaces, rng_of
from models.lab.scenes.world.arrays import Array, Random
from models.lab.scenes.world.noise import field, ramp, unit

SIZE_PX = 768


@dataclass(frozen=True)
class Surface:
    """A texture that repeats without a seam."""

    bgr: Array
    span_mm: float
    """Length of table that one repeat covers."""
    gloss: float
    """0 matt to 1 like glass."""
    grain: float
    """Strength of detail that is finer than the texture's resolution."""


@lru_cache(maxsize=96)
def surface(name: str) -> Surface:
    """Return the surface of that name."""
    if name.startswith("photo:"):
        return _photograph(name)
    rng = rng_of("surface", name)
    return MAKERS[name.rpartition("-")[0]](rng)


def hsv(hue_deg: float, saturation: float, value: float) -> Array:
    """Return one colour as blue, green, red from 0 to 255."""
    pixel = np.array([[[hue_deg % 360, saturation, value]]], np.float32)
    bgr = cv2.cvtColor(pixel, cv2.COLOR_HSV2BGR)
    return np.asarray(bgr[0, 0] * 255)


def wood_colours(rng: Random) -> Array:
    """Return the dark, middle and light colour of some wood."""
    hue, saturation = rng.uniform(12, 36), rng.uniform(0.25, 0.75)
    value = rng.uniform(0.2, 0.9)
    spread = rng.uniform(0.55, 0.85)
    return np.stack(
        [
            hsv(hue - 3, min(1, saturation * 1.15), value * spread),
            hsv(hue, saturation, value),
            hsv(hue + 2, saturation * 0.85, min(1, value * 1.12)),
        ]
    )


def _grain(rng: Random) -> Array:
    """Return wood grain that runs to the right, 0 to 1."""
    long = field(rng, SIZE_PX, (int(rng.integers(1, 3)), int(rng.integers(10, 50))), 4, 0.65)
    fine = field(rng, SIZE_PX, (int(rng.integers(6, 12)), 256), 2, 0.6)
    wave = field(rng, SIZE_PX, (2, 4), 2)
    rings = np.sin(2 * np.pi * (wave * rng.uniform(0.5, 2.0) + long * 0.4))
    mixed = 0.55 * long + 0.3 * fine + rng.uniform(0, 0.5) * rings
    return unit(mixed / max(float(mixed.std()), 1e-6), 2.2)


def _wood(rng: Random) -> Surface:
    colours = wood_colours(rng)
    grain = _grain(rng)
    bgr = ramp(grain, colours)
    planks = int(rng.integers(0, 6))
    if planks > 1:
        bgr = _planked(rng, grain, colours, planks, 1)
    return Surface(bgr, rng.uniform(500, 900), rng.uniform(0.1, 0.6), 0.6)


def _parquet(rng: Random) -> Surface:
    colours = wood_colours(rng)
    rows = int(rng.integers(8, 20))
    bgr = _planked(rng, _grain(rng), colours, rows, int(rng.integers(2, 5)))
    return Surface(bgr, rng.uniform(500, 900), rng.uniform(0.1, 0.6), 0.6)


def _planked(rng: Random, grain: Array, colours: Array, rows: int, pieces: int) -> Array:
    """Return strips of wood glued side by side, each of its own shade."""
    out = np.zeros((*grain.shape, 3), np.uint8)
    edges = np.linspace(0, SIZE_PX, rows + 1).astype(int)
    seam = rng.uniform(0.55, 0.95)
    shades = rng.uniform(0.05, 0.25)
    for top, bottom in pairwise(edges.tolist()):
        cuts = np.sort(rng.integers(0, SIZE_PX, pieces)) if pieces > 1 else np.array([0])
        for i in range(pieces):
            start = int(cuts[i])
            width = int(cuts[(i + 1) % pieces] - start) % SIZE_PX or SIZE_PX
            columns = (start + np.arange(width)) % SIZE_PX
            shift = int(rng.integers(0, SIZE_PX))
            part = np.roll(grain, shift, axis=0)[top:bottom][:, (columns + shift) % SIZE_PX]
            shade = 1 + rng.normal(0, shades)
            piece = np.clip(ramp(part, colours) * shade, 0, 255)
            if pieces > 1:
                piece[:, :1] *= seam
            piece[:1] *= seam
            out[top:bottom, columns] = piece.astype(np.uint8)
    return out


def _weave(rng: Random, pitch: int, depth: float) -> Array:
    """Return the brightness pattern of crossing threads, around 1."""
    steps = np.arange(SIZE_PX)
    threads = np.cos(2 * np.pi * steps * (SIZE_PX // pitch) / SIZE_PX)
    chequer = 0.5 * (threads[:, None] + threads[None, :])
    uneven = field(rng, SIZE_PX, (8, 200), 1) + field(rng, SIZE_PX, (200, 8), 1)
    return np.asarray(1 + depth * (0.5 * chequer + 0.25 * uneven), np.float32)


def _any_colour(rng: Random) -> Array:
    return hsv(rng.uniform(0, 360), rng.uniform(0.05, 0.85), rng.uniform(0.15, 0.95))


def _cloth(rng: Random) -> Surface:
    folds = field(rng, SIZE_PX, (2, 3), 3)
    shade = _weave(rng, int(rng.integers(3, 7)), rng.uniform(0.05, 0.25)) * (1 + 0.05 * folds)
    bgr = np.clip(_any_colour(rng) * shade[..., None], 0, 255).astype(np.uint8)
    return Surface(bgr, rng.uniform(350, 700), rng.uniform(0, 0.08), 1.0)


def _gingham(rng: Random) -> Surface:
    pale = hsv(rng.uniform(20, 60), rng.uniform(0, 0.12), rng.uniform(0.85, 1))
    strong = hsv(rng.uniform(0, 360), rng.uniform(0.35, 0.95), rng.uniform(0.25, 0.85))
    squares = int(rng.integers(4, 26)) * 2
    width = rng.choice([0.5, 0.5, 0.35, 0.2])
    steps = (np.arange(SIZE_PX) * squares / 2 / SIZE_PX) % 1
    band = (steps < width).astype(np.float32)
    share = 0.5 * (band[:, None] + band[None, :])
    if rng.random() < 0.35:
        fine = (((np.arange(SIZE_PX) * squares / 2 / SIZE_PX) + 0.1) % 1 < 0.06) * 0.5
        share = np.clip(share + fine[:, None] + fine[None, :], 0, 1)
    flat = pale + (strong - pale) * share[..., None]
    shade = _weave(rng, int(rng.integers(3, 6)), rng.uniform(0.03, 0.15))
    shade = shade * (1 + 0.04 * field(rng, SIZE_PX, (2, 2), 3))
    bgr = np.clip(flat * shade[..., None], 0, 255).astype(np.uint8)
    return Surface(bgr, rng.uniform(300, 800), 0.03, 1.0)


def _patterned(rng: Random) -> Surface:
    ground = _any_colour(rng)
    bgr = np.full((SIZE_PX, SIZE_PX, 3), ground, np.uint8)
    across = int(rng.integers(3, 14))
    pitch = SIZE_PX / across
    motifs = [_motif(rng) for _ in range(int(rng.integers(1, 4)))]
    for row in range(across):
        for column in range(across):
            shift = 0.5 * (row % 2)
            centre = np.array([column + 0.5 + shift, row + 0.5]) * pitch
            motif = motifs[(row * 7 + column) % len(motifs)]
            _stamp(bgr, motif, centre, pitch)
    shade = _weave(rng, int(rng.integers(3, 6)), rng.uniform(0.02, 0.12))
    bgr = np.clip(bgr * shade[..., None], 0, 255).astype(np.uint8)
    return Surface(bgr, rng.uniform(300, 800), rng.uniform(0, 0.3), 0.7)


def _motif(rng: Random) -> list[tuple[Array, Array]]:
    """Return outlines (in units of the pitch) with colours: dots, stripes, leaves, flowers."""
    kind = rng.choice(["dot", "stripe", "flower", "leaf", "diamond", "ring"])
    angles = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    colour = _any_colour(rng)
    size = rng.uniform(0.1, 0.4)
    if kind == "dot":
        return [(circle * size, colour)]
    if kind == "ring":
        return [(circle * size, colour), (circle * size * 0.6, _any_colour(rng))]
    if kind == "stripe":
        bar = np.array([[-0.52, -size / 2], [0.52, -size / 2], [0.52, size / 2], [-0.52, size / 2]])
        return [(bar, colour)]
    if kind == "diamond":
        return [(circle[::10] * size * 1.2, colour)]
    if kind == "leaf":
        leaf = circle * (size, size * 0.4)
        turn = rng.uniform(0, np.pi)
        spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        return [(leaf @ spin.T, colour), ((leaf * 0.5) @ spin, _any_colour(rng))]
    petals = int(rng.integers(4, 9))
    radius = 1 + 0.45 * np.cos(petals * angles)
    return [
        (circle * radius[:, None] * size * 0.7, colour),
        (circle * size * 0.25, _any_colour(rng)),
    ]


def _stamp(bgr: Array, motif: list[tuple[Array, Array]], centre: Array, pitch: float) -> None:
    """Draw a motif, and a copy across each seam that it crosses."""
    for outline, colour in motif:
        for shift_x in (0, -SIZE_PX):
            for shift_y in (0, -SIZE_PX):
                points = outline * pitch + centre + (shift_x, shift_y)
                if points.max() >= 0:
                    corners = np.round(points * 16).astype(np.int32)
                    cv2.fillPoly(bgr, [corners], colour.tolist(), cv2.LINE_AA, 4)


def _felt(rng: Random) -> Surface:
    hue = rng.choice([140.0, 120, 220, 350, 0, 30, rng.uniform(0, 360)])
    colour = hsv(hue, rng.uniform(0.2, 0.8), rng.uniform(0.2, 0.65))
    fibres = field(rng, SIZE_PX, (180, 180), 2, 0.8) + field(rng, SIZE_PX, (40, 130), 2)
    blotch = field(rng, SIZE_PX, (4, 4), 3)
    shade = 1 + rng.uniform(0.03, 0.08) * fibres + 0.03 * blotch
    bgr = np.clip(colour * shade[..., None], 0, 255).astype(np.uint8)
    return Surface(bgr, rng.uniform(300, 600), 0.0, 1.0)


def _glass(rng: Random) -> Surface:
    """Return the dim view through or onto glass; its reflections come with the light."""
    below = hsv(rng.uniform(90, 230), rng.uniform(0.02, 0.35), rng.uniform(0.1, 0.75))
    shade = 1 + rng.uniform(0.02, 0.2) * field(rng, SIZE_PX, (2, 2), 3)
    smear = 0.015 * field(rng, SIZE_PX, (12, 60), 3)
    bgr = np.clip(below * (shade + smear)[..., None], 0, 255).astype(np.uint8)
    return Surface(bgr, rng.uniform(700, 1200), rng.uniform(0.8, 1.0), 0.05)


def _laminate(rng: Random) -> Surface:
    colour = hsv(rng.uniform(0, 360), rng.uniform(0, 0.2), rng.uniform(0.1, 1.0))
    speckle = field(rng, SIZE_PX, (384, 384), 1) * rng.uniform(0, 0.05)
    soft = field(rng, SIZE_PX, (3, 3), 4) * rng.uniform(0.005, 0.03)
    bgr = np.clip(colour * (1 + speckle + soft)[..., None], 0, 255).astype(np.uint8)
    return Surface(bgr, rng.uniform(500, 900), rng.uniform(0.2, 0.7), 0.2)


def _stone(rng: Random) -> Surface:
    value = rng.uniform(0.2, 0.9)
    hue, saturation = rng.uniform(0, 360), rng.uniform(0, 0.2)
    colours = np.stack([hsv(hue, saturation, value * share) for share in (0.6, 1.0, 1.1)])
    clouds = field(rng, SIZE_PX, (4, 4), 7, 0.6)
    veins = np.exp(-((field(rng, SIZE_PX, (3, 3), 5, 0.55) / 0.06) ** 2)) * rng.choice([0, 1.5])
    bgr = ramp(unit(clouds + veins * rng.choice([-1.0, 1.0]), 2.6), np.clip(colours, 0, 255))
    return Surface(bgr, rng.uniform(500, 1000), rng.uniform(0.2, 0.8), 0.4)


def _tiled(rng: Random) -> Surface:
    """Return floor or wall tiles: squares that are no game."""
    across = int(rng.integers(2, 13))
    base, grout = _stone(rng).bgr.astype(np.float32), rng.uniform(60, 220)
    width = max(2, int(rng.uniform(0.015, 0.06) * SIZE_PX / across))
    edges = np.linspace(0, SIZE_PX, across + 1).astype(int)
    chequer = rng.random() < 0.35
    other = _any_colour(rng) / 255
    for row in range(across):
        for column in range(across):
            part = base[edges[row] : edges[row + 1], edges[column] : edges[column + 1]]
            part *= 1 + rng.normal(0, 0.04)
            if chequer and (row + column) % 2:
                part *= 0.3 + 0.7 * other
    for edge in edges[:-1]:
        base[edge : edge + width] = grout
        base[:, edge : edge + width] = grout
    bgr = np.clip(cv2.GaussianBlur(base, (3, 3), 0), 0, 255).astype(np.uint8)
    return Surface(bgr, rng.uniform(250, 900), rng.uniform(0.2, 0.7), 0.3)


def _brick(rng: Random) -> Surface:
    """Return bricks or long stones in courses, each course shifted against the one before."""
    courses = 2 * int(rng.integers(4, 25))
    length = max(1, round(courses / rng.uniform(1.5, 5)))
    ends = np.stack(
        [hsv(rng.uniform(0, 40), rng.uniform(0.1, 0.7), rng.uniform(0.2, 0.9)) for _ in range(2)]
    )
    across, down = np.meshgrid(*[np.arange(SIZE_PX) / SIZE_PX] * 2)
    wavy = rng.uniform(0, 0.06) * field(rng, SIZE_PX, (16, 16), 3)
    y = down * courses + wavy
    x = across * length + wavy / 2 + (np.floor(y) % 2) * rng.choice([0.5, 0.5, 0.33])
    row, column = np.floor(y).astype(int) % courses, np.floor(x).astype(int) % length
    tints, shades = rng.random((courses, length)), 1 + rng.normal(0, 0.12, (courses, length))
    bgr = ends[0] + (ends[1] - ends[0]) * tints[row, column][..., None]
    rough = 1 + rng.uniform(0.03, 0.15) * field(rng, SIZE_PX, (60, 60), 4, 0.7)
    bgr *= (shades[row, column] * rough)[..., None]
    # Both joints are equally wide on the wall, where a brick is ``courses / length`` times as long.
    joint = rng.uniform(0.05, 0.22)
    from_edge = np.minimum(y % 1, (x % 1) * courses / length)
    mortar = np.clip((joint - from_edge) / 0.04 + 0.5, 0, 1)[..., None]
    grout = hsv(rng.uniform(0, 60), rng.uniform(0, 0.2), rng.uniform(0.15, 0.9))
    bgr += (grout * rough[..., None] - bgr) * mortar
    bgr = np.clip(bgr, 0, 255).astype(np.uint8)
    return Surface(bgr, rng.uniform(400, 1000), rng.uniform(0, 0.2), 0.5)


def _photograph(name: str) -> Surface:
    files = dict(pair for split in SPLITS for pair in photographed_surfaces(split))
    rng = rng_of("surface", name)
    bgr = cv2.imdecode(np.frombuffer(Path(files[name]).read_bytes(), np.uint8), cv2.IMREAD_COLOR)
    if bgr is None:
        raise ValueError(f"{files[name]} is no picture; remove it or mend it")
    bgr = cv2.resize(bgr, (1024, 1024), interpolation=cv2.INTER_AREA)
    return Surface(bgr, rng.uniform(500, 900), rng.uniform(0.05, 0.5), 0.4)


MAKERS: dict[str, Callable[[Random], Surface]] = {
    "wood": _wood,
    "parquet": _parquet,
    "cloth": _cloth,
    "gingham": _gingham,
    "patterned": _patterned,
    "felt": _felt,
    "glass": _glass,
    "laminate": _laminate,
    "stone": _stone,
    "tiled": _tiled,
    "brick": _brick,
}
