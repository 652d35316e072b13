"""The match store: logs of games are the truth, SQLite is an index of them, pictures are files.

A decision is on the disk in its game's log (``companion_app.games.log``) before anybody hears of
it. The index answers what a game's log alone cannot, and holds each line a second time: what a log
has lost is put back from it, and an index that is damaged, old or gone is made anew from the logs.
Pictures are not waited for: a power cut may cost those of the last seconds, never a line.
"""

from __future__ import annotations

import fcntl
import json
import logging
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from errno import ENOSPC
from pathlib import Path
from typing import IO, Any

from companion_app.games.entries import Line, read_line, written
from companion_app.games.log import (
    FOLDER,
    FORGOTTEN,
    Log,
    Ranges,
    append,
    cut_back,
    decided,
    folder_of,
    folders,
    missing,
    picture_file,
    pictures_in,
    put_aside,
    read_log,
    read_numbers,
    rewrite,
    save_numbers,
    size_of,
    sync_names,
)
from companion_app.live.damage import Damage, tell
from companion_app.live.errors import StoreError, StoreFull, StoreInUse
from companion_app.live.former_store import last_number_in_former_store, take_over

log = logging.getLogger(__name__)
FILE, LOCK_FILE = "games.index", "games.lock"
PARTS_OF_AN_INDEX = ("", "-wal", "-shm")
"""Suffixes of the files that SQLite keeps an index in."""
INDEX_VERSION = 1
INDEX = f"""
    BEGIN;
    CREATE TABLE log (
        seq INTEGER NOT NULL, game TEXT NOT NULL, kind TEXT NOT NULL, line TEXT NOT NULL,
        PRIMARY KEY (game, seq)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX log_by_number ON log (seq);
    CREATE TABLE summaries (
        game TEXT PRIMARY KEY, seq INTEGER NOT NULL, made_by TEXT NOT NULL, summary TEXT NOT NULL
    ) STRICT;
    PRAGMA user_version = {INDEX_VERSION};
    COMMIT;
    """
SETTINGS = ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL", "PRAGMA secure_delete = ON")
"""The index does not wait for the disk: the logs do."""
EMPTY_WRITE_AHEAD = "PRAGMA wal_checkpoint(TRUNCATE)"
ADD_LINE = "INSERT INTO log VALUES (?, ?, ?, ?)"
LEAST_ROOM_BYTES = 128 << 10
"""Free bytes that opening an index needs: for a write-ahead file and 32 KB of shared memory."""
Texts = dict[tuple[str, int], str]
"""Lines as they are written, by game and number."""


