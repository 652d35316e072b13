"""A table in front of a camera, step by step: hands, cups, knocks and lights, frame by frame.

Each event is a method that yields its frames; the table keeps the state in which it was left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.placement import Clay, Layout, Piece, Placement
from models.lab.scenes.camera.film_still import Still
from models.lab.scenes.camera.truth import truth_of
from models.lab.scenes.games.stage import Stage
from models.lab.scenes.scene import camera_for
from models.lab.scenes.settings import SceneSettings, draw_settings
from models.lab.scenes.splits import Split, rng_of
from models.lab.scenes.world.arrays import Array, Json, pair
from models.lab.scenes.world.hands import WIDTH_MM, arm_item
from models.lab.scenes.world.things import Arm, Item, Lathe, TableTop

REACH_S = 0.55
"""Usual duration of a hand's way from the table's edge to its place, and of its way back."""
STAY_S = 0.45
DRAWN_BACK_MM = 100.0
"""Distance beyond its length by which an arm is drawn back, so that none of it is in view."""
ARM_STEP_MM, LONGEST_ARM_MM = 100.0, 2400.0
"""Arms are lengthened by this step, up to this length, until their far end is out of view."""
CUP = Lathe(0, 0, ((0, 30), (30, 33), (60, 36), (90, 38)), (225, 225, 235), (20, 35, 70))
LEANS = 6
"""Number of poses between which an arm that rests on the table alternates."""
SUN_STEPS_A_SECOND = 3.0
HUNTING = 0.3
"""Relative amplitude of the exposure of a camera that hunts for it."""
DIMMED = 0.6
"""Share of the light that remains when a lamp is dimmed, or one of several switched off."""
OFF = 0.02
"""Share of the light that remains when it is switched off."""


@dataclass(frozen=True)
class FilmFrame:
    """One frame, its time and whether a hand is in it."""

    t: float
    bgr: Array
    hand: bool
    """Whether any part of a hand is in view."""


class FilmedTable:
    """One table with its camera, from the first frame to the last."""

    def __init__(
        self,
        settings: SceneSettings,
        players: tuple[str, ...],
        opening: Layout,
        layouts: Iterator[Layout],
        fps: float,
    ) -> None:
        self.settings = settings
        self.fps = fps
        self.layout = opening
        self.hand_left_s = 0.0
        """Time of the first frame after the last one with a hand."""
        self._players = players
        self._rng = rng_of("film", settings.split, settings.subject, settings.seed)
        self._stage = Stage(settings, players, layouts)
        self._camera = camera_for(settings, self._stage.extent_mm)
        self._light = settings.light
        self._extra: tuple[Lathe, ...] = ()
        self._seat = float(self._rng.uniform(0, 360))
        self._painted: Still | None = None
        self._number = 0

    @property
    def now_s(self) -> float:
        """The time of the next frame."""
        return self._number / self.fps

    @property
    def tile_px(self) -> float:
        """Smallest width in the picture of a tile, or of a hex tile's cell."""
        pitch_mm = self.settings.cards.size_mm
        corners = [(float(x), float(y)) for x, y in self._stage.extent_mm]
        return pitch_mm * min(self._camera.px_per_mm(corner) for corner in corners)

    def truth(self) -> Json:
        """Return the true table state of the current table."""
        return truth_of(self._top(), self._still.canvas)

    # --- what may happen -------------------------------------------------------------------

    def quiet(self, seconds: float) -> Iterator[FilmFrame]:
        """Let the table lie still."""
        for _ in range(max(1, round(seconds * self.fps))):
            yield self._frame(None, None)

    def wait(self, seconds: float) -> None:
        """Advance the time without frames."""
        self._number += round(seconds * self.fps)

    def visit(
        self, layouts: tuple[Layout, ...], player: int = 0, nudge: bool = False
    ) -> Iterator[FilmFrame]:
        """Let a hand come in, lay the given layouts one after the other, and leave."""
        arm = self._arm(player, self._place_of(layouts[-1]))
        yield from self._reach(arm, 1.0, 0.0, self._held(layouts[0]))
        if nudge and len(self.layout.placements()) > 1:
            things = self.layout.placements()
            self._stage.nudge(things[int(self._rng.integers(len(things)))], self._rng)
        for layout in layouts:
            self.layout = layout
            self._paint()
            yield from self._hold(arm, STAY_S * float(self._rng.uniform(0.7, 1.4)))
        yield from self._reach(arm, 0.0, 1.0, None)

    def cup_put_down(self, thing: Placement | Piece | Clay | None = None) -> Iterator[FilmFrame]:
        """Let a hand put a cup down on a tile, by default on a random one."""
        things = self.layout.placements()
        x, y = 0.0, 0.0
        if thing is not None or things:
            drawn = int(self._rng.integers(max(1, len(things))))
            item = self._stage.item(things[drawn] if thing is None else thing)
            away = self._rng.normal(0, 25 if thing is None else 8, 2)
            x, y = item.x_mm + float(away[0]), item.y_mm + float(away[1])

        def put() -> None:
            self._extra = (replace(CUP, x_mm=x, y_mm=y),)

        yield from self._someone_reaches((x, y), put, STAY_S)

    def cup_taken_away(self) -> Iterator[FilmFrame]:
        """Let a hand take the cup away."""
        cup = self._extra[0]

        def take() -> None:
            self._extra = ()

        yield from self._someone_reaches((cup.x_mm, cup.y_mm), take)

    def cups_cleared_away(self) -> Iterator[FilmFrame]:
        """Let a hand take away the cups that have stood there from the beginning."""
        cups = self._stage.top(self.layout).lathes
        at = (cups[0].x_mm, cups[0].y_mm) if cups else self._middle()
        yield from self._someone_reaches(at, self._stage.clear_away)

    def _someone_reaches(
        self, at: tuple[float, float], change: Callable[[], None], stay_s: float = 0.0
    ) -> Iterator[FilmFrame]:
        """Let a random player's hand reach to a place, change something there, and leave."""
        arm = self._arm(int(self._rng.integers(4)), at)
        yield from self._reach(arm, 1.0, 0.0, None)
        change()
        self._paint()
        if stay_s:
            yield from self._hold(arm, stay_s)
        yield from self._reach(arm, 0.0, 1.0, None)

    def knock(self) -> Iterator[FilmFrame]:
        """Let the camera be bumped: it shakes, then hangs a little differently."""
        for _ in range(max(2, round(0.3 * self.fps))):
            shake = self._rng.normal(0, 0.012 * self._camera.size_px[0], 2)
            yield self._frame(None, None, pair(shake))
        old = self.settings.camera
        aim = np.array(old.aim) + self._rng.normal(0, 0.03, 2)
        camera = replace(
            old,
            azimuth_deg=old.azimuth_deg + float(self._rng.normal(0, 2)),
            roll_deg=old.roll_deg + float(self._rng.normal(0, 1)),
            elevation_deg=min(90.0, old.elevation_deg + float(self._rng.normal(0, 1))),
            aim=pair(aim),
        )
        self.settings = replace(self.settings, camera=camera)
        moved = camera_for(self.settings, self._stage.extent_mm)
        # A knock does not change the lens.
        self._camera = replace(
            moved, matrix=self._camera.matrix, distortion=self._camera.distortion
        )
        self._paint()

    def switch_light(self) -> None:
        """Switch a lamp on or off: brighter or darker, of another tint, from another side."""
        light = self._light
        darker = bool(self._rng.random() < 0.5)
        self._light = replace(
            light,
            level=light.level * (DIMMED if darker else 1.25),
            kelvin=float(np.clip(light.kelvin + self._rng.normal(0, 900), 2700, 6500)),
            azimuth_deg=light.azimuth_deg + 90,
        )
        self._paint()

    def turn_light(self, *, up: bool) -> None:
        """Turn the lamp up, or dim it by as much."""
        level = self._light.level
        self._light = replace(self._light, level=level / DIMMED if up else level * DIMMED)
        self._paint()

    def darkness(self, seconds: float) -> Iterator[FilmFrame]:
        """Switch all light off for a while."""
        for _ in range(max(1, round(seconds * self.fps))):
            yield self._shown(*self._still.frame(None, None, self._rng, gain=OFF))

    def hunting(self, seconds: float) -> Iterator[FilmFrame]:
        """Let the camera hunt for its exposure."""
        for step in range(max(1, round(seconds * self.fps))):
            gain = 1 + HUNTING * float(np.sin(step * 1.1))
            yield self._shown(*self._still.frame(None, None, self._rng, gain=gain))

    def sun(self, seconds: float) -> Iterator[FilmFrame]:
        """Let the edge of a sunbeam wander over the table, and stay where it ends."""
        steps = max(2, round(seconds * SUN_STEPS_A_SECOND))
        frames = max(1, round(self.fps / SUN_STEPS_A_SECOND))
        strength = float(self._rng.uniform(0.25, 0.5))
        angle = float(self._rng.uniform(0, 360))
        for step in range(steps):
            self._still.shine_on(angle, (step + 1) / steps, strength)
            for _ in range(frames):
                yield self._frame(None, None)

    def lean(self, seconds: float) -> Iterator[FilmFrame]:
        """Let a person lean in: an arm rests on the table for a while."""
        arm = self._arm(int(self._rng.integers(4)), self._middle())
        yield from self._reach(arm, 1.0, 0.35, None)
        resting = self._along(arm, 0.35)
        poses = [self._still.with_arm(self._trembling(resting), None) for _ in range(LEANS)]
        for _ in range(max(1, round(seconds * self.fps))):
            light, hand = poses[int(self._rng.integers(len(poses)))]
            yield self._shown(self._still.sensor.frame(light, self._rng), hand)
        yield from self._reach(arm, 0.35, 1.0, None)

    # --- hands -----------------------------------------------------------------------------

    def _arm(self, player: int, target: tuple[float, float]) -> Arm:
        seats = max(2, len(self._players))
        angle = self._seat + 360.0 * player / seats + float(self._rng.normal(0, 12))
        look = int(rng_of("looks", self.settings.seed, player).integers(1 << 30))
        arm = Arm(*target, angle, float(self._rng.uniform(14, 30)), look)
        while arm.length_mm < LONGEST_ARM_MM and self._ends_in_view(arm):
            arm = replace(arm, length_mm=arm.length_mm + ARM_STEP_MM)
        return arm

    def _ends_in_view(self, arm: Arm) -> bool:
        """Say whether the cut-off far end of an arm would be in view."""
        tips, right, back = arm_item(arm).axes()
        far = [tips + arm.length_mm * back + side * WIDTH_MM / 2 * right for side in (-1, 0, 1)]
        seen = self._camera.project(np.array(far))
        return bool(((seen >= 0) & (seen < self._camera.size_px)).all(axis=1).any())

    def _along(self, arm: Arm, away: float) -> Arm:
        """Return the arm drawn back by a share of its whole way, and raised a little."""
        turn = np.radians(arm.angle_deg)
        back = (arm.length_mm + DRAWN_BACK_MM) * away
        return replace(
            arm,
            x_mm=arm.x_mm - float(np.sin(turn)) * back,
            y_mm=arm.y_mm + float(np.cos(turn)) * back,
            height_mm=arm.height_mm + 40 * away,
        )

    def _trembling(self, arm: Arm) -> Arm:
        away = self._rng.normal(0, 1.2, 2)
        return replace(arm, x_mm=arm.x_mm + float(away[0]), y_mm=arm.y_mm + float(away[1]))

    def _reach(self, arm: Arm, start: float, stop: float, held: Item | None) -> Iterator[FilmFrame]:
        steps = max(2, round(REACH_S * float(self._rng.uniform(0.8, 1.4)) * self.fps))
        for step in range(steps):
            share = (step + 0.5) / steps
            eased = share * share * (3 - 2 * share)
            yield self._frame(self._along(arm, start + (stop - start) * eased), held)

    def _hold(self, arm: Arm, seconds: float) -> Iterator[FilmFrame]:
        for _ in range(max(1, round(seconds * self.fps))):
            yield self._frame(self._trembling(arm), None)

    def _place_of(self, after: Layout) -> tuple[float, float]:
        changed = [*_minus(after, self.layout), *_minus(self.layout, after)]
        if not changed:
            return self._middle()
        item = self._stage.item(changed[0])
        face = self._still.top.faces[item.face]
        return pair(item.outline_mm(face)[:, :2].mean(axis=0))

    def _held(self, after: Layout) -> Item | None:
        new = _minus(after, self.layout)
        return self._stage.item(new[0]) if new else None

    def _middle(self) -> tuple[float, float]:
        low, high = self._stage.extent_mm.min(axis=0), self._stage.extent_mm.max(axis=0)
        return pair((low + high) / 2)

    # --- pictures --------------------------------------------------------------------------

    def _top(self) -> TableTop:
        top = self._stage.top(self.layout)
        return replace(top, lathes=(*top.lathes, *self._extra))

    @property
    def _still(self) -> Still:
        """The painted picture of the current table; painted on first access."""
        return self._painted or self._paint()

    def _paint(self) -> Still:
        settings = replace(self.settings, light=self._light)
        self._painted = Still(settings, self._top(), self._camera, self._painted)
        return self._painted

    def _frame(
        self, arm: Arm | None, held: Item | None, shake_px: tuple[float, float] | None = None
    ) -> FilmFrame:
        return self._shown(*self._still.frame(arm, held, self._rng, shake_px))

    def _shown(self, bgr: Array, hand: bool) -> FilmFrame:
        frame = FilmFrame(self._number / self.fps, bgr, hand)
        self._number += 1
        if hand:
            self.hand_left_s = self.now_s
        return frame


def _minus(one: Layout, other: Layout) -> list[Any]:
    gone = set(other.placements())
    return [thing for thing in one.placements() if thing not in gone]


def film_settings(
    seed: int, split: Split, game: str, size_px: tuple[int, int] = (1280, 720)
) -> SceneSettings:
    """Return a seed's settings for a filmed game: no idle hands, no spread stocks, enough light."""
    settings = draw_settings(seed, split, game, size_px)
    camera = replace(settings.camera, fill=min(settings.camera.fill, 0.9))
    clutter = replace(settings.clutter, hands=0, stock_spread=False)
    light = replace(settings.light, level=max(settings.light.level, 0.5))
    return replace(settings, camera=camera, clutter=clutter, light=light)
