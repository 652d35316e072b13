"""Golden answers: all that a reader says, kept picture by picture and compared with an earlier one.

``make golden`` reads the same pictures again and again: drawn tables of the five games, boxes that
are taught from two photographs, photographs and renders where there are any, and films when asked
for. Pictures are drawn once and kept as files with their truth, so that readers are compared on the
very same ones. ``AGAINST=FOLDER`` names the answers of an earlier reader: the output says how many
answers differ in any byte, and for each game what was lost and won, by McNemar's test, with sure
and wrong tiles.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from models.lab.evaluate.harness import (
    every_row,
    kept_rows,
    known_parts,
    mcnemar,
    parser_of,
    say,
    shared_photos,
)
from models.lab.evaluate.renders import rendered, shown_render
from models.lab.evaluate.score import SeenBoard, Shown, row_of, smallest_cell_px
from models.lab.evaluate.tables import request_of
from models.lab.evaluate.taught.counting import Tally, count_layout, taught
from models.lab.evaluate.taught.invented import box_names, table_truth, tables_of, write_lessons
from models.lab.scenes.camera.develop import unpacked
from models.lab.scenes.scene import make_scene
from models.lab.scenes.settings import GAMES, HEX_GAMES
from models.lab.scenes.world.arrays import Json
from models.lab.training.hex_samples import hex_table
from models.teaching.trial import read_with
from vision import ReadRequest, Shape, TableState, load_picture, read_table, table_state_to_json

FOLDER = Path("build/golden")
FIRST_SEED = 200_000
"""First seed of the tables that are read here and nowhere else."""
TABLES = 200
SHAPES: tuple[Shape, ...] = ("square", "hex")
TABLES_A_BOX = 2
BOXES_OF_TABLES = 50
"""Tables per game for each taught box of a shape."""
FILMS_OF_TABLES = 200
"""Tables per game for each film of a game."""
STRANGERS = ("no_tiles", "other_games")
OTHERS = ("qwirkle", "catan", "kingdomino")
PARTS = ("tables", "taught", "photographs", "renders", "films")
USUAL = PARTS[:-1]
SIGNIFICANT = 0.05
MOST_LOST_SHARE = 2 / 2000
"""Largest net loss of exact tables that passes if chance explains it, as a share."""


@dataclass(frozen=True)
class Marks:
    """The rating of one answer."""

    exact: bool
    """Everything right, on a picture that was called good enough."""
    good: bool
    small: bool
    """Whether tiles are below 24 pixels; such tables are not compared."""
    tiles: int
    unsure: int
    sure_wrong: int
    """Tiles that are claimed surely but are something else or nothing."""


@dataclass(frozen=True)
class Case:
    """A picture that is read, and how an answer about it is rated."""

    read: Callable[[], TableState]
    marks: Callable[[TableState], Marks]


# --- Kept pictures ---


def drawn_table(folder: Path, game: str, seed: int) -> Shown | None:
    """Return a game's table from its file, or draw and keep it; ``None`` if it cannot be drawn."""
    stem = folder / f"{game}-{seed:06d}"
    try:
        if not stem.with_suffix(".json").exists():
            _write(stem, *(_drawn_hexes if game in HEX_GAMES else _drawn_squares)(game, seed))
    except KeyError:
        return None
    return _kept(stem)


def _drawn_squares(game: str, seed: int) -> tuple[bytes, Json]:
    scene = make_scene(seed, "held-out", game)
    return scene.jpeg, scene.truth


def _drawn_hexes(game: str, seed: int) -> tuple[bytes, Json]:
    table = hex_table(seed, game, "held-out", None)
    boards = [
        {
            "centre": board.px(np.zeros((1, 2)))[0].tolist(),
            "hidden": [[*cell, share] for cell, share in board.hidden.items()],
        }
        for board in table.boards
    ]
    cell_px = smallest_cell_px(Shown(table.bgr, table.truth, table.boards))
    return table.jpeg, {**table.truth, "boards": boards, "cell_px": cell_px}


