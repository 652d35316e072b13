"""Reads held-out tables with spots of light on tiles: ``python -m models.evaluate.spots --game G``.

Every third tile of a table has a spot of light of any size over any part of its face. Such a tile
may be unsure; it must not be sure and wrong.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from models.evaluate.harness import Figure, confidence_lines
from models.evaluate.score import Shown
from models.evaluate.tables import Part, drawn, run
from models.scenes.settings import SQUARE_GAMES
from models.scenes.splits import Split, rng_of
from models.scenes.world.arrays import Json
from models.scenes.world.spots import spotted_tile

ONE_IN = 3
"""So many tiles have one with a spot among them."""


def spotted(seed: int, game: str, split: Split, beside: str) -> Shown:
    """Return a drawn table with spots on its tiles."""
    shown = drawn(seed, game, split, beside)
    rng = rng_of("spots", game, split, seed)
    bgr, tiles = shown.bgr, shown.truth["tiles"]
    chosen = [tile for tile in tiles if rng.random() < 1 / ONE_IN]
    for tile in chosen:
        bgr = spotted_tile(bgr, np.array(tile["outline"]), rng)
    return replace(shown, bgr=bgr, counted={"spots": len(chosen)})


def figures(rows: Sequence[Json]) -> tuple[Figure, ...]:
    """Return the figures of one game's tables with spots of light."""
    keys = ("sure_wrong", "spots", "unsure", "missed", "tiles")
    wrong, spots, unsure, missed, tiles = (sum(row[key] for row in rows) for key in keys)
    return (
        Figure("tiles sure and wrong, of spots of light", wrong, spots, most=1),
        Figure("tiles unsure, of all", unsure, tiles),
        Figure("tiles missed, of all", missed, tiles),
    )


def report(rows: Sequence[Json]) -> str:
    """Return how far confidence can be trusted."""
    return "\n".join(confidence_lines([pair for row in rows for pair in row["confidences"]]))


SPOTS = Part("spots", SQUARE_GAMES, spotted, figures, report, lambda row: bool(row["sure_wrong"]))


def main(arguments: Sequence[str] | None = None) -> int:
    """Evaluate as the command line asks."""
    return run(SPOTS, "spots", __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
