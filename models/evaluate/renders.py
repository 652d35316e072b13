"""Reads photoreal renders: ``python -m models.evaluate.renders FOLDER --workers 2``.

The folder holds what ``python -m models.scenes.photoreal`` made: pictures of lights, surfaces and
seeds that no training saw, each with its truth. They are read from their files as play reads them
and counted as drawn tables are. Without a folder, ``renders`` in the folder that
``SNAKE_EYE_SHARED`` names is taken; where there is none, this part is left out.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import cv2

from engine.setfile import built_in_set
from models.evaluate import hex_score, hex_tables, tables
from models.evaluate.figures import RESULTS, Figure, Subject, pictures, save_subject
from models.evaluate.kept import every_row
from models.evaluate.score import score_table
from models.scenes.photoreal_boards import RenderedBoard, rendered_boards
from models.scenes.settings import GAMES, HEX_GAMES
from models.scenes.splits import SHARED_VARIABLE
from vision import ReadRequest, TableState, load_picture, read_table
from vision.layout.quality import SMALLEST_PX

Json = dict[str, Any]

HALVES = ("even", "odd", "all")
FOLDER = "renders"
MOST_BAD, LEAST_EXACT = 3.0, 97.0
"""Wrong tiles in a thousand and exact tables in a hundred that are wanted."""


@dataclass(frozen=True)
class RenderedTable:
    """A render of a hex game with its truth."""

    bgr: Any
    boards: tuple[RenderedBoard, ...]
    truth: Json


def rendered(folder: Path, game: str, half: str) -> list[str]:
    """Return the names of a game's finished renders; odd seeds may be kept for the end."""
    names = sorted(path.stem for path in folder.glob(f"{game}-*-[0-9]*.jpg"))
    names = [name for name in names if (folder / f"{name}.json").is_file()]
    wanted = {"even": (0,), "odd": (1,), "all": (0, 1)}[half]
    return [name for name in names if int(name.rpartition("-")[2]) % 2 in wanted]


def evaluate(folder: Path, game: str, half: str, out: Path, workers: int) -> list[Json]:
    """Return the results of a game's renders, reading those that no row is kept for."""
    names = rendered(folder, game, half)
    work = partial(_read, folder=folder, game=game, worst=out / "worst")
    return every_row(out / f"{game}.jsonl", "name", names, work, workers)


def _read(name: str, folder: Path, game: str, worst: Path) -> Json:
    cv2.setNumThreads(1)
    truth = json.loads((folder / f"{name}.json").read_text("utf-8"))
    facts = {"name": name, "seed": truth["seed"], "room": truth["room"]}
    tables.forget_worst(worst / name)
    if game in HEX_GAMES:
        return {**facts, **_hexes(folder, name, game, truth, worst)}
    return {**facts, **_squares(folder, name, game, truth, worst)}


def _squares(folder: Path, name: str, game: str, truth: Json, worst: Path) -> Json:
    tile_set = built_in_set(game)
    picture = load_picture(folder / f"{name}.jpg")
    state = read_table(picture, ReadRequest("square", tile_set))
    score = score_table(truth, state, tile_set)
    if not score.exact:
        tables.write_worst(worst / name, picture.bgr, truth, state, score)
    return tables.row_of(truth, state, score)


def _hexes(folder: Path, name: str, game: str, truth: Json, worst: Path) -> Json:
    picture = load_picture(folder / f"{name}.jpg")
    table = RenderedTable(picture.bgr, rendered_boards(truth), truth)
    state = read_table(picture, ReadRequest("hex", built_in_set(game)))
    result = hex_score.row_of(table, state, game)
    if not result["exact"]:
        hex_score.write_worst(table, state, worst / f"{name}.jpg")
        (worst / f"{name}.txt").write_text("\n".join(map(str, result["wrong"])) + "\n", "utf-8")
    return result


def rendered_table(folder: Path, name: str, game: str) -> tuple[TableState, Json]:
    """Return what is read of one render, and what that is worth in the words of golden answers."""
    truth = json.loads((folder / f"{name}.json").read_text("utf-8"))
    picture = load_picture(folder / f"{name}.jpg")
    tile_set = built_in_set(game)
    state = read_table(picture, ReadRequest("hex" if game in HEX_GAMES else "square", tile_set))
    good = state.quality.ok
    if game in HEX_GAMES:
        table = RenderedTable(picture.bgr, rendered_boards(truth), truth)
        row = hex_score.row_of(table, state, game)
        exact, small = row["exact"], row["cell_px"] < SMALLEST_PX
    else:
        row = asdict(score_table(truth, state, tile_set))
        exact, small = tables.is_exact(row), row["small"]
    counts = {key: row[key] for key in ("tiles", "unsure", "sure_wrong")}
    return state, {"exact": exact and good, "good": good, "small": small, **counts}


def figures(game: str, rows: Sequence[Json]) -> tuple[Figure, ...]:
    """Return the figures of one game's renders."""
    how = hex_tables.figures if game in HEX_GAMES else tables.figures
    return how(rows, MOST_BAD, LEAST_EXACT)


def report(game: str, rows: Sequence[Json]) -> str:
    """Return what else there is to say about a game's renders, each one that is not exact first."""
    how = hex_tables.report if game in HEX_GAMES else tables.report
    bad = [row for row in rows if row_wrong(row)]
    lines = [f"    {row['name']} ({_apart(row)}): {row_wrong(row)}" for row in bad]
    return "\n".join(["  not exact:" if lines else "  all exact", *lines, how(rows)])


def _apart(row: Json) -> str:
    small = row["small"] if "small" in row else row["cell_px"] < SMALLEST_PX
    good = row["good"] if "good" in row else row["ok"]
    size = "x".join(map(str, row["size"]))
    notes = ["small"] if small else []
    notes += [] if good else ["not good enough: " + " ".join(row["advice"])]
    return ", ".join([*row["room"], size, *notes])


def row_wrong(row: Json) -> str:
    """Return what is wrong about one table in words, or nothing."""
    if "mistakes" in row:
        return "; ".join(row["mistakes"])
    clay = [f"{row['clay_wrong']} of clay"] if row["clay_wrong"] else []
    return "; ".join([*(" ".join(tile) for tile in row["wrong"]), *clay])


def main(arguments: Sequence[str] | None = None) -> int:
    """Evaluate as the command line asks."""
    shared = os.environ.get(SHARED_VARIABLE)
    parser = argparse.ArgumentParser(prog="python -m models.evaluate.renders", description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", metavar="FOLDER",
                        default=Path(shared, FOLDER) if shared else None)  # fmt: skip
    parser.add_argument("--game", action="append", choices=GAMES, dest="games")
    parser.add_argument("--half", choices=HALVES, default="all", help="of the seeds")
    parser.add_argument("--out", type=Path, default=RESULTS, metavar="DIR")
    parser.add_argument("--workers", type=int, default=0, help="processes; one a core if missing")
    asked = parser.parse_args(arguments)
    if asked.folder is None or not asked.folder.is_dir():
        where = asked.folder or f"the folder that {SHARED_VARIABLE} would name"
        sys.stdout.write(f"left out: there are no renders in {where}\n")
        return 0
    for game in asked.games or GAMES:
        rows = evaluate(asked.folder, game, asked.half, asked.out / "renders", asked.workers)
        if not rows:
            continue
        worst = pictures(asked.out / "renders" / "worst", f"{game}-", asked.out)
        subject = Subject("photoreal", game, figures(game, rows), worst)
        if asked.half == "all":
            save_subject(subject, asked.out)
        sys.stdout.write(f"{subject.text()}\n{report(game, rows)}\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
