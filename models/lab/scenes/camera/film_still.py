"""A table that does not change, painted once; only arms and light are laid over it per frame."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from models.lab.scenes.camera.camera import Camera
from models.lab.scenes.camera.canvas import Canvas
from models.lab.scenes.camera.develop import Developer, film_sensor, gain_for, in_steps, radiance
from models.lab.scenes.scene import bare_table, lamp_for, needed_table, painted
from models.lab.scenes.settings import SceneSettings
from models.lab.scenes.world.arrays import Array, not_below
from models.lab.scenes.world.hands import arm_face, arm_item
from models.lab.scenes.world.things import Arm, Item, TableTop

SMALL_PX = 640
"""Approximate width of the small picture in which arms are painted."""


class Still:
    """A table that does not change, painted once; only arms are laid over it per frame."""

    def __init__(
        self, settings: SceneSettings, top: TableTop, camera: Camera, before: Still | None = None
    ) -> None:
        self.top = top
        self._needed = lamp_for(settings, camera, top.extent_mm), needed_table(settings, top)
        self._bare = self._bare_of(before, camera) or bare_table(settings, top, camera)
        self.canvas = painted(settings, top, camera, self._bare)
        self._settings = settings
        linear = radiance(self.canvas, settings.light, settings.sensor.vignette)
        self._matrix = gain_for(linear, settings.light, settings.sensor)
        self._unlit = cv2.transform(linear, self._matrix)
        self._developer = Developer(settings.sensor, settings.light.level)
        self.sensor = film_sensor(settings.sensor, settings.light.level, camera.size_px)
        self._hold(self._unlit)
        self._times = _times_smaller(camera.size_px)
        self._small_camera = _smaller(camera, self._times)

    def frame(
        self,
        arm: Arm | None,
        held: Item | None,
        rng: np.random.Generator,
        shake_px: tuple[float, float] | None = None,
        gain: float = 1.0,
    ) -> tuple[Array, bool]:
        """Return one finished frame, and whether a hand is in it."""
        light, hand = self._light, False
        if arm is not None:
            light, hand = self.with_arm(arm, held)
        if shake_px is not None:
            shift = np.array([[1, 0, shake_px[0]], [0, 1, shake_px[1]]], np.float32)
            light = cv2.warpAffine(light, shift, light.shape[1::-1], borderMode=cv2.BORDER_REFLECT)
        return self.sensor.frame(light, rng, gain), hand

    def _bare_of(self, before: Still | None, camera: Camera) -> Canvas | None:
        """Return the bare table of an earlier still if camera, lamp and needed size are equal."""
        same = before is not None and before._bare.camera is camera
        return before._bare if before and same and before._needed == self._needed else None

    def _hold(self, linear: Array) -> None:
        self._light = self.sensor.held(self._developer.root(linear))

    def shine_on(self, angle_deg: float, reach: float, strength: float) -> None:
        """Let a sunbeam with a soft edge fall in from one side, over ``reach`` of the picture."""
        height, width = self._unlit.shape[:2]
        turn = np.radians(angle_deg)
        ys, xs = np.mgrid[0:height:8, 0:width:8].astype(np.float32)
        along = (xs / width - 0.5) * np.cos(turn) + (ys / height - 0.5) * np.sin(turn)
        field = 1 + strength / (1 + np.exp(np.clip((along + 0.7 - 1.4 * reach) * 25, -30, 30)))
        lit = cv2.resize(field.astype(np.float32), (width, height))
        # Automatic exposure compensates for the mean brightness that the sunbeam adds.
        self._hold(self._unlit * (lit / float(field.mean()))[..., None])

    def with_arm(self, arm: Arm, held: Item | None) -> tuple[Array, bool]:
        """Return the stored light with an arm in it, and whether arm or held tile is in view.

        Arms have no fine print: they and their shadows are painted small and enlarged.
        """
        over = Canvas.over(self.canvas, self._small_camera)
        item, face = arm_item(arm), arm_face(arm.look, arm.length_mm)
        over.throw_sprite_shadow(face, item, 190)
        ambient = self._settings.light.ambient
        kept = np.sqrt(ambient + (1 - ambient) * np.arange(256) / 255).astype(np.float32)
        left: Array = cv2.LUT(over.lit, kept)
        own = np.zeros((*left.shape, 3), np.float32)
        parts = [(item, face)]
        if held is not None:
            lifted = replace(held, x_mm=arm.x_mm, y_mm=arm.y_mm, z_mm=arm.height_mm - 4)
            parts.insert(0, (lifted, self.top.faces[held.face]))
        hand = False
        for thing, look in parts:
            sampled = over.sampled(look, thing.axes(), over.camera.px_per_mm())
            if sampled is not None and sampled[1][..., 3].any():
                where, bgra, _ = sampled
                cover = bgra[..., 3].astype(np.float32) / 255
                own[where] *= 1 - cover[..., None]
                own[where] += self._root_of(bgra, cover)
                left[where] *= 1 - cover
                hand = True
        box = _box_of(left < 1)
        return (self._light if box is None else self._laid_over(box, left, own)), hand

    def _root_of(self, bgra: Array, cover: Array) -> Array:
        """Return the square root of the light of premultiplied colours, weighted by their cover."""
        light = cv2.transform(Developer.linear_of(bgra[..., :3]), self._matrix)
        return np.asarray(cv2.sqrt(not_below(light, 0.0) * cover[..., None]))

    def _laid_over(self, box: tuple[int, int, int, int], left: Array, own: Array) -> Array:
        """Return the stored light with something laid over a part of it.

        Args:
            box: first and last row and column of the part, in the small picture.
            left: remaining share of the square root of the table's light, in the small picture.
            own: square root of the light that comes from what is laid over it.
        """
        top, bottom, first, last = box
        times = self._times
        window = slice(top * times, bottom * times), slice(first * times, last * times)
        size = (last - first) * times, (bottom - top) * times
        small = left[top:bottom, first:last]
        through = cv2.resize(cv2.merge([small, small, small]), size)
        laid = cv2.resize(in_steps(own[top:bottom, first:last]), size)
        light = self._light.copy()
        seen = cv2.multiply(light[window], through, dtype=cv2.CV_32F)
        light[window] = cv2.add(seen, laid, dtype=cv2.CV_16S)
        return light


def _box_of(mask: Array) -> tuple[int, int, int, int] | None:
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if not len(rows):
        return None
    return int(rows[0]), int(rows[-1]) + 1, int(columns[0]), int(columns[-1]) + 1


def _times_smaller(size_px: tuple[int, int]) -> int:
    """Return the downscaling factor for what has no fine print; 1 where none divides the size."""
    times = max(1, round(size_px[0] / SMALL_PX))
    return times if size_px[0] % times == 0 and size_px[1] % times == 0 else 1


def _smaller(camera: Camera, times: int) -> Camera:
    """Return the same camera at a resolution that is ``times`` lower."""
    matrix = camera.matrix / np.array([[times], [times], [1.0]])
    matrix[:2, 2] += 0.5 / times - 0.5
    size = camera.size_px[0] // times, camera.size_px[1] // times
    return replace(camera, size_px=size, matrix=matrix)
