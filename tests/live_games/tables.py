"""The tables that games are played on in front of the referee: filmed, or drawn and scripted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Protocol

import numpy as np

from companion_app.live.loop import Reader
from companion_app.live.reading import make_reader
from engine.game import AnyGame
from engine.placement import Clay, Layout, Piece, Placement
from engine.tiles import TileSet
from models.lab.scenes.games.film import FilmedTable, FilmFrame, film_settings
from models.lab.scenes.games.positions import Played
from models.lab.scenes.settings import SceneSettings
from models.lab.scenes.splits import Split
from tests.live_games.scripted import Faults, Moment, ScriptedCamera, ScriptedReader, hand_visit
from vision.core.types import Frame

Thing = Placement | Piece | Clay
FRAMES_A_SECOND = 10.0
SIZES_PX = ((1280, 720), (1600, 900), (1920, 1080), (2240, 1260), (2560, 1440))
LEAST_TILE_PX = 25.5
"""The smallest camera is taken whose tiles are so wide; below 24 nothing is read."""
STEEP_DEG, WIDE = 58.0, 0.86
"""How steeply the camera looks down at least, and how much of its picture the game may take."""


class Table(Protocol):
    """A table with a camera over it; whatever happens yields the frames that show it."""

    reader: Reader

    @property
    def now_s(self) -> float:
        """The time of the next frame."""
        ...

    @property
    def hand_left_s(self) -> float:
        """When the table was first seen without the last hand."""
        ...

    @property
    def layout(self) -> Layout:
        """What lies there."""
        ...

    def quiet(self, seconds: float) -> Iterator[Frame]:
        """Let the table lie still."""
        ...

    def wait(self, seconds: float) -> None:
        """Let time go by without frames."""
        ...

    def visit(
        self, layouts: tuple[Layout, ...], player: int = 0, nudge: bool = False
    ) -> Iterator[Frame]:
        """Let a hand come in, lay the table as told, and leave."""
        ...

    def lean(self, seconds: float) -> Iterator[Frame]:
        """Let an arm rest on the table."""
        ...

    def knock(self) -> Iterator[Frame]:
        """Bump the camera."""
        ...

    def light(self, what: str) -> Iterator[Frame]:
        """Let the light do something: ``light dim bright dark sun hunting``."""
        ...

    def cup_on(self, thing: Thing) -> Iterator[Frame]:
        """Put a cup down on a tile."""
        ...

    def cup_off(self) -> Iterator[Frame]:
        """Take the cup away."""
        ...

    def clear_away(self) -> Iterator[Frame]:
        """Take away whatever has stood on the table from the beginning."""
        ...

    def is_hard(self, thing: Thing) -> bool:
        """Say whether a tile is known to be hard to read."""
        ...


class FilmTable:
    """A filmed table, read by the reader that ships."""

    def __init__(
        self,
        game: AnyGame,
        box: TileSet,
        one: Played,
        split: Split,
        seed: int,
        extra: tuple[Layout, ...] = (),
        sizes_px: tuple[tuple[int, int], ...] = SIZES_PX,
    ) -> None:
        for size_px in sizes_px:
            settings = _well_hung(film_settings(seed, split, game.facts.name, size_px))
            # The last one says what lies beside the table, so it must be the game's own.
            layouts = iter((*extra, *one.layouts))
            self._table = FilmedTable(
                settings, one.players, one.layouts[0], layouts, FRAMES_A_SECOND
            )
            if self._table.tile_px >= LEAST_TILE_PX:
                break
        self.reader: Reader = make_reader(game, box)

    @property
    def now_s(self) -> float:
        """The time of the next frame."""
        return self._table.now_s

    @property
    def hand_left_s(self) -> float:
        """When the table was first seen without the last hand."""
        return self._table.hand_left_s

    @property
    def layout(self) -> Layout:
        """What lies there."""
        return self._table.layout

    def quiet(self, seconds: float) -> Iterator[Frame]:
        """Let the table lie still."""
        return _frames(self._table.quiet(seconds))

    def wait(self, seconds: float) -> None:
        """Let time go by without frames."""
        self._table.wait(seconds)

    def visit(
        self, layouts: tuple[Layout, ...], player: int = 0, nudge: bool = False
    ) -> Iterator[Frame]:
        """Let a hand come in, lay the table as told, and leave."""
        return _frames(self._table.visit(layouts, player, nudge))

    def lean(self, seconds: float) -> Iterator[Frame]:
        """Let an arm rest on the table."""
        return _frames(self._table.lean(seconds))

    def knock(self) -> Iterator[Frame]:
        """Bump the camera."""
        return _frames(self._table.knock())

    def light(self, what: str) -> Iterator[Frame]:
        """Let the light do something."""
        if what == "light":
            self._table.switch_light()
            return iter(())
        if what in ("dim", "bright"):
            self._table.turn_light(up=what == "bright")
            return iter(())
        act = {"dark": self._table.darkness, "sun": self._table.sun}.get(what, self._table.hunting)
        return _frames(act({"dark": 1.5, "sun": 4.0}.get(what, 2.0)))

    def cup_on(self, thing: Thing) -> Iterator[Frame]:
        """Put a cup down on a tile."""
        return _frames(self._table.cup_put_down(thing))

    def cup_off(self) -> Iterator[Frame]:
        """Take the cup away."""
        return _frames(self._table.cup_taken_away())

    def clear_away(self) -> Iterator[Frame]:
        """Take away whatever has stood on the table from the beginning."""
        return _frames(self._table.cups_cleared_away())

    def is_hard(self, thing: Thing) -> bool:
        """Say that nothing is known about how hard a tile is to read."""
        del thing
        return False


def _well_hung(settings: SceneSettings) -> SceneSettings:
    """Return a table under a camera as people hang one up to have all of the game in view."""
    camera = settings.camera
    aim = tuple(float(np.clip(share, -0.04, 0.04)) for share in camera.aim)
    camera = replace(
        camera, fill=WIDE, elevation_deg=max(camera.elevation_deg, STEEP_DEG), aim=(aim[0], aim[1])
    )
    return replace(settings, camera=camera)


def _frames(shots: Iterator[FilmFrame]) -> Iterator[Frame]:
    for shot in shots:
        yield Frame(shot.bgr, shot.t)


class ScriptedTable:
    """A table of drawn squares, read from the truth with the faults of a reader."""

    def __init__(
        self, box: TileSet, layouts: tuple[Layout, ...], seed: int, faults: Faults | None = None
    ) -> None:
        self.camera = ScriptedCamera(box, layouts)
        self.scripted = ScriptedReader(self.camera, faults or Faults(), seed)
        self.reader: Reader = self.scripted
        self.moment = Moment(layouts[0])
        self.hand_left_s = 0.0
        self._rng = np.random.default_rng(seed)

    @property
    def now_s(self) -> float:
        """The time of the next frame."""
        return self.camera.now_s

    @property
    def layout(self) -> Layout:
        """What lies there."""
        return self.moment.layout

    def quiet(self, seconds: float) -> Iterator[Frame]:
        """Let the table lie still."""
        for _ in range(round(seconds * self.camera.frames_a_second)):
            yield self.camera.shoot(self.moment)

    def wait(self, seconds: float) -> None:
        """Let time go by without frames."""
        self.camera.wait(seconds)

    def visit(
        self, layouts: tuple[Layout, ...], player: int = 0, nudge: bool = False
    ) -> Iterator[Frame]:
        """Let a hand come in, lay the table as told, and leave."""
        del player, nudge
        before = self.moment.layout
        for layout in layouts:
            for moment in hand_visit(before, layout):
                yield self.camera.shoot(
                    replace(self.moment, layout=moment.layout, hand=moment.hand)
                )
            before = layout
        self.moment = replace(self.moment, layout=before)
        self.hand_left_s = self.now_s

    def lean(self, seconds: float) -> Iterator[Frame]:
        """Let an arm rest on the table."""
        for step in range(round(seconds * self.camera.frames_a_second)):
            yield self.camera.shoot(replace(self.moment, hand=(0.5 + 0.01 * (step % 2), 0.6)))

    def knock(self) -> Iterator[Frame]:
        """Bump the camera."""
        for _ in range(3):
            yield self.camera.shoot(replace(self.moment, shift_px=self._shift(6)))
        self.moment = replace(self.moment, shift_px=self._shift(14))

    def light(self, what: str) -> Iterator[Frame]:
        """Let the light do something."""
        if what == "dark":
            for _ in range(15):
                yield self.camera.shoot(replace(self.moment, spoilt="black"))
        elif what == "light":
            bright = 1.0 if self.moment.light != 1.0 else float(self._rng.uniform(0.45, 1.5))
            self.moment = replace(self.moment, light=bright)
        else:
            for step in range(20):
                gain = 1 + 0.25 * float(np.sin(step * 1.1))
                yield self.camera.shoot(replace(self.moment, light=self.moment.light * gain))

    def cup_on(self, thing: Thing) -> Iterator[Frame]:
        """Put a cup down on a tile."""
        yield from self.visit((self.layout,))
        self.moment = replace(self.moment, covered=frozenset({thing}))

    def cup_off(self) -> Iterator[Frame]:
        """Take the cup away."""
        yield from self.visit((self.layout,))
        self.moment = replace(self.moment, covered=frozenset())

    def clear_away(self) -> Iterator[Frame]:
        """Let a hand come and go: nothing else is ever drawn here."""
        return self.visit((self.layout,))

    def is_hard(self, thing: Thing) -> bool:
        """Say whether a tile stays unsure for ever."""
        return not isinstance(thing, Clay) and self.scripted.is_hard(thing)

    def _shift(self, most: float) -> tuple[float, float]:
        x, y = self._rng.uniform(-most, most, 2)
        return float(x), float(y)
