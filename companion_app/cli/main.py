"""The command ``snake-eye``: reads arguments, calls the engine, prints answers.

Exit status 0: answered; 1: the answer is no; 2: bad usage or bad input.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from calibration.errors import CalibrationError
from companion_app.answers import BAD_INPUT, InputError, complain, print_line
from companion_app.cli.arguments import COMMANDS, KEEPS, Command
from companion_app.live.errors import LiveError
from companion_app.version import version
from engine.errors import EngineError
from vision import VisionError

OURS = (EngineError, InputError, CalibrationError, LiveError, VisionError)
"""Errors whose messages are written for people and printed unchanged."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    asked = next((word for word in given if not word.startswith("-")), "")
    parsed = build_parser(asked).parse_args(given)
    command: Command = parsed.command
    # What is kept is for its owner alone, whoever else has an account on this machine.
    before = os.umask(0o077) if asked in KEEPS else None
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
    finally:
        if before is not None:
            os.umask(before)


class _Version(argparse.Action):
    """The argument ``--version``; the version is looked up only when it is asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print_line(f"snake-eye {version()}")
        parser.exit()


def build_parser(asked: str) -> argparse.ArgumentParser:
    """Return the parser of all commands; only the ``asked`` one is loaded, with its arguments."""
    parser = argparse.ArgumentParser(
        prog="snake-eye",
        description="A referee for snake tile games on a real table.",
        epilog="snake-eye COMMAND --help shows examples and every value.\n"
        "Exit status: 0 answered, 1 the answer is no, 2 bad usage or bad input.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--version",
        action=_Version,
        nargs=0,
        default=argparse.SUPPRESS,
        help="print name and version",
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, (file, does) in COMMANDS.items():
        if name == asked:
            getattr(import_module(f"companion_app.cli.{file}"), f"add_{name}_command")(commands)
        else:
            commands.add_parser(name, help=does)
    return parser
