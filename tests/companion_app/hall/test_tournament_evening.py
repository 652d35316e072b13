"""A whole evening over the hall's page: nine players, three rounds, boxes, phones, mishaps."""

from __future__ import annotations

import base64
import csv
import http.client
import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion_app.games.entries import Names
from companion_app.hall.demo import Player
from companion_app.hall.store.arbiter_store import last_decisions
from companion_app.hall.store.hall_store import AWAY_S, Health
from tests.browser.chromium import wait_until
from tests.companion_app.hall.test_hall_page import HallOfTest, obedient, running_hall, shown
from tests.kit.phones import Guest

HOSTILE = ("<script>alert(1)</script>", '=cmd|"/c calc"!A1', "Robert'); DROP TABLE tables; --")
NAMES = (*HOSTILE, "Dana Novak", "Emil Weiß", "Фёдор Ильин", "Gina Rossi", "Hana Malá", "Ida Lund")
LIST = "name;nickname\n" + "\n".join(
    f'"{name.replace(chr(34), chr(34) * 2)}";{"Ace" if name == "Ida Lund" else ""}'
    for name in NAMES
)
SETTINGS = {
    "name": "Club night",
    "game": "schlangennest",
    "size": 3,
    "rounds": 3,
    "fewest": 3,
    "most": 3,
    "points": "own",
    "own_points": [[5, 3, 1]],
}


@pytest.fixture
def both_halls(tmp_path: Path, address: str) -> Iterator[HallOfTest]:
    """Return a hall on each database in turn."""
    yield from running_hall(tmp_path, address)


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[HallOfTest]:
    yield from running_hall(tmp_path)


class Evening:
    """A tournament, its director and the phones of its players."""

    def __init__(self, hall: HallOfTest, **settings: Any) -> None:
        self.hall, self.director = hall, hall.arbiter()
        answer = self.posted("/api/tournaments", {"settings": SETTINGS | settings})
        self.id, self.at = answer["id"], f"/api/tournaments/{answer['id']}"
        self.phones: dict[str, Guest] = {}

    def posted(self, path: str, body: Any) -> Any:
        self.hall.process.hall.limiter._done.clear()
        status, said = self.director.post(path, body)
        assert status == 200, said
        return said

    def do(self, what: str, why: str = "", /, **data: Any) -> Any:
        return self.posted(f"{self.at}/do", {"do": what, "data": data, "why": why})

    def whole(self) -> Any:
        return self.director.get(self.at)

    def enter(self) -> Any:
        sent = base64.b64encode(LIST.encode("utf-8-sig")).decode()
        return self.posted(f"{self.at}/players", {"csv": sent})

    def sign_in(self, player: str) -> Guest:
        phone = Guest(self.hall.port)
        self.hall.process.hall.limiter._done.clear()
        code = self.whole()["codes"][player]
        status, said = phone.post(f"{self.at}/me", {"code": code.lower()})
        assert (status, said["here"]) == (200, True), said
        self.phones[player] = phone
        return phone

    def mine(self, player: str, what: str, /, **data: Any) -> tuple[int, Any]:
        self.hall.process.hall.limiter._done.clear()
        return self.phones[player].post(f"{self.at}/my", {"do": what, "data": data})

    def round(self) -> Any:
        return self.whole()["rounds"][-1]


def typed(table: dict[str, Any]) -> dict[str, Any]:
    scores = {player: 30 - 10 * seat for seat, player in enumerate(table["players"])}
    return {"table": table["table"], "scores": scores, "winners": table["players"][:1]}


def test_evening_of_nine_over_three_rounds_ends_with_everybody_placed(both_halls):
    evening = Evening(both_halls)
    assert evening.enter() == {"players": 9, "notes": []}
    players = [f"p{n}" for n in range(1, 10)]
    for player in players:
        evening.sign_in(player)
    met: set[frozenset[str]] = set()
    for number in (1, 2, 3):
        tables = evening.posted(f"{evening.at}/pair", {})["rounds"][-1]["tables"]
        assert sorted(p for table in tables for p in table["players"]) == sorted(players)
        met |= {
            frozenset({a, b}) for t in tables for a in t["players"] for b in t["players"] if a != b
        }
        evening.do("start-round")
        for table in tables:
            status, _ = evening.mine(table["players"][0], "result", **typed(table))
            assert status == 200
            status, _ = evening.mine(table["players"][1], "confirm", table=table["table"])
            assert status == 200
        evening.do("close-round")
        assert evening.round()["round"] == number
    evening.do("end")

    public = Guest(both_halls.port).get(f"/api/hall/tournaments/{evening.id}")
    assert public["over"]
    assert len(public["overall"]) == 9
    assert sum(float(row["points"]) for row in public["overall"]) == 3 * 3 * 9
    assert len(met) == 27, "nobody meets anybody again"
    log = evening.whole()["log"]
    assert [event["number"] for event in log] == list(range(len(log), 0, -1))


