"""Which outlines may be cards of a box."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from vision.classify.reading import CellGuess, CellReading
from vision.core.ground import Ground
from vision.core.types import UNKNOWN_TILE, Detection, Detections
from vision.layout.candidates import (
    NUMBERS,
    card_numbers,
    cards_only,
    distinct,
    doubtful,
    with_faint,
)

WIDE = 40
PLANK, SEAM, PAPER = (60, 110, 150), (40, 80, 120), (225, 230, 235)
UNIT = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], float)


@pytest.mark.parametrize(("faint", "taken"), [(1, 0), (2, 2)])
def test_cards_among_bricks_that_outnumber_them_are_taken_if_they_are_more_than_one(faint, taken):
    cards = [Detection((UNIT + np.array([5 + x, 5])) * WIDE, 0.6) for x in range(faint)]
    bricks = [Detection((UNIT + np.array([5 + x, 8])) * WIDE, 0.4) for x in range(3)]
    seen = Detections((640, 480), "square", (), (*cards, *bricks, *cards))

    def look(some):
        said = {6: 0.05, 9: 0.8}
        return [
            CellReading(
                (CellGuess("red/straight", 0, 0, 1.0),),
                far=said[round(one.centre_px[1] / WIDE + 0.5)],
            )
            for one in some
        ]

    found, readings = with_faint(seen, [], look)

    assert len(found.found) == len(readings) == taken


# --- outlines that are found twice ---------------------------------------------------------------


def outlined(x: float, y: float, sure: float = 0.95, wide: float = WIDE, **more: Any) -> Detection:
    """Return a square outline around a place that is counted in widths of a card."""
    middle = np.array([x, y]) * WIDE + 100
    return Detection((UNIT - 0.5) * wide + middle, sure, **more)


def seen_as(*found: Detection) -> Detections:
    return Detections((640, 480), "square", found)


def kept(*found: Detection) -> list[int]:
    """Return the numbers of the outlines that are left once none is there twice."""
    left = distinct(seen_as(*found)).found
    return [n for n, one in enumerate(found) if one in left]


def test_outline_on_a_surer_one_is_left_out():
    assert kept(outlined(0, 0, 0.8), outlined(0.3, 0, 0.9), outlined(1, 0, 0.7)) == [1, 2]
    assert kept(outlined(0, 0, 0.9), outlined(0.3, 0, 0.8)) == [0]


def test_of_two_outlines_that_are_as_sure_the_first_is_kept():
    assert kept(outlined(0, 0), outlined(0.2, 0), outlined(0, 0.2)) == [0]


def test_outlines_that_are_far_enough_apart_are_two_tiles():
    assert kept(outlined(0, 0, 0.9), outlined(0.36, 0, 0.8)) == [0, 1]
    assert kept(outlined(0, 0, 0.9), outlined(0, 0.34, 0.8)) == [0]
    # The limit itself: 35 of 100 pixels.
    assert kept(outlined(0, 0, 0.9, 100.0), outlined(0.875, 0, 0.8, 100.0)) == [0, 1]


def test_how_far_outlines_are_apart_is_counted_in_widths_of_the_one_that_would_go():
    large, small = outlined(0, 0, 0.8, 80.0), outlined(0.5, 0, 0.9)

    assert kept(large, small) == [1]
    assert kept(replace(large, confidence=0.95), small) == [0, 1]


def test_hexes_are_as_wide_as_from_side_to_side():
    corners = np.array([(np.cos(a), np.sin(a)) for a in np.arange(6) * np.pi / 3])
    # From corner to corner they are 2 wide, from side to side the root of 3.
    hexes = [
        Detection(corners + np.array([x, 0.0]), sure)
        for x, sure in ((0.0, 0.9), (0.58, 0.8), (10.0, 0.9), (10.62, 0.8))
    ]

    left = distinct(Detections((640, 480), "hex", tuple(hexes))).found

    assert [one.centre_px[0] for one in left] == pytest.approx([0.0, 10.0, 10.62])


def test_lone_outline_and_one_without_a_width_are_kept():
    alone = seen_as(outlined(0, 0))

    assert distinct(alone) is alone
    assert kept(outlined(0, 0, 0.9), outlined(3, 0, 0.8, 0.0)) == [0, 1]


# --- the score of outlines -----------------------------------------------------------------------


def said(sure: float = 1.0, tile: str = "red/straight", **more: Any) -> CellReading:
    return replace(CellReading((CellGuess(tile, 0, 0, sure),)), **more)


Shown = tuple[Detection, CellReading]
ROW = [(outlined(x, 0), said()) for x in (0, 1, 3, 4)]
"""Cards that are surely found and clearly read, with a place between them."""


def ground_of(*shown: Shown, papers: Sequence[int] = ()) -> Ground:
    """Return a table of planks with white paper at some of the outlines."""
    bgr = np.full((480, 640, 3), PLANK, np.uint8)
    bgr[::20] = SEAM
    for n in papers:
        corners = shown[n][0].corners_px
        low, high = corners.min(axis=0).astype(int), corners.max(axis=0).astype(int)
        bgr[low[1] : high[1], low[0] : high[0]] = PAPER
    return Ground(bgr, [one.corners_px for one, _ in shown])


def numbers(n: int, *shown: Shown, papers: Sequence[int] = ()) -> dict[str, float]:
    """Return the features of one outline by name."""
    found, readings = [one for one, _ in shown], [reading for _, reading in shown]
    rows = card_numbers(found, readings, ground_of(*shown, papers=papers), [n])
    return dict(zip(NUMBERS, rows[0].tolist(), strict=True))


def cards(*shown: Shown, papers: Sequence[int] = ()) -> list[int]:
    """Return which outlines may be cards."""
    found, readings = tuple(one for one, _ in shown), [reading for _, reading in shown]
    seen, left = cards_only(seen_as(*found), readings, ground_of(*shown, papers=papers))
    kept = [n for n, one in enumerate(found) if any(one is other for other in seen.found)]
    assert [id(reading) for reading in left] == [id(readings[n]) for n in kept]
    return kept


def test_features_say_how_an_outline_was_found_and_read():
    odd = said(0.6, "back", odd=True, far=0.7, why=UNKNOWN_TILE)
    row = numbers(4, *ROW, (outlined(2, 0, 0.4, cut_off=True), odd), papers=range(4))

    assert [row[name] for name in ("found", "best", "far")] == pytest.approx([0.4, 0.6, 0.7])
    assert all(row[name] for name in ("odd", "covered", "back", "unknown", "cut_off"))
    assert row["wide"] == pytest.approx(np.log(WIDE))


def test_features_say_how_an_outline_lies_to_the_nearest_card_that_is_surely_read():
    turned = replace(
        outlined(2, 0, wide=1.5 * WIDE),
        corners_px=np.array([(180.0, 70.0), (210.0, 100.0), (180.0, 130.0), (150.0, 100.0)]),
    )
    row = numbers(4, *ROW, (turned, said(0.3)), papers=range(4))

    assert row["away"] == pytest.approx(40 / turned.across_px)
    assert row["size"] == pytest.approx(np.log(turned.across_px / WIDE))
    assert row["turned"] == pytest.approx(45)
    assert (row["near"], row["near_sure"]) == (2, 2)
    assert row["sure"] == pytest.approx(np.log(5))


def test_only_cards_that_are_surely_read_count_as_such():
    doubtful = [
        (outlined(1, 0), reading)
        for reading in (said(0.79), said(odd=True), said(why=UNKNOWN_TILE))
    ]
    for other in doubtful:
        row = numbers(0, (outlined(0, 0), said(0.3)), other)
        assert (row["away"], row["turned"], row["near"], row["near_sure"]) == (4, 45, 1, 0)


def test_features_say_whether_an_outline_has_the_colours_of_the_table():
    hole = (outlined(2, 0, 0.8), said(0.3))

    assert numbers(4, *ROW, hole, papers=range(4))["table"] > 0.5
    assert numbers(4, *ROW, hole, papers=range(5))["table"] < 0.1


def test_what_is_surely_found_and_clearly_read_is_a_card_without_a_question():
    assert doubtful(*zip(*ROW, strict=True)) == []
    assert cards(*ROW) == [0, 1, 2, 3]
    assert doubtful(
        [outlined(0, 0, 0.89), outlined(1, 0), outlined(2, 0), outlined(3, 0)],
        [said(), said(0.97), said(odd=True), said(why=UNKNOWN_TILE)],
    ) == [0, 1, 2, 3]


def test_card_that_is_hardly_read_is_one_between_others():
    assert cards(*ROW, (outlined(2, 0), said(0.4, far=0.3)), papers=range(5)) == [0, 1, 2, 3, 4]


def test_hole_that_shows_the_table_is_no_card():
    hole = (outlined(2, 0, 0.4), said(0.1, odd=True, far=0.9, why=UNKNOWN_TILE))

    assert cards(*ROW, hole, papers=range(4)) == [0, 1, 2, 3]


def test_strange_thing_of_another_size_is_no_card():
    thing = (outlined(6, 3, 0.5, 2 * WIDE), said(0.05, odd=True, far=0.95, why=UNKNOWN_TILE))

    assert cards(*ROW, thing, papers=range(5)) == [0, 1, 2, 3]
