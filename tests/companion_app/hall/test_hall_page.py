"""The hall's page and feed, served for real, with real tables."""

from __future__ import annotations

import http.client
import json
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from companion_app.games.entries import Names
from companion_app.hall.demo import Player
from companion_app.hall.errors import HallError, JoinError
from companion_app.hall.process import Asked, HallProcess
from companion_app.hall.store.arbiter_store import decisions_of
from companion_app.hall.store.hall_store import AWAY_S, Health, Made
from companion_app.hall.table.membership import ask_to_join
from companion_app.hall.web import arbiter_sessions
from companion_app.hall.web.app import create_hall_app
from companion_app.hall.web.hall import new_pin
from companion_app.hall.web.hidden import hidden_names, hide_names, is_hidden, without_hidden
from companion_app.hall.web.overview import Overview
from companion_app.web.serving.routes import ARBITER, HALL
from tests.access import served_by
from tests.browser.chromium import wait_until
from tests.companion_app.hall.world import TableOfHall
from tests.kit.phones import Guest
from tests.kit.streams import Heard

SCRIPT = '"><script>alert(1)</script>'


class HallOfTest:
    """A hall process, and tables that joined over its page."""

    def __init__(self, folder: Path, database: str | None = None) -> None:
        self.process = HallProcess(
            Asked(folder / "hall", database, host="127.0.0.1", port=0, tables_port=0)
        )
        self.process.start()
        self.folder = folder
        self.port = self.process._server.port
        self.tables: list[TableOfHall] = []

    def table(self, name: str = "Table 1", **told: object) -> TableOfHall:
        page = f"http://127.0.0.1:{self.port}"
        member = ask_to_join(page, self.process.code, name, 0)
        made = TableOfHall(self.folder / f"table{len(self.tables)}", member, **told)
        self.tables.append(made)
        made.send()
        return made

    def arbiter(self) -> Guest:
        guest = Guest(self.port)
        assert guest.post("/api/login", {"pin": self.process.pin, "who": "Ann"})[0] == 200
        return guest

    def close(self) -> None:
        for table in self.tables:
            table.close()
        self.process.close()


def running_hall(folder: Path, *address: str) -> Iterator[HallOfTest]:
    """Yield a hall; it ends with the test that has it."""
    made = HallOfTest(folder, *address)
    yield made
    made.close()


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[HallOfTest]:
    yield from running_hall(tmp_path)


@pytest.fixture
def both_halls(tmp_path: Path, address: str) -> Iterator[HallOfTest]:
    """Return a hall on each database in turn."""
    yield from running_hall(tmp_path, address)


def shown(guest: Guest, name: str = "Table 1") -> dict[str, Any]:
    return next((t for t in guest.get("/api/hall")["tables"] if t["name"] == name), {})


def test_table_that_joins_is_live_in_the_hall_and_replayed_there(both_halls):
    hall = both_halls
    table, guest = hall.table(), Guest(hall.port)
    player = Player(table.store, 2, "snekagon")
    match = player.step()
    for _ in range(4):
        match = player.step()
    wait_until(lambda: shown(guest).get("moves") == 4)

    now = shown(guest)
    scores = dict(match.game.outcome(match.position).scores)
    assert {p["id"]: p["score"] for p in now["players"]} == scores
    assert not now["away"]
    past = guest.get(f"/api/hall/tables/{table.id}?n=2&lang=de")
    assert (past["n"], past["length"], past["games"]) == (2, 4, [match.key])
    drawn = [guest.ask("GET", f"/api/hall/tables/{table.id}/table.svg?n={n}")[1] for n in (2, 4)]
    assert drawn[0].startswith(b"<svg")
    assert drawn[0] != drawn[1]


