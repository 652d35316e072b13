"""Games that 1.0.0 took though no table holds them are opened, played on, replayed and restored."""

from __future__ import annotations

import pytest

from companion_app.backup import make_backup
from companion_app.live.match import Match
from companion_app.live.store import Store
from companion_app.restore import restore_backup
from engine.record import parse_record
from tests.engine.test_asked import TAKEN_SILENTLY

RECORDS = {what: parse_record(given) for what, (given, _) in TAKEN_SILENTLY.items()}


@pytest.mark.parametrize("what", RECORDS)
def test_game_that_no_table_holds_is_played_on_and_replayed(played, what):
    key, host = Match.begin(played.store, RECORDS[what]).key, played.host()

    assert host.post("/api/resume", {"key": key}).status_code == 200
    match = played.desk.match
    played.lay(match.game.legal_moves(match.position)[0])

    for path in ("/api/state", f"/api/games/{key}?n=1"):
        (move,) = host.get(path)["moves"]
        assert move["legal"]


def test_games_that_no_table_holds_come_back_from_a_backup(tmp_path):
    with Store(tmp_path / "old") as store:
        kept = {Match.begin(store, record).key: record for record in RECORDS.values()}
    make_backup(tmp_path / "old", tmp_path / "all.zip")

    restore_backup(tmp_path / "new", tmp_path / "all.zip")

    with Store(tmp_path / "new") as store:
        assert {key: Match.resume(store, key).record() for key in kept} == kept
