"""Reads photoreal renders: ``python -m models.lab.evaluate.renders FOLDER --workers 2``.

The folder holds what ``python -m models.lab.scenes.photoreal`` made: pictures of lights, surfaces
and seeds that no training saw, each with its truth. They are read from their files as play
reads them and counted as drawn tables are. Without a folder, ``renders`` in the folder that
``SNAKE_EYE_SHARED`` names is taken; where there is none, this part is left out.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from engine.lattice import hex_board
from models.lab.evaluate import tables
from models.lab.evaluate.harness import WORST, counted, parser_of, say
from models.lab.evaluate.score import SeenBoard, Shown, row_of, write_misread
from models.lab.scenes.photoreal.boards import SIDE, places_mm, projected
from models.lab.scenes.settings import GAMES, HEX_GAMES
from models.lab.scenes.splits import SHARED_VARIABLE
from models.lab.scenes.world.arrays import Json
from vision import Picture, load_picture, read_table

FOLDER, PART = "renders", "photoreal"
MOST_BAD, LEAST_EXACT = 3.0, 97.0
"""Wrong tiles in a thousand and exact tables in a hundred that are wanted."""


def rendered(folder: Path, game: str) -> list[str]:
    """Return the names of a game's finished renders."""
    names = sorted(path.stem for path in folder.glob(f"{game}-*-[0-9]*.jpg"))
    return [name for name in names if (folder / f"{name}.json").is_file()]


def shown_render(folder: Path, name: str, game: str) -> tuple[Shown, Picture]:
    """Return one render with its truth, and its picture as play loads it."""
    truth = json.loads((folder / f"{name}.json").read_text("utf-8"))
    picture = load_picture(folder / f"{name}.jpg")
    boards = rendered_boards(truth) if game in HEX_GAMES else ()
    return Shown(picture.bgr, truth, boards), picture


def rendered_boards(truth: Json) -> tuple[SeenBoard, ...]:
    """Return the boards of a truth, in their order round the ring."""
    boards = []
    for entry in truth["boards"]:
        hidden = dict.fromkeys(hex_board(SIDE), 0)
        hidden.update({(h["cell"][0], h["cell"][1]): h["hidden"] for h in entry["hidden"]})
        boards.append(SeenBoard(hidden, partial(_px, truth["camera"], entry["plane"])))
    return tuple(boards)


def _px(camera: Json, board: Json, plane: Any) -> Any:
    return projected(camera, places_mm(board, plane))


def _row(name: str, folder: Path, game: str, worst: Path) -> Json:
    shown, picture = shown_render(folder, name, game)
    state = read_table(picture, tables.request_of(game))
    facts = {key: shown.truth[key] for key in ("seed", "room")}
    row = {"name": name, **facts, **row_of(shown, state, game)}
    write_misread(worst / name, shown, state, row, bad=not row["exact"])
    return row


def report(rows: Sequence[Json]) -> list[str]:
    """Return what else there is to say about a game's renders, each one that is not exact first."""
    lines = [
        f"    {row['name']} ({_apart(row)}): {'; '.join(row['mistakes'])}"
        for row in rows
        if row["mistakes"]
    ]
    first = "  not exact:" if lines else "  all exact"
    return [first, *lines, *tables.report(rows)]


def _apart(row: Json) -> str:
    notes = ["small"] if row["small"] else []
    notes += [] if row["good"] else ["not good enough: " + " ".join(row["advice"])]
    return ", ".join([*row["room"], "x".join(map(str, row["size"])), *notes])


def main(arguments: Sequence[str] | None = None) -> int:
    """Evaluate as the command line asks."""
    shared = os.environ.get(SHARED_VARIABLE)
    parser = parser_of("renders", __doc__, GAMES)
    parser.add_argument(
        "folder",
        type=Path,
        nargs="?",
        metavar="FOLDER",
        default=Path(shared, FOLDER) if shared else None,
    )
    asked = parser.parse_args(arguments)
    if asked.folder is None or not asked.folder.is_dir():
        where = asked.folder or f"the folder that {SHARED_VARIABLE} would name"
        say(f"left out: there are no renders in {where}")
        return 0
    figures = partial(tables.figures, most_bad=MOST_BAD, least_exact=LEAST_EXACT)
    for game in asked.games or GAMES:
        names = rendered(asked.folder, game)
        work = partial(_row, folder=asked.folder, game=game, worst=asked.out / PART / WORST)
        counted(asked, PART, game, names, work, figures, report, key="name")
    return 0


if __name__ == "__main__":
    sys.exit(main())
