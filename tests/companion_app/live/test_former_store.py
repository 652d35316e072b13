"""What 1.0.0 kept is taken over once, whole, also where its file is damaged."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from dataclasses import replace
from errno import ENOSPC
from types import SimpleNamespace

import pytest

from companion_app.games import log as logs
from companion_app.games.entries import Line, written
from companion_app.live.damage import told
from companion_app.live.errors import StoreError, StoreFull
from companion_app.live.match import Match
from companion_app.live.store import Store, last_number
from tests.companion_app.live.of_1_0_0 import keep_as_1_0_0
from tests.faults.scripted import Player, written_game

FORMER = "games.sqlite3"
GONE = range(5, 9)
"""Numbers of a game that was deleted."""
LINES = [
    Line(n, ("g", "other game/é")[n % 3 == 0], "moves", {"n": n, "text": "x" * 9}, 1.5 * n)
    for n in range(1, 13)
    if n not in GONE
]
KEPT = [(line, {"after": b"jpeg %d" % line.seq, "before": b"b"}) for line in LINES]


@pytest.fixture
def home(tmp_path):
    keep_as_1_0_0(tmp_path / "home", KEPT, last=14)
    return tmp_path / "home"


def is_taken_over(home, lines=LINES) -> bool:
    """Say whether these lines are there, and the pictures of each."""
    with Store(home) as store:
        found = [line for game in store.games() for line in store.lines(game)]
        pictures = [store.picture(line.seq, "after") for line in lines]
    return sorted(found, key=lambda line: line.seq) == lines and pictures == [
        b"jpeg %d" % line.seq for line in lines
    ]


def test_games_pictures_and_numbers_are_taken_over_and_the_former_files_leave(home):
    assert last_number(home) == 14

    assert is_taken_over(home)
    assert is_taken_over(home), "and are there at the next start"
    assert told(home) is None
    assert sorted(file.name for file in home.iterdir()) == ["games", "games.index", "games.lock"]
    with Store(home) as store:
        assert store.append("g", "moves", {}).seq == 15


def test_played_game_goes_on_with_its_names(tmp_path):
    with Store(tmp_path / "new") as store:
        Player(store, written_game("carnival_evening_on_trust"), lambda _: None).play(10)
        names = {store.games()[0]: "Ada"}
        store.append("game", "names", {"names": names})
        lines = [replace(line, more=0) for line in store.lines("game")]
        record = Match.resume(store, "game").record()
    keep_as_1_0_0(tmp_path / "old", [(line, {}) for line in lines])

    with Store(tmp_path / "old") as store:
        assert store.unfinished() == "game"
        assert store.lines("game") == lines
        assert Match.resume(store, "game").record() == record


@pytest.mark.parametrize("fails_at", range(9))
def test_take_over_that_broke_off_is_begun_again(home, monkeypatch, fails_at):
    replaced = []

    def rename(old, new, real=os.rename):
        replaced.append(new)
        if len(replaced) > fails_at:
            raise OSError(ENOSPC, "No space left on device")
        real(old, new)

    monkeypatch.setattr(os, "rename", rename)
    monkeypatch.setattr(os, "replace", rename)
    if fails_at < 5:
        with pytest.raises(StoreFull):
            Store(home)
    monkeypatch.undo()

    assert is_taken_over(home)
    assert told(home) is None


@pytest.mark.parametrize("left", [None, b"", b"no database" * 1000])
def test_file_that_is_gone_comes_back_from_the_second_copy(home, left):
    (home / FORMER).unlink()
    if left is not None:
        (home / FORMER).write_bytes(left)

    with Store(home) as store:
        assert [line for line in LINES if line.game == "g"] == store.lines("g")
        assert store.damage is None
        assert store.append("g", "moves", {}).seq == 13
    assert (home / "games.damaged-1.sqlite3").exists() == bool(left)


@pytest.mark.parametrize("has_copy", [True, False])
def test_damaged_file_is_put_aside_and_what_can_be_read_is_taken(home, has_copy):
    data = (home / FORMER).read_bytes()
    harmed = data.replace(b'"text": "xxx', b'"text": "yxx', 1)
    (home / FORMER).write_bytes(harmed)
    if not has_copy:
        (home / "games.log").unlink()

    with Store(home) as store:
        found = {line.seq for game in store.games() for line in store.lines(game)}
        assert len(found) == len(LINES) - (not has_copy)
        assert (store.damage is None) == has_copy
        assert store.picture(1, "after") == b"jpeg 1"
    assert (home / "games.damaged-1.sqlite3").read_bytes() == harmed


def test_second_copy_of_another_home_is_left_out(home):
    foreign = [Line(n, "foreign", "moves", {}, 0.0) for n in (1, 5)]
    (home / "games.log").write_text("".join(written(line) + "\n" for line in foreign))

    assert is_taken_over(home)


def test_pictures_for_which_there_is_no_room_stay_in_the_file_that_is_put_aside(home, monkeypatch):
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=1 << 20))

    with Store(home) as store:
        assert len(store.lines("g")) + len(store.lines("other game/é")) == len(LINES)
        assert store.picture(1, "after") is None
    with closing(sqlite3.connect(home / "games.damaged-1.sqlite3")) as db:
        assert db.execute("SELECT count(*) FROM pictures").fetchone() == (2 * len(LINES),)


def test_file_of_a_newer_program_is_left_alone(home):
    with closing(sqlite3.connect(home / FORMER)) as db:
        db.execute("PRAGMA user_version = 99")

    with pytest.raises(StoreError, match="newer Snake Eye"):
        Store(home)
    assert (home / FORMER).exists()
    assert list(logs.folders(home)) == []
