"""One picture of one table from one seed, with its truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import cos, radians, sin, tan

import cv2
import numpy as np

from models.lab.scenes.arrange import arrange
from models.lab.scenes.camera.camera import Camera, lens, looking_at
from models.lab.scenes.camera.canvas import Canvas, Lamp
from models.lab.scenes.camera.develop import Developer, gain_for, packed, radiance, unpacked
from models.lab.scenes.camera.ground import put_ground
from models.lab.scenes.camera.truth import truth_of
from models.lab.scenes.settings import (
    Beside,
    CameraSettings,
    PrintSettings,
    SceneSettings,
    draw_settings,
)
from models.lab.scenes.splits import Split, rng_of
from models.lab.scenes.world.arrays import Array, Json, pair
from models.lab.scenes.world.faces import Face, printed
from models.lab.scenes.world.hands import arm_face, arm_item
from models.lab.scenes.world.lattices import turned
from models.lab.scenes.world.things import Item, TableTop

FOV_DEG = (32.0, 96.0)
"""Range of the horizontal field of view, from a phone's second lens to a wide webcam."""
HIGHEST_MM = 1600.0
"""Greatest camera height, for tables too large for 1.2 m and the widest lens."""
STREAKS = 64
TABLE_RIM_MM = 60.0
"""Width of the empty strip along the table's edge."""


@dataclass(frozen=True)
class Scene:
    """A picture and what is on it."""

    bgr: Array
    jpeg: bytes
    """The picture as a JPEG file; ``bgr`` holds its decoded pixels."""
    truth: Json


def make_scene(
    seed: int,
    split: Split = "train",
    subject: str = "schlangennest",
    size_px: tuple[int, int] | None = None,
    beside: Beside = "far",
) -> Scene:
    """Return the scene of a seed; equal arguments give the same picture, byte for byte."""
    return scene_from(draw_settings(seed, split, subject, size_px, beside))


def scene_from(settings: SceneSettings) -> Scene:
    """Return the scene that settings describe."""
    top = arrange(settings)
    canvas, jpeg = shot(settings, top)
    truth = truth_of(top, canvas)
    truth["split"], truth["seed"] = settings.split, settings.seed
    return Scene(unpacked(jpeg), jpeg, truth)


def shot(settings: SceneSettings, top: TableTop) -> tuple[Canvas, bytes]:
    """Return the painted canvas of a table and the JPEG file that its camera takes."""
    canvas = painted(settings, top, camera_for(settings, top.extent_mm))
    return canvas, photographed(settings, canvas)


def photographed(settings: SceneSettings, canvas: Canvas) -> bytes:
    """Return the JPEG file that the scene's camera takes of a painted table."""
    rng = rng_of("sensor", settings.split, settings.subject, settings.seed)
    linear = radiance(canvas, settings.light, settings.sensor.vignette)
    linear = cv2.transform(linear, gain_for(linear, settings.light, settings.sensor))
    developer = Developer(settings.sensor, settings.light.level)
    bgr = developer.finished(developer.root(linear), rng)
    return packed(bgr, settings.sensor.jpeg_quality)


def camera_for(settings: SceneSettings, extent_mm: Array) -> Camera:
    """Return a camera that frames the layout as the settings ask."""
    wish = settings.camera
    low, high = extent_mm.min(axis=0), extent_mm.max(axis=0)
    middle = (low + high) / 2 + np.array(wish.aim) * (high - low)
    width, height = wish.size_px
    height_mm, focal = wish.height_mm, 0.0
    while True:
        rotation, position = looking_at(
            pair(middle), height_mm, wish.elevation_deg, wish.azimuth_deg, wish.roll_deg
        )
        seen = (np.column_stack([extent_mm, np.zeros(len(extent_mm))]) - position) * (1, 1, -1)
        seen = seen @ rotation.T
        if seen[:, 2].min() > 20:
            slopes = np.abs(seen[:, :2] / seen[:, 2:]).max(axis=0)
            focal = wish.fill * min(width / 2 / slopes[0], height / 2 / slopes[1])
            widest = width / 2 / tan(radians(FOV_DEG[1]) / 2)
            if focal >= widest or height_mm >= HIGHEST_MM:
                break
        height_mm *= 1.08
    focal = min(focal, width / 2 / tan(radians(FOV_DEG[0]) / 2))
    matrix = np.array([[focal, 0, (width - 1) / 2], [0, focal, (height - 1) / 2], [0, 0, 1]])
    distortion = lens(wish.corner_shift, focal, wish.size_px, wish.tangential)
    camera = Camera(wish.size_px, matrix, distortion, rotation, position)
    return _looking_past(camera, extent_mm, wish) if wish.fill > 1 else camera


def _looking_past(camera: Camera, extent_mm: Array, wish: CameraSettings) -> Camera:
    """Return the camera shifted so that the picture's edge cuts through the layout."""
    low, high = extent_mm.min(axis=0), extent_mm.max(axis=0)
    wanted = (low + high) / 2 + np.clip(np.array(wish.aim) * 4, -0.3, 0.3) * (high - low)
    width, height = camera.size_px
    edge = {0: (0, height / 2), 1: (width, height / 2), 2: (width / 2, height), 3: (width / 2, 0)}
    x, y = edge[int(wish.azimuth_deg * 7) % 4]
    ray = np.array([(x - width / 2), (y - height / 2), camera.matrix[0, 0]])
    seen = camera.flat_from_ray() @ ray
    shift = wanted - seen[:2] / seen[2]
    return replace(camera, position_mm=camera.position_mm + np.array([*shift, 0.0]))


