"""The store of 1.0.0 as it lies on a disk: its tables, and the second copy of its log."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path

from companion_app.games.entries import Line, written

TABLES = """
    CREATE TABLE log (
        seq INTEGER PRIMARY KEY, game TEXT NOT NULL, kind TEXT NOT NULL, line TEXT NOT NULL
    ) STRICT;
    CREATE INDEX log_by_game ON log (game, seq);
    CREATE TRIGGER log_is_never_changed BEFORE UPDATE ON log
    BEGIN SELECT RAISE(ABORT, 'the log of games is never changed'); END;
    CREATE TRIGGER log_is_never_shortened BEFORE DELETE ON log
    BEGIN SELECT RAISE(ABORT, 'the log of games is never shortened'); END;
    CREATE TABLE pictures (
        seq INTEGER NOT NULL REFERENCES log (seq), name TEXT NOT NULL, jpeg BLOB NOT NULL,
        PRIMARY KEY (seq, name)
    ) STRICT;
    CREATE TABLE summaries (
        game TEXT PRIMARY KEY, seq INTEGER NOT NULL, made_by TEXT NOT NULL, summary TEXT NOT NULL
    ) STRICT;
    CREATE TABLE numbers (last INTEGER NOT NULL) STRICT;
    INSERT INTO numbers VALUES (0);
    PRAGMA user_version = 3;
    PRAGMA journal_mode = WAL;
    """
Kept = Iterable[tuple[Line, Mapping[str, bytes]]]


def keep_as_1_0_0(home: Path, kept: Kept, last: int = 0) -> None:
    """Write lines with their pictures as 1.0.0 did; the last number that was given is given too."""
    home.mkdir(parents=True, exist_ok=True)
    texts = []
    with closing(sqlite3.connect(home / "games.sqlite3", isolation_level=None)) as db:
        db.executescript(TABLES)
        db.execute("UPDATE numbers SET last = ?", (last,))
        for line, pictures in kept:
            texts.append(written(line))
            db.execute(
                "INSERT INTO log VALUES (?, ?, ?, ?)", (line.seq, line.game, line.kind, texts[-1])
            )
            for name, jpeg in pictures.items():
                db.execute("INSERT INTO pictures VALUES (?, ?, ?)", (line.seq, name, jpeg))
    (home / "games.log").write_text("".join(f"{text}\n" for text in texts))
    (home / "games.spare").write_bytes(bytes(1 << 20))
