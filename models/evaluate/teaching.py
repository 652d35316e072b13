"""How well taught boxes are read: ``python -m models.evaluate.teaching PART…``.

Parts: ``qwirkle``, ``kingdomino``, ``catan`` (photographs, in the folder that ``SNAKE_EYE_SHARED``
names; left out where it is not set) and ``invented`` (drawn boxes that no training saw).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from models.evaluate.detection import LEAST_WIDE_PX, corner_error, matched, width_of
from models.evaluate.intervals import told
from models.scenes.arrange import extent_of
from models.scenes.invented import invented_set
from models.scenes.lattices import Spot, cell_middles, laid
from models.scenes.scene import Scene, camera_for, painted, photographed, scene_from
from models.scenes.settings import draw_settings
from models.scenes.splits import SHARED_VARIABLE, invented_names
from models.scenes.things import TableTop
from models.scenes.truth import truth_of
from models.teaching.examples import Examples
from models.teaching.labels import Labels, parse_labels
from models.teaching.teach import Lesson, gather, learn, teach
from vision.crop import cut
from vision.detect import detect_tiles
from vision.intake import Picture, load_picture
from vision.lattice import turned_cells
from vision.read import Stages, grid_detections, read_table, stages_for
from vision.request import ReadRequest
from vision.taught import TaughtSet, find_taught
from vision.types import Shape, TableState

Array = npt.NDArray[Any]
Cell = tuple[int, int]
Json = Mapping[str, Any]

SHOTS = (1, 5, 20)
FOLDS = 5
ONE_BOARD = 0.8
"""Photographs with so many equal cells, in any turn, show the same board."""
SURE = 0.99
LEAST_SEEN = 0.8
"""Tables with tiles that a hand or the picture's edge hides more are not read here."""
LESSONS = 100
"""Seeds below are those of the photographs to learn from."""
TABLE_SIZES = ((1280, 960), (1920, 1080), (1280, 720))


@dataclass
class Tally:
    """What was read right."""

    tables: int = 0
    occupied: int = 0
    """Tables with every tile in its place and none too many."""
    exact: int = 0
    """The same with every kind right, unsure ones by their first guess."""
    tiles: int = 0
    right: int = 0
    unsure: int = 0
    sure: int = 0
    sure_right: int = 0
    not_good: int = 0
    worst: list[str] = field(default_factory=list)

    def lines(self, name: str) -> list[str]:
        """Return the figures in words."""
        return [
            f"{name}: {self.tables} tables",
            f"  exact in occupancy {told(self.occupied, self.tables, 100)}",
            f"  wholly exact {told(self.exact, self.tables, 100)}",
            f"  kinds right, of tiles {told(self.right, self.tiles, 100)}",
            f"  unsure {told(self.unsure, self.tiles, 1000)}",
            f"  right of those at {SURE} {told(self.sure_right, self.sure, 100)}",
            f"  called not good enough {told(self.not_good, self.tables, 100)}",
            *([f"  worst: {'; '.join(self.worst[:8])}"] if self.worst else []),
        ]


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


# --- Teaching and reading ---


def taught(
    name: str, shape: Shape, photos: Path, labels: Mapping[str, Any], home: Path
) -> TaughtSet:
    """Return a box taught from labelled photographs, kept and loaded again."""
    parsed = parse_labels({"photos": dict(labels)}, shape)
    teach(Lesson(name, shape, photos, parsed), home)
    box = find_taught(name, (home,))
    assert box is not None
    return box


def stages_of(box: TaughtSet) -> Stages:
    """Return the shipped stages with a taught reader."""
    plain = stages_for(ReadRequest(box.tile_set.lattice))
    return Stages(plain.detect, box.reader)


def count_layout(
    tally: Tally, state: TableState, truth: Mapping[Cell, str], folds: int, name: str
) -> None:
    """Add one table whose truth is known up to shift and turn."""
    entries = [*state.tiles, *state.unsure]
    cells = np.array([e["at"] if "at" in e else e["cells"][0] for e in entries]).reshape(-1, 2)
    shared, right, places = best_fit(cells, [str(e["tile"]) for e in entries], truth, folds)
    tally.tables += 1
    tally.tiles += len(truth)
    tally.right += right
    tally.unsure += len(state.unsure)
    tally.not_good += not state.quality.ok
    occupied = shared == len(truth) == len(entries)
    tally.occupied += occupied
    tally.exact += occupied and right == len(truth)
    for entry, place in zip(entries, places, strict=True):
        if entry["confidence"] >= SURE:
            tally.sure += 1
            tally.sure_right += truth.get(place) == entry["tile"]
    if not occupied or right < len(truth):
        tally.worst.append(f"{name} ({len(truth)} tiles, {len(entries)} read, {right} right)")


def best_fit(
    cells: Array, tiles: Sequence[str], truth: Mapping[Cell, str], folds: int
) -> tuple[int, int, list[Cell]]:
    """Return how many cells and kinds agree at the best shift and turn, and the cells there."""
    best: tuple[int, int, list[Cell]] = (0, 0, [(10**6, 0)] * len(cells))
    for turn in range(folds if len(cells) else 0):
        turned = turned_cells(cells, np.full(len(cells), turn), folds)
        gaps = (np.array(list(truth))[:, None] - turned[None]).reshape(-1, 2)
        for shift in np.unique(gaps, axis=0):
            moved = [(int(x), int(y)) for x, y in turned + shift]
            shared = sum(cell in truth for cell in moved)
            right = sum(truth.get(c) == t for c, t in zip(moved, tiles, strict=True))
            best = max(best, (shared, right, moved), key=lambda way: way[:2])
    return best