def _write(stem: Path, jpeg: bytes, truth: Json) -> None:
    """Write a picture, and its truth last, which marks it as complete."""
    stem.parent.mkdir(parents=True, exist_ok=True)
    stem.with_suffix(".jpg").write_bytes(jpeg)
    stem.with_suffix(".json").write_text(json.dumps(truth), "utf-8")


def _kept(stem: Path) -> Shown:
    truth = json.loads(stem.with_suffix(".json").read_text("utf-8"))
    boards = tuple(
        SeenBoard(
            {(q, r): share for q, r, share in board["hidden"]},
            partial(_px, np.array(board["centre"]), truth["cell_px"]),
        )
        for board in truth["boards"]
        if "cell_px" in truth
    )
    bgr = np.asarray(unpacked(stem.with_suffix(".jpg").read_bytes()), np.uint8)
    return Shown(bgr, truth, boards)


def _px(centre: Any, cell_px: float, plane: Any) -> Any:
    """Return the pixels of places near a board's middle, in units of cells."""
    return centre + np.asarray(plane) * cell_px


def table_case(key: str, game: str, folder: Path) -> Case | None:
    """Return the case of a drawn table of a game, or ``None`` if it cannot be drawn."""
    shown = drawn_table(folder, game, int(key))
    if shown is None:
        return None
    read = partial(read_table, shown.bgr, request_of(game))
    return Case(read, partial(marks_of, shown, game=game))


def marks_of(shown: Shown, state: TableState, game: str) -> Marks:
    """Return the rating of an answer about a drawn table."""
    row = row_of(shown, state, game)
    return Marks(
        row["exact"] and row["good"],
        row["good"],
        row["small"],
        row["tiles"],
        row["unsure"],
        row["sure_wrong"],
    )


def taught_case(key: str, shape: Shape, folder: Path) -> Case:
    """Return the case of a table of a taught box, by its key ``box-table``."""
    number, table = map(int, key.split("-"))
    name = box_names(shape, number + 1)[number]
    box = taught_box(name, shape, folder)
    stem = folder / name / f"table-{table}"
    if not stem.with_suffix(".json").exists():
        scene = next(islice(tables_of(name, shape, TABLES_A_BOX), table, None))
        _write(stem, scene.jpeg, scene.truth)
    shown = _kept(stem)
    read = partial(read_with, box, shown.bgr)
    return Case(read, partial(_taught_marks, shown, name=name, shape=shape))


@cache
def taught_box(name: str, shape: Shape, folder: Path) -> Any:
    """Return a box taught from its kept photographs, cached for all of its tables."""
    lessons = folder / name / "lessons"
    written = lessons / "labels.json"
    if not written.exists():
        written.write_text(json.dumps(write_lessons(name, shape, lessons)), "utf-8")
    labels = json.loads(written.read_text("utf-8"))
    with tempfile.TemporaryDirectory() as home:
        return taught(f"taught-{name}", shape, lessons, labels, Path(home))


def _taught_marks(shown: Shown, state: TableState, name: str, shape: Shape) -> Marks:
    truth = table_truth(name, shown.truth["tiles"])
    tally = Tally()
    count_layout(tally, state, truth, shape, name)
    wrong = tally.sure - tally.sure_right
    return Marks(bool(tally.exact), state.quality.ok, False, len(truth), len(state.unsure), wrong)


def render_case(key: str, game: str, folder: Path) -> Case:
    """Return the case of a photoreal render of a game's table."""
    shown, picture = shown_render(folder, key, game)
    return Case(partial(read_table, picture, request_of(game)), partial(marks_of, shown, game=game))


def photo_case(key: str, folder: Path) -> Case:
    """Return the case of a photograph without a tile of ours, by its key ``file box``."""
    name, _, box = key.rpartition(" ")
    request = ReadRequest("hex" if box == "hex" else "square") if box in SHAPES else request_of(box)
    read = partial(read_table, load_picture(folder / name), request)
    return Case(read, partial(_strange_marks, named=box in GAMES))