def test_two_processes_serve_the_same_hall(tmp_path, cluster):
    database = cluster.new_database("shared")
    hall = HallOfTest(tmp_path, database)
    second = HallProcess(Asked(tmp_path / "second", database, "127.0.0.1", 0, 0))
    second.start()
    arbiter, other = hall.arbiter(), Guest(second._server.port)
    table = hall.table()
    Player(table.store, 2, "snekagon").step()

    wait_until(lambda: [shown(one).get("game") for one in (arbiter, other)] == ["snekagon"] * 2)
    assert second.pin is None
    assert other.post("/api/login", {"pin": hall.process.pin, "who": "Ben"})[0] == 200
    assert other.post("/api/arbiter/table", {"table": table.id, "away": True})[0] == 200
    wait_until(lambda: not arbiter.get("/api/hall")["tables"])
    second.close()
    hall.close()


def test_small_hall_is_one_process(hall, tmp_path):
    with pytest.raises(HallError, match="runs here already"):
        HallProcess(Asked(tmp_path / "hall", host="127.0.0.1", port=0, tables_port=0))


def test_who_follows_one_table_hears_of_it_alone(small_store):
    overview = Overview(small_store)
    for number in range(2):
        small_store.add_table(str(number) * 24, "key", f"Table {number}", 0)
    overview.read(None)
    with Heard(lambda bell: overview.board.follow("1" * 24, bell, 0.01)) as follower:
        next(follower)
        first = json.loads(next(follower).partition("data: ")[2])
        small_store.rename("0" * 24, "Final")
        overview.read({"0" * 24})

        assert first["name"] == "Table 1"
        assert next(follower) == "event: beat\ndata: {}\n\n"


def test_wrong_code_lets_no_table_in_and_is_slowed(hall):
    page = f"http://127.0.0.1:{hall.port}"
    for _ in range(5):
        with pytest.raises(JoinError, match="not the hall's code"):
            ask_to_join(page, "AAAABBBB", "Thief", 0)
    with pytest.raises(JoinError, match="Too often"):
        ask_to_join(page, hall.process.code, "Table 1", 0)
    assert Guest(hall.port).get("/api/hall")["tables"] == []


def test_hall_that_does_not_know_the_code_is_not_joined(hall, monkeypatch):
    from companion_app.hall.line import joining

    monkeypatch.setattr(joining, "hall_proof", lambda *_: "made up")
    with pytest.raises(JoinError, match="does not know the hall's code"):
        ask_to_join(f"http://127.0.0.1:{hall.port}", hall.process.code, "Table 1", 0)


def test_stream_tells_what_changed_and_nothing_else(hall):
    first, second, guest = hall.table(), hall.table("Table 2"), Guest(hall.port)
    wait_until(lambda: not shown(guest, "Table 2").get("away", True))
    serial = guest.get("/api/hall")["serial"]
    line = http.client.HTTPConnection("127.0.0.1", hall.port, timeout=20)
    line.request("GET", f"/api/hall/events?since={serial}")
    stream = line.getresponse()
    Player(first.store, 1, "snekagon").step()

    news: list[dict[str, Any]] = []
    while not any(table.get("game") for table in news):
        text = stream.readline().decode()
        if text.startswith("data: "):
            news += json.loads(text[6:])["tables"]
    stream.close()
    line.close()
    assert {table["id"] for table in news} <= {first.id, second.id}
    assert stream.getheader("Access-Control-Allow-Origin") == "*"


def test_names_made_to_harm_stay_text_and_can_be_hidden(hall):
    table, guest = hall.table(SCRIPT), Guest(hall.port)
    match = Player(table.store, 1, "snekagon").step()
    match.note(Names({"red": SCRIPT, "green": "'; DROP TABLE tables; --"}))
    wait_until(lambda: shown(guest, SCRIPT).get("players", [{}])[0].get("name") == SCRIPT)

    for path in (f"/table/{table.id}", f"/overlay/{table.id}", "/"):
        assert b"alert(1)" not in guest.ask("GET", path)[1]
    drawn = guest.ask("GET", f"/api/hall/tables/{table.id}/table.svg")[1]
    assert b"<script" not in drawn

    assert hall.arbiter().post("/api/arbiter/hide", {"name": SCRIPT})[0] == 200
    wait_until(lambda: shown(guest, SCRIPT)["players"][0]["name"] == "")
    assert SCRIPT not in json.dumps(guest.get(f"/api/hall/tables/{table.id}")["shown_names"])