# --- Drawn boxes ---


def evaluate_invented(shape: Shape, boxes: int, tables: int, home: Path) -> list[str]:
    """Teach held-out invented boxes from two drawn photographs each and read other tables."""
    tally, kinds = Tally(), 0
    for name in invented_names("held-out", shape)[:boxes]:
        box = _taught_invented(name, shape, home)
        kinds += len(box.tile_set.kinds)
        for scene in _tables_of(name, shape, tables):
            truth = {_cell(t): str(t["tile"]) for t in scene.truth["tiles"]}
            picture = Picture(scene.bgr, (scene.bgr.shape[1], scene.bgr.shape[0]))
            state = read_table(picture, ReadRequest(shape, box.tile_set), stages_of(box))
            count_layout(tally, state, truth, 4 if shape == "square" else 6, name)
    return tally.lines(f"invented {shape}, {boxes} boxes, {kinds} kinds")


def _taught_invented(name: str, shape: Shape, home: Path) -> TaughtSet:
    """Return an invented box taught from two photographs that show every kind once."""
    photos = home / name
    photos.mkdir(parents=True, exist_ok=True)
    labels: dict[str, list[Json]] = {}
    for number in range(2):
        jpeg, truth = _lesson_photo(name, shape, number)
        (photos / f"{number}.jpg").write_bytes(jpeg)
        labels[f"{number}.jpg"] = [
            {"tile": t["tile"], "centre": [float(v) for v in np.mean(t["outline"], axis=0)]}
            for t in truth["tiles"]
        ]
    return taught(f"taught-{name}", shape, photos, labels, home)


def _lesson_photo(name: str, shape: Shape, number: int) -> tuple[bytes, Json]:
    """Return a photograph of every kind in rows, edge to edge, and its truth."""
    box = invented_set(name)
    settings = draw_settings(number, "held-out", f"invented-{shape}", (1600, 1200))
    camera = replace(settings.camera, elevation_deg=max(settings.camera.elevation_deg, 70.0),
                     fill=0.9, aim=(0.0, 0.0))  # fmt: skip
    settings = replace(settings, set_name=name, camera=camera)
    rng = np.random.default_rng(number)
    steps, step = (4 if shape == "square" else 6), box.pitch_mm + settings.cards.gap_mm
    columns = int(np.ceil(np.sqrt(len(box.faces) * 1.3)))
    spots = []
    for n, kind in enumerate(rng.permutation(sorted(box.faces))):
        y, x = divmod(n, columns)
        cell = (x, y) if shape == "square" else (x - y // 2, y)
        middle = cell_middles([cell], step, shape)[0]
        turns = int(rng.integers(steps))
        truth = {"tile": str(kind), "at": list(cell), "turns": turns % box.periods[str(kind)]}
        spots.append(Spot(str(kind), (float(middle[0]), float(middle[1])), 360.0 / steps * turns,
                          np.zeros((1, 2)), truth))  # fmt: skip
    items = laid(spots, settings.cards, step, rng)
    top = TableTop(tuple(items), dict(box.faces), extent_of(items, dict(box.faces)))
    view = camera_for(settings, top.extent_mm)
    canvas = painted(settings, top, view)
    return photographed(settings, canvas), truth_of(top, canvas)


def _tables_of(name: str, shape: Shape, count: int) -> Iterator[Scene]:
    """Yield drawn tables of one box on which every tile is well seen."""
    seed = LESSONS
    while count:
        size = TABLE_SIZES[seed % len(TABLE_SIZES)]
        settings = draw_settings(seed, "held-out", f"invented-{shape}", size)
        scene = scene_from(replace(settings, set_name=name))
        seed += 1
        if all(t["visible"] >= LEAST_SEEN and not t["cut"] and width_of(np.array(t["outline"])) >=
               LEAST_WIDE_PX for t in scene.truth["tiles"]):  # fmt: skip
            count -= 1
            yield scene


def _cell(entry: Json) -> Cell:
    x, y = entry["at"] if "at" in entry else entry["cells"][0]
    return int(x), int(y)


def main(arguments: Sequence[str] | None = None) -> int:
    """Evaluate as the command line asks."""
    parser = argparse.ArgumentParser(prog="python -m models.evaluate.teaching", description=__doc__)
    parts = ("qwirkle", "kingdomino", "catan", "invented")
    parser.add_argument("parts", nargs="*", default=parts, metavar="PART", help=", ".join(parts))
    parser.add_argument("--boxes", type=int, default=50, help="invented boxes of each shape")
    parser.add_argument("--tables", type=int, default=2, help="tables read of each")
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
    if part == "invented":
        yield from evaluate_invented("square", asked.boxes, asked.tables, home)
        yield from evaluate_invented("hex", asked.boxes, asked.tables, home)
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
