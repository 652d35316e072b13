"""A whole game as a camera films it: frames at a chosen rate, with the truth beside them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np

from engine.placement import Layout
from models.scenes.arrays import Array
from models.scenes.camera import Camera
from models.scenes.canvas import Canvas
from models.scenes.develop import Developer, exposed, gain_for, radiance
from models.scenes.hands import arm_face, arm_item
from models.scenes.scene import camera_for, lamp_for, painted
from models.scenes.script import DISTURBANCES, Script, Visit, write_script
from models.scenes.settings import SceneSettings, draw_settings
from models.scenes.splits import Split, rng_of
from models.scenes.stage import Stage
from models.scenes.things import Arm, Item, Lathe, TableTop
from models.scenes.truth import truth_of

Json = dict[str, Any]

REACH_S = 0.55
"""How long a hand takes from the table's edge to its place, and back."""
STAY_S = 0.45
AWAY_MM = 720.0
LEAN_S = 4.0
CUP = Lathe(0, 0, ((0, 30), (30, 33), (60, 36), (90, 38)), (225, 225, 235), (20, 35, 70))


@dataclass(frozen=True)
class FilmFrame:
    """One frame and what is going on in it."""

    t: float
    bgr: Array
    hand: bool
    """Whether any part of a hand is in view."""


