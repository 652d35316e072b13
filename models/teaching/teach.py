"""Teaches a box: photographs and labels in, a taught set and a report out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from engine.setfile import SAFE_NAME, built_in_names, built_in_set
from engine.tiles import TileSet
from models.teaching.board_fit import fit_board
from models.teaching.board_lessons import board_examples, check_learnt
from models.teaching.errors import TeachingError
from models.teaching.examples import (
    Examples,
    aligned,
    cut_example,
    folds_of,
    joined,
    without_strangers,
)
from models.teaching.fit import (
    Fitted,
    fit_reader,
    seen_periods,
    shows_lands,
    with_strangers,
)
from models.teaching.labels import UNKNOWN, Label, Labels, Mapped, corrections_in, mapping_for
from models.teaching.match import placed_tiles
from models.teaching.report import report_of
from models.teaching.store import Kept, copied_game, digest_of, read_kept, with_new, write_taught
from vision import Picture, Points, Shape, VisionError, load_picture
from vision.classify.taught import game_set, loose_set
from vision.classify.taught_looks import TaughtReader
from vision.core.crop import cut
from vision.core.types import CLIPPED, period_of
from vision.hexes.taught.boards import board_kinds
from vision.layout.quality import TEXTS, assess

PALE, BURNT = 150, 0.8
"""A pixel has lost its colour if one channel is clipped and no channel is darker than ``PALE``. A
photograph is burnt if more than this share of a median tile is lost: in one of 80 drawn ones it was
0.99, in the others 0.6 at most."""
FEWEST_KINDS = 2
LEAST_CONTRAST = 4.0
"""Least standard deviation of tiles with their surroundings, of 255; noise alone gives 2 or 3."""
SEED = 10

Progress = Callable[[str], None]


# --- Photographs that should be taken again ---


def why_again(picture: Picture, outlines: Sequence[Points]) -> str | None:
    """Return why a photograph should be taken again, in words for the owner; ``None`` if good.

    Args:
        picture: the photograph.
        outlines: the tiles in it, in its own pixels.
    """
    quality = assess(picture.bgr, outlines, scale=picture.scale)
    if not quality.ok:
        return quality.advice[0].text
    return TEXTS["bright"] if outlines and _is_burnt(picture, outlines) else None


def _is_burnt(picture: Picture, outlines: Sequence[Points]) -> bool:
    tiles = cut(picture.bgr, outlines)
    lost = (tiles.max(axis=3) >= CLIPPED) & (tiles.min(axis=3) >= PALE)
    return bool(np.median(lost.mean(axis=(1, 2))) > BURNT)


@dataclass(frozen=True)
class Lesson:
    """What is to be learnt, and from what."""

    name: str
    shape: Shape
    photos: Path
    """The folder that the photographs lie in."""
    labels: Labels
    game: str | None = None
    mapping: Mapping[str, tuple[str, int]] | None = None
    grid: tuple[int, int] | None = None
    replace: bool = False
    """Whether earlier examples of that name are forgotten."""
    corrections: Path | None = None
    """Folder in which the page keeps corrections."""


@dataclass(frozen=True, eq=False)
class Gathered:
    """The examples of all photographs, and which photographs gave none."""

    examples: Examples
    left_out: tuple[tuple[str, str], ...]
    """Files, and why each was left out."""
    missed: Mapping[str, int]
    """By photograph: labelled tiles that were not found in it."""
    digests: Mapping[str, str] = field(default_factory=dict)
    """By photograph: the hash of its file."""
    corrections: int = 0
    """Number of examples that come from corrections."""
    poor: tuple[tuple[str, str], ...] = ()
    """Photographs that were learnt from and should be taken again, and why."""


def teach(lesson: Lesson, folder: Path, progress: Progress = lambda text: None) -> dict[str, Any]:
    """Learn a box, write it to a folder of sets, and return the report.

    Args:
        lesson: what to learn.
        folder: the owner's folder of sets.
        progress: called with a sentence about each step.

    Raises:
        TeachingError: nothing can be learnt; nothing was written.
    """
    began = perf_counter()
    check_name(lesson.name)
    check_game(lesson.game)
    old = None if lesson.replace else _taught_before(lesson, folder)
    gathered = with_corrections(lesson, gather(lesson, progress), progress)
    mapped = _mapped(lesson, gathered.examples, folder)
    kept = with_new(old, Kept(mapped.examples, gathered.digests))
    fitted = _fitted_or_why(lesson, Mapped(kept.examples, mapped.tile_set), gathered, progress)
    wanted = _wanted(lesson, mapped)
    tiles, _ = without_strangers(kept.examples, UNKNOWN)
    report = report_of(lesson.name, lesson.shape, lesson.game, gathered, fitted, tiles, wanted)
    report["seconds"] = round(perf_counter() - began, 1)
    facts = {**_facts(lesson, fitted), "figures": report}
    write_taught(folder, lesson.name, fitted.reader, facts, lesson.game, kept)
    return report


def on_board(lesson: Lesson) -> bool:
    """Say whether the tiles to be learnt lie on the board of a game."""
    return lesson.game is not None and "board" in built_in_set(lesson.game).extras


def _fitted_or_why(
    lesson: Lesson, mapped: Mapped, gathered: Gathered, progress: Progress
) -> Fitted[Any]:
    """Return the reader; what it lacks may be on a photograph that was left out, which is named."""
    try:
        return _fitted(lesson, mapped, progress)
    except TeachingError as error:
        if not gathered.left_out:
            raise
        file, why = gathered.left_out[0]
        text = f"{error}; {file} was left out: {why}"
        raise TeachingError(text, code=error.code, about=error.about) from None


def _fitted(lesson: Lesson, mapped: Mapped, progress: Progress) -> Fitted[Any]:
    if not on_board(lesson):
        return fitted_to(lesson, mapped, progress)
    check_learnt(mapped.examples, mapped.tile_set)
    progress(f"learning a board from {len(mapped.examples)} cells and sides")
    return fit_board(mapped.examples, mapped.tile_set, np.random.default_rng(SEED))


def _wanted(lesson: Lesson, mapped: Mapped) -> Sequence[str]:
    """Return the kinds that a box must know to play a game."""
    if lesson.game is None:
        return ()
    return board_kinds(mapped.tile_set) if on_board(lesson) else tuple(mapped.tile_set.kinds)


def _facts(lesson: Lesson, fitted: Fitted[Any]) -> dict[str, Any]:
    return {
        "lattice": lesson.shape,
        "board": on_board(lesson),
        "kinds": [
            {"tile": tile, "period": period_of(fitted.tile_set, tile), "examples": count}
            for tile, count in sorted(Counter(fitted.tiles).items())
        ],
    }


def _taught_before(lesson: Lesson, folder: Path) -> Kept | None:
    """Return what the box was learnt from before, if it is still the same box."""
    before = read_kept(folder, lesson.name)
    if before is None:
        return None
    kept, manifest = before
    for key, now in (("lattice", lesson.shape), ("game", lesson.game)):
        if manifest.get(key) != now:
            then = manifest.get(key) or "none"
            raise TeachingError(
                f"{lesson.name} was taught with {key} {then}, now with {now or 'none'}; "
                "say the same, or --replace to forget what it has learnt",
                code="teach-other-box",
            )
    return kept


def check_name(name: str) -> None:
    """Refuse invalid names and the names of built-in boxes.

    Raises:
        TeachingError: says what to do instead.
    """
    if not SAFE_NAME.fullmatch(name):
        raise TeachingError(
            f"{name!r} is not a valid name for a set; use small letters, digits, - and _"
        )
    if name in built_in_names():
        raise TeachingError(f"{name} is built in and stays as it is; give your box another name")


def check_game(game: str | None) -> None:
    """Refuse a game whose boards have clay on them, which nobody can teach.

    Raises:
        TeachingError: says what to do instead.
    """
    if game is not None and "clay" in built_in_set(game).extras:
        raise TeachingError(
            f"boards of {built_in_set(game).title} cannot be taught: Snake Eye reads its printed "
            f"boards; print them with 'snake-eye print {game}'"
        )


def gather(lesson: Lesson, progress: Progress = lambda text: None) -> Gathered:
    """Return the labelled tiles, cut out of their photographs."""
    if not (lesson.shape == "hex" and on_board(lesson)):
        lesson.labels.refuse_large()
    parts: list[Examples] = []
    left_out: list[tuple[str, str]] = []
    poor: list[tuple[str, str]] = []
    missed: dict[str, int] = {}
    digests: dict[str, str] = {}
    for file, labels in lesson.labels.photos.items():
        path = lesson.photos / file
        if not labels and not (on_board(lesson) and file in lesson.labels.bare):
            continue
        if Path(file).name != file or not path.is_file():
            left_out.append((file, "is not in the folder of photos"))
            continue
        progress(f"{file}: labelled tiles: {len(labels)}")
        try:
            part, why = _examples_of(lesson, path, labels)
        except (VisionError, TeachingError) as error:
            left_out.append((file, " ".join(str(error).split())))
            continue
        # A board gives more examples than it has labels.
        missed[file] = max(len(labels) - len(part), 0)
        digests[file] = digest_of(path)
        parts.append(part)
        poor += [] if why is None else [(file, why)]
    if not parts:
        raise TeachingError(_nothing(lesson, left_out))
    return Gathered(joined(parts), tuple(left_out), missed, digests, poor=tuple(poor))


def with_corrections(
    lesson: Lesson, gathered: Gathered, progress: Progress = lambda text: None
) -> Gathered:
    """Return the examples together with those from players' corrections of this box."""
    folder = lesson.corrections
    for path in sorted(folder.glob("*.json")) if folder is not None and folder.is_dir() else ():
        try:
            labels = corrections_in(path, lesson.name, lesson.shape)
            if labels is None:
                continue
            more = gather(replace(lesson, photos=path.parent, labels=labels, grid=None), progress)
        except TeachingError as error:
            left_out = (*gathered.left_out, (path.name, str(error)))
            gathered = replace(gathered, left_out=left_out)
            continue
        gathered = Gathered(
            joined([gathered.examples, more.examples]),
            (*gathered.left_out, *more.left_out),
            {**gathered.missed, **more.missed},
            {**gathered.digests, **more.digests},
            gathered.corrections + len(more.examples),
            gathered.poor,
        )
    return gathered


