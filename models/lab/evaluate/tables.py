"""Reads whole tables with everything as in play: ``python -m models.lab.evaluate.tables PART``.

Parts: ``squares`` and ``hexes`` (held-out tables), ``small`` (the same, shrunk until their tiles,
or the cells of hex boards, are less than 24 pixels across: such a picture must be called too small,
and what is still read for sure must be right) and ``spots`` (every third tile has a spot of light
of any size over any part of its face; it may be unsure, and must not be sure and wrong). The worst
pictures are written with what was wrong.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from engine.setfile import built_in_set
from models.lab.evaluate.harness import WORST, Figure, confidence_lines, counted, parser_of
from models.lab.evaluate.score import (
    Board,
    SeenBoard,
    Shown,
    row_of,
    smallest_cell_px,
    write_misread,
)
from models.lab.scenes.camera.develop import packed, unpacked
from models.lab.scenes.scene import make_scene
from models.lab.scenes.settings import BESIDE, GAMES, HEX_GAMES, SQUARE_GAMES
from models.lab.scenes.splits import Split, rng_of
from models.lab.scenes.world.arrays import Json
from models.lab.scenes.world.spots import spotted_tile
from models.lab.training.hex_samples import hex_table
from vision import Picture, ReadRequest, TableState, read_table
from vision.core.types import width_of

SURELY = 0.99
MOST_BAD, LEAST_EXACT = 1.0, 99.3
"""Wrong tiles in a thousand and exact tables in a hundred that are wanted."""
FIRST_SMALL = 50_000
"""First seed of the tables that are shrunk, which are other ones than the usual."""
SMALL_PX = (12.0, 22.0)
"""Range of the narrowest tile or cell after shrinking; outlines are measured to within 5 %."""
JPEG_QUALITY = 90
SPOT_SHARE = 1 / 3


@dataclass(frozen=True)
class Part:
    """One part of the evaluation: which pictures are shown, and what is counted about them."""

    games: Sequence[str]
    show: Callable[[int, str, Split, str], Shown]
    """Returns the table of a seed, game, split and distance of other things."""
    figures: Callable[[Sequence[Json]], tuple[Figure, ...]]
    report: Callable[[Sequence[Json]], list[str]]
    is_bad: Callable[[Json], bool] = lambda row: not row["exact"]
    """Whether a picture is kept for inspection."""
    tables: int = 500
    first_seed: int = 0


# --- What is shown ---


def drawn(seed: int, game: str, split: Split, beside: str = "far") -> Shown:
    """Return a drawn table; with ``third`` every third one has things close beside the layout."""
    if game in HEX_GAMES:
        table = hex_table(seed, game, split, None)
        return Shown(table.bgr, table.truth, table.boards)
    close = beside == "close" or (beside == "third" and seed % 3 == 0)
    scene = make_scene(seed, split, game, beside="close" if close else "far")
    return Shown(np.asarray(scene.bgr, np.uint8), scene.truth)


def small_table(seed: int, game: str, split: Split, beside: str) -> Shown:
    """Return a drawn table, shrunk until its narrowest tile has a width drawn from ``SMALL_PX``."""
    shown = drawn(seed, game, split, beside)
    wanted = float(rng_of("small", game, seed).uniform(*SMALL_PX))
    tiles = shown.truth["tiles"]
    if shown.boards:
        narrowest = smallest_cell_px(shown)
    else:
        cells = [len(built_in_set(game)[tile["tile"]].cells) for tile in tiles]
        widths = [width_of(np.array(tile["outline"])) for tile in tiles]
        narrowest = min(wide / np.sqrt(count) for wide, count in zip(widths, cells, strict=True))
    scale = min(1.0, wanted / narrowest)
    tiles = [{**t, "outline": shrunk_px(t["outline"], scale).tolist()} for t in tiles]
    boards = tuple(SeenBoard(one.hidden, partial(_px, one, scale)) for one in shown.boards)
    return Shown(shrunk(shown.bgr, scale), {**shown.truth, "tiles": tiles}, boards)


def _px(board: Board, scale: float, plane: Any) -> Any:
    return shrunk_px(board.px(plane), scale)


def shrunk_px(px: Any, scale: float) -> Any:
    """Return the positions of points after a picture was scaled."""
    return (np.asarray(px, float) + 0.5) * scale - 0.5


def shrunk(bgr: Any, scale: float) -> Any:
    """Return a smaller picture as a camera of that resolution would write it."""
    small = cv2.resize(bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return unpacked(packed(small, JPEG_QUALITY))


def spotted(seed: int, game: str, split: Split, beside: str) -> Shown:
    """Return a drawn table with spots on its tiles."""
    shown = drawn(seed, game, split, beside)
    rng = rng_of("spots", game, split, seed)
    bgr, tiles = shown.bgr, shown.truth["tiles"]
    chosen = [tile for tile in tiles if rng.random() < SPOT_SHARE]
    for tile in chosen:
        bgr = spotted_tile(bgr, np.array(tile["outline"]), rng)
    return replace(shown, bgr=bgr, counted={"spots": len(chosen)})


# --- How it is read ---


def request_of(game: str) -> ReadRequest:
    """Return the request to read a table of a game."""
    return ReadRequest("hex" if game in HEX_GAMES else "square", built_in_set(game))


def read(shown: Shown, game: str) -> TableState:
    """Return what play would read of a picture."""
    size = shown.bgr.shape[1], shown.bgr.shape[0]
    return read_table(Picture(shown.bgr, size), request_of(game))


def evaluated(
    seed: int, game: str, split: Split, worst: Path, beside: str = "far", part: str | None = None
) -> Json:
    """Return the row of one table, read as in play."""
    own = PARTS[part or ("hexes" if game in HEX_GAMES else "squares")]
    try:
        shown = own.show(seed, game, split, beside)
    except KeyError as error:
        if game not in HEX_GAMES:
            raise
        return {"seed": seed, "error": f"the scene cannot be drawn: {error}"}
    state = read(shown, game)
    row = {"seed": seed, **row_of(shown, state, game)}
    write_misread(worst / f"{game}-{split}-{seed:06d}", shown, state, row, bad=own.is_bad(row))
    return row


# --- What is counted ---


def figures(
    rows: Sequence[Json], most_bad: float = MOST_BAD, least_exact: float = LEAST_EXACT
) -> tuple[Figure, ...]:
    """Return the figures of one game's tables; small ones are counted separately."""
    hexes = any("cells" in row for row in rows)
    big = [row for row in rows if not row["small"]]
    good = [row for row in big if row["good"]]

    def total(key: str) -> int:
        return sum(int(row[key]) for row in good)

    def share(name: str, key: str, of: str, per: int = 1000) -> Figure:
        return Figure(name, total(key), total(of), per)

    tiles, fouls = total("tiles"), [row for row in good if row["foul"]]
    surely = [right for row in good for sure, right in row["confidences"] if sure >= SURELY]
    first = (
        [share("cells wrong", "cells_wrong", "cells")]
        if hexes
        else [share("tiles wrong", "wrong", "tiles")]
    )
    more = (
        [
            share("tiles sure and wrong", "sure_wrong", "sure"),
            share("clay wrong", "clay_wrong", "clay"),
            share("partly hidden tiles right", "hidden_right", "hidden_tiles", 100),
        ]
        if hexes
        else []
    )
    last = (
        [
            Figure(
                "tables with several ways to cut",
                sum(row["splits"] > 0 for row in good),
                len(good),
                100,
            ),
        ]
        if hexes
        else [
            share("cards beside claimed surely", "beside_sure", "beside"),
            share("cards beside asked about", "beside_unsure", "beside"),
        ]
    )
    return (
        *first,
        share("tiles missed", "missed", "tiles"),
        share("tiles invented", "invented", "tiles"),
        Figure("tiles wrong, missed or invented", total("bad"), tiles, most=most_bad),
        Figure("tiles unsure", total("unsure"), tiles, most=5),
        Figure("readings at 0.99 or surer right", sum(surely), len(surely), 100, least=99),
        *more,
        Figure("tables exactly right", total("exact"), len(good), 100, least=least_exact),
        Figure("of them with fouls", sum(row["exact"] for row in fouls), len(fouls), 100),
        *last,
        Figure("pictures called not good enough", len(big) - len(good), len(big), 100, most=2),
        *small_figures([row for row in rows if row["small"]]),
    )


