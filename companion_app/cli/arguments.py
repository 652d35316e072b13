"""Argument parsing that the commands share."""

from __future__ import annotations

import argparse
import json
import re
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias, TypeVar

from companion_app.answers import InputError
from engine.errors import RecordError
from engine.game import AnyGame, Json, Option
from engine.games import GAMES
from engine.given import load_json
from engine.record import parse_options, parse_players

Command = Callable[[Namespace], int]
Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
"""The argparse object that commands are added to."""
N = TypeVar("N", int, float)
COMMANDS: Mapping[str, tuple[str, str]] = {
    "referee": ("record_commands", "judge written games"),
    "moves": ("record_commands", "list the legal moves at a record's end"),
    "perft": ("record_commands", "count move sequences"),
    "rules": ("record_commands", "list the rules by id"),
    "draw": ("draw_command", "draw the position at a record's end"),
    "score": ("record_commands", "score a table as it lies"),
    "suggest": ("play_commands", "suggest moves at a record's end"),
    "analyse": ("play_commands", "look a game over, move by move"),
    "play": ("play_commands", "play against the machine in the terminal"),
    "read": ("reading", "read what lies on a table from pictures"),
    "calibrate": ("calibrating", "learn the camera from photos of the printed sheet"),
    "print": ("print_command", "make sheets to print and cut out"),
    "doctor": ("home_commands", "look at everything a game rests on"),
    "backup": ("home_commands", "write everything that is kept into one file"),
    "restore": ("home_commands", "put a backup in place of what is kept"),
    "pin": ("home_commands", "make another host PIN"),
    "card": ("home_commands", "make a card to print that makes a phone host"),
    "teach": ("teach_command", "learn your own tiles from photos of them"),
    "box": ("teach_command", "say which taught box is in a file, or take it in"),
    "watch": ("watch_command", "referee a live game, one event a line"),
    "run": ("run_command", "the companion: a page for every phone at the table"),
    "hall": ("hall_command", "the hall: many tables on one page, with an arbiter"),
    "reader": ("hall_command", "a worker that reads photos for a hall"),
}
"""Every command in the order of the help: the file whose ``add_NAME_command`` adds it, and what it
does."""
KEEPS = frozenset(
    [
        "calibrate",
        "doctor",
        "backup",
        "restore",
        "pin",
        "card",
        "teach",
        "box",
        "watch",
        "run",
        "hall",
        "reader",
    ]
)
"""Commands that keep something: games, pictures of homes, the PIN."""


def new_parser(
    commands: Commands, name: str, examples: Sequence[str], more: str = "", does: str = ""
) -> argparse.ArgumentParser:
    """Return the parser of a command, with examples under its help.

    Args:
        commands: what it is added to.
        name: its name.
        examples: command lines without ``snake-eye``.
        more: what stands below the examples.
        does: what it does, where it is no command of its own but a part of one.
    """
    does = does or COMMANDS[name][1]
    shown = "\n".join(f"  snake-eye {example}" for example in examples)
    return commands.add_parser(
        name,
        help=does,
        description=does[0].upper() + does[1:] + ".",
        epilog=f"Examples:\n{shown}" + (f"\n\n{more}" if more else ""),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def add_command(
    commands: Commands,
    name: str,
    command: Command,
    examples: Sequence[str],
    more: str = "",
    does: str = "",
) -> argparse.ArgumentParser:
    """Add a command that can answer in JSON; the arguments are those of ``new_parser``."""
    parser = new_parser(commands, name, examples, more, does)
    parser.add_argument("--json", action="store_true", help="print one JSON document, nothing else")
    parser.set_defaults(command=command)
    return parser


def add_game(
    parser: argparse.ArgumentParser, *, required: bool = True, options: bool = True
) -> None:
    """Add the arguments for the game, its box and its options."""
    parser.add_argument(
        "--game", required=required, choices=GAMES, metavar="G", help="one of " + ", ".join(GAMES)
    )
    parser.add_argument(
        "--set",
        metavar="N",
        help="the box: a game's name, or that of your own set file; the game's own where missing",
    )
    if options:
        parser.add_argument(
            "--option",
            action="append",
            default=[],
            metavar="K=V",
            help="an option of the game, listed below; may be repeated",
        )


def games_in_words() -> str:
    """Return the players and options of every game, with the values that they may have."""
    lines = ["Players and options of the games; the default is in brackets:"]
    for game in GAMES.values():
        facts = game.facts
        names = ", ".join(facts.player_names) if facts.player_names else "names of any kind"
        count = f"{facts.fewest_players}-{facts.most_players}"
        if facts.fewest_players == facts.most_players:
            count = str(facts.fewest_players)
        lines.append(f"  {facts.name}: {count} players, {names}")
        lines += [f"    {option_in_words(option)}" for option in facts.options]
    return "\n".join(lines)


def option_in_words(option: Option) -> str:
    """Return an option's name, its values and the default."""
    return f"{option.name} = {_values(option)} [{json.dumps(option.default)}]"


def _values(option: Option) -> str:
    """Return the allowed values of an option, taken from the error message of its parser."""
    try:
        option.parse(object())
    except ValueError as error:
        return str(error).removeprefix("must be ").removeprefix("must ")
    return "any value"


def between(kind: type[N], least: N, most: N, problem: str) -> Callable[[str], N]:
    """Return an argparse type for a number in a range; others are refused with ``problem``."""

    def read(text: str) -> N:
        try:
            value = kind(text)
        except ValueError:
            raise argparse.ArgumentTypeError(problem) from None
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(problem)
        return value

    return read


SMALLEST = sys.float_info.min
"""The smallest positive (normalised) float."""
speed = between(float, SMALLEST, 1e6, "a speed is a number above 0")
port = between(int, 0, 65535, "a port is a number from 0 to 65535")


def told_players(game: AnyGame, given: str) -> tuple[str, ...]:
    """Return the validated players of ``--players A,B``."""
    if not given.strip():
        raise InputError("--players: names nobody; write the names in turn order, as A,B")
    return parse_players(game, given.split(","), "--players")


def told_machine(players: Sequence[str], given: Sequence[str]) -> dict[str, int]:
    """Return the validated seats of the machine, from ``--machine A=LEVEL``."""
    seats: dict[str, int] = {}
    for text in given:
        who, _, level = text.rpartition("=")
        if who not in players:
            raise InputError(f"--machine {text}: write it as A=LEVEL, with one of the players")
        if level not in ("1", "2", "3", "4", "5"):
            raise InputError(f"--machine {text}: a level is a number from 1 to 5")
        seats[who] = int(level)
    return seats


def told_options(game: AnyGame, given: Sequence[str]) -> dict[str, Json]:
    """Return the validated options of the game, from ``--option name=value``."""
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
