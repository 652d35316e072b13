"""Stated results: the curve of a game keeps every rank, and everybody's shares make one game."""

from __future__ import annotations

import json

import pytest

from engine.games import GAMES
from engine.play.curve import FILE, Curve, curves, put_right
from engine.play.levels import SKILLS

VALUES = [n / 50 for n in range(51)]


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("name", sorted(SKILLS))
def test_a_higher_value_is_never_stated_lower(name, seats):
    curve = curves().get(name, Curve())
    for laid in (0, 10, 40, 200):
        stated = [curve.share(value, seats, laid) for value in VALUES]
        assert stated == sorted(stated)
        assert all(0 < share < 1 for share in stated)


@pytest.mark.parametrize("expected", [[0.7, 0.3], [0.2, 0.5, 0.3], [1.0, 0.0], [0.0, 0.0, 1.0]])
def test_shares_of_all_seats_make_one_game_and_others_keep_their_order(expected):
    curve = Curve(0.3, 1.5, 2.0, 10.0)
    for turn in range(len(expected)):
        told = put_right(curve, expected, turn, 7)
        others = [n for n in range(len(expected)) if n != turn]

        assert sum(told) == pytest.approx(1)
        assert sorted(others, key=lambda n: expected[n]) == sorted(others, key=lambda n: told[n])


def test_the_plain_curve_states_what_the_search_says():
    assert Curve().share(0.73, 2, 5) == pytest.approx(0.73)
    assert Curve().share(0.41, 3, 5) == pytest.approx(0.41)


def test_a_steeper_curve_is_surer_the_fuller_the_table():
    curve = Curve(early=1.0, late=2.0, tiles=10.0)

    assert pytest.approx(curve.share(0.7, 2, 0)) == 0.7
    assert curve.share(0.7, 2, 0) < curve.share(0.7, 2, 10) < curve.share(0.7, 2, 20)
    assert curve.share(0.7, 2, 20) == curve.share(0.7, 2, 60)


def test_every_curve_says_what_it_was_fitted_to():
    kept = json.loads(FILE.read_text(encoding="utf-8"))

    assert kept["made_by"].startswith("python -m models.lab.evaluate.play_curve")
    for name in kept["curves"]:
        assert name in GAMES
        assert kept["manifest"][name]["games"] > 0
        assert kept["manifest"][name]["looks"] == SKILLS[name].looks
