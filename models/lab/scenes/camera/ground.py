"""The table top, the floor beyond it, and how a surface mirrors the room."""

from __future__ import annotations

from functools import lru_cache
from math import cos, radians, sin

import cv2
import numpy as np

from models.lab.scenes.camera.camera import COARSE_PX, Camera
from models.lab.scenes.camera.canvas import Canvas
from models.lab.scenes.settings import SurfaceSettings
from models.lab.scenes.splits import rng_of
from models.lab.scenes.world.arrays import Array, f32, looked_up, scaled
from models.lab.scenes.world.noise import field, unit
from models.lab.scenes.world.surfaces import Surface, surface

FLOOR_MM = -740.0
FLOOR_LIGHT = 0.55
FLOOR_STEP = 4
DETAIL_PX = 256
DETAIL_PX_PER_MM = 5.0
NEAR_HORIZON = 1e-5
MOST_COPIES = 5


def put_ground(
    canvas: Canvas, settings: SurfaceSettings, seed: int, needed_mm: tuple[float, float]
) -> None:
    """Paint the table, at least as large as needed, and the floor beyond it."""
    camera = canvas.camera
    made = surface(settings.name)
    canvas.albedo = _seen(camera, made, settings)
    share = _table_share(camera, settings, needed_mm)
    if share is not None:
        floor = _floor(camera, surface(settings.floor), settings)
        canvas.albedo = cv2.blendLinear(canvas.albedo, floor, share, 1 - share)
    canvas.albedo = scaled(canvas.albedo, (*settings.tint, 1.0))
    _mirror(canvas, made, share, seed)


def _texture_from_mm(made: Surface, settings: SurfaceSettings) -> Array:
    density = made.bgr.shape[0] / (made.span_mm * settings.scale)
    turn = radians(settings.turn_deg)
    c, s = cos(turn) * density, sin(turn) * density
    x, y = settings.shift_mm
    return np.array([[c, s, x * density], [-s, c, y * density], [0, 0, 1]])


