"""The commands on pictures and their arguments: read, calibrate.

The commands themselves load OpenCV, which is slow, so they are imported only when they run.
"""

from __future__ import annotations

import argparse
from argparse import Namespace

from companion_app.cli.arguments import Commands, add_command, add_game


def add_picture_commands(commands: Commands) -> None:
    """Add the commands of this file to the parser of ``snake-eye``."""
    reading = add_command(
        commands, "read", "read what lies on a table from pictures", _read,
        ["read table.jpg --game schlangennest", "read table.jpg --game carnival --out seen.png",
         "read *.jpg --set my-box --json", "read table.jpg --shape hex"],
    )  # fmt: skip
    reading.add_argument("images", nargs="+", metavar="IMAGE", help="JPEG, PNG, WebP or HEIC")
    add_request_arguments(reading)
    reading.add_argument(
        "--out", metavar="PICTURE", help="also write what was seen over the photo (.png or .jpg)"
    )
    reading.add_argument(
        "--trace", metavar="DIR", help="how each picture was read, every stage as a picture"
    )

    calibrating = add_command(
        commands, "calibrate", "learn the camera from photos of the printed sheet", _calibrate,
        ["calibrate --photos photos --out camera.json",
         "calibrate --photos photos --pattern chessboard:9x6 --out camera.json"],
    )  # fmt: skip
    photos = calibrating.add_mutually_exclusive_group(required=True)
    photos.add_argument(
        "--photos", metavar="DIR",
        help="photos of the sheet, tilted differently, 5 or more; in the last one by name it lies "
        "flat on the table and the camera hangs as in play",
    )  # fmt: skip
    photos.add_argument("--source", metavar="S", help="folder:DIR, the same as --photos DIR")
    calibrating.add_argument(
        "--pattern", default="sheet", metavar="sheet|chessboard:9x6",
        help="what the photos show: sheet, as print makes it (at first), or a chessboard, named by "
        "its inner corners",
    )  # fmt: skip
    calibrating.add_argument("--out", required=True, metavar="PROFILE", help="the file to write")


def add_request_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that say how a picture is to be read."""
    add_game(parser, required=False, options=False)
    parser.add_argument(
        "--shape", choices=("square", "hex"), help="tiles of any box, all named unknown"
    )
    parser.add_argument("--grid", metavar="WxH", help="the whole picture is W x H squares, as 5x7")
    parser.add_argument("--profile", metavar="FILE", help="what calibrate learnt of the camera")


def _read(arguments: Namespace) -> int:
    from companion_app.cli.reading import read

    return read(arguments)


def _calibrate(arguments: Namespace) -> int:
    from companion_app.cli.calibrating import calibrate

    return calibrate(arguments)
