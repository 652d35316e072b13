"""Colours of doubtful cards, by cards of the same picture that are surely read."""

from __future__ import annotations

import numpy as np
import pytest

from engine.setfile import built_in_set
from vision.core.types import Guess, LatticeFit
from vision.layout.cards import CardGroup, SeenCard
from vision.light.inks import with_inks

CARNIVAL = built_in_set("carnival")
WIDE = 60
PAPER, YELLOW, BROWN = (235, 240, 245), (40, 170, 215), (60, 95, 140)


def card(x: int, *guesses: Guess) -> SeenCard:
    left, right = x * WIDE, (x + 1) * WIDE
    outline = np.array([(left, 0), (right, 0), (right, WIDE), (left, WIDE)], float)
    return SeenCard((x, 0), ((x, 0),), guesses, outline)


def sure(x: int, tile: str) -> SeenCard:
    return card(x, Guess(tile, 0, 0.999))


def row(*cards: SeenCard) -> CardGroup:
    return CardGroup(cards, LatticeFit({one.at: k for k, one in enumerate(cards)}, np.eye(3), 0.0))


def picture(*inks: tuple[int, int, int]) -> np.ndarray:
    """Straight snakes from left to right, one a card."""
    bgr = np.full((WIDE, WIDE * len(inks), 3), PAPER, np.uint8)
    for x, ink in enumerate(inks):
        bgr[WIDE // 3 : 2 * WIDE // 3, x * WIDE : (x + 1) * WIDE] = ink
    return bgr


DOUBTFUL = card(2, Guess("log/straight", 0, 0.9), Guess("yellow/straight", 0, 0.1))


@pytest.mark.parametrize(("ink", "tile"), [(YELLOW, "yellow/straight"), (BROWN, "log/straight")])
def test_doubtful_snake_has_the_colour_of_the_sure_ones_that_it_looks_like(ink, tile):
    group = row(sure(0, "yellow/straight"), sure(1, "log/straight"), DOUBTFUL)

    seen = with_inks(group, (), CARNIVAL, picture(YELLOW, BROWN, ink))

    assert seen.cards[2].guesses[0].tile == tile
    assert sum(guess.confidence for guess in seen.cards[2].guesses) == pytest.approx(1.0, abs=0.03)


def test_sure_card_stays_what_it_is_whatever_its_ink():
    group = row(sure(0, "yellow/straight"), sure(1, "log/straight"), sure(2, "log/straight"))

    seen = with_inks(group, (), CARNIVAL, picture(YELLOW, BROWN, YELLOW))

    assert seen.cards[2].guesses[0].tile == "log/straight"


def test_nothing_is_weighed_where_one_of_the_colours_is_not_seen():
    group = row(sure(0, "yellow/straight"), sure(1, "yellow/straight"), DOUBTFUL)

    seen = with_inks(group, (), CARNIVAL, picture(YELLOW, YELLOW, YELLOW))

    assert seen.cards[2].guesses == DOUBTFUL.guesses


def test_cards_elsewhere_in_the_picture_show_their_colours_too():
    group, stock = row(sure(0, "yellow/straight"), DOUBTFUL), row(sure(1, "log/straight"))

    seen = with_inks(group, [stock], CARNIVAL, picture(YELLOW, BROWN, YELLOW))

    assert seen.cards[1].guesses[0].tile == "yellow/straight"


def test_ink_that_a_lamp_thins_keeps_its_colour():
    group = row(sure(0, "yellow/straight"), sure(1, "log/straight"), DOUBTFUL)
    washed = picture(YELLOW, BROWN, YELLOW).astype(float)
    washed[:, 2 * WIDE :] = 0.45 * washed[:, 2 * WIDE :] + 0.55 * 250

    seen = with_inks(group, (), CARNIVAL, washed.astype(np.uint8))

    assert seen.cards[2].guesses[0].tile == "yellow/straight"


def test_colour_that_no_sure_card_shows_leaves_the_others_to_be_weighed():
    third = card(2, Guess("log/straight", 0, 0.9), Guess("yellow/straight", 0, 0.08),
                 Guess("red/straight", 0, 0.02))  # fmt: skip
    group = row(sure(0, "yellow/straight"), sure(1, "log/straight"), third)

    seen = with_inks(group, (), CARNIVAL, picture(YELLOW, BROWN, YELLOW))

    assert seen.cards[2].guesses[0].tile == "yellow/straight"
    assert Guess("red/straight", 0, 0.02) in seen.cards[2].guesses


def test_inks_that_a_lamp_has_nearly_washed_out_are_still_alike():
    group = row(sure(0, "yellow/straight"), sure(1, "log/straight"), DOUBTFUL)
    washed = picture(YELLOW, BROWN, YELLOW).astype(float)
    for x, glare in ((0, 0.87), (2, 0.82)):
        part = washed[:, x * WIDE : (x + 1) * WIDE]
        part[:] = (1 - glare) * part + glare * 250

    seen = with_inks(group, (), CARNIVAL, washed.astype(np.uint8))

    assert seen.cards[2].guesses[0].tile == "yellow/straight"
