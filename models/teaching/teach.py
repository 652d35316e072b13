"""Teaches a box: photographs and labels in, a taught set and a report out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from engine.setfile import SAFE_NAME, built_in_names
from engine.tiles import TileSet
from models.teaching.errors import TeachingError
from models.teaching.examples import Examples, cut_example, joined
from models.teaching.fit import Fitted, fit_reader, seen_periods
from models.teaching.labels import Label, Labels
from models.teaching.mapping import Mapped, mapping_for
from models.teaching.match import folds_of, placed_tiles
from models.teaching.report import report_of
from models.teaching.store import write_taught
from vision.errors import VisionError
from vision.intake import load_picture
from vision.taught import game_set, loose_set
from vision.types import Shape

FEWEST_KINDS = 2
SEED = 10
FINE_PX = 16_500_000
"""Photographs to learn from are decoded whole up to that many pixels where tiles are small."""

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Lesson:
    """What is to be learnt, from what."""

    name: str
    shape: Shape
    photos: Path
    """The folder that the photographs lie in."""
    labels: Labels
    game: str | None = None
    mapping: Mapping[str, tuple[str, int]] | None = None
    grid: tuple[int, int] | None = None


@dataclass(frozen=True, eq=False)
class Gathered:
    """The examples of all photographs, and which photographs gave none."""

    examples: Examples
    left_out: tuple[tuple[str, str], ...]
    """Files, and why."""
    missed: Mapping[str, int]
    """By photograph: labelled tiles that were not found in it."""


def teach(lesson: Lesson, folder: Path, progress: Progress = lambda text: None) -> dict[str, Any]:
    """Learn a box, keep it in a folder of sets, and return what to know about it.

    Args:
        lesson: what to learn.
        folder: the owner's folder of sets.
        progress: is told what is being done.

    Raises:
        TeachingError: nothing can be learnt; nothing was written.
    """
    began = perf_counter()
    check_name(lesson.name)
    gathered = gather(lesson, progress)
    fitted = learn(lesson, gathered.examples, folder, progress)
    facts = {
        "lattice": lesson.shape,
        "kinds": [
            {"tile": tile, "period": fitted.tile_set[tile].period, "examples": count}
            for tile, count in sorted(Counter(fitted.tiles).items())
        ],
    }  # fmt: skip
    report = report_of(lesson.name, lesson.shape, lesson.game, gathered, fitted)
    report["seconds"] = round(perf_counter() - began, 1)
    write_taught(folder, lesson.name, fitted.reader, {**facts, "figures": report}, lesson.game)
    return report


def check_name(name: str) -> None:
    """Refuse names that are none, or that a built-in box has.

    Raises:
        TeachingError: with what to do instead.
    """
    if not SAFE_NAME.fullmatch(name):
        raise TeachingError(f"{name!r} is no name of a set; use small letters, digits, - and _")
    if name in built_in_names():
        raise TeachingError(f"{name} is built in and stays as it is; give your box another name")


def gather(lesson: Lesson, progress: Progress = lambda text: None) -> Gathered:
    """Return the labelled tiles, cut out of their photographs."""
    parts: list[Examples] = []
    left_out: list[tuple[str, str]] = []
    missed: dict[str, int] = {}
    for file, labels in lesson.labels.photos.items():
        path = lesson.photos / file
        if not labels:
            continue
        if Path(file).name != file or not path.is_file():
            left_out.append((file, "is not in the folder of photos"))
            continue
        progress(f"{file}: {len(labels)} labelled tiles")
        try:
            part = _examples_of(lesson, path, labels)
        except (VisionError, TeachingError) as error:
            left_out.append((file, " ".join(str(error).split())))
            continue
        missed[file] = len(labels) - len(part)
        parts.append(part)
    if not parts:
        raise TeachingError(_nothing(lesson, left_out))
    return Gathered(joined(parts), tuple(left_out), missed)


def learn(
    lesson: Lesson, examples: Examples, folder: Path, progress: Progress = lambda text: None
) -> Fitted:
    """Return the reader of the lesson's box, fitted to examples."""
    kinds = sorted(set(examples.tiles))
    if len(kinds) < FEWEST_KINDS:
        raise TeachingError(
            f"the labels name only {kinds[0] if kinds else 'nothing'}; "
            f"teaching needs {FEWEST_KINDS} kinds at least, to tell one from another"
        )
    progress(f"learning {len(kinds)} kinds from {len(examples)} tiles")
    mapped = _mapped(lesson, examples, folder)
    return fit_reader(mapped.examples, mapped.tile_set, np.random.default_rng(SEED))


def _mapped(lesson: Lesson, examples: Examples, folder: Path) -> Mapped:
    """Return the examples under the names that the box has."""
    if lesson.game is None:
        periods = seen_periods(examples, folds_of(lesson.shape))
        return Mapped(examples, loose_set(lesson.name, lesson.shape, periods))
    box: TileSet = game_set(lesson.name, lesson.game, folder)
    return mapping_for(examples, box, lesson.mapping, lesson.shape)


def _examples_of(lesson: Lesson, path: Path, labels: Sequence[Label]) -> Examples:
    picture = load_picture(path)
    placed = placed_tiles(picture, labels, lesson.shape, lesson.grid)
    folds = folds_of(lesson.shape)
    turns = [
        -1 if one.label.turns is None else (one.label.turns - one.ahead) % folds for one in placed
    ]
    if lesson.game is not None:
        # A tile of a game has an up, said or not: without, it lies as the picture is seen.
        turns = [
            (-one.ahead) % folds if turn < 0 else turn
            for one, turn in zip(placed, turns, strict=True)
        ]
    return Examples(
        np.stack([cut_example(picture.bgr, one.corners_px) for one in placed]),
        tuple(one.label.tile for one in placed), np.array(turns), (path.name,) * len(placed),
    )  # fmt: skip


def _nothing(lesson: Lesson, left_out: Sequence[tuple[str, str]]) -> str:
    if not left_out:
        return "the labels name no tile; label at least one tile of each kind"
    file, why = left_out[0]
    if all(reason == "is not in the folder of photos" for _, reason in left_out):
        return f"none of the labelled photos, such as {file}, is in {lesson.photos}"
    file, why = next(one for one in left_out if one[1] != "is not in the folder of photos")
    return (
        f"nothing can be learnt: {why}" if file in why else f"nothing can be learnt: {file}: {why}"
    )
