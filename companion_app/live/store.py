"""The match store: an append-only log of games in SQLite, one transaction per line and pictures.

Write-ahead mode with ``synchronous=FULL``: every commit is on the disk before it returns. NORMAL
would be faster and never damage the file, but a power cut may take back the newest commits, and a
move that was announced must not be lost. A move every few seconds pays for one ``fsync`` each.

Every line carries its own checksum and everything needed to understand it, so that lines can be
salvaged from a damaged file even if SQLite cannot open it. A second copy of the log, a plain text
file in the same folder, replaces lines that the damage destroyed.
"""

from __future__ import annotations

import fcntl
import logging
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from errno import ENOSPC
from itertools import count
from pathlib import Path
from typing import IO, Any

from companion_app.games.entries import Line, read_line, written
from companion_app.live.errors import StoreError, StoreFull, StoreInUse
from companion_app.live.salvage import (
    is_damaged,
    last_number,
    listed_pictures,
    salvaged_lines,
    salvaged_pictures,
)
from companion_app.live.salvage_report import Salvaged, tell
from companion_app.live.second_copy import SecondCopy
from companion_app.live.spare_room import SpareRoom

log = logging.getLogger(__name__)
FILE, LOCK_FILE, NEW_FILE = "games.sqlite3", "games.lock", "games.salvaged.sqlite3"
PARTS_OF_A_STORE = ("", "-wal", "-shm")
"""Suffixes of the files that SQLite keeps a store in."""
NEVER_SHORTENED = """
    CREATE TRIGGER log_is_never_shortened BEFORE DELETE ON log
    BEGIN SELECT RAISE(ABORT, 'the log of games is never shortened'); END;
    """
MIGRATIONS = (
    f"""
    CREATE TABLE log (
        seq INTEGER PRIMARY KEY,
        game TEXT NOT NULL,
        kind TEXT NOT NULL,
        line TEXT NOT NULL
    ) STRICT;
    CREATE INDEX log_by_game ON log (game, seq);
    CREATE TRIGGER log_is_never_changed BEFORE UPDATE ON log
    BEGIN SELECT RAISE(ABORT, 'the log of games is never changed'); END;
    {NEVER_SHORTENED}
    CREATE TABLE pictures (
        seq INTEGER NOT NULL REFERENCES log (seq),
        name TEXT NOT NULL,
        jpeg BLOB NOT NULL,
        PRIMARY KEY (seq, name)
    ) STRICT;
    """,
    """
    CREATE TABLE summaries (
        game TEXT PRIMARY KEY,
        seq INTEGER NOT NULL,
        made_by TEXT NOT NULL,
        summary TEXT NOT NULL
    ) STRICT;
    """,
    """
    CREATE TABLE numbers (last INTEGER NOT NULL) STRICT;
    INSERT INTO numbers VALUES (0);
    """,
)
"""Schema migrations, one per version; SQLite's ``user_version`` counts those that are applied."""
SAFE = ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", "PRAGMA foreign_keys = ON")
EMPTY_WRITE_AHEAD = "PRAGMA wal_checkpoint(TRUNCATE)"
SHRINK = ("VACUUM", EMPTY_WRITE_AHEAD)
"""Statements that rewrite the file: without them, deleted pages keep their bytes."""
LAST_SEQ = """
    SELECT max(
        (SELECT coalesce(max(seq), 0) FROM log), (SELECT coalesce(max(last), 0) FROM numbers)
    )
    """
"""The last number that was ever given: a hall that has a line by its number asks only for later
ones, so the numbers of deleted lines are not given again."""
GIVE_NONE_UP_TO = "UPDATE numbers SET last = max(last, ?)"
ADD_LINE = "INSERT INTO log VALUES (?, ?, ?, ?)"
FORGET_PICTURES_OF = "DELETE FROM pictures WHERE seq IN (SELECT seq FROM log WHERE game = ?)"
LEAST_ROOM_BYTES = 128 << 10
"""Free bytes that opening a store needs: for a write-ahead file and 32 KB of shared memory."""


