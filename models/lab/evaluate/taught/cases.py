"""Boxes that are taught a moment ago, and what is then read of them: lists of pictures."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from models.lab.evaluate.cases import (
    NOTHING,
    SHAPES,
    Case,
    Cases,
    keep_table,
    kept_table,
    labels_of,
    picture_of,
)
from models.lab.evaluate.score import Shown, best_fit, matched
from models.lab.evaluate.taught import wood
from models.lab.evaluate.taught.invented import box_names, table_truth, tables_of, write_lessons
from models.lab.scenes.camera.develop import unpacked
from models.lab.scenes.splits import rng_of
from models.lab.scenes.world.arrays import Array, Json
from models.teaching.examples import folds_of
from models.teaching.labels import parse_labels
from models.teaching.teach import Lesson, teach
from models.teaching.trial import read_with
from vision import (
    ReadRequest,
    Shape,
    Stages,
    TableState,
    TaughtSet,
    find_taught,
    load_picture,
    read_table,
    stages_for,
)
from vision.hexes.cells import turned_cell

SURE = 0.99
TABLES_A_BOX = 2
SHOTS, FOLDS = (1, 5, 20), 5
"""How many squares of each terrain of Kingdomino are learnt from, and how the boards are parted."""
GRID = (5, 5)
ONE_BOARD = 0.8
"""Share of equal cells, in any turn, from which on two photographs show the same board."""


def taught_cases(boxes: int, photos: Path | None, pictures: Path) -> Iterator[Cases]:
    """Yield every box that is taught: photographed ones where there are photographs, drawn ones.

    Args:
        boxes: how many invented boxes of each shape.
        photos: folder of photographs.
        pictures: folder in which drawn pictures are kept.
    """
    if photos is not None:
        yield from photographed_cases(photos)
    tables = range(wood.TABLE_SEEDS, wood.TABLE_SEEDS + max(1, boxes // 2))
    yield Cases("wood", [str(seed) for seed in tables], _wooden_case)
    yield from invented_cases(boxes, pictures)


def box_of(lesson: Lesson) -> TaughtSet:
    """Return a box that is taught, written and loaded again."""
    with tempfile.TemporaryDirectory() as home:
        teach(lesson, Path(home))
        box = find_taught(lesson.name, (Path(home),))
    assert box is not None
    return box


def lesson_of(name: str, shape: Shape, photos: Path, labels: Json, **more: Any) -> Lesson:
    """Return a lesson of labelled photographs."""
    parsed = parse_labels({"photos": dict(labels)}, shape)
    return Lesson(name, shape, photos, parsed, replace=True, **more)


def rated_layout(state: TableState, truth: Mapping[Any, str], folds: int) -> Json:
    """Return the row of a layout whose truth is known up to a shift and turn.

    Args:
        state: the answer.
        truth: the kind on each cell; a hex of several cells is listed by its first.
        folds: turns of the lattice; 1 where its turn is known.
    """
    entries = [*state.tiles, *state.unsure]
    cells = np.array([e["at"] if "at" in e else e["cells"][0] for e in entries]).reshape(-1, 2)
    shared, right, places = best_fit(cells, [str(e["tile"]) for e in entries], truth, folds)
    surely = [
        truth.get(place) == entry["tile"]
        for entry, place in zip(entries, places, strict=True)
        if entry["confidence"] >= SURE
    ]
    occupied, good = shared == len(truth) == len(entries), state.quality.ok
    row = _kinds_row(state, len(truth), right, len(entries), occupied and right == len(truth))
    wrong = len(surely) - sum(surely) if good else 0
    return {**row, "surely": len(surely), "surely_right": sum(surely), "sure_wrong": wrong}


def _kinds_row(state: TableState, tiles: int, right: int, read: int, exact: bool) -> Json:
    """Return the row of an answer of which is known how many tiles are right, and whether all."""
    exact = exact and state.quality.ok
    return {
        **NOTHING,
        "exact": exact,
        "good": state.quality.ok,
        "tiles": tiles,
        "kinds_right": right,
        "unsure": len(state.unsure),
        "mistakes": [] if exact else [f"{tiles} tiles, {read} read, {right} right"],
    }


# --- Invented boxes ---


def invented_cases(boxes: int, folder: Path) -> Iterator[Cases]:
    """Yield tables of held-out invented boxes, taught from two photographs each."""
    keys = [f"{box}-{table}" for box in range(boxes) for table in range(TABLES_A_BOX)]
    for shape in SHAPES:
        yield Cases(f"taught-{shape}", keys, partial(invented_case, shape=shape, folder=folder))


def invented_case(key: str, shape: Shape, folder: Path) -> Case:
    """Return the case of a table of an invented box, by its key ``box-table``."""
    number, table = map(int, key.split("-"))
    name = box_names(shape, number + 1)[number]
    stem = folder / name / f"table-{table}"
    if not stem.with_suffix(".json").exists():
        scene = next(islice(tables_of(name, shape, TABLES_A_BOX), table, None))
        keep_table(stem, scene.jpeg, Shown(scene.bgr, scene.truth))
    shown = kept_table(stem)
    picture, truth = picture_of(shown.bgr), table_truth(name, shown.truth["tiles"])
    rate = partial(rated_layout, truth=truth, folds=folds_of(shape))
    outlines = [tile["outline"] for tile in shown.truth["tiles"]]
    return Case(
        picture, partial(read_with, _invented_box(name, shape, folder), picture), rate, outlines
    )


@cache
def _invented_box(name: str, shape: Shape, folder: Path) -> TaughtSet:
    """Return a box taught from its kept photographs."""
    lessons = folder / name / "lessons"
    written = lessons / "labels.json"
    if not written.exists():
        written.write_text(json.dumps(write_lessons(name, shape, lessons)), "utf-8")
    labels = json.loads(written.read_text("utf-8"))
    return box_of(lesson_of(f"taught-{name}", shape, lessons, labels))


# --- Blocks of wood ---


def _wooden_case(key: str) -> Case:
    """Return the case of a wooden Snekagon with all tiles on its board."""
    layout = wood.lesson_layout(int(key))
    jpeg = wood.photograph(layout, (1280, 960), int(key))
    picture = picture_of(np.asarray(unpacked(jpeg), np.uint8))
    pieces = [(piece.tile, piece.cells) for piece in layout.pieces]
    return Case(picture, partial(read_with, _wooden_box(), picture), partial(_rated_board, pieces))


@cache
def _wooden_box() -> TaughtSet:
    with tempfile.TemporaryDirectory() as folder:
        labels = wood.write_lessons(Path(folder))["photos"]
        more = {"game": wood.GAME, "mapping": wood.owner_map()}
        return box_of(lesson_of("wood", "hex", Path(folder), labels, **more))


def _rated_board(pieces: Sequence[tuple[str, Any]], state: TableState) -> Json:
    """Return the row of a board without eyes, of which any of six turns is right."""
    entries = [*state.tiles, *state.unsure]
    said = {(str(e["tile"]), frozenset((q, r) for q, r in e["cells"])) for e in entries}
    ways = [
        {(tile, frozenset(turned_cell(cell, turn) for cell in cells)) for tile, cells in pieces}
        for turn in range(6)
    ]
    right = max(len(way & said) for way in ways)
    whole = right == len(pieces) == len(said)
    return _kinds_row(state, len(pieces), right, len(said), whole)


# --- Photographed boxes ---


def photographed_cases(photos: Path) -> Iterator[Cases]:
    """Yield photographs of other people's games whose boxes are taught from other photographs."""
    for name, case in (("qwirkle", _qwirkle_case), ("catan", _catan_case)):
        if (photos / name).is_dir():
            keys = [k for k, t in labels_of(photos / name).items() if {"at", "outline"} & set(t[0])]
            yield Cases(name, keys, partial(case, folder=photos / name))
    folder = photos / "kingdomino"
    for shots in SHOTS if folder.is_dir() else ():
        keys = list(labels_of(folder))
        yield Cases(
            f"kingdomino-{shots}", keys, partial(_kingdomino_case, folder=folder, shots=shots)
        )


