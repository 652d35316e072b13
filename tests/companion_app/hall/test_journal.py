"""A table's log is read while the referee writes it, from its very first moment on."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from companion_app.games.kept import KeptGames
from companion_app.live.store import FILE, Store


def test_log_that_is_about_to_be_made_has_no_line_yet(tmp_path):
    file = tmp_path / FILE
    games = KeptGames(file)
    before = games.last()
    with closing(sqlite3.connect(file)) as db:
        db.execute("PRAGMA journal_mode = WAL")

    assert (before, games.last(), games.unfinished_since()) == (0, 0, 0)

    with Store(tmp_path) as store:
        store.append("game", "started", {})
        assert [number for number, _ in games.after(0, 9, 999)] == [games.last()] == [1]
    games.close()
