"""Which big cards of Sssnake are played with that no card was laid to."""

from __future__ import annotations

import numpy as np
import pytest

from engine.setfile import built_in_set
from vision.classify.reading import CellGuess, CellReading
from vision.core.lattice import fit_lattices
from vision.core.types import Detection, Detections
from vision.layout.reconstruct import Reconstruction, reconstruct

SSSNAKE = built_in_set("sssnake")
UNIT = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
WIDE = 40.0

Cards = list[tuple[np.ndarray, str, int, int]]
"""Outlines in widths of a card, what each shows, which of its cells that is, and its turns."""


def field(number: int, x: float, y: float, cards: int, turned_deg: float = 0.0) -> Cards:
    """A big card, and small ones in a row after it."""
    turn = np.radians(turned_deg)
    spin = np.array([(np.cos(turn), np.sin(turn)), (-np.sin(turn), np.cos(turn))])
    places = [UNIT @ spin + np.array([k, 0.0]) @ spin + np.array([x, y]) for k in range(cards + 2)]
    shown = [(f"big/{number}", 0, 0), (f"big/{number}", 1, 0), *[("straight", 0, 0)] * cards]
    return [(place, *what) for place, what in zip(places, shown, strict=True)]


def steeply(points: np.ndarray) -> np.ndarray:
    """Pixels of a table seen at 50 degrees from straight above."""
    x, y = (points - np.array([8.0, 6.0])).T
    depth = 1 - 0.045 * y
    return np.stack([320 + WIDE * x / depth, 240 + 0.65 * WIDE * y / depth], axis=1)


def read(cards: Cards, cut: str = "") -> Reconstruction:
    """What is read of cards; the picture's edge cuts those that show ``cut``."""
    found = tuple(Detection(steeply(outline), 0.95, tile == cut) for outline, tile, _, _ in cards)
    readings = [
        CellReading((CellGuess(tile, cell, turns, 0.9999),), far=0.1)
        for _, tile, cell, turns in cards
    ]
    detections = Detections((640, 480), "square", found)
    return reconstruct(detections, fit_lattices(detections), readings, SSSNAKE)


def played(cards: Cards, cut: str = "") -> list[str]:
    """The big cards in play; the picture's edge cuts one of them."""
    return sorted(e["tile"] for e in read(cards, cut).tiles if e["tile"].startswith("big"))


TWO = ["big/1", "big/2"]
THREE = [*TWO, "big/3"]


@pytest.mark.parametrize(
    ("y", "turned_deg", "bigs"),
    [(7.6, 0, THREE), (7.8, 12, THREE), (8.6, 0, TWO), (7.8, 40, TWO)],
    ids=["near", "a-little-askew", "far-off", "askew"],
)
def test_big_card_without_cards_is_played_with_where_it_lies_by_a_field(y, turned_deg, bigs):
    two = [*field(1, 5, 2.5, 2), *field(2, 5, 5, 1)]

    assert played([*two, *field(3, 5, y, 0, turned_deg)]) == bigs


@pytest.mark.parametrize(
    ("counts", "bigs"),
    [((3, 3), THREE), ((3, 2), THREE), ((4, 2), THREE), ((4, 3), TWO), ((1, 6), TWO)],
    ids=str,
)
def test_big_card_without_cards_is_unused_once_its_owner_must_have_had_a_turn(counts, bigs):
    two = [*field(1, 4, 2.5, counts[0]), *field(2, 4, 5, counts[1])]

    assert played([*two, *field(3, 4, 7.5, 0)]) == bigs


def test_third_big_card_lies_by_a_second_that_only_the_number_of_players_puts_into_play():
    second = field(2, 10.5, 5.5, 0, 30)

    assert played([*field(1, 3, 3, 1), *second, *field(3, 3, 5.6, 0)]) == THREE


@pytest.mark.parametrize(("cut", "bigs"), [("", TWO), ("big/4", [*TWO, "big/4"])])
def test_big_card_after_one_that_is_not_seen_is_unused_unless_the_edge_cuts_fields(cut, bigs):
    two = [*field(1, 5, 2.5, 2), *field(2, 5, 5, 1)]

    assert played([*two, *field(4, 5, 7.6, 0)], cut) == bigs


def test_card_that_lies_face_down_is_not_laid_to_a_big_card():
    two = [*field(1, 4, 2.5, 5), *field(2, 4, 5, 4)]
    back = (UNIT + np.array([6.0, 9.5]), "back", 0, 0)

    assert played([*two, *field(3, 4, 9.5, 0), back]) == TWO


OUTSIDE: Cards = [
    (UNIT + np.array([4.0, 4.0]), "straight", 0, 0),
    (UNIT + np.array([5.0, 4.0]), "straight", 0, 0),
    (UNIT + np.array([6.0, 4.0]), "curve", 0, 2),
]
"""Cards whose big card is not seen."""


def lost(seen: Reconstruction) -> list[str]:
    return sorted(card.guesses[0].tile for group in seen.lost for card in group.cards)


def test_cards_in_play_whose_big_card_is_outside_are_lost_and_not_left_out_in_silence():
    seen = read(OUTSIDE)

    assert seen.tiles == ()
    assert lost(seen) == ["curve", "straight", "straight"]


ONE = field(3, 2, 8.5, 2)
UNUSED = field(4, 12, 9, 0, 40)
SNAKE: Cards = [
    (UNIT + np.array([5.0, 4.0]), "crossing", 0, 0),
    (UNIT + np.array([6.0, 4.0]), "curve", 0, 0),
]
STOCK: Cards = [(UNIT + np.array([4.0 + 1.2 * k, 4.0]), "straight", 0, 0) for k in range(3)]


@pytest.mark.parametrize(
    ("cards", "cut", "told"),
    [(SNAKE, "", 2), (OUTSIDE[1:], "curve", 2), (STOCK, "", 0)],
    ids=["likely-in-play", "cut-by-the-edge", "a-stock"],
)
def test_cards_beside_the_only_field_are_lost_since_two_play_at_least(cards, cut, told):
    seen = read([*ONE, *UNUSED, *cards], cut)

    assert [entry["tile"] for entry in seen.tiles] == ["big/3", "straight", "straight"]
    assert len(lost(seen)) == told


def test_cards_beside_two_fields_are_not_lost_for_want_of_a_field():
    two = [*field(1, 2, 8.5, 2), *field(2, 2, 11, 2)]

    assert lost(read([*two, *OUTSIDE[1:]], "curve")) == []
