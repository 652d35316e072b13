"""Damaged games: the log and the page tell what was saved and what was not."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from companion_app.live.salvage_report import FILE, Salvaged, told
from companion_app.live.store import Store
from tests.companion_app.web.conftest import Played


def damage(folder: Path) -> None:
    """Take a line out of games with two pictures, one of which is no picture any more."""
    with Store(folder) as store:
        for number in range(4):
            store.append("g1" if number < 3 else "g2", "started", {"n": number}, {"after": b"jpeg"})
    (folder / "games.log").unlink()
    with closing(sqlite3.connect(folder / "games.sqlite3", isolation_level=None)) as database:
        database.execute("DROP TRIGGER log_is_never_shortened")
        database.execute("DROP TRIGGER log_is_never_changed")
        database.execute("UPDATE log SET line = '{}' WHERE seq = 2")


def test_log_and_page_tell_what_was_saved_until_the_host_has_seen_it(tmp_path, caplog):
    damage(tmp_path)

    played = Played(tmp_path)

    assert told(tmp_path) == Salvaged(2, 3, 1, 3, 1)
    assert "saved: games 2, lines 3, pictures 3; not saved: lines 1, pictures 1" in caplog.text
    shown = played.guest().get("/api/me?lang=en")["salvaged"]
    assert "Games saved: 2. Entries saved: 3, lost: 1." in shown
    assert played.guest().post("/api/salvaged/seen").status_code == 403
    assert played.host().post("/api/salvaged/seen").status_code == 200
    assert played.guest().get("/api/me")["salvaged"] is None
    played.store.close()


@pytest.mark.parametrize("text", ["", "[]", '{"games": "x"}', '{"games": 1}', '{"evil": 1}'])
def test_odd_report_tells_nothing(tmp_path, text):
    (tmp_path / FILE).write_text(text)

    assert told(tmp_path) is None


def test_whole_games_tell_nothing(played):
    assert played.guest().get("/api/me")["salvaged"] is None