def test_referees_result_is_entered_and_help_is_off_until_the_round_is_closed(hall):
    obeyed, obey = obedient()
    box = hall.table("Table 1", obey=obey)
    evening = Evening(hall, game="snekagon", size=2, fewest=2, most=2, points="wins", own_points=[])
    for name in ("Xenia", "Yuri"):  # nobody of these names plays at the table
        evening.do("add-player", name=name)
    for player in ("p1", "p2"):
        evening.sign_in(player)
    evening.posted(f"{evening.at}/pair", {})
    assert evening.round()["tables"][0]["box"] == box.id
    wait_until(lambda: evening.round()["tables"][0]["help_off"] is True)
    assert (obeyed[0]["what"], obeyed[0]["order"]["players"]) == (
        "help-off",
        [
            name
            for _, name in sorted(
                (evening.round()["tables"][0]["players"].index(p["id"]), p["name"])
                for p in evening.whole()["players"]
            )
        ],
    )
    evening.do("start-round", length_s=600)
    playing = Player(box.store, 2, "snekagon")
    match = playing.step()
    for _ in range(3):
        match = playing.step()
    match.end()
    wait_until(lambda: evening.round()["tables"][0]["result"])
    (table,) = evening.round()["tables"]
    scores = match.game.outcome(match.position).scores
    assert list(table["result"]["scores"].values()) == [scores[p] for p in match.start.players]
    assert (table["result"]["source"], table["result"]["final"]) == ("referee", False)

    first, second = table["players"]
    assert evening.mine(first, "object", table=1)[0] == 200
    assert evening.mine(second, "confirm", table=1)[0] == 200
    assert evening.round()["tables"][0]["result"]["objected"] == [first]
    evening.do("correct", "recounted", table=1, scores={first: 9, second: 3}, winners=[first])
    evening.do("close-round")
    wait_until(lambda: last_decisions(hall.process.store, ("help-on",)).get(box.id))
    wait_until(lambda: obeyed[-1]["what"] == "help-on")


def test_arbiter_pauses_the_rounds_clock_and_the_log_says_who(hall):
    evening = Evening(hall)
    evening.enter()
    for player in ("p1", "p2", "p3"):
        evening.do("check-in", player=player)
    evening.posted(f"{evening.at}/pair", {})
    assert evening.director.get("/api/arbiter")["rounds"] == []
    evening.do("start-round")

    (clock,) = evening.director.get("/api/arbiter")["rounds"]
    assert (clock["tournament"], clock["paused"]) == (evening.id, False)
    evening.do("pause-clock")
    (paused,) = evening.director.get("/api/arbiter")["rounds"]
    (again,) = evening.director.get("/api/arbiter")["rounds"]
    assert paused["paused"]
    assert paused["left_s"] == again["left_s"]
    evening.do("resume-clock")
    assert not evening.director.get("/api/arbiter")["rounds"][0]["paused"]
    log = [(one["by"], one["do"]) for one in evening.whole()["log"][:2]]
    assert log == [("director:Ann", "resume-clock"), ("director:Ann", "pause-clock")]


def test_camera_that_fails_costs_nothing_and_its_box_is_swapped(hall):
    old, new = hall.table("Table 1"), hall.table("Table 2")
    evening = Evening(hall)
    evening.enter()
    for player in ("p1", "p2", "p3"):
        evening.sign_in(player)
    evening.posted(f"{evening.at}/pair", {})
    evening.do("start-round")
    status, said = evening.director.post(
        f"{evening.at}/do", {"do": "swap-box", "data": {"table": 1, "box": new.id}}
    )
    assert (status, said["error"]["code"]) == (409, "tournament-no-reason")
    evening.do("swap-box", "camera broke", table=1, box=new.id)

    (table,) = evening.round()["tables"]
    assert table["box"] == new.id != old.id
    evening.mine(table["players"][2], "result", **typed(table))
    evening.mine(table["players"][0], "confirm", table=1)
    assert evening.round()["tables"][0]["result"]["final"]


