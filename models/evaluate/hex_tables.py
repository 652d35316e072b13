"""How well tables of the hex games are read, on held-out scenes.

``python -m models.evaluate.hex_tables --game snekagon --tables 500`` reads so many tables and
prints counts with 95 % intervals. Each table is kept as one line of a file, so that the next run
goes on where one was stopped. Tables with cells below 24 pixels are counted apart.
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
from models.evaluate.held_out import Part, advice_line, run
from models.evaluate.hex_score import row_of, write_worst
from models.evaluate.kept import every_row
from models.evaluate.small_figures import small_figures
from models.evaluate.tables import SURELY, confidence_lines
from models.scenes.splits import Split
from models.training.hex_samples import hex_table
from vision.hexes.read import read_hex_table
from vision.layout.quality import SMALLEST_PX

GAMES = ("snekagon", "snekagon5g")
Json = dict[str, Any]


def evaluated(seed: int, game: str, split: Split, worst: Path) -> Json:
    """Read one table and say how well."""
    cv2.setNumThreads(1)
    try:
        table = hex_table(seed, game, split, None)
    except KeyError as error:
        return {"seed": seed, "error": f"the scene cannot be drawn: {error}"}
    state = read_hex_table(table.bgr, built_in_set(game), game)
    result = {"seed": seed, **row_of(table, state, game)}
    picture = worst / f"{game}-{split}-{seed:06d}.jpg"
    picture.unlink(missing_ok=True)
    if not result["exact"]:
        write_worst(table, state, picture)
    return result


def figures(
    rows: Sequence[Json], most_bad: float = 1.0, least_exact: float = 99.3
) -> tuple[Figure, ...]:
    """Return the figures of one game's tables; such with small cells are counted apart."""
    drawn = [row for row in rows if "error" not in row]
    big = [row for row in drawn if row["cell_px"] >= SMALLEST_PX]
    good = [row for row in big if row["ok"]]

    def total(key: str) -> int:
        return sum(int(row[key]) for row in good)

    tiles, fouls = total("tiles"), [row for row in good if row["foul"]]
    hidden, known = total("hidden_right"), total("hidden_tiles")
    surely = [right for row in good for sure, right in row["confidences"] if sure >= SURELY]
    return (
        Figure("cells wrong", total("cells_wrong"), total("cells")),
        Figure("tiles missed", total("missed"), tiles),
        Figure("tiles invented", total("invented"), tiles),
        Figure("tiles wrong, missed or invented", total("bad"), tiles, most=most_bad),
        Figure("tiles unsure", total("unsure"), tiles, most=5),
        Figure("readings at 0.99 or surer right", sum(surely), len(surely), 100, least=99),
        Figure("tiles sure and wrong", total("sure_wrong"), total("sure")),
        Figure("clay wrong", total("clay_wrong"), total("clay")),
        Figure("partly hidden tiles right", hidden, known, 100),
        Figure("tables exactly right", total("exact"), len(good), 100, least=least_exact),
        Figure("of them with fouls", sum(row["exact"] for row in fouls), len(fouls), 100),
        Figure("tables with several ways to cut", sum(row["splits"] > 0 for row in good),
               len(good), 100),
        Figure("pictures called not good enough", len(big) - len(good), len(big), 100, most=2),
        *small_figures([row for row in drawn if row["cell_px"] < SMALLEST_PX], "cells"),
    )  # fmt: skip


def report(rows: Sequence[Json]) -> str:
    """Return what else there is to say about a game's tables."""
    drawn = [row for row in rows if "error" not in row]
    unfit = [row for row in drawn if row["cell_px"] >= SMALLEST_PX and not row["ok"]]
    said = [p for row in drawn if row["cell_px"] >= SMALLEST_PX and row["ok"]
            for p in row["confidences"]]  # fmt: skip
    took = float(np.median([sum(row["ms"].values()) for row in drawn])) if drawn else 0.0
    return "\n".join([
        advice_line(unfit),
        *confidence_lines(said),
        f"  {len(rows) - len(drawn)} could not be drawn; read in {took:.0f} ms (median)",
    ])  # fmt: skip


def evaluate(game: str, seeds: range, split: Split, out: Path, workers: int) -> list[Json]:
    """Return the results of tables, reading those that no row is kept for."""
    work = partial(evaluated, game=game, split=split, worst=out / "worst")
    return every_row(out / f"{game}-{split}.jsonl", "seed", seeds, work, workers)


def main(arguments: Sequence[str] | None = None) -> int:
    """Evaluate as the command line asks."""
    part = Part("hexes", GAMES, evaluate, figures, report)
    return run(part, "hex_tables", str(__doc__), arguments)


if __name__ == "__main__":
    sys.exit(main())
