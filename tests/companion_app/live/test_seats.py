"""Whose hand it was is told by the side from which each player reaches in."""

from cmath import exp, phase
from math import radians

import cv2
import numpy as np
import pytest

from companion_app.live.seats import Reach, Seats, reach_of
from companion_app.live.settle import LOOKS
from engine.game import Move

PLAYERS = ("yellow", "violet", "black")
WOBBLE_DEG = (-12, 0, 12)


def reach(degrees_: float, size: int = 100) -> Reach:
    return Reach(size, exp(1j * radians(degrees_)))


def arm(*ends: tuple[int, int]) -> np.ndarray:
    """Return a mask of arms from the middle of the picture to some places."""
    mask = np.zeros((180, 320), np.uint8)
    for number, end in enumerate(ends):
        cv2.line(mask, (160 + 40 * number, 90), end, 1, 15)
    return mask.astype(bool)


def comes(seats: Seats, *reaches: Reach | None) -> None:
    """Let hands come and leave, one after the other."""
    for one in reaches:
        seats.see(True, one)
        seats.see(False, None)


def lays(seats: Seats, player: str, one: Reach | None) -> None:
    comes(seats, one)
    seats.settle([Move(player, "place", "gift", (0, 0))])


def known(*seats_deg: float) -> Seats:
    """Return the seats at which players have laid as many tiles as must be known."""
    seats = Seats(PLAYERS)
    for _, wobble in zip(range(LOOKS), WOBBLE_DEG, strict=True):
        for player, seat in zip(PLAYERS, seats_deg, strict=True):
            lays(seats, player, reach(seat + wobble))
    return seats


@pytest.mark.parametrize(
    ("end", "wanted_deg"), [((160, 179), 90), ((319, 90), 0), ((160, 0), -90), ((0, 90), 180)]
)
def test_arm_reaches_in_from_where_it_crosses_the_border(end, wanted_deg):
    found = reach_of(arm(end))

    assert found is not None
    assert abs(exp(1j * (phase(found.direction) - radians(wanted_deg))) - 1) < 0.1


@pytest.mark.parametrize("ends", [(), ((160, 179), (319, 90))])
def test_nobody_knows_from_where_two_arms_or_none_reach_in(ends):
    assert reach_of(arm(*ends)) is None


@pytest.mark.parametrize("at", range(3))
def test_hand_from_a_known_seat_is_its_players(at):
    seats = known(0, 120, 240)

    comes(seats, reach((0, 120, 240)[at] + 5))

    assert seats.whose == PLAYERS[at]


@pytest.mark.parametrize("seats_deg", [(0, 20, 240), (0, 0, 0)])
def test_hands_from_one_side_of_the_table_are_nobodys(seats_deg):
    seats = known(*seats_deg)

    comes(seats, reach(240))

    assert seats.whose is None


@pytest.mark.parametrize(
    "hands", [(), (reach(60),), (reach(0), reach(120)), (reach(0), None)], ids=str
)
def test_hand_from_no_known_seat_or_several_hands_are_nobodys(hands):
    seats = known(0, 120, 240)

    comes(seats, *hands)

    assert seats.whose is None


def test_nobody_is_told_before_each_player_has_laid_some_tiles():
    seats = Seats(PLAYERS)
    for player, seat in zip(PLAYERS, (0, 120, 240), strict=True):
        lays(seats, player, reach(seat))

    comes(seats, reach(0))

    assert seats.whose is None


def test_hand_counts_where_most_of_it_was_seen():
    seats = known(0, 120, 240)
    for one in (reach(60, 10), reach(120, 500), reach(180, 20), None):
        seats.see(True, one)

    assert seats.whose == "violet"


def test_seats_turn_with_the_camera_and_are_forgotten_where_that_is_not_known():
    before = [(0.0, 0.0), (100.0, 0.0), (100.0, 100.0), (0.0, 100.0)]
    turned = [(300.0, 0.0), (300.0, 100.0), (200.0, 100.0), (200.0, 0.0)]
    seats = known(0, 120, 240)

    seats.turn(before, turned)
    comes(seats, reach(90))
    told = seats.whose
    seats.turn((), ())

    assert (told, seats.whose) == ("yellow", None)
