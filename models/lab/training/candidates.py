"""Fits the score of outlines that may be cards: ``python -m models.lab.training.candidates``.

Tables of the train side are drawn and read as in play, most of them with stocks, hands and other
fields close by, and scenes without our tiles too. Each outline that is not both surely found and
clearly read is compared with the truth. The score is gradient boosting over a few numbers of it,
kept as plain numbers with a manifest.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np

from engine.setfile import built_in_set
from engine.tiles import TileSet
from models.lab.evaluate.cases import request_of
from models.lab.evaluate.score import LEAST_VISIBLE
from models.lab.scenes.scene import scene_from
from models.lab.scenes.settings import SQUARE_GAMES
from models.lab.scenes.splits import rng_of
from models.lab.scenes.world.arrays import Json
from models.lab.training.drills import entry_cells
from models.lab.training.fields import ASIDE, Known, Samples, fit, samples, settings_of, write_score
from models.lab.training.harness import made, parser_of, tell
from models.lab.training.strangers import scene_picture
from vision import Bgr, Picture, read_table
from vision.classify.reading import CellReading
from vision.core.ground import Ground
from vision.core.stages import watched_by
from vision.core.types import Detection, width_of
from vision.layout.candidates import NUMBERS, card_numbers, doubtful

SAME, SIZE = 0.3, 0.3
"""Largest distance between the middles of an outline and its card, in widths, and the largest
difference of their widths, as a natural logarithm."""
FIRST_SEED = 500_000
"""First seed of the tables, which are other ones than the readers learn from."""


class _EnoughError(Exception):
    """The rest of a table need not be read."""


class _Watcher:
    """Keeps the outlines and readings of a table, before any of them is left out."""

    found: Sequence[Detection] = ()
    readings: Sequence[CellReading] = ()

    def leaves_out(self, stage: str) -> bool:
        """Leave out the stage whose score is fitted here."""
        return stage == "cards-only"

    def saw(self, stage: str, made: Any, given: object) -> None:
        """Keep what the stage is given, and end the reading: later stages need these scores."""
        del given
        if stage == "cards-only":
            self.found, self.readings = made[0].found, made[1]
            raise _EnoughError


def outlines_of(game: str, seed: int) -> tuple[Known, bool]:
    """Return the outlines of one table, and whether its surroundings are close.

    The answer of an outline is whether it is a card. Cards that are hardly seen are left out.
    """
    settings = settings_of(game, seed, "train", rng_of("joints", "train", game, seed))
    scene = scene_from(settings)
    bgr = np.asarray(scene.bgr, np.uint8)
    seen = _read(bgr, game)
    there = _cards_there(scene.truth, seen.found, built_in_set(game))
    return _outlines(bgr, seen, there), settings.beside == "close"


def strange_outlines(game: str, seed: int) -> Known:
    """Return the outlines of a scene without our tiles; none of them is a card."""
    bgr = scene_picture(seed, rng_of("strange outlines", seed))
    seen = _read(bgr, game)
    return _outlines(bgr, seen, [False] * len(seen.found))


def _read(bgr: Bgr, game: str) -> _Watcher:
    """Return what is seen while a picture is read."""
    watcher = _Watcher()
    with suppress(_EnoughError), watched_by(watcher):
        read_table(Picture(bgr, (bgr.shape[1], bgr.shape[0])), request_of(game))
    return watcher


def _outlines(bgr: Bgr, seen: _Watcher, there: Sequence[bool | None]) -> Known:
    """Return the features of the outlines that the score is asked about, and which are cards."""
    asked = [n for n in doubtful(seen.found, seen.readings) if there[n] is not None]
    if not asked:
        return [], []
    ground = Ground(bgr, [one.corners_px for one in seen.found])
    rows = card_numbers(seen.found, seen.readings, ground, asked)
    return rows.tolist(), [bool(there[n]) for n in asked]


def _cards_there(truth: Json, found: Sequence[Detection], tile_set: TileSet) -> list[bool | None]:
    """Return for each outline whether it is a card; ``None`` if the card is hardly seen."""
    cells = [
        (cell, entry["visible"])
        for entry in (*truth["tiles"], *truth[ASIDE])
        for cell in entry_cells(entry, tile_set)
    ]
    there: list[bool | None] = [False] * len(found)
    if not cells:
        return there
    middles = np.array([cell.mean(axis=0) for cell, _ in cells])
    widths = np.array([width_of(cell) for cell, _ in cells])
    for number, one in enumerate(found):
        away = np.linalg.norm(middles - one.centre_px, axis=1) / widths
        nearest = int(away.argmin())
        size = abs(np.log(max(one.across_px, 1e-9) / widths[nearest]))
        if away[nearest] < SAME and size < SIZE:
            there[number] = True if cells[nearest][1] >= LEAST_VISIBLE else None
    return there


def draw(game: str, tables: int, scenes: int, workers: int) -> tuple[list[Known], list[bool]]:
    """Return the outlines of many tables and scenes of a game, and which surroundings are close."""
    seeds = range(FIRST_SEED, FIRST_SEED + tables)
    parts = made(game, partial(outlines_of, game), seeds, workers)
    strange = made(f"{game}: scenes", partial(strange_outlines, game), range(scenes), workers)
    return [*(known for known, _ in parts), *strange], [*(c for _, c in parts), *[False] * scenes]


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw, fit and write as the command line asks."""
    parser = parser_of("candidates", __doc__)
    parser.add_argument("--tables", type=int, default=2000, help="tables of each game")
    parser.add_argument("--scenes", type=int, default=500, help="scenes without our tiles, a game")
    asked = parser.parse_args(arguments)
    every = Samples.joined(
        [samples(*draw(game, asked.tables, asked.scenes, asked.workers)) for game in SQUARE_GAMES]
    )
    score, figures = fit(every, [0] * len(NUMBERS))
    counts = {"tables": asked.tables * len(SQUARE_GAMES), "scenes": asked.scenes}
    write_score("cards", score, NUMBERS, {**counts, **figures}, asked.out)
    tell("cards", figures, asked.out, ["cards.npz"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
