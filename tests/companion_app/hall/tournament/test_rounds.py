"""Rounds: the director starts them, people come and go, the hall's clock rules."""

import sys

import pytest

from companion_app.hall.tournament.errors import TournamentError
from companion_app.hall.tournament.pairing import paired
from companion_app.hall.tournament.view import orders, shown
from tests.tournaments.evening import ARBITER, Evening


@pytest.fixture
def evening():
    return Evening({"size": 4, "rounds": 3, "round_minutes": 45}, 8)


def refused(evening, code, *what, **data):
    before = evening.now
    with pytest.raises(TournamentError) as error:
        evening.do(*what, **data)
    assert error.value.code == code
    assert evening.now == before


def test_nothing_is_played_before_the_director_starts_the_round(evening):
    evening.pair()
    table = evening.tables[0]

    refused(
        evening,
        "round-not-running",
        "result",
        "table:1",
        table=1,
        scores=dict.fromkeys(table.players, 1),
    )
    refused(evening, "not-allowed", "start-round", ARBITER)


def test_the_next_round_waits_for_every_result(evening):
    evening.begin()
    evening.finish(evening.tables[0], 4, 3, 2, 1)

    refused(evening, "tables-open", "close-round")
    with pytest.raises(TournamentError, match="Close the current round first"):
        paired(evening.now, 2)


def test_a_pairing_made_by_hand_seats_everybody_once(evening):
    everybody = list(evening.now.players)
    tables = [{"number": 1, "players": everybody[:4]}, {"number": 2, "players": everybody[3:7]}]

    refused(evening, "not-everybody-once", "pair-round", round=1, tables=tables, byes=[])
    tables[1] = {"number": 2, "players": everybody[4:]}
    evening.do("pair-round", round=1, tables=tables, byes=[])

    assert [table.players for table in evening.tables] == [
        tuple(everybody[:4]),
        tuple(everybody[4:]),
    ]


def test_a_pairing_can_be_taken_back_until_it_is_started(evening):
    evening.pair(1)
    refused(evening, "no-reason", "drop-round")
    evening.do("drop-round", why="Ann is late")
    assert evening.now.rounds == ()
    evening.begin(1)

    refused(evening, "round-begun", "drop-round", why="too late")


def test_two_players_change_places_before_the_start(evening):
    evening.pair()
    one, two = evening.tables[0].players[0], evening.tables[1].players[2]

    evening.do("swap-players", ARBITER, "wheelchair", one=one, two=two)

    assert evening.tables[0].players[0] == two
    assert evening.tables[1].players[2] == one


def test_nobody_who_is_not_there_is_swapped_in(evening):
    away = evening.enter("Away", here=False)
    evening.pair()

    refused(evening, "no-such-player", "swap-players", ARBITER, "why", one="p1", two=away)


def test_a_table_of_a_size_that_has_no_points_is_refused(evening):
    tables = [{"number": 1, "players": list(evening.now.players)}]

    refused(evening, "no-points-for-size", "pair-round", round=1, tables=tables, byes=[])


def test_late_arrivals_play_from_the_next_round_and_leavers_no_more(evening):
    evening.round(1)
    late = evening.enter("Late")
    gone = "p1"
    evening.do("leave", ARBITER, player=gone)
    evening.begin(2)

    seated = [player for table in evening.tables for player in table.players]
    assert late in seated
    assert gone not in seated
    assert evening.now.players[late].from_round == 2


def test_a_round_sat_out_earns_nothing_and_no_bye(evening):
    evening.do("sit-out", "player:p3", player="p3", round=1)
    evening.begin()

    assert evening.now.rounds[0].table_of("p3") is None
    assert "p3" not in evening.now.rounds[0].byes
    refused(evening, "round-begun", "sit-out", "player:p4", player="p4", round=1)


def test_byes_that_only_the_groups_make_are_told_before_the_pairing():
    evening = Evening({"size": 2, "rounds": 3, "round_minutes": 45})
    for number in range(6):
        evening.enter(f"Player {number}", group="adults" if number % 2 else "children")

    assert shown(evening.now, 0.0)["byes_ahead"] == {"grouped": 2, "together": 0}
    evening.pair()
    assert len(evening.now.rounds[-1].byes) == 2


def test_groups_are_paired_apart():
    evening = Evening({"size": 4})
    for number in range(8):
        evening.enter(f"Player {number}", group="adults" if number % 2 else "children")
    evening.begin()

    for table in evening.tables:
        assert {evening.now.players[player].group for player in table.players} == {table.group}


