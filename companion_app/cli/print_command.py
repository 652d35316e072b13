"""The command ``print``: sheets to cut out, one picture a tile face, and the manifest."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from companion_app.answers import ANSWERED, InputError, answer, writing
from companion_app.cli.arguments import Commands, add_game, new_parser
from companion_app.home import set_folders
from engine.games import game_named
from engine.record import find_set


def add_print_command(commands: Commands) -> None:
    """Add ``print`` to the commands of ``snake-eye``."""
    parser = new_parser(
        commands,
        "print",
        [
            "print --game schlangennest --out sheets",
            "print --game snekagon --paper letter --size 30 --out sheets",
        ],
    )
    parser.add_argument("--json", action="store_true", help="print the manifest, nothing else")
    add_game(parser, options=False)
    parser.add_argument("--out", required=True, metavar="DIR", help="the folder to write into")
    parser.add_argument(
        "--paper", choices=("a4", "letter"), default="a4", help="a4 (at first) or letter"
    )
    parser.add_argument(
        "--size", type=float, metavar="MM", help="side of a card, or width of a hex cell"
    )
    parser.set_defaults(command=print_sheets)


def print_sheets(arguments: Namespace) -> int:
    """Write all printable sheets of a set, its tile faces and the manifest."""
    from models.sheets import SheetError, make_sheets

    tile_set = find_set(game_named(arguments.game), arguments.set, set_folders())
    out = Path(arguments.out)
    try:
        with writing(arguments.out):
            out.mkdir(parents=True, exist_ok=True)
            manifest = make_sheets(tile_set, out, arguments.paper, arguments.size)
    except SheetError as error:
        raise InputError(str(error)) from error
    answer(
        arguments,
        manifest,
        [
            *map(str, sorted(out.glob("*.pdf"))),
            f"Pictures of single tiles: {len(manifest['faces'])}, "
            f"listed in {out / 'manifest.json'}",
        ],
    )
    return ANSWERED
