"""Reads held-out tiles at their true outlines, a little off: ``python -m models.evaluate.reading``.

This is the reader's own share of the mistakes: nothing to find, no rules to help. Each table's
tiles are kept, and the next run goes on from there.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from engine.setfile import built_in_set
from models.evaluate.harness import Figure, Subject, confidence_lines, every_row, parser_of, tell
from models.evaluate.score import SMALLEST_PX
from models.evaluate.tables import SURELY
from models.scenes.scene import make_scene
from models.scenes.settings import SQUARE_GAMES
from models.scenes.splits import rng_of
from models.scenes.world.arrays import Json
from models.training.drills import crops_of
from vision.classify.reader import load_reader
from vision.core.files import TRAINED
from vision.core.types import TOLD, period_of

BINS = (0.0, 0.5, 0.8, 0.9, 0.99, 0.999, 1.01)


@dataclass(frozen=True)
class ReadTile:
    """One tile that was read."""

    truth: str
    said: str
    confidence: float
    across_px: float
    seed: int

    @property
    def right(self) -> bool:
        """Whether tile, cell and turns are all right."""
        return self.truth == self.said

    def line(self) -> str:
        """Return it in words."""
        return (f"    table {self.seed}: {self.truth} read as {self.said} "
                f"({self.confidence:.3f}, {self.across_px:.0f} px)")  # fmt: skip


def _row(seed: int, game: str, folder: Path) -> Json:
    """Return all well seen tiles of one held-out table, layout and aside, as they were read."""
    tile_set = built_in_set(game)
    scene = make_scene(seed, "held-out", game)
    entries = [*scene.truth["tiles"], *scene.truth["aside"]]
    crops = crops_of(scene.bgr, entries, tile_set, rng_of("reading", game, seed), seed)
    readings = load_reader(tile_set, folder).read(crops.patches)
    tiles = []
    for look, reading, across in zip(crops.looks, readings, crops.across_px, strict=True):
        truth = f"{look.tile}#{look.cell}@{look.turns % period_of(tile_set, look.tile)}"
        best = reading.guesses[0] if reading.guesses else None
        said = f"{best.tile}#{best.cell}@{best.turns}" if best else "nothing"
        sure = best.confidence if best else 0.0
        tiles.append(asdict(ReadTile(truth, said, sure, float(across), seed)))
    return {"seed": seed, "tiles": tiles}


def figures(large: Sequence[ReadTile], small: Sequence[ReadTile]) -> tuple[Figure, ...]:
    """Return the figures of one box."""
    surely = [tile for tile in large if tile.confidence >= SURELY]
    wrong = [tile for tile in small if not tile.right and tile.confidence >= TOLD]
    return (
        Figure("tiles wrong", sum(not t.right for t in large), len(large)),
        Figure("tiles unsure", sum(t.confidence < TOLD for t in large), len(large)),
        Figure("readings at 0.99 or surer right", sum(t.right for t in surely), len(surely), 100,
               least=99),
        Figure("smaller ones sure and wrong", len(wrong), len(small), 100),
    )  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Evaluate as the command line asks."""
    parser = parser_of("reading", __doc__)
    parser.add_argument("--set", action="append", choices=SQUARE_GAMES, dest="sets")
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--trained", type=Path, default=TRAINED, metavar="DIR")
    asked = parser.parse_args(arguments)
    kept = asked.out if asked.trained == TRAINED else None
    for game in asked.sets or SQUARE_GAMES:
        path = None if kept is None else kept / "reading" / f"{game}.jsonl"
        work = partial(_row, game=game, folder=asked.trained)
        rows = every_row(path, "seed", range(asked.tables), work, asked.workers)
        tiles = [ReadTile(**tile) for row in rows for tile in row["tiles"]]
        large = [tile for tile in tiles if tile.across_px >= SMALLEST_PX]
        small = [tile for tile in tiles if tile.across_px < SMALLEST_PX]
        wrong = [tile.line() for tile in large if not tile.right]
        said = confidence_lines([(tile.confidence, tile.right) for tile in large], BINS)
        tell(Subject("reading", game, figures(large, small)), kept, *said, *wrong[:20])
    return 0


if __name__ == "__main__":
    sys.exit(main())
