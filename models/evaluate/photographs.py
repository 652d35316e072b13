"""Reads real photographs of other boxes: ``python -m models.evaluate.photographs``.

They lie in the folder that ``SNAKE_EYE_SHARED`` names, and this part is left out where it is not
set. All are read from their files just as ``snake-eye read`` does it.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import cv2
import numpy as np

from engine.setfile import built_in_set
from models.evaluate.detection import Asked, Cell, Count, count_in, drawn
from models.evaluate.figures import RESULTS, Figure, Subject, pictures, save_subject
from models.scenes.settings import SQUARE_GAMES
from models.scenes.splits import SHARED_VARIABLE
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
        _keep(picture, state, None if right else worst / f"qwirkle_{name}")
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
        _keep(picture, state, None if right else worst / f"catan_{name}")
    count.corner_errors = [error * np.sqrt(3) for error in count.corner_errors]
    return count


def evaluate_nothing(
    folder: Path, game: str | None, worst: Path, model: str | None = None
) -> Count:
    """Return what is invented where no tiles are, asked for any box or for one game's."""
    request = ReadRequest("square", None if game is None else built_in_set(game))
    count = Count()
    for path in sorted(folder.glob("*.jpg")):
        picture = load_picture(path)
        state = read(picture, request, model)
        seen = len(state.tiles) + len(state.unsure) + len(state.aside)
        count.pictures += 1
        count.exact += not seen
        count.invented += seen
        count.worst.append((seen, path.name))
        _keep(picture, state, worst / f"nothing_{game or 'any'}_{path.name}" if seen else None)
    return count


def _keep(picture: Picture, state: TableState, path: Path | None) -> None:
    """Write what was seen on a picture, where a path is given."""
    if path is None:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    entries = (*state.tiles, *state.unsure, *state.aside)
    own = [picture.own_px(np.array(entry["outline"])) for entry in entries]
    cv2.imwrite(str(path), drawn(picture.bgr, [], own))


def layout_figures(count: Count) -> tuple[Figure, ...]:
    """Return the figures of a box that training never saw."""
    return (
        Figure("tiles found", count.cells - count.missed, count.cells, 100, least=99.5),
        Figure("tiles invented", count.invented, count.cells, most=0),
        Figure("layouts exact in occupancy", count.exact, count.pictures, 100, least=90),
    )


def nothing_figures(counts: dict[str, Count]) -> tuple[Figure, ...]:
    """Return the figures of pictures without tiles, by what was asked for."""
    return tuple(
        Figure(f"pictures on which {asked} sees nothing", count.exact, count.pictures, 100,
               least=100)
        for asked, count in counts.items()
    )  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Evaluate as the command line asks."""
    parser = argparse.ArgumentParser(
        prog="python -m models.evaluate.photographs", description=__doc__
    )
    parser.add_argument("--model", help="folder of another detector than the shipped one")
    parser.add_argument("--out", type=Path, default=RESULTS, metavar="DIR")
    asked = parser.parse_args(arguments)
    shared = os.environ.get(SHARED_VARIABLE)
    photos = Path(shared or "", "photos")
    if not shared or not photos.is_dir():
        sys.stdout.write(f"left out: {SHARED_VARIABLE} names no folder with photos\n")
        return 0
    worst = asked.out / "photographs"
    for old in worst.glob("*.jpg"):
        old.unlink()
    qwirkle = evaluate_qwirkle(photos / "qwirkle", worst, asked.model)
    out = asked.out if asked.model is None else asked.out / "other"
    _say("qwirkle", qwirkle, layout_figures(qwirkle), out)
    catan = evaluate_catan(photos / "catan", worst, asked.model)
    hexes = (Figure("hexes found", catan.cells - catan.missed, catan.cells, 100),
             Figure("hexes invented", catan.invented, catan.cells))  # fmt: skip
    _say("catan", catan, hexes, out)
    nothing = {"--shape square": evaluate_nothing(photos / "no_tiles", None, worst, asked.model)}
    for game in SQUARE_GAMES:
        found = evaluate_nothing(photos / "no_tiles", game, worst, asked.model)
        nothing[f"--game {game}"] = found
    save_and_say("nothing", nothing_figures(nothing), out)
    return 0


def _say(name: str, count: Count, figures: tuple[Figure, ...], out: Path) -> None:
    save_and_say(name, figures, out)
    bad = [f"{photo} ({wrong})" for wrong, photo in sorted(count.worst, reverse=True) if wrong]
    if count.corner_errors:
        off = 100 * np.array(count.corner_errors)
        sys.stdout.write(f"  corners off by {off.mean():.1f} % ({np.median(off):.1f} median)\n")
    if bad:
        sys.stdout.write(f"  worst: {', '.join(bad[:8])}\n")
    sys.stdout.flush()


def save_and_say(name: str, figures: tuple[Figure, ...], out: Path) -> None:
    """Keep and print the figures of one folder."""
    worst = pictures(out / "photographs", name, out)
    subject = Subject("photographs", name, figures, worst)
    save_subject(subject, out)
    sys.stdout.write(subject.text() + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
