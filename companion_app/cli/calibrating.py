"""The command ``calibrate``: photographs in, a saved profile out."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from calibration.learn import Learnt, Photo, learn_profile
from calibration.pattern import parse_pattern
from calibration.profile import Profile
from calibration.profile_file import save_profile
from companion_app.answers import ANSWERED, NO, InputError, answer, complain
from companion_app.cli.arguments import Commands, add_command
from vision import PictureError, load_picture, shown

PICTURE_ENDINGS = frozenset([".jpg", ".jpeg", ".png", ".webp", ".heic", ".heif"])
LAST_LEFT_OUT = (
    "the last picture could not be used, so the table is not known; take it again with the sheet "
    "flat on the table"
)


def add_calibrate_command(commands: Commands) -> None:
    """Add ``calibrate`` to the commands of ``snake-eye``."""
    parser = add_command(
        commands,
        "calibrate",
        calibrate,
        [
            "calibrate --photos photos --out camera.json",
            "calibrate --photos photos --pattern chessboard:9x6 --out camera.json",
        ],
    )
    photos = parser.add_mutually_exclusive_group(required=True)
    photos.add_argument(
        "--photos",
        metavar="DIR",
        help="photos of the sheet, tilted differently, 5 or more; in the last one by name it lies "
        "flat on the table and the camera hangs as in play",
    )
    photos.add_argument("--source", metavar="S", help="folder:DIR, the same as --photos DIR")
    parser.add_argument(
        "--pattern",
        default="sheet",
        metavar="sheet|chessboard:9x6",
        help="what the photos show: sheet, as print makes it (at first), or a chessboard, named by "
        "its inner corners",
    )
    parser.add_argument("--out", required=True, metavar="PROFILE", help="the file to write")


def calibrate(arguments: Namespace) -> int:
    """Learn a camera from photographs and save its profile."""
    broken: list[tuple[str, str]] = []
    pattern = parse_pattern(arguments.pattern)
    files = _photos_in(_photo_folder(arguments))
    learnt = learn_profile(_photos(files, broken), pattern)
    left_out = (*broken, *learnt.left_out)
    learnt = Learnt(len(files), learnt.profile, left_out, learnt.notes)
    if shown(files[-1].name) in dict(left_out):
        learnt = _without_table(learnt)
    if learnt.profile is not None:
        save_profile(learnt.profile, Path(arguments.out))
    document = _calibration_to_json(learnt, arguments.out)
    answer(arguments, document, _in_words(document))
    if learnt.profile is None:
        complain(f"no picture shows {pattern.words}; nothing was saved")
        return NO
    return ANSWERED


def _without_table(learnt: Learnt) -> Learnt:
    """Return what holds of the lens alone: no other picture shows the table as it is in play."""
    if learnt.profile is None:
        return learnt
    profile = replace(learnt.profile, table=None, light=None, reference=None)
    return replace(learnt, profile=profile, notes=(*learnt.notes, LAST_LEFT_OUT))


def _photo_folder(arguments: Namespace) -> Path:
    if arguments.photos is not None:
        return Path(arguments.photos)
    kind, colon, folder = arguments.source.partition(":")
    if kind != "folder" or not colon or not folder:
        raise InputError(f"--source {arguments.source}: calibrate reads folder:DIR")
    return Path(folder)


def _photos_in(folder: Path) -> list[Path]:
    try:
        shown_files = (path for path in folder.iterdir() if not path.name.startswith("."))
        files = sorted(path for path in shown_files if path.suffix.lower() in PICTURE_ENDINGS)
    except FileNotFoundError:
        raise InputError(f"there is no folder {shown(folder)}") from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise InputError(f"{shown(folder)} cannot be read as a folder: {why}") from None
    if not files:
        raise InputError(f"there are no pictures in {shown(folder)}")
    return files


def _photos(files: list[Path], broken: list[tuple[str, str]]) -> Iterator[Photo]:
    """Yield photographs one at a time; unreadable ones are appended to ``broken``."""
    for path in files:
        try:
            picture = load_picture(path)
        except PictureError as error:
            broken.append((shown(path.name), str(error)))
            continue
        yield Photo(shown(path.name), picture.bgr, picture.size_px)


def _calibration_to_json(learnt: Learnt, out: str) -> dict[str, Any]:
    profile: Profile | None = learnt.profile
    lens = profile.lens if profile is not None else None
    return {
        "rms_px": lens and lens.rms_px,
        "used": learnt.used,
        "pictures": learnt.pictures,
        "matrix": lens and lens.matrix.tolist(),
        "distortion": lens and lens.distortion.tolist(),
        "size": list(profile.size_px) if profile is not None else None,
        "table": profile is not None and profile.table is not None,
        "light": profile is not None and profile.light is not None,
        "left_out": [{"file": name, "why": why} for name, why in learnt.left_out],
        "notes": list(learnt.notes),
        "profile": shown(out) if profile is not None else None,
    }


def _in_words(document: dict[str, Any]) -> Iterator[str]:
    yield f"pictures used: {document['used']} of {document['pictures']}"
    yield from (f"    not {one['file']}: {one['why']}" for one in document["left_out"])
    yield from (f"    {note}" for note in document["notes"])
    if document["profile"] is not None:
        yield f"the lens explains them to {document['rms_px']:.2f} pixels"
        if document["table"]:
            yield "the table is where the sheet lies in the last picture"
        yield f"{document['profile']} written"
