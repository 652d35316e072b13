"""Results: from the referee, typed in, confirmed, objected to, corrected, forfeited."""

import pytest

from companion_app.hall.tournament.errors import TournamentError
from companion_app.hall.tournament.history import pasts
from companion_app.hall.tournament.results import from_referee
from companion_app.hall.tournament.standings import points_of, standings
from tests.tournaments.evening import ARBITER, DIRECTOR, Evening


@pytest.fixture
def evening():
    evening = Evening({"size": 4, "rounds": 2}, 4)
    evening.begin()
    return evening


def told(evening, *scores):
    return dict(zip(evening.tables[0].players, scores, strict=True))


def result_of(evening):
    result = evening.tables[0].result
    assert result is not None
    return result


def test_a_referees_result_counts_at_once_and_stands_when_two_confirm(evening):
    a, b, *_ = evening.tables[0].players
    evening.do("result", "table:1", table=1, scores=told(evening, 9, 5, 5, 1))
    assert not result_of(evening).final
    assert all(row.provisional for row in standings(evening.now))
    assert points_of(evening.now).totals[a] == 5

    evening.do("confirm", f"player:{a}", table=1)
    evening.do("confirm", f"player:{a}", table=1)
    assert not result_of(evening).final
    evening.do("confirm", f"player:{b}", table=1)

    assert result_of(evening).final
    assert not any(row.provisional for row in standings(evening.now))


def test_the_referees_colours_become_the_players_in_their_seats(evening):
    answer = {"scores": {"blue": 3, "red": 9, "yellow": 4, "green": 0}, "winners": ["red"]}

    data = from_referee(evening.tables[0], answer, ["blue", "red", "yellow", "green"])
    evening.do("result", "table:1", **data)

    assert result_of(evening).winners == (evening.tables[0].players[1],)
    assert list(result_of(evening).scores.values()) == [3, 9, 4, 0]


def test_who_types_a_result_in_needs_somebody_else_to_confirm_it(evening):
    a, b, *_ = evening.tables[0].players
    evening.do("result", f"player:{a}", table=1, scores=told(evening, 9, 5, 5, 1))
    evening.do("confirm", f"player:{a}", table=1)
    assert not result_of(evening).final

    evening.do("confirm", f"player:{b}", table=1)

    assert result_of(evening).final
    assert result_of(evening).source == "players"


def test_an_objection_waits_for_the_arbiter(evening):
    a, b, c, _ = evening.tables[0].players
    evening.do("result", "table:1", table=1, scores=told(evening, 9, 5, 5, 1))
    evening.do("object", f"player:{c}", table=1)
    evening.do("confirm", f"player:{a}", table=1)
    evening.do("confirm", f"player:{b}", table=1)
    assert not result_of(evening).final
    evening.do(
        "correct",
        ARBITER,
        "the last tile was laid after time",
        table=1,
        scores=told(evening, 7, 5, 5, 1),
    )

    assert result_of(evening).final
    assert evening.events[-1].by == "arbiter:Eva"
    assert evening.events[-1].why == "the last tile was laid after time"


def test_a_result_told_twice_is_one_result(evening):
    a, *_ = evening.tables[0].players
    evening.do("result", "table:1", table=1, scores=told(evening, 9, 5, 5, 1))
    evening.do("confirm", f"player:{a}", table=1)
    evening.do("result", "table:1", table=1, scores=told(evening, 9, 5, 5, 1))

    assert result_of(evening).confirmed == (a,)


@pytest.mark.parametrize("by", [DIRECTOR, ARBITER])
def test_a_result_that_waits_stands_when_staff_enters_the_same(evening, by):
    *_, d = evening.tables[0].players
    evening.do("result", "table:1", table=1, scores=told(evening, 9, 5, 5, 1))
    evening.do("object", f"player:{d}", table=1)
    evening.do("result", by, table=1, scores=told(evening, 9, 5, 5, 1))
    assert (result_of(evening).final, result_of(evening).source) == (True, "arbiter")

    evening.do("result", "table:1", table=1, scores=told(evening, 9, 5, 5, 1))
    evening.do("close-round")

    assert evening.now.rounds[-1].stage == "closed"


def test_another_result_has_to_be_confirmed_anew(evening):
    a, *_ = evening.tables[0].players
    evening.do("result", "table:1", table=1, scores=told(evening, 9, 5, 5, 1))
    evening.do("confirm", f"player:{a}", table=1)
    evening.do("result", "table:1", table=1, scores=told(evening, 8, 5, 5, 1))

    assert result_of(evening).confirmed == ()


