"""How well taught boxes are read: ``python -m models.evaluate.teaching PART…``.

Parts: ``qwirkle``, ``kingdomino``, ``catan`` (photographs, in the folder that ``SNAKE_EYE_SHARED``
names; left out where it is not set), ``game`` (a whole game with a taught box), ``features``
(which of them tell prints apart; only when asked for) and ``invented`` (drawn boxes that no
training saw; 200 tables, with ``--workers`` on several cores, and a run that was broken off goes
on where it stopped).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import cv2
import numpy as np

from models.evaluate.detection import corner_error, matched
from models.evaluate.intervals import told
from models.evaluate.taught import SURE, Array, Tally, count_layout, stages_of, taught
from models.evaluate.taught_features import evaluate_features
from models.evaluate.taught_game import evaluate_game
from models.evaluate.taught_invented import evaluate_invented
from models.scenes.splits import SHARED_VARIABLE
from models.teaching.examples import Examples
from models.teaching.labels import Labels, parse_labels
from models.teaching.teach import Lesson, gather, learn
from vision.crop import cut
from vision.detect import detect_tiles
from vision.intake import load_picture
from vision.read import grid_detections, read_table
from vision.request import ReadRequest

Json = Mapping[str, Any]

KEPT_IN = Path("build", "evaluate", "teaching")
SHOTS = (1, 5, 20)
FOLDS = 5
ONE_BOARD = 0.8
"""Photographs with so many equal cells, in any turn, show the same board."""


# --- Photographs ---


def evaluate_qwirkle(folder: Path, home: Path) -> list[str]:
    """Teach from the reference photographs alone and read the growing game."""
    data = json.loads((folder / "labels.json").read_text(encoding="utf-8"))
    references = {f: tiles for f, tiles in data["photos"].items() if "centre" in tiles[0]}
    began = perf_counter()
    box = taught("qwirkle-taught", "square", folder, references, home)
    seconds = perf_counter() - began
    tally, reading = Tally(), 0.0
    for file, tiles in data["photos"].items():
        if file in references:
            continue
        truth = {(t["at"][0], t["at"][1]): str(t["tile"]) for t in tiles}
        began = perf_counter()
        state = read_table(load_picture(folder / file), ReadRequest("square", box.tile_set),
                           stages_of(box))  # fmt: skip
        reading += perf_counter() - began
        count_layout(tally, state, truth, 4, file)
    once = reading / max(tally.tables, 1)
    speed = f"  taught in {seconds:.1f} s, {seconds / once:.0f} times one read of {once:.2f} s"
    return [*tally.lines("qwirkle, taught from two photographs"), speed]


def evaluate_kingdomino(folder: Path) -> list[str]:
    """Teach with few examples a kind and read other boards, five folds grouped by board."""
    data = json.loads((folder / "labels.json").read_text(encoding="utf-8"))
    lesson = Lesson(
        "kingdomino-taught", "square", folder, parse_labels(data, "square"), grid=(5, 5)
    )
    gathered = gather(lesson).examples
    patches = _grid_patches(folder, lesson.labels, (5, 5))
    boards = grouped_boards(data["photos"])
    rng = np.random.default_rng(5)
    fold_of = {file: int(number) % FOLDS for number, files in zip(
        rng.permutation(len(boards)), boards, strict=True) for file in files}  # fmt: skip
    lines = [f"kingdomino: {len(fold_of)} photographs of {len(boards)} boards, {FOLDS} folds"]
    for shots in SHOTS:
        right = count = sure = sure_right = 0
        for fold in range(FOLDS):
            chosen = _few(gathered, {f for f, k in fold_of.items() if k != fold}, shots, rng)
            fitted = learn(lesson, chosen, folder)
            held = [n for n, file in enumerate(gathered.photos) if fold_of[file] == fold]
            for n, reading in zip(held, fitted.reader.read(patches[held]), strict=True):
                good = bool(reading.guesses) and reading.guesses[0].tile == gathered.tiles[n]
                said = reading.guesses[0].confidence if reading.guesses else 0.0
                right, count = right + good, count + 1
                sure, sure_right = sure + (said >= SURE), sure_right + (said >= SURE and good)
        lines.append(f"  {shots} a kind: terrain right {told(right, count, 100)}")
        lines.append(f"    right of those at {SURE} {told(sure_right, sure, 100)}")
    return lines


def evaluate_catan(folder: Path, home: Path) -> list[str]:
    """Find the hexes of the islands, then teach from all photographs but one and read that one."""
    data = json.loads((folder / "labels.json").read_text(encoding="utf-8"))["photos"]
    found = missed = invented = right = read = 0
    errors: list[float] = []
    for file, entries in data.items():
        picture = load_picture(folder / file)
        truth = [np.array(entry["outline"]) for entry in entries]
        outlines = [picture.whole_px(d.corners_px) for d in detect_tiles(picture.bgr, "hex").found]
        pairs = matched(truth, outlines)
        found, missed = found + len(pairs), missed + len(truth) - len(pairs)
        invented += len(outlines) - len(pairs)
        errors += [corner_error(truth[a], outlines[b]) * np.sqrt(3) for a, b in pairs.items()]
    for file, entries in data.items():
        rest = {name: tiles for name, tiles in data.items() if name != file}
        box = taught("catan-taught", "hex", folder, rest, home)
        state = read_table(load_picture(folder / file), ReadRequest("hex", box.tile_set),
                           stages_of(box))  # fmt: skip
        every = [*state.tiles, *state.unsure, *state.aside]
        pairs = matched([np.array(e["outline"]) for e in entries],
                        [np.asarray(e["outline"]) for e in every])  # fmt: skip
        read += len(pairs)
        right += sum(every[b]["tile"] == entries[a]["tile"] for a, b in pairs.items())
    return [
        f"catan: hexes found {told(found, found + missed, 100)}, {invented} invented",
        f"  mean corner error {100 * float(np.mean(errors)):.1f} % of a radius",
        f"  taught from the other photographs: terrain right {told(right, read, 100)}",
    ]


def grouped_boards(photos: Mapping[str, Sequence[Json]]) -> list[list[str]]:
    """Return the photographs by the board that they show."""
    grids = {file: _grid_of(entries) for file, entries in photos.items()}
    boards: list[list[str]] = []
    for file, grid in grids.items():
        for board in boards:
            if any(_equal_share(grid, grids[other]) >= ONE_BOARD for other in board):
                board.append(file)
                break
        else:
            boards.append([file])
    return boards


def _grid_of(entries: Sequence[Json]) -> Array:
    side = 1 + max(max(entry["at"]) for entry in entries)
    grid = np.full((side, side), "", object)
    for entry in entries:
        grid[entry["at"][1], entry["at"][0]] = entry["tile"]
    return grid


def _equal_share(one: Array, other: Array) -> float:
    if one.shape != other.shape:
        return 0.0
    return max(float((one == np.rot90(other, k)).mean()) for k in range(4))


def _few(examples: Examples, files: set[str], shots: int, rng: np.random.Generator) -> Examples:
    """Return so many examples of each kind from some photographs."""
    picked: list[int] = []
    for tile in sorted(set(examples.tiles)):
        mine = [n for n, name in enumerate(examples.tiles)
                if name == tile and examples.photos[n] in files]  # fmt: skip
        picked += [mine[int(k)] for k in rng.permutation(len(mine))[:shots]]
    return examples.some(picked)


def _grid_patches(folder: Path, labels: Labels, grid: tuple[int, int]) -> Array:
    """Return the labelled squares as play would cut them, in the labels' order."""
    out = []
    for file, entries in labels.photos.items():
        picture = load_picture(folder / file)
        found = grid_detections((picture.bgr.shape[1], picture.bgr.shape[0]), grid).found
        cells = [entry.cell for entry in entries if entry.cell is not None]
        out.append(cut(picture.bgr, [found[y * grid[0] + x].corners_px for x, y in cells]))
    return np.concatenate(out)


