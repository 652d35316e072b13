"""Reads real photographs of other boxes: ``python -m models.evaluate.photographs``.

They lie in the folder that ``SNAKE_EYE_SHARED`` names, and this part is left out where it is not
set. All are read from their files just as ``snake-eye read`` does it. Photographs without a tile
are counted by ``models.evaluate.strangers``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from models.evaluate.detection import (
    Cell,
    found_row,
    network_of,
    total,
    worst_line,
    write_seen,
)
from models.evaluate.harness import (
    Figure,
    Subject,
    every_row,
    parser_of,
    pictures,
    shared_photos,
    tell,
)
from models.scenes.world.arrays import Json
from vision import Picture, ReadRequest, Stages, TableState, load_picture, read_table, stages_for
from vision.core.lattice import turned_cells
from vision.detect.detect import detect_tiles


def best_overlap(one: Iterable[Cell], other: Iterable[Cell], folds: int = 4) -> int:
    """Return how many cells two layouts share at the best shift and turn."""
    mine, theirs = set(one), np.array(sorted(other))
    best = 0
    for turns in range(folds):
        cells = turned_cells(theirs, np.full(len(theirs), turns), folds)
        for a in mine:
            for b in cells:
                moved = cells + (np.array(a) - b)
                best = max(best, sum((int(x), int(y)) in mine for x, y in moved))
    return best


def read(picture: Picture, request: ReadRequest, model: str | None) -> TableState:
    """Return what is read, perhaps with another detector than the shipped one."""
    if model is None:
        return read_table(picture, request)
    look = Stages(lambda bgr, told: detect_tiles(bgr, told.shape, network=network_of(model)),
                  stages_for(request).reader)  # fmt: skip
    return read_table(picture, request, look)


def _labels(folder: Path) -> Json:
    return dict(json.loads((folder / "labels.json").read_text("utf-8"))["photos"])


def _layout_row(photo: str, folder: Path, worst: Path, model: str | None) -> Json:
    """Return how the layout of a growing game is read; right means the same cells are taken.

    What is called aside counts as invented: nothing lies beside the game.
    """
    picture = load_picture(folder / photo)
    state = read(picture, ReadRequest("square"), model)
    truth = {(tile["at"][0], tile["at"][1]) for tile in _labels(folder)[photo]}
    cells = {(e["at"][0], e["at"][1]) for e in (*state.tiles, *state.unsure)}
    shared = best_overlap(truth, cells) if cells else 0
    missed, invented = len(truth) - shared, len(cells) - shared + len(state.aside)
    right = not missed and not invented
    entries = (*state.tiles, *state.unsure, *state.aside)
    write_seen(picture, entries, worst / f"{folder.name}_{photo}", bad=not right)
    return {"photo": photo, "right": right, "cells": len(truth), "missed": missed,
            "invented": invented, "corners": []}  # fmt: skip


def _hex_row(photo: str, folder: Path, worst: Path, model: str | None) -> Json:
    """Return how the hexes of an island are found; corners are off by shares of the radius."""
    picture = load_picture(folder / photo)
    state = read(picture, ReadRequest("hex"), model)
    entries = (*state.tiles, *state.unsure, *state.aside)
    truth = [np.array(one["outline"]) for one in _labels(folder)[photo]]
    row = found_row(truth, [], [np.array(entry["outline"]) for entry in entries])
    write_seen(picture, entries, worst / f"{folder.name}_{photo}", bad=not row["right"])
    return {**row, "photo": photo, "corners": [error * np.sqrt(3) for error in row["corners"]]}


def layout_figures(rows: Sequence[Json]) -> tuple[Figure, ...]:
    """Return the figures of a box that training never saw."""
    cells, missed, invented = (total(rows, key) for key in ("cells", "missed", "invented"))
    return (
        Figure("tiles found", cells - missed, cells, 100, least=99.5),
        Figure("tiles invented", invented, cells, most=0),
        Figure("layouts exact in occupancy", total(rows, "right"), len(rows), 100, least=90),
    )


def hex_figures(rows: Sequence[Json]) -> tuple[Figure, ...]:
    """Return the figures of islands of hexes."""
    cells, missed, invented = (total(rows, key) for key in ("cells", "missed", "invented"))
    return (Figure("hexes found", cells - missed, cells, 100),
            Figure("hexes invented", invented, cells))  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Evaluate as the command line asks."""
    parser = parser_of("photographs", __doc__)
    parser.add_argument("--model", help="folder of another detector than the shipped one")
    asked = parser.parse_args(arguments)
    photos = shared_photos()
    if photos is None:
        return 0
    kept = asked.out if asked.model is None else None
    worst = asked.out / "photographs"
    for name, row, figures in (
        ("qwirkle", _layout_row, layout_figures), ("catan", _hex_row, hex_figures),
    ):  # fmt: skip
        folder = photos / name
        # Photographs of a game; those to learn from are labelled otherwise.
        names = [n for n, tiles in _labels(folder).items() if {"at", "outline"} & set(tiles[0])]
        work = partial(row, folder=folder, worst=worst, model=asked.model)
        path = None if kept is None else worst / f"{name}.jsonl"
        rows = every_row(path, "photo", names, work, asked.workers)
        off = 100 * np.array([error for one in rows for error in one["corners"]])
        corners = f"  corners off by {off.mean():.1f} % ({np.median(off):.1f} median)"
        subject = Subject("photographs", name, figures(rows), pictures(worst, name, asked.out))
        tell(subject, kept, corners if len(off) else "", worst_line(names, rows, 8))
    return 0


if __name__ == "__main__":
    sys.exit(main())