def test_names_made_to_harm_stay_text_in_every_page_export_and_print(hall):
    evening = Evening(hall, name=HOSTILE[0])
    evening.enter()
    for n in range(1, 10):
        evening.do("check-in", player=f"p{n}")
    evening.do("change-player", player="p2", nickname='=HYPERLINK("http://x")')
    evening.posted(f"{evening.at}/pair", {})
    evening.do("start-round")
    for table in evening.round()["tables"]:
        evening.do("result", **typed(table))
    guest, feed = Guest(hall.port), f"/api/hall/tournaments/{evening.id}"

    for path in (
        f"/tournament/{evening.id}",
        f"/print/{evening.id}/pairings",
        f"/print/{evening.id}/slips",
        f"/print/{evening.id}/standings",
    ):
        status, said, headers = evening.director.ask("GET", path)
        assert (status, b"<script>alert" in said) == (200, False)
        assert "unsafe-inline" not in headers["Content-Security-Policy"]
    for kind in ("standings.csv", "results.csv"):
        text = guest.ask("GET", f"{feed}/export?as={kind}")[1].decode("utf-8-sig")
        cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
        assert not [cell for cell in cells if cell.startswith(("=", "+", "@", "<script>alert(1)="))]
    plays = zipfile.ZipFile(io.BytesIO(guest.ask("GET", f"{feed}/export?as=bgstats.zip")[1]))
    assert len(plays.namelist()) == 3
    for kind in ("tournament.json", "log.json"):
        assert json.loads(guest.ask("GET", f"{feed}/export?as={kind}")[1])
    assert "Novak" not in json.dumps(guest.get(feed))
    assert guest.get("/api/hall/tournaments")["tournaments"][0]["players"] == 9


def test_guest_directs_nothing_and_player_speaks_for_himself_alone(hall):
    evening = Evening(hall)
    evening.enter()
    for player in ("p1", "p2", "p3"):
        evening.sign_in(player)
    evening.posted(f"{evening.at}/pair", {})
    evening.do("start-round")
    guest = Guest(hall.port)

    assert guest.ask("GET", evening.at)[0] == 403
    for path, body in (
        ("do", {"do": "end"}),
        ("pair", {}),
        ("players", {"csv": ""}),
        ("my", {"do": "check-in"}),
    ):
        assert guest.post(f"{evening.at}/{path}", body)[0] == 403
    assert guest.post("/api/tournaments", {"settings": {}})[0] == 403
    assert guest.ask("GET", f"/print/{evening.id}/slips")[0] == 403
    assert guest.ask("GET", f"{evening.at}/me")[0] == 403
    assert evening.mine("p1", "close-round")[0] == 400
    (table,) = evening.round()["tables"]
    status, mine = evening.mine("p1", "leave", player="p2")
    assert (status, mine["player"], mine["here"]) == (200, "p1", False)
    assert next(p for p in evening.whole()["players"] if p["id"] == "p2")["here"]
    assert evening.phones["p1"].ask("GET", evening.at)[0] == 403
    assert evening.mine("p1", "confirm", table=table["table"], player="p2")[0] == 403


def test_guesses_at_codes_are_slowed_even_for_who_knows_his_own(hall):
    evening = Evening(hall)
    evening.enter()
    own = evening.whole()["codes"]["p1"]
    thief = Guest(hall.port)
    for _ in range(4):
        assert thief.post(f"{evening.at}/me", {"code": "AAAAAA"})[0] == 403
    assert thief.post(f"{evening.at}/me", {"code": own})[0] == 200

    assert thief.post(f"{evening.at}/me", {"code": "AAAAAA"})[0] == 403
    assert thief.post(f"{evening.at}/me", {"code": "AAAAAA"})[0] == 429


def test_stream_tells_of_every_change_and_why_says_who_is_ahead(hall):
    evening, guest = Evening(hall), Guest(hall.port)
    evening.enter()
    feed = f"/api/hall/tournaments/{evening.id}"
    line = http.client.HTTPConnection("127.0.0.1", hall.port, timeout=20)
    line.request("GET", f"{feed}/events")
    stream = line.getresponse()
    for n in range(1, 4):
        evening.do("check-in", player=f"p{n}")
    evening.posted(f"{evening.at}/pair", {})
    evening.do("start-round")
    (table,) = evening.round()["tables"]
    evening.do("result", **typed(table))
    last = evening.whole()["events"]
    heard = 0
    while heard < last:
        text = stream.readline().decode()
        if text.startswith("data: "):
            heard = json.loads(text[6:])["events"]
    stream.close()
    line.close()

    one, two = table["players"][:2]
    said = guest.get(f"{feed}/why?one={two}&two={one}&lang=en")["text"]
    assert said.endswith("with 5 points to 3.")
    assert guest.ask("GET", f"{feed}/why?one={two}&two=p99")[0] == 404