class Store:
    """All games on this device; one process at a time can open it. Close it, or use ``with``."""

    def __init__(self, folder: Path, clock: Callable[[], float] = time.time) -> None:
        self.path = folder / FILE
        self.salvaged: Path | None = None
        """Where a damaged file was moved when this store was opened; ``None`` if none was."""
        self._clock = clock
        self._copy = SecondCopy(folder)
        self._spare = SpareRoom(folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = _locked(folder / LOCK_FILE)
        except OSError as error:
            raise _said(error, folder) from error
        try:
            self._db = self._opened()
        except BaseException:
            self._lock.close()
            raise
        self._spare.take()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file and release the lock; all appended lines are on the disk already."""
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
        """Write the next line of a game with its pictures; it is on the disk when this returns."""
        line = self.coming(game, kind, body)
        self.write([(line, pictures or {})])
        return line

    def coming(self, game: str, kind: str, body: Mapping[str, Any], ahead: int = 0) -> Line:
        """Return the line that will come next, or after ``ahead`` others."""
        ((last,),) = self._found(LAST_SEQ)
        return Line(last + ahead + 1, game, kind, body, round(self._clock(), 3))

    def write(self, lines: Iterable[tuple[Line, Mapping[str, bytes]]]) -> None:
        """Write coming lines with their pictures; all of them are on the disk when this returns.

        Raises:
            StoreFull: there is no room; nothing was written.
            StoreError: the disk or the file fails, or other lines came first; nothing was written.
        """
        added, texts = list(lines), []
        if not added:
            return
        with self._transaction() as db:
            for line, pictures in added:
                texts.append(written(line))
                db.execute(ADD_LINE, (line.seq, line.game, line.kind, texts[-1]))
                for name, jpeg in pictures.items():
                    db.execute("INSERT INTO pictures VALUES (?, ?, ?)", (line.seq, name, jpeg))
        for text in texts:
            self._copy.add(text)

    def forget_pictures(self, game: str | None = None) -> int:
        """Delete the pictures of one game, or of all, but no moves; return how many there were.

        On a full disk this uses the space that is reserved for it.
        """
        try:
            gone = self._wiped(game)
        except StoreFull:
            self._spare.give()
            gone = self._wiped(game)
        try:
            with self._errors():
                for statement in SHRINK:
                    self._db.execute(statement)
        except StoreFull:
            log.error("pictures are wiped, but there was no room to make the file smaller")
        self._spare.take()
        return gone

    def _wiped(self, game: str | None) -> int:
        with self._transaction() as db:
            if game is None:
                return db.execute("DELETE FROM pictures").rowcount
            return db.execute(FORGET_PICTURES_OF, (game,)).rowcount

    def forget(self, game: str) -> None:
        """Delete a whole game with its pictures: the only way that lines leave the log."""
        with self._errors():
            kept = _kept_lines(self._db)
            self._db.execute("PRAGMA secure_delete = ON")
        # The copy goes first: lines that only the copy has would look like damage to the log.
        self._copy.rewrite(written(line) for line in kept.values() if line.game != game)
        with self._transaction() as db:
            db.execute(GIVE_NONE_UP_TO, db.execute(LAST_SEQ).fetchone())
            db.execute("DROP TRIGGER log_is_never_shortened")
            db.execute(FORGET_PICTURES_OF, (game,))
            db.execute("DELETE FROM log WHERE game = ?", (game,))
            db.execute("DELETE FROM summaries WHERE game = ?", (game,))
            db.execute(NEVER_SHORTENED)
        with self._errors():
            self._db.execute("PRAGMA secure_delete = OFF")
            self._db.execute(EMPTY_WRITE_AHEAD)

    def limit_pictures(self, most_bytes: int) -> int:
        """Delete the oldest pictures until the rest fit ``most_bytes``; return how many went.

        The file does not shrink: its free pages are reused for new pictures.
        """
        asked = "SELECT seq, sum(length(jpeg)) FROM pictures GROUP BY seq ORDER BY seq"
        sizes = self._found(asked)
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
        rows = self._found("SELECT line FROM log WHERE game = ? ORDER BY seq", game)
        return [line for (text,) in rows if (line := read_line(text)) is not None]

    def games(self) -> list[str]:
        """Return all games, the oldest first."""
        found = self._found("SELECT game FROM log GROUP BY game ORDER BY min(seq)")
        return [game for (game,) in found]

    def unfinished(self) -> str | None:
        """Return the game played last if it has not ended or was reopened, else ``None``."""
        # Names may be corrected long after a game.
        asked = "SELECT game FROM log WHERE kind <> 'names' ORDER BY seq DESC LIMIT 1"
        found = self._found(asked)
        if not found:
            return None
        game = str(found[0][0])
        ends = [line.kind for line in self.lines(game) if line.kind in ("ended", "reopened")]
        return None if ends and ends[-1] == "ended" else game

    def picture(self, seq: int, name: str) -> bytes | None:
        """Return a kept picture; ``None`` if there was none or it was deleted."""
        found = self._found("SELECT jpeg FROM pictures WHERE seq = ? AND name = ?", seq, name)
        return bytes(found[0][0]) if found else None

    def _found(self, asked: str, *values: object) -> list[Any]:
        with self._errors():
            return self._db.execute(asked, values).fetchall()

    # --- opening ---------------------------------------------------------------------------

    def _opened(self) -> sqlite3.Connection:
        texts = self._copy.read()
        copied = {line.seq: line for text in texts if (line := read_line(text))}
        try:
            if is_damaged(self.path, copied):
                # A gap in an intact copy is a deleted game, not a lost line; a power cut may have
                # torn its last line.
                is_intact = bool(copied) and all(read_line(text) for text in texts[:-1])
                self._salvage(copied, max(copied) if is_intact else 0)
            db = _connect(self.path)
            _migrate(db)
            if (kept := _kept_lines(db)) != copied:
                self._copy.rewrite(written(line) for line in kept.values())
        except (sqlite3.Error, OSError) as error:
            raise _said(error, self.path) from error
        return db

    def _salvage(self, copied: Mapping[int, Line], complete_upto: int) -> None:
        """Build a new file from the damaged one and the copy, and move the damaged one aside.

        Args:
            copied: the intact lines of the copy, by number.
            complete_upto: the number up to which the copy lacks no line.
        """
        aside = _free_name(self.path)
        read = {line.seq: line for line in salvaged_lines(self.path)}
        # Salvaged bytes may include uncommitted lines; the copy holds committed lines only.
        found = {**read, **copied}
        listed = listed_pictures(self.path)
        pictures = 0
        fresh = self.path.with_name(NEW_FILE)
        _remove(fresh)
        db = _connect(fresh)
        try:
            _migrate(db)
            with _whole(db):
                db.execute(GIVE_NONE_UP_TO, (last_number(self.path),))
                for line in found.values():
                    db.execute(ADD_LINE, (line.seq, line.game, line.kind, written(line)))
                # One at a time: all pictures together do not fit in memory.
                add = "INSERT OR IGNORE INTO pictures VALUES (?, ?, ?)"
                for picture in salvaged_pictures(self.path):
                    if picture[0] in found:
                        pictures += db.execute(add, picture).rowcount
        finally:
            db.close()
        # The damaged file is moved only once the new one is complete.
        for end in PARTS_OF_A_STORE:
            old = self.path.with_name(self.path.name + end)
            if old.exists():
                old.rename(aside.with_name(aside.name + end))
                self.salvaged = aside
        fresh.rename(self.path)
        tell(
            self.path.parent,
            Salvaged(
                len({line.game for line in found.values()}),
                len(found),
                sum(n not in found for n in range(complete_upto + 1, max(found, default=0) + 1)),
                pictures,
                max(0, listed - pictures),
            ),
            aside,
        )

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._errors(), _whole(self._db):
            yield self._db

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise _said(error, self.path) from error


def number_on(file: Path, replaced: Path) -> None:
    """Let the store in ``file`` number its lines after those of the store that it replaces.

    Raises:
        StoreError: the disk or the file fails.
    """
    if not (last := last_number(replaced)):
        return
    try:
        with closing(_connect(file)) as db:
            _migrate(db)
            db.execute(GIVE_NONE_UP_TO, (last,))
    except sqlite3.Error as error:
        raise _said(error, file) from error


# --- files ---------------------------------------------------------------------------------------


def _connect(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    for statement in SAFE:
        db.execute(statement)
    return db


@contextmanager
def _whole(db: sqlite3.Connection) -> Iterator[None]:
    """Run the block in one transaction: commit it, or roll it back on an exception."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            db.execute("ROLLBACK")
        raise


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
    return {line.seq: line for (text,) in rows if (line := read_line(text)) is not None}


def _remove(path: Path) -> None:
    for end in PARTS_OF_A_STORE:
        path.with_name(path.name + end).unlink(missing_ok=True)


def _free_name(path: Path) -> Path:
    names = (path.with_name(f"games.damaged-{number}.sqlite3") for number in count(1))
    return next(name for name in names if not name.exists())


def _locked(path: Path) -> IO[bytes]:
    # The file stays open as long as the store: closing it releases the lock.
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
    """Say whether the disk is full, which SQLite reports as an I/O error on mapped memory."""
    with suppress(OSError):
        return shutil.disk_usage(path.parent).free < LEAST_ROOM_BYTES
    return False


def _said(error: Exception, path: Path) -> StoreError:
    is_full = isinstance(error, OSError) and error.errno == ENOSPC
    if is_full or "full" in str(error) or _has_no_room(path):
        return StoreFull(f"the disk is full: no move can be kept in {path}; make room")
    return StoreError(f"games cannot be kept in {path}: {error}")