def _strange_marks(state: TableState, named: bool) -> Marks:
    """Return the rating of an answer where every sure claim is wrong."""
    claimed = len(state.tiles) if named else 0
    exact = not (state.tiles or state.unsure)
    return Marks(exact, state.quality.ok, False, claimed, len(state.unsure), claimed)


Cases = Iterator[tuple[str, list[str], Callable[[str], Case | None]]]
"""For each file of answers: its name, the keys of its lines, and the case of a key."""


def table_cases(games: Sequence[str], tables: int, folder: Path) -> Cases:
    """Yield drawn tables of games."""
    seeds = [str(FIRST_SEED + number) for number in range(tables)]
    yield from ((game, seeds, partial(table_case, game=game, folder=folder)) for game in games)


def taught_cases(boxes: int, folder: Path) -> Cases:
    """Yield tables of taught boxes, equally many of each shape."""
    keys = [f"{box}-{table}" for box in range(boxes) for table in range(TABLES_A_BOX)]
    for shape in SHAPES:
        yield f"taught-{shape}", keys, partial(taught_case, shape=shape, folder=folder)


def _render_cases(folder: Path) -> Cases:
    for game in GAMES:
        yield (
            f"renders-{game}",
            rendered(folder, game),
            partial(render_case, game=game, folder=folder),
        )


def _photo_cases(photos: Path) -> Cases:
    for name in (*STRANGERS, *OTHERS):
        asked_as = GAMES if name in STRANGERS else SHAPES
        files = sorted((photos / name).glob("*.jpg"))
        keys = [f"{photo.name} {box}" for photo in files for box in asked_as]
        yield f"photographs-{name}", keys, partial(photo_case, folder=photos / name)


# --- Answers ---


