"""Nothing announced is lost: power cut at every moment, on a layer that forgets, and on ext4."""

import sqlite3

import pytest

from companion_app.live import store as keeping
from tests.faults import block_cut, power_cut
from tests.faults.forgetful import sqlite_library
from tests.faults.scripted import written_game

needs_layer = pytest.mark.skipif(
    sqlite_library() is None,
    reason="SQLite is hidden inside of this Python: no layer fits under it",
)


@needs_layer
@pytest.mark.parametrize("game", ["recorded", "snekagon_seven_turns"])
def test_power_cut_after_any_write_loses_nothing_announced(game):
    ops = power_cut.played_on_a_forgetful_disk(written_game(game), 2000, 4)

    told = power_cut.cut_everywhere(ops)

    assert told.tried == 4 * len(ops)
    assert told.accepted > 200
    assert told.lost == 0


@needs_layer
def test_power_cut_while_a_long_write_ahead_file_is_taken_in_loses_nothing():
    ops = power_cut.played_on_a_forgetful_disk(written_game("recorded"), 300_000, 18)
    taken_in = [n for n, op in enumerate(ops, 1) if op.what == "write" and op.name == keeping.FILE]

    told = power_cut.cut_everywhere(ops, [*taken_in[2::250], *range(1, len(ops), 1500)])

    assert len(taken_in) > 1000
    assert told.lost == 0


@needs_layer
def test_layer_finds_a_store_that_does_not_wait_for_the_disk(monkeypatch):
    connect = keeping._connect

    def hasty(path):
        db: sqlite3.Connection = connect(path)
        db.execute("PRAGMA synchronous = NORMAL")
        return db

    monkeypatch.setattr(keeping, "_connect", hasty)
    ops = power_cut.played_on_a_forgetful_disk(written_game("recorded"), 2000, 4)

    assert power_cut.cut_everywhere(ops, ways=["forgotten"]).lost > 0


def test_power_cut_on_a_real_file_system_loses_nothing():
    if not block_cut.can_mount():
        pytest.skip("wants root, a loop device and ext4")

    told = block_cut.cut_under_a_running_game(seed=1, count=3)

    assert told.tried == 3
    assert told.lost == 0
