"""What the commands share in their arguments."""

from __future__ import annotations

import argparse
from argparse import Namespace
from collections.abc import Callable

Command = Callable[[Namespace], int]


def add_command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    does: str,
    command: Command,
) -> argparse.ArgumentParser:
    """Add a command that can answer in JSON."""
    parser = commands.add_parser(name, help=does, description=does.capitalize() + ".")
    parser.add_argument("--json", action="store_true", help="print one JSON document, nothing else")
    parser.set_defaults(command=command)
    return parser


def speed(text: str) -> float:
    """Return how many times faster than real time."""
    value = float(text)
    if not 0 < value <= 1e6:
        raise argparse.ArgumentTypeError("a speed is a number above 0")
    return value