def test_odd_data_is_refused_and_never_breaks(hall):
    evening = Evening(hall)
    evening.enter()
    for n in range(1, 4):
        evening.do("check-in", player=f"p{n}")
    evening.posted(f"{evening.at}/pair", {})
    before = evening.whole()["events"]
    odd: list[Any] = [
        {},
        {"player": []},
        {"round": {}},
        {"table": 1e300, "scores": 7},
        {"settings": []},
        {"settings": {"own_points": [["1e99999999", 1]]}},
        {"players": [[], {}]},
        {"tables": [{"number": "x", "players": 5}]},
        {"tables": [{"number": 1e308}]},
        {"length_s": -1},
        {"seconds": 10**30},
        {"one": None, "two": None},
        {"off": "yes"},
    ]
    statuses = set()
    for what in (
        "set-up",
        "add-player",
        "pair-round",
        "swap-players",
        "start-round",
        "result",
        "correct",
        "forfeit",
        "help",
        "sit-out",
        "forbid",
        "add-time",
        "x",
    ):
        for data in odd:
            if what == "start-round" and "length_s" not in data:
                continue
            hall.process.hall.limiter._done.clear()
            sent = {"do": what, "data": data, "why": "odd"}
            statuses.add(evening.director.post(f"{evening.at}/do", sent)[0])
    assert statuses == {409}
    assert evening.whole()["events"] == before


def test_who_hides_or_erases_his_name_is_named_at_no_table_either(hall):
    table, guest = hall.table(), Guest(hall.port)
    evening = Evening(hall)
    for name in ("Ann Low", "Ben"):
        evening.do("add-player", name=name)
    match = Player(table.store, 1, "snekagon").step()
    match.note(Names({"red": "Ann L.", "green": "Ben"}))

    def named() -> list[str]:
        return [player["name"] for player in shown(guest).get("players", [])]

    wait_until(lambda: named() == ["Ann L.", "Ben"])
    evening.sign_in("p1")
    assert evening.mine("p1", "hide-player", hidden=True)[0] == 200
    wait_until(lambda: named() == ["", "Ben"])
    assert evening.mine("p1", "hide-player", hidden=False)[0] == 200
    wait_until(lambda: named() == ["Ann L.", "Ben"])
    assert evening.mine("p1", "erase-player")[0] == 200
    evening.do("erase-player", player="p2")
    wait_until(lambda: named() == ["", ""])
    feed = f"/api/hall/tables/{table.id}"
    for path in ("/api/hall", feed, f"{feed}?n=0", f"{feed}/table.svg"):
        said = guest.ask("GET", path)[1].decode()
        assert "Ann" not in said
        assert "Ben" not in said


def three_at_a_table(hall):
    """Return an evening whose three people have signed in and play, and their table."""
    evening = Evening(hall)
    evening.enter()
    for player in ("p1", "p2", "p3"):
        evening.sign_in(player)
    evening.posted(f"{evening.at}/pair", {})
    evening.do("start-round")
    (table,) = evening.round()["tables"]
    return evening, table


def test_objection_calls_the_arbiter_until_it_is_decided(hall):
    evening, table = three_at_a_table(hall)
    first, second, _ = table["players"]
    evening.mine(first, "result", **typed(table))
    assert evening.director.get("/api/arbiter")["objections"] == []
    assert evening.mine(second, "object", table=1)[0] == 200

    assert evening.director.get("/api/arbiter")["objections"] == [
        {"tournament": evening.id, "name": "Club night", "round": 1, "table": 1}
    ]
    evening.do("correct", "recounted", **typed(table))
    assert evening.director.get("/api/arbiter")["objections"] == []


def test_box_that_took_the_place_of_a_broken_one_is_paired_in_its_place(hall):
    store, now_s = hall.process.store, 1_800_000_000.0
    store.clock = lambda: now_s
    for number, name in enumerate(("Table 1", "Table 2", "Table 1")):
        now_s += AWAY_S + 1
        store.add_table(str(number) * 24, "key", name, 0)
        store.keep_health([Health(str(number) * 24, 1, {})])
    evening = Evening(hall)
    evening.enter()
    for n in range(1, 7):
        evening.do("check-in", player=f"p{n}")
    evening.posted(f"{evening.at}/pair", {})

    assert [table["box"] for table in evening.round()["tables"]] == ["2" * 24, "1" * 24]


def test_round_number_of_any_length_is_answered(hall):
    evening = Evening(hall)
    evening.enter()
    for n in range(1, 4):
        evening.do("check-in", player=f"p{n}")
    evening.posted(f"{evening.at}/pair", {})

    for asked, status in (("1", 200), ("2", 404), ("9" * 5000, 404)):
        assert evening.director.ask("GET", f"/print/{evening.id}/slips?round={asked}")[0] == status


def test_what_a_player_says_beside_the_matter_is_not_kept(hall):
    evening, table = three_at_a_table(hall)
    first, second, _ = table["players"]
    assert evening.mine(first, "check-in", table="LOOK")[0] == 200
    assert evening.mine(first, "hide-player", hidden="LOOK")[0] == 200
    assert evening.mine(first, "result", **typed(table), note="LOOK")[0] == 200
    assert evening.mine(second, "confirm", table=1, winners="LOOK")[0] == 409
    assert evening.mine(second, "confirm", **typed(table))[0] == 200

    assert "LOOK" not in json.dumps(evening.whole()["log"])
    assert evening.round()["tables"][0]["result"]["final"]
