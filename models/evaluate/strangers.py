"""Reads photographs on which no tile of ours lies: ``python -m models.evaluate.strangers``.

Other games and pictures without tiles lie in the folder that ``SNAKE_EYE_SHARED`` names, and this
part is left out where it is not set. Each is read for all five games, and for a box that was taught
a moment ago from two photographs. None of them may ever be learnt from.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path

from models.evaluate.detection import write_seen
from models.evaluate.harness import Figure, Subject, every_row, parser_of, shared_photos, tell
from models.evaluate.tables import request_of
from models.evaluate.taught.counting import stages_of, taught
from models.scenes.settings import GAMES
from models.scenes.world.arrays import Json
from vision import Picture, ReadRequest, TableState, TaughtSet, load_picture, read_table

FOLDERS = ("no_tiles", "other_games")
TAUGHT = "taught"
ASKED = (*GAMES, TAUGHT)
SURELY = 0.9


def _row(photo: str, photos: Path, asked: str, worst: Path) -> Json:
    picture = load_picture(photos / photo)
    state = _read(picture, asked, photos)
    entries = [*state.tiles, *state.unsure, *state.aside]
    write_seen(picture, entries, worst / f"{asked}_{Path(photo).name}", bad=bool(entries))
    return {
        "photo": photo, "tiles": len(state.tiles), "aside": len(state.aside),
        "unsure": len(state.unsure), "clay": len(state.clay),
        "claims": [[e.get("tile"), round(float(e["confidence"]), 4)] for e in entries],
        "ok": state.quality.ok, "advice": [a.what for a in state.quality.advice],
    }  # fmt: skip


def _read(picture: Picture, asked: str, photos: Path) -> TableState:
    if asked != TAUGHT:
        return read_table(picture, request_of(asked))
    box = _taught(photos)
    return read_table(picture, ReadRequest("square", box.tile_set), stages_of(box))


@cache
def _taught(photos: Path) -> TaughtSet:
    """Return Qwirkle, taught from its two photographs of all tiles."""
    folder = photos / "qwirkle"
    every = json.loads((folder / "labels.json").read_text("utf-8"))["photos"]
    lessons = {file: tiles for file, tiles in every.items() if "centre" in tiles[0]}
    with tempfile.TemporaryDirectory() as home:
        return taught("qwirkle-taught", "square", folder, lessons, Path(home))


def figures(rows: Sequence[Json]) -> tuple[Figure, ...]:
    """Return the figures of photographs on which nothing is to be seen."""
    seen = [row for row in rows if row["claims"]]
    surely = [row for row in rows if any(sure >= SURELY for _, sure in row["claims"])]
    claimed = [row for row in rows if row["tiles"] or row["aside"]]
    return (
        Figure(f"reads with a tile at {SURELY} or surer", len(surely), len(rows), 100, most=0),
        Figure("reads with any tile at all", len(seen), len(rows), 100, most=1),
        Figure("reads with a tile that is claimed", len(claimed), len(rows), 100),
    )


def _tell(name: str, rows: Sequence[Json], out: Path) -> None:
    """Tell the figures, and how many tiles were seen, folder by folder."""
    lines = []
    for folder in FOLDERS:
        own = [row for row in rows if row["photo"].startswith(folder)]
        claims = [sure for row in own for _, sure in row["claims"]]
        surely = sum(sure >= SURELY for sure in claims)
        lines.append(f"  {folder}: {len(claims)} tiles, {surely} at {SURELY} or surer")
    tell(Subject("strangers", name, figures(rows)), out, *lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Evaluate as the command line asks."""
    asked = parser_of("strangers", __doc__, ASKED).parse_args(arguments)
    photos = shared_photos()
    if photos is None:
        return 0
    out = asked.out / "strangers"
    names = [f"{folder}/{path.name}" for folder in FOLDERS
             for path in sorted((photos / folder).glob("*.jpg"))]  # fmt: skip
    every: list[Json] = []
    for game in asked.games or ASKED:
        work = partial(_row, photos=photos, asked=game, worst=out / "worst")
        rows = every_row(out / f"{game}.jsonl", "photo", names, work, asked.workers)
        every += rows
        _tell(game, rows, asked.out)
    if not asked.games:
        _tell("all", every, asked.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