def obedient() -> tuple[list[dict[str, Any]], Callable[[dict[str, Any], int], dict[str, Any]]]:
    """Return the rulings that reach a table, and what carries them out there."""
    obeyed: list[dict[str, Any]] = []

    def obey(do: dict[str, Any], number: int) -> dict[str, Any]:
        del number
        obeyed.append(do)
        return {"ok": True, "text": ""}

    return obeyed, obey


def test_arbiter_sees_the_picture_and_decides_with_a_record(hall):
    obeyed, obey = obedient()
    table, arbiter = hall.table(obey=obey), hall.arbiter()
    hall.process.keeper.foul_s = 0.0
    player = Player(table.store, 3, "schlangennest")
    match = player.step()
    for _ in range(3):
        match = player.step()
    jpeg = b"\xff\xd8\xff picture"
    move = match.accepted[0].move
    match.foul(move, match.game.judge(match.position, move).violations, 0.0, jpeg, jpeg)
    wait_until(lambda: arbiter.get("/api/arbiter?lang=de")["alerts"])

    wait_until(lambda: arbiter.get("/api/arbiter")["alerts"][0]["pictures"])
    (alert,) = arbiter.get("/api/arbiter?lang=de")["alerts"]
    assert alert["kind"] == "foul"
    assert alert["text"]
    assert arbiter.ask("GET", alert["pictures"][0])[1] == jpeg
    assert arbiter.post("/api/arbiter/claim", {"alert": alert["id"]}) == (200, {"yours": True})
    decide = {"table": table.id, "what": "overrule"}
    assert arbiter.post("/api/arbiter/decide", decide | {"foul": "x"})[0] == 400
    assert arbiter.post("/api/arbiter/decide", decide | {"foul": 1})[0] == 200
    wait_until(lambda: decisions_of(hall.process.store)[0].done)
    (decision,) = arbiter.get("/api/arbiter")["decisions"]
    assert (decision["who"], decision["what"], decision["answer"]) == ("Ann", "overrule", "done")
    (order,) = obeyed
    assert (order["number"], order["foul"]) == (alert["number"], 1)


def test_ruling_on_a_foul_names_its_game_before_the_overview_has_read_it(hall):
    obeyed, obey = obedient()
    table, arbiter = hall.table(obey=obey), hall.arbiter()
    wait_until(lambda: shown(arbiter))
    hall.process.overview.read = lambda _tables: None
    hall.process.keeper.foul_s = 0.0
    player = Player(table.store, 3, "schlangennest")
    player.step()
    match = player.step()
    move = match.accepted[0].move
    match.foul(move, match.game.judge(match.position, move).violations, 0.0, b"", b"")
    wait_until(lambda: arbiter.get("/api/arbiter")["alerts"])

    (alert,) = arbiter.get("/api/arbiter")["alerts"]
    sent = {"table": table.id, "what": "overrule", "foul": alert["number"]}
    assert arbiter.post("/api/arbiter/decide", sent)[0] == 200
    wait_until(lambda: obeyed)
    assert (obeyed[0]["key"], obeyed[0]["number"]) == (match.key, alert["number"])


