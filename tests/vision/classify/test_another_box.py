"""A picture of another game than the chosen one is noticed, and which game it is."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from engine.setfile import built_in_set
from models.lab.training.shipped_reader import prints
from vision.classify.reader import shipped_reader
from vision.classify.reading import CellReading
from vision.core.crop import MARGIN, cut
from vision.core.request import ReadRequest
from vision.core.types import SURE, UNKNOWN_TILE, Detection
from vision.layout import unread
from vision.layout.unread import another_box
from vision.read import read_table

SIDE_PX = 48
EXAMPLE = Path(__file__).parents[2] / "examples" / "table.jpg"


def table_of(game: str) -> tuple[np.ndarray, list[Detection]]:
    """A picture of a box's printed faces side by side, with their outlines."""
    pictures = list(prints(built_in_set(game)).values())[:12]
    whole = round(SIDE_PX * (1 + 2 * MARGIN))
    bgr = np.full((whole, whole * len(pictures), 3), 90, np.uint8)
    found = []
    for number, picture in enumerate(pictures):
        left = number * whole
        bgr[:, left : left + whole] = cv2.resize(
            picture, (whole, whole), interpolation=cv2.INTER_AREA
        )
        low, high = (whole - SIDE_PX) / 2, (whole + SIDE_PX) / 2
        corners = np.array([(low, low), (high, low), (high, high), (low, high)]) + np.array(
            [left, 0]
        )
        found.append(Detection(corners, 0.95))
    return bgr, found


def told(shown: str, chosen: str):
    bgr, found = table_of(shown)
    patches = cut(bgr, [one.corners_px for one in found])
    readings = shipped_reader(chosen).read(patches, [one.across_px for one in found])
    return another_box(bgr, found, readings, built_in_set(chosen))


@pytest.mark.parametrize(
    ("shown", "chosen"), [("carnival", "schlangennest"), ("schlangennest", "carnival")]
)
def test_another_games_cards_are_told_with_the_game_that_they_look_like(shown, chosen):
    advice = told(shown, chosen)

    assert advice is not None
    assert (advice.what, advice.looks_like) == (UNKNOWN_TILE, shown)
    assert built_in_set(shown).title in advice.text
    assert built_in_set(chosen).title in advice.text


def test_the_games_own_cards_are_not_another_games():
    assert told("carnival", "carnival") is None


def test_cards_that_two_boxes_could_have_are_of_the_one_that_reads_more_of_them():
    box = built_in_set("carnival")
    bgr = np.asarray(cv2.imread(str(EXAMPLE)), np.uint8)
    own = read_table(bgr, ReadRequest("square", built_in_set("schlangennest")))

    state = read_table(bgr, ReadRequest("square", box))

    assert len(own.tiles) > 10
    assert not own.quality.advice
    assert (state.tiles, state.unsure, state.aside) == ((), (), ())
    assert [one.looks_like for one in state.quality.advice] == ["schlangennest"]


def test_own_cards_beside_many_of_another_box_are_not_taken_for_that_box():
    bgr, found = table_of("carnival")
    own, _ = table_of("sssnake")
    quarter = own.shape[1] // 4
    bgr[:, :quarter] = own[:, :quarter]
    patches = cut(bgr, [one.corners_px for one in found])
    readings = shipped_reader("sssnake").read(patches, [one.across_px for one in found])
    assert all(one.is_whole(SURE) for one in readings[:3])

    advice = another_box(bgr, found, readings, built_in_set("sssnake"))

    assert advice is None or advice.looks_like is None


@pytest.mark.parametrize("cards", [1, 12])
def test_a_die_beside_cards_has_no_look_read_with_other_boxes(monkeypatch, cards):
    bgr, found = table_of("sssnake")
    found = found[:cards]
    patches = cut(bgr, [one.corners_px for one in found])
    readings = shipped_reader("sssnake").read(patches, [one.across_px for one in found])
    die = Detection(found[0].corners_px * 0.35 + 20, 0.95)

    def read(*_):
        raise AssertionError("another box was read")

    monkeypatch.setattr(unread, "_surely_read", read)

    seen = [*found, die], [*readings, CellReading((), UNKNOWN_TILE)]
    assert another_box(bgr, *seen, built_in_set("sssnake")) is None


def test_squares_of_no_box_look_like_none():
    rng = np.random.default_rng(5)
    _, found = table_of("carnival")
    noise = rng.integers(0, 255, (70, 70 * len(found), 3)).astype(np.uint8)
    patches = cut(noise, [one.corners_px for one in found])
    readings = shipped_reader("sssnake").read(patches, [one.across_px for one in found])

    advice = another_box(noise, found, readings, built_in_set("sssnake"))

    assert advice is not None
    assert advice.looks_like is None


def test_a_few_strange_outlines_say_nothing_about_the_game():
    bgr, found = table_of("carnival")
    patches = cut(bgr, [one.corners_px for one in found[:2]])
    readings = shipped_reader("sssnake").read(patches, [48.0, 48.0])

    assert another_box(bgr, found[:2], readings, built_in_set("sssnake")) is None