def small_figures(rows: Sequence[Json]) -> tuple[Figure, ...]:
    """Return the figures of tables whose tiles, or cells, are too small to be read surely."""
    if not rows:
        return ()
    what = "cells" if "cells" in rows[0] else "tiles"
    told = f"tables with smaller {what} told to be small"
    sure, wrong = sum(row["sure"] for row in rows), sum(row["sure_wrong"] for row in rows)
    return (
        Figure(told, sum("small" in row["advice"] for row in rows), len(rows), 100, least=100),
        Figure("sure readings wrong on these", wrong, sure, 100, most=1),
    )


def spot_figures(rows: Sequence[Json]) -> tuple[Figure, ...]:
    """Return the figures of one game's tables with spots of light."""
    keys = ("sure_wrong", "spots", "unsure", "missed", "tiles")
    wrong, spots, unsure, missed, tiles = (sum(row[key] for row in rows) for key in keys)
    return (
        Figure("tiles sure and wrong, of spots of light", wrong, spots, most=1),
        Figure("tiles unsure, of all", unsure, tiles),
        Figure("tiles missed, of all", missed, tiles),
    )


def report(rows: Sequence[Json]) -> list[str]:
    """Return why tables were called not good enough, and how far confidences can be trusted."""
    big = [row for row in rows if not row["small"]]
    good = [row for row in big if row["good"]]
    advice = Counter(what for row in big if not row["good"] for what in row["advice"])
    lines = [f"  not good enough, by advice: {dict(sorted(advice.items()))}", *_said(good)]
    if any("cells" in row for row in rows):
        took = float(np.median([sum(row["ms"].values()) for row in rows]))
        return [*lines, f"  read in {took:.0f} ms (median)"]
    return [*lines, "  cards beside:", *_said(good, "beside_confidences")]


