"""One line of the log of games, and its self-contained text form with a checksum.

A line carries everything needed to understand it, so that it can be found among the bytes of a
damaged file, and its checksum tells whether it is intact.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

LONGEST_NAME = 200
LINE_IN_BYTES = re.compile(rb'\{"snake-eye-log": 1, [^\x00-\x1f]*?"crc": \d{1,10}\}')


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the log."""

    seq: int
    game: str
    kind: str
    """``started``, ``moves``, ``foul``, ``taken-back``, ``corrected``, ``undone`` and the like."""
    body: Mapping[str, Any]
    at_s: float
    """Clock time, for people; order comes from ``seq`` alone, since clocks jump."""


def last_of(kind: str, lines: Sequence[Line]) -> Mapping[str, Any]:
    """Return the body of the last line of a kind; empty if there is none."""
    return next((line.body for line in reversed(lines) if line.kind == kind), {})


def names_in(lines: Sequence[Line]) -> dict[str, str]:
    """Return the people's latest names, by player."""
    return {str(k): str(v) for k, v in last_of("names", lines).get("names", {}).items()}


def written(line: Line) -> str:
    """Return a line as ASCII text, which can be found among the bytes of a damaged file."""
    said = {
        "snake-eye-log": 1,
        "seq": line.seq,
        "game": line.game,
        "kind": line.kind,
        "at_s": line.at_s,
        "body": dict(line.body),
    }
    crc = zlib.crc32(json.dumps(said).encode())
    return json.dumps({**said, "crc": crc})


def read_line(text: str) -> Line | None:
    """Parse a line from its text; ``None`` if its checksum or a field is wrong."""
    try:
        said = json.loads(text)
        crc = said.pop("crc")
        if zlib.crc32(json.dumps(said).encode()) != crc:
            return None
        if not _is_whole(said):
            return None
        return Line(said["seq"], said["game"], said["kind"], said["body"], said["at_s"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _is_whole(said: Mapping[str, Any]) -> bool:
    texts = all(
        isinstance(text, str) and 0 < len(text) <= LONGEST_NAME
        for text in (said["game"], said["kind"])
    )
    numbers = type(said["seq"]) is int and said["seq"] > 0 and type(said["at_s"]) in (int, float)
    return texts and numbers and isinstance(said["body"], dict)
