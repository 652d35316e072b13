"""Tile sets that never existed: prints of every kind on squares and hexes, made from a name.

Readers must cope with boxes that training has never seen, so prints are varied far beyond the
five games: letters, shapes, photograph-like art, art that crosses the seam, neighbours of one
colour, with and without borders.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np

from models.lab.scenes.splits import rng_of
from models.lab.scenes.world.arrays import Array, Random
from models.lab.scenes.world.faces import (
    Face,
    card_back,
    face_of,
    hex_outline,
    inside,
    square_outline,
)
from models.lab.scenes.world.noise import field, ramp, unit
from models.lab.scenes.world.surfaces import hsv, wood_colours

FACE_PX = 160
FEWEST_KINDS, MOST_KINDS = 12, 36
MOST_TRIES = 400
ALIKE = 4.0
"""Mean difference of two thumbnails, of 255, below which two kinds are too alike to keep both."""
SAME = 2.0
"""Mean difference of thumbnails below which a turned face looks unturned; kinds differ more."""
FONTS = (
    cv2.FONT_HERSHEY_SIMPLEX,
    cv2.FONT_HERSHEY_DUPLEX,
    cv2.FONT_HERSHEY_COMPLEX,
    cv2.FONT_HERSHEY_TRIPLEX,
    cv2.FONT_HERSHEY_SCRIPT_COMPLEX,
)


@dataclass(frozen=True)
class InventedSet:
    """A box that never existed."""

    name: str
    lattice: str
    pitch_mm: float
    style: str
    faces: dict[str, Face]
    periods: dict[str, int]
    """Turns after which a kind looks the same: 4 (hexes: 6) for a kind with an up."""
    back: Face


def planned_kinds(name: str) -> int:
    """Return the planned number of kinds of a set without drawing it; some styles yield fewer."""
    return _plan(name).count


@lru_cache(maxsize=16)
def invented_set(name: str) -> InventedSet:
    """Return the invented set of that name (``invented-square-0031``)."""
    plan = _plan(name)
    blank = Blank.of(plan.lattice, plan.pitch_mm)
    shared = _Shared(plan.rng, plan.palette, plan.lattice)
    faces: dict[str, Face] = {}
    periods: dict[str, int] = {}
    looks: list[Array] = []
    for number in range(MOST_TRIES):
        bgr = PAINTERS[plan.style](rng_of("invented", name, number), shared, number)
        bgr = plan.border(bgr, blank.outline_px)
        views = _views(bgr, blank.alpha, plan.lattice)
        if looks and _difference(views[:, None], np.stack(looks)[None]).min() < ALIKE:
            continue
        kind = f"k{len(faces):02d}"
        faces[kind] = blank.face(bgr)
        periods[kind] = next(
            (
                step
                for step in range(1, len(views))
                if len(views) % step == 0 and _difference(views[0], views[step]) < SAME
            ),
            len(views),
        )
        looks.append(views[0])
        if len(faces) == plan.count:
            break
    square = plan.lattice == "square"
    back = card_back(plan.pitch_mm, plan.palette[0]) if square else faces["k00"]
    return InventedSet(name, plan.lattice, plan.pitch_mm, plan.style, faces, periods, back)


@dataclass(frozen=True)
class Blank:
    """A tile before anything is printed on it, in the middle of a picture."""

    outline_mm: Array
    px_per_mm: float
    outline_px: Array
    alpha: Array

    @classmethod
    def of(cls, lattice: str, pitch_mm: float) -> Blank:
        """Return a blank of a lattice that is as large as a picture."""
        outline = square_outline(pitch_mm) if lattice == "square" else hex_outline(pitch_mm)
        density = FACE_PX / float((outline.max(axis=0) - outline.min(axis=0)).max())
        outline_px = outline * density + FACE_PX / 2
        return cls(outline, density, outline_px, inside((FACE_PX, FACE_PX), outline_px))

    def face(self, bgr: Array) -> Face:
        """Return the tile with a picture printed on it."""
        middle = (FACE_PX / 2, FACE_PX / 2)
        return face_of(bgr, self.px_per_mm, middle, self.outline_mm, self.alpha)


@dataclass(frozen=True)
class _Plan:
    """Properties of a set that are fixed before its first face is drawn."""

    rng: Random
    lattice: str
    pitch_mm: float
    style: str
    palette: Array
    border: Callable[[Array, Array], Array]
    count: int


def _plan(name: str) -> _Plan:
    rng = rng_of("invented", name)
    lattice = name.split("-")[1]
    pitch = float(rng.uniform(25, 60) if lattice == "square" else rng.uniform(28, 90))
    style = str(rng.choice(list(PAINTERS)))
    palette = palette_of(rng)
    border = border_of(rng, palette)
    count = int(rng.integers(FEWEST_KINDS, MOST_KINDS + 1))
    return _Plan(rng, lattice, pitch, style, palette, border, count)


def _views(bgr: Array, alpha: Array, lattice: str) -> Array:
    """Return thumbnails of a face at every turn of its lattice."""
    sides = 4 if lattice == "square" else 6
    covered = np.where(alpha[..., None] > 128, bgr, 0).astype(np.uint8)
    middle = ((FACE_PX - 1) / 2, (FACE_PX - 1) / 2)
    views = []
    for step in range(sides):
        spin = cv2.getRotationMatrix2D(middle, -step * 360 / sides, 1.0)
        turned = cv2.warpAffine(covered, spin, (FACE_PX, FACE_PX)) if step else covered
        views.append(cv2.resize(turned, (20, 20), interpolation=cv2.INTER_AREA))
    return np.stack(views).astype(np.int16)


def _difference(one: Array, other: Array) -> Array:
    """Return the mean absolute difference of thumbnails, over the last three axes."""
    return np.asarray(np.abs(one - other).mean(axis=(-3, -2, -1)))


class _Shared:
    """What all faces of one set have in common."""

    def __init__(self, rng: Random, palette: Array, lattice: str) -> None:
        self.palette = palette
        self.lattice = lattice
        self.ground = palette[int(rng.integers(len(palette)))]
        self.one_ground = bool(rng.random() < 0.6)
        self.font = int(rng.choice(FONTS))
        self.letters = rng.permutation(list("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"))
        self.relief = field(rng, FACE_PX, (3, 3), 4)
        self.width = float(rng.uniform(0.15, 0.45))
        self.noise = float(rng.choice([0, 0.02, 0.06]))
        self.shapes = rng.permutation(list(SHAPES)).tolist()
        self.size = float(rng.uniform(0.5, 0.85))

    def ground_of(self, rng: Random, number: int) -> Array:
        """Return the background of one face."""
        if self.one_ground:
            return np.asarray(self.ground)
        return np.asarray(self.palette[(number * 5 + int(rng.integers(2))) % len(self.palette)])

    def colour(self, number: int, away_from: Array) -> Array:
        """Return a colour that contrasts with the background."""
        for step in range(len(self.palette)):
            colour = self.palette[(number + step) % len(self.palette)]
            if np.abs(colour - away_from).sum() > 120:
                return np.asarray(colour)
        return np.asarray(255 - away_from)


def palette_of(rng: Random) -> Array:
    """Return the colours of one box, white and black last."""
    count = int(rng.integers(4, 9))
    start = rng.uniform(0, 360)
    if rng.random() < 0.25:
        # Close shades of one colour: neighbours that hardly differ.
        hues = start + rng.normal(0, 15, count)
    else:
        hues = start + np.arange(count) * 360 / count + rng.normal(0, 10, count)
    colours = [hsv(h, rng.uniform(0.25, 0.95), rng.uniform(0.3, 0.98)) for h in hues]
    colours += [np.full(3, 245.0), np.full(3, 25.0)]
    return np.stack(colours)


def border_of(rng: Random, palette: Array) -> Callable[[Array, Array], Array]:
    """Return a function that draws the same border (or none) on every face."""
    kind = str(rng.choice(["none", "none", "plain", "line", "pale"]))
    width = float(rng.uniform(0.02, 0.12)) * FACE_PX
    colour = palette[int(rng.integers(len(palette)))]
    if kind == "pale":
        colour = np.full(3, rng.uniform(215, 255))

    def draw(bgr: Array, outline_px: Array) -> Array:
        if kind == "none":
            return bgr
        middle = outline_px.mean(axis=0)
        inner = middle + (outline_px - middle) * (1 - 2 * width / FACE_PX)
        mask = np.zeros(bgr.shape[:2], np.uint8)
        cv2.fillPoly(mask, [np.round(inner * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
        if kind == "line":
            thin = middle + (outline_px - middle) * (1 - 3.2 * width / FACE_PX)
            cv2.fillPoly(mask, [np.round(thin * 16).astype(np.int32)], 0, cv2.LINE_AA, 4)
            mask = 255 - mask
        share = (mask / 255.0)[..., None]
        return np.asarray(bgr * share + colour * (1 - share), np.uint8)

    return draw


def _canvas(colour: Array) -> Array:
    return np.full((FACE_PX, FACE_PX, 3), np.clip(colour, 0, 255), np.uint8)


def fill(canvas: Array, points: Array, colour: Array) -> None:
    """Fill an outline given around the middle in units of half a face."""
    pixels = np.round((points * FACE_PX / 2 + FACE_PX / 2) * 16).astype(np.int32)
    cv2.fillPoly(canvas, [pixels], colour.tolist(), cv2.LINE_AA, 4)


def polygon(corners: int, inner: float = 1.0, turn: float = 0.0) -> Array:
    """Return a regular polygon, or a star where ``inner`` is below 1."""
    count = corners * (2 if inner < 1 else 1)
    angles = np.arange(count) * 2 * np.pi / count - np.pi / 2 + turn
    radii = np.where(np.arange(count) % 2 == 1, inner, 1.0) if inner < 1 else np.ones(count)
    return np.asarray(np.stack([np.cos(angles), np.sin(angles)], axis=1) * radii[:, None])


def _shape_parts() -> dict[str, list[Array]]:
    arm = np.array([(-1, -3), (1, -3), (1, -1)])
    turns = (arm, arm[:, ::-1] * (-1, 1), -arm, arm[:, ::-1] * (1, -1))
    cross = np.concatenate(turns) / 3.2
    circle = polygon(48)
    return {
        "circle": [circle],
        "square": [polygon(4, turn=np.pi / 4)],
        "diamond": [polygon(4)],
        "star": [polygon(5, 0.45)],
        "sun": [polygon(8, 0.6)],
        "cross": [cross],
        "triangle": [polygon(3)],
        "hexagon": [polygon(6)],
        "spark": [polygon(4, 0.35)],
        "drop": [circle * (0.6, 0.6) + (0, 0.35), np.array([(-0.5, 0.1), (0, -0.9), (0.5, 0.1)])],
        "clover": [circle * 0.45 + shift for shift in ((-0.45, 0.1), (0.45, 0.1), (0, -0.5))],
        "arrow": [
            np.array(
                [(-0.25, 0.9), (-0.25, 0), (-0.7, 0), (0, -0.9), (0.7, 0), (0.25, 0), (0.25, 0.9)]
            )
        ],
        "moon": [np.concatenate([polygon(40)[:30], (polygon(40) * 0.75 + (-0.3, 0.1))[29::-1]])],
        "bars": [square_outline(1.6, 0.35) + np.array([0, dy]) for dy in (-0.6, 0, 0.6)],
    }


SHAPES = _shape_parts()
"""The outlines that make up each shape, in units of half a face."""


def _shapes(rng: Random, shared: _Shared, number: int) -> Array:
    ground = shared.ground_of(rng, 0)
    canvas = _canvas(ground)
    colours = len(shared.palette) - 2
    for part in SHAPES[shared.shapes[(number // colours) % len(SHAPES)]]:
        fill(canvas, part * shared.size * 0.8, shared.colour(number % colours, ground))
    return canvas


def _letters(rng: Random, shared: _Shared, number: int) -> Array:
    ground = shared.ground_of(rng, number)
    canvas = _canvas(ground)
    text = str(shared.letters[number % len(shared.letters)])
    scale, thick = 4.6 * shared.size, int(rng.integers(5, 16))
    (width, height), _ = cv2.getTextSize(text, shared.font, scale, thick)
    at = (FACE_PX - width) // 2, (FACE_PX + height) // 2
    big = shared.font, scale, shared.colour(number, ground).tolist(), thick
    cv2.putText(canvas, text, at, *big, cv2.LINE_AA)
    small = shared.font, 0.8, shared.colour(number + 1, ground).tolist(), 2
    corner = int(FACE_PX * 0.66), int(FACE_PX * 0.78)
    cv2.putText(canvas, str(int(rng.integers(1, 11))), corner, *small, cv2.LINE_AA)
    return canvas


def _terrain(rng: Random, shared: _Shared, number: int) -> Array:
    """Return full-bleed land in few base colours, so that neighbours blend into one another."""
    base = shared.palette[number % min(5, len(shared.palette))]
    colours = np.clip(np.stack([base * 0.6, base, base * 1.25 + 15]), 0, 255)
    canvas = ramp(unit(field(rng, FACE_PX, (5, 5), 4, 0.7)), colours)
    mark = SHAPES[shared.shapes[(number // 5) % len(SHAPES)]]
    for _ in range(int(rng.integers(2, 9))):
        at = rng.uniform(-0.7, 0.7, 2)
        shade = np.clip(base * rng.uniform(0.35, 1.5), 0, 255)
        for part in mark:
            fill(canvas, part * rng.uniform(0.08, 0.28) + at, shade)
    return canvas


def _scenery(rng: Random, shared: _Shared, number: int) -> Array:
    """Return something like a photograph: clouds of colour, a horizon, blurred blobs."""
    pick = rng.choice(len(shared.palette), 3, replace=False)
    relief = field(rng, FACE_PX, (2, 2), 6, 0.62)
    canvas = ramp(unit(relief), shared.palette[pick])
    horizon = int(rng.uniform(0.3, 0.7) * FACE_PX)
    other = rng.choice(len(shared.palette), 3, replace=False)
    rough = field(rng, FACE_PX, (2, 8), 6, 0.65)
    canvas[horizon:] = ramp(unit(rough), shared.palette[other])[horizon:]
    for _ in range(int(rng.integers(1, 6))):
        at = rng.uniform(-0.8, 0.8, 2)
        shade = shared.palette[int(rng.integers(len(shared.palette)))] * rng.uniform(0.6, 1.1)
        fill(canvas, polygon(24) * rng.uniform(0.1, 0.4, 2) + at, np.clip(shade, 0, 255))
    canvas = cv2.GaussianBlur(canvas, (0, 0), rng.uniform(0.5, 2.0))
    grit = 1 + 0.06 * field(rng, FACE_PX, (96, 96), 1)
    return np.clip(canvas * grit[..., None], 0, 255).astype(np.uint8)


def _stripes(rng: Random, shared: _Shared, number: int) -> Array:
    canvas = _canvas(shared.ground_of(rng, number))
    count = int(rng.integers(2, 7))
    turn = rng.choice([0, 45, 90, 135, float(rng.uniform(0, 180))])
    spin = np.radians(turn)
    matrix = np.array([[np.cos(spin), -np.sin(spin)], [np.sin(spin), np.cos(spin)]])
    colour = shared.colour(number, canvas[0, 0].astype(float))
    for i in range(count):
        middle = (i - (count - 1) / 2) * 2.4 / count
        bar = square_outline(4.0, 1.2 / count) + np.array([0, middle])
        fill(canvas, bar @ matrix.T, colour if i % 2 == 0 else shared.colour(number + 2, colour))
    return canvas


def _paths(rng: Random, shared: _Shared, number: int) -> Array:
    """Return bands that cross the seam from side to side, as rivers, roads and snakes do."""
    ground = shared.ground_of(rng, 0 if rng.random() < 0.7 else number)
    canvas = _canvas(ground)
    if shared.noise:
        shade = 1 + shared.noise * shared.relief
        canvas = np.clip(canvas * shade[..., None], 0, 255).astype(np.uint8)
    sides = 4 if shared.lattice == "square" else 6
    angles = np.arange(sides) * 2 * np.pi / sides
    reach = 1.0 if sides == 4 else 0.9
    ends = np.stack([np.cos(angles), np.sin(angles)], axis=1) * reach
    order = rng.permutation(sides)
    for pair in range(int(rng.integers(1, sides // 2 + 1))):
        a, b = ends[order[2 * pair]], ends[order[2 * pair + 1]]
        t = np.linspace(0, 1, 24)[:, None]
        curve = (1 - t) ** 2 * a + t**2 * b
        colour = shared.colour(number + pair * 3, ground)
        line = np.round((curve * FACE_PX / 2 + FACE_PX / 2) * 16).astype(np.int32)
        wide = max(3, int(shared.width * FACE_PX * 0.6))
        cv2.polylines(canvas, [line], False, (colour * 0.5).tolist(), wide + 6, cv2.LINE_AA, 4)
        cv2.polylines(canvas, [line], False, colour.tolist(), wide, cv2.LINE_AA, 4)
    return canvas


def _wooden(rng: Random, shared: _Shared, number: int) -> Array:
    colours = wood_colours(rng_of("invented wood", shared.ground.tolist()))
    canvas = ramp(unit(field(rng, FACE_PX, (2, 14), 5, 0.7)), colours)
    burnt = np.clip(colours[0] * 0.35, 0, 255)
    for part in SHAPES[shared.shapes[number % len(SHAPES)]]:
        fill(canvas, part * shared.size * 0.75, burnt)
    for i in range(number // len(SHAPES)):
        fill(canvas, polygon(20) * 0.08 + (-0.6 + 0.25 * i, 0.65), burnt)
    return canvas


def _dots(rng: Random, shared: _Shared, number: int) -> Array:
    ground = shared.ground_of(rng, number)
    canvas = _canvas(ground)
    rows = int(rng.integers(1, 4))
    for i in range(rows):
        for j in range(int(rng.integers(1, 4))):
            at = np.array([(j - 1) * 0.5, (i - (rows - 1) / 2) * 0.5])
            fill(canvas, polygon(24) * 0.2 + at, shared.colour(number + i, ground))
    return canvas


def _icons(rng: Random, shared: _Shared, number: int) -> Array:
    """Return a small scene: a ground with light, a big thing and little things on it."""
    ground = shared.ground_of(rng, number)
    light = 1 + 0.12 * field(rng, FACE_PX, (1, 2), 2)
    canvas = np.clip(_canvas(ground) * light[..., None], 0, 255).astype(np.uint8)
    for part in SHAPES[shared.shapes[number % len(SHAPES)]]:
        at = rng.uniform(-0.15, 0.15, 2)
        colour = shared.colour(number, ground)
        fill(canvas, part * 0.62 + at, colour * 0.45)
        fill(canvas, part * 0.54 + at, colour)
    for _ in range(int(rng.integers(0, 5))):
        spot = rng.uniform(-0.8, 0.8, 2)
        blob = polygon(16) * rng.uniform(0.04, 0.12) + spot
        fill(canvas, blob, shared.colour(int(rng.integers(8)), ground))
    return canvas


PAINTERS: dict[str, Callable[[Random, _Shared, int], Array]] = {
    "shapes": _shapes,
    "letters": _letters,
    "terrain": _terrain,
    "scenery": _scenery,
    "stripes": _stripes,
    "paths": _paths,
    "wooden": _wooden,
    "dots": _dots,
    "icons": _icons,
}
