"""Damaged games: the log and the page tell what was lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion_app.live.damage import FILE, Damage, told
from companion_app.live.store import FILE as INDEX
from companion_app.live.store import Store
from tests.companion_app.web.conftest import Played


def damage(home: Path) -> None:
    """Take a line out of two games, of which the index is gone as well."""
    with Store(home) as store:
        for number in range(4):
            store.append("g1" if number < 3 else "g2", "started", {"n": number})
    (home / INDEX).unlink()
    texts = (home / "games/g1/log").read_text().split("\n")
    (home / "games/g1/log").write_text("\n".join([texts[0], "{}", *texts[2:]]))


def test_log_and_page_tell_what_was_lost_until_the_host_has_seen_it(tmp_path, caplog):
    damage(tmp_path)

    played = Played(tmp_path)

    assert told(tmp_path) == Damage(lines=1, games=2)
    assert "lines that are lost: 1" in caplog.text
    shown = played.guest().get("/api/me?lang=en")["salvaged"]
    assert shown == "Games were damaged. Games kept: 2. Entries lost: 1."
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