class Film:
    """A filmed game. ``frames`` can be walked once; ``events`` is complete after that."""

    def __init__(self, settings: SceneSettings, script: Script, fps: float) -> None:
        self.settings = settings
        self.script = script
        self.fps = fps
        self.events: list[Json] = []
        self._rng = rng_of("film", settings.split, settings.subject, settings.seed)
        self._stage = Stage(settings, script.players, script.layouts())
        self._camera = camera_for(settings, self._stage.extent_mm)
        self._light = settings.light
        self._extra: tuple[Lathe, ...] = ()
        self._layout = script.opening
        self._seat = float(self._rng.uniform(0, 360))
        self._still = self._paint()
        self._number = 0

    def frames(self) -> Iterator[FilmFrame]:
        """Yield every frame from the first still one to the last."""
        yield from self._quiet(1.0)
        for visit in self.script.visits:
            yield from self._quiet(visit.pause_s)
            yield from self._played(visit)
        yield from self._quiet(1.5)

    def truth(self) -> Json:
        """Return the table state as it is now."""
        top = self._top()
        return truth_of(top, self._still.canvas)

    @property
    def now_s(self) -> float:
        """The time of the next frame."""
        return self._number / self.fps

    # --- what happens ----------------------------------------------------------------------

    def _played(self, visit: Visit) -> Iterator[FilmFrame]:
        if visit.what == "told":
            self._note(visit.event)
        elif visit.what == "knock":
            yield from self._knocked(visit)
        elif visit.what == "light":
            self._switch_light()
            self._note(visit.event)
        elif visit.what == "lean":
            yield from self._leaned(visit)
        elif visit.what == "cup":
            yield from self._cup_put_down(visit)
        else:
            yield from self._hand_visit(visit)

    def _hand_visit(self, visit: Visit) -> Iterator[FilmFrame]:
        target = self._place_of(visit)
        arm = self._arm(visit.player, target)
        first = visit.layouts[0]
        held = self._held(first)
        yield from self._reach(arm, 1.0, 0.0, held)
        if visit.nudge and len(self._layout.placements()) > 1:
            things = self._layout.placements()
            self._stage.nudge(things[int(self._rng.integers(len(things)))], self._rng)
        for layout in visit.layouts:
            self._layout = layout
            self._still = self._paint()
            yield from self._hold(arm, STAY_S * float(self._rng.uniform(0.7, 1.4)))
        yield from self._reach(arm, 0.0, 1.0, None)
        self._note(visit.event)

    def _cup_put_down(self, visit: Visit) -> Iterator[FilmFrame]:
        things = self._layout.placements()
        x, y = 0.0, 0.0
        if things:
            item = self._stage.item(things[int(self._rng.integers(len(things)))])
            away = self._rng.normal(0, 25, 2)
            x, y = item.x_mm + float(away[0]), item.y_mm + float(away[1])
        arm = self._arm(int(self._rng.integers(4)), (x, y))
        yield from self._reach(arm, 1.0, 0.0, None)
        self._extra = (replace(CUP, x_mm=x, y_mm=y),)
        self._still = self._paint()
        yield from self._hold(arm, STAY_S)
        yield from self._reach(arm, 0.0, 1.0, None)
        self._note({**visit.event, "covers": [x, y]})
        yield from self._quiet(3.0)
        yield from self._reach(arm, 1.0, 0.0, None)
        self._extra = ()
        self._still = self._paint()
        yield from self._reach(arm, 0.0, 1.0, None)
        self._note({"event": "cup-gone"})

    def _knocked(self, visit: Visit) -> Iterator[FilmFrame]:
        for _ in range(max(2, round(0.3 * self.fps))):
            shake = self._rng.normal(0, 0.012 * self._camera.size_px[0], 2)
            yield self._frame(None, None, (float(shake[0]), float(shake[1])))
        old = self.settings.camera
        aim = np.array(old.aim) + self._rng.normal(0, 0.03, 2)
        camera = replace(
            old, azimuth_deg=old.azimuth_deg + float(self._rng.normal(0, 2)),
            roll_deg=old.roll_deg + float(self._rng.normal(0, 1)),
            elevation_deg=min(90.0, old.elevation_deg + float(self._rng.normal(0, 1))),
            aim=(float(aim[0]), float(aim[1])),
        )  # fmt: skip
        self.settings = replace(self.settings, camera=camera)
        moved = camera_for(self.settings, self._stage.extent_mm)
        # A knock does not change the lens.
        self._camera = replace(
            moved, matrix=self._camera.matrix, distortion=self._camera.distortion
        )
        self._still = self._paint()
        self._note(visit.event)

    def _switch_light(self) -> None:
        light = self._light
        darker = bool(self._rng.random() < 0.5)
        self._light = replace(
            light, level=light.level * (0.6 if darker else 1.25),
            kelvin=float(np.clip(light.kelvin + self._rng.normal(0, 900), 2700, 6500)),
            azimuth_deg=light.azimuth_deg + 90,
        )  # fmt: skip
        self._still = self._paint()

    def _leaned(self, visit: Visit) -> Iterator[FilmFrame]:
        """A person leans in: two arms rest on the table for a while."""
        arm = self._arm(int(self._rng.integers(4)), self._middle())
        yield from self._reach(arm, 1.0, 0.35, None)
        yield from self._hold(self._along(arm, 0.35), LEAN_S)
        yield from self._reach(arm, 0.35, 1.0, None)
        self._note(visit.event)

    # --- hands -----------------------------------------------------------------------------

    def _arm(self, player: int, target: tuple[float, float]) -> Arm:
        seats = max(2, len(self.script.players))
        angle = self._seat + 360.0 * player / seats + float(self._rng.normal(0, 12))
        look = int(rng_of("looks", self.settings.seed, player).integers(1 << 30))
        return Arm(*target, angle, float(self._rng.uniform(14, 30)), look)

    def _along(self, arm: Arm, away: float) -> Arm:
        """Return the arm drawn back by a share of its whole way, a little higher there."""
        turn = np.radians(arm.angle_deg)
        back = AWAY_MM * away
        return replace(
            arm, x_mm=arm.x_mm - float(np.sin(turn)) * back,
            y_mm=arm.y_mm + float(np.cos(turn)) * back, height_mm=arm.height_mm + 40 * away,
        )  # fmt: skip

    def _reach(self, arm: Arm, start: float, stop: float, held: Item | None) -> Iterator[FilmFrame]:
        steps = max(2, round(REACH_S * float(self._rng.uniform(0.8, 1.4)) * self.fps))
        for step in range(steps):
            share = (step + 0.5) / steps
            eased = share * share * (3 - 2 * share)
            yield self._frame(self._along(arm, start + (stop - start) * eased), held)

    def _hold(self, arm: Arm, seconds: float) -> Iterator[FilmFrame]:
        for _ in range(max(1, round(seconds * self.fps))):
            away = self._rng.normal(0, 1.2, 2)
            still = replace(arm, x_mm=arm.x_mm + float(away[0]), y_mm=arm.y_mm + float(away[1]))
            yield self._frame(still, None)

    def _quiet(self, seconds: float) -> Iterator[FilmFrame]:
        for _ in range(max(1, round(seconds * self.fps))):
            yield self._frame(None, None)

    def _place_of(self, visit: Visit) -> tuple[float, float]:
        before, after = self._layout, visit.layouts[-1]
        changed = [*_minus(after, before), *_minus(before, after)]
        if not changed:
            return self._middle()
        item = self._stage.item(changed[0])
        face = self._still.top.faces[item.face]
        middle = item.outline_mm(face)[:, :2].mean(axis=0)
        return float(middle[0]), float(middle[1])

    def _held(self, after: Layout) -> Item | None:
        new = _minus(after, self._layout)
        return self._stage.item(new[0]) if new else None

    def _middle(self) -> tuple[float, float]:
        low, high = self._stage.extent_mm.min(axis=0), self._stage.extent_mm.max(axis=0)
        return float((low[0] + high[0]) / 2), float((low[1] + high[1]) / 2)

    # --- pictures --------------------------------------------------------------------------

    def _top(self) -> TableTop:
        top = self._stage.top(self._layout)
        return replace(top, lathes=(*top.lathes, *self._extra))

    def _paint(self) -> _Still:
        settings = replace(self.settings, light=self._light)
        return _Still(settings, self._top(), self._camera)

    def _frame(
        self, arm: Arm | None, held: Item | None, shake_px: tuple[float, float] | None = None
    ) -> FilmFrame:
        bgr, hand = self._still.frame(arm, held, self._rng, shake_px)
        frame = FilmFrame(self._number / self.fps, bgr, hand)
        self._number += 1
        return frame

    def _note(self, event: Json) -> None:
        """Write down what has happened; the time is that of the first frame after it."""
        self.events.append({"t": round(self.now_s, 3), **event})