def _qwirkle_case(key: str, folder: Path) -> Case:
    picture = load_picture(folder / key)
    truth = {(t["at"][0], t["at"][1]): str(t["tile"]) for t in labels_of(folder)[key]}
    rate = partial(rated_layout, truth=truth, folds=folds_of("square"))
    return Case(picture, partial(read_with, qwirkle_box(folder), picture), rate)


@cache
def qwirkle_box(folder: Path) -> TaughtSet:
    """Return Qwirkle, taught from its two photographs of all tiles."""
    lessons = {file: tiles for file, tiles in labels_of(folder).items() if "centre" in tiles[0]}
    return box_of(lesson_of("qwirkle-taught", "square", folder, lessons))


def _catan_case(key: str, folder: Path) -> Case:
    """Return the case of an island that is taught from all other ones."""
    labels = labels_of(folder)
    rest = {name: tiles for name, tiles in labels.items() if name != key}
    box, picture = (
        box_of(lesson_of("catan-taught", "hex", folder, rest)),
        load_picture(folder / key),
    )
    outlines = [tile["outline"] for tile in labels[key]]
    return Case(
        picture, partial(read_with, box, picture), partial(_rated_island, labels[key]), outlines
    )


def _rated_island(tiles: Sequence[Json], state: TableState) -> Json:
    """Return the row of an island, of the tiles that are found on it."""
    entries = [*state.tiles, *state.unsure, *state.aside]
    true, said = ([np.array(one["outline"]) for one in some] for some in (tiles, entries))
    pairs = matched(true, said)
    wrong = [
        f"{tiles[a]['tile']} read as {entries[b]['tile']}"
        for a, b in pairs.items()
        if entries[b]["tile"] != tiles[a]["tile"]
    ]
    right = len(pairs) - len(wrong)
    own = {"exact": right == len(tiles), "tiles": len(pairs), "kinds_right": right}
    return {**NOTHING, **own, "unsure": len(state.unsure), "mistakes": wrong}