def _seen(camera: Camera, made: Surface, settings: SurfaceSettings) -> Array:
    """Return a whole picture of an endless surface."""
    px_from_ray = _texture_from_mm(made, settings) @ camera.flat_from_ray()
    places = np.asarray(cv2.perspectiveTransform(camera.rays, px_from_ray), np.float32)
    texture = made.bgr
    density = texture.shape[0] / (made.span_mm * settings.scale)
    shown = camera.px_per_mm()
    while density > 2 * shown and texture.shape[0] > 64:
        texture = cv2.resize(texture, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
        density /= 2
        places *= 0.5
    bgr = _repeated(texture, places)
    if made.grain > 0.1 and shown > 1.4 * density:
        finer = f32(DETAIL_PX_PER_MM / density)
        grain = looked_up(_detail(), places * finer, cv2.BORDER_WRAP)
        strength = 0.1 * made.grain
        # Factors are stored times 200, which leaves headroom above 1 in 8 bits.
        factor = cv2.convertScaleAbs(grain, alpha=200 * strength / 128, beta=200 * (1 - strength))
        bgr = np.asarray(cv2.multiply(bgr, cv2.merge([factor] * 3), scale=1 / 200))
    return bgr


def _floor(camera: Camera, made: Surface, settings: SurfaceSettings) -> Array:
    """Return the floor, dim and blurred; because of the blur it is sampled coarsely."""
    px_from_ray = _texture_from_mm(made, settings) @ camera.flat_from_ray(FLOOR_MM)
    few = np.ascontiguousarray(camera.rays[::FLOOR_STEP, ::FLOOR_STEP])
    places = f32(cv2.perspectiveTransform(few, px_from_ray))
    texture = cv2.resize(made.bgr, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
    floor = cv2.GaussianBlur(_repeated(texture, places * f32(0.25)), (0, 0), 0.8)
    floor = cv2.convertScaleAbs(floor, alpha=FLOOR_LIGHT)
    return np.asarray(cv2.resize(floor, camera.size_px, interpolation=cv2.INTER_LINEAR))


def _repeated(texture: Array, places: Array) -> Array:
    """Return the pixels of a repeating texture at each place.

    Tiling copies side by side first is three times as fast as wrapping every pixel.
    """
    side = texture.shape[0]
    coarse = places[::COARSE_PX, ::COARSE_PX].reshape(-1, 2)
    low = np.floor(coarse.min(axis=0) / side) - 1
    copies = np.ceil(coarse.max(axis=0) / side) - low + 1
    if copies.max() > MOST_COPIES:
        np.clip(places, -40 * side, 40 * side, out=places)
        return looked_up(texture, places, cv2.BORDER_WRAP)
    laid_out = cv2.repeat(texture, int(copies[1]), int(copies[0]))
    places -= (low * side).astype(np.float32)
    return looked_up(laid_out, places, cv2.BORDER_WRAP)


@lru_cache(maxsize=1)
def _detail() -> Array:
    rough = field(rng_of("surface detail"), DETAIL_PX, (48, 48), 3, 0.8)
    return (unit(rough) * 255).astype(np.uint8)


def _table_share(
    camera: Camera, settings: SurfaceSettings, needed_mm: tuple[float, float]
) -> Array | None:
    """Return how much of each pixel shows the table, or none if the table fills the picture."""
    width, depth = np.maximum(settings.table_mm, needed_mm)
    turn = radians(settings.table_turn_deg)
    c, s = cos(turn), sin(turn)
    rect = np.array(
        [[2 * c / width, 2 * s / width, 0], [-2 * s / depth, 2 * c / depth, 0], [0, 0, 1]]
    )
    rect_from_ray = rect @ camera.flat_from_ray()
    coarse = camera.rays[::COARSE_PX, ::COARSE_PX]
    edge = np.array([coarse[0], coarse[-1]]), np.array([coarse[:, 0], coarse[:, -1]])
    rays = np.concatenate([part.reshape(-1, 2) for part in edge])
    homogeneous = np.column_stack([rays, np.ones(len(rays))]) @ rect_from_ray.T
    depth_w = homogeneous[:, 2]
    inside = (depth_w > NEAR_HORIZON) & (np.abs(homogeneous[:, :2]).max(axis=1) < depth_w)
    if inside.all():
        return None
    places = cv2.perspectiveTransform(camera.rays, rect_from_ray)
    across, down = cv2.split(cv2.absdiff(places, np.zeros(4)))
    softer = camera.px_per_mm() * min(width, depth) / 2
    share = cv2.max(across, down)
    share = np.clip((1 - share) * f32(softer) + f32(0.5), 0, 1)
    if depth_w.min() <= NEAR_HORIZON:
        x, y = cv2.split(camera.rays)
        w = rect_from_ray[2, 0] * x + rect_from_ray[2, 1] * y + rect_from_ray[2, 2]
        share[w <= NEAR_HORIZON] = 0
    return np.asarray(share)


def _mirror(canvas: Canvas, made: Surface, share: Array | None, seed: int) -> None:
    """Add the reflections on a glossy table: the lamp and, on glass, the room's bright places."""
    lamp, camera = canvas.lamp, canvas.camera
    if made.gloss < 0.05:
        return
    places = camera.table_places
    total = np.zeros(places.shape[:2], np.float32)
    if lamp.shine_at_mm is not None:
        away = places - f32(lamp.shine_at_mm)
        width = lamp.shine_width_mm * (2.6 - 1.8 * made.gloss)
        distance = np.einsum("...i,...i->...", away, away)
        total += 0.7 * made.gloss * lamp.shine * np.exp(-distance / (2 * width * width))
    if made.gloss > 0.6:
        room = _room(seed % 16)
        slopes = (places - f32(camera.position_mm[:2])) / f32(max(camera.position_mm[2], 1.0))
        where = (slopes * 40 + 64).astype(np.float32)
        total += 0.22 * made.gloss * looked_up(room, where, cv2.BORDER_REFLECT)
    shine = camera.enlarged(total)
    canvas.shine += shine if share is None else shine * share


@lru_cache(maxsize=16)
def _room(number: int) -> Array:
    """Return a dim blurred room with windows and lamps, as glass would mirror it."""
    rng = rng_of("room", number)
    room = np.asarray(unit(field(rng, 128, (2, 2), 3)) * 0.5, np.float32)
    for _ in range(int(rng.integers(1, 5))):
        x, y = (int(v) for v in rng.integers(0, 110, 2))
        w, h = (int(v) for v in rng.integers(5, 40, 2))
        cv2.rectangle(room, (x, y), (x + w, y + h), float(rng.uniform(0.8, 2.0)), -1)
    return cv2.GaussianBlur(room, (0, 0), float(rng.uniform(0.6, 2.5)))
