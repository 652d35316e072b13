"""What people do on the page: overrule, take back, correct, undo, redo, end, resume, begin."""

from __future__ import annotations

from typing import Any

import pytest

from companion_app.eye.recorded import settled_on
from tests.companion_app.web.conftest import playthrough


def with_foul(played, script):
    played.begin(script.record)
    number, foul = script.fouls[0]
    played.play(script.record, number)
    played.lay(foul)
    return number


def test_host_overrules_a_foul_and_the_game_goes_on(played, script):
    number = with_foul(played, script)

    state = played.host().post("/api/tell", {"overrule": number + 1}).get_json()

    assert state["foul"] is None
    assert state["moves"][-1]["overruled"] is True
    assert state["turn"] == "red"


def test_host_takes_a_foul_back(played, script):
    number = with_foul(played, script)

    state = played.host().post("/api/foul/take-back").get_json()

    assert state["foul"] is None
    assert len(state["moves"]) == number


def test_foul_that_will_be_taken_back_is_not_called_again_before_it_was_lifted(played, script):
    with_foul(played, script)
    referee = played.desk.referee
    table = referee.doubts.pending.layout
    played.host().post("/api/foul/take-back")

    for seconds in range(4):
        referee.look(settled_on(table), played.time_s + seconds)
    still_lying = referee.doubts.pending
    for seconds in range(4, 8):
        referee.look(settled_on(referee.match.layout), played.time_s + seconds)
    played.lay(script.fouls[0][1])

    assert still_lying is None
    assert referee.doubts.pending is not None


def test_seat_may_not_overrule(played, script):
    number = with_foul(played, script)

    refused = played.seat("blue", "red").post("/api/tell", {"overrule": number + 1})

    assert refused.status_code == 403
    assert refused.get_json()["error"]["code"] == "not-host"


def test_undo_and_redo_lead_back_to_the_same_table(played, script):
    played.begin(script.record)
    played.play(script.record, 5)
    host = played.host()
    before = host.get("/api/state")

    undone = host.post("/api/undo", {"count": 2}).get_json()
    host.post("/api/redo")
    again = host.post("/api/redo").get_json()

    assert len(undone["moves"]) == 3
    assert undone["can_redo"] is True
    assert again["tiles"] == before["tiles"]
    assert again["can_redo"] is False


@pytest.mark.parametrize("how", [{}, {"count": 1}])
def test_foul_that_was_overruled_is_overruled_when_it_is_done_again(played, script, how):
    number = with_foul(played, script)
    host = played.host()
    host.post("/api/tell", {"overrule": number + 1})
    listener = played.desk.hub.listen(None)

    host.post("/api/undo", how)
    state = host.post("/api/redo").get_json()

    assert state["moves"][-1]["overruled"] is True
    said = [event.body for event in listener.take(0.0)]
    assert [one["legal"] for one in said if one["event"] == "verdict"] == [True]


def test_correction_of_an_earlier_move_judges_everything_after_it_again(played, script):
    played.begin(script.record)
    played.play(script.record, 10)
    host = played.host()
    before = host.get("/api/state")
    third = before["moves"][2]["move"]

    other = "blue/straight" if third["tile"] == "blue/curve" else "blue/curve"
    after = host.post("/api/tell", {"correct": 3, "move": {"tile": other}}).get_json()

    assert after["moves"][2]["move"]["tile"] == other
    assert after["scores"] != before["scores"]
    assert any(not move["legal"] for move in after["moves"])


def test_ended_game_is_resumed_where_it_was(played, script):
    played.begin(script.record)
    played.play(script.record, 4)
    host = played.host()

    ended = host.post("/api/end").get_json()
    resumed = host.post("/api/resume", {"key": ended["key"]}).get_json()

    assert ended["over"] is True
    assert ended["turn"] is None
    assert resumed["over"] is False
    assert len(resumed["moves"]) == 4


def test_new_game_is_begun_with_names_and_options(played):
    state = (
        played.host()
        .post(
            "/api/new",
            {
                "game": "schlangennest",
                "players": ["blue", "red", "green"],
                "names": {"blue": "Anna", "red": " Ben\n ", "x": "nobody"},
                "options": {"tail_first": True},
            },
        )
        .get_json()
    )

    assert [p["name"] for p in state["players"]] == ["Anna", "Ben", "Green"]
    assert state["options"] == {"tail_first": True}


