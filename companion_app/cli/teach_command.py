"""The commands ``teach`` (learn a box from labelled photos) and ``box`` (look into or take one)."""

from __future__ import annotations

import sys
from argparse import SUPPRESS, Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from companion_app.answers import ANSWERED, InputError, answer
from companion_app.cli.arguments import Commands, add_command
from companion_app.home import corrections_folder, set_folders
from engine.errors import EngineError
from engine.games import GAMES
from engine.wording import Sentence, in_english

UNSIGNED = "boxes are not signed any more; leave out --sign, and take boxes from people you know"
KINDS = {"one": "{n} kind", "other": "{n} kinds"}
TILES = {"one": "{n} tile", "other": "{n} tiles"}
PHOTOS = {"one": "{n} photo", "other": "{n} photos"}
CORRECTIONS = {
    "one": "{n} of them is a correction from play",
    "other": "{n} of them are corrections from play",
}
NOT_FOUND = {"one": "{n} labelled tile was not found", "other": "{n} labelled tiles were not found"}


def add_teach_command(commands: Commands) -> None:
    """Add ``teach`` to the commands of ``snake-eye``."""
    parser = add_command(
        commands,
        "teach",
        teach,
        [
            "teach my-box --shape square --photos photos --labels labels.json",
            "teach ropes --shape square --photos photos --labels labels.json --game schlangennest "
            "--map map.json",
        ],
    )
    parser.add_argument("name", metavar="NAME", help="what your box is to be called")
    parser.add_argument("--shape", required=True, choices=("square", "hex"), help="of the tiles")
    parser.add_argument("--photos", required=True, metavar="DIR", help="the folder of photos")
    parser.add_argument(
        "--labels", required=True, metavar="FILE", help="which tile lies where, as JSON"
    )
    parser.add_argument(
        "--game", choices=GAMES, metavar="G", help="whose rules it plays by: " + ", ".join(GAMES)
    )
    parser.add_argument(
        "--map", metavar="FILE", help='the game\'s tile of each kind: {"fox": ["blue/curve", 0]}'
    )
    parser.add_argument("--grid", metavar="WxH", help="every photo is a grid of W x H squares")
    parser.add_argument(
        "--replace", action="store_true", help="forget what was taught under that name before"
    )


def add_box_command(commands: Commands) -> None:
    """Add ``box`` to the commands of ``snake-eye``."""
    parser = add_command(
        commands,
        "box",
        box,
        ["box ropes.zip", "box ropes.zip --take"],
    )
    parser.add_argument("file", metavar="FILE.zip", help="a box that the page exported")
    parser.add_argument("--sign", metavar="KEY", help=SUPPRESS)
    parser.add_argument("--take", action="store_true", help="put it on the shelf of this machine")
    parser.add_argument("--name", metavar="NAME", help="with --take: under another name")


def teach(arguments: Namespace) -> int:
    """Learn a box from labelled photos, store it, and report what is still doubtful."""
    from companion_app.cli.reading import grid_of
    from models.teaching.errors import TeachingError
    from models.teaching.labels import read_labels, read_mapping
    from models.teaching.teach import Lesson, check_name
    from models.teaching.teach import teach as learn

    grid = grid_of(arguments.grid)
    if grid is not None and arguments.shape == "hex":
        raise InputError("--grid is for squares; hex tiles are found without it")
    if arguments.map is not None and arguments.game is None:
        raise InputError("--map says which tiles of a game yours are; name the game with --game")
    photos = Path(arguments.photos)
    try:
        if not photos.is_dir():
            raise InputError(f"there is no folder {photos}")
        check_name(arguments.name)
        lesson = Lesson(
            arguments.name,
            arguments.shape,
            photos,
            read_labels(Path(arguments.labels), arguments.shape),
            arguments.game,
            read_mapping(Path(arguments.map)) if arguments.map is not None else None,
            grid,
            arguments.replace,
            corrections_folder(),
        )
        report = learn(lesson, set_folders()[0], _progress)
    except (TeachingError, EngineError) as error:
        raise InputError(str(error)) from error
    except OSError as error:
        raise InputError(f"{arguments.name} cannot be kept: {error.strerror or error}") from error
    answer(arguments, report, _in_words(report))
    return ANSWERED


def box(arguments: Namespace) -> int:
    """Report the name of the taught box in a file, or import it."""
    from models.teaching.errors import TeachingError
    from models.teaching.parcel import LARGEST_ZIP, name_in, taken_in

    if arguments.sign is not None:
        raise InputError(UNSIGNED)

    file, folder = Path(arguments.file), set_folders()[0]
    try:
        with file.open("rb") as opened:
            data = opened.read(LARGEST_ZIP + 1)
        name = name_in(data)
        taken = taken_in(folder, data, arguments.name) if arguments.take else None
    except TeachingError as error:
        raise InputError(str(error)) from error
    except OSError as error:
        raise InputError(f"{file} cannot be used: {error.strerror or error}") from error
    words = f"A taught box called {name}; take boxes only from people you know."
    on_shelf = f"Taken in as {taken}: snake-eye read PHOTO --set {taken}"
    answer(
        arguments,
        {"file": arguments.file, "name": name, "taken": taken},
        [on_shelf if taken else words],
    )
    return ANSWERED


def _progress(text: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"{text} …\n")


def _counted(sentence: Sentence, count: int) -> str:
    return in_english(sentence, {"n": str(count)})


def _in_words(report: dict[str, Any]) -> Iterator[str]:
    yield (
        f"{report['set']}: {_counted(KINDS, len(report['kinds']))} learnt from "
        f"{_counted(TILES, report['examples'])} in {_counted(PHOTOS, report['photos'])}"
    )
    if report["corrections"]:
        yield f"    {_counted(CORRECTIONS, report['corrections'])}"
    for one in report["left_out"]:
        yield f"    not {one['file']}: {one['why']}"
    for one in report["poor"]:
        yield f"    {one['file']} is learnt from, but should be taken again. {one['why']}"
    for one in report["not_found"]:
        yield f"    {one['file']}: {_counted(NOT_FOUND, one['tiles'])}"
    for one in report["odd"]:
        yield f"    {one['file']}: one {one['tile']} looks like another kind; check its label"
    if report["unsure"]:
        doubtful = ", ".join(f"{one['tile']} ({one['sure']:.0%})" for one in report["unsure"][:8])
        yield f"    still unsure of {doubtful}"
    for one in report["alike"]:
        yield f"    {one['tiles'][0]} and {one['tiles'][1]} look alike"
    if report["best_photo"]:
        yield f"    what would help most: {report['best_photo']}"
    yield f"read a table with: snake-eye read PHOTO --set {report['set']}"
