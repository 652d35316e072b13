"""Reads held-out tables with spots of light on tiles: ``python -m models.evaluate.spots --game G``.

Every third tile of a table has a spot of light of any size over any part of its face. Such a tile
may be unsure; it must not be sure and wrong. A run can be broken off and taken up.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from engine.setfile import built_in_set
from models.evaluate.figures import Figure
from models.evaluate.held_out import Part, run
from models.evaluate.kept import every_row
from models.evaluate.score import score_table
from models.evaluate.tables import confidence_lines, forget_worst, write_worst
from models.scenes.scene import make_scene
from models.scenes.settings import SQUARE_GAMES
from models.scenes.splits import Split, rng_of
from models.scenes.spots import spotted_tile
from vision import ReadRequest, read_table

Json = dict[str, Any]

ONE_IN = 3
"""So many tiles have one with a spot among them."""


def evaluate(game: str, seeds: range, split: Split, out: Path, workers: int) -> list[Json]:
    """Return the results of tables, reading those that no row is kept for."""
    work = partial(_one, game=game, split=split, folder=out)
    return every_row(out / f"{game}-{split}.jsonl", "seed", seeds, work, workers)


def _one(seed: int, game: str, split: Split, folder: Path) -> Json:
    cv2.setNumThreads(1)
    tile_set = built_in_set(game)
    scene = make_scene(seed, split, game)
    bgr = np.asarray(scene.bgr, np.uint8)
    rng = rng_of("spots", game, split, seed)
    tiles = [tile for tile in scene.truth["tiles"] if rng.random() < 1 / ONE_IN]
    for tile in tiles:
        bgr = spotted_tile(bgr, np.array(tile["outline"]), rng)
    state = read_table(bgr, ReadRequest("square", tile_set))
    score = score_table(scene.truth, state, tile_set)
    worst = folder / "worst" / f"{game}-{split}-{seed:06d}"
    forget_worst(worst)
    if score.sure_wrong:
        write_worst(worst, bgr, scene.truth, state, score)
    return {
        "seed": seed, "spots": len(tiles), "sure_wrong": score.sure_wrong, "good": score.good,
        "small": score.small, "tiles": score.tiles, "unsure": score.unsure, "sure": score.sure,
        "missed": score.missed, "confidences": score.confidences, "mistakes": score.mistakes,
    }  # fmt: skip


def figures(rows: Sequence[Json]) -> tuple[Figure, ...]:
    """Return the figures of one game's tables with spots of light."""
    spots, tiles = (sum(row[key] for row in rows) for key in ("spots", "tiles"))
    wrong, unsure, missed = (
        sum(row[key] for row in rows) for key in ("sure_wrong", "unsure", "missed")
    )
    return (
        Figure("tiles sure and wrong, of spots of light", wrong, spots, most=1),
        Figure("tiles unsure, of all", unsure, tiles),
        Figure("tiles missed, of all", missed, tiles),
    )


def report(rows: Sequence[Json]) -> str:
    """Return how far confidence can be trusted."""
    said = [pair for row in rows for pair in row["confidences"]]
    return "\n".join(confidence_lines(said))


def main(arguments: Sequence[str] | None = None) -> int:
    """Evaluate as the command line asks."""
    part = Part("spots", SQUARE_GAMES, evaluate, figures, report)
    return run(part, "spots", str(__doc__), arguments)


if __name__ == "__main__":
    sys.exit(main())