def cases_of(part: str, asked: argparse.Namespace) -> Cases:
    """Return the cases of one part; none where its pictures are missing."""
    if part == "tables":
        return table_cases(GAMES, asked.tables, asked.pictures)
    if part == "taught":
        return taught_cases(max(1, asked.tables // BOXES_OF_TABLES), asked.pictures)
    folder = asked.renders if part == "renders" else shared_photos()
    if folder is None:
        return iter(())
    return (_render_cases if part == "renders" else _photo_cases)(folder)


def answers(part: str, asked: argparse.Namespace) -> None:
    """Compute the missing answers of one part."""
    if part == "films":
        _films(asked)
        return
    for name, keys, case in cases_of(part, asked):
        work = partial(_answer, case=case)
        every_row(asked.out / f"{name}.jsonl", "key", keys, work, asked.workers)


def _answer(key: str, case: Callable[[str], Case | None]) -> Json:
    shown = case(key)
    if shown is None:
        return {"key": key, "error": "the scene cannot be drawn"}
    state = shown.read()
    return {"key": key, **asdict(shown.marks(state)), "answer": table_state_to_json(state)}


def _films(asked: argparse.Namespace) -> None:
    """Play whole games before the live referee, as a program, since it lies above this package."""
    games = max(1, asked.tables // FILMS_OF_TABLES)
    command = [
        sys.executable,
        "-m",
        "tests.live_games",
        "--games",
        str(games),
        "--out",
        str(asked.out / "films"),
        "--workers",
        str(asked.workers),
    ]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    rows = []
    for path in sorted((asked.out / "films" / "film").glob("*.json")):
        played = json.loads(path.read_text("utf-8"))
        del played["took_s"]
        exact = not played["mistakes"]
        rows.append(
            {"key": path.stem, **asdict(Marks(exact, True, False, 0, 0, 0)), "answer": played}
        )
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (asked.out / "films.jsonl").write_text(text, "utf-8")


# --- Comparing ---


@dataclass(frozen=True)
class Change:
    """How the answers about one game or box have changed."""

    name: str
    compared: int
    different: int
    lost: tuple[str, ...]
    """Keys of answers that were exact before and are not any more."""
    won: tuple[str, ...]
    before: Mapping[str, int]
    now: Mapping[str, int]

    @property
    def is_worse(self) -> bool:
        """Whether the reader has lost: beyond chance, by too many, or by false claims."""
        net = len(self.lost) - len(self.won)
        beyond = net > 0 and mcnemar(len(self.lost), len(self.won)) < SIGNIFICANT
        too_many = net > max(1.0, MOST_LOST_SHARE * self.compared)
        return beyond or too_many or self.now["sure_wrong"] > self.before["sure_wrong"]

    def lines(self) -> Iterator[str]:
        """Yield the change in words."""
        chance = mcnemar(len(self.lost), len(self.won))
        counts = ", ".join(f"{key} {self.before[key]} -> {self.now[key]}" for key in self.now)
        yield f"{self.name}: {self.different} of {self.compared} answers differ; {counts}"
        if self.lost or self.won:
            yield f"  lost {len(self.lost)}, won {len(self.won)} (p = {chance:.3f})"
        for word, names in (("lost", self.lost), ("won", self.won)):
            if names:
                yield f"  {word}: {' '.join(names)}"
        if self.is_worse:
            yield "  WORSE"


def changes(before: Path, now: Path) -> Iterator[Change]:
    """Yield how answers have changed, for each file that both folders have."""
    for path in sorted(now.glob("*.jsonl")):
        if (before / path.name).exists():
            yield change(path.stem, _rows(before / path.name), _rows(path))


def change(name: str, before: Mapping[str, Json], now: Mapping[str, Json]) -> Change:
    """Return how answers changed where both readers gave one; small tables are not rated."""
    both = [key for key in now if key in before and "error" not in now[key]]
    big = [key for key in both if not now[key]["small"]]
    lost = tuple(key for key in big if before[key]["exact"] and not now[key]["exact"])
    won = tuple(key for key in big if now[key]["exact"] and not before[key]["exact"])
    differ = sum(_written(before[key]["answer"]) != _written(now[key]["answer"]) for key in both)
    return Change(name, len(both), differ, lost, won, _counts(before, big), _counts(now, big))


def _counts(rows: Mapping[str, Json], keys: Sequence[str]) -> dict[str, int]:
    """Return the printed sums; claims count only on pictures that are good enough."""
    chosen = [rows[key] for key in keys]
    good = [row for row in chosen if row["good"]]
    return {
        "exact": sum(row["exact"] for row in chosen),
        "not_good": len(chosen) - len(good),
        "unsure": sum(row["unsure"] for row in good),
        "sure_wrong": sum(row["sure_wrong"] for row in good),
    }


def _written(answer: Json) -> str:
    return json.dumps(answer, sort_keys=True)


def _rows(path: Path) -> dict[str, Json]:
    """Return the newest answer of each key in a file."""
    return {row["key"]: row for row in kept_rows(path)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Read and compare as the command line asks; the status says whether anything was lost."""
    parser = parser_of("golden", __doc__, out=FOLDER / "answers")
    parser.add_argument(
        "parts",
        nargs="*",
        metavar="PART",
        help=f"some of {', '.join(PARTS)}; without any, all but films",
    )
    parser.add_argument("--tables", type=int, default=TABLES, help="drawn tables a game")
    parser.add_argument("--pictures", type=Path, default=FOLDER / "pictures", metavar="DIR")
    parser.add_argument("--against", type=Path, metavar="DIR", help="answers of an earlier reader")
    parser.add_argument("--renders", type=Path, metavar="DIR", help="photoreal renders")
    asked = parser.parse_args(arguments)
    known_parts(parser, asked.parts, PARTS)
    for part in asked.parts or USUAL:
        answers(part, asked)
    if asked.against is None:
        return 0
    changed = list(changes(asked.against, asked.out))
    for one in changed:
        say(*one.lines())
    return int(any(one.is_worse for one in changed))


if __name__ == "__main__":
    sys.exit(main())