def lamp_for(settings: SceneSettings, camera: Camera, extent_mm: Array) -> Lamp:
    """Return the light's direction and, if it glares, where its reflection lies."""
    light = settings.light
    rng = rng_of("lamp", settings.split, settings.subject, settings.seed)
    turn, rise = radians(light.azimuth_deg), radians(light.elevation_deg)
    flat = min(cos(rise) / sin(rise), 2.5)
    low, high = extent_mm.min(axis=0) - 60, extent_mm.max(axis=0) + 60
    place = rng.uniform(low, high)
    shine = pair(place) if light.glare else None
    height = float(camera.position_mm[2])
    return Lamp(
        (-cos(turn) * flat, -sin(turn) * flat),
        light.softness,
        shine,
        light.glare_size * height,
        light.glare,
        height,
    )


def painted(
    settings: SceneSettings, top: TableTop, camera: Camera, bare: Canvas | None = None
) -> Canvas:
    """Return the table as colours, shadows and shine, before any camera effect.

    Args:
        settings: the look of the scene.
        top: what lies there.
        camera: where it is seen from.
        bare: the painted table with nothing on it, if one exists; it is not modified.
    """
    canvas = bare_table(settings, top, camera) if bare is None else bare.copied()
    faces = printed_faces(settings, top, camera)
    put_items(canvas, top.items, faces)
    for thing in sorted(top.lathes, key=lambda t: -_away(t.x_mm, t.y_mm, camera)):
        canvas.put_lathe(thing)
    for arm in top.arms:
        item, face = arm_item(arm), arm_face(arm.look, arm.length_mm)
        canvas.throw_sprite_shadow(face, item, 200)
        canvas.put_sprite(item, face)
    return canvas


def bare_table(settings: SceneSettings, top: TableTop, camera: Camera) -> Canvas:
    """Return the table with nothing on it, large enough for what will be put there."""
    canvas = Canvas(camera, lamp_for(settings, camera, top.extent_mm))
    put_ground(canvas, settings.surface, settings.seed, needed_table(settings, top))
    return canvas


def needed_table(settings: SceneSettings, top: TableTop) -> tuple[float, float]:
    """Return how wide and deep a table must be, so that nothing lies beyond its edge."""
    things = [(i.x_mm, i.y_mm) for i in top.items] + [(i.x_mm, i.y_mm) for i in top.lathes]
    places = np.concatenate([np.array(things).reshape(-1, 2), top.extent_mm])
    reach = np.abs(turned(places, -settings.surface.table_turn_deg))
    width, depth = 2 * (reach.max(axis=0) + TABLE_RIM_MM)
    return float(width), float(depth)


def put_items(canvas: Canvas, items: tuple[Item, ...], faces: Mapping[str, Face]) -> None:
    """Paint flat items layer by layer from the lowest up, the farthest of each layer first."""
    numbers = {id(item): number for number, item in enumerate(items, start=1)}
    for ground in sorted({round(item.z_mm, 3) for item in items}):
        layer = [item for item in items if round(item.z_mm, 3) == ground]
        if ground == 0 or any(item.role in ("tile", "clay") for item in layer):
            canvas.throw_shadows(layer, dict(faces), ground)
        for item in sorted(layer, key=lambda i: -_away(i.x_mm, i.y_mm, canvas.camera)):
            canvas.put(item, faces[item.face], numbers[id(item)])


def _away(x_mm: float, y_mm: float, camera: Camera) -> float:
    return float(np.hypot(x_mm - camera.position_mm[0], y_mm - camera.position_mm[1]))


def printed_faces(settings: SceneSettings, top: TableTop, camera: Camera) -> dict[str, Face]:
    """Return the faces that the table shows, as this owner's printer made them."""
    shown = {item.face for item in top.items}
    roles = {item.face: item.role for item in top.items}
    finest = camera.px_per_mm() * 1.5
    faces = dict(top.faces)
    table = _ink(settings.print)
    for name in sorted(shown):
        if roles[name] != "clutter":
            rng = rng_of("print", settings.split, settings.seed, name)
            faces[name] = printed(faces[name], table, _streaks(settings.print, rng), finest)
    return faces


def _ink(settings: PrintSettings) -> Array:
    """Return the printer's tone curves for blue, green and red, as a lookup table."""
    values = np.arange(256, dtype=float)[:, None]
    values = (values - 128) * settings.contrast + 128
    values = values * np.array(settings.gains)
    values = values + (250 - values) * settings.pale
    return np.asarray(np.clip(values, 0, 255), np.uint8).reshape(256, 1, 3)


def _streaks(settings: PrintSettings, rng: np.random.Generator) -> Array | None:
    if not settings.streaks:
        return None
    lines = np.clip(rng.normal(0, 1, STREAKS), 0, 3)
    return np.clip(lines * 0.16 * settings.streaks, 0, 0.75)
