"""What the commands share in their arguments."""

from __future__ import annotations

import argparse
import re
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence

from companion_app.answers import InputError
from engine.errors import RecordError
from engine.game import AnyGame, Json
from engine.given import load_json
from engine.record import parse_options, parse_players

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


def told_players(game: AnyGame, given: str) -> tuple[str, ...]:
    """Return the players as told by ``--players A,B``, checked."""
    return parse_players(game, given.split(","), "--players")


def told_options(game: AnyGame, given: Sequence[str]) -> dict[str, Json]:
    """Return the game's options as told by ``--option name=value``, checked."""
    return parse_options(game, dict(_pairs(given)), "--option")


def _pairs(given: Sequence[str]) -> Iterator[tuple[str, Json]]:
    told: set[str] = set()
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise InputError(f"--option {text}: write it as name=value")
        if name in told:
            raise InputError(f"--option {name} is given twice")
        told.add(name)
        yield name, _option_value(value)


def _option_value(text: str) -> Json:
    """Return an option's value: JSON, ``5x7`` as two numbers, else the text itself."""
    if size := re.fullmatch(r"(\d{1,4})x(\d{1,4})", text):
        return [int(size[1]), int(size[2])]
    try:
        return load_json(text)
    except RecordError:
        return text
