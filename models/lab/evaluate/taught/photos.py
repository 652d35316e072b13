"""How well boxes are read that were taught from photographs of other people's games."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from models.lab.evaluate.harness import told
from models.lab.evaluate.score import matched
from models.lab.evaluate.taught.counting import SURE, Tally, count_layout, taught
from models.lab.scenes.world.arrays import Array
from models.teaching.examples import Examples
from models.teaching.labels import Labels, parse_labels
from models.teaching.teach import Lesson, gather, learn
from models.teaching.trial import read_with
from vision import load_picture
from vision.core.crop import cut
from vision.core.types import TOLD as UNSURE_BELOW
from vision.read import grid_detections

Json = Mapping[str, Any]

SHOTS = (1, 5, 20)
FOLDS = 5
FOLD_SEED = 5
ONE_BOARD = 0.8
"""Share of equal cells, in any turn, from which on two photographs show the same board."""


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
        state = read_with(box, load_picture(folder / file))
        reading += perf_counter() - began
        count_layout(tally, state, truth, "square", file)
    once = reading / max(tally.tables, 1)
    speed = f"  taught in {seconds:.1f} s, {seconds / once:.0f} times one read of {once:.2f} s"
    return [*tally.lines("qwirkle, taught from two photographs"), speed]


def evaluate_kingdomino(folder: Path, home: Path) -> Iterator[str]:
    """Teach with few examples per kind and read other boards, five folds grouped by board."""
    data = json.loads((folder / "labels.json").read_text(encoding="utf-8"))
    lesson = Lesson(
        "kingdomino-taught", "square", folder, parse_labels(data, "square"), grid=(5, 5)
    )
    gathered = gather(lesson).examples
    patches = _grid_patches(folder, lesson.labels, (5, 5))
    boards = grouped_boards(data["photos"])
    rng = np.random.default_rng(FOLD_SEED)
    fold_of = {
        file: int(number) % FOLDS
        for number, files in zip(rng.permutation(len(boards)), boards, strict=True)
        for file in files
    }
    yield f"kingdomino: {FOLDS} folds, all photographs of one board in the same"
    for shots in SHOTS:
        counts = np.zeros(5, int)
        for fold in range(FOLDS):
            chosen = _few(gathered, {f for f, k in fold_of.items() if k != fold}, shots, rng)
            held = [n for n, file in enumerate(gathered.photos) if fold_of[file] == fold]
            readings = learn(lesson, chosen, home).reader.read(patches[held])
            for n, reading in zip(held, readings, strict=True):
                good = bool(reading.guesses) and reading.guesses[0].tile == gathered.tiles[n]
                said = reading.guesses[0].confidence if reading.guesses else 0.0
                unsure = said < UNSURE_BELOW
                counts += (good, 1, said >= SURE, said >= SURE and good, unsure)
        right, count, sure, sure_right, doubted = (int(n) for n in counts)
        yield f"  {shots} a kind: terrain right {told(right, count, 100)}"
        yield f"    right of those at {SURE} {told(sure_right, sure, 100)}"
        yield f"    unsure {told(doubted, count, 100)}"


def evaluate_catan(folder: Path, home: Path) -> list[str]:
    """Teach from all photographs of islands but one and read that one."""
    data = json.loads((folder / "labels.json").read_text(encoding="utf-8"))["photos"]
    right = read = 0
    for file, entries in data.items():
        rest = {name: tiles for name, tiles in data.items() if name != file}
        box = taught("catan-taught", "hex", folder, rest, home)
        state = read_with(box, load_picture(folder / file))
        every = [*state.tiles, *state.unsure, *state.aside]
        pairs = matched(
            [np.array(e["outline"]) for e in entries], [np.asarray(e["outline"]) for e in every]
        )
        read += len(pairs)
        right += sum(every[b]["tile"] == entries[a]["tile"] for a, b in pairs.items())
    return [f"catan, taught from the other photographs: terrain right {told(right, read, 100)}"]


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
    """Return at most ``shots`` examples of each kind from the given photographs."""
    picked: list[int] = []
    for tile in sorted(set(examples.tiles)):
        mine = [
            n
            for n, name in enumerate(examples.tiles)
            if name == tile and examples.photos[n] in files
        ]
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
