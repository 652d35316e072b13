"""Rounds are chosen with an eye on the rounds to come."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from companion_app.hall.tournament.ahead import after, seat_ahead
from companion_app.hall.tournament.past import Past, meetings
from companion_app.hall.tournament.tables import repeats


@pytest.mark.parametrize("seed", [0, 14, 19, 21, 40, 62])
def test_nine_at_tables_of_three_meet_nobody_again_in_three_rounds(seed):
    chance = Random(seed)
    players = tuple(Past(f"p{number}") for number in range(9))
    for left in (3, 2, 1):
        paired = seat_ahead(players, [3, 3, 3], 3, frozenset(), left, chance)

        assert repeats(paired.tables, meetings(players)) == 0
        assert paired.seats_out == 0
        points = {p: 5 - 2 * seat for table in paired.tables for seat, p in enumerate(table)}
        players = tuple(
            replace(past, score=past.score + Fraction(points[past.player]))
            for past in after(players, paired, 3)
        )
