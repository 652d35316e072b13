"""Reads real photographs: ``python -m models.lab.evaluate.photographs [strangers]``.

They lie in the folder that ``SNAKE_EYE_SHARED`` names, and this part is left out where it is not
set. All are read from their files just as ``snake-eye read`` does it. Boxes that training never saw
are read as tiles of any box. With ``strangers`` those on which no tile of ours lies are read: other
games and pictures without tiles, each for all five games, and for a box that was taught a moment
ago from two photographs. None of them may ever be learnt from.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path

import numpy as np

from models.lab.evaluate.harness import (
    WORST,
    Figure,
    Subject,
    counted,
    parser_of,
    shared_photos,
    tell,
)
from models.lab.evaluate.score import matched, write_bad
from models.lab.evaluate.tables import request_of
from models.lab.evaluate.taught.counting import best_fit, taught
from models.lab.scenes.settings import GAMES
from models.lab.scenes.world.arrays import Array, Json
from models.teaching.trial import read_with
from vision import Picture, ReadRequest, TableState, TaughtSet, load_picture, read_table
from vision.core.types import width_of

STRANGERS = "strangers"
FOLDERS = ("no_tiles", "other_games")
TAUGHT = "taught"
ASKED = (*GAMES, TAUGHT)
SURELY = 0.9
FOUND = (0, 0, 255)
"""Colour of outlines on the worst pictures."""


def _labels(folder: Path) -> Json:
    return dict(json.loads((folder / "labels.json").read_text("utf-8"))["photos"])


def _seen(picture: Picture, state: TableState, stem: Path, *, bad: bool) -> None:
    """Write a bad photograph with everything that was read on it."""
    entries = (*state.tiles, *state.unsure, *state.aside)
    own = [picture.own_px(np.array(e["outline"])) for e in entries if "outline" in e]
    write_bad(stem, picture.bgr, [(own, FOUND)], bad=bad)


# --- Boxes that training never saw ---


def _layout_row(photo: str, folder: Path, worst: Path) -> Json:
    """Return the row of a growing game's layout; right means that the same cells are taken.

    Entries aside count as invented, since nothing lies beside the game.
    """
    picture = load_picture(folder / photo)
    state = read_table(picture, ReadRequest("square"))
    truth = {(tile["at"][0], tile["at"][1]): "" for tile in _labels(folder)[photo]}
    cells = {(e["at"][0], e["at"][1]) for e in (*state.tiles, *state.unsure)}
    shared = best_fit(np.array(sorted(cells)).reshape(-1, 2), [""] * len(cells), truth, 4)[0]
    missed, invented = len(truth) - shared, len(cells) - shared + len(state.aside)
    right = not missed and not invented
    _seen(picture, state, worst / f"{folder.name}-{Path(photo).stem}", bad=not right)
    return {
        "photo": photo,
        "right": right,
        "cells": len(truth),
        "missed": missed,
        "invented": invented,
        "corners": [],
    }


def _hex_row(photo: str, folder: Path, worst: Path) -> Json:
    """Return the row of an island of hexes; errors of corners are shares of the radius."""
    picture = load_picture(folder / photo)
    state = read_table(picture, ReadRequest("hex"))
    entries = (*state.tiles, *state.unsure, *state.aside)
    truth = [np.array(one["outline"]) for one in _labels(folder)[photo]]
    row = _found_row(truth, [np.array(entry["outline"]) for entry in entries])
    _seen(picture, state, worst / f"{folder.name}-{Path(photo).stem}", bad=not row["right"])
    return {**row, "photo": photo, "corners": [error * np.sqrt(3) for error in row["corners"]]}


def _found_row(truth: Sequence[Array], found: Sequence[Array]) -> Json:
    """Return what was found of the cells of a photograph, and what was not."""
    pairs = matched(truth, found)
    missed, invented = len(truth) - len(pairs), len(found) - len(pairs)
    return {
        "right": not missed and not invented,
        "cells": len(truth),
        "missed": missed,
        "invented": invented,
        "corners": [round(_corner_error(truth[a], found[b]), 5) for a, b in pairs.items()],
    }


def _corner_error(truth: Array, found: Array) -> float:
    """Return the mean distance of corners in widths, for the order that fits best."""
    errors = [
        float(np.linalg.norm(truth - np.roll(order, shift, axis=0), axis=1).mean())
        for order in (found, found[::-1])
        for shift in range(len(truth))
    ]
    return min(errors) / width_of(truth)


def _total(rows: Sequence[Json], key: str) -> int:
    return sum(int(row[key]) for row in rows)


def layout_figures(rows: Sequence[Json]) -> tuple[Figure, ...]:
    """Return the figures of a box that training never saw."""
    cells, missed, invented = (_total(rows, key) for key in ("cells", "missed", "invented"))
    return (
        Figure("tiles found", cells - missed, cells, 100, least=99.5),
        Figure("tiles invented", invented, cells, most=0),
        Figure("layouts exact in occupancy", _total(rows, "right"), len(rows), 100, least=90),
    )


def hex_figures(rows: Sequence[Json]) -> tuple[Figure, ...]:
    """Return the figures of islands of hexes."""
    cells, missed, invented = (_total(rows, key) for key in ("cells", "missed", "invented"))
    return (
        Figure("hexes found", cells - missed, cells, 100),
        Figure("hexes invented", invented, cells),
    )


def _corners(rows: Sequence[Json]) -> list[str]:
    off = 100 * np.array([error for one in rows for error in one["corners"]])
    if not len(off):
        return []
    return [f"  corners off by {off.mean():.1f} % ({np.median(off):.1f} median)"]


def _boxes(photos: Path, asked: argparse.Namespace) -> None:
    for name, row, figures in (
        ("qwirkle", _layout_row, layout_figures),
        ("catan", _hex_row, hex_figures),
    ):
        folder = photos / name
        # Photographs of a game; those to learn from have other labels.
        names = [n for n, tiles in _labels(folder).items() if {"at", "outline"} & set(tiles[0])]
        work = partial(row, folder=folder, worst=asked.out / "photographs" / WORST)
        counted(asked, "photographs", name, names, work, figures, _corners, key="photo")


# --- Photographs without a tile of ours ---


def _strange_row(photo: str, photos: Path, game: str, worst: Path) -> Json:
    picture = load_picture(photos / photo)
    state = _read(picture, game, photos)
    entries = [*state.tiles, *state.unsure, *state.aside]
    _seen(picture, state, worst / f"{game}-{Path(photo).stem}", bad=bool(entries))
    return {
        "photo": photo,
        "tiles": len(state.tiles),
        "aside": len(state.aside),
        "claims": [[e.get("tile"), round(float(e["confidence"]), 4)] for e in entries],
    }


def _read(picture: Picture, game: str, photos: Path) -> TableState:
    if game == TAUGHT:
        return read_with(_taught(photos), picture)
    return read_table(picture, request_of(game))


@cache
def _taught(photos: Path) -> TaughtSet:
    """Return Qwirkle, taught from its two photographs of all tiles."""
    folder = photos / "qwirkle"
    lessons = {file: tiles for file, tiles in _labels(folder).items() if "centre" in tiles[0]}
    with tempfile.TemporaryDirectory() as home:
        return taught("qwirkle-taught", "square", folder, lessons, Path(home))


def strange_figures(rows: Sequence[Json]) -> tuple[Figure, ...]:
    """Return the figures of photographs that show no tile of ours."""
    seen = [row for row in rows if row["claims"]]
    surely = [row for row in rows if any(sure >= SURELY for _, sure in row["claims"])]
    claimed = [row for row in rows if row["tiles"] or row["aside"]]
    return (
        Figure(f"reads with a tile at {SURELY} or surer", len(surely), len(rows), 100, most=0),
        Figure("reads with any tile at all", len(seen), len(rows), 100, most=1),
        Figure("reads with a tile that is claimed", len(claimed), len(rows), 100),
    )


def _by_folder(rows: Sequence[Json]) -> list[str]:
    """Return how many tiles were seen, folder by folder."""
    lines = []
    for folder in FOLDERS:
        own = [row for row in rows if row["photo"].startswith(folder)]
        claims = [sure for row in own for _, sure in row["claims"]]
        surely = sum(sure >= SURELY for sure in claims)
        lines.append(f"  {folder}: {len(claims)} tiles, {surely} at {SURELY} or surer")
    return lines


def _strangers(photos: Path, asked: argparse.Namespace) -> None:
    names = [
        f"{folder}/{path.name}"
        for folder in FOLDERS
        for path in sorted((photos / folder).glob("*.jpg"))
    ]
    every: list[Json] = []
    for game in asked.games or ASKED:
        work = partial(_strange_row, photos=photos, game=game, worst=asked.out / STRANGERS / WORST)
        every += counted(
            asked, STRANGERS, game, names, work, strange_figures, _by_folder, key="photo"
        )
    if not asked.games:
        tell(Subject(STRANGERS, "all", strange_figures(every)), asked.out, *_by_folder(every))


def main(arguments: Sequence[str] | None = None) -> int:
    """Evaluate as the command line asks."""
    parser = parser_of("photographs", __doc__, ASKED)
    parser.add_argument("part", nargs="?", choices=[STRANGERS])
    asked = parser.parse_args(arguments)
    photos = shared_photos()
    if photos is not None:
        (_strangers if asked.part else _boxes)(photos, asked)
    return 0


if __name__ == "__main__":
    sys.exit(main())