def test_arbiter_corrects_a_move_by_what_it_could_have_been(hall):
    obeyed, obey = obedient()
    table, arbiter = hall.table(obey=obey), hall.arbiter()
    player = Player(table.store, 3, "schlangennest")
    for _ in range(3):
        player.step()
    match = player.step()
    wait_until(lambda: shown(arbiter).get("moves") == 3)
    at = f"/api/arbiter/moves/{table.id}"
    assert [one["n"] for one in arbiter.get(at)["moves"]] == [3, 2, 1]
    choices = arbiter.get(f"{at}/2?lang=de")["choices"]
    assert choices[0]["drawing"].startswith("<svg")
    place = match.accepted[1].move.at
    assert {tuple(one["move"]["at"]) for one in choices} == {place}
    decide = {"table": table.id, "what": "correct", "n": 2}

    for wrong in ({}, {"do": "pass"}, {**choices[0]["move"], "turns": 99}):
        assert arbiter.post("/api/arbiter/decide", {**decide, "move": wrong})[0] == 400
    assert arbiter.ask("GET", f"{at}/99")[0] == 404
    assert Guest(hall.port).ask("GET", at)[0] == 403
    sent = {**decide, "move": choices[0]["move"]}
    assert arbiter.post("/api/arbiter/decide", sent)[0] == 200
    wait_until(lambda: decisions_of(hall.process.store)[0].done)
    assert obeyed == [
        {
            "what": "correct",
            "key": match.key,
            "number": shown(arbiter)["number"],
            "foul": 0,
            "move_n": 2,
            "move": choices[0]["move"],
        }
    ]
    (decision,) = decisions_of(hall.process.store)
    assert (decision.who, decision.what, decision.body["move_n"]) == ("Ann", "correct", 2)


def test_embedded_store_takes_twenty_tables_and_says_what_to_do(hall):
    for number in range(20):
        hall.process.store.add_table(f"{number:024d}", "key", f"Table {number}", 0)

    with pytest.raises(JoinError, match=r"takes 20 tables.*PostgreSQL"):
        hall.table("One too many")
    hall.process.store.add_table(f"{7:024d}", "key", "Table 7 again", 0)
    hall.process.store.revoke(f"{3:024d}")
    assert hall.table("Table 20").id


def test_guest_decides_nothing(hall):
    table, guest = hall.table(), Guest(hall.port)

    assert served_by(create_hall_app(hall.process.hall)) == set(HALL)
    for route in HALL.values():
        if route.part.least == ARBITER:
            path = re.sub("<int:.*?>", "1", route.address.replace("<table>", table.id))
            path = re.sub("<.*?>", "x", path)
            asked = {"table": table.id, "what": "end", "away": True, "name": "x", "alert": 1}
            status = (
                guest.post(path, asked)[0] if route.method == "POST" else guest.ask("GET", path)[0]
            )
            assert status == 403, route
    assert guest.post("/api/login", {"pin": "000000", "who": "Eve"})[0] == 403
    guest._token = "made up"
    assert guest.post("/api/login", {"pin": hall.process.pin, "who": "Eve"})[0] == 403
    assert decisions_of(hall.process.store) == []


def test_copied_cookie_of_an_arbiter_ends_with_his_session(hall):
    arbiter, copy = hall.arbiter(), Guest(hall.port)
    copy._cookie, copy._token = arbiter._cookie, arbiter._token
    assert copy.post("/api/arbiter/hide", {"name": "Eve"})[0] == 200

    assert arbiter.post("/api/logout", {})[0] == 200

    assert copy.get("/api/me")["arbiter"] is None
    assert copy.post("/api/arbiter/hide", {"name": "Ann"})[0] == 403
    kept = hall.process.store.facts_like("session:")
    assert all(len(name) == len("session:") + 64 for name in kept), "numbers are kept as hashes"


def test_session_of_an_arbiter_ends_after_a_day_and_with_the_pin(small_store):
    now_s = 1e9
    small_store.clock = lambda: now_s
    new_pin(small_store)
    number, other = (arbiter_sessions.begin(small_store, who) for who in ("Ann", "Ben"))
    assert arbiter_sessions.who_has(small_store, number) == "Ann"

    now_s += arbiter_sessions.LASTS_S
    assert arbiter_sessions.who_has(small_store, number) is None
    again = arbiter_sessions.begin(small_store, "Cem")
    assert len(small_store.facts_like("session:")) == 1, "those that ended are gone"

    new_pin(small_store)
    assert arbiter_sessions.who_has(small_store, again) is None
    assert other != again


