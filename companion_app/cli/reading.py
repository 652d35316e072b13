"""The command ``read``, and the reading of one picture that other commands share."""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from calibration.errors import CalibrationError
from calibration.profile_file import load_profile
from companion_app.another_game import read_as_asked
from companion_app.answers import (
    ANSWERED,
    BAD_INPUT,
    NO,
    InputError,
    answer,
    complain,
    print_json,
    shown_name,
    writing,
)
from companion_app.cli.arguments import Commands, add_command, add_game
from companion_app.home import set_folders
from engine.games import game_named
from engine.record import find_set
from engine.setfile import load_set
from engine.tiles import TileSet
from engine.wording import in_english
from vision import (
    Quality,
    ReadRequest,
    Shape,
    TableState,
    VisionError,
    grey_advice,
    open_picture,
    pixels_enough,
    shown,
    table_state_to_json,
)

MOST_SQUARES = 100
TILES = {"one": "{n} tile", "other": "{n} tiles"}
PICTURE_ENDINGS = (".png", ".jpg", ".jpeg", ".webp")


def add_read_command(commands: Commands) -> None:
    """Add ``read`` to the commands of ``snake-eye``."""
    parser = add_command(
        commands,
        "read",
        read,
        [
            "read table.jpg --game schlangennest",
            "read table.jpg --game carnival --out seen.png",
            "read *.jpg --set my-box --json",
            "read table.jpg --shape hex",
        ],
    )
    parser.add_argument("images", nargs="+", metavar="IMAGE", help="JPEG, PNG, WebP or HEIC")
    add_game(parser, required=False, options=False)
    parser.add_argument(
        "--shape", choices=("square", "hex"), help="tiles of any box, all named unknown"
    )
    parser.add_argument("--grid", metavar="WxH", help="the whole picture is W x H squares, as 5x7")
    parser.add_argument("--profile", metavar="FILE", help="what calibrate learnt of the camera")
    parser.add_argument(
        "--out", metavar="PICTURE", help="also write what was seen over the photo (.png or .jpg)"
    )
    parser.add_argument(
        "--trace", metavar="DIR", help="how each picture was read, every stage as a picture"
    )


def read(arguments: Namespace) -> int:
    """Read pictures one by one; an unreadable picture does not stop the others."""
    request = request_from(arguments)
    if arguments.out:
        _check_out(arguments.out, arguments.images)
    if len(arguments.images) == 1:
        return _answer_read(arguments.images[0], request, arguments)
    status = ANSWERED
    for name in arguments.images:
        try:
            status = max(status, _answer_read(name, request, arguments))
        except InputError as error:
            complain(str(error))
            if arguments.json:
                print_json({"file": shown(name), "error": str(error)})
            status = BAD_INPUT
    return status


def _trace(arguments: Namespace, name: str) -> Path | None:
    """Return the folder for a picture's trace; each of several pictures has its own."""
    if arguments.trace is None:
        return None
    folder = Path(arguments.trace)
    return folder if len(arguments.images) == 1 else folder / Path(name).stem


def read_picture(name: str, request: ReadRequest, trace: Path | None = None) -> TableState:
    """Return the table state of one picture.

    Args:
        name: the name of the file.
        request: the shape, box, grid and profile to read it with.
        trace: a folder that gets every stage of the reading as a picture and a line of text.

    Raises:
        InputError: the file cannot be read, or the profile belongs to another camera.
    """
    from vision import traced

    try:
        file = open_picture(name)
        if request.profile is not None:
            profile = request.profile.for_size(file.size_px)
            request = replace(request, profile=profile)
        picture = file.decode(pixels_enough(request))
        with traced(trace) if trace is not None else nullcontext():
            state = read_as_asked(picture, request)
    except (VisionError, CalibrationError) as error:
        raise InputError(_with_name(str(error), name)) from error
    except OSError as error:
        raise InputError(f"{trace} cannot be written: {error.strerror}") from error
    return _said_grey(state, request) if picture.grey else state


