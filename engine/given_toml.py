"""Reads TOML that somebody else wrote; how deep it is gets bounded before it is parsed.

``tomllib`` takes time and memory by the square of a dotted key's length: 60 KB of dots take minutes
and gigabytes.
"""

from __future__ import annotations

import re
import tomllib
from typing import Any

MOST_PARTS = 8
"""Parts of a dotted key; settings and set files need two."""
MOST_NESTED = 40
"""Brackets inside each other."""
MOST_PIECES = 20_000
"""Brackets, dots and commas in all; the fullest box that comes with the program has some 100."""
PIECES = re.compile(
    r'"""(?:[^"\\]++|\\(?s:.)|"(?!""))*+(?:"{3,5}|\\?\Z)'
    r"|'''(?:[^']++|'(?!''))*+(?:'{3,5}|\Z)"
    r'|"(?:[^"\\\n]++|\\.)*+"?'
    r"|'[^'\n]*+'?"
    r"|#[^\n]*+"
    r"|(?P<piece>[][{}.=,]|\n)\n*+"
)
"""Strings and comments, which are passed over, and what nests or ends a key. Every string matches
where it begins, closed or not, so that no text is looked through twice."""


class TomlError(ValueError):
    """TOML that is refused: it is none, or nested deeper than anything of ours."""

    def __init__(self, problem: str, line: int = 0) -> None:
        super().__init__(problem, line)
        self.problem = problem
        self.line = line
        """Counted from 1; 0 where the parser names the place itself, or nobody does."""

    def __str__(self) -> str:
        return f"line {self.line}: {self.problem}" if self.line else self.problem


def load_toml(text: str) -> dict[str, Any]:
    """Return the tables of a TOML text.

    Raises:
        TomlError: it is nested too deeply, or has a number with too many digits.
        tomllib.TOMLDecodeError: it is no TOML.
    """
    _refuse_depth(text)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except RecursionError:
        raise TomlError("too many brackets inside each other") from None
    except ValueError:
        # Not a TOMLDecodeError: Python itself limits the digits of a whole number.
        raise TomlError("a number has too many digits") from None


def _refuse_depth(text: str) -> None:
    deep = dots = pieces = 0
    for found in PIECES.finditer(text):
        piece = found["piece"]
        if piece is None:
            continue
        dots = dots + 1 if piece == "." else 0
        if piece in "[{":
            deep += 1
        elif piece in "]}":
            deep = max(0, deep - 1)
        pieces += piece in "[{.,"
        if dots >= MOST_PARTS:
            raise _refusal(f"a key has more than {MOST_PARTS} parts", text, found)
        if deep > MOST_NESTED:
            raise _refusal("too many brackets inside each other", text, found)
        if pieces > MOST_PIECES:
            raise _refusal(f"more than {MOST_PIECES} brackets, dots and commas", text, found)


def _refusal(problem: str, text: str, found: re.Match[str]) -> TomlError:
    return TomlError(problem, text.count("\n", 0, found.start()) + 1)
