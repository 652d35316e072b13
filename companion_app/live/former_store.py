"""The store of 1.0.0, an SQLite file with a second copy of its lines, is taken over once."""

from __future__ import annotations

import logging
import shutil
import sqlite3
from collections.abc import Iterable
from contextlib import closing, suppress
from itertools import count
from pathlib import Path

from companion_app.games.entries import Line, read_line
from companion_app.games.log import (
    PICTURE,
    folder_of,
    missing,
    read_numbers,
    rewrite,
    save_numbers,
    sync_names,
)
from companion_app.live.errors import StoreError

log = logging.getLogger(__name__)
FORMER_FILE, SECOND_COPY, SPARE_ROOM = "games.sqlite3", "games.log", "games.spare"
PARTS = ("", "-wal", "-shm")
NEWEST_VERSION = 3
SPARE_BYTES = 16 << 20
"""Free bytes that pictures leave, so that games can go on."""
Texts = dict[int, tuple[Line, str]]
"""Lines by their number, with the text that they were read from."""


def take_over(home: Path) -> None:
    """Make logs and files of what the store of 1.0.0 kept, if there is one.

    Whoever is interrupted begins again: a game that has a folder is there whole.

    Raises:
        StoreError: it was written by a newer version, or cannot be opened.
        OSError: the disk is full or fails; the store of 1.0.0 stays as it is.
    """
    file, copy = home / FORMER_FILE, home / SECOND_COPY
    if not file.exists() and not copy.exists():
        return
    rows, is_damaged = _rows(file)
    copied: Texts = {}
    with suppress(FileNotFoundError):
        copied = _read(copy.read_text(encoding="ascii", errors="replace").splitlines())
    # A line may be in both; a copy that says otherwise is of another home.
    is_ours = all(copied[seq][1] == text for seq, (_, text) in rows.items() if seq in copied)
    lines = {**copied, **rows} if is_ours else rows
    newest = max(lines, default=0)
    last = max(last_number_in_former_store(home), read_numbers(home)[0], newest)
    # A gap in an intact copy, and what comes after all lines, is a deleted game, not a lost line.
    gone = missing(copied, max(copied, default=0)) if is_damaged else missing(lines, newest)
    (home / SPARE_ROOM).unlink(missing_ok=True)
    save_numbers(home, last, [*gone, (newest + 1, last)] if last > newest else gone)
    if _taken(home, file, lines) or is_damaged:
        log.error("the file of games is damaged, or its pictures have no room: it is put aside")
        names = (home / f"games.damaged-{number}.sqlite3" for number in count(1))
        aside = next(name for name in names if not name.exists())
        for part in PARTS:
            with suppress(FileNotFoundError):
                (home / (FORMER_FILE + part)).rename(aside.with_name(aside.name + part))
    for name in (*(FORMER_FILE + part for part in PARTS), SECOND_COPY):
        (home / name).unlink(missing_ok=True)


def last_number_in_former_store(home: Path) -> int:
    """Return the last line number that a store of 1.0.0 has given; 0 if that cannot be read."""
    given = [0]
    for asked in ("SELECT max(seq) FROM log", "SELECT max(last) FROM numbers"):
        with suppress(sqlite3.Error), closing(_read_only(home / FORMER_FILE)) as db:
            given += [number or 0 for (number,) in db.execute(asked)]
    return max(number for number in given if number <= 1 << 40)


def _read_only(file: Path) -> sqlite3.Connection:
    """Open a possibly damaged file; bytes that are not UTF-8 are replaced."""
    db = sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)
    db.text_factory = lambda data: data.decode("utf-8", "replace")
    return db


def _rows(file: Path) -> tuple[Texts, bool]:
    """Return the lines of a file, and whether it lacks or garbles anything."""
    texts: list[str] = []
    try:
        with closing(_read_only(file)) as db:
            (version,) = db.execute("PRAGMA user_version").fetchone()
            if version > NEWEST_VERSION:
                raise StoreError(f"the games in {file} were kept by a newer Snake Eye; update it")
            if version:
                texts.extend(text for (text,) in db.execute("SELECT line FROM log"))
            (answer,) = db.execute("PRAGMA integrity_check(1)").fetchone()
    except sqlite3.DatabaseError as error:
        is_shut = isinstance(error, sqlite3.OperationalError) and "malformed" not in str(error)
        if is_shut and file.exists():
            raise StoreError(f"games cannot be taken over from {file}: {error}") from error
        answer = str(error)
    read = _read(texts)
    return read, answer != "ok" or len(read) < len(texts)


def _read(texts: Iterable[str]) -> Texts:
    return {line.seq: (line, text) for text in texts if (line := read_line(text)) is not None}


def _taken(home: Path, file: Path, lines: Texts) -> int:
    """Write every game that has no folder yet; return how many pictures had no room."""
    of_game: dict[str, list[str]] = {}
    for _, (line, text) in sorted(lines.items()):
        of_game.setdefault(line.game, []).append(text)
    left = 0
    for game, texts in of_game.items():
        folder = folder_of(home, game)
        if not folder.exists():
            new = folder.with_name(f"{folder.name}.new")
            shutil.rmtree(new, ignore_errors=True)
            rewrite(new, texts)
            left += _pictures_taken(file, game, new)
            new.rename(folder)
            sync_names(folder.parent)
    return left


def _pictures_taken(file: Path, game: str, folder: Path) -> int:
    """Write the pictures of a game; return for how many there was no room."""
    left = 0
    with suppress(sqlite3.Error), closing(_read_only(file)) as db:
        asked = "SELECT seq, name FROM pictures JOIN log USING (seq) WHERE game = ?"
        for key in db.execute(asked, (game,)).fetchall():
            name = "{}-{}.jpg".format(*key)
            with suppress(sqlite3.Error):
                one = db.execute("SELECT jpeg FROM pictures WHERE seq = ? AND name = ?", key)
                (jpeg,) = one.fetchone()
                if shutil.disk_usage(folder).free < len(jpeg) + SPARE_BYTES:
                    left += 1
                elif PICTURE.fullmatch(name):
                    (folder / name).write_bytes(jpeg)
    return left
