"""How commands answer: exit statuses, JSON lines, and the error of a bad request."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from engine.errors import readable

LONGEST_COMPLAINT = 2000
LONGEST_NAME = 160
ANSWERED, NO, BAD_INPUT = 0, 1, 2
"""Exit statuses: answered; the answer is no; bad usage or bad input."""


class InputError(Exception):
    """What a command was given cannot be used; the message says what to do instead."""


@contextmanager
def writing(name: str) -> Iterator[None]:
    """Turn errors of the block into an ``InputError`` that names the file and the reason."""
    try:
        yield
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise InputError(f"{shown_name(name)} cannot be written: {why}") from error


def complain(problem: str) -> None:
    """Print a problem on one line of standard error, shortened if it is very long."""
    text = readable(" ".join(problem.split()), LONGEST_COMPLAINT)
    sys.stderr.write(f"snake-eye: {text}\n")


def shown_name(name: str) -> str:
    """Return the name of a file in a printable form."""
    return readable(name.encode(errors="backslashreplace").decode(), LONGEST_NAME)


def answer(arguments: Namespace, document: object, lines: Iterable[str]) -> None:
    """Print an answer: one JSON document if ``--json`` was given, else lines for people."""
    if arguments.json:
        print_json(document)
    else:
        for line in lines:
            print_line(line)


def print_json(value: object) -> None:
    """Print one JSON document on one line, and flush."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def print_line(text: str = "") -> None:
    """Print a line for people."""
    sys.stdout.write(text + "\n")