def request_from(arguments: Namespace) -> ReadRequest:
    """Return the read request for the arguments.

    Raises:
        InputError: the arguments contradict one another, or name something that does not exist.
    """
    named = arguments.game or arguments.set
    if bool(named) == bool(arguments.shape):
        raise InputError("say what lies on the table: --game G, --set N or --shape square|hex")
    tile_set = _tile_set(arguments) if named else None
    shape: Shape = tile_set.lattice if tile_set is not None else arguments.shape
    grid = grid_of(arguments.grid)
    if grid is not None and shape == "hex":
        raise InputError("--grid is for squares; hex tiles are found without it")
    profile = load_profile(Path(arguments.profile)) if arguments.profile is not None else None
    return ReadRequest(shape, tile_set, grid, profile)


def _tile_set(arguments: Namespace) -> TileSet:
    if arguments.game:
        return find_set(game_named(arguments.game), arguments.set, set_folders())
    from vision import find_taught

    # A taught box may have no game, and so no rules.
    taught = find_taught(arguments.set, set_folders())
    return taught.tile_set if taught is not None else load_set(arguments.set, set_folders())


def grid_of(text: str | None) -> tuple[int, int] | None:
    """Return the columns and rows in a text like ``5x7``.

    Raises:
        InputError: the text has another form, or a number is out of range.
    """
    if text is None:
        return None
    match = re.fullmatch(r"(\d{1,3})x(\d{1,3})", text)
    across, down = (int(match[1]), int(match[2])) if match else (0, 0)
    if not (1 <= across <= MOST_SQUARES and 1 <= down <= MOST_SQUARES):
        raise InputError(
            f"--grid {text}: write columns and rows as 5x7, 1 to {MOST_SQUARES} of each"
        )
    return across, down


def _check_out(out: str, images: list[str]) -> None:
    if Path(out).suffix.lower() not in PICTURE_ENDINGS:
        endings = ", ".join(PICTURE_ENDINGS)
        raise InputError(f"--out {shown_name(out)}: a picture ends with one of {endings}")
    if len(images) > 1:
        raise InputError("--out is for one picture at a time")
    if all(Path(one).exists() for one in (out, images[0])) and Path(out).samefile(images[0]):
        raise InputError(f"--out {shown_name(out)} is the photo itself; take another name")


def _write_seen(name: str, document: dict[str, Any], request: ReadRequest, out: str) -> None:
    """Write the photo with the reading drawn over it."""
    import cv2

    from companion_app.cli.seen_picture import drawn_over

    picture = open_picture(name).decode()
    colours = request.tile_set.colours if request.tile_set is not None else ()
    seen = drawn_over(picture.bgr, document, picture.own_px, colours)
    _, data = cv2.imencode(Path(out).suffix.lower(), seen)
    with writing(out):
        Path(out).write_bytes(data.tobytes())


def _answer_read(name: str, request: ReadRequest, arguments: Namespace) -> int:
    state = read_picture(name, request, _trace(arguments, name))
    document = table_state_to_json(state, shown(name))
    if arguments.out:
        _write_seen(name, document, request, arguments.out)
    answer(arguments, document, _in_words(document))
    return ANSWERED if document["quality"]["ok"] else NO


def _said_grey(state: TableState, request: ReadRequest) -> TableState:
    quality = state.quality
    advice = (*quality.advice, grey_advice())
    return replace(state, quality=Quality(quality.ok and not request.needs_colours, advice))


def _with_name(problem: str, name: str) -> str:
    return problem if shown(name) in problem else f"{shown(name)}: {problem}"


def _in_words(document: dict[str, Any]) -> Iterator[str]:
    tiles = in_english(TILES, {"n": str(len(document["tiles"]))})
    others = f"{len(document['unsure'])} unsure, {len(document['aside'])} aside"
    yield f"{document['file']}: {tiles}, {others}"
    yield from (f"    {_tile_in_words(tile)}" for tile in document["tiles"])
    for tile in document["unsure"]:
        guesses = " or ".join(str(guess[0]) for guess in tile.get("guesses", ()))
        said = f": {guesses}" if guesses else ""
        yield f"    {_tile_in_words(tile)}: unsure, {tile.get('why')}{said}"
    yield from (f"    {advice['text']}" for advice in document["quality"]["advice"])


def _tile_in_words(tile: dict[str, Any]) -> str:
    place = tile.get("at", tile.get("cells"))
    turned = f", turns {tile['turns']}" if "turns" in tile else ""
    return f"{tile.get('tile', 'unknown')} at {place}{turned}"
