"""The match store: SQLite, an append-only log of games, one transaction a line, with pictures.

Write-ahead mode with ``synchronous=FULL``: every commit is on the disk before it returns. NORMAL
would be faster and never damage the file, but a power cut may take back the newest commits, and a
move that was announced must not be lost. A move every few seconds pays for one ``fsync`` each.

Every line carries its own checksum and everything needed to understand it, so that lines can be
salvaged from a damaged file, also where SQLite itself has given up. A second copy of the log, in
plain text beside it, fills what the damage took.
"""

from __future__ import annotations

import fcntl
import json
import re
import shutil
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from errno import ENOSPC
from pathlib import Path
from typing import IO, Any

from companion_app.live.errors import StoreError, StoreFull, StoreInUse
from companion_app.live.second_copy import SecondCopy

Json = dict[str, Any]

FILE = "games.sqlite3"
MIGRATIONS = (
    """
    CREATE TABLE log (
        seq INTEGER PRIMARY KEY,
        game TEXT NOT NULL,
        kind TEXT NOT NULL,
        line TEXT NOT NULL
    ) STRICT;
    CREATE INDEX log_by_game ON log (game, seq);
    CREATE TRIGGER log_is_never_changed BEFORE UPDATE ON log
    BEGIN SELECT RAISE(ABORT, 'the log of games is never changed'); END;
    CREATE TRIGGER log_is_never_shortened BEFORE DELETE ON log
    BEGIN SELECT RAISE(ABORT, 'the log of games is never shortened'); END;
    CREATE TABLE pictures (
        seq INTEGER NOT NULL REFERENCES log (seq),
        name TEXT NOT NULL,
        jpeg BLOB NOT NULL,
        PRIMARY KEY (seq, name)
    ) STRICT;
    """,
)
"""Each takes the store one version on; ``user_version`` says how many are done."""
LEAST_ROOM_BYTES = 128 << 10
"""What a store needs to be opened: a write-ahead file and 32 KB of shared memory."""
LINE_IN_BYTES = re.compile(rb'\{"snake-eye-log": 1, [^\x00-\x1f]*?"crc": \d{1,10}\}')


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the log."""

    seq: int
    game: str
    kind: str
    """``started``, ``move``, ``foul``, ``taken-back``, ``corrected``, ``answered``, ``ended``."""
    body: Mapping[str, Any]
    at_s: float
    """Clock time, for people; order comes from ``seq`` alone, since clocks jump."""


class Store:
    """All games on this device. One process at a time; close it, or use ``with``."""

    def __init__(self, folder: Path, clock: Callable[[], float] = time.time) -> None:
        self.path = folder / FILE
        self.salvaged: Path | None = None
        """Where a damaged file was put aside when this store was opened."""
        self._clock = clock
        self._copy = SecondCopy(folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = _locked(folder / "games.lock")
        except OSError as error:
            raise _said(error, folder) from error
        try:
            self._db = self._opened()
        except BaseException:
            self._lock.close()
            raise

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the file back; what was appended is on the disk already."""
        with suppress(sqlite3.Error):
            self._db.close()
        self._lock.close()

    # --- writing ---------------------------------------------------------------------------

    def append(
        self,
        game: str,
        kind: str,
        body: Mapping[str, Any],
        pictures: Mapping[str, bytes] | None = None,
    ) -> Line:
        """Write one line with its pictures; it is on the disk when this returns.

        Raises:
            StoreFull: there is no room; nothing was written.
            StoreError: the disk or the file fails; nothing was written.
        """  # fmt: skip
        with self._transaction() as db:
            (last,) = db.execute("SELECT coalesce(max(seq), 0) FROM log").fetchone()
            line = Line(last + 1, game, kind, body, round(self._clock(), 3))
            text = _written(line)
            db.execute("INSERT INTO log VALUES (?, ?, ?, ?)", (line.seq, game, kind, text))
            db.executemany(
                "INSERT INTO pictures VALUES (?, ?, ?)",
                [(line.seq, name, jpeg) for name, jpeg in (pictures or {}).items()],
            )
        self._copy.add(text)
        return line

    def forget_pictures(self, game: str | None = None) -> int:
        """Wipe the pictures of one game, or of all; the moves stay. Return how many there were."""
        with self._transaction() as db:
            if game is None:
                gone = db.execute("DELETE FROM pictures").rowcount
            else:
                gone = db.execute(
                    "DELETE FROM pictures WHERE seq IN (SELECT seq FROM log WHERE game = ?)",
                    (game,),
                ).rowcount
        with self._errors():
            # Deleted pages keep their bytes until the file is written anew.
            self._db.execute("VACUUM")
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return gone

    def limit_pictures(self, most_bytes: int) -> int:
        """Let the oldest pictures go until the rest take no more room; return how many went.

        Their room in the file is used for the next ones; it does not shrink.
        """
        with self._errors():
            sizes = self._db.execute(
                "SELECT seq, sum(length(jpeg)) FROM pictures GROUP BY seq ORDER BY seq"
            ).fetchall()
        over = sum(size for _, size in sizes) - most_bytes
        newest_gone = 0
        for seq, size in sizes:
            if over <= 0:
                break
            over -= size
            newest_gone = seq
        if not newest_gone:
            return 0
        with self._transaction() as db:
            return db.execute("DELETE FROM pictures WHERE seq <= ?", (newest_gone,)).rowcount

    # --- reading ---------------------------------------------------------------------------

    def lines(self, game: str) -> list[Line]:
        """Return the lines of a game in order."""
        with self._errors():
            rows = self._db.execute(
                "SELECT line FROM log WHERE game = ? ORDER BY seq", (game,)
            ).fetchall()
        return [line for (text,) in rows if (line := _read(text)) is not None]

    def games(self) -> list[str]:
        """Return all games, the oldest first."""
        with self._errors():
            rows = self._db.execute("SELECT game FROM log GROUP BY game ORDER BY min(seq)")
            return [game for (game,) in rows]

    def unfinished(self) -> str | None:
        """Return the newest game if it has not ended."""
        games = self.games()
        if not games or any(line.kind == "ended" for line in self.lines(games[-1])):
            return None
        return games[-1]

    def picture(self, seq: int, name: str) -> bytes | None:
        """Return a kept picture, ``None`` where there is none or it was wiped."""
        with self._errors():
            row = self._db.execute(
                "SELECT jpeg FROM pictures WHERE seq = ? AND name = ?", (seq, name)
            ).fetchone()
        return None if row is None else bytes(row[0])

    # --- opening ---------------------------------------------------------------------------

    def _opened(self) -> sqlite3.Connection:
        copied = {line.seq: line for text in self._copy.read() if (line := _read(text))}
        try:
            if _is_damaged(self.path, copied):
                self._salvage(copied)
            db = _connect(self.path)
            _migrate(db)
            if (kept := _kept_lines(db)) != copied:
                self._copy.rewrite(_written(line) for line in kept.values())
        except (sqlite3.Error, OSError) as error:
            raise _said(error, self.path) from error
        return db

    def _salvage(self, copied: Mapping[int, Line]) -> None:
        """Put the damaged file aside and write into a new one what it and the copy still hold."""
        aside = _free_name(self.path)
        read = {line.seq: line for line in salvaged_lines(self.path)}
        # Bytes may also be of lines that were never committed; the copy has only those that were.
        found = dict(sorted({**read, **copied}.items()))
        pictures = list(_salvaged_pictures(self.path))
        fresh = self.path.with_name("games.salvaged.sqlite3")
        _remove(fresh)
        db = _connect(fresh)
        try:
            _migrate(db)
            db.execute("BEGIN")
            db.executemany(
                "INSERT INTO log VALUES (?, ?, ?, ?)",
                [(line.seq, line.game, line.kind, _written(line)) for line in found.values()],
            )
            db.executemany(
                "INSERT OR IGNORE INTO pictures VALUES (?, ?, ?)",
                [picture for picture in pictures if picture[0] in found],
            )
            db.execute("COMMIT")
        finally:
            db.close()
        # Only now that everything is safe does the damaged file give up its place.
        for end in ("", "-wal", "-shm"):
            old = self.path.with_name(self.path.name + end)
            if old.exists():
                old.rename(aside.with_name(aside.name + end))
                self.salvaged = aside
        fresh.rename(self.path)

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._errors():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    self._db.execute("ROLLBACK")
                raise

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise _said(error, self.path) from error


