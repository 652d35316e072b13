"""Places, points and shares of one table."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion_app.hall.tournament.errors import TournamentError
from companion_app.hall.tournament.model import Result, Settings, Table
from companion_app.hall.tournament.points import (
    bye_points,
    places,
    row_for,
    shares,
    table_points,
)

CHAMPIONSHIP = Settings()


def table(*scores, winners=(), forfeits=()):
    players = tuple("abcde"[: len(scores)])
    best = max((s for s in scores if s is not None), default=None)
    won = winners or tuple(p for p, s in zip(players, scores, strict=True) if s == best)
    result = Result(dict(zip(players, scores, strict=True)), tuple(won), final=True)
    return Table(1, players, forfeits=tuple(forfeits), result=result)


@pytest.mark.parametrize(
    ("scores", "points"),
    [
        ((40, 30, 20, 10), (5, 3, 2, 1)),
        ((40, 30, 10), (5, 3, 1)),
        ((40, 40, 20, 10), (4, 4, 2, 1)),
        ((40, 30, 30, 30), (5, 2, 2, 2)),
        ((7, 7, 7, 7), (Fraction(11, 4),) * 4),
        ((0, -3, None, -1), (5, 2, 1, 3)),
    ],
)
def test_points_of_the_big_championships_with_ties_split(scores, points):
    earned = table_points(CHAMPIONSHIP, table(*scores))

    assert tuple(earned.values()) == points


def test_who_the_game_calls_winner_is_first_whatever_the_points():
    assert places(table(10, 30, 20, winners="a")) == [("a",), ("b",), ("c",)]


def test_who_forfeits_gets_nothing_and_the_others_play_for_three():
    earned = table_points(CHAMPIONSHIP, table(40, 30, 20, 10, winners="b", forfeits="a"))

    assert earned == {"a": 0, "b": 5, "c": 3, "d": 1}


@given(st.lists(st.one_of(st.none(), st.integers(-50, 50)), min_size=3, max_size=4))
def test_a_table_gives_out_the_same_points_whatever_the_ties(scores):
    row = row_for(CHAMPIONSHIP, len(scores))

    assert sum(table_points(CHAMPIONSHIP, table(*scores)).values()) == sum(row)


def test_a_share_at_three_is_counted_with_a_virtual_fourth():
    assert shares(table(30, 20, 10), 4) == {
        "a": Fraction(3, 8),
        "b": Fraction(1, 4),
        "c": Fraction(1, 8),
    }
    assert shares(table(40, 30, 20, 10), 4)["a"] == Fraction(2, 5)


def test_scores_below_zero_are_counted_from_the_lowest():
    assert shares(table(-1, -3, -2, None), 4) == {
        "a": Fraction(2, 3),
        "b": 0,
        "c": Fraction(1, 3),
        "d": 0,
    }


def test_a_table_without_any_point_is_shared_equally():
    assert set(shares(table(0, 0, 0), 4).values()) == {Fraction(1, 4)}


def test_a_bye_is_a_win_for_two_and_the_mean_for_four():
    assert bye_points(Settings(size=2, fewest=2, most=2, points="wins")) == 1
    assert bye_points(CHAMPIONSHIP) == Fraction(11, 4)
    assert bye_points(Settings(bye_points=Fraction(1, 2))) == Fraction(1, 2)


def test_a_size_without_points_is_refused_in_words():
    with pytest.raises(TournamentError, match="no points set for a table of 5"):
        row_for(CHAMPIONSHIP, 5)
