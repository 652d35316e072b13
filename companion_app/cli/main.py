"""The command ``snake-eye``: reads arguments, calls the engine, prints answers.

Exit status 0: answered; 1: the answer is no; 2: bad usage or bad input.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from calibration.errors import CalibrationError
from companion_app.answers import BAD_INPUT, InputError, complain
from companion_app.cli import draw_command, record_commands
from companion_app.cli.arguments import (
    Command,
    Commands,
    add_command,
    add_game,
    between,
    games_in_words,
)
from companion_app.cli.hall_command import add_hall_commands
from companion_app.cli.home_commands import add_home_commands
from companion_app.cli.picture_commands import add_picture_commands
from companion_app.cli.play_commands import add_play_commands
from companion_app.cli.print_command import add_print_command
from companion_app.cli.teach_command import add_box_command, add_teach_command
from companion_app.live.errors import LiveError
from companion_app.version import version
from engine.errors import EngineError
from engine.games import GAMES
from vision import VisionError

OURS = (EngineError, InputError, CalibrationError, LiveError, VisionError)
"""Errors whose messages are written for people and printed unchanged."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    parsed = build_parser(given[0] if given else "").parse_args(given)
    command: Command = parsed.command
    try:
        return command(parsed)
    except OURS as error:
        complain(str(error))
        return BAD_INPUT
    except BrokenPipeError:
        # The reader closed the pipe; redirect stdout so that the flush at exit does not fail too.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130


def build_parser(asked: str = "") -> argparse.ArgumentParser:
    """Return the parser of all commands; a heavy command is complete only if it is ``asked``."""
    parser = argparse.ArgumentParser(
        prog="snake-eye",
        description="A referee for snake tile games on a real table.",
        epilog="snake-eye COMMAND --help shows examples and every value.\n"
        "Exit status: 0 answered, 1 the answer is no, 2 bad usage or bad input.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--version", action="version", version=f"snake-eye {version()}",
        help="print name and version",
    )  # fmt: skip
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_record_commands(commands)
    add_play_commands(commands)
    add_picture_commands(commands)
    add_print_command(commands)
    add_home_commands(commands)
    add_teach_command(commands)
    add_box_command(commands)
    _add_live_commands(commands, asked)
    add_hall_commands(commands, asked)
    return parser


def _add_record_commands(commands: Commands) -> None:
    record = "a game in writing (.json), or - for standard input"
    referee = add_command(
        commands, "referee", "judge written games", record_commands.referee,
        ["referee game.json", "referee monday.json tuesday.json", "referee - --json < games.jsonl"],
    )  # fmt: skip
    referee.add_argument(
        "records", nargs="+", metavar="RECORD",
        help="games in writing (.json), several are added up; - for standard input, one a line",
    )  # fmt: skip

    moves = add_command(
        commands, "moves", "list the legal moves at a record's end", record_commands.moves,
        ["moves game.json", "moves game.json --json", "moves - < games.jsonl"],
    )  # fmt: skip
    moves.add_argument("record", metavar="RECORD", help=record + ", one a line")

    perft = add_command(
        commands, "perft", "count move sequences", record_commands.perft,
        ["perft --game schlangennest --players blue,red --depth 2",
         "perft --game schlangennest --players blue,red --option size=5x7 --depth 3 --json"],
        games_in_words(),
    )  # fmt: skip
    add_game(perft)
    perft.add_argument("--players", required=True, metavar="A,B", help="players in turn order")
    depth = between(int, 0, 100, "a depth is a whole number from 0 to 100")
    perft.add_argument(
        "--depth", required=True, type=depth, metavar="N", help="moves a sequence, 0 to 100"
    )

    rules = add_command(
        commands, "rules", "list the rules by id", record_commands.rules,
        ["rules --game carnival", "rules --game snekagon --json"],
    )  # fmt: skip
    rules.add_argument(
        "--game", required=True, choices=GAMES, metavar="G", help="one of " + ", ".join(GAMES)
    )

    draw = add_command(
        commands, "draw", "draw the position at a record's end", draw_command.draw,
        ["draw game.json --out position.svg", "draw game.json --out position.png"],
    )  # fmt: skip
    draw.add_argument("record", metavar="RECORD", help=record)
    draw.add_argument(
        "--out", required=True, metavar="FILE", help="what to write: a .svg drawing or a .png"
    )

    score = add_command(
        commands, "score", "score a table as it lies", record_commands.score,
        ["score table.jpg --game schlangennest", "score table.json --game carnival --json",
         "score table.jpg --game sssnake --players Ann,Ben --option rolls=trust"],
        games_in_words(),
    )  # fmt: skip
    score.add_argument(
        "table", metavar="IMAGE|TABLE.json",
        help="a photo (JPEG, PNG, WebP, HEIC), or a table in writing (tiles alone will do)",
    )  # fmt: skip
    add_game(score)
    score.add_argument("--profile", metavar="FILE", help="what calibrate learnt of the camera")
    score.add_argument("--players", metavar="A,B", help="players in turn order; else those seen")


def _add_live_commands(commands: Commands, asked: str) -> None:
    """Add watch and run; they import the page and OpenCV, so only the ``asked`` one is loaded."""
    if asked == "watch":
        from companion_app.cli.watch_command import add_watch_command

        add_watch_command(commands)
    else:
        commands.add_parser("watch", help="referee a live game, one event a line")
    if asked == "run":
        from companion_app.cli.run_command import add_run_command

        add_run_command(commands)
    else:
        commands.add_parser("run", help="the companion: a page for every phone at the table")
