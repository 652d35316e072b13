"""A table in a hall, seen from its own page: the raised hand, and rulings that the hall signed."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from companion_app.eye.recorded import shipped_script
from companion_app.games.kept import KeptGames
from companion_app.games.play import play
from companion_app.hall.errors import NoAnswerError
from companion_app.hall.line.keys import hall_keys, key_from_text
from companion_app.hall.line.message import signed, to_bytes, to_table
from companion_app.hall.receiver import ruling
from companion_app.hall.store.arbiter_store import Decision, decide
from companion_app.hall.table.hall_line import Doors, HallLine
from companion_app.hall.table.membership import MembershipFiles
from companion_app.hall.table.sender import Sender, send_log
from companion_app.hall.web.arbiter_moves import other_moves
from companion_app.help_orders import help_is_off
from companion_app.refusal import refusal_of
from companion_app.web.in_hall import InHall
from engine.record import move_to_json
from tests.companion_app.hall.world import joined
from tests.companion_app.web.conftest import Played


class TableInAHall:
    """A played table that joined a hall."""

    def __init__(self, folder, store) -> None:
        self.played = Played(folder)
        self.store, self.keys = store, hall_keys(store)
        self.member = joined(store, self.keys, "Table 7", 1)
        self.files = MembershipFiles(folder)
        self.task = InHall(self.played.companion)
        script = shipped_script("schlangennest")
        assert script is not None
        self.record, self.fouls = script.record, script.fouls

    def begin(self, moves: int = 2) -> str:
        self.played.begin(self.record)
        self.played.play(self.record, moves)
        match = self.played.desk.match
        assert match is not None
        return match.key

    def last(self, *kinds: str) -> int:
        """Return the number of the last line, or of the last of some kinds."""
        match = self.played.desk.match
        assert match is not None
        lines = self.played.store.lines(match.key)
        return max(line.seq for line in lines if not kinds or line.kind in kinds)

    def decided(self, what: str, key: str, **more: Any) -> Decision:
        decision = decide(
            self.store, self.member.table, "Ann", what, {"what": what, "key": key, **more}
        )
        assert decision is not None
        return decision

    def ruled(self, what: str, key: str, **more: Any) -> str:
        """Let the arbiter rule; return the code of the table's refusal, empty where it obeyed."""
        return self.obeyed(self.decided(what, key, **more))

    def obeyed(self, decision: Decision) -> str:
        try:
            self.task.carry_out(decision.body, decision.ruling)
        except Exception as error:
            refusal = refusal_of(error)
            if refusal is None:
                raise
            return refusal.code
        return ""

    def message(self, decision: Decision, by=None, table: str = "") -> bytes:
        """Return what the table hears of a decision when it has asked "q"."""
        purpose = to_table(self.keys.id, table or self.member.table)
        body = {"ask": "q", "rulings": [ruling(decision)]}
        return signed(by or self.keys.signing, purpose, to_bytes(body))


@pytest.fixture
def table(tmp_path, small_store):
    made = TableInAHall(tmp_path / "home", small_store)
    made.files.join(made.member)
    yield made
    made.played.desk.close()
    made.played.store.close()


def test_page_says_which_table_it_is_and_a_seat_raises_a_hand(table):
    table.begin()
    guest = table.played.guest()
    seat = table.played.guest().join(table.played.settings.now.join_code, "blue")

    assert guest.get("/api/hall") == {"name": "Table 7", "hand": False, "help_off": False}
    assert guest.post("/api/hall/hand", {"raised": True}).status_code == 403
    assert seat.post("/api/hall/hand", {"raised": "yes"}).status_code == 400
    assert seat.post("/api/hall/hand", {"raised": True}).status_code == 200
    assert guest.get("/api/hall")["hand"] is True


def test_table_in_no_hall_calls_nobody_and_obeys_nobody(table):
    table.begin()
    table.files.leave()
    host = table.played.host()

    assert host.get("/api/hall") == {"name": None, "hand": False, "help_off": False}
    assert host.post("/api/hall/hand", {"raised": True}).status_code == 404
    send_log(table.played.companion.home, table.task.health, table.task.obey, threading.Event())


