"""Read-only access to the table's log of games, also while the referee writes it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from companion_app.games.entries import read_line
from companion_app.games.log import folder_of, pictures_in
from companion_app.live.errors import StoreError

BUSY_S = 5.0
SHOWN_TO_ARBITERS = "foul"
"""The kind of line whose pictures go to the hall."""


class Journal:
    """The lines of a store's file, by their numbers."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._line: sqlite3.Connection | None = None
        self._inode = 0
        self._begun = False

    def mark(self) -> tuple[int, int]:
        """Return a value that changes with every new line; cheap enough for polling.

        File times and sizes would not do: SQLite writes bytes before their transaction commits.
        """
        return self._inode_now(), self.last()

    def last(self) -> int:
        """Return the number of the newest line, 0 where there is none yet."""
        if not self.file.exists():
            return 0
        with self._opened() as db:
            if not self._is_begun(db):
                return 0
            (last,) = db.execute("SELECT coalesce(max(seq), 0) FROM log").fetchone()
            return int(last)

    def close(self) -> None:
        """Close the connection to the file."""
        if self._line is not None:
            self._line.close()
            self._line = None

    def after(self, number: int, most: int, most_bytes: int) -> list[tuple[int, str]]:
        """Return the next lines as they are written, each with its number; damaged ones left out.

        The line that reaches ``most_bytes`` is included, so that a long line is never stuck.
        """
        found: list[tuple[int, str]] = []
        size = 0
        with self._opened() as db:
            rows = db.execute("SELECT seq, line FROM log WHERE seq > ? ORDER BY seq", (number,))
            for seq, text in rows:
                if read_line(text) is not None:
                    found.append((int(seq), str(text)))
                    size += len(text)
                if len(found) >= most or size >= most_bytes:
                    break
        return found

    def unfinished_since(self) -> int:
        """Return the line number before the current game; the last number where none is on."""
        with self._opened() as db:
            if not self._is_begun(db):
                return 0
            row = db.execute("SELECT game FROM log ORDER BY seq DESC LIMIT 1").fetchone()
            if row is None:
                return 0
            kinds = db.execute(
                "SELECT seq, kind FROM log WHERE game = ? ORDER BY seq", row
            ).fetchall()
        ends = [kind for _, kind in kinds if kind in ("ended", "reopened")]
        over = bool(ends) and ends[-1] == "ended"
        return int(kinds[-1][0]) if over else int(kinds[0][0]) - 1

    def pictures_after(self, number: int, upto: int) -> list[tuple[int, str, bytes]]:
        """Return the pictures of the next announced foul after a line: number, name, JPEG."""
        with self._opened() as db:
            asked = "SELECT seq, game FROM log WHERE seq > ? AND seq <= ? AND kind = ? ORDER BY seq"
            fouls = db.execute(asked, (number, upto, SHOWN_TO_ARBITERS)).fetchall()
        for foul, game in fouls:
            pictures = pictures_in(folder_of(self.file.parent, game))
            with suppress(FileNotFoundError):
                found = [
                    (foul, name, Path(file).read_bytes())
                    for seq, name, file in pictures
                    if seq == foul
                ]
                if found:
                    return found
        return []

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        try:
            inode = self._inode_now()
            if self._line is None or inode != self._inode:
                # A new inode: the store has made its index anew.
                self.close()
                address = f"{self.file.absolute().as_uri()}?mode=ro"
                self._line = sqlite3.connect(
                    address, uri=True, timeout=BUSY_S, check_same_thread=False
                )
                self._inode, self._begun = inode, False
            yield self._line
        except sqlite3.Error as error:
            self.close()
            raise StoreError(f"the games in {self.file} cannot be read: {error}") from error

    def _is_begun(self, db: sqlite3.Connection) -> bool:
        """Say whether the store has made its tables; at the first start it is about to."""
        if not self._begun:
            self._begun = bool(
                db.execute("SELECT 1 FROM sqlite_master WHERE name = 'log'").fetchone()
            )
        return self._begun

    def _inode_now(self) -> int:
        try:
            return self.file.stat().st_ino
        except OSError:
            return 0