def learn(lesson: Lesson, examples: Examples, folder: Path) -> Fitted[TaughtReader]:
    """Return the reader of the lesson's box, fitted to examples."""
    return fitted_to(lesson, _mapped(lesson, examples, folder))


def fitted_to(
    lesson: Lesson, mapped: Mapped, progress: Progress = lambda text: None
) -> Fitted[TaughtReader]:
    """Return the reader of a box, fitted to examples under its names."""
    examples, strangers = without_strangers(mapped.examples, UNKNOWN)
    kinds = sorted(set(examples.tiles))
    if len(kinds) < FEWEST_KINDS:
        raise TeachingError(
            f"the labels name {f'only {kinds[0]}' if kinds else 'no kind of tile'}; "
            f"teaching needs {FEWEST_KINDS} kinds at least, to tell one from another",
            code="teach-few-kinds",
        )
    progress(f"learning {len(kinds)} kinds from {len(examples)} tiles")
    if lesson.game is None:
        fitted = fitted_loose(examples, lesson.name, lesson.shape)
    else:
        fitted = fit_reader(examples, mapped.tile_set, np.random.default_rng(SEED))
    return with_strangers(fitted, strangers)


def fitted_loose(examples: Examples, name: str, shape: Shape) -> Fitted[TaughtReader]:
    """Return the reader of a box without a game."""
    folds = folds_of(shape)
    box = loose_set(name, shape, seen_periods(examples, folds))
    turned = aligned(examples, folds)
    # A kind with an up is one print, so the box has no lands.
    lands = bool((examples.turns < 0).all()) and shows_lands(turned, folds)
    return fit_reader(turned, box, np.random.default_rng(SEED), lands=lands)


