"""Read access to the kept games: each query has its own connection, never the writer's.

The store also caches summaries of games, so that a list of games need not replay them all. A
summary is valid for the game's last log line and the program version that it was made with; when
either changes, it is made again from the log.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from companion_app.games.entries import Line, read_line
from companion_app.games.log import folder_of, picture_file, pictures_in
from companion_app.live.errors import StoreError

BUSY_S = 5.0
NEWEST = 2**62
"""A line number above that of any line."""
MOST_UNDERSTOOD = 2048
"""Size of the cache of parsed summaries, which a list of games would otherwise parse every time."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A game's summary, independent of any language."""

    seq: int
    """Number of the game's last line when it was summarised."""
    summary: Mapping[str, Any]


class KeptGames:
    """All games in a store's file, read while another process writes them."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._watch: tuple[int, sqlite3.Connection] | None = None
        """The inode that is watched for changes, and the connection that watches it."""
        self._watching = threading.Lock()

    def mark(self) -> tuple[int, int]:
        """Return a value that changes whenever anything was written."""
        with self._watching, self._errors():
            file = self.file.stat().st_ino
            if self._watch is None or self._watch[0] != file:
                if self._watch is not None:
                    self._watch[1].close()
                self._watch = file, self._opened("ro", by_one_thread=False)
            (written,) = self._watch[1].execute("PRAGMA data_version").fetchone()
            return file, int(written)

    def lines(self, game: str, after: int = 0, upto: int = NEWEST) -> list[Line]:
        """Return the lines of a game in order, all or those with ``after`` < seq <= ``upto``."""
        asked = "SELECT line FROM log WHERE game = ? AND seq > ? AND seq <= ? ORDER BY seq"
        found = self._found(asked, game, after, upto)
        return [line for (text,) in found if (line := read_line(text)) is not None]

    def last_lines(self, most: int) -> dict[str, int]:
        """Return the newest games, newest first, each with the number of its last line."""
        asked = "SELECT game, max(seq) FROM log GROUP BY game ORDER BY min(seq) DESC LIMIT ?"
        return dict(self._found(asked, most))

    def kind(self, seq: int) -> str:
        """Return the kind of a line; empty if there is no such line."""
        return "".join(kind for (kind,) in self._found("SELECT kind FROM log WHERE seq = ?", seq))

    def count(self) -> int:
        """Return how many games are kept."""
        return int(self._found("SELECT count(DISTINCT game) FROM log")[0][0])

    def picture(self, game: str, seq: int, name: str) -> bytes | None:
        """Return a kept picture of a game; ``None`` if there was none or it was deleted."""
        with self._errors(), suppress(FileNotFoundError):
            return picture_file(self.file.parent, game, seq, name).read_bytes() or None
        return None

    def pictures_of(self, game: str, seq: int) -> frozenset[str]:
        """Return the names of the pictures that are kept with a line of a game."""
        found = pictures_in(folder_of(self.file.parent, game))
        return frozenset(name for number, name, _ in found if number == seq)

    def summaries(self, made_by: str) -> dict[str, Kept]:
        """Return the summaries that a version made, by game."""
        asked = "SELECT game, seq, summary FROM summaries WHERE made_by = ?"
        with self._errors():
            return {
                game: Kept(seq, _understood(text))
                for game, seq, text in self._found(asked, made_by)
            }

    def keep(self, made: Mapping[str, Kept], made_by: str) -> None:
        """Save summaries, replacing older ones of the same games."""
        rows = [
            (game, one.seq, made_by, json.dumps(dict(one.summary))) for game, one in made.items()
        ]
        with self._errors(), closing(self._opened("rw")) as db, db:
            # Waiting for the disk here would hold up the writer of the game, and so a verdict.
            db.execute("PRAGMA synchronous = NORMAL")
            db.executemany("INSERT OR REPLACE INTO summaries VALUES (?, ?, ?, ?)", rows)

    def _found(self, asked: str, *values: object) -> list[Any]:
        with self._errors(), closing(self._opened("ro")) as db:
            return db.execute(asked, values).fetchall()

    def _opened(self, mode: str, by_one_thread: bool = True) -> sqlite3.Connection:
        address = f"{self.file.absolute().as_uri()}?mode={mode}"
        return sqlite3.connect(address, uri=True, timeout=BUSY_S, check_same_thread=by_one_thread)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (OSError, sqlite3.Error, ValueError, RecursionError) as error:
            raise StoreError(f"the games in {self.file} cannot be read: {error}") from error


@lru_cache(MOST_UNDERSTOOD)
def _understood(text: str) -> Mapping[str, Any]:
    """Parse a summary; cached by text, so the result is read-only."""
    return MappingProxyType(json.loads(text))
