"""Reads held-out tables with everything as in play: ``python -m models.evaluate.tables --game G``.

Each table's result is one line of a file; what this reader has done is not done again, so a run
can be broken off and taken up. The worst pictures are written beside it with what was wrong.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from engine.setfile import built_in_set
from models.evaluate.figures import Figure
from models.evaluate.held_out import Part, advice_line, run
from models.evaluate.intervals import told
from models.evaluate.kept import every_row
from models.evaluate.score import TableScore, score_table
from models.evaluate.small_figures import small_figures
from models.scenes.scene import make_scene
from models.scenes.settings import BESIDE, SQUARE_GAMES, Beside
from models.scenes.splits import Split
from vision import Picture, ReadRequest, TableState, read_table

Json = dict[str, Any]

BINS = (0.0, 0.5, 0.9, 0.99, 0.999, 1.01)
SURELY = 0.99
WORST_PX = 1600
"""Long side of the pictures that are kept of mistakes."""


def evaluate(
    game: str, seeds: range, split: Split, out: Path, workers: int, beside: str = "far"
) -> list[Json]:
    """Return the results of tables, reading those that no row is kept for."""
    work = partial(evaluated, game=game, split=split, worst=out / "worst", beside=beside)
    return every_row(out / f"{game}-{split}.jsonl", "seed", seeds, work, workers)


def beside_of(seed: int, asked: str) -> Beside:
    """Return how near things lie on one table; ``third`` has them close on every third."""
    return "close" if asked == "close" or (asked == "third" and seed % 3 == 0) else "far"


def evaluated(seed: int, game: str, split: Split, worst: Path, beside: str = "far") -> Json:
    """Read one table and say how well."""
    cv2.setNumThreads(1)
    tile_set = built_in_set(game)
    scene = make_scene(seed, split, game, beside=beside_of(seed, beside))
    bgr = np.asarray(scene.bgr, np.uint8)
    state = read_table(Picture(bgr, (bgr.shape[1], bgr.shape[0])), ReadRequest("square", tile_set))
    score = score_table(scene.truth, state, tile_set)
    stem = worst / f"{game}-{split}-{seed:06d}"
    forget_worst(stem)
    if not score.exact:
        write_worst(stem, bgr, scene.truth, state, score)
    return {"seed": seed, **row_of(scene.truth, state, score)}


def row_of(truth: Json, state: TableState, score: TableScore) -> Json:
    """Return what is kept about one table."""
    return {
        "foul": truth["foul"], "size": list(truth["size"]),
        "advice": [a.what for a in state.quality.advice],
        "ms": {name: round(ms, 1) for name, ms in state.timings_ms.items()}, **asdict(score),
    }  # fmt: skip


def forget_worst(stem: Path) -> None:
    """Take away the picture of an earlier reading."""
    for ending in (".jpg", ".txt"):
        stem.with_suffix(ending).unlink(missing_ok=True)


def write_worst(stem: Path, bgr: Any, truth: Json, state: TableState, score: TableScore) -> None:
    """Write a picture with what was seen drawn over it, and the mistakes in words."""
    stem.parent.mkdir(parents=True, exist_ok=True)
    drawn = bgr.copy()
    thick = max(1, bgr.shape[1] // 700)
    for tile in truth["tiles"]:
        _draw(drawn, tile["outline"], (255, 255, 255), thick)
    for entries, colour in ((state.tiles, (0, 220, 0)), (state.unsure, (0, 160, 255)),
                            (state.aside, (255, 80, 80))):  # fmt: skip
        for entry in entries:
            _draw(drawn, entry["outline"], colour, thick)
    for line, mistake in enumerate(score.mistakes[:12]):
        at = (10, 24 * thick * (line + 1))
        cv2.putText(drawn, mistake, at, cv2.FONT_HERSHEY_SIMPLEX, 0.6 * thick, (0, 0, 255), thick)
    scale = min(1.0, WORST_PX / max(drawn.shape[:2]))
    drawn = cv2.resize(drawn, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    cv2.imwrite(str(stem.with_suffix(".jpg")), drawn)
    stem.with_suffix(".txt").write_text("\n".join(score.mistakes) + "\n", encoding="utf-8")


def _draw(bgr: Any, outline: Any, colour: tuple[int, int, int], thick: int) -> None:
    points = np.round(np.asarray(outline)).astype(np.int32)
    cv2.polylines(bgr, [points], True, colour, thick)


def is_exact(row: Json) -> bool:
    """Say whether everything on a table is right."""
    return not (row["wrong"] or row["missed"] or row["invented"])


def figures(
    rows: Sequence[Json], most_bad: float = 1.0, least_exact: float = 99.3
) -> tuple[Figure, ...]:
    """Return the figures of one game's tables; small ones are counted apart."""
    big = [row for row in rows if not row["small"]]
    good = [row for row in big if row["good"]]
    tiles = sum(row["tiles"] for row in good)
    bad = {name: sum(row[name] for row in good) for name in ("wrong", "missed", "invented")}
    fouls = [row for row in good if row["foul"]]
    surely = [right for row in good for sure, right in row["confidences"] if sure >= SURELY]
    return (
        *(Figure(f"tiles {name}", count, tiles) for name, count in bad.items()),
        Figure("tiles wrong, missed or invented", sum(bad.values()), tiles, most=most_bad),
        Figure("tiles unsure", sum(row["unsure"] for row in good), tiles, most=5),
        Figure("readings at 0.99 or surer right", sum(surely), len(surely), 100, least=99),
        Figure("tables exactly right", sum(map(is_exact, good)), len(good), 100,
               least=least_exact),
        Figure("of them with fouls", sum(map(is_exact, fouls)), len(fouls), 100),
        Figure("cards beside claimed surely", sum(row["beside_sure"] for row in good),
               sum(row["beside"] for row in good)),
        Figure("cards beside asked about", sum(row["beside_unsure"] for row in good),
               sum(row["beside"] for row in good)),
        Figure("pictures called not good enough", len(big) - len(good), len(big), 100, most=2),
        *small_figures([row for row in rows if row["small"]], "tiles"),
    )  # fmt: skip


def report(rows: Sequence[Json]) -> str:
    """Return what else there is to say about a game's tables."""
    big = [row for row in rows if not row["small"]]
    unfit = [row for row in big if not row["good"]]
    said = [p for row in big if row["good"] for p in row["confidences"]]
    beside = [p for row in big if row["good"] for p in row["beside_confidences"]]
    return "\n".join([
        advice_line(unfit), *confidence_lines(said), "  cards beside:", *confidence_lines(beside)
    ])  # fmt: skip


def confidence_lines(said: Sequence[tuple[float, bool]]) -> Iterator[str]:
    """Yield how many readings are right, by how sure they are said to be."""
    for low, high in pairwise(BINS):
        inside = [right for sure, right in said if low <= sure < high]
        if inside:
            share = told(sum(inside), len(inside), 100)
            yield f"  confidence {low:.3f} to {min(high, 1):.3f}: right {share}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Evaluate as the command line asks."""
    part = Part("squares", SQUARE_GAMES, evaluate, figures, report, (*BESIDE, "third"))
    return run(part, "tables", str(__doc__), arguments)


if __name__ == "__main__":
    sys.exit(main())
