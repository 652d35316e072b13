"""Reads held-out tables made small: ``python -m models.evaluate.small --tables 60``.

Tables are photographed as usual and then shrunk until their tiles, or the cells of hex boards, are
less than 24 pixels across. Such a picture must be called too small, and what is still read for
sure must be right.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from engine.lattice import Cell
from engine.setfile import built_in_set
from models.evaluate.detection import width_of
from models.evaluate.score import Board, Shown, smallest_cell_px
from models.evaluate.tables import Part, drawn, run, small_figures
from models.scenes.camera.develop import packed, unpacked
from models.scenes.settings import GAMES
from models.scenes.splits import Split, rng_of

FIRST_SEED = 50_000
"""Other tables than the usual ones."""
WIDTHS_PX = (12.0, 22.0)
"""How wide the narrowest tile or cell becomes; outlines are measured to within 5 %."""
JPEG_QUALITY = 90


@dataclass(frozen=True)
class ShrunkBoard:
    """A board in a picture that was made smaller."""

    whole: Board
    scale: float

    @property
    def hidden(self) -> Mapping[Cell, int]:
        """By cell 1 where little of it is seen, 0 where most is, else -1."""
        return self.whole.hidden

    def px(self, plane: Any) -> Any:
        """Return the pixels of places on the board's plane, counted in cells."""
        return shrunk_px(self.whole.px(plane), self.scale)


def shrunk_px(px: Any, scale: float) -> Any:
    """Return where points of a picture lie after it was made smaller."""
    return (np.asarray(px, float) + 0.5) * scale - 0.5


def shrunk(bgr: Any, scale: float) -> Any:
    """Return a smaller picture as a camera of that resolution would write it."""
    small = cv2.resize(bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return unpacked(packed(small, JPEG_QUALITY))


def small_table(seed: int, game: str, split: Split, beside: str) -> Shown:
    """Return a drawn table, made so small that its narrowest tile is as wide as is drawn."""
    shown = drawn(seed, game, split, beside)
    wanted = float(rng_of("small", game, seed).uniform(*WIDTHS_PX))
    tiles = shown.truth["tiles"]
    if shown.boards:
        scale = min(1.0, wanted / smallest_cell_px(shown))
    else:
        cells = [len(built_in_set(game)[tile["tile"]].cells) for tile in tiles]
        widths = [width_of(np.array(tile["outline"])) for tile in tiles]
        narrowest = min(wide / np.sqrt(count) for wide, count in zip(widths, cells, strict=True))
        scale = min(1.0, wanted / narrowest)
    tiles = [{**t, "outline": shrunk_px(t["outline"], scale).tolist()} for t in tiles]
    boards = tuple(ShrunkBoard(board, scale) for board in shown.boards)
    return Shown(shrunk(shown.bgr, scale), {**shown.truth, "tiles": tiles}, boards)


SMALL = Part(
    "small", GAMES, small_table, small_figures, lambda _: "",
    lambda row: row["sure_wrong"] > 0 or "small" not in row["advice"],
    tables=60, first_seed=FIRST_SEED,
)  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Evaluate as the command line asks."""
    return run(SMALL, "small", __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