def salvaged_lines(path: Path) -> Iterator[Line]:
    """Yield every whole line that the bytes of a store and its write-ahead file still hold."""
    for file in (path, path.with_name(path.name + "-wal")):
        with suppress(OSError):
            for match in LINE_IN_BYTES.finditer(file.read_bytes()):
                line = _read(match[0].decode("ascii", "replace"))
                if line is not None:
                    yield line
    # Long lines are spread over pages and found only through SQLite.
    with suppress(sqlite3.Error, OSError):
        db = _read_only(path)
        try:
            (last,) = db.execute("SELECT max(seq) FROM log").fetchone()
            for seq in range(1, (last or 0) + 1):
                with suppress(sqlite3.Error):
                    row = db.execute("SELECT line FROM log WHERE seq = ?", (seq,)).fetchone()
                    line = _read(row[0]) if row else None
                    if line is not None:
                        yield line
        finally:
            db.close()


def _salvaged_pictures(path: Path) -> Iterator[tuple[int, str, bytes]]:
    with suppress(sqlite3.Error, OSError):
        db = _read_only(path)
        try:
            for key in db.execute("SELECT seq, name FROM pictures").fetchall():
                with suppress(sqlite3.Error):
                    row = db.execute(
                        "SELECT seq, name, jpeg FROM pictures WHERE seq = ? AND name = ?", key
                    ).fetchone()
                    if row and [type(value) for value in row] == [int, str, bytes]:
                        yield row
        finally:
            db.close()