def main(arguments: Sequence[str] | None = None) -> int:
    """Evaluate as the command line asks."""
    parser = argparse.ArgumentParser(prog="python -m models.evaluate.teaching", description=__doc__)
    parts = ("qwirkle", "kingdomino", "catan", "game", "invented", "features")
    parser.add_argument(
        "parts", nargs="*", default=parts[:-1], metavar="PART", help=", ".join(parts)
    )
    parser.add_argument("--boxes", type=int, default=50, help="invented boxes of each shape")
    parser.add_argument("--tables", type=int, default=2, help="tables read of each")
    parser.add_argument("--workers", type=int, default=1, help="processes for invented boxes")
    parser.add_argument("--out", default=str(KEPT_IN), help="where finished boxes are kept")
    asked = parser.parse_args(arguments)
    shared = os.environ.get(SHARED_VARIABLE)
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        for part in asked.parts:
            for line in _part(part, Path(shared, "photos") if shared else None, home, asked):
                sys.stdout.write(line + "\n")
                sys.stdout.flush()
    return 0


def _part(part: str, photos: Path | None, home: Path, asked: argparse.Namespace) -> Iterator[str]:
    if part in ("invented", "features"):
        evaluate = evaluate_invented if part == "invented" else evaluate_features
        for shape in ("square", "hex"):
            yield from evaluate(shape, asked.boxes, asked.tables, Path(asked.out), asked.workers)
    elif part == "game":
        yield from evaluate_game(home)
    elif photos is None or not (photos / part).is_dir():
        yield f"{part}: left out, {SHARED_VARIABLE} names no photographs"
    elif part == "qwirkle":
        yield from evaluate_qwirkle(photos / part, home)
    elif part == "kingdomino":
        yield from evaluate_kingdomino(photos / part)
    elif part == "catan":
        yield from evaluate_catan(photos / part, home)


if __name__ == "__main__":
    cv2.setNumThreads(2)
    sys.exit(main())
