"""Read access to the kept games, also while another process writes them.

Each query has its own connection, never the writer's. The index also caches summaries of games, so
that a list of games need not replay them all. A summary is valid for the game's last log line and
the program version that it was made with; when either changes, it is made again from the log.
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
    """All games of a home, by the index in a file; before the store has made it, there are none."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._watch: tuple[int, sqlite3.Connection] | None = None
        """The inode that is watched for changes, and the connection that watches it."""
        self._watching = threading.Lock()

    def mark(self) -> tuple[int, int]:
        """Return a value that changes whenever anything was written; cheap enough for polling.

        File times and sizes would not do: SQLite writes bytes before their transaction commits.
        """
        with self._watching, self._errors():
            file = self.file.stat().st_ino
            if self._watch is None or self._watch[0] != file:
                # A new inode: the store has made its index anew.
                self._stop_watching()
                self._watch = file, self._opened("ro", by_one_thread=False)
            (written,) = self._watch[1].execute("PRAGMA data_version").fetchone()
            return file, int(written)

    def close(self) -> None:
        """Close the connection that watches for changes."""
        with self._watching:
            self._stop_watching()

    def _stop_watching(self) -> None:
        if self._watch is not None:
            self._watch[1].close()
            self._watch = None

    # --- lines -------------------------------------------------------------------------------

    def lines(self, game: str, after: int = 0, upto: int = NEWEST) -> list[Line]:
        """Return the lines of a game in order, all or those with ``after`` < seq <= ``upto``."""
        asked = "SELECT line FROM log WHERE game = ? AND seq > ? AND seq <= ? ORDER BY seq"
        found = self._found(asked, game, after, upto)
        return [line for (text,) in found if (line := read_line(text)) is not None]

    def after(self, number: int, most: int, most_bytes: int) -> list[tuple[int, str]]:
        """Return the next lines of all games as they are written, each with its number.

        Damaged ones are left out. The line that reaches ``most_bytes`` is included, so that a long
        line is never stuck.
        """
        found: list[tuple[int, str]] = []
        size = 0
        with self._rows("SELECT seq, line FROM log WHERE seq > ? ORDER BY seq", number) as rows:
            for seq, text in rows:
                if read_line(text) is not None:
                    found.append((int(seq), str(text)))
                    size += len(text)
                if len(found) >= most or size >= most_bytes:
                    break
        return found

    def last(self) -> int:
        """Return the number of the newest line, 0 where there is none yet."""
        found = self._found("SELECT max(seq) FROM log") if self.file.exists() else []
        return int(found[0][0] or 0) if found else 0

    def last_lines(self, most: int) -> dict[str, int]:
        """Return the newest games, newest first, each with the number of its last line."""
        asked = "SELECT game, max(seq) FROM log GROUP BY game ORDER BY min(seq) DESC LIMIT ?"
        return dict(self._found(asked, most))

    def unfinished_since(self) -> int:
        """Return the line number before the current game; the last number where none is on."""
        asked = "SELECT seq, kind FROM log WHERE game = ? ORDER BY seq"
        newest = self._found("SELECT game FROM log ORDER BY seq DESC LIMIT 1")
        lines = self._found(asked, *newest[0]) if newest else []
        if not lines:
            return 0
        ends = [kind for _, kind in lines if kind in ("ended", "reopened")]
        return int(lines[-1][0]) if ends[-1:] == ["ended"] else int(lines[0][0]) - 1

    def kind(self, seq: int) -> str:
        """Return the kind of a line; empty if there is no such line."""
        return "".join(kind for (kind,) in self._found("SELECT kind FROM log WHERE seq = ?", seq))

    def count(self) -> int:
        """Return how many games are kept."""
        return sum(count for (count,) in self._found("SELECT count(DISTINCT game) FROM log"))

    # --- pictures ----------------------------------------------------------------------------

    def picture(self, game: str, seq: int, name: str) -> bytes | None:
        """Return a kept picture of a game; ``None`` if there was none or it was deleted."""
        with self._errors(), suppress(FileNotFoundError):
            return picture_file(self.file.parent, game, seq, name).read_bytes() or None
        return None

    def pictures_of(self, game: str, seq: int) -> frozenset[str]:
        """Return the names of the pictures that are kept with a line of a game."""
        found = pictures_in(folder_of(self.file.parent, game))
        return frozenset(name for number, name, _ in found if number == seq)

    def pictures_after(self, number: int, upto: int, kind: str) -> list[tuple[int, str, bytes]]:
        """Return the pictures of the next line of a kind that has any: its number, name, JPEG."""
        asked = "SELECT seq, game FROM log WHERE seq > ? AND seq <= ? AND kind = ? ORDER BY seq"
        for seq, game in self._found(asked, number, upto, kind):
            names = sorted(self.pictures_of(game, seq))
            pictures = [(seq, name, self.picture(game, seq, name)) for name in names]
            if found := [(seq, name, jpeg) for seq, name, jpeg in pictures if jpeg is not None]:
                return found
        return []

    # --- summaries ---------------------------------------------------------------------------

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
        with self._rows(asked, *values) as rows:
            return list(rows)

    @contextmanager
    def _rows(self, asked: str, *values: object) -> Iterator[Iterator[Any]]:
        with self._errors(), closing(self._opened("ro")) as db:
            (is_made,) = db.execute(
                "SELECT count(*) FROM sqlite_master WHERE name = 'summaries'"
            ).fetchone()
            yield db.execute(asked, values) if is_made else iter(())

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