# --- lines as text -------------------------------------------------------------------------------


def _written(line: Line) -> str:
    """Return a line as text; plain ASCII, so that it is found among the bytes of a broken file."""
    said = {
        "snake-eye-log": 1, "seq": line.seq, "game": line.game, "kind": line.kind,
        "at_s": line.at_s, "body": dict(line.body),
    }  # fmt: skip
    crc = zlib.crc32(json.dumps(said).encode())
    return json.dumps({**said, "crc": crc})


def _read(text: str) -> Line | None:
    """Return the line that a text is, ``None`` when a byte of it is wrong."""
    try:
        said = json.loads(text)
        crc = said.pop("crc")
        if zlib.crc32(json.dumps(said).encode()) != crc:
            return None
        return Line(said["seq"], said["game"], said["kind"], said["body"], said["at_s"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


# --- files ---------------------------------------------------------------------------------------


def _read_only(path: Path) -> sqlite3.Connection:
    """Open a file that may be damaged: it is not written to, and its texts may be no texts."""
    uri = f"{path.absolute().as_uri()}?mode=ro"
    db = sqlite3.connect(uri, uri=True, isolation_level=None)
    db.text_factory = lambda data: data.decode("utf-8", "replace")
    return db


def _connect(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, isolation_level=None, timeout=5.0, check_same_thread=False)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    db.execute("PRAGMA foreign_keys = ON")
    return db


def _migrate(db: sqlite3.Connection) -> None:
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version > len(MIGRATIONS):
        raise StoreError(
            f"the games were kept by a newer Snake Eye (version {version} of the store, "
            f"this one knows {len(MIGRATIONS)}); update it"
        )
    for number, script in enumerate(MIGRATIONS[version:], start=version + 1):
        db.executescript(f"BEGIN; {script} PRAGMA user_version = {number}; COMMIT;")


def _kept_lines(db: sqlite3.Connection) -> dict[int, Line]:
    rows = db.execute("SELECT line FROM log ORDER BY seq")
    return {line.seq: line for (text,) in rows if (line := _read(text)) is not None}


def _has_gaps(kept: Mapping[int, Line], copied: Mapping[int, Line]) -> bool:
    """Say whether lines are gone that the copy has; not when it is the copy of another store."""
    ours = all(copied[seq] == line for seq, line in kept.items() if seq in copied)
    return ours and bool(copied.keys() - kept.keys())


def _is_damaged(path: Path, copied: Mapping[int, Line]) -> bool:
    """Say whether a file is no whole store; it is only read, so that it can be kept as it is."""
    if not path.exists():
        return bool(copied)
    try:
        db = _read_only(path)
        try:
            (answer,) = db.execute("PRAGMA integrity_check(1)").fetchone()
            lines = db.execute("SELECT line FROM log").fetchall() if _has_log(db) else []
        finally:
            db.close()
    except sqlite3.OperationalError as error:
        # A file that cannot be opened (rights, disk) is not a damaged one.
        return "malformed" in str(error)
    except sqlite3.DatabaseError:
        return True
    kept = {line.seq: line for (text,) in lines if (line := _read(text)) is not None}
    return answer != "ok" or len(kept) < len(lines) or _has_gaps(kept, copied)


def _has_log(db: sqlite3.Connection) -> bool:
    return bool(db.execute("SELECT 1 FROM sqlite_master WHERE name = 'log'").fetchall())


def _remove(path: Path) -> None:
    for end in ("", "-wal", "-shm"):
        path.with_name(path.name + end).unlink(missing_ok=True)


def _free_name(path: Path) -> Path:
    number = 1
    while (aside := path.with_name(f"games.damaged-{number}.sqlite3")).exists():
        number += 1
    return aside


def _locked(path: Path) -> IO[bytes]:
    # Held open for as long as the store is: closing it gives the lock back.
    handle = path.open("ab")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        handle.close()
        raise StoreInUse(
            f"another Snake Eye has the games in {path.parent} open; stop it first"
        ) from error
    return handle


def _has_no_room(path: Path) -> bool:
    """Say whether the disk is full: SQLite calls that an I/O error where it maps memory."""
    with suppress(OSError):
        return shutil.disk_usage(path.parent).free < LEAST_ROOM_BYTES
    return False


def _said(error: Exception, path: Path) -> StoreError:
    text = str(error)
    if "full" in text or getattr(error, "errno", None) == ENOSPC or _has_no_room(path):
        return StoreFull(f"the disk is full: no move can be kept in {path}; make room")
    return StoreError(f"games cannot be kept in {path}: {text}")
