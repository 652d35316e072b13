"""Which outlines may be cards of a box."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from vision.classify.reader import CellGuess, CellReading
from vision.core.ground import Ground
from vision.core.types import UNKNOWN_TILE, Detection, Detections
from vision.layout.candidates import cards_only, distinct, with_faint

WIDE = 40
PLANK, SEAM, PAPER = (60, 110, 150), (40, 80, 120), (225, 230, 235)
UNIT = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], float)


@pytest.mark.parametrize(("sure", "far", "kept"), [
    (0.48, 0.5, 3), (0.8, 0.4, 3), (0.48, 0.1, 4), (0.95, 0.5, 4),
])  # fmt: skip
def test_plank_that_is_read_as_a_card_is_one_only_if_it_is_well_seen(sure, far, kept):
    bgr = np.full((480, 640, 3), PLANK, np.uint8)
    bgr[::20] = SEAM
    bgr[200 : 200 + WIDE, 200 : 200 + 3 * WIDE] = PAPER
    outlines = [(UNIT + np.array([5 + x, 5])) * WIDE for x in range(4)]
    ground = Ground(bgr, outlines)
    found = [Detection(outline, 0.95) for outline in outlines]
    found[3] = replace(found[3], confidence=sure)
    readings = [CellReading((CellGuess("red/straight", 0, 0, 1.0),))] * 3
    readings.append(CellReading((CellGuess("yellow/straight", 0, 0, 1.0),), far=far))

    seen, _ = cards_only(Detections((640, 480), "square", tuple(found)), readings, ground)

    assert len(seen.found) == kept


@pytest.mark.parametrize(("outlined", "kept"), [(0.95, 4), (0.85, 3)])
def test_washed_out_cards_are_some_where_one_leads_to_the_next(outlined, kept):
    bgr = np.full((480, 640, 3), PLANK, np.uint8)
    bgr[200 : 200 + WIDE, 200 : 200 + 4 * WIDE] = PAPER
    found = [Detection((UNIT + np.array([5 + x, 5])) * WIDE, 0.95) for x in range(4)]
    found[2:] = [replace(one, confidence=outlined) for one in found[2:]]
    pale = CellReading((CellGuess("yellow/straight", 0, 0, 0.6),), odd=True, far=0.7)
    readings = [CellReading((CellGuess("red/straight", 0, 0, 1.0),)), pale, pale, pale]
    ground = Ground(bgr, [one.corners_px for one in found])

    seen, _ = cards_only(Detections((640, 480), "square", tuple(found)), readings, ground)

    assert len(seen.found) == kept


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
    hexes = [Detection(corners + np.array([x, 0.0]), sure) for x, sure in
             ((0.0, 0.9), (0.58, 0.8), (10.0, 0.9), (10.62, 0.8))]  # fmt: skip

    left = distinct(Detections((640, 480), "hex", tuple(hexes))).found

    assert [one.centre_px[0] for one in left] == pytest.approx([0.0, 10.0, 10.62])


def test_lone_outline_and_one_without_a_width_are_kept():
    alone = seen_as(outlined(0, 0))

    assert distinct(alone) is alone
    assert kept(outlined(0, 0, 0.9), outlined(3, 0, 0.8, 0.0)) == [0, 1]


# --- odd outlines, and what lies beside them -----------------------------------------------------


def said(sure: float = 1.0, tile: str = "red/straight", **more: Any) -> CellReading:
    return replace(CellReading((CellGuess(tile, 0, 0, sure),)), **more)


def cards(*shown: tuple[Detection, CellReading]) -> list[int]:
    """Return which outlines may be cards, on a table of a colour that none of them shows."""
    bgr = np.full((480, 640, 3), PLANK, np.uint8)
    for one, _ in shown:
        low, high = one.corners_px.min(axis=0).astype(int), one.corners_px.max(axis=0).astype(int)
        bgr[max(low[1], 0) : high[1], max(low[0], 0) : high[0]] = PAPER
    found, readings = tuple(one for one, _ in shown), [reading for _, reading in shown]
    seen, left = cards_only(seen_as(*found), readings, Ground(bgr, [
        one.corners_px for one in found]))  # fmt: skip
    numbers = [n for n, one in enumerate(found) if one in seen.found]
    assert [id(reading) for reading in left] == [id(readings[n]) for n in numbers]
    return numbers


BRICK = said(0.6, odd=True, far=0.7)


@pytest.mark.parametrize(
    ("reading", "sure", "taken"),
    [
        (said(0.79, odd=True), 0.95, False),
        (said(0.8, odd=True), 0.95, True),
        (said(0.8, odd=True), 0.74, False),
        (said(0.8, odd=True), 0.75, True),
        (said(0.8, "back", odd=True), 0.95, False),
        (said(0.8, odd=True, covered=True), 0.74, True),
        (said(0.79), 0.95, True),
    ],
    ids=["hardly-read", "read", "poorly-outlined", "outlined", "back", "covered", "not-odd"],
)
def test_odd_outline_by_itself_is_a_card_where_it_is_well_read_and_outlined(reading, sure, taken):
    assert cards((outlined(0, 0, sure), reading)) == [0] * taken


@pytest.mark.parametrize(
    ("away", "sure", "cut", "taken"),
    [
        (1.24, 0.75, False, True), (1.26, 0.75, False, False), (1.59, 0.9, False, True),
        (1.61, 0.9, False, False), (1.59, 0.75, True, True), (1.59, 0.89, False, False),
    ],
)  # fmt: skip
def test_odd_outline_beside_a_card_that_is_surely_read_is_one(away, sure, cut, taken):
    card = (outlined(0, 0), said())
    odd = (outlined(away, 0, sure, cut_off=cut), BRICK)

    assert cards(card, odd) == [0, 1][: 1 + taken]


@pytest.mark.parametrize("beside", [said(0.49), said(why=UNKNOWN_TILE), said(odd=True)])
def test_odd_outline_beside_another_doubtful_one_is_none(beside):
    assert 1 not in cards((outlined(0, 0), beside), (outlined(1, 0, 0.85), BRICK))


def test_odd_outlines_lead_to_a_card_one_after_the_other_where_all_are_well_outlined():
    card, line = (outlined(0, 0), said()), [(outlined(x, 0, 0.9), BRICK) for x in (1, 2, 3)]
    gap = (outlined(2, 0, 0.89), BRICK)

    assert cards(card, *line) == [0, 1, 2, 3]
    assert cards(card, line[0], gap, line[2]) == [0, 1, 2]


# --- what looks like nothing in the box ----------------------------------------------------------


def strange() -> CellReading:
    return said(0.1, why=UNKNOWN_TILE)


@pytest.mark.parametrize(("sure", "taken"), [(0.75, True), (0.74, False)])
def test_outline_that_looks_like_nothing_in_the_box_must_be_surely_one(sure, taken):
    assert cards((outlined(0, 0, sure), strange())) == [0] * taken


@pytest.mark.parametrize(
    ("places", "taken"),
    [
        ([(1, 0), (-1, 0)], True), ([(1, 0)], False), ([(1.26, 0), (-1, 0)], False),
        ([(0, 1.24), (-1, 0)], True),
    ],
)  # fmt: skip
def test_between_two_others_it_may_be_less_sure(places, taken):
    others = [(outlined(*place), said()) for place in places]

    assert (0 in cards((outlined(0, 0, 0.5), strange()), *others)) is taken
    assert 0 not in cards((outlined(0, 0, 0.49), strange()), *others)


# --- holes that show the table -------------------------------------------------------------------


def on_a_white_cloth(*shown: tuple[Detection, CellReading]) -> list[int]:
    """Return which outlines may be cards on a table that has the colours of all of them."""
    found = tuple(one for one, _ in shown)
    ground = Ground(np.full((480, 640, 3), PAPER, np.uint8), [one.corners_px for one in found])
    seen, _ = cards_only(seen_as(*found), [reading for _, reading in shown], ground)
    return [n for n, one in enumerate(found) if one in seen.found]


@pytest.mark.parametrize(
    ("sure", "reading", "taken"),
    [
        (0.95, strange(), False),
        (0.95, said(0.29, odd=True, covered=True), False),
        (0.95, said(0.3, odd=True, covered=True), True),
        (0.89, said(0.3, odd=True, covered=True), False),
        (0.89, said(0.98), False),
        (0.89, said(0.99), True),
        (0.89, said(0.99, far=0.35), False),
        (0.89, said(0.99, far=0.34), True),
        (0.9, said(0.98), True),
        (0.29, said(0.99), False),
        (0.3, said(0.99), True),
    ],
)
def test_what_has_the_colours_of_the_table_is_a_hole_unless_it_is_well_seen(sure, reading, taken):
    assert on_a_white_cloth((outlined(0, 0, sure), reading)) == [0] * taken


def test_what_looks_like_nothing_stays_a_hole_though_cards_have_the_colours_of_the_table():
    assert on_a_white_cloth((outlined(0, 0), strange()), (outlined(5, 0), said())) == [1]


def test_few_cards_that_have_the_colours_of_the_table_say_nothing_about_it():
    bgr = np.full((480, 640, 3), PLANK, np.uint8)
    white = [(outlined(x % 13, 1 + x // 13), said()) for x in range(100)]
    for one, _ in white[3:]:
        low, high = one.corners_px.min(axis=0).astype(int), one.corners_px.max(axis=0).astype(int)
        bgr[low[1] : high[1], low[0] : high[0]] = PAPER
    shown = [(outlined(0, 0, 0.85), said(0.9)), *white]
    found = tuple(one for one, _ in shown)
    ground = Ground(bgr, [one.corners_px for one in found])

    seen, _ = cards_only(seen_as(*found), [reading for _, reading in shown], ground)

    assert found[0] not in seen.found
    assert len(seen.found) == 100
