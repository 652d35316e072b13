"""The command ``snake-eye``: reads arguments, calls the engine, prints answers.

Exit status 0: answered; 1: the answer is no; 2: bad usage or bad input.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from companion_app import draw_command, record_commands
from companion_app.answers import BAD_INPUT, InputError, complain
from companion_app.arguments import Command, add_command
from companion_app.home_commands import add_home_commands
from companion_app.picture_commands import add_picture_commands
from companion_app.print_command import add_print_command
from companion_app.teach_command import add_teach_command
from engine.errors import EngineError
from engine.games import GAMES


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    parsed = build_parser(given[0] if given else "").parse_args(given)
    command: Command = parsed.command
    try:
        return command(parsed)
    except (EngineError, InputError) as error:
        complain(str(error))
        return BAD_INPUT
    except BrokenPipeError:
        # Whoever read the answers has gone; there is nobody left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130


def build_parser(asked: str = "") -> argparse.ArgumentParser:
    """Return the parser of all commands; of the heavy ones only that which is asked for."""
    parser = argparse.ArgumentParser(
        prog="snake-eye",
        description="A referee for snake tile games on a real table.",
        epilog="Exit status: 0 answered, 1 the answer is no, 2 bad usage or bad input.",
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    referee = add_command(commands, "referee", "judge written games", record_commands.referee)
    referee.add_argument("records", nargs="+", metavar="RECORD", help="record file, - for stdin")

    moves = add_command(
        commands, "moves", "list the legal moves at a record's end", record_commands.moves
    )
    moves.add_argument("record", metavar="RECORD", help="record file, - for stdin")

    perft = add_command(commands, "perft", "count move sequences", record_commands.perft)
    _add_game(perft)
    perft.add_argument("--players", required=True, metavar="A,B", help="players in turn order")
    perft.add_argument("--depth", required=True, type=_depth, metavar="N", help="moves a sequence")

    rules = add_command(commands, "rules", "list the rules by id", record_commands.rules)
    rules.add_argument("--game", required=True, choices=GAMES, metavar="G", help=_game_help())

    draw = add_command(commands, "draw", "draw the position at a record's end", draw_command.draw)
    draw.add_argument("record", metavar="RECORD", help="record file, - for stdin")
    draw.add_argument("--out", required=True, metavar="FILE.svg|FILE.png",
                      help="the drawing or the picture to write")  # fmt: skip

    score = add_command(commands, "score", "score a table as it lies", record_commands.score)
    score.add_argument(
        "table", metavar="IMAGE|TABLE.json", help="a picture, or a table state (tiles will do)"
    )
    _add_game(score)
    score.add_argument("--profile", metavar="FILE", help="what calibrate learnt of the camera")
    score.add_argument("--players", metavar="A,B", help="players in turn order; else those seen")

    add_picture_commands(commands)
    add_print_command(commands)
    add_home_commands(commands)
    add_teach_command(commands)
    _add_live_commands(commands, asked)
    return parser


def _add_live_commands(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], asked: str
) -> None:
    """Add watch and run. They load the page and OpenCV, which others need not wait for."""
    if asked == "watch":
        from companion_app.watch_command import add_watch_command

        add_watch_command(commands)
    else:
        commands.add_parser("watch", help="referee a live game, one event a line")
    if asked == "run":
        from companion_app.run_command import add_run_command

        add_run_command(commands)
    else:
        commands.add_parser("run", help="the companion: a page for every phone at the table")


def _add_game(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--game", required=True, choices=GAMES, metavar="G", help=_game_help())
    parser.add_argument("--set", metavar="N", help="the box; the game's own where it is missing")
    parser.add_argument(
        "--option", action="append", default=[], metavar="K=V", help="an option; may be repeated"
    )


def _game_help() -> str:
    return "one of " + ", ".join(GAMES)


def _depth(text: str) -> int:
    depth = int(text)
    if not 0 <= depth <= 100:
        raise argparse.ArgumentTypeError("a depth is a whole number from 0 to 100")
    return depth


if __name__ == "__main__":
    sys.exit(main())
