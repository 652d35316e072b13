"""Reads real photographs of other boxes: ``python -m models.evaluate.photographs``.

They lie in the folder that ``SNAKE_EYE_SHARED`` names, and this part is left out where it is not
set. All are read from their files just as ``snake-eye read`` does it. Photographs without a tile
are counted by ``models.evaluate.strangers``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from models.evaluate.detection import Asked, Cell, Count, count_in, write_seen
from models.evaluate.harness import Figure, Subject, parser_of, pictures, shared_photos, tell
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
    network = Asked(model).network()
    look = Stages(lambda bgr, told: detect_tiles(bgr, told.shape, network=network),
                  stages_for(request).reader)  # fmt: skip
    return read_table(picture, request, look)


def evaluate_qwirkle(folder: Path, worst: Path, model: str | None = None) -> Count:
    """Return how the layouts of a growing game are read; exact means the same cells are taken.

    What is called aside counts as invented: nothing lies beside the game.
    """
    labels = json.loads((folder / "labels.json").read_text("utf-8"))["photos"]
    count = Count()
    for name, tiles in labels.items():
        if "at" not in tiles[0]:
            continue
        picture = load_picture(folder / name)
        state = read(picture, ReadRequest("square"), model)
        truth = {(tile["at"][0], tile["at"][1]) for tile in tiles}
        cells = {(e["at"][0], e["at"][1]) for e in (*state.tiles, *state.unsure)}
        shared = best_overlap(truth, cells) if cells else 0
        invented = len(cells) - shared + len(state.aside)
        count.pictures += 1
        count.cells += len(truth)
        count.missed += len(truth) - shared
        count.invented += invented
        right = shared == len(truth) and not invented
        count.exact += right
        count.worst.append((len(truth) - shared + invented, name))
        entries = (*state.tiles, *state.unsure, *state.aside)
        write_seen(picture, entries, worst / f"qwirkle_{name}", bad=not right)
    return count


def evaluate_catan(folder: Path, worst: Path, model: str | None = None) -> Count:
    """Return how the hexes of islands are found; corners are off by shares of the radius."""
    labels = json.loads((folder / "labels.json").read_text("utf-8"))["photos"]
    count = Count()
    for name, hexes in labels.items():
        picture = load_picture(folder / name)
        state = read(picture, ReadRequest("hex"), model)
        entries = (*state.tiles, *state.unsure, *state.aside)
        found = [np.array(entry["outline"]) for entry in entries]
        truth = [np.array(one["outline"]) for one in hexes]
        right = count_in(count, truth, [], found, name)
        count.exact += right
        write_seen(picture, entries, worst / f"catan_{name}", bad=not right)
    count.corner_errors = [error * np.sqrt(3) for error in count.corner_errors]
    return count


def layout_figures(count: Count) -> tuple[Figure, ...]:
    """Return the figures of a box that training never saw."""
    return (
        Figure("tiles found", count.cells - count.missed, count.cells, 100, least=99.5),
        Figure("tiles invented", count.invented, count.cells, most=0),
        Figure("layouts exact in occupancy", count.exact, count.pictures, 100, least=90),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Evaluate as the command line asks."""
    parser = parser_of("photographs", __doc__)
    parser.add_argument("--model", help="folder of another detector than the shipped one")
    asked = parser.parse_args(arguments)
    photos = shared_photos()
    if photos is None:
        return 0
    worst = asked.out / "photographs"
    out = asked.out if asked.model is None else asked.out / "other"
    qwirkle = evaluate_qwirkle(photos / "qwirkle", worst, asked.model)
    catan = evaluate_catan(photos / "catan", worst, asked.model)
    hexes = (Figure("hexes found", catan.cells - catan.missed, catan.cells, 100),
             Figure("hexes invented", catan.invented, catan.cells))  # fmt: skip
    for name, count, figures in (
        ("qwirkle", qwirkle, layout_figures(qwirkle)), ("catan", catan, hexes),
    ):  # fmt: skip
        off = 100 * np.array(count.corner_errors)
        corners = f"  corners off by {off.mean():.1f} % ({np.median(off):.1f} median)"
        subject = Subject("photographs", name, figures, pictures(worst, name, asked.out))
        tell(subject, out, corners if len(off) else "", count.worst_line(8))
    return 0


if __name__ == "__main__":
    sys.exit(main())