def test_leaders_sit_at_the_first_table(evening):
    evening.begin()
    for table in evening.tables:
        evening.finish(table, 9, 5, 3, 1)
    winners = {table.players[0] for table in evening.tables}
    evening.do("close-round")
    evening.begin(2)

    assert winners <= set(evening.tables[0].players)


def test_too_few_players_are_told(evening):
    for player in ("p1", "p2", "p3", "p4", "p5", "p6"):
        evening.do("leave", ARBITER, player=player)

    with pytest.raises(TournamentError, match="At least 3 players"):
        paired(evening.now, 1)


def test_without_the_extra_for_halls_two_at_a_table_are_told_what_is_missing(monkeypatch):
    evening = Evening({"size": 2, "game": "snekagon"}, 4)
    monkeypatch.setitem(sys.modules, "rustworkx", None)

    with pytest.raises(TournamentError, match="extra “hall”"):
        paired(evening.now, 1)


def test_who_cannot_be_kept_apart_is_told():
    evening = Evening({"size": 4}, 4)
    evening.do("forbid", ARBITER, players=["p1", "p2"])

    with pytest.raises(TournamentError, match="must not meet"):
        paired(evening.now, 1)
    evening.do("allow", ARBITER, players=["p1", "p2"])
    evening.begin()


def test_the_clock_runs_on_the_halls_time_stands_and_is_added_to(evening):
    evening.begin()
    clock = evening.now.rounds[0].clock
    assert clock is not None
    start_s = clock.started_s
    assert clock.left_s(start_s + 60) == 44 * 60
    evening.do("pause-clock", ARBITER)
    paused = evening.now.rounds[0].clock
    assert paused is not None
    stood_s = paused.left_s(start_s + 9999)
    assert paused.left_s(start_s) == stood_s

    evening.do("resume-clock", ARBITER)
    evening.do("add-time", ARBITER, seconds=300)

    running = evening.now.rounds[0].clock
    assert running is not None
    assert running.left_s(evening.events[-2].at_s) == stood_s + 300
    refused(evening, "bad-event", "add-time", ARBITER, seconds=-(10**9))


def test_a_box_is_swapped_in_mid_round_and_the_old_one_not_heard(evening):
    evening.do("pair-round", **paired(evening.now, 1, ["box-a", "box-b"]))
    evening.do("start-round")
    table = evening.tables[0]
    scores = dict(zip(table.players, (4, 3, 2, 1), strict=True))
    refused(evening, "no-reason", "swap-box", ARBITER, table=1, box="spare")
    refused(evening, "box-taken", "swap-box", ARBITER, "lens broken", table=1, box="box-b")
    evening.do("swap-box", ARBITER, "lens broken", table=1, box="spare")

    refused(evening, "not-allowed", "result", "table:box-a", table=1, scores=scores)
    evening.do("result", "table:spare", table=1, scores=scores)

    assert evening.events[-2].why == "lens broken"
    assert evening.tables[0].result is not None


def test_help_is_off_in_rated_rounds_and_every_box_says_so(evening):
    evening.do("pair-round", **paired(evening.now, 1, ["box-a", "box-b"]))
    assert [order["help"] for order in orders(evening.now)] == [False, False]
    assert [order["start"] for order in orders(evening.now)] == [False, False]
    evening.do("start-round")
    evening.do("help", "table:box-a", table=1, off=True)
    evening.do("help", "table:box-b", table=2, off=False)

    assert [table.help_off for table in evening.tables] == [True, False]
    refused(evening, "not-allowed", "help", "table:box-a", table=2, off=True)
    refused(evening, "bad-event", "help", "table:box-a", table=1, off="yes")


def test_an_unrated_evening_leaves_help_on():
    evening = Evening({"size": 4, "rated": False}, 4)
    evening.begin()

    assert [order["help"] for order in orders(evening.now)] == [True]


def test_settings_are_fixed_with_the_first_pairing(evening):
    evening.pair()

    refused(evening, "round-begun", "set-up", settings={"size": 4})


def test_after_the_end_nothing_is_paired_but_results_are_put_right(evening):
    evening.round(1)
    evening.do("end")
    table = evening.tables[0]

    refused(evening, "over", "pair-round", **paired(evening.now, 1))
    evening.do(
        "correct", ARBITER, "miscounted", round=1, table=1, scores=dict.fromkeys(table.players, 5)
    )
    assert evening.tables[0].result is not None
