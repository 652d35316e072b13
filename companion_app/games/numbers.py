"""The numbers of lines: which was given last, and which ones no log has any more.

A hall that has a line by its number asks only for later ones, so the numbers of deleted lines are
not given again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from companion_app.games.log import FOLDER
from companion_app.whole_file import write_whole

NUMBERS_FILE = "numbers.json"
Ranges = list[tuple[int, int]]
"""Numbers from one to another, both included."""


def save_numbers(home: Path, last: int, gone: Ranges) -> None:
    """Save which number was given last, and which ones no line has any more."""
    (home / FOLDER).mkdir(parents=True, exist_ok=True)
    write_whole(home / FOLDER / NUMBERS_FILE, json.dumps({"last": last, "gone": gone}))


def read_numbers(home: Path) -> tuple[int, Ranges | None]:
    """Return what was saved; no ranges where the file is damaged, and they are not known."""
    try:
        kept = json.loads((home / FOLDER / NUMBERS_FILE).read_bytes())
        return int(kept["last"]), [(int(first), int(end)) for first, end in kept["gone"]]
    except FileNotFoundError:
        return 0, []
    except (ValueError, KeyError, TypeError, RecursionError):
        return 0, None


def missing(kept: Iterable[int], last: int, gone: Iterable[tuple[int, int]] = ()) -> Ranges:
    """Return the numbers up to the last that no line has, and that are not known to be gone."""
    ranges: Ranges = []
    due = 1
    for first, end in sorted([*((seq, seq) for seq in kept), *gone]):
        if first > due:
            ranges.append((due, first - 1))
        due = max(due, end + 1)
    return [*ranges, (due, last)] if due <= last else ranges
