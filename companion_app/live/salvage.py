"""Detects a damaged store and recovers its lines and pictures one by one.

Files are only read here, so that a damaged one can be kept unchanged.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path

from companion_app.games.entries import LINE_IN_BYTES, Line, read_line

BLOCK_BYTES = 1 << 20
LARGEST_PAGE = 64 << 10
"""The largest page that SQLite knows."""
LARGEST_NUMBER = 1 << 40
"""No table writes so many lines: a larger number is damage."""


def is_damaged(path: Path, copied: Mapping[int, Line]) -> bool:
    """Say whether a store's file is damaged, or lacks lines that the copy has."""
    if not path.exists():
        return bool(copied)
    try:
        with closing(_read_only(path)) as db:
            (answer,) = db.execute("PRAGMA integrity_check(1)").fetchone()
            has_log = db.execute("SELECT 1 FROM sqlite_master WHERE name = 'log'").fetchall()
            lines = db.execute("SELECT line FROM log").fetchall() if has_log else []
    except sqlite3.OperationalError as error:
        # A file that cannot be opened (permissions, disk) is not damaged.
        return "malformed" in str(error)
    except sqlite3.DatabaseError:
        return True
    kept = {line.seq: line for (text,) in lines if (line := read_line(text)) is not None}
    return answer != "ok" or len(kept) < len(lines) or _has_gaps(kept, copied)


def salvaged_lines(path: Path) -> Iterator[Line]:
    """Yield every intact line in the bytes of a store and its write-ahead file; some twice."""
    for file in (path, path.with_name(path.name + "-wal")):
        for block in _blocks(file):
            for match in LINE_IN_BYTES.finditer(block):
                line = read_line(match[0].decode("ascii", "replace"))
                if line is not None:
                    yield line
    # Long lines are spread over several pages and can be read only through SQLite.
    with suppress(sqlite3.Error, OSError), closing(_read_only(path)) as db:
        (last,) = db.execute("SELECT max(seq) FROM log").fetchone()
        for seq in range(1, (last or 0) + 1):
            with suppress(sqlite3.Error):
                row = db.execute("SELECT line FROM log WHERE seq = ?", (seq,)).fetchone()
                line = read_line(row[0]) if row else None
                if line is not None:
                    yield line


def _blocks(file: Path) -> Iterator[bytes]:
    """Yield the bytes of a file block by block; each begins with the end of the one before.

    A store full of pictures does not fit in memory. Lines that lie in one piece are in one page,
    and so shorter than what two blocks share.
    """
    with suppress(OSError), file.open("rb") as handle:
        end = b""
        while read := handle.read(BLOCK_BYTES):
            block = end + read
            yield block
            end = block[-LARGEST_PAGE:]


def salvaged_pictures(path: Path) -> Iterator[tuple[int, str, bytes]]:
    """Yield every picture that SQLite can still read: line number, name, bytes."""
    with suppress(sqlite3.Error, OSError), closing(_read_only(path)) as db:
        for key in db.execute("SELECT seq, name FROM pictures").fetchall():
            with suppress(sqlite3.Error):
                row = db.execute(
                    "SELECT seq, name, jpeg FROM pictures WHERE seq = ? AND name = ?", key
                ).fetchone()
                if row and [type(value) for value in row] == [int, str, bytes]:
                    yield row


def listed_pictures(path: Path) -> int:
    """Return how many pictures a store lists; 0 if that cannot be read."""
    with suppress(sqlite3.Error, OSError), closing(_read_only(path)) as db:
        return int(db.execute("SELECT count(*) FROM pictures").fetchone()[0])
    return 0


def last_number(path: Path) -> int:
    """Return the last line number that a store has given; 0 if that cannot be read."""
    given = [0]
    # A store of an older version has no table of numbers.
    for asked in ("SELECT max(seq) FROM log", "SELECT max(last) FROM numbers"):
        with suppress(sqlite3.Error, OSError), closing(_read_only(path)) as db:
            (number,) = db.execute(asked).fetchone()
            given.append(number or 0)
    return max(number for number in given if number <= LARGEST_NUMBER)


def _has_gaps(kept: Mapping[int, Line], copied: Mapping[int, Line]) -> bool:
    """Say whether lines are missing that the copy has; no if the copy is of another store."""
    ours = all(copied[seq] == line for seq, line in kept.items() if seq in copied)
    return ours and bool(copied.keys() - kept.keys())


def _read_only(path: Path) -> sqlite3.Connection:
    """Open a possibly damaged file read-only; bytes that are not UTF-8 are replaced."""
    uri = f"{path.absolute().as_uri()}?mode=ro"
    db = sqlite3.connect(uri, uri=True, isolation_level=None)
    db.text_factory = lambda data: data.decode("utf-8", "replace")
    return db