def _mapped(lesson: Lesson, examples: Examples, folder: Path) -> Mapped:
    """Return the examples under the names that the box has."""
    if lesson.game is not None and on_board(lesson):
        return Mapped(examples, _box(lesson, lesson.game, folder))
    if lesson.game is None:
        box = loose_set(lesson.name, lesson.shape, dict.fromkeys(examples.tiles, 1))
        return Mapped(examples, box)
    return mapping_for(examples, _box(lesson, lesson.game, folder), lesson.mapping, lesson.shape)


def _box(lesson: Lesson, game: str, folder: Path) -> TileSet:
    """Return the game's box under the lesson's name; a copy that is forgotten does not count."""
    if lesson.replace and copied_game(folder, lesson.name) is not None:
        return replace(built_in_set(game), name=lesson.name)
    return game_set(lesson.name, game, folder)


def _examples_of(
    lesson: Lesson, path: Path, labels: Sequence[Label]
) -> tuple[Examples, str | None]:
    """Return the labelled tiles of a photograph, and why it should be taken again, if so."""
    picture = load_picture(path)
    if lesson.game is not None and on_board(lesson):
        box = built_in_set(lesson.game)
        labels = [label for label in labels if label.tile != UNKNOWN]
        return board_examples(picture, labels, box, lesson.mapping, path.name), None
    placed = placed_tiles(picture, labels, lesson.shape, lesson.grid)
    folds = folds_of(lesson.shape)
    turns = [
        -1 if one.label.turns is None else (one.label.turns - one.ahead) % folds for one in placed
    ]
    if lesson.game is not None:
        # A tile of a game always has an up; where no label gives it, it is the picture's.
        turns = [
            (-one.ahead) % folds if turn < 0 else turn
            for one, turn in zip(placed, turns, strict=True)
        ]
    patches = np.stack([cut_example(picture.bgr, one.corners_px) for one in placed])
    if patches.std(axis=(1, 2)).max() < LEAST_CONTRAST:
        raise TeachingError("nothing can be seen where tiles are labelled")
    examples = Examples(
        patches,
        tuple(one.label.tile for one in placed),
        np.array(turns),
        (path.name,) * len(placed),
    )
    return examples, why_again(picture, [one.corners_px for one in placed])


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
