"""The picture of the demo table: printed faces laid flat on wood or cloth, and an arm above them.

Everything is placed in millimetres; one map leads from the table to the picture, as a camera sees
it that hangs a little before its middle. Light is laid over the finished picture, and noise over
each frame.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import pairwise
from math import cos, radians, sin
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.draw import face
from engine.draw.boards import board_size, clay_face
from engine.draw.ends import covered
from engine.draw.hexes import centre
from engine.draw.ring import GAP, ring_places, walk
from engine.lattice import HEX_SIDE_NAMES, Cell
from engine.placement import Clay, Layout, Piece, Placement
from engine.record import Record

if TYPE_CHECKING:
    from models.art import PaintedFace

Picture = NDArray[np.uint8]
Array = NDArray[Any]
Random = np.random.Generator
Thing = Placement | Piece | Clay
Point = tuple[float, float]
Glint = tuple[Point, float]
"""A place of the picture where the lamp is reflected, and how strongly."""

GAP_MM = 1.2
"""Between two cards of a lattice."""
APART_MM = {"square": 90.0, "hex": 22.0}
"""Between two fields or boards; nearer, two fields could be read as one."""
MARGIN = 0.1
"""Share of the picture that stays bare along each edge."""
TILT = 0.045
"""How much smaller the far edge of the table is than its middle."""
LARGEST = 2.1
"""Picture widths by which a metre is seen at most: a few small cards do not fill it."""
FINER = 1.3
"""How much finer faces are painted than they are seen, so that they can be turned."""
CARELESS = (0.5, 0.5, 1.1)
"""How far a tile lies off its place, in millimetres, and how much it is turned, in degrees."""
LOW_MM, HIGH_MM = (0.9, 1.3), (16.0, 24.0)
"""How far the shadow of a card falls, and of an arm or a card in it."""
SHADE, CARDBOARD, GLARE = ((0, 0, 0), (118, 136, 146), (250, 254, 255))
NOISE = 1.3
BRIGHTEST, DARKEST, TINT = 1.04, 0.62, (0.965, 1.0, 1.015)
"""Light below the lamp and in the corner that is farthest from it; its colour, blue first."""
FULL = 200
"""The value of full light in the map of it."""


def at(x_mm: float, y_mm: float, turn_deg: float = 0.0) -> Array:
    """Return the map from something that lies turned at a place to what it lies on."""
    c, s = cos(radians(turn_deg)), sin(radians(turn_deg))
    return np.array([[c, -s, x_mm], [s, c, y_mm], [0, 0, 1]])


@dataclass(frozen=True, slots=True)
class Arm:
    """An arm above the table."""

    art: PaintedFace
    reach: Array
    """Where its fingers hold what they lay; it comes from below as it is turned."""
    back_mm: float = 0.0
    """How far it is drawn back from there."""


class DemoPicture:
    """One table before one camera: what lies on it, and each frame of it."""

    def __init__(
        self, record: Record, layouts: Iterable[Layout], seed: int, size_px: tuple[int, int]
    ) -> None:
        """Lay a bare table.

        Args:
            record: the game: its box, its players.
            layouts: what is to be laid there; all of it will be in view.
            seed: the ground, and how carefully tiles are laid.
            size_px: width and height of the frames.
        """
        self.layout = Layout()
        self.size_px = size_px
        self._box, self._seed = record.tile_set, seed
        facts = record.game.facts
        several = facts.several_boards or facts.several_fields
        self._fields = len(record.start.players) if several else 1
        self._rng = np.random.default_rng([seed, 7])
        self._ground, self._light = _ground(size_px, self._rng, seed), _lamp(size_px)
        noise = self._rng.normal(0, NOISE, (size_px[1] + 64, size_px[0] + 64, 3))
        self._noise = noise.round().astype(np.int8)
        self._faces: dict[object, PaintedFace] = {}
        self._cards: frozenset[Placement] = frozenset()
        self.fit(layouts)

    # --- where everything lies -------------------------------------------------------------

    def fit(self, layouts: Iterable[Layout]) -> None:
        """Aim the camera so that these layouts are in view too, and lay the table anew."""
        self._cards = self._cards.union(*(layout.cards for layout in layouts))
        corners = self._corners()
        sizes = np.array([high - low for low, high in corners])
        apart = APART_MM[self._box.lattice] - GAP
        middles = np.array(ring_places(self._fields, tuple(sizes.max(axis=0) + apart)))
        low, high = (middles - sizes / 2).min(axis=0), (middles + sizes / 2).max(axis=0)
        wide, tall = self.size_px
        room = np.array(self.size_px) * (1 - 2 * MARGIN) / (high - low)
        self.px_per_mm = float(min(*room, LARGEST * wide / 1000))
        turns = np.random.default_rng([self._seed, 3]).uniform(-2.5, 2.5, self._fields)
        self._origins = []
        for (x, y), turn, both in zip(middles - (low + high) / 2, turns, corners, strict=True):
            to_corner = -(both[0] + both[1]) / 2
            self._origins.append(at(x, y, turn) @ at(to_corner[0], to_corner[1]))
        scaled = np.diag([self.px_per_mm, self.px_per_mm, 1.0])
        scaled[2, 1] = -TILT * 2 * self.px_per_mm / tall
        self._view = at(wide / 2, tall / 2) @ scaled
        self._faces.clear()
        self.show(self.layout)

    def _corners(self) -> list[tuple[Array, Array]]:
        """Return the corners of each field or board, seen from its own origin."""
        if self._box.lattice == "hex":
            half = np.array(board_size(self._box.extras["board"]["side"], self._box.pitch_mm)) / 2
            return [(-half, half)] * self._fields
        cells: list[list[Cell]] = [[] for _ in range(self._fields)]
        for card in self._cards:
            cells[card.field or 0] += covered(self._box, card)
        step = self._box.pitch_mm + GAP_MM
        middles = [np.array(own or [(0, 0)]) * step for own in cells]
        return [(own.min(axis=0) - step / 2, own.max(axis=0) + step / 2) for own in middles]

    def _pose(self, thing: Thing) -> Array:
        """Return where a thing lies: a little askew, but always in the same way."""
        rng = np.random.default_rng([self._seed, zlib.crc32(repr(thing).encode())])
        askew, pitch = rng.uniform(-1, 1, 3) * CARELESS, self._box.pitch_mm
        if isinstance(thing, Placement):
            period = self._box[thing.tile].period
            turns = thing.turns + period * int(rng.integers(4 // period))
            place = np.array(thing.at) * (pitch + GAP_MM)
            return (
                self._origins[thing.field or 0] @ at(place[0], place[1], 90.0 * turns) @ at(*askew)
            )
        origin = self._origins[thing.board or 0]
        if isinstance(thing, Piece):
            # Cells are printed on a board: hands are more careful there.
            return origin @ at(*centre(walk(thing.cells)[0], pitch)) @ at(*askew * 0.4)
        opens = HEX_SIDE_NAMES.index(thing.opens) if thing.opens in HEX_SIDE_NAMES else 0
        return origin @ at(*centre(thing.cell, pitch), 60.0 * opens) @ at(*askew)

    def middle_mm(self, thing: Thing) -> Point:
        """Return where the middle of a thing lies."""
        art = self._face(thing)
        middle = np.array(art.size_mm) / 2 - art.origin_mm
        x, y, _ = self._pose(thing) @ (*middle, 1.0)
        return float(x), float(y)

    def middle_px(self, thing: Thing) -> Point:
        """Return where the middle of a thing is seen."""
        x, y, w = self._view @ (*self.middle_mm(thing), 1.0)
        return x / w, y / w

    def is_in_view(self, layout: Layout) -> bool:
        """Say whether all of a layout is well within the picture."""
        seen = np.array([self.middle_px(one) for one in layout.placements()] or [(1e3, 1e3)])
        edge = 0.75 * self._box.pitch_mm * self.px_per_mm
        return bool(((seen > edge) & (seen < np.array(self.size_px) - edge)).all())

    # --- what is seen ----------------------------------------------------------------------

    def show(self, layout: Layout, glint: Glint | None = None) -> None:
        """Let a layout lie on the table, a part of it perhaps under the lamp's reflection."""
        shown = self._ground.copy()
        if self._box.lattice == "hex":
            for origin in self._origins:
                self._paste(shown, self._face("board"), origin)
        for thing in layout.placements():
            self._paste(shown, self._face(thing), self._pose(thing))
        shown = np.asarray(cv2.GaussianBlur(shown, (3, 3), 0.55), np.uint8)
        if glint is not None:
            (x, y), strength = glint
            reach = round(0.5 * self._box.pitch_mm * self.px_per_mm)
            glow = np.zeros(shown.shape[:2], np.uint8)
            cv2.ellipse(glow, (round(x), round(y)), (reach, reach * 4 // 5), -25, 0, 360, 255, -1)
            _blend(shown, GLARE, cv2.GaussianBlur(glow, (0, 0), reach / 5) * strength)
        self.layout, self._lying = layout, shown

    def frame(self, arm: Arm | None = None, held: Thing | None = None) -> Picture:
        """Return a frame: the table as it lies, under an arm that may hold a tile."""
        shown = self._lying.copy()
        if arm is not None:
            hand = arm.reach @ at(0, arm.back_mm)
            if held is not None:
                away = at(*(hand - arm.reach)[:2, 2])
                self._paste(shown, self._face(held), away @ self._pose(held), HIGH_MM)
            self._paste(shown, arm.art, hand, HIGH_MM)
        shown = np.asarray(cv2.multiply(shown, self._light, scale=1 / FULL), np.uint8)
        x, y = self._rng.integers(64, size=2)
        noise = self._noise[y : y + self.size_px[1], x : x + self.size_px[0]]
        return np.asarray(cv2.add(shown, noise, dtype=cv2.CV_8U), np.uint8)

    def _face(self, thing: Thing | str) -> PaintedFace:
        """Return the printed face of a thing, cut out; each is painted once."""
        from models.art.faces import board_picture, painted

        key: object = thing.tile if isinstance(thing, Placement) else thing
        if isinstance(thing, Piece):
            (q0, r0), *_ = way = walk(thing.cells)
            key = thing.tile, tuple((q - q0, r - r0) for q, r in way)
        elif isinstance(thing, Clay):
            key = thing.kind
        if key not in self._faces:
            pitch, fine = self._box.pitch_mm, FINER * self.px_per_mm
            if isinstance(thing, str):
                art = board_picture(self._box, pitch, fine)
            elif isinstance(thing, Clay):
                art = painted(clay_face(thing.kind, pitch), 1, fine)
            else:
                kind = self._box[thing.tile]
                kind = replace(kind, cells=key[1]) if isinstance(key, tuple) else kind
                art = painted(face(self._box, kind), 1, fine)
            self._faces[key] = art
        return self._faces[key]

    def _paste(
        self, onto: Picture, art: PaintedFace, pose: Array, height_mm: Point = LOW_MM
    ) -> None:
        """Lay a picture onto the table, after its shadow and the side of its cardboard."""
        way = self._view @ pose @ at(*(-np.array(art.origin_mm)))
        way = way @ np.diag([1 / art.px_per_mm, 1 / art.px_per_mm, 1.0])
        height, width = art.alpha.shape
        corners = np.array([[[0, 0], [width, 0], [width, height], [0, height]]], np.float64)
        seen = cv2.perspectiveTransform(corners, way)[0]
        reach = 2.5 * height_mm[1] * self.px_per_mm + 3
        low = np.maximum(seen.min(axis=0) - reach, 0).astype(int)
        high = np.minimum(seen.max(axis=0) + reach, self.size_px).astype(int)
        size = int(high[0] - low[0]), int(high[1] - low[1])
        if min(size) <= 0:
            return
        part = onto[low[1] : high[1], low[0] : high[0]]

        def moved(by_mm: Point) -> Array:
            x, y = np.array(by_mm) * self.px_per_mm - low
            return np.asarray(at(x, y) @ way)

        _blend(
            part, SHADE, _shadow(art.alpha, moved(height_mm), size, height_mm[1] * self.px_per_mm)
        )
        if height_mm is LOW_MM:
            _blend(part, CARDBOARD, cv2.warpPerspective(art.alpha, moved((0.3, 0.4)), size))
        bgr = cv2.warpPerspective(art.bgr, moved((0, 0)), size, borderMode=cv2.BORDER_REPLICATE)
        _blend(part, bgr, cv2.warpPerspective(art.alpha, moved((0, 0)), size))


def _shadow(alpha: Picture, way: Array, size: tuple[int, int], soft_px: float) -> Array:
    """Return the shadow of an outline: the higher it is, the softer and the paler."""
    coarse = max(1.0, soft_px / 6)
    small = max(1, round(size[0] / coarse)), max(1, round(size[1] / coarse))
    shrunk = np.diag([small[0] / size[0], small[1] / size[1], 1.0])
    shadow = cv2.warpPerspective(alpha, shrunk @ way, small)
    shadow = cv2.GaussianBlur(shadow, (0, 0), max(0.45 * soft_px / coarse, 0.8))
    shadow = cv2.resize(shadow, size, interpolation=cv2.INTER_LINEAR)
    return np.asarray(shadow * np.float32(0.5 if coarse == 1 else 0.36))


def _blend(part: Picture, paint: Any, alpha: Array) -> None:
    """Lay a picture, or one colour, over a part of another."""
    cover = np.asarray(alpha, np.float32) / 255
    if np.ndim(paint) == 1:
        paint = np.broadcast_to(np.clip(paint, 0, 255), part.shape)
    part[:] = cv2.blendLinear(np.ascontiguousarray(paint, np.uint8), part, cover, 1 - cover)


# --- the table and its light ---------------------------------------------------------------------


def _lamp(size_px: tuple[int, int]) -> Picture:
    """Return how much light falls where: most at the upper left, less towards the corners."""
    xs, ys = np.meshgrid(*(np.linspace(0, 1, side) for side in size_px))
    away = np.clip(np.hypot((xs - 0.38) * 1.1, ys - 0.3) / 1.05, 0, 1) ** 1.7
    light = BRIGHTEST - (BRIGHTEST - DARKEST) * away
    return np.asarray(np.clip(light[..., None] * TINT * FULL, 0, 255), np.uint8)


def _ground(size_px: tuple[int, int], rng: Random, seed: int) -> Picture:
    """Return a bare table by its seed: boards of light or dark wood, or a cloth."""
    kind, bgr, depth = (
        (_wood, (96, 140, 186), 0.16),
        (_cloth, (86, 96, 54), 1.0),
        (_wood, (44, 70, 104), 0.2),
        (_cloth, (120, 84, 58), 1.0),
        (_wood, (72, 108, 156), 0.22),
    )[seed % 5]
    tone = 1 + depth * kind(size_px, rng)[..., None] * np.array([1.15, 1.0, 0.85])
    return np.asarray(np.clip(np.array(bgr) * tone, 0, 255), np.uint8)


def _bumps(size_px: tuple[int, int], rng: Random, across: int, down: int) -> Array:
    """Return smooth noise around 0, with so many bumps across and down."""
    coarse = rng.normal(0, 1, (down + 2, across + 2)).astype(np.float32)
    return np.asarray(cv2.resize(coarse, size_px, interpolation=cv2.INTER_CUBIC))


def _wood(size_px: tuple[int, int], rng: Random) -> Array:
    """Return boards side by side, each with a grain and a shade of its own."""
    boards = int(rng.integers(4, 6))
    shade = np.zeros(size_px[::-1], np.float32)
    edges = np.linspace(0, size_px[1], boards + 1).astype(int)
    for top, bottom in pairwise(edges):
        size = size_px[0], int(bottom - top)
        y = np.arange(size[1])[:, None]
        bend = 7 * _bumps(size, rng, 3, 2) + np.linspace(0, 26, size[1])[:, None]
        rings = np.sin(bend + 1.2 * _bumps(size, rng, 5, 9))
        fine = _bumps(size, rng, 9, size[1] // 2) * 0.5 + _bumps(size, rng, 40, size[1]) * 0.35
        board = 0.42 * rings + fine + 0.5 * _bumps(size, rng, 2, 2) + rng.normal(0, 0.55)
        seam = np.exp(-((y / 1.6) ** 2)) * 3.2 - 0.7 * np.exp(-(((y - 3.5) / 1.4) ** 2))
        shade[top:bottom] = board - seam
    return np.clip(shade, -3.2, 2.2) * 0.53


def _cloth(size_px: tuple[int, int], rng: Random) -> Array:
    """Return a woven cloth with soft folds."""
    wide, tall = size_px
    waves = [np.sin(np.arange(side, dtype=np.float32) * 2.1) for side in (tall, wide)]
    weave = np.outer(*waves) + rng.normal(0, 1, (tall, wide)).astype(np.float32)
    threads = _bumps(size_px, rng, wide // 3, 5) + _bumps(size_px, rng, 6, tall // 3)
    tone = 0.017 * weave + 0.03 * threads + 0.045 * _bumps(size_px, rng, 5, 3)
    return np.asarray(tone)


# --- the arm -------------------------------------------------------------------------------------

ARM_MM, ARM_PX_PER_MM = (190.0, 1150.0), 1.7
TIP_MM, HELD_MM = (95.0, 12.0), 22.0
"""Where, in its picture, the longest finger ends, and how far before that a tile is held."""
FINGER_MM, SLEEVE_MM = 10.5, 34.0
"""How far from their edges fingers and sleeves are rounded."""


@cache
def _drawn() -> Mapping[str, Any]:
    """Return the outlines of an arm, the colours of skins and sleeves, blue first, and marks.

    A mark has a place and a size in millimetres, a turn, a softness, a share and a tone.
    """
    text = (files("companion_app") / "demo" / "arm.json").read_text(encoding="utf-8")
    drawn: Mapping[str, Any] = json.loads(text)
    return drawn


def arm_art(player: int, seed: int) -> PaintedFace:
    """Return the arm of a player: a skin and a sleeve of their own, a right or a left hand."""
    from models.art import PaintedFace

    rng, drawn = np.random.default_rng([seed, 5]), _drawn()
    skin, cloth = (
        np.array(drawn[what][rng.permutation(5)[player % 5]]) for what in ("skins", "sleeves")
    )
    scale = ARM_PX_PER_MM
    hand, sleeve, cuff = (_inside(drawn[what]) for what in ("hand", "sleeve", "cuff"))
    bgr = np.clip(skin * _round(hand, FINGER_MM)[..., None], 0, 255).astype(np.uint8)
    for x, y, wide, long, turn, soft, share, tone in drawn["marks"]:
        spot = np.zeros_like(hand)
        place, axes = (
            [round(v * scale * 16) for v in pair]
            for pair in ((x + TIP_MM[0], y + TIP_MM[1]), (wide, long))
        )
        cv2.ellipse(spot, place, axes, turn, 0, 360, 255, -1, cv2.LINE_AA, 4)
        rows = slice(0, round(150 * scale))
        mark = cv2.GaussianBlur(spot[rows], (0, 0), soft * scale)
        _blend(bgr[rows], bgr[rows] * np.array(tone), mark * share)
    above = np.roll(sleeve, -round(4 * scale), axis=0)
    _blend(bgr, SHADE, cv2.GaussianBlur(above, (0, 0), 3 * scale) * 0.4)
    size = hand.shape[1], hand.shape[0]
    folds = 1 + 0.05 * _bumps(size, rng, 3, 14) + 0.02 * _bumps(size, rng, 60, 400)
    folds = folds * _round(sleeve, SLEEVE_MM) * np.where(cuff > 0, 1.12, 1.0)
    _blend(bgr, np.clip(cloth * folds[..., None], 0, 255), sleeve)
    alpha = cv2.GaussianBlur(np.maximum(hand, sleeve), (0, 0), 0.7)
    way = slice(None, None, -1 if player % 2 else 1)
    picture, outline = (np.array(one[:, way], np.uint8) for one in (bgr, alpha))
    holds = TIP_MM[0], TIP_MM[1] + HELD_MM
    return PaintedFace("arm", "front", picture, outline, scale, ARM_MM, (), (), holds, 1)


def _inside(points: Sequence[Point]) -> Picture:
    """Return the inside of a smooth closed curve through points, as a picture of an arm."""
    b = (np.array(points) + TIP_MM)[:, None]
    a, c, d = (np.roll(b, by, axis=0) for by in (1, -1, -2))
    t = np.linspace(0, 1, 8, endpoint=False)[None, :, None]
    # Catmull and Rom's curve goes through each point, along the line between its neighbours.
    curve = b + t / 2 * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)))
    mask = np.zeros([round(side * ARM_PX_PER_MM) for side in ARM_MM[::-1]], np.uint8)
    line = np.rint(curve.reshape(-1, 2) * ARM_PX_PER_MM * 16).astype(np.int32)
    cv2.fillPoly(mask, [line], 255, cv2.LINE_AA, 4)
    return mask


def _round(mask: Picture, radius_mm: float) -> Array:
    """Return how light a rounded body is: its edges turn away, the lamp is at the upper left."""
    depth = cv2.distanceTransform((mask > 127).astype(np.uint8), cv2.DIST_L2, 5)
    rise = np.sqrt(1 - (1 - np.clip(depth / (radius_mm * ARM_PX_PER_MM), 0, 1)) ** 2)
    rise = cv2.GaussianBlur(rise.astype(np.float32), (0, 0), 1.6)
    slope = cv2.Sobel(rise, cv2.CV_32F, 1, 0) + cv2.Sobel(rise, cv2.CV_32F, 0, 1)
    return np.asarray(np.clip(0.66 + 0.36 * rise + 0.22 * slope, 0.4, 1.15))
