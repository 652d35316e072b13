"""The public sees tables later, where the hall or a tournament wants it; the staff at once."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion_app.hall.demo import Player
from tests.browser.chromium import wait_until
from tests.companion_app.hall.test_hall_page import Guest, HallOfTest, running_hall, shown
from tests.companion_app.hall.test_tournament_evening import Evening

START_S = 1_800_000_000.0


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.now_s = START_S

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def late_hall(tmp_path: Path, address: str, clock: Clock) -> Iterator[HallOfTest]:
    """Return a hall on each database in turn, whose clock stands still."""
    for made in running_hall(tmp_path, address):
        made.process.store.clock = clock
        yield made


def test_guest_sees_a_late_table_as_it_stood_and_the_arbiter_as_it_is(late_hall, clock):
    table, guest, arbiter = late_hall.table(), Guest(late_hall.port), late_hall.arbiter()
    player = Player(table.store, 2, "snekagon")
    for _ in range(3):
        player.step()
    wait_until(lambda: shown(guest).get("moves") == 2)
    assert arbiter.post("/api/arbiter/delay", {"minutes": 10})[0] == 200
    wait_until(lambda: shown(guest).get("moves") is None)
    assert arbiter.get("/api/arbiter")["delay_minutes"] == 10

    clock.now_s += 599
    for _ in range(2):
        player.step()
    wait_until(lambda: shown(arbiter).get("moves") == 4)
    feed = f"/api/hall/tables/{table.id}"
    assert "moves" not in shown(guest)
    assert guest.get(feed)["games"] == []
    assert guest.ask("GET", f"{feed}/table.svg?n=4")[0] == 404
    assert arbiter.get(feed)["length"] == 4

    line = http.client.HTTPConnection("127.0.0.1", late_hall.port, timeout=20)
    line.request("GET", f"{feed}/events")
    stream = line.getresponse()
    clock.now_s += 1
    heard: dict[str, Any] = {}
    while heard.get("moves") is None:
        text = stream.readline().decode()
        if text.startswith("data: "):
            heard = json.loads(text[6:])
    stream.close()
    line.close()
    assert heard["moves"] == 2
    assert guest.get(f"{feed}?n=4")["length"] == 2
    assert shown(arbiter)["moves"] == 4

    clock.now_s += 600
    wait_until(lambda: shown(guest).get("moves") == 4)


def half_an_hour_late(hall, table):
    """Return an evening of two people who play at a table that guests see later."""
    evening = Evening(hall, game="snekagon", size=2, fewest=2, most=2, points="wins", own_points=[])
    for name in ("Ann", "Ben"):
        evening.do("add-player", name=name)
    for player in ("p1", "p2"):
        evening.do("check-in", player=player)
    evening.posted(f"{evening.at}/delay", {"minutes": 30})
    evening.posted(f"{evening.at}/pair", {"boxes": [table.id]})
    evening.do("start-round")
    return evening


def test_tables_of_a_late_tournament_are_late_until_its_end_is_seen(late_hall, clock):
    table, free = late_hall.table("Table 1"), late_hall.table("Table 2")
    evening = half_an_hour_late(late_hall, table)
    broadcast = late_hall.process.overview.broadcast
    wait_until(lambda: broadcast.delays == {table.id: 1800.0})
    guest = Guest(late_hall.port)
    for one in (table, free):
        Player(one.store, 2, "snekagon").step()
    wait_until(lambda: shown(guest, "Table 2").get("game"))
    wait_until(lambda: shown(evening.director, "Table 1").get("game"))

    assert "game" not in shown(guest, "Table 1")
    (paired,) = evening.round()["tables"]
    scores = {player: 3 - seat for seat, player in enumerate(paired["players"])}
    evening.do("result", table=1, scores=scores, winners=paired["players"][:1])
    evening.do("close-round")
    evening.do("end")
    assert broadcast.delays == {table.id: 1800.0}
    clock.now_s += 1801
    late_hall.process.overview.hear(frozenset())
    wait_until(lambda: broadcast.delays == {})
    wait_until(lambda: shown(guest, "Table 1").get("game"))


def test_box_that_was_swapped_out_shows_its_game_no_sooner_than_before(late_hall, clock):
    broken, spare = late_hall.table("Table 1"), late_hall.table("Table 2")
    evening = half_an_hour_late(late_hall, broken)
    Player(broken.store, 2, "snekagon").step()
    wait_until(lambda: shown(evening.director, "Table 1").get("game"))

    evening.do("swap-box", "the camera broke", table=1, box=spare.id)
    broadcast, guest = late_hall.process.overview.broadcast, Guest(late_hall.port)
    wait_until(lambda: spare.id in broadcast.delays)
    assert "game" not in shown(guest, "Table 1")
    clock.now_s += 1801
    late_hall.process.overview.hear(frozenset())
    wait_until(lambda: shown(guest, "Table 1").get("game"))