def _said(rows: Sequence[Json], key: str = "confidences") -> list[str]:
    return list(confidence_lines([pair for row in rows for pair in row[key]]))


PARTS = {
    "squares": Part(SQUARE_GAMES, drawn, figures, report),
    "hexes": Part(HEX_GAMES, drawn, figures, report),
    "small": Part(
        GAMES,
        small_table,
        small_figures,
        lambda rows: [],
        lambda row: row["sure_wrong"] > 0 or "small" not in row["advice"],
        tables=60,
        first_seed=FIRST_SMALL,
    ),
    "spots": Part(SQUARE_GAMES, spotted, spot_figures, _said, lambda row: bool(row["sure_wrong"])),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Evaluate as the command line asks."""
    parser = parser_of("tables", __doc__, GAMES)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--tables", type=int, help="of each game")
    parser.add_argument("--seed", type=int, help="of the first table")
    parser.add_argument(
        "--beside",
        choices=(*BESIDE, "third"),
        default=BESIDE[0],
        help="how near stocks, hands and other fields lie",
    )
    asked = parser.parse_args(arguments)
    part = PARTS[asked.part]
    name = asked.part if asked.beside == BESIDE[0] else f"{asked.part}-{asked.beside}"
    first = part.first_seed if asked.seed is None else asked.seed
    seeds = range(first, first + (asked.tables or part.tables))
    for game in asked.games or part.games:
        work = partial(
            evaluated,
            game=game,
            split="held-out",
            worst=asked.out / name / WORST,
            beside=asked.beside,
            part=asked.part,
        )
        counted(asked, name, game, seeds, work, part.figures, part.report, of=f"{game}-held-out")
    return 0


if __name__ == "__main__":
    sys.exit(main())
