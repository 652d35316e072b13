"""How commands answer: exit statuses, JSON lines, and the error of a bad request."""

from __future__ import annotations

import json
import sys

ANSWERED, NO, BAD_INPUT = 0, 1, 2
"""Exit statuses: answered; the answer is no; bad usage or bad input."""


class InputError(Exception):
    """What a command was given cannot be used; the message says what to do instead."""


def print_json(value: object) -> None:
    """Print one JSON document on one line, at once."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def print_line(text: str = "") -> None:
    """Print a line for people."""
    sys.stdout.write(text + "\n")