def test_table_is_renamed_and_sent_away_by_the_arbiter(hall):
    table, arbiter = hall.table(), hall.arbiter()
    wait_until(lambda: shown(arbiter))
    assert arbiter.post("/api/arbiter/table", {"table": table.id, "name": "Final"})[0] == 200
    wait_until(lambda: shown(arbiter, "Final"))

    assert arbiter.post("/api/arbiter/table", {"table": table.id, "away": True})[0] == 200
    wait_until(lambda: not arbiter.get("/api/hall")["tables"])


def test_every_address_answers_whatever_is_sent_and_never_breaks(both_halls):
    hall = both_halls
    hall.table()
    arbiter = hall.arbiter()
    odd = [
        b"",
        b"{",
        b"[]",
        b"\xff",
        b"[" * 5000,
        b'{"table": 7, "name": {}, "alert": 1e99}',
        json.dumps(
            {
                "what": "end",
                "table": "\0",
                "name": "\0" * 50,
                "alert": -1,
                "pin": [],
                "who": "x",
                "public_key": "AAAA",
                "nonce": "n" * 16,
                "since": 0,
            }
        ).encode(),
    ]
    rules = list(create_hall_app(hall.process.hall).url_map.iter_rules())
    statuses = set()
    for rule in rules:
        path = str(rule).replace("<int:number>", "9" * 30)
        for value in (
            "x",
            "%00",
            "..%2f..",
            "a" * 3000,
            "'; DROP TABLE tables; --".replace(" ", "+"),
        ):
            one = path
            for name in rule.arguments:
                one = one.replace(f"<{name}>", value)
            hall.process.hall.limiter._done.clear()
            if "events" not in one and "GET" in (rule.methods or ()):
                statuses.add(arbiter.ask("GET", f"{one}?n=-1&game=%00&since=x&lang=xx")[0])
        for body in odd if "POST" in (rule.methods or ()) else ():
            hall.process.hall.limiter._done.clear()
            statuses.add(arbiter.ask("POST", path, body)[0])

    assert statuses <= {200, 400, 403, 404, 413, 429}


def test_what_is_no_photo_of_a_game_is_refused_and_an_unknown_one_is_not_there(hall):
    guest, form = Guest(hall.port), "multipart/form-data; boundary=x"
    no_photo = b'--x\r\nContent-Disposition: form-data; name="game"\r\n\r\nsnekagon\r\n--x--\r\n'

    assert guest.ask("POST", "/api/photos", no_photo, form).status == 400
    assert [guest.ask("GET", f"/api/photos/{n}").status for n in (1, 1 << 60)] == [404, 404]


def test_who_asks_only_for_the_headers_of_a_stream_takes_nobodys_place(hall):
    table, guest = hall.table(), Guest(hall.port)
    wait_until(lambda: shown(guest))
    made = hall.arbiter().post("/api/tournaments", {"settings": {"size": 2}})[1]

    for path in ("events", f"tables/{table.id}/events", f"tournaments/{made['id']}/events"):
        status, _, headers = guest.ask("HEAD", f"/api/hall/{path}")
        assert (status, headers.get_content_type()) == (200, "text/event-stream")
    assert not hall.process.overview.board._bells


def test_name_of_a_broken_box_leads_to_the_one_that_took_its_place(small_store):
    now_s = 1000.0
    small_store.clock = lambda: now_s
    overview = Overview(small_store)
    for number in range(3):
        small_store.add_table(str(number) * 24, "key", "Table 3", 0)
        small_store.keep_health([Health(str(number) * 24, 1, {})])
        overview.read(None)
        now_s += AWAY_S + 1

    def led_to() -> str:
        found = overview.board.table("Table 3")
        return str(found.document["id"]) if found is not None else ""

    assert led_to() == "2" * 24
    overview.read(None)
    assert led_to() == "2" * 24
    small_store.keep_health([Health("1" * 24, 2, {})])
    overview.read(None)
    assert led_to() == "1" * 24


