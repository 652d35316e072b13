"""Reads held-out tables with everything as in play: ``python -m models.evaluate.tables --game G``.

Square games; ``models.evaluate.hex_tables`` does the same for the hex games, ``small`` and
``spots`` for pictures that are harder. The worst pictures are written with what was wrong.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from engine.setfile import built_in_set
from models.evaluate.harness import (
    Figure,
    Subject,
    confidence_lines,
    every_row,
    parser_of,
    pictures,
    tell,
)
from models.evaluate.score import Shown, row_of, write_worst
from models.scenes.scene import make_scene
from models.scenes.settings import BESIDE, HEX_GAMES, SQUARE_GAMES
from models.scenes.splits import Split
from models.scenes.world.arrays import Json
from models.training.hex_samples import hex_table
from vision import Picture, ReadRequest, TableState, read_table

SURELY = 0.99
MOST_BAD, LEAST_EXACT = 1.0, 99.3
"""Wrong tiles in a thousand and exact tables in a hundred that are wanted."""


@dataclass(frozen=True)
class Part:
    """One part of the evaluation: which pictures are shown, and what is counted about them."""

    name: str
    games: Sequence[str]
    show: Callable[[int, str, Split, str], Shown]
    """Returns the table of a seed, game, split and of how near other things lie."""
    figures: Callable[[Sequence[Json]], tuple[Figure, ...]]
    report: Callable[[Sequence[Json]], str]
    is_bad: Callable[[Json], bool] = lambda row: not row["exact"]
    """Whether a picture is kept to be looked at."""
    beside: Sequence[str] = ("far",)
    """How near stocks, hands and other fields may be asked to lie; the first unless asked."""
    tables: int = 500
    first_seed: int = 0


def drawn(seed: int, game: str, split: Split, beside: str = "far") -> Shown:
    """Return a drawn table; with ``third`` things lie close beside every third."""
    if game in HEX_GAMES:
        table = hex_table(seed, game, split, None)
        return Shown(table.bgr, table.truth, table.boards)
    close = beside == "close" or (beside == "third" and seed % 3 == 0)
    scene = make_scene(seed, split, game, beside="close" if close else "far")
    return Shown(np.asarray(scene.bgr, np.uint8), scene.truth)


def request_of(game: str) -> ReadRequest:
    """Return what a table of a game is read as."""
    return ReadRequest("hex" if game in HEX_GAMES else "square", built_in_set(game))


def read(shown: Shown, game: str) -> TableState:
    """Return what play would read of a picture."""
    size = shown.bgr.shape[1], shown.bgr.shape[0]
    return read_table(Picture(shown.bgr, size), request_of(game))


def evaluated(
    seed: int, game: str, split: Split, worst: Path, beside: str = "far", part: Part | None = None
) -> Json:
    """Read one table and say how well."""
    part = part or part_of(game)
    try:
        shown = part.show(seed, game, split, beside)
    except KeyError as error:
        if game not in HEX_GAMES:
            raise
        return {"seed": seed, "error": f"the scene cannot be drawn: {error}"}
    state = read(shown, game)
    row = {"seed": seed, **row_of(shown, state, game)}
    write_worst(worst / f"{game}-{split}-{seed:06d}", shown, state, row, bad=part.is_bad(row))
    return row


def rows_of(
    part: Part, game: str, seeds: range, split: Split, folder: Path, workers: int, beside: str
) -> list[Json]:
    """Return the results of tables, reading those that no row is kept for."""
    path = folder / f"{game}-{split}.jsonl"
    work = partial(evaluated, game=game, split=split, worst=folder / "worst", beside=beside,
                   part=part)  # fmt: skip
    rows = every_row(path, "seed", seeds, work, workers)
    return [row for row in rows if "error" not in row]


def run(part: Part, module: str, about: str | None, arguments: Sequence[str] | None) -> int:
    """Evaluate as the command line asks, print the figures and keep them."""
    parser = parser_of(module, about, part.games)
    parser.add_argument("--tables", type=int, default=part.tables)
    parser.add_argument("--seed", type=int, default=part.first_seed, help="of the first table")
    parser.add_argument("--split", choices=("train", "held-out"), default="held-out")
    if len(part.beside) > 1:
        parser.add_argument("--beside", choices=part.beside, default=part.beside[0],
                            help="how near stocks, hands and other fields lie")  # fmt: skip
    asked = parser.parse_args(arguments)
    beside = getattr(asked, "beside", part.beside[0])
    name = part.name if beside == part.beside[0] else f"{part.name}-{beside}"
    folder = asked.out / name
    for game in asked.games or part.games:
        seeds = range(asked.seed, asked.seed + asked.tables)
        rows = rows_of(part, game, seeds, asked.split, folder, asked.workers, beside)
        worst = pictures(folder / "worst", f"{game}-{asked.split}", asked.out)
        tell(Subject(name, game, part.figures(rows), worst), asked.out, part.report(rows))
    return 0


def figures(
    rows: Sequence[Json], most_bad: float = MOST_BAD, least_exact: float = LEAST_EXACT
) -> tuple[Figure, ...]:
    """Return the figures of one game's tables; small ones are counted apart."""
    hexes = any("cells" in row for row in rows)
    big = [row for row in rows if not row["small"]]
    good = [row for row in big if row["good"]]

    def total(key: str) -> int:
        return sum(int(row[key]) for row in good)

    def share(name: str, key: str, of: str, per: int = 1000) -> Figure:
        return Figure(name, total(key), total(of), per)

    tiles, fouls = total("tiles"), [row for row in good if row["foul"]]
    surely = [right for row in good for sure, right in row["confidences"] if sure >= SURELY]
    first = [share("cells wrong", "cells_wrong", "cells")] if hexes else [
        share("tiles wrong", "wrong", "tiles")]  # fmt: skip
    more = [
        share("tiles sure and wrong", "sure_wrong", "sure"),
        share("clay wrong", "clay_wrong", "clay"),
        share("partly hidden tiles right", "hidden_right", "hidden_tiles", 100),
    ] if hexes else []  # fmt: skip
    last = [
        Figure("tables with several ways to cut", sum(row["splits"] > 0 for row in good),
               len(good), 100),
    ] if hexes else [
        share("cards beside claimed surely", "beside_sure", "beside"),
        share("cards beside asked about", "beside_unsure", "beside"),
    ]  # fmt: skip
    return (
        *first, share("tiles missed", "missed", "tiles"),
        share("tiles invented", "invented", "tiles"),
        Figure("tiles wrong, missed or invented", total("bad"), tiles, most=most_bad),
        Figure("tiles unsure", total("unsure"), tiles, most=5),
        Figure("readings at 0.99 or surer right", sum(surely), len(surely), 100, least=99), *more,
        Figure("tables exactly right", total("exact"), len(good), 100, least=least_exact),
        Figure("of them with fouls", sum(row["exact"] for row in fouls), len(fouls), 100), *last,
        Figure("pictures called not good enough", len(big) - len(good), len(big), 100, most=2),
        *small_figures([row for row in rows if row["small"]]),
    )  # fmt: skip


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


def report(rows: Sequence[Json]) -> str:
    """Return why tables were called not good enough, and how far confidences can be trusted."""
    big = [row for row in rows if not row["small"]]
    good = [row for row in big if row["good"]]
    advice = Counter(what for row in big if not row["good"] for what in row["advice"])
    lines = [f"  not good enough, by advice: {dict(sorted(advice.items()))}"]
    lines += confidence_lines([pair for row in good for pair in row["confidences"]])
    if any("cells" in row for row in rows):
        took = float(np.median([sum(row["ms"].values()) for row in rows]))
        return "\n".join([*lines, f"  read in {took:.0f} ms (median)"])
    beside = [pair for row in good for pair in row["beside_confidences"]]
    return "\n".join([*lines, "  cards beside:", *confidence_lines(beside)])


SQUARES = Part("squares", SQUARE_GAMES, drawn, figures, report, beside=(*BESIDE, "third"))
HEXES = Part("hexes", HEX_GAMES, drawn, figures, report)


def part_of(game: str) -> Part:
    """Return the part that counts the tables of a game."""
    return HEXES if game in HEX_GAMES else SQUARES


def main(arguments: Sequence[str] | None = None) -> int:
    """Evaluate as the command line asks."""
    return run(SQUARES, "tables", __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
