"""Kept games are listed from summaries: each game is played through once, away from the desk."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from companion_app.games.kept import KeptGames
from companion_app.hands.errors import HandsFull
from companion_app.hands.pool import Hands
from companion_app.live.store import Store
from companion_app.web.replays import summed_up
from companion_app.web.summaries import AGAIN_S, BEHIND_S, Summaries, said
from tests.companion_app.web.conftest import HANDS, Played, busy

KEPT = Path(__file__).parents[1] / "live" / "kept_by_0_1_0"


class Counting(Hands):
    """Hands that remember which games they were asked to play through."""

    def __init__(self) -> None:
        super().__init__()
        self.played: list[str] = []
        self.full = False

    def do(self, work, call, *args, whose=""):
        if self.full:
            raise HandsFull(work.name)
        if call is summed_up:
            self.played += args[1]
        return HANDS.do(work, call, *args, whose=whose)


@pytest.fixture
def hands():
    return Counting()


@pytest.fixture
def table(played, hands):
    """A desk whose replays are counted."""
    played.companion.hands = hands
    played.companion.summaries = Summaries(
        lambda: played.companion.place, hands, keep_in(played.store)
    )
    return played


def keep_in(store: Store):
    return KeptGames(store.path).keep


def begin_games(table: Played, record, count: int) -> list[str]:
    keys = []
    for _ in range(count):
        table.begin(record, {"blue": "Anna", "red": "Ben"})
        table.play(record, 3)
        table.desk.end()
        keys.append(table.store.games()[-1])
    return keys


def test_a_game_is_played_through_once_whoever_asks_for_the_list(table, hands, script):
    keys = begin_games(table, script.record, 3)
    for path in ("history", "statistics", "series", "history?lang=ru"):
        table.guest().get(f"/api/{path}")

    assert hands.played == keys[::-1]


def test_only_the_game_that_went_on_is_played_through_again(table, hands, script):
    keys = begin_games(table, script.record, 3)
    guest = table.guest()
    guest.get("/api/history")
    hands.played.clear()
    table.desk.resume(keys[0])

    listed = guest.get("/api/history")["games"]

    assert hands.played == [keys[0]]
    assert {game["key"]: game["ended"] for game in listed} == {
        keys[0]: False,
        keys[1]: True,
        keys[2]: True,
    }


def test_a_running_game_is_not_played_through_at_every_move(table, hands, script):
    now = [0.0]
    table.companion.summaries = Summaries(
        lambda: table.companion.place, hands, keep_in(table.store), clock=lambda: now[0]
    )
    guest = table.guest()
    table.begin(script.record, {"blue": "Anna", "red": "Ben"})

    def moves_listed() -> int:
        return int(guest.get("/api/history")["games"][0]["moves"])

    table.play(script.record, 1)
    counts = [moves_listed()]
    table.lay(script.record.moves[1])
    for later_s in (1.0, BEHIND_S, AGAIN_S):
        now[0] += later_s
        counts.append(moves_listed())

    assert counts == [1, 1, 1, 2]
    assert len(hands.played) == 2


def test_an_ended_game_is_listed_as_ended_at_once(table, script):
    guest = table.guest()
    table.begin(script.record, {"blue": "Anna", "red": "Ben"})
    table.play(script.record, 1)
    running = guest.get("/api/history")["games"][0]["ended"]
    table.desk.end()

    assert not running
    assert guest.get("/api/history")["games"][0]["ended"]


def test_summaries_outlive_the_program(table, hands, script):
    begin_games(table, script.record, 2)
    before = table.guest().get("/api/history")
    hands.played.clear()
    again = Summaries(lambda: table.companion.place, hands, keep_in(table.store))

    games = [said(key, one.summary, "en") for key, one in again.listed().games]

    assert games == before["games"]
    assert hands.played == []


def test_another_version_sums_up_anew(table, hands, script):
    (key,) = begin_games(table, script.record, 1)
    table.guest().get("/api/history")
    with closing(sqlite3.connect(table.store.path)) as db, db:
        db.execute("UPDATE summaries SET made_by = 'older', summary = '{}'")

    assert table.guest().get("/api/history")["games"][0]["moves"] == 3
    assert hands.played == [key, key]


def test_games_are_read_again_only_when_something_was_written(table, script, monkeypatch):
    begin_games(table, script.record, 2)
    guest, summaries = table.guest(), table.companion.summaries
    read, reads = summaries._kept.last_lines, []

    def counted(most):
        reads.append(most)
        return read(most)

    monkeypatch.setattr(summaries._kept, "last_lines", counted)
    for _ in range(2):
        guest.get("/api/history")
    reads.clear()
    first = guest.get("/api/history")["games"]
    unread = len(reads)
    table.host().post("/api/games/delete", {"key": first[1]["key"]})

    assert unread == 0
    assert guest.get("/api/history")["games"] == first[:1]


def test_games_are_listed_while_the_desk_is_busy(table, script):
    begin_games(table, script.record, 2)
    guest, answers = table.guest(), []
    with busy(table.desk):
        asking = threading.Thread(target=lambda: answers.append(guest.get("/api/history")))
        asking.start()
        asking.join()

    assert len(answers[0]["games"]) == 2


def test_what_is_known_is_listed_while_the_hands_are_full(table, hands, script):
    keys = begin_games(table, script.record, 1)
    guest = table.guest()
    guest.get("/api/history")
    begin_games(table, script.record, 1)
    hands.full = True

    listed = guest.get("/api/history")

    assert [game["key"] for game in listed["games"]] == keys
    assert listed["pending"] == 1


def test_a_game_is_listed_in_the_words_of_each_guest(table, script):
    begin_games(table, script.record, 1)
    guest = table.guest()

    words = {
        language: guest.get(f"/api/history?lang={language}")["games"][0]["players"][0]["word"]
        for language in ("en", "de")
    }

    assert words == {"en": "blue", "de": "Blau"}


def test_a_game_that_cannot_be_read_is_tried_once_and_again_with_another_box(table, hands):
    table.store.append("odd", "started", {"record": {"format": "nothing"}})
    sets = table.store.path.parent / "sets"
    table.use_sets(sets)
    guest = table.guest()

    first, again = guest.get("/api/history"), guest.get("/api/history")
    sets.mkdir()
    (sets / "new.toml").touch()
    guest.get("/api/history")

    assert first["unreadable"] == again["unreadable"]
    assert first["unreadable"][0]["key"] == "odd"
    assert hands.played == ["odd", "odd"]
