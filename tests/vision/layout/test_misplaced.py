"""Cards that the lattice counted to the cell beside theirs; no picture is needed for that."""

from __future__ import annotations

import numpy as np
import pytest

from vision.core.types import Guess, LatticeFit
from vision.layout.cards import CardGroup, SeenCard
from vision.layout.misplaced import with_cards_in_place

PITCH = 40.0
FIT = LatticeFit({}, np.diag([PITCH, PITCH, 1.0]), 0.0)
UNIT = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])


def card(x: int, y: int, off: float = 0.0, sure: float = 1.0) -> SeenCard:
    """Return a card that lies lower than its cell."""
    guesses = (Guess("yellow/straight", 0, sure),)
    return SeenCard((x, y), ((x, y),), guesses, (UNIT + np.array((x, y + off))) * PITCH)


def cells(*last: SeenCard, off: float = 0.0) -> list[tuple[int, int]]:
    """Return the cells of some cards beside five that all lie as far off their own."""
    field = [card(x, 0, off) for x in range(4)] + [card(0, 1, off)]
    group = with_cards_in_place(CardGroup((*field, *last), FIT))
    return [one.at for one in group.cards[5:]]


def test_card_that_lies_on_the_next_cell_is_moved_there():
    assert cells(card(1, 1, 0.85)) == [(1, 2)]


def test_unread_outline_across_two_cells_is_none():
    assert cells(card(1, 1, 0.48, sure=0.0)) == []


@pytest.mark.parametrize(
    "last",
    [(card(1, 1, 0.48),), (card(1, 1, 0.2, sure=0.0),), (card(1, 1, 0.85), card(1, 2))],
    ids=["read-half-off", "unread-in-place", "next-cell-taken"],
)
def test_other_cards_stay_where_they_are(last):
    assert cells(*last) == [one.at for one in last]


def test_field_that_all_lies_beside_its_lattice_stays_as_it_is():
    assert cells(card(1, 1, 0.8), off=0.7) == [(1, 1)]
