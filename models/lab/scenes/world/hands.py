"""Arms seen from above, of many skins and sleeves: drawn once, then laid over the picture."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

import cv2
import numpy as np

from models.lab.scenes.splits import rng_of
from models.lab.scenes.world.arrays import Array, Random
from models.lab.scenes.world.faces import Face, face_of, square_outline
from models.lab.scenes.world.noise import field
from models.lab.scenes.world.surfaces import hsv
from models.lab.scenes.world.things import Arm, Item

PX_PER_MM = 1.6
WIDTH_MM = 240.0
UP = np.array([0.0, -1.0])
SKINS = (
    (28, 0.18, 0.98),
    (24, 0.28, 0.93),
    (22, 0.36, 0.86),
    (21, 0.45, 0.74),
    (19, 0.5, 0.6),
    (17, 0.55, 0.45),
    (16, 0.55, 0.33),
    (15, 0.5, 0.24),
)
"""Hue, saturation and brightness from the lightest to the darkest."""


@lru_cache(maxsize=24)
def arm_face(look: int, length_mm: float) -> Face:
    """Return an arm with its fingertips at the origin, which comes from below."""
    rng = rng_of("arm", look)
    size = round(length_mm * PX_PER_MM), round(WIDTH_MM * PX_PER_MM)
    colour = np.zeros((*size, 3), np.float32)
    alpha: Array = np.zeros(size, np.uint8)
    skin = _skin(rng)
    middle = WIDTH_MM / 2
    wrist = np.array([middle + rng.normal(0, 8), 175.0])
    palm = np.array([middle + rng.normal(0, 5), 115.0])
    mirror = float(rng.choice([-1, 1]))
    elbow = np.array([middle + rng.normal(0, 25), length_mm + 40])
    _limb(colour, alpha, [(wrist, 27), (elbow, 44)], skin, rng)
    for part in _fingers(rng, palm, mirror):
        _limb(colour, alpha, part, skin * rng.uniform(0.97, 1.03), rng)
    _limb(colour, alpha, [(palm + UP * 18, 36), (palm - UP * 22, 34), (wrist, 26)], skin, rng)
    if rng.random() < 0.85:
        start = rng.uniform(150, 330)
        top = wrist + (elbow - wrist) * (start - wrist[1]) / (elbow[1] - wrist[1])
        _limb(colour, alpha, [(top, rng.uniform(36, 46)), (elbow, rng.uniform(54, 70))], None, rng)
    bgr = np.clip(cv2.GaussianBlur(colour, (0, 0), 0.7), 0, 255).astype(np.uint8)
    alpha = cv2.GaussianBlur(alpha, (0, 0), 0.6)
    origin = (middle * PX_PER_MM, 22 * PX_PER_MM)
    outline = square_outline(WIDTH_MM, length_mm) - UP * (length_mm / 2 - 22)
    return face_of(bgr, PX_PER_MM, origin, outline, alpha)


def arm_item(arm: Arm) -> Item:
    """Return an arm as a flat thing at its height, rising a little towards the elbow."""
    return Item(
        f"arm{arm.look}", arm.x_mm, arm.y_mm, arm.angle_deg, arm.height_mm, 0.0, tilt=(0.0, 0.12)
    )


def _skin(rng: Random) -> Array:
    hue, saturation, value = SKINS[int(rng.integers(len(SKINS)))]
    return hsv(
        hue + rng.normal(0, 2),
        np.clip(saturation + rng.normal(0, 0.04), 0, 1),
        np.clip(value + rng.normal(0, 0.04), 0.1, 1),
    )


def _fingers(rng: Random, palm: Array, mirror: float) -> list[list[tuple[Array, float]]]:
    """Return four fingers and a thumb as chains of joints with radii, in millimetres."""
    curl = rng.uniform(0.55, 1.0)
    spread = rng.uniform(0.5, 1.3)
    parts = []
    for k, (length, width) in enumerate(((70, 8.5), (80, 9), (75, 8.5), (58, 7.5))):
        across = (k - 1.5) * 17 * mirror
        root = palm + np.array([across, -30])
        bent = rng.uniform(0.75, 1.0)
        lean = np.array([(k - 1.5) * 5 * spread * mirror + rng.normal(0, 2), -length * curl * bent])
        middle = root + lean * 0.55
        tip = root + lean * np.array([rng.uniform(0.8, 1.1), 1.0])
        parts.append([(root, width + 1.5), (middle, width + 0.5), (tip, width - 1)])
    side = palm + np.array([-34 * mirror, 18])
    reach = np.array([-20 * mirror * rng.uniform(0.2, 1.1), -52 * rng.uniform(0.7, 1.15)])
    parts.insert(0, [(side, 13), (side + reach * 0.6, 11), (side + reach, 9.5)])
    return parts


def _limb(
    colour: Array, alpha: Array, joints: list[tuple[Array, float]], skin: Array | None, rng: Random
) -> None:
    """Draw one rounded limb over what is there; without a skin it is a sleeve."""
    mask = np.zeros(alpha.shape, np.uint8)
    for (a, wide_a), (b, wide_b) in pairwise(joints):
        for t in np.linspace(0, 1, 24):
            place = np.round((a + (b - a) * t) * PX_PER_MM * 16).astype(int)
            radius = (wide_a + (wide_b - wide_a) * t) * PX_PER_MM
            cv2.circle(mask, place.tolist(), round(radius * 16), 255, -1, cv2.LINE_AA, 4)
    ys, xs = np.nonzero(mask)
    if not len(ys):
        return
    part = slice(ys.min(), ys.max() + 1), slice(xs.min(), xs.max() + 1)
    inner = mask[part]
    depth = cv2.distanceTransform((inner > 127).astype(np.uint8), cv2.DIST_L2, 3)
    rise = np.sqrt(np.clip(depth / max(float(depth.max()), 1.0), 0, 1))
    rise = cv2.GaussianBlur(rise, (0, 0), 2.0)
    gx, gy = cv2.Sobel(rise, cv2.CV_32F, 1, 0), cv2.Sobel(rise, cv2.CV_32F, 0, 1)
    shade = np.clip(0.62 + 0.42 * rise - 0.5 * gx - 0.5 * gy, 0.3, 1.15)
    if skin is None:
        tone = _cloth(inner.shape, rng)
    else:
        tone = np.broadcast_to(skin, (*inner.shape, 3)) * _blotches(inner.shape, rng)
    cover = (inner / 255.0)[..., None]
    colour[part] = colour[part] * (1 - cover) + tone * shade[..., None] * cover
    alpha[part] = np.maximum(alpha[part], inner)


def _blotches(shape: tuple[int, ...], rng: Random) -> Array:
    soft = field(rng, 64, (4, 4), 3)
    big = cv2.resize(soft, (shape[1], shape[0]), interpolation=cv2.INTER_LINEAR)
    return np.asarray(1 + 0.02 * big)[..., None]


def _cloth(shape: tuple[int, ...], rng: Random) -> Array:
    """Return a sleeve's cloth: plain, striped or chequered, with folds across."""
    first = hsv(rng.uniform(0, 360), rng.uniform(0, 0.9), rng.uniform(0.1, 0.95))
    second = hsv(rng.uniform(0, 360), rng.uniform(0, 0.9), rng.uniform(0.1, 0.95))
    ys, xs = np.mgrid[0 : shape[0], 0 : shape[1]]
    kind = str(rng.choice(["plain", "plain", "stripes", "checks"]))
    pitch = int(rng.integers(10, 40))
    if kind == "plain":
        share = np.zeros(shape)
    elif kind == "stripes":
        share = ((ys if rng.random() < 0.5 else xs) // pitch % 2).astype(float)
    else:
        share = ((ys // pitch % 2) + (xs // pitch % 2)) / 2
    folds = field(rng, 64, (2, 8), 3)
    big = cv2.resize(folds, (shape[1], shape[0]), interpolation=cv2.INTER_CUBIC)
    tone = first + (second - first) * share[..., None]
    return np.asarray(np.clip(tone * (1 + 0.1 * big)[..., None], 0, 255))
