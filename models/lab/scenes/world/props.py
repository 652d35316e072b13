"""What else lies on tables: cups, phones, dice, rulebooks, tokens, plain squares, and arms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import cv2
import numpy as np

from models.lab.scenes.settings import NOTHING, SceneSettings
from models.lab.scenes.world.arrays import Array, Random, three
from models.lab.scenes.world.aside import Room, box_of
from models.lab.scenes.world.faces import Face, face_of, square_outline, whole_face
from models.lab.scenes.world.lattices import big_enough
from models.lab.scenes.world.surfaces import hsv
from models.lab.scenes.world.things import Arm, Item, Lathe, TableTop

TOKEN = "token/diamond"
REACH_MM = 130.0
COVERING = 0.05
"""Probability that a hand or a cup is over the layout, which readers must report."""


def add_props(top: TableTop, settings: SceneSettings, rng: Random) -> TableTop:
    """Return the table with clutter around the layout and arms over it."""
    room = Room.around(top, 8.0)
    box = box_of(top)
    faces = dict(top.faces)
    items = list(top.items)
    for name, face, thickness, gloss in _flat_props(settings, rng, top):
        faces[name] = face
        at = room.find(box, big_enough(face), REACH_MM, rng)
        if at is None:
            continue
        room.take(*at, big_enough(face) * 0.8)
        item = Item(name, *at, float(rng.uniform(0, 360)), 0.0, thickness, gloss=gloss)
        items.append(replace(item, side=_side_of(face), seed=int(rng.integers(1 << 30))))
    lathes = list(top.lathes)
    for _ in range(settings.clutter.cups):
        cup = _cup(rng)
        at = _beside(cup, room, box, settings, rng)
        if rng.random() < COVERING and settings.subject != NOTHING:
            at = (float(rng.uniform(box[0], box[2])), float(rng.uniform(box[1], box[3])))
        if at is not None:
            room.take(*at, cup.profile[-1][1])
            lathes.append(replace(cup, x_mm=at[0], y_mm=at[1]))
    arms = tuple(
        reaching_arm(top, rng, bool(rng.random() < COVERING)) for _ in range(settings.clutter.hands)
    )
    return replace(top, items=tuple(items), faces=faces, lathes=tuple(lathes), arms=arms)


def reaching_arm(top: TableTop, rng: Random, over: bool) -> Arm:
    """Return an arm that reaches over the layout, or to somewhere beside it."""
    left, upper, right, lower = box_of(top)
    height, look = float(rng.uniform(12, 60)), int(rng.integers(1 << 30))
    if over:
        x, y = rng.uniform(left, right), rng.uniform(upper, lower)
        return Arm(float(x), float(y), float(rng.uniform(0, 360)), height, look)
    turn, away = rng.uniform(0, 2 * np.pi), rng.uniform(25, 110)
    out = np.array([np.cos(turn), np.sin(turn)])
    x = (left + right) / 2 + out[0] * ((right - left) * 0.7 + away)
    y = (upper + lower) / 2 + out[1] * ((lower - upper) * 0.7 + away)
    angle = np.degrees(np.arctan2(-out[0], out[1])) + rng.normal(0, 20)
    return Arm(float(x), float(y), float(angle), height, look)


def _beside(
    cup: Lathe, room: Room, box: Array, settings: SceneSettings, rng: Random
) -> tuple[float, float] | None:
    """Return a place for a cup where it does not hide the layout from the camera."""
    tall, wide = cup.profile[-1]
    slope = 1 / np.tan(np.radians(settings.camera.elevation_deg))
    turn = np.radians(settings.camera.azimuth_deg)
    behind = np.array([np.sin(turn), -np.cos(turn)]) * tall * min(float(slope), 1.5)
    for _ in range(12):
        at = room.find(box, wide + 4, REACH_MM, rng)
        if at is not None and all(
            room.is_free(at[0] + behind[0] * share, at[1] + behind[1] * share, wide)
            for share in (0.5, 1.0)
        ):
            return at
    return None


def _flat_props(
    settings: SceneSettings, rng: Random, top: TableTop
) -> Iterator[tuple[str, Face, float, float]]:
    """Yield name, face, thickness and gloss of the flat clutter."""
    clutter = settings.clutter
    for i in range(clutter.phones):
        yield f"phone{i}", phone_face(rng), 8.0, 0.9
    if clutter.rulebook:
        page = page_face(rng, top)
        yield "rulebook", page, float(rng.uniform(0.3, 3)), float(rng.uniform(0, 0.6))
    for i in range(clutter.dice):
        yield f"die{i}", die_face(rng), float(rng.uniform(12, 18)), 0.5
    for i in range(clutter.tokens):
        if TOKEN in top.faces:
            yield f"token{i}", top.faces[TOKEN], settings.cards.thickness_mm, settings.cards.gloss
    for i in range(clutter.plain_squares):
        yield f"plain{i}", plain_face(rng), float(rng.uniform(0.2, 5)), float(rng.uniform(0, 0.5))


def _side_of(face: Face) -> tuple[int, int, int]:
    colour = face.levels[-1][..., :3].reshape(-1, 3).mean(axis=0) * 0.8
    return int(colour[0]), int(colour[1]), int(colour[2])


PIPS = {1: "4", 2: "08", 3: "048", 4: "0268", 5: "02468", 6: "035268"}
"""Which of nine spots, row by row, have a pip."""


def phone_face(rng: Random) -> Face:
    """Return a phone that lies on its back, its screen dark or lit."""
    width, height = round(rng.uniform(66, 78)) * 4, round(rng.uniform(138, 164)) * 4
    bgr = np.full((height, width, 3), rng.uniform(8, 40), np.uint8)
    inner = bgr[16:-16, 12:-12]
    if rng.random() < 0.4:
        inner[:] = hsv(rng.uniform(0, 360), rng.uniform(0, 0.4), rng.uniform(0.5, 1))
        for _ in range(int(rng.integers(4, 14))):
            x, y = int(rng.integers(0, width - 80)), int(rng.integers(0, height - 60))
            size = int(rng.integers(20, 160)), int(rng.integers(8, 60))
            colour = hsv(rng.uniform(0, 360), rng.uniform(0, 0.9), rng.uniform(0.2, 1))
            cv2.rectangle(inner, (x, y), (x + size[0], y + size[1]), colour.tolist(), -1)
    else:
        inner[:] = rng.uniform(5, 25)
    return whole_face(bgr, 4.0)


def page_face(rng: Random, top: TableTop) -> Face:
    """Return a printed page with headings, lines of text and perhaps small pictures of tiles."""
    width, height = (420, 594) if rng.random() < 0.5 else (594, 420)
    scale = 2.0 * float(rng.choice([1.0, 1.4]))
    paper = hsv(rng.uniform(20, 60), rng.uniform(0, 0.15), rng.uniform(0.85, 1))
    bgr = np.full((height, width, 3), paper, np.uint8)
    ink = hsv(rng.uniform(0, 360), rng.uniform(0, 0.5), rng.uniform(0.05, 0.35)).tolist()
    margin, y = int(width * 0.08), int(height * 0.08)
    cv2.rectangle(bgr, (margin, y), (int(width * rng.uniform(0.4, 0.9)), y + 22), ink, -1)
    y += 50
    while y < height - margin:
        if rng.random() < 0.12 and y < height - 130:
            y = _pictures(bgr, y, margin, rng, top)
        end = width - margin if rng.random() > 0.2 else int(width * rng.uniform(0.3, 0.8))
        for x in range(margin, end, 14):
            cv2.line(bgr, (x, y), (x + int(rng.integers(5, 12)), y), ink, 3)
        y += 11 if rng.random() > 0.12 else 24
    return whole_face(bgr, scale)


def _pictures(bgr: Array, y: int, margin: int, rng: Random, top: TableTop) -> int:
    side = int(rng.integers(40, 90))
    names = sorted(top.faces)
    for x in range(margin, bgr.shape[1] - margin - side, side + int(rng.integers(0, 20))):
        if names and rng.random() < 0.6:
            face = top.faces[names[int(rng.integers(len(names)))]]
            small = cv2.resize(face.levels[0], (side, side), interpolation=cv2.INTER_AREA)
            cover = small[..., 3:] / 255.0
            part = bgr[y : y + side, x : x + side]
            part[:] = part * (1 - cover) + small[..., :3]
        else:
            colour = hsv(rng.uniform(0, 360), rng.uniform(0.1, 0.9), rng.uniform(0.3, 1)).tolist()
            cv2.rectangle(bgr, (x, y), (x + side, y + side), colour, -1)
    return y + side + 16


def die_face(rng: Random, value: int | None = None) -> Face:
    """Return the upper side of a die, by default with a random number of pips."""
    side = 96
    colour = hsv(rng.uniform(0, 360), rng.choice([0, 0.8]), rng.uniform(0.6, 1))
    bgr = np.full((side, side, 3), colour, np.uint8)
    dark = colour.sum() < 380
    pip = (235, 235, 235) if dark else (25, 25, 25)
    drawn = int(rng.integers(1, 7))
    spots = PIPS[drawn if value is None else value]
    for spot in spots:
        at = 24 + 24 * (int(spot) % 3), 24 + 24 * (int(spot) // 3)
        cv2.circle(bgr, at, 9, pip, -1, cv2.LINE_AA)
    size = float(rng.uniform(11, 18))
    return face_of(bgr, side / size, (side / 2, side / 2), square_outline(size))


def plain_face(rng: Random) -> Face:
    """Return a square that is no tile: a note, a coaster, a napkin."""
    size = float(rng.choice([76, 90, 100, 38, 120]))
    colour = hsv(rng.uniform(0, 360), rng.uniform(0, 0.6), rng.uniform(0.5, 1))
    ys = np.linspace(0.95, 1.05, 128)[:, None, None]
    bgr = np.clip(colour * np.ones((128, 128, 1)) * ys, 0, 255).astype(np.uint8)
    return face_of(bgr, 128 / size, (64, 64), square_outline(size))


def _cup(rng: Random) -> Lathe:
    radius, height = float(rng.uniform(28, 46)), float(rng.uniform(55, 120))
    foot = radius * float(rng.uniform(0.6, 1.0))
    colour = hsv(rng.uniform(0, 360), rng.choice([0, 0.1, 0.7]), rng.uniform(0.3, 1))
    drink = hsv(rng.uniform(10, 40), rng.uniform(0.2, 0.9), rng.uniform(0.05, 0.6))
    profile = tuple((height * t, foot + (radius - foot) * t**0.7) for t in np.linspace(0, 1, 7))
    return Lathe(0, 0, tuple((float(h), float(r)) for h, r in profile), three(colour), three(drink))