def test_half_a_character_of_one_table_does_not_break_the_feed_of_all(small_store):
    overview = Overview(small_store)
    small_store.add_table("1" * 24, "key", "Table 1", 0)
    small_store.keep_standings([Made("1" * 24, 1, "g1", {"foul": {"rules": ["\ud800"]}})])
    overview.read(None)

    (table,) = json.loads(overview.board.whole().encode())["tables"]
    assert table["name"] == "Table 1"


def test_all_who_follow_the_overview_get_one_text(small_store):
    overview = Overview(small_store, merged_s=0.2)
    small_store.add_table("1" * 24, "key", "Table 1", 0)
    overview.read(None)
    listeners = [Heard(lambda bell: overview.board.changes(0, bell)) for _ in range(3)]
    for listener in listeners:
        next(listener)
    first = [next(listener) for listener in listeners]
    small_store.rename("1" * 24, "Final")
    overview.read({"1" * 24})
    second = [next(listener) for listener in listeners]
    for listener in listeners:
        listener.close()

    assert all(text == first[0] for text in first)
    assert all(text == second[0] for text in second)
    assert "Final" in second[0]


def test_who_left_a_table_is_not_told_of_it_any_more(small_store):
    overview = Overview(small_store)
    small_store.add_table("1" * 24, "key", "Table 1", 0)
    overview.read(None)
    follower = Heard(lambda bell: overview.board.follow("1" * 24, bell))
    next(follower), next(follower)
    assert len(overview.board._bells["1" * 24]) == 1

    follower.close()
    assert not overview.board._bells["1" * 24]


def test_overview_merges_what_changed_into_one(small_store):
    overview = Overview(small_store, merged_s=0.0)
    for number in range(3):
        small_store.add_table(str(number) * 24, "key", f"Table {number}", 0)
    overview.read(None)
    with Heard(lambda bell: overview.board.changes(0, bell)) as listener:
        next(listener)
        first = json.loads(next(listener).partition("data: ")[2])
        small_store.rename("1" * 24, "Final")
        overview.read({"1" * 24})
        second = json.loads(next(listener).partition("data: ")[2])

    assert len(first["tables"]) == 3
    assert [table["name"] for table in second["tables"]] == ["Final"]


def test_who_follows_a_name_is_led_on_to_the_box_that_took_its_place(small_store):
    now_s = 1000.0
    small_store.clock = lambda: now_s
    overview = Overview(small_store)

    def joins(id_: str) -> None:
        small_store.add_table(id_, "key", "Table 3", 0)
        small_store.keep_health([Health(id_, 1, {})])
        overview.read(None)

    joins("1" * 24)
    with Heard(lambda bell: overview.board.follow("Table 3", bell, 0.01)) as follower:
        next(follower)
        assert json.loads(next(follower).partition("data: ")[2])["id"] == "1" * 24
        now_s += AWAY_S + 1
        joins("2" * 24)

        assert json.loads(next(follower).partition("data: ")[2])["id"] == "2" * 24
        assert not overview.board._bells["1" * 24]
        assert next(follower) == "event: beat\ndata: {}\n\n"


def test_hidden_name_is_not_kept_and_its_drawing_is_drawn_anew(store):
    document = {"players": [{"name": "Zoë"}, {"name": "Ben"}], "drawing": "abc"}
    store.keep_fact("hidden", '["ben"]')  # as earlier versions kept it
    hide_names(store, ["ZOË "])

    assert "zo" not in str(store.fact("hidden"))
    hidden = without_hidden(document, hidden_names(store))
    assert [player["name"] for player in hidden["players"]] == ["", ""]
    assert hidden["drawing"] != "abc"
    hide_names(store, ["Zoë", "Ben"], hidden=False)
    assert without_hidden(document, hidden_names(store)) == document


def test_names_that_are_hidden_at_once_are_all_hidden(store):
    names = [f"Player {number}" for number in range(8)]
    threads = [threading.Thread(target=hide_names, args=(store, [name])) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert all(is_hidden(name, hidden_names(store)) for name in names)
