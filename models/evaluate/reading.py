"""Reads held-out tiles at their true outlines, a little off: ``python -m models.evaluate.reading``.

This is the reader's own share of the mistakes: nothing to find, no rules to help. Each table's
tiles are kept, and the next run goes on from there.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import cv2

from engine.setfile import built_in_set
from models.evaluate.figures import RESULTS, Figure, Subject, save_subject
from models.evaluate.intervals import told
from models.evaluate.kept import every_row
from models.scenes.scene import make_scene
from models.scenes.settings import SQUARE_GAMES
from models.scenes.splits import rng_of
from models.training.drills import crops_of
from vision.classify.reader import load_reader
from vision.core.confidences import TOLD
from vision.core.files import TRAINED
from vision.core.looks import period_of

SMALLEST_PX = 24.0
SURELY = 0.99
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


def read_scene(seed: int, game: str, folder: Path) -> list[ReadTile]:
    """Return all well seen tiles of one held-out table, layout and aside, as they were read."""
    cv2.setNumThreads(1)
    tile_set = built_in_set(game)
    reader = load_reader(tile_set, folder)
    scene = make_scene(seed, "held-out", game)
    entries = [*scene.truth["tiles"], *scene.truth["aside"]]
    crops = crops_of(scene.bgr, entries, tile_set, rng_of("reading", game, seed), seed)
    out = []
    for look, reading, across in zip(
        crops.looks, reader.read(crops.patches), crops.across_px, strict=True
    ):
        turns = look.turns % period_of(tile_set, look.tile)
        best = reading.guesses[0] if reading.guesses else None
        said = f"{best.tile}#{best.cell}@{best.turns}" if best else "nothing"
        sure = best.confidence if best else 0.0
        out.append(ReadTile(f"{look.tile}#{look.cell}@{turns}", said, sure, float(across), seed))
    return out


def report(tiles: Sequence[ReadTile]) -> str:
    """Return how far confidence can be trusted, and what was wrong."""
    large = [tile for tile in tiles if tile.across_px >= SMALLEST_PX]
    wrong = [tile for tile in large if not tile.right]
    lines = []
    for low, high in pairwise(BINS):
        inside = [t.right for t in large if low <= t.confidence < high]
        if inside:
            share = told(sum(inside), len(inside), 100)
            lines.append(f"  confidence {low:.3f} to {min(high, 1):.3f}: right {share}")
    for tile in wrong[:20]:
        lines.append(
            f"    table {tile.seed}: {tile.truth} read as {tile.said} "
            f"({tile.confidence:.3f}, {tile.across_px:.0f} px)"
        )
    return "\n".join(lines)


def evaluate(game: str, tables: int, asked: argparse.Namespace) -> list[ReadTile]:
    """Return all tiles of so many tables, reading those tables that no row is kept for."""
    seeds = range(tables)
    path = asked.out / "reading" / f"{game}.jsonl" if asked.trained == TRAINED else None
    work = partial(_row, game=game, folder=asked.trained)
    rows = every_row(path, "seed", seeds, work, asked.workers)
    return [ReadTile(**tile) for row in rows for tile in row["tiles"]]


def _row(seed: int, game: str, folder: Path) -> dict[str, Any]:
    return {"seed": seed, "tiles": [asdict(tile) for tile in read_scene(seed, game, folder)]}


def figures(tiles: Sequence[ReadTile]) -> tuple[Figure, ...]:
    """Return the figures of one box."""
    large = [tile for tile in tiles if tile.across_px >= SMALLEST_PX]
    small = [tile for tile in tiles if tile.across_px < SMALLEST_PX]
    surely = [tile for tile in large if tile.confidence >= SURELY]
    return (
        Figure("tiles wrong", sum(not t.right for t in large), len(large)),
        Figure("tiles unsure", sum(t.confidence < TOLD for t in large), len(large)),
        Figure("readings at 0.99 or surer right", sum(t.right for t in surely), len(surely), 100,
               least=99),
        Figure("smaller ones sure and wrong",
               sum(not t.right and t.confidence >= TOLD for t in small), len(small), 100),
    )  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Evaluate as the command line asks."""
    parser = argparse.ArgumentParser(prog="python -m models.evaluate.reading", description=__doc__)
    parser.add_argument("--set", action="append", choices=SQUARE_GAMES, dest="sets")
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--trained", type=Path, default=TRAINED, metavar="DIR")
    parser.add_argument("--out", type=Path, default=RESULTS, metavar="DIR")
    parser.add_argument("--workers", type=int, default=0, help="processes; one a core if missing")
    asked = parser.parse_args(arguments)
    for game in asked.sets or SQUARE_GAMES:
        tiles = evaluate(game, asked.tables, asked)
        subject = Subject("reading", game, figures(tiles))
        if asked.trained == TRAINED:
            save_subject(subject, asked.out)
        sys.stdout.write(f"{subject.text()}\n{report(tiles)}\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