def test_ruling_of_the_hall_is_obeyed_and_stands_in_the_log(table):
    key = table.begin(2)

    assert table.ruled("take-back", key) == ""
    assert len(table.played.desk.match.accepted) == 1
    assert table.ruled("lift", key)
    assert table.ruled("overrule", key)
    assert table.ruled("lower-hand", key) == ""
    assert table.ruled("end", key) == ""
    assert table.played.desk.match.ended
    rulings = [line.body["what"] for line in table.played.store.lines(key) if line.kind == "ruling"]
    assert rulings == ["take-back", "lift", "overrule", "lower-hand", "end"]


def test_ruling_on_a_foul_is_not_carried_out_on_a_later_one(table):
    number, foul = table.fouls[0]
    key = table.begin(number)
    table.played.lay(foul)
    seen = table.last("foul")
    table.played.look_at_the_table()
    table.played.lay(foul)
    later = table.last("foul")
    assert later > seen

    for what in ("overrule", "lift"):
        for other in (seen, 0):
            assert table.ruled(what, key, number=seen, foul=other) == "played-on"
    assert table.played.desk.referee.doubts.pending.seq == later
    assert table.ruled("overrule", key, number=later, foul=later) == ""
    assert table.played.desk.match.accepted[-1].move == foul


def test_ruling_on_a_move_is_refused_when_the_table_has_played_on(table):
    key, match = table.begin(2), table.played.desk.match
    seen = table.last()
    table.played.lay(table.record.moves[2])

    assert table.ruled("take-back", key, number=seen, foul=0) == "played-on"
    assert len(match.accepted) == 3
    seen = table.last()
    table.played.desk.raise_hand(True)
    assert table.ruled("take-back", key, number=seen, foul=0) == ""
    assert len(match.accepted) == 2
    (other, *_) = other_moves(play(table.played.store.lines(key)), 2)
    assert (
        table.ruled("correct", key, move_n=2, move=move_to_json(other), number=seen, foul=0)
        == "played-on"
    )
    kinds = [line.kind for line in table.played.store.lines(key)]
    assert (kinds.count("ruling"), kinds.count("corrected")) == (1, 0)


def test_arbiters_correction_is_carried_out_by_the_referee_like_the_hosts(table):
    key = table.begin(3)
    match = table.played.desk.match
    game = play(table.played.store.lines(key))
    (other, *_) = other_moves(game, 3)
    order = table.decided("correct", key, move_n=3, move=move_to_json(other))

    assert table.obeyed(order) == ""
    assert match.accepted[2].move == other
    assert table.obeyed(order) == ""
    kinds = [line.kind for line in table.played.store.lines(key)]
    assert kinds.count("corrected") == kinds.count("ruling") == 1
    for n, move in ((9, move_to_json(other)), (3, None), ("x", {})):
        assert table.ruled("correct", key, move_n=n, move=move)
    assert match.accepted[2].move == other


def test_ruling_that_the_hall_did_not_sign_for_this_table_is_refused(table):
    key = table.begin(2)
    journal = KeptGames(table.played.store.path)
    sender = Sender(table.member, table.files, journal, table.task.health, table.task.obey)
    line = HallLine(table.member, Doors(table.member))
    order = table.decided("end", key)
    forged = [
        table.message(order, by=key_from_text(table.member.key)),
        table.message(order, table="b" * 24),
        b"AAAA",
        b"",
    ]

    for message in forged:
        with pytest.raises(NoAnswerError):
            line._read(message, "q")
    with pytest.raises(NoAnswerError):
        line._read(table.message(order), "another question")
    assert not table.played.desk.match.ended
    assert table.ruled("end", "another") == "other-game"
    assert table.ruled("dance", key) == "bad-request"
    assert not table.played.desk.match.ended
    sender._take(line._read(table.message(order), "q"))
    assert table.played.desk.match.ended
    sender.close()


def test_arbiter_hears_in_a_sentence_why_a_table_did_not_obey(table):
    order = table.decided("overrule", table.begin(2))

    answer = table.task.obey(order.body, order.ruling)

    assert answer["ok"] is False
    assert answer["text"].endswith(".")
    assert table.task.obey({"what": "help-off"}, 9) == {"ok": True, "text": ""}


