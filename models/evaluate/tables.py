"""Reads held-out tables with everything as in play: ``python -m models.evaluate.tables --game G``.

Each table's result is one line of a file; what is there is not read again, so a run can be broken
off and taken up. The worst pictures are written beside it with what was wrong.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from tqdm import tqdm

from engine.setfile import built_in_set
from models.evaluate.intervals import told
from models.evaluate.score import TableScore, score_table
from models.evaluate.workers import spread
from models.scenes.scene import make_scene
from models.scenes.settings import SQUARE_GAMES
from models.scenes.splits import Split
from vision.intake import Picture
from vision.read import read_table
from vision.request import ReadRequest
from vision.types import TableState

Json = dict[str, Any]

WORST = 24
"""Pictures with mistakes that are kept."""
BINS = (0.0, 0.5, 0.9, 0.99, 0.999, 1.01)


def evaluate(game: str, seeds: range, split: Split, out: Path, workers: int) -> list[Json]:
    """Return the results of tables, reading those that the folder has no line for."""
    out.mkdir(parents=True, exist_ok=True)
    file = out / f"{game}-{split}.jsonl"
    lines = file.read_text("utf-8").splitlines() if file.exists() else []
    done = {int(row["seed"]): row for row in map(json.loads, lines)}
    left = [seed for seed in seeds if seed not in done]
    with file.open("a", encoding="utf-8") as rows:
        work = partial(_one, game=game, split=split, folder=out)
        for row in tqdm(spread(work, left, workers), total=len(left), desc=game):
            rows.write(json.dumps(row) + "\n")
            rows.flush()
            done[row["seed"]] = row
    return [done[seed] for seed in seeds if seed in done]


def _one(seed: int, game: str, split: Split, folder: Path) -> Json:
    cv2.setNumThreads(1)
    tile_set = built_in_set(game)
    scene = make_scene(seed, split, game)
    bgr = np.asarray(scene.bgr, np.uint8)
    state = read_table(Picture(bgr, (bgr.shape[1], bgr.shape[0])), ReadRequest("square", tile_set))
    score = score_table(scene.truth, state, tile_set)
    if not score.exact and len(list(folder.glob(f"{game}-*.jpg"))) < WORST:
        _write_worst(folder / f"{game}-{split}-{seed:06d}", bgr, scene.truth, state, score)
    return {
        "seed": seed, "foul": scene.truth["foul"], "size": list(scene.truth["size"]),
        "advice": [a.what for a in state.quality.advice],
        "ms": {name: round(ms, 1) for name, ms in state.timings_ms.items()}, **asdict(score),
    }  # fmt: skip


def _write_worst(stem: Path, bgr: Any, truth: Json, state: TableState, score: TableScore) -> None:
    """Write a picture with what was seen drawn over it, and the mistakes in words."""
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
    cv2.imwrite(str(stem.with_suffix(".jpg")), drawn)
    stem.with_suffix(".txt").write_text("\n".join(score.mistakes) + "\n", encoding="utf-8")


def _draw(bgr: Any, outline: Any, colour: tuple[int, int, int], thick: int) -> None:
    points = np.round(np.asarray(outline)).astype(np.int32)
    cv2.polylines(bgr, [points], True, colour, thick)


def report(game: str, rows: Sequence[Json]) -> str:
    """Return the figures of one game in words."""
    good = [row for row in rows if row["good"] and not row["small"]]
    tiles = sum(row["tiles"] for row in good)
    lines = [f"{game}: {len(rows)} tables, {len(good)} of them good enough and not small"]
    for name in ("wrong", "missed", "invented", "unsure"):
        lines.append(f"  {name:9} {told(sum(row[name] for row in good), tiles)}")
    bad = sum(row["wrong"] + row["missed"] + row["invented"] for row in good)
    lines.append(f"  together  {told(bad, tiles)}")
    exact = sum(not (row["wrong"] or row["missed"] or row["invented"]) for row in good)
    lines.append(f"  exact tables {told(exact, len(good), 100)}")
    fouls = [row for row in good if row["foul"]]
    clean = sum(not (row["wrong"] or row["missed"] or row["invented"]) for row in fouls)
    lines.append(f"  of them with fouls {told(clean, len(fouls), 100)}")
    big = [row for row in rows if not row["small"]]
    lines.append(f"  not good enough {told(sum(not r['good'] for r in big), len(big), 100)}")
    advice = sorted({what for row in big if not row["good"] for what in row["advice"]})
    counts = {w: sum(w in r["advice"] for r in big if not r["good"]) for w in advice}
    lines.append(f"    by advice: {counts}")
    lines += list(_confidence_lines(good))
    return "\n".join(lines)


def _confidence_lines(rows: Sequence[Json]) -> Iterator[str]:
    said = [(sure, right) for row in rows for sure, right in row["confidences"]]
    for low, high in pairwise(BINS):
        inside = [right for sure, right in said if low <= sure < high]
        if inside:
            share = told(sum(inside), len(inside), 100)
            yield f"  confidence {low:.3f} to {min(high, 1):.3f}: right {share}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Evaluate as the command line asks."""
    parser = argparse.ArgumentParser(prog="python -m models.evaluate.tables", description=__doc__)
    parser.add_argument("--game", action="append", choices=SQUARE_GAMES, dest="games")
    parser.add_argument("--tables", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0, help="of the first table")
    parser.add_argument("--split", default="held-out", choices=("train", "held-out"))
    parser.add_argument("--out", type=Path, default=Path("build/evaluate"), metavar="DIR")
    parser.add_argument("--workers", type=int, default=0, help="processes; one a core if missing")
    asked = parser.parse_args(arguments)
    for game in asked.games or SQUARE_GAMES:
        seeds = range(asked.seed, asked.seed + asked.tables)
        rows = evaluate(game, seeds, asked.split, asked.out, asked.workers)
        sys.stdout.write(report(game, rows) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
