"""The log of a game: a text file to which every decision is added by one write and one ``fsync``.

Each game has a folder of its own, with its log and the pictures of its lines. Every line carries a
checksum, everything needed to understand it, and how many lines of the same decision follow, so
that the half of a decision that a power cut has left is known as such.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from errno import ENOSPC
from itertools import count
from pathlib import Path

from companion_app.games.entries import Line, read_line, written
from companion_app.whole_file import write_whole

FOLDER = "games"
"""The folder of all games in a home."""
LOG = "log"
FORGOTTEN = ".forgotten"
"""Ending of the folder of a game that is being deleted."""
PLAIN_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
PICTURE = re.compile(r"([1-9][0-9]{0,15})-([a-z-]{1,80})\.jpg")
PUT_ASIDE = re.compile(r"damaged-[0-9]{1,6}")
LARGEST_NUMBER = 1 << 40
"""No log has so many lines: a larger number is damage."""

NUMBERS_FILE = "numbers.json"
Ranges = list[tuple[int, int]]
"""Numbers from one to another, both included."""
Text = tuple[Line, str]
"""A line, and the text that it was read from."""


@dataclass(frozen=True, slots=True)
class Log:
    """What could be read of a log."""

    texts: tuple[Text, ...] = ()
    damaged: int = 0
    """How many pieces of the file are no line."""
    damaged_at_end: int = 0
    """How many of them come after the last line, and are not what a power cut leaves."""
    torn: bool = False
    """Whether the end of the last decision is missing; it was never announced."""


def folder_name(game: str) -> str:
    """Return the name of a game's folder, whatever the game is called."""
    if PLAIN_NAME.fullmatch(game):
        return game
    return "=" + hashlib.sha256(game.encode("utf-8", "replace")).hexdigest()


def folder_of(home: Path, game: str) -> Path:
    """Return the folder of a game."""
    return home / FOLDER / folder_name(game)


def folders(home: Path) -> Iterator[Path]:
    """Yield the folders of all games."""
    with suppress(FileNotFoundError):
        for folder in sorted((home / FOLDER).iterdir()):
            # What is only being made or deleted has a dot in its name.
            if "." not in folder.name and folder.is_dir() and not folder.is_symlink():
                yield folder


def picture_file(home: Path, game: str, seq: int, name: str) -> Path:
    """Return the file of a line's picture."""
    return folder_of(home, game) / f"{seq}-{name}.jpg"


def pictures_in(folder: Path) -> Iterator[tuple[int, str, os.DirEntry[str]]]:
    """Yield the pictures of a game: number of the line, name, file."""
    with suppress(FileNotFoundError), os.scandir(folder) as entries:
        for entry in entries:
            if (found := PICTURE.fullmatch(entry.name)) and entry.is_file(follow_symlinks=False):
                yield int(found[1]), found[2], entry


# --- writing -------------------------------------------------------------------------------------


def decided(lines: Sequence[Line]) -> list[Text]:
    """Return the lines of one decision as they are written."""
    last = len(lines) - 1
    marked = [replace(line, more=last - number) for number, line in enumerate(lines)]
    return [(line, written(line)) for line in marked]


def append(folder: Path, texts: Iterable[str]) -> None:
    """Add a decision; it is on the disk when this returns.

    Raises:
        OSError: the disk fails; some of it may be there.
    """
    if not folder.is_dir():
        folder.mkdir(parents=True)
    data = "".join(f"{text}\n" for text in texts).encode("ascii")
    handle = os.open(folder / LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
    try:
        is_new = not os.fstat(handle).st_size
        if os.write(handle, data) != len(data):
            raise OSError(ENOSPC, os.strerror(ENOSPC))
        os.fsync(handle)
        if is_new:
            for names in (folder, folder.parent, folder.parent.parent):
                sync_names(names)
    finally:
        os.close(handle)


def size_of(folder: Path) -> int:
    """Return how long the log of a game is."""
    with suppress(FileNotFoundError):
        return (folder / LOG).stat().st_size
    return 0


def cut_back(folder: Path, size: int) -> None:
    """Take back a decision that could not be finished."""
    if size_of(folder) > size:
        handle = os.open(folder / LOG, os.O_WRONLY | os.O_NOFOLLOW)
        try:
            os.ftruncate(handle, size)
        finally:
            os.close(handle)


def rewrite(folder: Path, texts: Iterable[str]) -> None:
    """Replace a log as a whole."""
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / LOG, "".join(f"{text}\n" for text in texts), 0o600)
    sync_names(folder)


def put_aside(folder: Path) -> None:
    """Keep the bytes of a damaged log under another name; they take no room of their own."""
    names = (folder / f"damaged-{number}" for number in count(1))
    with suppress(OSError):
        next(name for name in names if not name.exists()).hardlink_to(folder / LOG)


def sync_names(folder: Path) -> None:
    """Put the names in a folder on the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


# --- reading -------------------------------------------------------------------------------------


def read_log(folder: Path) -> Log:
    """Read the log of a game; every line that is whole counts, whatever lies around it.

    Raises:
        OSError: the file cannot be read.
    """
    try:
        *pieces, rest = (folder / LOG).read_bytes().split(b"\n")
    except FileNotFoundError:
        return Log()
    found: dict[int, Text] = {}
    damaged = at_end = 0
    for piece in filter(None, pieces):
        text = piece.decode("ascii", "replace")
        line = read_line(text)
        if line is None or line.seq > LARGEST_NUMBER or folder_name(line.game) != folder.name:
            damaged += 1
            at_end += b"\0" not in piece
            continue
        found[line.seq], at_end = (line, text), 0
    texts = [found[seq] for seq in sorted(found)]
    whole = _without_half_a_decision(texts)
    return Log(tuple(whole), damaged, at_end, bool(rest) or len(whole) < len(texts))


def _without_half_a_decision(texts: Sequence[Text]) -> Sequence[Text]:
    if not texts or not texts[-1][0].more:
        return texts
    end = texts[-1][0].seq + texts[-1][0].more
    return [text for text in texts if text[0].seq + text[0].more != end]


# --- numbers -------------------------------------------------------------------------------------


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
