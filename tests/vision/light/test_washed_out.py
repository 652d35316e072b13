"""Cards that light washed out, and such as it burnt: painted cards with made-up readings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from vision.core.ground import Ground
from vision.core.looks import BACK
from vision.core.types import Guess, LatticeFit
from vision.layout.again import Sight
from vision.layout.cards import CardGroup, SeenCard
from vision.light.burnt import burnt_cells
from vision.light.washed_out import with_washed_out

PITCH = 50.0
PAPER, CLOTH, GREEN, LIGHT = (205, 215, 220), (60, 110, 150), (70, 140, 90), (255, 255, 255)
FIT = LatticeFit({(x, 0): x for x in range(5)},
                 np.array([[PITCH, 0, 100], [0, PITCH, 200], [0, 0, 1.0]]), 0.0)  # fmt: skip
UNIT = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])


def card(x: int, *guesses: tuple[str, float]) -> SeenCard:
    said = tuple(Guess(tile, 0, sure) for tile, sure in guesses)
    return SeenCard((x, 0), ((x, 0),), said, UNIT * PITCH + (100 + x * PITCH, 200))


def row(last: SeenCard) -> CardGroup:
    """Return four cards that are surely read, and another beside them."""
    return CardGroup((*(card(x, ("blue/straight", 1.0)) for x in range(4)), last), FIT)


def painted(last: tuple[int, int, int]) -> Sight:
    """Return a picture of the row, with a print on all of its cards but the last."""
    bgr = np.full((400, 640, 3), CLOTH, np.uint8)
    bgr[176:224, 76:324] = PAPER
    bgr[195:205, 76:274] = (40, 60, 30)
    bgr[176:224, 276:324] = last
    outlines = [UNIT * PITCH + (100 + x * PITCH, 200) for x in range(5)]
    return Sight(bgr, Ground(bgr, outlines), lambda found: [])


DOUBTFUL = ((BACK, 0.4), ("blue/head", 0.1))


def test_doubtful_back_that_shows_paper_is_a_card_whose_print_is_gone():
    seen = with_washed_out(row(card(4, *DOUBTFUL)), painted(PAPER))

    assert [guess.tile for guess in seen.cards[-1].guesses] == ["blue/head"]


@pytest.mark.parametrize(
    ("guesses", "shown"),
    [(DOUBTFUL, GREEN), (((BACK, 0.99), ("blue/head", 0.01)), PAPER), (((BACK, 0.4),), PAPER)],
    ids=["without paper", "surely face down", "nothing else it may be"],
)
def test_other_backs_stay_face_down(guesses, shown):
    seen = with_washed_out(row(card(4, *guesses)), painted(shown))

    assert seen.cards[-1].guesses[0].tile == BACK


def test_white_cloth_in_a_hole_of_the_layout_is_no_card_whose_print_is_gone():
    hole = replace(card(4, *DOUBTFUL), found=0.3)

    assert with_washed_out(row(hole), painted(PAPER)).cards[-1].guesses[0].tile == BACK


@pytest.mark.parametrize(
    ("sure", "shown", "burnt"), [(0.2, LIGHT, 1), (0.95, LIGHT, 0), (0.2, PAPER, 0)],
    ids=["nothing but light", "read all the same", "no light"],
)  # fmt: skip
def test_card_of_the_layout_may_be_burnt(sure, shown, burnt):
    group = row(card(4, ("blue/head", sure)))

    assert len(burnt_cells(group, (), painted(shown))) == burnt
