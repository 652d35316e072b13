"""Reads photographs on which no tile of ours lies: ``python -m models.evaluate.strangers``.

Other games and pictures without tiles lie in the folder that ``SNAKE_EYE_SHARED`` names, and this
part is left out where it is not set. Each is read for all five games, and for a box that was taught
a moment ago from two photographs. None of them may ever be learnt from. A run can be broken off and
taken up.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from engine.setfile import built_in_set
from models.evaluate.detection import drawn
from models.evaluate.figures import RESULTS, Figure, Subject, save_subject
from models.evaluate.kept import every_row
from models.evaluate.taught import stages_of, taught
from models.scenes.settings import HEX_GAMES, SQUARE_GAMES
from models.scenes.splits import SHARED_VARIABLE
from vision import Picture, ReadRequest, TableState, TaughtSet, load_picture, read_table

Json = dict[str, Any]

FOLDERS = ("no_tiles", "other_games")
TAUGHT = "taught"
ASKED = (*SQUARE_GAMES, *HEX_GAMES, TAUGHT)
SURELY = 0.9


def evaluate(photos: Path, asked: str, out: Path, workers: int) -> list[Json]:
    """Return a row a photograph, reading those that none is kept for."""
    paths = [f"{folder}/{path.name}" for folder in FOLDERS
             for path in sorted((photos / folder).glob("*.jpg"))]  # fmt: skip
    work = partial(_one, photos=photos, asked=asked, worst=out / "worst")
    return every_row(out / f"{asked}.jsonl", "photo", paths, work, workers)


def _one(photo: str, photos: Path, asked: str, worst: Path) -> Json:
    cv2.setNumThreads(1)
    picture = load_picture(photos / photo)
    state = _read(picture, asked, photos)
    entries = [*state.tiles, *state.unsure, *state.aside]
    path = worst / f"{asked}_{Path(photo).name}"
    path.unlink(missing_ok=True)
    if entries:
        _keep(picture, entries, path)
    return {
        "photo": photo, "tiles": len(state.tiles), "aside": len(state.aside),
        "unsure": len(state.unsure), "clay": len(state.clay),
        "claims": [[e.get("tile"), round(float(e["confidence"]), 4)] for e in entries],
        "ok": state.quality.ok, "advice": [a.what for a in state.quality.advice],
    }  # fmt: skip


def _read(picture: Picture, asked: str, photos: Path) -> TableState:
    if asked == TAUGHT:
        box = _taught(photos)
        return read_table(picture, ReadRequest("square", box.tile_set), stages_of(box))
    tile_set = built_in_set(asked)
    return read_table(picture, ReadRequest(tile_set.lattice, tile_set))


@cache
def _taught(photos: Path) -> TaughtSet:
    """Return Qwirkle, taught from its two photographs of all tiles."""
    folder = photos / "qwirkle"
    every = json.loads((folder / "labels.json").read_text("utf-8"))["photos"]
    lessons = {file: tiles for file, tiles in every.items() if "centre" in tiles[0]}
    with tempfile.TemporaryDirectory() as home:
        return taught("qwirkle-taught", "square", folder, lessons, Path(home))


def _keep(picture: Picture, entries: Sequence[Any], path: Path) -> None:
    """Write a photograph with what was seen on it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    own = [picture.own_px(np.array(e["outline"])) for e in entries if "outline" in e]
    cv2.imwrite(str(path), drawn(picture.bgr, [], own))


def figures(rows: Sequence[Json]) -> tuple[Figure, ...]:
    """Return the figures of photographs on which nothing is to be seen."""
    seen = [row for row in rows if row["claims"]]
    surely = [row for row in rows if any(sure >= SURELY for _, sure in row["claims"])]
    return (
        Figure(f"reads with a tile at {SURELY} or surer", len(surely), len(rows), 100, most=0),
        Figure("reads with any tile at all", len(seen), len(rows), 100, most=1),
        Figure("reads with a tile that is claimed",
               sum(bool(row["tiles"] or row["aside"]) for row in rows), len(rows), 100),
    )  # fmt: skip


def _says(rows: Sequence[Json]) -> str:
    """Return how many tiles were seen, folder by folder."""
    lines = []
    for folder in FOLDERS:
        claims = [sure for row in rows if row["photo"].startswith(folder)
                  for _, sure in row["claims"]]  # fmt: skip
        surely = sum(sure >= SURELY for sure in claims)
        lines.append(f"  {folder}: {len(claims)} tiles, {surely} at {SURELY} or surer")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Evaluate as the command line asks."""
    parser = argparse.ArgumentParser(
        prog="python -m models.evaluate.strangers", description=__doc__
    )
    parser.add_argument("--game", action="append", choices=ASKED, dest="games")
    parser.add_argument("--out", type=Path, default=RESULTS, metavar="DIR")
    parser.add_argument("--workers", type=int, default=0, help="processes; one a core if missing")
    asked = parser.parse_args(arguments)
    shared = os.environ.get(SHARED_VARIABLE)
    photos = Path(shared or "", "photos")
    if not shared or not photos.is_dir():
        sys.stdout.write(f"left out: {SHARED_VARIABLE} names no folder with photos\n")
        return 0
    every: list[Json] = []
    for game in asked.games or ASKED:
        rows = evaluate(photos, game, asked.out / "strangers", asked.workers)
        every += rows
        _say(game, rows, asked.out)
    if not asked.games:
        _say("all", every, asked.out)
    return 0


def _say(name: str, rows: Sequence[Json], out: Path) -> None:
    subject = Subject("strangers", name, figures(rows))
    save_subject(subject, out)
    sys.stdout.write(f"{subject.text()}\n{_says(rows)}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
