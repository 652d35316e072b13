"""Tournaments in the hall's store: nothing lost, nothing twice, on both databases."""

from __future__ import annotations

import json
import threading

import pytest
from sqlalchemy import text

from companion_app.hall.store.arbiter_store import decide
from companion_app.hall.store.database import open_engine
from companion_app.hall.store.hall_store import HallStore
from companion_app.hall.store.tournament_store import (
    Step,
    change,
    ids_of,
    kept,
    new_tournament,
)
from companion_app.hall.tournament.errors import TournamentError
from companion_app.hall.tournament.log import replay
from companion_app.hall.tournament.people import next_id
from tests.browser.chromium import wait_until

BY = "director:Ann"
HOSTILE = "'); DROP TABLE tournaments; --"


def entering(name: str):
    return lambda now: [Step("add-player", {"player": next_id(now), "name": name}, BY)]


def test_tournament_is_what_its_log_adds_up_to(store):
    id_ = new_tournament(store, BY, {"name": HOSTILE, "size": 2})
    change(store, id_, entering(HOSTILE))

    found = kept(store, id_)

    assert found is not None
    assert (found.now.settings.name, found.now.players["p1"].name) == (HOSTILE, HOSTILE)
    assert replay(found.events) == found.now
    assert ids_of(store) == [id_]


def test_two_processes_that_change_at_once_lose_nothing_and_do_nothing_twice(store, address):
    second = HallStore(open_engine(address))
    id_ = new_tournament(store, BY, {"size": 2})

    def enter(into: HallStore, letter: str) -> None:
        for number in range(10):
            change(into, id_, entering(f"{letter}{number}"))

    threads = [threading.Thread(target=enter, args=one) for one in ((store, "a"), (second, "b"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    second.close()

    found = kept(store, id_)
    assert found is not None
    assert [event.number for event in found.events] == list(range(1, 22))
    names = sorted(player.name for player in found.now.players.values())
    assert names == sorted(f"{letter}{number}" for letter in "ab" for number in range(10))


def test_what_is_refused_halfway_changes_nothing(store):
    id_ = new_tournament(store, BY, {})
    steps = [Step("add-player", {"player": "p1", "name": "A"}, BY), Step("start-round", {}, BY)]

    with pytest.raises(TournamentError):
        change(store, id_, lambda _: steps)

    found = kept(store, id_)
    assert found is not None
    assert not found.now.players


def test_erased_name_is_nowhere_in_the_database_and_other_processes_forget_it(store):
    id_ = new_tournament(store, BY, {})
    before = change(store, id_, entering("Zacharias Secret"))
    store.add_table("1" * 24, "key", "Table 1", 0)
    order = {"round": 1, "table": 1, "players": ["Zacharias S."]}
    decide(store, "1" * 24, id_, "help-off", {"what": "help-off", "order": order})
    change(store, id_, lambda _: [Step("erase-player", {"player": "p1"}, "player:p1")])

    after = kept(store, id_, before)

    assert after is not None
    with store.reading() as line:
        log = " ".join(line.execute(text("SELECT event FROM tournament_events")).scalars())
        orders = " ".join(line.execute(text("SELECT body FROM decisions")).scalars())
    assert "Secret" not in log
    assert "Zacharias" not in orders
    assert json.loads(orders)["order"]["table"] == 1
    assert "Secret" not in repr(after)


def test_clock_that_goes_back_does_not_go_back_in_the_log(store):
    times = iter([100.0] * 4 + [50.0] * 10)
    store.clock = lambda: next(times)
    id_ = new_tournament(store, BY, {})
    found = [change(store, id_, entering(name)) for name in "abc"][-1]

    assert found is not None
    at_s = [event.at_s for event in found.events]
    assert at_s == sorted(at_s)


def test_change_is_told_to_every_process(store, address):
    listener = store if address.startswith("sqlite") else HallStore(open_engine(address))
    heard: list[frozenset[str]] = []
    listener.notices.listen(heard.append)
    if listener is not store:
        wait_until(lambda: heard == [frozenset()])
    id_ = new_tournament(store, BY, {})
    wait_until(lambda: frozenset({f"tournament:{id_}"}) in heard)
    if listener is not store:
        listener.close()
