"""The unfinished picture: colours, shadows, shine and item numbers, and how they are painted."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import cv2
import numpy as np

from models.lab.scenes.camera.camera import Camera
from models.lab.scenes.splits import rng_of
from models.lab.scenes.world.arrays import Array, f32, looked_up
from models.lab.scenes.world.faces import Face
from models.lab.scenes.world.noise import field, unit
from models.lab.scenes.world.things import Item, Lathe

SUBPIXEL = 16
SHARED_IDS_PX = 1_500_000
"""Most pixels of the map of item numbers; larger pictures have it at a lower resolution."""
WEAR_PX = 128
WORN = np.array([214.0, 222, 228], np.float32)
"""Colour of bare card where the print is worn off."""


@dataclass(frozen=True)
class Lamp:
    """Where the light comes from, for shadows and for shine."""

    slope: tuple[float, float]
    """How far a shadow falls to the right and down for each millimetre of height."""
    softness: float
    shine_at_mm: tuple[float, float] | None
    """Where a mirror lying on the table would show the lamp."""
    shine_width_mm: float
    shine: float
    camera_height_mm: float


class Canvas:
    """A picture before light and lens: things are put on it from the table upwards."""

    def __init__(self, camera: Camera, lamp: Lamp) -> None:
        self.camera = camera
        self.lamp = lamp
        width, height = camera.size_px
        self.albedo: Array = np.zeros((height, width, 3), np.uint8)
        self.lit: Array = np.full((height, width), 255, np.uint8)
        """255 in full light, 0 where only ambient light arrives."""
        self.shine: Array = np.zeros((height, width), np.float32)
        self.ids_scale = min(1.0, (SHARED_IDS_PX / (width * height)) ** 0.5)
        size = round(height * self.ids_scale), round(width * self.ids_scale)
        self.ids: Array = np.zeros(size, np.int32)
        """Number of the visible item, from 1; 0 for the table and for what hides items."""

    @classmethod
    def over(cls, below: Canvas, camera: Camera) -> Canvas:
        """Return an empty canvas in the same light, for what moves in front of a still picture."""
        canvas = cls.__new__(cls)
        canvas.camera, canvas.lamp = camera, below.lamp
        canvas.lit = np.full(camera.size_px[::-1], 255, np.uint8)
        return canvas

    def copied(self) -> Canvas:
        """Return an independent copy."""
        canvas = copy(self)
        for name in ("albedo", "lit", "shine", "ids"):
            setattr(canvas, name, getattr(self, name).copy())
        return canvas

    def window(self, points_px: Array, margin: int = 2) -> tuple[slice, slice] | None:
        """Return the window of the picture that bounds the points, or none if it is outside."""
        width, height = self.camera.size_px
        left, top = np.floor(points_px.min(axis=0)).astype(int) - margin
        right, bottom = np.ceil(points_px.max(axis=0)).astype(int) + margin + 1
        left, top, right, bottom = max(left, 0), max(top, 0), min(right, width), min(bottom, height)
        if left >= right or top >= bottom:
            return None
        return slice(top, bottom), slice(left, right)

    @staticmethod
    def fill(picture: Array, points_px: Array, colour: Any) -> None:
        """Fill an outline that is given in pixels of the picture."""
        cv2.fillPoly(picture, [_corners(points_px)], colour, cv2.LINE_AA, 4)

    def mark(self, points_px: Array, number: int) -> None:
        """Mark an outline as showing item ``number``."""
        scaled = (points_px + 0.5) * self.ids_scale - 0.5
        cv2.fillPoly(self.ids, [_corners(scaled)], number, cv2.LINE_8, 4)

    # --- shadows ---------------------------------------------------------------------------

    def throw_shadows(self, items: list[Item], faces: dict[str, Face], ground_mm: float) -> None:
        """Darken the level at one height with the shadows of the items that lie on it."""
        mask = np.full(self.lit.shape, 255, np.uint8)
        near = np.full(self.lit.shape, 255, np.uint8)
        tallest = 0.1
        for item, foot, fallen in self._shadow_outlines(items, faces, ground_mm):
            if self.window(np.concatenate([foot, fallen])) is None:
                continue
            tallest = max(tallest, min(item.top_mm - ground_mm, 20.0))
            self.fill(near, foot, 90)
            for start in range(len(foot)):
                after = (start + 1) % len(foot)
                quad = np.array([foot[start], foot[after], fallen[after], fallen[start]])
                self.fill(mask, quad, 0)
            self.fill(mask, fallen, 0)
        scale = self.camera.px_per_mm()
        near = _blurred(near, 0.9 * scale + 0.35 * tallest * scale)
        mask = _blurred(mask, 0.35 * self.lamp.softness * tallest * scale + 0.3)
        self.lit = cv2.min(self.lit, cv2.min(mask, near))

    def _shadow_outlines(
        self, items: list[Item], faces: dict[str, Face], ground_mm: float
    ) -> Iterator[tuple[Item, Array, Array]]:
        """Yield each item with the outlines of its foot and of its shadow, in pixels."""
        flats = [item.outline_mm(faces[item.face])[:, :2] for item in items]
        slope = np.array(self.lamp.slope)
        fallen = [f + slope * (i.top_mm - ground_mm) for f, i in zip(flats, items, strict=True)]
        # One projection for all: a call for each item would take longer than painting it.
        pixels = self.camera.project_flat(np.concatenate([*flats, *fallen]), ground_mm)
        ends = np.cumsum([len(part) for part in (*flats, *fallen)])
        parts = np.split(pixels, ends[:-1])
        yield from zip(items, parts[: len(items)], parts[len(items) :], strict=True)

    def throw_sprite_shadow(self, face: Face, item: Item, strength: int) -> None:
        """Darken everything under a translucent sprite that hangs over the table."""
        height = item.top_mm
        origin, right, down = item.axes()
        shift = np.array(self.lamp.slope) * height
        origin = np.array([origin[0] + shift[0], origin[1] + shift[1], 0.0])
        flat = (origin, right * (1, 1, 0), down * (1, 1, 0))
        cover = self.sampled(face, flat, 1.0)
        if cover is None:
            return
        window, bgra, _ = cover
        width = self.lamp.softness * height * self.camera.px_per_mm() * 0.35 + 1.5
        part = np.full(self.lit.shape, 0, np.uint8)
        part[window] = bgra[..., 3]
        dark = 255 - cv2.convertScaleAbs(_blurred(part, width), alpha=strength / 255)
        self.lit = cv2.min(self.lit, dark)

    # --- flat things -----------------------------------------------------------------------

    def put(self, item: Item, face: Face, number: int) -> None:
        """Put one flat thing on the picture: its sides, then its upper face."""
        outline = item.outline_mm(face)
        below = np.column_stack([outline[:, :2], np.full(len(outline), item.z_mm)])
        top, foot = np.split(self.camera.project(np.concatenate([outline, below])), 2)
        window = self.window(np.concatenate([top, foot]))
        if window is None:
            return
        if np.abs(top - foot).max() > 0.4:
            self._put_sides(item, outline, top, foot)
        area = cv2.contourArea(top.astype(np.float32))
        area_mm = cv2.contourArea(face.outline_mm.astype(np.float32))
        density = float(np.sqrt(max(area, 1e-3) / area_mm))
        sampled = self.sampled(face, item.axes(), density, self.window(top))
        if sampled is None:
            return
        where, bgra, local = sampled
        colour = bgra[..., :3].astype(np.float32)
        cover = bgra[..., 3:].astype(np.float32) / 255
        if item.wear > 0.02:
            worn = _wear(face, local, item)[..., None] * cover
            colour = f32(colour * (1 - worn) + WORN * worn)
        colour = f32(colour * self._shading(item, face, local))
        self._blend(where, colour, cover)
        self._shine_on(item, local, where, cover[..., 0])
        self.mark(top, number)

    def _blend(self, where: tuple[slice, slice], colour: Array, cover: Array) -> None:
        """Blend colours, premultiplied by their cover, over the picture, in full light."""
        part = self.albedo[where]
        mixed = part * (1 - cover) + colour
        np.clip(mixed, 0, 255, out=mixed)
        self.albedo[where] = mixed + 0.5
        lit = self.lit[where].astype(np.float32)
        self.lit[where] = lit + (255 - lit) * cover[..., 0] + 0.5

    def _put_sides(self, item: Item, outline: Array, top: Array, foot: Array) -> None:
        slope = np.array(self.lamp.slope)
        towards = -slope / max(float(np.hypot(*slope)), 1e-6)
        middle = outline[:, :2].mean(axis=0)
        for start in range(len(top)):
            after = (start + 1) % len(top)
            edge = outline[after, :2] - outline[start, :2]
            normal = np.array([edge[1], -edge[0]])
            normal = normal / max(float(np.hypot(*normal)), 1e-6)
            if normal @ (outline[start, :2] + edge / 2 - middle) < 0:
                normal = -normal
            shade = 0.55 + 0.3 * max(0.0, float(normal @ towards))
            quad = np.array([top[start], top[after], foot[after], foot[start]])
            self.fill(self.albedo, quad, tuple(c * shade for c in item.side))
            self.fill(self.lit, quad, 255)
            self.mark(quad, 0)

    def sampled(
        self,
        face: Face,
        axes: tuple[Array, Array, Array],
        px_per_mm: float,
        window: tuple[slice, slice] | None = None,
    ) -> tuple[tuple[slice, slice], Array, Array] | None:
        """Return the window that shows a face, its pixels there, and their places on it in mm."""
        origin, right, down = axes
        picture, density = face.level_for(px_per_mm)
        scale = density / face.px_per_mm
        ox, oy = face.origin_px[0] * scale, face.origin_px[1] * scale
        window = window or self._window_of(picture, density, (ox, oy), axes)
        if window is None:
            return None
        face_from_ray = self.camera.plane_from_ray(origin, right, down)
        px_from_ray = np.array([[density, 0, ox - 0.5], [0, density, oy - 0.5], [0, 0, 1]])
        rays = self.camera.rays[window]
        places = cv2.perspectiveTransform(rays, px_from_ray @ face_from_ray)
        bgra = looked_up(picture, places)
        return window, bgra, (places - f32([ox - 0.5, oy - 0.5])) / f32(density)

    def _window_of(
        self,
        picture: Array,
        density: float,
        origin_px: tuple[float, float],
        axes: tuple[Array, Array, Array],
    ) -> tuple[slice, slice] | None:
        """Return the window of the picture that shows a whole face with its margins."""
        origin, right, down = axes
        height, width = picture.shape[:2]
        box = np.array([(0, 0), (width, 0), (width, height), (0, height)], float)
        local = (box - origin_px) / density
        corners = origin + local[:, :1] * right + local[:, 1:] * down
        return self.window(self.camera.project(corners), 0)

    def _shading(self, item: Item, face: Face, local: Array) -> Array:
        """Return the brightness factor of a tile that lies tilted or is bent."""
        slope = np.array(self.lamp.slope)
        facing = -float(slope @ np.array(item.tilt)) * 0.6
        if max(abs(item.bend[0]), abs(item.bend[1])) < 0.004:
            return f32([1 - facing])
        width, height = face.size_mm()
        gradient = f32([item.bend[0] * 1.6 / width, item.bend[1] * 1.6 / height])
        return np.asarray(1 - facing + (local @ gradient)[..., None], np.float32)

    def _shine_on(self, item: Item, local: Array, where: tuple[slice, slice], cover: Array) -> None:
        lamp = self.lamp
        part = self.shine[where]
        part *= 1 - cover
        if lamp.shine_at_mm is None or item.gloss < 0.05:
            return
        height = lamp.camera_height_mm
        width = lamp.shine_width_mm * (1.8 - item.gloss)
        tilt = np.array(item.tilt) * 2 * height
        away = np.array([item.x_mm, item.y_mm]) - lamp.shine_at_mm - tilt
        if np.hypot(*away) > 3 * width + 60 + height * 0.1:
            return
        _, right, down = item.axes()
        bow = 1 + f32(item.bend) * height / 40
        place = (local * bow) @ f32([right[:2], down[:2]]) + f32(away)
        distance = np.einsum("...i,...i->...", place, place)
        part += item.gloss * lamp.shine * np.exp(-distance / (2 * width * width)) * cover

    # --- round things and sprites ------------------------------------------------------------

    def put_lathe(self, thing: Lathe) -> None:
        """Put a cup or a chessman on the picture, with its shadow."""
        angles = np.linspace(0, 2 * np.pi, 36, endpoint=False)
        circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
        middle = np.array([thing.x_mm, thing.y_mm])
        rings = [
            self.camera.project_flat(circle * radius + middle, thing.z_mm + height)
            for height, radius in thing.profile
        ]
        if self.window(np.concatenate(rings)) is None:
            return
        self._lathe_shadow(thing, circle, middle)
        self._lathe_body(thing, rings)

    def _lathe_shadow(self, thing: Lathe, circle: Array, middle: Array) -> None:
        slope = np.array(self.lamp.slope)
        points = np.concatenate(
            [circle * radius + middle + slope * height for height, radius in thing.profile]
        )
        hull = cv2.convexHull(points.astype(np.float32)).reshape(-1, 2)
        mask = np.full(self.lit.shape, 255, np.uint8)
        self.fill(mask, self.camera.project_flat(hull, thing.z_mm), 25)
        tall = thing.profile[-1][0]
        width = self.lamp.softness * tall * 0.25 * self.camera.px_per_mm() + 1
        self.lit = cv2.min(self.lit, _blurred(mask, width))

    def _lathe_body(self, thing: Lathe, rings: list[Array]) -> None:
        every = np.concatenate(rings)
        window = self.window(every)
        if window is None:
            return
        shift = np.array([window[1].start, window[0].start], float)
        mask = np.zeros(
            (window[0].stop - window[0].start, window[1].stop - window[1].start), np.uint8
        )
        for lower, upper in pairwise(rings):
            both = np.concatenate([lower, upper]).astype(np.float32)
            self.fill(mask, cv2.convexHull(both).reshape(-1, 2) - shift, 255)
        axis = rings[-1].mean(axis=0) - rings[0].mean(axis=0)
        across = np.array([-axis[1], axis[0]]) / max(float(np.hypot(*axis)), 1e-6)
        if np.hypot(*axis) < 2:
            across = np.array([1.0, 0.0])
        base = rings[0].mean(axis=0) - shift
        ys, xs = np.mgrid[0 : mask.shape[0], 0 : mask.shape[1]].astype(np.float32)
        radius = max(float(np.linalg.norm(every - every.mean(axis=0), axis=1).max()) * 0.6, 2.0)
        t = np.clip(((xs - base[0]) * across[0] + (ys - base[1]) * across[1]) / radius, -1, 1)
        shade = 0.45 + 0.55 * np.sqrt(1 - t * t) * (1 - 0.35 * t)
        colour = (f32(thing.colour) * shade[..., None]).astype(np.float32)
        cover = (mask.astype(np.float32) / 255)[..., None]
        if thing.inside is not None:
            colour = self._open_top(thing, rings[-1] - shift, colour)
        self._blend(window, colour * cover, cover)
        self.shine[window] *= 1 - cover[..., 0]
        self.mark(cv2.convexHull(every.astype(np.float32)).reshape(-1, 2), 0)

    def _open_top(self, thing: Lathe, rim: Array, colour: Array) -> Array:
        """Paint the rim, the inner wall and the drink into the colours of a vessel."""
        out = np.clip(colour, 0, 255).astype(np.uint8)
        middle = rim.mean(axis=0)
        self.fill(out, rim, thing.colour)
        inner = middle + (rim - middle) * 0.9
        self.fill(out, inner, tuple(c * 0.55 for c in thing.colour))
        drink = middle + (rim - middle) * 0.8 + np.array([0.0, 0.06 * np.ptp(rim[:, 1])])
        self.fill(out, drink, thing.inside)
        return out.astype(np.float32)

    def put_sprite(self, item: Item, face: Face) -> None:
        """Paint a translucent sprite (an arm) over everything."""
        sampled = self.sampled(face, item.axes(), self.camera.px_per_mm())
        if sampled is None:
            return
        where, bgra, _ = sampled
        cover = bgra[..., 3:].astype(np.float32) / 255
        self._blend(where, bgra[..., :3].astype(np.float32), cover)
        self.shine[where] *= 1 - cover[..., 0]
        hidden = np.zeros(self.lit.shape, np.uint8)
        hidden[where] = (bgra[..., 3] > 127).astype(np.uint8)
        small = cv2.resize(hidden, self.ids.shape[::-1], interpolation=cv2.INTER_NEAREST)
        self.ids[small > 0] = 0


def _corners(points_px: Array) -> Array:
    return np.round(np.clip(points_px, -30000, 30000) * SUBPIXEL).astype(np.int32)


def _blurred(mask: Array, sigma_px: float) -> Array:
    """Return a blurred mask; wide blurs run on a downscaled copy."""
    if sigma_px < 0.35:
        return mask
    step = int(max(1, sigma_px // 2.5))
    if step == 1:
        return cv2.GaussianBlur(mask, (0, 0), sigma_px)
    height, width = mask.shape[:2]
    small = cv2.resize(
        mask, (max(1, width // step), max(1, height // step)), interpolation=cv2.INTER_AREA
    )
    small = cv2.GaussianBlur(small, (0, 0), sigma_px / step, borderType=cv2.BORDER_REPLICATE)
    return cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR)


@lru_cache(maxsize=1)
def _wear_bank() -> tuple[Array, ...]:
    """Return masks of wear, 0 to 1: worn edges, scratches and rubbed spots."""
    bank = []
    ys, xs = np.mgrid[0:WEAR_PX, 0:WEAR_PX] / (WEAR_PX - 1)
    edge = np.minimum(np.minimum(xs, 1 - xs), np.minimum(ys, 1 - ys))
    for number in range(8):
        rng = rng_of("wear", number)
        rough = unit(field(rng, WEAR_PX, (6, 6), 4, 0.7))
        worn = np.clip(1.3 - edge * 22 - rough * 1.3, 0, 1)
        rubbed = np.clip(unit(field(rng, WEAR_PX, (3, 3), 5, 0.7)) * 3 - 2.1, 0, 1) * 0.6
        lines = np.zeros((WEAR_PX, WEAR_PX), np.uint8)
        for _ in range(int(rng.integers(2, 9))):
            a, b = rng.integers(0, WEAR_PX, (2, 2))
            b = a + (b - a) // 3
            cv2.line(lines, a.tolist(), b.tolist(), int(rng.integers(60, 200)), 1, cv2.LINE_AA)
        bank.append(np.maximum(np.maximum(worn, rubbed), lines / 255).astype(np.float32))
    return tuple(bank)


def _wear(face: Face, local: Array, item: Item) -> Array:
    low = face.outline_mm.min(axis=0)
    size = np.maximum(face.outline_mm.max(axis=0) - low, 1e-6)
    bank = _wear_bank()
    places = (local - f32(low)) * f32((WEAR_PX - 1) / size)
    worn = looked_up(bank[item.seed % len(bank)], f32(places), cv2.BORDER_REPLICATE)
    return np.asarray(worn * f32(item.wear))