class Store:
    """All games on this device; one process at a time can open it. Close it, or use ``with``."""

    def __init__(self, folder: Path, clock: Callable[[], float] = time.time) -> None:
        self.path = folder / FILE
        self.damage: Damage | None = None
        """What damage has cost that was noticed when this store was opened."""
        self._home, self._clock = folder, clock
        self._last = 0
        """The last number that a line was given."""
        self._refused: tuple[Path, int] | None = None
        """The log with the end of a decision that was refused, and how long it was before."""
        self._sizes: dict[int, dict[Path, int]] = {}
        """Bytes of the pictures, by the number of their line, the oldest first."""
        with self._errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = _locked(folder / LOCK_FILE)
        try:
            with self._errors():
                take_over(folder)
                self._db = self._opened()
        except BaseException:
            self._lock.close()
            raise

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the index and release the lock; all appended lines are on the disk already."""
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
        return Line(self._last + ahead + 1, game, kind, body, round(self._clock(), 3))

    def write(self, lines: Iterable[tuple[Line, Mapping[str, bytes]]]) -> None:
        """Write the coming lines of one decision; all are on the disk when this returns.

        Raises:
            StoreFull: there is no room; nothing was written.
            StoreError: the disk or the file fails, or other lines came first; nothing was written.
        """
        added = list(lines)
        if not added:
            return
        texts = decided([line for line, _ in added])
        game, last = added[0][0].game, self._last + len(added)
        due = [(game, number) for number in range(self._last + 1, last + 1)]
        if [(line.game, line.seq) for line, _ in added] != due:
            raise StoreError(f"games cannot be kept in {self.path}: other lines came first")
        folder = folder_of(self._home, game)
        with self._errors():
            self._cut_back()
            self._refused = folder, size_of(folder)
            try:
                with _whole(self._db) as db:
                    for line, text in texts:
                        db.execute(ADD_LINE, (line.seq, game, line.kind, text))
                    for line, pictures in added:
                        self._keep_pictures(line, pictures)
                    append(folder, (text for _, text in texts))
            except BaseException:
                with suppress(OSError):
                    self._cut_back()
                raise
        self._refused, self._last = None, last

    def _cut_back(self) -> None:
        """Take back what was refused: nothing is written behind it before it is gone."""
        if self._refused is not None:
            cut_back(*self._refused)
            for number in [number for number in self._sizes if number > self._last]:
                self._drop_pictures(number)
        self._refused = None

    def _keep_pictures(self, line: Line, pictures: Mapping[str, bytes]) -> None:
        for name, jpeg in pictures.items():
            file = picture_file(self._home, line.game, line.seq, name)
            file.parent.mkdir(parents=True, exist_ok=True)
            self._sizes.setdefault(line.seq, {})[file] = len(jpeg)
            file.write_bytes(jpeg)

    def _drop_pictures(self, number: int) -> int:
        """Delete the pictures of a line; return how many there were."""
        files = self._sizes.get(number, {})
        for file in files:
            file.unlink(missing_ok=True)
        self._sizes.pop(number, None)
        return len(files)

    def forget_pictures(self, game: str | None = None) -> int:
        """Delete the pictures of one game, or of all, but no moves; return how many there were."""
        folder = None if game is None else folder_of(self._home, game)
        of_game = [
            number
            for number, files in self._sizes.items()
            if folder is None or any(file.parent == folder for file in files)
        ]
        with self._errors():
            return sum(map(self._drop_pictures, of_game))

    def forget(self, game: str) -> None:
        """Delete a whole game with its pictures: the only way that lines leave the log."""
        folder = folder_of(self._home, game)
        with self._errors():
            asked = "SELECT seq FROM log WHERE game <> ?"
            self._save_numbers(seq for (seq,) in self._db.execute(asked, (game,)))
            with _whole(self._db) as db:
                db.execute("DELETE FROM log WHERE game = ?", (game,))
                db.execute("DELETE FROM summaries WHERE game = ?", (game,))
            self._db.execute(EMPTY_WRITE_AHEAD)
            self.forget_pictures(game)
            if folder.is_dir():
                # A log that is cut off half would look like damage.
                gone = folder.with_name(folder.name + FORGOTTEN)
                folder.rename(gone)
                sync_names(folder.parent)
                shutil.rmtree(gone)

    def rewrite(self, game: str, bodies: Iterable[Mapping[str, Any]]) -> None:
        """Give the lines of a game other bodies, such as without a name that is to be forgotten.

        The log is replaced as a whole before the index is changed; after a power cut between them,
        the index is made anew from the logs.
        """
        lines = self.lines(game)
        others = [replace(line, body=body) for line, body in zip(lines, bodies, strict=True)]
        texts = [(written(line), game, line.seq) for line in others]
        with self._errors():
            self._cut_back()
            rewrite(folder_of(self._home, game), (text for text, _, _ in texts))
            with _whole(self._db) as db:
                db.executemany("UPDATE log SET line = ? WHERE game = ? AND seq = ?", texts)
                db.execute("DELETE FROM summaries WHERE game = ?", (game,))
            self._db.execute(EMPTY_WRITE_AHEAD)

    def limit_pictures(self, most_bytes: int) -> int:
        """Delete the oldest pictures until the rest fit ``most_bytes``; return how many went."""
        over = sum(sum(files.values()) for files in self._sizes.values()) - most_bytes
        gone = 0
        for number in list(self._sizes):
            if over <= 0:
                break
            over -= sum(self._sizes[number].values())
            with self._errors():
                gone += self._drop_pictures(number)
        return gone

    # --- reading ---------------------------------------------------------------------------

    def lines(self, game: str) -> list[Line]:
        """Return the lines of a game in order."""
        rows = self._found("SELECT line FROM log WHERE game = ? ORDER BY seq", game)
        return [line for (text,) in rows if (line := read_line(text)) is not None]

    def games(self) -> list[str]:
        """Return all games, the oldest first."""
        found = self._found("SELECT game FROM log GROUP BY game ORDER BY min(seq)")
        return [game for (game,) in found]

    def games_with(self, texts: Iterable[str]) -> list[str]:
        """Return the games in whose log one of some texts stands as a whole, the oldest first."""
        asked = "SELECT game, min(seq) FROM log WHERE instr(line, ?) GROUP BY game"
        found = {row for text in texts for row in self._found(asked, json.dumps(text))}
        first = {game: number for game, number in sorted(found, key=lambda row: -row[1])}
        return sorted(first, key=lambda game: first[game])

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
        for file in self._sizes.get(seq, {}):
            if file.name == f"{seq}-{name}.jpg":
                with self._errors(), suppress(FileNotFoundError):
                    return file.read_bytes() or None
        return None

    def _found(self, asked: str, *values: object) -> list[Any]:
        with self._errors():
            return self._db.execute(asked, values).fetchall()

    # --- opening ---------------------------------------------------------------------------

    def _opened(self) -> sqlite3.Connection:
        """Return an index that has what the logs have, and logs that have what the index had."""
        for forgotten in (self._home / FOLDER).glob("*" + FORGOTTEN):
            shutil.rmtree(forgotten, ignore_errors=True)
        logs = {folder: read_log(folder) for folder in folders(self._home)}
        db, indexed = self._index()
        try:
            texts = {
                (line.game, line.seq): text for one in logs.values() for line, text in one.texts
            }
            if any(indexed.get(place, text) != text for place, text in texts.items()):
                log.error("the index is of other games: it is made anew")
                db.close()
                _remove(self.path)
                db, indexed = self._index()
            given, gone = read_numbers(self._home)
            for place in indexed.keys() - texts.keys():
                # What was deleted is in no log either, and must not come back from an old index.
                if not any(first <= place[1] <= end for first, end in gone or ()):
                    texts[place] = indexed[place]
            self._mend(logs, texts)
            with _whole(db):
                db.executemany(
                    "DELETE FROM log WHERE game = ? AND seq = ?", indexed.keys() - texts.keys()
                )
                for place in texts.keys() - indexed.keys():
                    game, seq = place
                    line = read_line(texts[place])
                    assert line is not None
                    db.execute(ADD_LINE, (seq, game, line.kind, texts[place]))
            at_end = sum(one.damaged_at_end for one in logs.values())
            newest = max((seq for _, seq in texts), default=0)
            self._last = max(given, newest + (0 if indexed else at_end))
            self._tell_what_is_lost(texts, gone)
            self._find_pictures({seq for _, seq in texts})
        except BaseException:
            db.close()
            raise
        return db

    def _index(self) -> tuple[sqlite3.Connection, Texts]:
        """Open the index, or begin it anew; return it with the lines that it has."""
        try:
            return self._whole_index()
        except sqlite3.DatabaseError as error:
            # A file that cannot be opened (permissions, disk) is not damaged.
            if isinstance(error, sqlite3.OperationalError) and "malformed" not in str(error):
                raise
            log.error("the index of games is damaged, and made anew: %s", error)
            _remove(self.path)
            return self._whole_index()

    def _whole_index(self) -> tuple[sqlite3.Connection, Texts]:
        db = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
        try:
            for statement in SETTINGS:
                db.execute(statement)
            (version,) = db.execute("PRAGMA user_version").fetchone()
            if version > INDEX_VERSION:
                raise StoreError(
                    f"the games were kept by a newer Snake Eye (version {version} of the index, "
                    f"this one knows {INDEX_VERSION}); update it"
                )
            if not version:
                db.executescript(INDEX)
            (answer,) = db.execute("PRAGMA integrity_check(1)").fetchone()
            rows = db.execute("SELECT game, seq, line FROM log").fetchall()
            if answer != "ok" or not all(map(_is_a_line, rows)):
                raise sqlite3.DatabaseError(f"{answer}, lines {len(rows)}")
        except BaseException:
            db.close()
            raise
        return db, {(game, seq): text for game, seq, text in rows}

    def _mend(self, logs: Mapping[Path, Log], texts: Texts) -> None:
        """Write logs anew that are damaged, torn, or lack lines of the index."""
        by_folder: dict[Path, list[tuple[int, str]]] = {folder: [] for folder in logs}
        for (game, seq), text in texts.items():
            by_folder.setdefault(folder_of(self._home, game), []).append((seq, text))
        for folder, found in by_folder.items():
            one = logs.get(folder, Log())
            if one.damaged:
                log.error("the log %s is damaged", folder.name)
                put_aside(folder)
            if one.damaged or one.torn or len(found) > len(one.texts):
                rewrite(folder, (text for _, text in sorted(found)))

    def _tell_what_is_lost(self, texts: Texts, gone: Ranges | None) -> None:
        """Tell which numbers no line has, but for those that are known to be gone."""
        kept = [seq for _, seq in texts]
        if gone is None:
            # Which games were deleted is not known any more: nothing is told as lost.
            self._save_numbers(kept)
            return
        if lost := missing(kept, self._last, gone):
            lines = sum(end - first + 1 for first, end in lost)
            self.damage = Damage(lines, len({game for game, _ in texts}))
            tell(self._home, self.damage)
            self._save_numbers(kept)

    def _save_numbers(self, kept: Iterable[int]) -> None:
        save_numbers(self._home, self._last, missing(kept, self._last))

    def _find_pictures(self, kept: set[int]) -> None:
        found = [
            (seq, Path(file.path), file.stat().st_size)
            for folder in folders(self._home)
            for seq, _, file in pictures_in(folder)
        ]
        for seq, path, size in sorted(found):
            self._sizes.setdefault(seq, {})[path] = size
        for seq in self._sizes.keys() - kept:
            # A line was to come, and did not: its number will be another's.
            self._drop_pictures(seq)

    @contextmanager
    def _errors(self, path: Path | None = None) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise _said(error, path or self.path) from error


# --- numbers -------------------------------------------------------------------------------------


def number_on(home: Path, replaced: Path) -> None:
    """Let the games of a home number their lines after those of the home that it replaces.

    Raises:
        StoreError: the disk fails.
    """
    try:
        gone = read_numbers(home)[1]
        own, last = last_number(home), last_number(replaced)
        if last > own:
            save_numbers(home, last, [*(gone or []), (own + 1, last)])
    except OSError as error:
        raise _said(error, home) from error


def last_number(home: Path) -> int:
    """Return the last line number that was given in a home; 0 where there is none."""
    numbers = (line.seq for folder in folders(home) for line, _ in read_log(folder).texts)
    return max(read_numbers(home)[0], last_number_in_former_store(home), max(numbers, default=0))


# --- files ---------------------------------------------------------------------------------------


@contextmanager
def _whole(db: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """Run the block in one transaction: commit it, or roll it back on an exception."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield db
        db.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            db.execute("ROLLBACK")
        raise


def _is_a_line(row: tuple[str, int, str]) -> bool:
    line = read_line(row[2])
    return line is not None and (line.game, line.seq) == row[:2]


def _remove(path: Path) -> None:
    for end in PARTS_OF_AN_INDEX:
        path.with_name(path.name + end).unlink(missing_ok=True)


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
