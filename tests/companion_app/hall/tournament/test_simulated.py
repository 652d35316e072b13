"""A few of the thousand tournaments of ``python -m tests.tournaments``."""

from collections import Counter

import pytest

from tests.tournaments.report import report
from tests.tournaments.simulate import simulated

pytest.importorskip("rustworkx", reason="the extra `hall` is not installed")


@pytest.mark.parametrize("number", [1, 3, 5])
def test_two_at_a_table_meet_again_only_where_it_cannot_be_avoided(number):
    counts = simulated(number)

    assert counts["two: rounds"] >= 3
    assert counts["two: avoidable"] == 0
    assert counts["two: second byes"] == 0
    assert counts["two: forbidden"] == 0
    assert counts["two: every seat within one"] == counts["two: players"]


@pytest.mark.parametrize("number", [2, 12])
def test_three_to_five_keep_to_their_seats(number):
    counts = simulated(number)

    assert counts["more: rounds"] >= 3
    assert counts["more: forbidden"] == 0
    assert counts["more: second byes"] == 0
    assert counts["more: every seat within one"] == counts["more: players"]


def test_the_same_number_plays_the_same_tournament():
    assert simulated(9) == simulated(9)


def test_the_report_says_where_nothing_was_compared():
    assert "bbpPairings was not there" in report(Counter())
    assert "| meetings again | 2 | 1 | 0 |" in report(
        Counter({"bbp: rounds": 5, "bbp: our again": 2, "bbp: its again": 1})
    )