def _kingdomino_case(key: str, folder: Path, shots: int) -> Case:
    """Return the case of a board that is taught from a few squares of other boards."""
    labels = labels_of(folder)
    picture, fold = load_picture(folder / key), fold_of(folder)[key]
    box = _kingdomino_box(folder, fold, shots)
    stages = Stages(stages_for(ReadRequest("square")).detect, box.reader)
    read = partial(read_table, picture, ReadRequest("square", box.tile_set, GRID), stages)
    truth = {(t["at"][0], t["at"][1]): str(t["tile"]) for t in labels[key]}
    return Case(picture, read, partial(rated_layout, truth=truth, folds=1))


@cache
def _kingdomino_box(folder: Path, fold: int, shots: int) -> TaughtSet:
    rng, folds = rng_of("kingdomino", fold, shots), fold_of(folder)
    every = [(f, t) for f, ts in labels_of(folder).items() if folds[f] != fold for t in ts]
    taken: dict[str, list[Json]] = {}
    for kind in sorted({tile["tile"] for _, tile in every}):
        own = [one for one in every if one[1]["tile"] == kind]
        for n in rng.permutation(len(own))[:shots]:
            file, tile = own[int(n)]
            taken.setdefault(file, []).append(tile)
    return box_of(lesson_of("kingdomino-taught", "square", folder, taken, grid=GRID))


@cache
def fold_of(folder: Path) -> dict[str, int]:
    """Return the fold of each photograph, all photographs of one board in the same."""
    boards = grouped_boards(labels_of(folder))
    order = rng_of("folds").permutation(len(boards))
    return {file: int(n) % FOLDS for n, files in zip(order, boards, strict=True) for file in files}


def grouped_boards(photos: Mapping[str, Sequence[Json]]) -> list[list[str]]:
    """Return the photographs by the board that they show."""
    boards: list[dict[str, Array]] = []
    for file, entries in photos.items():
        grid = _grid_of(entries)
        alike = (b for b in boards if any(_equal_share(grid, g) >= ONE_BOARD for g in b.values()))
        own = next(alike, None)
        if own is None:
            boards.append(own := {})
        own[file] = grid
    return [list(board) for board in boards]


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
