"""Photographs of a game that is played with some box, on a table on which nothing else lies."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from engine.placement import Layout
from models.lab.scenes.games.film import film_settings
from models.lab.scenes.games.positions import Played, played
from models.lab.scenes.games.stage import Stage
from models.lab.scenes.scene import camera_for, painted, photographed
from models.lab.scenes.settings import NO_CLUTTER, CameraSettings, CardSettings, SceneSettings
from models.lab.scenes.world.faces import Box

STILL_FRAMES = 9
"""Pictures of each moment, at ten per second."""


@dataclass(frozen=True)
class Setting:
    """A game on a table, and the camera that hangs above it."""

    game: str
    seed: int
    size_px: tuple[int, int]
    steep_deg: tuple[float, float]
    """Least and greatest elevation of the camera."""
    upright: bool = False
    """Whether the camera has no roll."""
    thick_mm: float | None = None
    edge: tuple[int, int, int] | None = None
    """Colour of the tiles' edges; it and the thickness are as drawn if either is missing."""

    def table(self) -> SceneSettings:
        """Return the settings of a table with nothing but the game on it."""
        settings = film_settings(self.seed, "held-out", self.game, self.size_px)
        light = replace(settings.light, level=1.0, glare=0.0)
        camera = self._camera(settings.camera)
        return replace(settings, camera=camera, clutter=NO_CLUTTER, light=light)

    def _camera(self, drawn: CameraSettings) -> CameraSettings:
        least, most = self.steep_deg
        steep = min(max(drawn.elevation_deg, least), most)
        roll = 0.0 if self.upright else drawn.roll_deg
        return replace(drawn, elevation_deg=steep, roll_deg=roll, fill=0.8, aim=(0.0, 0.0))

    def cards(self, drawn: CardSettings, box: Box) -> CardSettings:
        """Return the box's tiles as they lie on that table."""
        own = replace(drawn, size_mm=box.tile_set.pitch_mm)
        if self.thick_mm is None or self.edge is None:
            return own
        return replace(own, thickness_mm=self.thick_mm, wear=0.0, side=self.edge)


def photographs(
    setting: Setting, layouts: Sequence[Layout], players: tuple[str, ...], box: Box | None
) -> Iterator[bytes]:
    """Yield one photograph of each layout, all on the same table."""
    settings = setting.table()
    if box is not None:
        settings = replace(settings, cards=setting.cards(settings.cards, box))
    stage = Stage(settings, players, layouts, box)
    camera = camera_for(settings, stage.extent_mm)
    for layout in layouts:
        yield photographed(settings, painted(settings, stage.top(layout), camera))


def keep_lessons(
    folder: Path, shots: Iterable[tuple[bytes, list[Any]]], words: Mapping[str, Any]
) -> dict[str, Any]:
    """Write photographs, their ``labels.json`` and the owner's names as ``map.json``.

    Returns the labels.
    """
    folder.mkdir(parents=True, exist_ok=True)
    photos = {}
    for number, (jpeg, labels) in enumerate(shots):
        (folder / f"{number}.jpg").write_bytes(jpeg)
        photos[f"{number}.jpg"] = labels
    (folder / "labels.json").write_text(json.dumps({"photos": photos}), encoding="utf-8")
    (folder / "map.json").write_text(json.dumps(words), encoding="utf-8")
    return {"photos": photos}


def photograph_game(
    folder: Path, setting: Setting, box: Box | None, moves: int | None = None
) -> Played:
    """Photograph a game move by move into a folder; ``None`` is the built-in box."""
    folder.mkdir(parents=True, exist_ok=True)
    one = played(setting.game, "held-out", "greedy", setting.seed)
    layouts = one.layouts[: None if moves is None else moves + 1]
    for number, jpeg in enumerate(photographs(setting, layouts, one.players, box)):
        for still in range(STILL_FRAMES):
            (folder / f"{number:03d}-{still:02d}.jpg").write_bytes(jpeg)
    return one
