"""Pictures that golden answers are about, drawn once and kept as files with their truth.

A reader is compared with an earlier one on the very same pictures, also when scenes are drawn
otherwise by then; and reading a file takes a fifth of the time that drawing it does.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from engine.lattice import Cell
from models.evaluate.hex_score import compared, smallest_cell_px
from models.evaluate.one_print import one_print
from models.evaluate.score import SMALLEST_PX, score_table
from models.evaluate.taught import Tally, count_layout
from models.evaluate.taught_invented import box_names, good_lessons, table_cell, tables_of
from models.scenes.arrays import Array
from models.scenes.develop import unpacked
from models.scenes.invented import invented_set
from models.scenes.scene import make_scene
from models.scenes.settings import HEX_GAMES
from models.scenes.splits import Split
from models.training.hex_samples import HexTable, hex_table
from vision import Shape, TableState

Json = dict[str, Any]

SPLIT: Split = "held-out"


@dataclass(frozen=True)
class Shown:
    """A picture and what is known about it."""

    bgr: Array
    truth: Json


@dataclass(frozen=True)
class Marks:
    """What one answer is worth."""

    exact: bool
    """Everything right, on a picture that was called good enough."""
    good: bool
    small: bool
    """Whether tiles are below 24 pixels; such tables are not compared."""
    tiles: int
    unsure: int
    sure_wrong: int
    """Tiles that are claimed and are something else or nothing."""


@dataclass(frozen=True)
class KeptBoard:
    """A board of a kept picture: where its middle is, and which cells are hidden."""

    centre_px: Array
    cell_px: float
    hidden: Mapping[Cell, int]

    def px(self, plane: Array) -> Array:
        """Return the pixels of places near the board's middle, counted in cells."""
        return np.asarray(self.centre_px + np.asarray(plane) * self.cell_px)


@dataclass(frozen=True)
class KeptHexTable:
    """A kept picture of hex boards, as ``hex_score`` compares it."""

    bgr: Array
    boards: tuple[KeptBoard, ...]
    truth: Json


def drawn_table(folder: Path, game: str, seed: int) -> Shown | None:
    """Return a game's table: from its file, or drawn and kept now; ``None`` if it cannot be."""
    draw = _drawn_hexes if game in HEX_GAMES else _drawn_squares
    try:
        return _kept(folder / f"{game}-{seed:06d}", lambda: draw(game, seed))
    except KeyError:
        return None


def marks_of(shown: Shown, state: TableState, game: str, tile_set: Any) -> Marks:
    """Return what an answer about a drawn table is worth."""
    good = state.quality.ok
    if game not in HEX_GAMES:
        score = score_table(shown.truth, state, tile_set)
        exact = score.exact and good
        return Marks(exact, good, score.small, score.tiles, score.unsure, score.sure_wrong)
    small = shown.truth["cell_px"] < SMALLEST_PX
    row = compared(_hex_table(shown), state, game)
    return Marks(row["exact"] and good, good, small, row["tiles"], row["unsure"],
                 row["sure_wrong"])  # fmt: skip


def box_of(folder: Path, shape: Shape, number: int, tables: int) -> tuple[str, list[Shown]]:
    """Return the name of a taught box's folder with its lessons, and tables of it."""
    name = box_names(shape, number + 1)[number]
    home = folder / name
    lessons = home / "lessons"
    if not (lessons / "labels.json").exists():
        _keep_lessons(lessons, name, shape)
    scenes: Iterator[Any] | None = None
    shown = []
    for count in range(tables):
        stem = home / f"table-{count}"
        if not stem.with_suffix(".json").exists():
            scenes = scenes or _skipped(tables_of(name, shape, tables), count)
            scene = next(scenes)
            _write(stem, scene.jpeg, scene.truth)
        shown.append(_read(stem))
    return name, shown


def taught_marks(shown: Shown, state: TableState, name: str, shape: Shape) -> Marks:
    """Return what an answer about a table of a taught box is worth."""
    prints = one_print(invented_set(name))
    truth = {table_cell(tile): prints[str(tile["tile"])] for tile in shown.truth["tiles"]}
    tally = Tally()
    count_layout(tally, state, truth, 4 if shape == "square" else 6, name)
    wrong = tally.sure - tally.sure_right
    return Marks(bool(tally.exact), state.quality.ok, False, len(truth), len(state.unsure), wrong)


def lesson_labels(home: Path) -> Json:
    """Return the labels of a kept box's lessons."""
    return dict(json.loads((home / "lessons" / "labels.json").read_text("utf-8")))


def _keep_lessons(folder: Path, name: str, shape: Shape) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    prints = one_print(invented_set(name))
    labels = {}
    for number, (jpeg, truth) in enumerate(good_lessons(name, shape)):
        (folder / f"{number}.jpg").write_bytes(jpeg)
        labels[f"{number}.jpg"] = [
            {"tile": prints[t["tile"]], "centre": [float(v) for v in np.mean(t["outline"], axis=0)]}
            for t in truth["tiles"]
        ]
    (folder / "labels.json").write_text(json.dumps(labels), "utf-8")


def _skipped(scenes: Iterator[Any], count: int) -> Iterator[Any]:
    for _ in range(count):
        next(scenes)
    return scenes


def _drawn_squares(game: str, seed: int) -> tuple[bytes, Json]:
    scene = make_scene(seed, SPLIT, game)
    return scene.jpeg, scene.truth


def _drawn_hexes(game: str, seed: int) -> tuple[bytes, Json]:
    table = hex_table(seed, game, SPLIT, None)
    return table.jpeg, {**table.truth, "boards": _boards(table), "cell_px": smallest_cell_px(table)}


def _boards(table: HexTable) -> list[Json]:
    """Return of each board what a comparison asks for."""
    return [
        {
            "centre": board.px(np.zeros((1, 2)))[0].tolist(),
            "hidden": [[*cell, share] for cell, share in board.hidden.items()],
        }
        for board in table.boards
    ]


def _hex_table(shown: Shown) -> KeptHexTable:
    boards = tuple(
        KeptBoard(np.array(board["centre"]), shown.truth["cell_px"],
                  {(q, r): share for q, r, share in board["hidden"]})
        for board in shown.truth["boards"]
    )  # fmt: skip
    return KeptHexTable(shown.bgr, boards, shown.truth)


def _kept(stem: Path, draw: Callable[[], tuple[bytes, Json]]) -> Shown:
    """Return a kept picture; one that is not kept is drawn, and its truth written last."""
    if not stem.with_suffix(".json").exists():
        _write(stem, *draw())
    return _read(stem)


def _write(stem: Path, jpeg: bytes, truth: Json) -> None:
    stem.parent.mkdir(parents=True, exist_ok=True)
    stem.with_suffix(".jpg").write_bytes(jpeg)
    stem.with_suffix(".json").write_text(json.dumps(truth), "utf-8")


def _read(stem: Path) -> Shown:
    truth = json.loads(stem.with_suffix(".json").read_text("utf-8"))
    return Shown(unpacked(stem.with_suffix(".jpg").read_bytes()), truth)