class _Still:
    """A table that does not change, painted once; only arms are laid over it per frame."""

    def __init__(self, settings: SceneSettings, top: TableTop, camera: Camera) -> None:
        self.top = top
        self.canvas = painted(settings, top, camera)
        self._settings = settings
        linear = radiance(self.canvas, settings.light, settings.sensor.vignette)
        self._matrix = gain_for(linear, settings.light, settings.sensor)
        self._linear = exposed(linear, self._matrix)
        self._developer = Developer(settings.sensor, settings.light.level)
        self._root = self._developer.root(self._linear)

    def frame(
        self,
        arm: Arm | None,
        held: Item | None,
        rng: np.random.Generator,
        shake_px: tuple[float, float] | None,
    ) -> tuple[Array, bool]:
        """Return one finished frame, and whether a hand is in it."""
        root, hand = self._root, False
        if arm is not None:
            root, hand = self._with_arm(arm, held)
        if shake_px is not None:
            shift = np.array([[1, 0, shake_px[0]], [0, 1, shake_px[1]]], np.float32)
            root = cv2.warpAffine(root, shift, root.shape[1::-1], borderMode=cv2.BORDER_REFLECT)
        return self._developer.finished(root, rng), hand

    def _with_arm(self, arm: Arm, held: Item | None) -> tuple[Array, bool]:
        item, face = arm_item(arm), arm_face(arm.look)
        over = Canvas.over(self.canvas)
        over.throw_sprite_shadow(face, item, 190)
        shadow = cv2.LUT(over.lit, self._shadow_table())
        changed = over.lit < 255
        linear = self._linear
        parts = []
        if held is not None:
            lifted = replace(held, x_mm=arm.x_mm, y_mm=arm.y_mm, z_mm=arm.height_mm - 4)
            parts.append((lifted, self.top.faces[held.face]))
        parts.append((item, face))
        boxes = [_box_of(changed)]
        sprites = []
        for thing, look in parts:
            sampled = over.sampled(look, thing.axes(), over.camera.px_per_mm())
            if sampled is not None and sampled[1][..., 3].any():
                sprites.append(sampled)
                boxes.append((sampled[0][0].start, sampled[0][0].stop, sampled[0][1].start,
                              sampled[0][1].stop))  # fmt: skip
        window = _union([box for box in boxes if box is not None], linear.shape)
        if window is None:
            return self._root, False
        part = linear[window] * shadow[window][..., None]
        for where, bgra, _ in sprites:
            inner = _inside(where, window)
            cover = bgra[..., 3:].astype(np.float32) / 255
            skin = cv2.transform(Developer.linear_of(bgra[..., :3]), self._matrix)
            part[inner] = part[inner] * (1 - cover) + skin
        root = self._root.copy()
        root[window] = self._developer.root(part)
        return root, bool(sprites)

    def _shadow_table(self) -> Array:
        ambient = self._settings.light.ambient
        return (ambient + (1 - ambient) * np.arange(256) / 255).astype(np.float32)


def _minus(one: Layout, other: Layout) -> list[Any]:
    gone = set(other.placements())
    return [thing for thing in one.placements() if thing not in gone]


def _inside(where: tuple[slice, slice], window: tuple[slice, slice]) -> tuple[slice, slice]:
    """Return a part of the picture as counted in a window around it."""
    rows, columns = where
    top, left = window[0].start, window[1].start
    return slice(rows.start - top, rows.stop - top), slice(
        columns.start - left, columns.stop - left
    )


def _box_of(mask: Array) -> tuple[int, int, int, int] | None:
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if not len(rows):
        return None
    return int(rows[0]), int(rows[-1]) + 1, int(columns[0]), int(columns[-1]) + 1


def _union(
    boxes: list[tuple[int, int, int, int]], shape: tuple[int, ...]
) -> tuple[slice, slice] | None:
    if not boxes:
        return None
    every = np.array(boxes)
    top, left = every[:, 0].min(), every[:, 2].min()
    bottom, right = every[:, 1].max(), every[:, 3].max()
    return slice(max(int(top), 0), min(int(bottom), shape[0])), slice(
        max(int(left), 0), min(int(right), shape[1])
    )


def film(
    seed: int,
    split: Split,
    game: str,
    fps: float = 10.0,
    size_px: tuple[int, int] = (1280, 720),
    pace_s: float = 1.6,
    most_moves: int | None = None,
    disturbances: tuple[str, ...] = DISTURBANCES,
) -> Film:
    """Return the filmed game of a seed; equal arguments give the same frames."""
    settings = draw_settings(seed, split, game, size_px)
    camera = replace(settings.camera, fill=min(settings.camera.fill, 0.9))
    clutter = replace(settings.clutter, hands=0, stock_spread=False)
    light = replace(settings.light, level=max(settings.light.level, 0.5))
    settings = replace(settings, camera=camera, clutter=clutter, light=light)
    script = write_script(game, split, seed, pace_s, most_moves, disturbances)
    return Film(settings, script, fps)


__all__ = ["Film", "FilmFrame", "film", "lamp_for"]
