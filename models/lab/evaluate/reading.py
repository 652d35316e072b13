"""Reads held-out tiles at their outlines, a little off: ``python -m models.lab.evaluate.reading``.

This is the reader's own share of the mistakes: nothing to find, no rules to help.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial

from engine.setfile import built_in_set
from models.lab.evaluate.harness import Figure, confidence_lines, counted, parser_of
from models.lab.evaluate.score import SMALLEST_PX
from models.lab.evaluate.tables import SURELY
from models.lab.scenes.scene import make_scene
from models.lab.scenes.settings import SQUARE_GAMES
from models.lab.scenes.splits import rng_of
from models.lab.scenes.world.arrays import Json
from models.lab.training.drills import crops_of
from vision.classify.reader import load_reader
from vision.core.types import TOLD, period_of

BINS = (0.0, 0.5, 0.8, 0.9, 0.99, 0.999, 1.01)
MOST_LISTED = 20


def _row(seed: int, game: str) -> Json:
    """Return the readings of all well seen tiles of one held-out table, layout and aside."""
    tile_set = built_in_set(game)
    scene = make_scene(seed, "held-out", game)
    entries = [*scene.truth["tiles"], *scene.truth["aside"]]
    crops = crops_of(scene.bgr, entries, tile_set, rng_of("reading", game, seed), seed)
    readings = load_reader(tile_set).read(crops.patches)
    tiles = []
    for look, reading, across in zip(crops.looks, readings, crops.across_px, strict=True):
        truth = f"{look.tile}#{look.cell}@{look.turns % period_of(tile_set, look.tile)}"
        best = reading.guesses[0] if reading.guesses else None
        said = f"{best.tile}#{best.cell}@{best.turns}" if best else "nothing"
        tiles.append(
            {
                "truth": truth,
                "said": said,
                "right": truth == said,
                "confidence": best.confidence if best else 0.0,
                "across_px": float(across),
                "seed": seed,
            }
        )
    return {"seed": seed, "tiles": tiles}


def _large(rows: Sequence[Json]) -> list[Json]:
    return [t for row in rows for t in row["tiles"] if t["across_px"] >= SMALLEST_PX]


def figures(rows: Sequence[Json]) -> tuple[Figure, ...]:
    """Return the figures of one box."""
    large = _large(rows)
    small = [t for row in rows for t in row["tiles"] if t["across_px"] < SMALLEST_PX]
    surely = [tile for tile in large if tile["confidence"] >= SURELY]
    wrong = [tile for tile in small if not tile["right"] and tile["confidence"] >= TOLD]
    return (
        Figure("tiles wrong", sum(not t["right"] for t in large), len(large)),
        Figure("tiles unsure", sum(t["confidence"] < TOLD for t in large), len(large)),
        Figure(
            "readings at 0.99 or surer right",
            sum(t["right"] for t in surely),
            len(surely),
            100,
            least=99,
        ),
        Figure("smaller ones sure and wrong", len(wrong), len(small), 100),
    )


def report(rows: Sequence[Json]) -> list[str]:
    """Return how far confidences can be trusted, and the first tiles that are wrong."""
    large = _large(rows)
    wrong = [
        f"    table {t['seed']}: {t['truth']} read as {t['said']} "
        f"({t['confidence']:.3f}, {t['across_px']:.0f} px)"
        for t in large
        if not t["right"]
    ]
    said = confidence_lines([(tile["confidence"], tile["right"]) for tile in large], BINS)
    return [*said, *wrong[:MOST_LISTED]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Evaluate as the command line asks."""
    parser = parser_of("reading", __doc__, SQUARE_GAMES)
    parser.add_argument("--tables", type=int, default=200)
    asked = parser.parse_args(arguments)
    for game in asked.games or SQUARE_GAMES:
        work = partial(_row, game=game)
        counted(asked, "reading", game, range(asked.tables), work, figures, report)
    return 0


if __name__ == "__main__":
    sys.exit(main())
