"""Golden answers: all that a reader says, kept picture by picture and compared with an earlier one.

``make golden`` reads the same pictures again and again: drawn tables of the five games, boxes that
are taught from two photographs, photographs and renders where there are any, and films when asked
for. Each answer is one line of a file; a run that was broken off goes on, a changed reader starts
anew. ``AGAINST=FOLDER`` names the answers of an earlier reader: told are those that differ in any
byte, and for each game what was lost and won, by McNemar's test, with sure and wrong tiles.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from engine.setfile import built_in_set
from models.evaluate.golden_tables import (
    Marks,
    box_of,
    drawn_table,
    lesson_labels,
    marks_of,
    taught_marks,
)
from models.evaluate.intervals import mcnemar
from models.evaluate.kept import every_row
from models.evaluate.renders import rendered, rendered_table
from models.evaluate.taught import stages_of, taught
from models.scenes.settings import GAMES, SQUARE_GAMES
from models.scenes.splits import SHARED_VARIABLE
from vision import ReadRequest, Shape, TableState, load_picture, read_table, table_state_to_json

Json = dict[str, Any]

FOLDER = Path("build/golden")
FIRST_SEED = 200_000
"""Tables from this seed on are read here and nowhere else."""
TABLES = 200
SHAPES: tuple[Shape, ...] = ("square", "hex")
TABLES_A_BOX = 2
BOXES_OF_TABLES = 50
"""One taught box of each shape for so many tables a game."""
FILMS_OF_TABLES = 200
"""One film a game for so many tables."""
STRANGERS = ("no_tiles", "other_games")
OTHERS = ("qwirkle", "catan", "kingdomino")
PARTS = ("tables", "taught", "photographs", "renders", "films")
USUAL = PARTS[:-1]
SIGNIFICANT = 0.05
MOST_LOST_SHARE = 2 / 2000
"""A net loss of exact tables up to this share is let pass, if chance explains it."""


@dataclass(frozen=True)
class Asked:
    """What is to be read, and where it is kept."""

    pictures: Path
    out: Path
    tables: int
    workers: int
    renders: Path | None
    photos: Path | None


@dataclass(frozen=True)
class Change:
    """How the answers about one game or box have changed."""

    name: str
    compared: int
    different: int
    lost: tuple[str, ...]
    """Names of what was exact before and is no more."""
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
        """Yield it in words."""
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


def answers(part: str, asked: Asked) -> None:
    """Read what is missing of one part."""
    if part == "films":
        _films(asked)
        return
    for name, keys, work in _tasks(part, asked):
        every_row(asked.out / f"{name}.jsonl", "key", keys, work, asked.workers)


Work = tuple[str, list[str], Callable[[str], Json]]


def _tasks(part: str, asked: Asked) -> Iterator[Work]:
    """Yield the name of each file of answers, the keys of its lines and what gives one."""
    if part == "tables":
        keys = [str(FIRST_SEED + number) for number in range(asked.tables)]
        for game in GAMES:
            yield game, keys, partial(_table, game=game, folder=asked.pictures)
    elif part == "taught":
        boxes = max(1, asked.tables // BOXES_OF_TABLES)
        for shape in SHAPES:
            keys = [f"{box}-{table}" for box in range(boxes) for table in range(TABLES_A_BOX)]
            yield f"taught-{shape}", keys, partial(_taught, shape=shape, folder=asked.pictures)
    elif part == "renders" and asked.renders is not None:
        for game in GAMES:
            names = rendered(asked.renders, game, "all")
            yield f"renders-{game}", names, partial(_render, game=game, folder=asked.renders)
    elif part == "photographs" and asked.photos is not None:
        for folder in (*STRANGERS, *OTHERS):
            photos = sorted((asked.photos / folder).glob("*.jpg"))
            asked_as = GAMES if folder in STRANGERS else SHAPES
            keys = [f"{photo.name} {box}" for photo in photos for box in asked_as]
            yield f"photographs-{folder}", keys, partial(_photo, folder=asked.photos / folder)


def _row(key: str, state: TableState, marks: Marks) -> Json:
    return {"key": key, **asdict(marks), "answer": table_state_to_json(state)}


def request_of(game: str) -> ReadRequest:
    """Return what a table of a game is read as."""
    return ReadRequest("square" if game in SQUARE_GAMES else "hex", built_in_set(game))


def _table(key: str, game: str, folder: Path) -> Json:
    cv2.setNumThreads(1)
    shown = drawn_table(folder, game, int(key))
    if shown is None:
        return {"key": key, "error": "the scene cannot be drawn"}
    state = read_table(np.asarray(shown.bgr, np.uint8), request_of(game))
    return _row(key, state, marks_of(shown, state, game, built_in_set(game)))


def _taught(key: str, shape: Shape, folder: Path) -> Json:
    cv2.setNumThreads(1)
    number, table = map(int, key.split("-"))
    name, shown = box_of(folder, shape, number, TABLES_A_BOX)
    box = taught_box(name, shape, folder)
    request = ReadRequest(shape, box.tile_set)
    state = read_table(np.asarray(shown[table].bgr, np.uint8), request, stages_of(box))
    return _row(key, state, taught_marks(shown[table], state, name, shape))


@cache
def taught_box(name: str, shape: Shape, folder: Path) -> Any:
    """Return a box taught from its kept photographs; once for all of its tables."""
    with tempfile.TemporaryDirectory() as home:
        lessons = folder / name / "lessons"
        labels = lesson_labels(folder / name)
        return taught(f"taught-{name}", shape, lessons, labels, Path(home))


def _render(key: str, game: str, folder: Path) -> Json:
    cv2.setNumThreads(1)
    state, marks = rendered_table(folder, key, game)
    return _row(key, state, Marks(**marks))


def _photo(key: str, folder: Path) -> Json:
    """Read a photograph of what is no tile of ours: whatever is claimed surely is wrong."""
    cv2.setNumThreads(1)
    name, _, box = key.rpartition(" ")
    request = ReadRequest("hex" if box == "hex" else "square") if box in SHAPES else request_of(box)
    state = read_table(load_picture(folder / name), request)
    claimed = len(state.tiles) if box in GAMES else 0
    exact = not (state.tiles or state.unsure)
    marks = Marks(exact, state.quality.ok, False, claimed, len(state.unsure), claimed)
    return _row(key, state, marks)


def _films(asked: Asked) -> None:
    """Play whole games before the live referee, which lies above this package."""
    games = max(1, asked.tables // FILMS_OF_TABLES)
    command = [sys.executable, "-m", "tests.live_games", "--games", str(games), "--out",
               str(asked.out / "films"), "--workers", str(asked.workers)]  # fmt: skip
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    rows = []
    for path in sorted((asked.out / "films" / "film").glob("*.json")):
        played = json.loads(path.read_text("utf-8"))
        del played["took_s"]
        exact = not played["mistakes"]
        rows.append({"key": path.stem, **asdict(Marks(exact, True, False, 0, 0, 0)),
                     "answer": played})  # fmt: skip
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (asked.out / "films.jsonl").write_text(text, "utf-8")


def changes(before: Path, now: Path) -> Iterator[Change]:
    """Yield how answers have changed, for each file that both folders have."""
    for path in sorted(now.glob("*.jsonl")):
        if (before / path.name).exists():
            yield change(path.stem, _rows(before / path.name), _rows(path))


def change(name: str, before: Mapping[str, Json], now: Mapping[str, Json]) -> Change:
    """Return how answers have changed where both readers gave one; small tables apart."""
    both = [key for key in now if key in before and "error" not in now[key]]
    big = [key for key in both if not now[key]["small"]]
    lost = tuple(key for key in big if before[key]["exact"] and not now[key]["exact"])
    won = tuple(key for key in big if now[key]["exact"] and not before[key]["exact"])
    differ = sum(_written(before[key]["answer"]) != _written(now[key]["answer"]) for key in both)
    return Change(name, len(both), differ, lost, won, _counts(before, big), _counts(now, big))


def _counts(rows: Mapping[str, Json], keys: Sequence[str]) -> dict[str, int]:
    """Return the sums that are told; claims count on pictures that are good enough."""
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
    """Return the answers of a file by their keys, the newest of each."""
    rows = map(json.loads, path.read_text("utf-8").splitlines())
    return {row["key"]: row for row in rows}


def main(arguments: Sequence[str] | None = None) -> int:
    """Read and compare as the command line asks; the status says whether anything was lost."""
    parser = argparse.ArgumentParser(prog="python -m models.evaluate.golden", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"some of {', '.join(PARTS)}; "
                        "without any, all but films")  # fmt: skip
    parser.add_argument("--tables", type=int, default=TABLES, help="drawn tables a game")
    parser.add_argument("--pictures", type=Path, default=FOLDER / "pictures", metavar="DIR")
    parser.add_argument("--out", type=Path, default=FOLDER / "answers", metavar="DIR")
    parser.add_argument("--against", type=Path, metavar="DIR", help="answers of an earlier reader")
    parser.add_argument("--renders", type=Path, metavar="DIR", help="photoreal renders")
    parser.add_argument("--workers", type=int, default=0, help="processes; one a core if missing")
    given = parser.parse_args(arguments)
    unknown = [part for part in given.parts if part not in PARTS]
    if unknown:
        parser.error(f"there is no part {unknown[0]}; there are {', '.join(PARTS)}")
    shared = os.environ.get(SHARED_VARIABLE)
    photos = Path(shared, "photos") if shared else None
    asked = Asked(given.pictures, given.out, given.tables, given.workers, given.renders, photos)
    for part in given.parts or USUAL:
        answers(part, asked)
    if given.against is None:
        return 0
    changed = list(changes(given.against, given.out))
    for one in changed:
        sys.stdout.write("\n".join(one.lines()) + "\n")
    return int(any(one.is_worse for one in changed))


if __name__ == "__main__":
    sys.exit(main())
