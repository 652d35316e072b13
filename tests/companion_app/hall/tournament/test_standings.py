"""Standings: points, tie-breaks, and why somebody is ahead."""

from fractions import Fraction

import pytest

from companion_app.hall.tournament.standings import (
    number_in_words,
    standings,
    tie_breaks_in_words,
    why_ahead,
)
from companion_app.hall.tournament.view import names
from tests.tournaments.evening import ARBITER, Evening


def by_hand(evening, *tables):
    """Seat the tables as given and finish them in that order, first to last."""
    round_ = len(evening.now.rounds) + 1
    written = [{"number": n, "players": list(t)} for n, t in enumerate(tables, start=1)]
    evening.do("pair-round", round=round_, tables=written, byes=[])
    evening.do("start-round")
    for table in evening.tables:
        evening.finish(table, *range(len(table.players), 0, -1))
    evening.do("close-round")


def test_share_of_the_tables_points_parts_equals_as_at_the_championship():
    evening = Evening({"size": 4, "rounds": 1}, 8)
    a, b, *_ = everybody = list(evening.now.players)
    tables = [[a, *everybody[2:5]], [b, *everybody[5:]]]
    written = [{"number": n, "players": t} for n, t in enumerate(tables, start=1)]
    evening.do("pair-round", round=1, tables=written, byes=[])
    evening.do("start-round")
    evening.finish(evening.tables[0], 10, 9, 8, 7)
    evening.finish(evening.tables[1], 30, 1, 1, 1)

    rows = standings(evening.now)

    assert [row.player for row in rows[:2]] == [b, a]
    assert [float(row.points) for row in rows[:2]] == [5, 5]
    assert why_ahead(evening.now, rows[0], rows[1], names(evening.now), "en") == (
        "Player 2. and Player 1. have the same points; share of the table's points decides: "
        "0.909 to 0.294."
    )


def test_points_come_first_and_are_said():
    pytest.importorskip("rustworkx", reason="the extra `hall` is not installed")
    evening = Evening({"size": 2, "game": "snekagon"}, 2)
    evening.round(1)
    rows = standings(evening.now)

    said = why_ahead(evening.now, rows[0], rows[1], {"p1": "Ann", "p2": "Ben"}, "de")

    assert said in (
        "Ann liegt mit 1 zu 0 Punkten vor Ben.",
        "Ben liegt mit 1 zu 0 Punkten vor Ann.",
    )


def test_buchholz_adds_the_points_of_the_opponents_and_a_bye_counts_as_oneself():
    evening = Evening({"size": 2, "game": "snekagon", "tie_breaks": ["buchholz", "sonneborn"]}, 4)
    by_hand(evening, ("p1", "p2"), ("p3", "p4"))
    by_hand(evening, ("p1", "p3"), ("p2", "p4"))

    rows = standings(evening.now)
    found = {row.player: tuple(map(float, (row.points, *row.breaks))) for row in rows}

    assert found == {
        "p1": (2, 2, 2),
        "p2": (1, 2, 0),
        "p3": (1, 2, 0),
        "p4": (0, 2, 0),
    }


def test_level_in_everything_is_the_same_rank():
    evening = Evening({"size": 2, "game": "snekagon", "tie_breaks": ["wins"]}, 4)
    by_hand(evening, ("p1", "p2"), ("p3", "p4"))

    rows = standings(evening.now)

    assert [row.rank for row in rows] == [1, 1, 3, 3]
    assert "share their place" in why_ahead(evening.now, rows[0], rows[1], names(evening.now), "en")


def test_direct_meetings_decide_only_where_all_equals_have_met():
    evening = Evening({"size": 2, "game": "snekagon", "tie_breaks": ["direct"]}, 4)
    by_hand(evening, ("p1", "p2"), ("p3", "p4"))
    by_hand(evening, ("p4", "p1"), ("p2", "p3"))

    assert {row.rank for row in standings(evening.now)} == {1}
    by_hand(evening, ("p1", "p3"), ("p2", "p4"))

    assert [(row.player, float(row.points)) for row in standings(evening.now)] == [
        ("p1", 2),
        ("p2", 2),
        ("p3", 1),
        ("p4", 1),
    ]


def test_each_group_has_its_own_standings():
    evening = Evening({"size": 4})
    for number in range(8):
        evening.enter(f"Player {number}", group="AB"[number % 2])
    evening.round(1)

    assert [row.rank for row in standings(evening.now, "A")] == [1, 2, 3, 4]
    assert len(standings(evening.now)) == 8


def test_tie_breaks_are_told_in_words():
    evening = Evening({"size": 4}, 4)

    first, second = tie_breaks_in_words(evening.now, "en")

    assert first.startswith("Share of the table's points")
    assert "up to 4" in first
    assert second == "All points of the games added up."


def test_numbers_are_written_as_people_do():
    numbers = (Fraction(5), Fraction(10, 3), Fraction(1, 2), Fraction(29_999, 10_000))

    assert [number_in_words(n) for n in numbers] == ["5", "3.333", "0.5", "3"]


def test_points_of_a_game_that_was_forfeited_break_no_tie():
    evening = Evening({"size": 4, "rounds": 1, "tie_breaks": ["score"]}, 4)
    evening.begin()
    a, *_ = evening.tables[0].players
    evening.finish(evening.tables[0], 9, 5, 3, 1)
    evening.do("forfeit", ARBITER, "looked into the box", table=1, player=a)

    (last,) = (row for row in standings(evening.now) if row.player == a)
    assert [float(number) for number in (last.points, *last.breaks)] == [0, 0]


def test_pairing_a_round_changes_no_standings_before_it_is_started():
    evening = Evening({"size": 2, "game": "snekagon", "tie_breaks": ["buchholz"]}, 5)
    tables = [{"number": 1, "players": ["p1", "p2"]}, {"number": 2, "players": ["p3", "p4"]}]
    evening.do("pair-round", round=1, tables=tables, byes=["p5"])
    evening.do("start-round")
    for table in evening.tables:
        evening.finish(table, 2, 1)
    evening.do("close-round")
    before = standings(evening.now)
    tables = [{"number": 1, "players": ["p1", "p3"]}, {"number": 2, "players": ["p5", "p2"]}]
    evening.do("pair-round", round=2, tables=tables, byes=["p4"])

    assert standings(evening.now) == before
    evening.do("start-round")
    found = {
        row.player: tuple(map(float, (row.points, *row.breaks))) for row in standings(evening.now)
    }
    assert found["p4"] == (1, 1 + 1), "the bye counts, as an opponent with his own points"
    assert found["p1"] == (1, 0), "who has not been played against yet is no opponent"
