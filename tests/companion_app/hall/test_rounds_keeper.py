"""Rounds and the boxes at their tables, by a clock that is set by hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from companion_app.games.entries import written
from companion_app.hall import tournaments
from companion_app.hall.keeper import Keeper, TableGames
from companion_app.hall.line.message import Batch
from companion_app.hall.rounds_keeper import REFUSED_AGAIN_S, RoundsKeeper, result_steps
from companion_app.hall.store.arbiter_store import decisions_of, keep_answer
from companion_app.hall.store.hall_store import HallStore, Standing
from companion_app.hall.store.tournament_store import Step, new_tournament
from companion_app.hall.tournament.model import Table
from companion_app.hall.tournaments import Tournaments
from companion_app.live.match import Match
from companion_app.live.store import Store
from tests.companion_app.hall.test_standing import record_of

BY = "director:Ann"
ID = "a" * 24
SETTINGS = {
    "game": "schlangennest",
    "size": 2,
    "fewest": 2,
    "most": 2,
    "points": "wins",
    "rounds": 2,
}


class Night:
    """A tournament of two, with one box whose clock is a day slow."""

    def __init__(self, hall: HallStore, box: Path) -> None:
        self.now_s = 1_800_000_000.0
        hall.clock = lambda: self.now_s
        self.hall, self.box = hall, Store(box, lambda: self.now_s - 86_400)
        self.tournaments = Tournaments(hall)
        self.tournaments.start()
        rounds = RoundsKeeper(hall, self.tournaments)
        self.keeper = Keeper(hall, TableGames(hall), lambda: self.now_s, also=[rounds.look])
        hall.add_table(ID, "key", "Table 1", 0)
        self.id = new_tournament(hall, BY, SETTINGS)
        for player in ("p1", "p2"):
            self.do("add-player", player=player, name=player.upper())
            self.do("check-in", player=player)

    def do(self, what: str, id_: str = "", /, **data: Any) -> None:
        self.now_s += 1
        self.tournaments.change(id_ or self.id, lambda _: [Step(what, data, BY)])

    def begin(self, number: int, rated: bool = False) -> None:
        """Pair a round with the box, and start it."""
        tables = [{"number": 1, "players": ["p1", "p2"], "box": ID}]
        self.do("pair-round", round=number, tables=tables, byes=[], rated=rated)
        self.do("start-round")

    def play(self, key: str, minutes: float) -> None:
        """Play a game at the box, which sends nothing yet."""
        match = Match.begin(self.box, record_of("schlangennest_two_players"), key)
        self.now_s += minutes * 60
        match.end()

    def send(self, key: str) -> None:
        """Send a game to the hall, all of it at once."""
        lines = self.box.lines(key)
        pairs = tuple((line, written(line)) for line in lines)
        self.hall.take_in([Batch(ID, "ask", lines[0].seq - 1, pairs)])
        self.keeper.keep_up({ID: key})
        self.keeper.look()

    def table(self) -> Table:
        found = self.tournaments.now(self.id)
        assert found is not None
        assert found.now.round is not None
        return found.now.round.tables[0]


@pytest.fixture
def night(small_store: HallStore, tmp_path: Path) -> Iterator[Night]:
    made = Night(small_store, tmp_path / "box")
    yield made
    made.box.close()


def test_game_that_a_box_sends_late_is_no_result_of_the_next_round(night):
    night.begin(1)
    night.play("first", 20)
    night.do("result", table=1, scores={"p1": 3, "p2": 1})
    night.do("close-round")
    night.begin(2)
    night.now_s += 60
    night.send("first")
    assert night.table().result is None

    night.play("second", 20)
    night.now_s += 60
    night.send("second")
    result = night.table().result
    assert result is not None
    assert result.source == "referee"


def test_box_that_refused_to_switch_help_off_is_ordered_again(night):
    night.begin(1, rated=True)
    night.keeper.look()
    (order,) = decisions_of(night.hall)
    assert order.what == "help-off"
    keep_answer(night.hall, ID, order.ruling, False, "the table's page does not answer")
    night.keeper.look()
    assert (len(decisions_of(night.hall)), night.table().help_off) == (1, False)

    night.now_s += REFUSED_AGAIN_S + 1
    night.keeper.look()
    again, _ = decisions_of(night.hall)
    keep_answer(night.hall, ID, again.ruling, True, "")
    night.now_s += REFUSED_AGAIN_S + 1
    night.keeper.look()
    assert (len(decisions_of(night.hall)), night.table().help_off) == (2, True)


def logs_read(night: Night) -> int:
    """Return how often logs of tournaments are read by one look of the keeper."""
    read: list[str] = []

    def note(_line: Any, _cursor: Any, statement: str, *_: Any) -> None:
        read.extend([statement] if "FROM tournament_events" in statement else [])

    event.listen(night.hall.engine, "before_cursor_execute", note)
    night.keeper.look()
    event.remove(night.hall.engine, "before_cursor_execute", note)
    return len(read)


def test_logs_of_a_hundred_tournaments_are_read_once(night):
    for _ in range(100):
        new_tournament(night.hall, BY, SETTINGS)

    assert logs_read(night) >= 100
    assert logs_read(night) == 0


def test_tournament_that_is_over_is_not_looked_at_again(night, monkeypatch):
    monkeypatch.setattr(tournaments, "MOST_AT_HAND", 1)
    for _ in range(3):
        night.do("end", new_tournament(night.hall, BY, SETTINGS))
    night.keeper.look()

    assert logs_read(night) == 0


@pytest.mark.parametrize("what", ["hide-player", "erase-player"])
def test_result_is_of_who_sat_there_also_when_his_name_is_hidden_or_erased(night, what):
    night.begin(1)
    night.do(what, player="p1")
    players = [
        {"id": "blue", "name": "P2", "score": 7, "winner": True},
        {"id": "red", "name": "P1", "score": 3, "winner": False},
    ]
    over = {"game": "schlangennest", "over": True, "players": players}
    found = night.tournaments.now(night.id)
    assert found is not None

    (step,) = result_steps(found.now, {ID: Standing(ID, 1, 1, "game", over)})

    assert step.data["scores"] == {"p1": 3, "p2": 7}
    assert step.data["winners"] == ["p2"]