def test_what_stands_is_not_overwritten_by_a_box(evening):
    evening.finish(evening.tables[0], 9, 5, 5, 1)

    with pytest.raises(TournamentError, match="This result stands"):
        evening.do("result", "table:1", table=1, scores=told(evening, 1, 5, 5, 9))


@pytest.mark.parametrize(
    ("by", "do"),
    [
        ("player:p9", "confirm"),
        ("table:2", "result"),
        ("player:p1", "correct"),
        ("director:Dora", "forfeit"),
        ("table:1", "confirm"),
    ],
)
def test_who_may_not_is_refused(evening, by, do):
    evening.do("result", "table:1", table=1, scores=told(evening, 9, 5, 5, 1))

    with pytest.raises(TournamentError, match="You cannot do this here"):
        evening.do(do, by, "why", table=1, scores=told(evening, 1, 1, 1, 1), player="p1")


@pytest.mark.parametrize(
    "scores",
    [
        {},
        {"p1": 1},
        {"p1": 1, "p2": 1, "p3": 1, "p4": 1, "p9": 1},
        {"p1": 1.5, "p2": 1, "p3": 1, "p4": 1},
        {"p1": "=1+1", "p2": 1, "p3": 1, "p4": 1},
        {"p1": 10**9, "p2": 1, "p3": 1, "p4": 1},
        {"p1": True, "p2": 1, "p3": 1, "p4": 1},
        [1, 2, 3, 4],
    ],
)
def test_a_result_that_cannot_be_is_refused(evening, scores):
    with pytest.raises(TournamentError, match="whole points for everybody"):
        evening.do("result", "table:1", table=1, scores=scores)


def test_who_does_not_come_forfeits_and_the_others_play_for_three(evening):
    a, b, c, d = evening.tables[0].players
    evening.do("forfeit", ARBITER, "did not come", table=1, player=d)
    evening.do("result", ARBITER, table=1, scores={a: 9, b: 5, c: 1})

    assert points_of(evening.now).totals == {a: 5, b: 3, c: 1, d: 0}


def test_one_who_is_left_alone_wins_without_play_and_has_met_nobody():
    pytest.importorskip("rustworkx", reason="the extra `hall` is not installed")
    evening = Evening({"size": 2}, 2)
    evening.begin()
    a, b = evening.tables[0].players
    evening.do("forfeit", ARBITER, "did not come", table=1, player=b)
    evening.do("close-round")

    one, two = pasts(evening.now, (a, b))
    assert (float(one.score), dict(one.met), one.byes, one.missed) == (1, {}, 1, 0)
    assert (float(two.score), dict(two.met), two.byes, two.missed) == (0, {}, 0, 1)


def test_a_forfeit_after_the_result_costs_the_win(evening):
    a, b, c, d = evening.tables[0].players
    evening.finish(evening.tables[0], 9, 5, 3, 1)
    evening.do("forfeit", ARBITER, "looked into the box", table=1, player=a)

    assert points_of(evening.now).totals == {a: 0, b: 5, c: 3, d: 1}


def test_a_correction_without_a_reason_is_refused(evening):
    with pytest.raises(TournamentError, match="Say why"):
        evening.do("correct", ARBITER, " ", table=1, scores=told(evening, 1, 2, 3, 4))


def test_a_winner_who_forfeits_leaves_the_win_to_the_best_of_the_others(evening):
    a, b, *_ = evening.tables[0].players
    evening.finish(evening.tables[0], 9, 5, 3, 1)
    evening.do("forfeit", ARBITER, "looked into the box", table=1, player=a)

    assert result_of(evening).winners == (b,)


@pytest.mark.parametrize("what", ["confirm", "object"])
def test_a_vote_on_a_result_that_another_one_has_replaced_is_refused(evening, what):
    a, b, *_ = evening.tables[0].players
    evening.do("result", f"player:{a}", table=1, scores=told(evening, 9, 5, 5, 1))
    seen = {"table": 1, "scores": dict(result_of(evening).scores), "winners": [a]}
    evening.do("result", f"player:{a}", table=1, scores=told(evening, 5, 9, 5, 1))

    with pytest.raises(TournamentError, match="Something else happened first"):
        evening.do(what, f"player:{b}", **seen)
    assert result_of(evening).confirmed == (a,)
    evening.do(what, f"player:{b}", table=1, scores=dict(result_of(evening).scores), winners=[b])
    assert b in (*result_of(evening).confirmed, *result_of(evening).objected)