@pytest.mark.parametrize("name", ["a\u202eb", "a\x07", "a" * 41, "a" * 100_000, None, 7])
def test_name_that_hides_something_or_is_too_long_is_refused(played, name):
    refused = played.host().post(
        "/api/new",
        {
            "game": "schlangennest",
            "players": ["blue", "red"],
            "names": {"blue": name},
        },
    )

    assert refused.status_code == 400
    assert refused.get_json()["error"]["code"] == "bad-name"
    assert played.desk.match is None


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"mvoes": []}, "mvoes: is not known here; did you mean moves?"),
        ({"players": ["a\u202eb", "b"]}, "players[0]: a name may not have hidden characters"),
        ({"players": ["a" * 50_000, "b"]}, "players[0]: a name has at most 40 letters"),
        ({"next": None}, "next: null is not one of a, b"),
    ],
)
def test_record_with_a_mistake_is_refused_with_its_place(played, record, said):
    whole = {"game": "sssnake", "players": ["a", "b"]} | record
    refused = played.host().post("/api/new", {"record": whole})

    assert refused.status_code == 409
    assert said in refused.get_json()["error"]["detail"]
    assert played.desk.match is None


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('{"game": "sssnake", "game": "carnival"}', 'the key "game" is given twice'),
        ('{"game": ' + "9" * 5000 + "}", "at most 40 digits, not 5000"),
        ('{"game": NaN}', "NaN is not a number in JSON"),
        (b'{"game": "\xff"}', "not UTF-8"),
    ],
)
def test_json_with_a_mistake_is_refused_with_the_reason(played, body, said):
    host = played.host()
    refused = host.client.post(
        "/api/new", data=body, content_type="application/json", headers={"X-Snake-Eye": host.token}
    )

    assert refused.status_code == 400
    assert said in refused.get_json()["error"]["detail"]


def test_shared_record_is_taken_back(played, script):
    played.begin(script.record)
    played.play(script.record, 4)
    host = played.host()
    key = host.get("/api/state")["key"]
    shared = host.get(f"/api/games/{key}/record.json")

    begun = host.post("/api/new", {"record": shared})

    assert begun.status_code == 200


def test_game_that_cannot_be_says_why(played):
    refused = played.host().post("/api/new", {"game": "schlangennest", "players": ["blue"]})

    assert refused.status_code == 409
    assert "players" in refused.get_json()["error"]["detail"]


def frame(*left_out: tuple[int, int]) -> list[dict[str, Any]]:
    """Return the cards of a frame of three by three for blue and red, but for those left out."""
    around = [(x, y) for y in range(3) for x in range(3) if (x, y) not in ((1, 1), *left_out)]
    colours = ["green/straight"] * 4 + ["yellow/straight"] * 4
    return [
        {"tile": tile, "at": list(at), "turns": 0}
        for at, tile in zip(around, colours, strict=False)
    ]


TWO_IN_A_FRAME = {
    "game": "schlangennest",
    "players": ["blue", "red"],
    "options": {"frame": True},
    "moves": [],
}


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"game": "carnival", "players": ["yellow", "violet"]}, "gegenüber"),
        ({"record": {**TWO_IN_A_FRAME, "setup": frame((0, 1))}}, "Der Rahmen hat eine Lücke"),
        ({"record": TWO_IN_A_FRAME}, "Legt zuerst den Rand"),
        (
            {
                "record": {
                    **TWO_IN_A_FRAME,
                    "setup": [{"tile": "green/curve", "at": [x, 0], "turns": 0} for x in range(30)],
                }
            },
            "mehr Plättchen",
        ),
    ],
)
def test_what_no_table_holds_is_refused_in_the_language_of_the_reader(played, sent, said):
    host = played.host()
    host.client.set_cookie("language", "de")

    refused = host.post("/api/new", sent)

    assert refused.status_code == 409
    error = refused.get_json()["error"]
    assert said in error["text"]
    assert error["detail"] == ""


def test_roll_is_asked_for_and_told_by_whose_turn_it_is(played):
    record = playthrough("sssnake_evening")
    played.begin(record)
    guest = played.seat(played.desk.match.position.to_move)

    question = guest.get("/api/state")["questions"][0]
    told = guest.post("/api/tell", {"answer": question["id"], "value": 2})

    assert question["about"] == "roll"
    assert told.status_code == 200
    assert told.get_json()["moves"][0]["move"]["value"] == 2


def test_guest_may_not_answer_where_the_host_says_so(played):
    played.begin(playthrough("sssnake_evening"))
    played.host().post("/api/settings", {"players_answer": False})
    seat = played.seat(played.desk.match.position.to_move)

    refused = seat.post("/api/tell", {"roll": 2})

    assert refused.status_code == 403


def test_what_is_told_wrongly_is_refused_with_a_sentence(played, script):
    played.begin(script.record)
    host = played.host()

    wrong: list[object] = [
        {"answer": 99, "value": 1},
        {"correct": 5, "move": {}},
        {"overrule": 1},
        {"x": 1},
        {"answer": []},
        {"discard": {}},
        {"correct": True, "move": 3},
    ]
    for told in wrong:
        refused = host.post("/api/tell", told)
        assert 400 <= refused.status_code < 500, told
        assert refused.get_json()["error"]["text"]
