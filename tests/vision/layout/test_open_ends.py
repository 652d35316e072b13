"""Where snakes leave a layout, and which cards carry them on."""

from __future__ import annotations

import numpy as np
import pytest

from engine.setfile import built_in_set
from vision.core.types import Guess
from vision.layout.cards import SeenCard
from vision.layout.open_ends import goes_on, is_open, open_sides

CARNIVAL = built_in_set("carnival")


def card(tile: str, at: tuple[int, int], turns: int = 0, sure: float = 0.99) -> SeenCard:
    return SeenCard(at, (at,), (Guess(tile, turns, sure),), np.zeros((4, 2)))


ROW = [card("violet/straight", (0, 0)), card("gift", (1, 1))]


def test_snake_leaves_at_its_ends_only():
    sides = open_sides(ROW, CARNIVAL)

    assert [cell for cell in ((1, 0), (0, 1), (-1, 0), (2, 1)) if is_open(cell, sides)] == [
        (1, 0),
        (-1, 0),
    ]


def test_card_that_is_hardly_read_has_no_open_ends():
    sides = open_sides([card("violet/straight", (0, 0), sure=0.4)], CARNIVAL)

    assert not is_open((1, 0), sides)


@pytest.mark.parametrize(
    ("tile", "turns", "wanted"),
    [
        ("violet/straight", 0, True),
        ("violet/straight", 1, False),
        ("red/straight", 0, False),
        ("log/corner", 0, True),
        ("log/corner", 1, False),
        ("gift", 0, False),
    ],
)
def test_card_goes_on_where_its_print_meets_the_snake(tile, turns, wanted):
    assert goes_on(card(tile, (1, 0), turns), open_sides(ROW, CARNIVAL), CARNIVAL) is wanted


def test_straight_log_must_lie_between_two_others():
    log, other = card("log/straight", (1, 0)), card("violet/corner", (2, 0))

    assert not goes_on(log, open_sides(ROW, CARNIVAL), CARNIVAL)
    assert goes_on(log, open_sides([*ROW, other], CARNIVAL), CARNIVAL)