def test_hall_hears_how_the_table_is(table):
    table.begin(2)
    health = table.task.health()

    assert (health["camera"], health["question_s"]) == ("looking", 0)
    assert health["disk_free_mb"] > 0 and health["version"]


def test_help_is_off_while_the_hall_says_so_and_the_log_has_it(table):
    guest, home = table.played.guest(), table.played.store.path.parent
    off, on = table.decided("help-off", ""), table.decided("help-on", "")
    assert not help_is_off(home)

    assert table.obeyed(off) == ""
    assert help_is_off(home)
    assert guest.get("/api/hall")["help_off"] is True
    key = table.begin(1)
    assert table.obeyed(on) == ""
    assert not help_is_off(home)
    assert table.obeyed(off) == ""
    assert not help_is_off(home)
    assert table.ruled("help-off", "") == ""

    rulings = [line.body["what"] for line in table.played.store.lines(key) if line.kind == "ruling"]
    assert rulings == ["help-on", "help-off"]
    table.files.leave()
    assert not help_is_off(home)


def test_game_that_begins_while_help_is_off_says_so_in_its_log(table):
    assert table.ruled("help-off", "") == ""
    new = {"game": "schlangennest", "players": ["red", "blue"], "options": {}, "names": {}}

    assert table.played.host().post("/api/new", new).status_code == 200

    lines = table.played.store.lines(table.played.desk.match.key)
    assert [line.body["what"] for line in lines if line.kind == "ruling"] == ["help-off"]


def refused(answer):
    """Return the code of a refusal that comes with a sentence."""
    assert answer.status_code == 409, answer.get_json()
    error = answer.get_json()["error"]
    assert error["text"].endswith(".")
    return str(error["code"])


def test_while_help_is_off_the_machine_helps_nobody_in_any_way(table):
    key, host = table.begin(), table.played.host()
    host.post("/api/settings", {"ideas": 3})
    alone = host.post("/api/alone", {"game": "schlangennest", "level": 1}).get_json()
    table.ruled("help-off", "")
    mine = f"/api/alone/{alone['alone']['id']}"
    new = {"game": "schlangennest", "players": ["red", "blue"], "machine": {"red": 2}}

    assert host.get("/api/me")["help_off"] is True
    for address, body in (
        ("/api/ideas", {}),
        (f"/api/games/{key}/try", {"n": 1}),
        ("/api/new", new),
        ("/api/alone", {"game": "schlangennest", "level": 1}),
        (mine, {"move": alone["legal"][0]["move"]}),
        ("/api/machine/seat", {"player": "red", "level": 3}),
    ):
        assert refused(host.post(address, body)) == "help-off", address
    for address in (f"/api/games/{key}/look-over", "/api/moves"):
        assert refused(host.client.get(address)) == "help-off"
    assert table.played.companion.player.asked == ["alone"]


def test_while_help_is_off_finished_games_are_looked_over_and_the_machine_may_leave(table):
    key, host = table.begin(), table.played.host()
    host.post("/api/machine/seat", {"player": "red", "level": 3})
    table.ruled("help-off", "")

    left = host.post("/api/machine/seat", {"player": "red", "level": None})
    host.post("/api/end", {})

    assert left.status_code == 200
    assert host.post(f"/api/games/{key}/try", {"n": 1}).get_json()["legal"]


def test_phones_are_told_once_when_the_hall_switches_help_off(table):
    hub = table.played.companion.hub
    listener = hub.listen(hub.version)
    order = table.decided("help-off", "")
    for _ in range(2):
        table.obeyed(order)

    assert [event.body["event"] for event in listener.take(0)] == ["settings"]
    hub.leave(listener)


def test_when_the_round_is_closed_hints_are_given_again(table):
    table.begin()
    host = table.played.host()
    host.post("/api/settings", {"ideas": 3})
    table.ruled("help-off", "")
    table.ruled("help-on", "")

    assert host.post("/api/ideas", {}).get_json()["left"] == 2
