"""A whole game as a camera films it: frames at a chosen rate, with the truth beside them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from models.scenes.film import FilmedTable, FilmFrame
from models.scenes.scene import lamp_for
from models.scenes.script import DISTURBANCES, Script, Visit, write_script
from models.scenes.settings import SceneSettings, draw_settings
from models.scenes.splits import Split

Json = dict[str, Any]

LEAN_S = 4.0
CUP_S = 3.0


class Film(FilmedTable):
    """A filmed game. ``frames`` can be walked once; ``events`` is complete after that."""

    def __init__(self, settings: SceneSettings, script: Script, fps: float) -> None:
        super().__init__(settings, script.players, script.opening, script.layouts(), fps)
        self.script = script
        self.events: list[Json] = []

    def frames(self) -> Iterator[FilmFrame]:
        """Yield every frame from the first still one to the last."""
        yield from self.quiet(1.0)
        for visit in self.script.visits:
            yield from self.quiet(visit.pause_s)
            yield from self._played(visit)
        yield from self.quiet(1.5)

    def _played(self, visit: Visit) -> Iterator[FilmFrame]:
        if visit.what == "knock":
            yield from self.knock()
        elif visit.what == "light":
            self.switch_light()
        elif visit.what == "lean":
            yield from self.lean(LEAN_S)
        elif visit.what == "cup":
            yield from self.cup_put_down()
            self._note(visit.event)
            yield from self.quiet(CUP_S)
            yield from self.cup_taken_away()
            self._note({"event": "cup-gone"})
            return
        elif visit.what != "told":
            yield from self.visit(visit.layouts, visit.player, visit.nudge)
        self._note(visit.event)

    def _note(self, event: Json) -> None:
        """Write down what has happened; the time is that of the first frame after it."""
        self.events.append({"t": round(self.now_s, 3), **event})


def film_settings(
    seed: int, split: Split, game: str, size_px: tuple[int, int] = (1280, 720)
) -> SceneSettings:
    """Return the table of a seed as a game can be played on: nothing else in the way of hands."""
    settings = draw_settings(seed, split, game, size_px)
    camera = replace(settings.camera, fill=min(settings.camera.fill, 0.9))
    clutter = replace(settings.clutter, hands=0, stock_spread=False)
    light = replace(settings.light, level=max(settings.light.level, 0.5))
    return replace(settings, camera=camera, clutter=clutter, light=light)


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
    settings = film_settings(seed, split, game, size_px)
    script = write_script(game, split, seed, pace_s, most_moves, disturbances)
    return Film(settings, script, fps)


__all__ = ["Film", "FilmFrame", "film", "film_settings", "lamp_for"]
