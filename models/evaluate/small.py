"""Reads held-out tables made small: ``python -m models.evaluate.small --tables 60``.

Tables are photographed as usual and then shrunk until their tiles, or the cells of hex boards, are
less than 24 pixels across. Such a picture must be called too small, and what is still read for
sure must be right.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from engine.setfile import built_in_set
from models.evaluate import hex_score, tables
from models.evaluate.detection import width_of
from models.evaluate.figures import RESULTS, Subject, pictures, save_subject
from models.evaluate.kept import every_row
from models.evaluate.score import score_table
from models.evaluate.small_figures import small_figures
from models.scenes.develop import packed, unpacked
from models.scenes.scene import make_scene
from models.scenes.settings import GAMES, HEX_GAMES
from models.scenes.splits import rng_of
from models.training.hex_samples import TrueBoard, hex_table
from vision import Picture, ReadRequest, read_table

Json = dict[str, Any]

FIRST_SEED = 50_000
"""Other tables than the usual ones."""
WIDTHS_PX = (12.0, 22.0)
"""How wide the narrowest tile or cell becomes; outlines are measured to within 5 %."""
JPEG_QUALITY = 90


@dataclass(frozen=True)
class ShrunkBoard:
    """A board in a picture that was made smaller."""

    whole: TrueBoard
    scale: float

    @property
    def hidden(self) -> Any:
        """By cell 1 where little of it is seen, 0 where most is, else -1."""
        return self.whole.hidden

    def px(self, plane: Any) -> Any:
        """Return the pixels of places on the board's plane, counted in cells."""
        return shrunk_px(self.whole.px(plane), self.scale)


@dataclass(frozen=True)
class ShrunkTable:
    """A table of a hex game in a picture that was made smaller."""

    bgr: Any
    boards: tuple[ShrunkBoard, ...]
    truth: Json


def shrunk_px(px: Any, scale: float) -> Any:
    """Return where points of a picture lie after it was made smaller."""
    return (np.asarray(px, float) + 0.5) * scale - 0.5


def shrunk(bgr: Any, scale: float) -> Any:
    """Return a smaller picture as a camera of that resolution would write it."""
    small = cv2.resize(bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return unpacked(packed(small, JPEG_QUALITY))


def _one(seed: int, game: str, worst: Path) -> Json:
    cv2.setNumThreads(1)
    wanted = float(rng_of("small", game, seed).uniform(*WIDTHS_PX))
    path = worst / f"{game}-{seed:06d}"
    tables.forget_worst(path)
    row = (_hexes if game in HEX_GAMES else _squares)(seed, game, wanted, path)
    return {"seed": seed, **row}


def _squares(seed: int, game: str, wanted: float, worst: Path) -> Json:
    tile_set = built_in_set(game)
    scene = make_scene(seed, "held-out", game)
    narrowest = min(
        width_of(np.array(tile["outline"])) / np.sqrt(len(tile_set[tile["tile"]].cells))
        for tile in scene.truth["tiles"]
    )
    scale = min(1.0, wanted / narrowest)
    truth = {**scene.truth, "tiles": [
        {**tile, "outline": shrunk_px(tile["outline"], scale).tolist()}
        for tile in scene.truth["tiles"]
    ]}  # fmt: skip
    bgr = shrunk(scene.bgr, scale)
    state = read_table(Picture(bgr, (bgr.shape[1], bgr.shape[0])), ReadRequest("square", tile_set))
    score = score_table(truth, state, tile_set)
    if score.sure_wrong or "small" not in {a.what for a in state.quality.advice}:
        tables.write_worst(worst, bgr, truth, state, score)
    return tables.row_of(truth, state, score)


def _hexes(seed: int, game: str, wanted: float, worst: Path) -> Json:
    whole = hex_table(seed, game, "held-out", None)
    scale = min(1.0, wanted / hex_score.smallest_cell_px(whole))
    boards = tuple(ShrunkBoard(board, scale) for board in whole.boards)
    table = ShrunkTable(shrunk(whole.bgr, scale), boards, whole.truth)
    height, width = table.bgr.shape[:2]
    picture = Picture(table.bgr, (width, height))
    state = read_table(picture, ReadRequest("hex", built_in_set(game)))
    row = hex_score.row_of(table, state, game)
    if row["sure_wrong"] or "small" not in row["advice"]:
        hex_score.write_worst(table, state, worst.with_suffix(".jpg"))
    return row


def evaluate(game: str, count: int, out: Path, workers: int) -> list[Json]:
    """Return the results of tables made small, reading those that no row is kept for."""
    seeds = range(FIRST_SEED, FIRST_SEED + count)
    work = partial(_one, game=game, worst=out / "worst")
    return every_row(out / f"{game}.jsonl", "seed", seeds, work, workers)


def main(arguments: Sequence[str] | None = None) -> int:
    """Evaluate as the command line asks."""
    parser = argparse.ArgumentParser(prog="python -m models.evaluate.small", description=__doc__)
    parser.add_argument("--game", action="append", choices=GAMES, dest="games")
    parser.add_argument("--tables", type=int, default=60)
    parser.add_argument("--out", type=Path, default=RESULTS, metavar="DIR")
    parser.add_argument("--workers", type=int, default=0, help="processes; one a core if missing")
    asked = parser.parse_args(arguments)
    for game in asked.games or GAMES:
        rows = evaluate(game, asked.tables, asked.out / "small", asked.workers)
        what = "cells" if game in HEX_GAMES else "tiles"
        worst = pictures(asked.out / "small" / "worst", f"{game}-", asked.out)
        subject = Subject("small", game, small_figures(rows, what), worst)
        save_subject(subject, asked.out)
        sys.stdout.write(subject.text() + "\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
