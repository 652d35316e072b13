"""A few cards on a wall of bricks: bricks must not say how large cards are."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from engine.setfile import built_in_set
from models.art import faces
from vision.classify.reader import CellGuess, CellReading
from vision.core.request import ReadRequest
from vision.core.types import Detection, Detections
from vision.detect.outnumbered import with_outnumbered
from vision.read import read_table

NEST = built_in_set("schlangennest")
WIDE_PX, HIGH_PX = 1280, 720
CARD_PX = 86
PLACE = np.array([(100, 100), (140, 100), (140, 140), (100, 140)], float)
BLANK = np.full((480, 640, 3), 200, np.uint8)


def wall(seed: int, long_px: int, high_px: int, degrees: float) -> np.ndarray:
    """Bricks of many reds in grey mortar, leaning."""
    rng = np.random.default_rng(seed)
    side = 2 * WIDE_PX
    bgr = rng.normal((105, 115, 120), 10, (side, side, 3))
    for row, top in enumerate(range(0, side, high_px)):
        for left in range(-(row % 2) * long_px // 2, side, long_px):
            colour = rng.normal((60, 85, 160), (12, 16, 22))
            part = bgr[top + 2 : top + high_px - 2, max(0, left + 2) : left + long_px - 2]
            part[:] = rng.normal(colour, 9, part.shape)
    turn = cv2.getRotationMatrix2D((side / 2, side / 2), degrees, 1)
    turned = cv2.warpAffine(bgr.clip(0, 255).astype(np.uint8), turn, (side, side))
    top, left = (side - HIGH_PX) // 2, (side - WIDE_PX) // 2
    return turned[top : top + HIGH_PX, left : left + WIDE_PX].copy()


def laid_on(bgr: np.ndarray, cards: dict[tuple[int, int], str], degrees: float) -> np.ndarray:
    """Lay cards at cells of a lattice through the middle of a picture."""
    painted = faces(NEST, 4.0)
    for (x, y), tile in cards.items():
        face = cv2.resize(painted[tile].bgr, (CARD_PX, CARD_PX), interpolation=cv2.INTER_AREA)
        turn = cv2.getRotationMatrix2D((CARD_PX / 2, CARD_PX / 2), degrees, 1)
        away = turn[:, :2] @ np.array([x, y], float) * CARD_PX
        turn[:, 2] += np.array([WIDE_PX, HIGH_PX]) / 2 - CARD_PX / 2 + away
        shape = (WIDE_PX, HIGH_PX)
        there = cv2.warpAffine(np.full(face.shape[:2], 255, np.uint8), turn, shape)
        bgr[there > 127] = cv2.warpAffine(face, turn, shape)[there > 127]
    return cv2.GaussianBlur(bgr, (3, 3), 0)


def reading(sure: float, *, odd: bool = False) -> CellReading:
    return CellReading((CellGuess("red/straight", 0, 0, sure),), odd=odd)


def unasked(found):
    raise AssertionError("nothing more is looked at")


@pytest.mark.parametrize("long_px", [64, 96])
def test_cards_on_a_wall_of_bricks_are_read(long_px):
    cards = {(0, 0): "red/head", (1, -1): "blue/curve", (1, 0): "blue/tail"}
    bgr = laid_on(wall(1, long_px, 34, 15), cards, 20)

    state = read_table(bgr, ReadRequest("square", NEST))

    assert sorted(entry["tile"] for entry in state.tiles) == sorted(cards.values())
    assert not state.unsure


def test_bricks_alone_are_no_cards():
    state = read_table(wall(2, 96, 34, 15), ReadRequest("square", NEST))

    assert (state.tiles, state.unsure, state.aside) == ((), (), ())


def test_where_a_lone_card_is_surely_outlined_nobody_looks_again():
    found = Detections((640, 480), "square", (Detection(PLACE, 0.95),))
    readings = [reading(0.99)]

    assert with_outnumbered(BLANK, found, readings, unasked) == (found, readings)


def test_where_most_outlines_are_read_nobody_looks_again():
    places = [PLACE + np.array([60 * n, 0]) for n in range(8)]
    found = Detections((640, 480), "square", tuple(Detection(place, 0.7) for place in places))
    readings = [reading(0.99)] * 3 + [reading(0.5, odd=True)] * 5

    assert with_outnumbered(BLANK, found, readings, unasked) == (found, readings)


def test_where_closer_looks_show_no_card_what_was_found_stays():
    found = Detections((640, 480), "square", (Detection(PLACE, 0.9),))
    readings = [reading(0.9, odd=True)]

    seen = with_outnumbered(BLANK, found, readings, lambda some: [reading(0.5)] * len(some))

    assert seen == (found, readings)
