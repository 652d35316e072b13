"""Big cards that must lie on the table; what places show is made up here."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from engine.setfile import built_in_set
from vision.classify.reader import CellGuess, CellReading
from vision.core.types import Detection, Detections
from vision.layout.missing_bigs import with_missing_bigs

SSSNAKE, NEST = built_in_set("sssnake"), built_in_set("schlangennest")
WIDE = 50.0
UNIT = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
STRANGE = CellReading((CellGuess("crossing", 0, 0, 0.01),), "unknown-tile", odd=True, far=1.2)
CROSSING = CellReading((CellGuess("crossing", 0, 0, 0.999),), far=0.1)
TAIL, HEAD = (300.0, 200.0), (350.0, 200.0)
"""Where the halves of big/2 lie on the table."""


def outline(x: float, y: float) -> Detection:
    return Detection(UNIT * WIDE + np.array([x, y]), 0.6)


def half(name: str, cell: int) -> CellReading:
    return CellReading((CellGuess(name, cell, 0, 0.999),), far=0.1)


def look(found: Sequence[Detection]) -> list[CellReading]:
    return [shown(*one.centre_px) for one in found]


def shown(x: float, y: float) -> CellReading:
    for cell, (u, v) in enumerate((TAIL, HEAD)):
        if np.hypot(x - u, y - v) < 0.1 * WIDE:
            return half("big/2", cell)
    return STRANGE


def look_under_a_hand(found: Sequence[Detection]) -> list[CellReading]:
    """Read the same where a hand lies over the head and a part of the tail."""
    covered = CellReading((CellGuess("big/2", 0, 0, 0.999),), odd=True, covered=True, far=0.1)
    return [covered if said.guesses[0].tile == "big/2" and said.guesses[0].cell == 0 else STRANGE
            for said in look(found)]  # fmt: skip


def seen_with(
    others: Sequence[tuple[Detection, CellReading]],
    read=look,
    faint=(),
    tile_set=SSSNAKE,
) -> list[tuple[str, int, float]]:
    found = tuple(one for one, _ in others)
    detections = Detections((640, 480), "square", found, tuple(faint))
    seen, readings = with_missing_bigs(detections, [said for _, said in others], tile_set, read)
    return sorted(
        (said.guesses[0].tile, said.guesses[0].cell, round(float(one.centre_px[0]), -1))
        for one, said in zip(seen.found, readings, strict=True)
        if said.guesses[0].tile == "big/2"
    )


BOTH = [("big/2", 0, 300.0), ("big/2", 1, 350.0)]
FIRST = [(outline(100, 100), half("big/1", 0)), (outline(150, 100), half("big/1", 1))]
THIRD = [(outline(100, 400), half("big/3", 0)), (outline(150, 400), half("big/3", 1))]
SECOND = [(outline(500, 400), half("big/2", 0)), (outline(550, 400), half("big/2", 1))]


def test_big_card_before_another_is_found_around_a_faint_outline():
    faint = [outline(TAIL[0] + 0.125 * WIDE, TAIL[1])]

    assert seen_with([*FIRST, *THIRD], faint=faint) == BOTH


def test_outline_that_showed_nothing_gives_way_to_the_half_beside_it():
    odd = (outline(HEAD[0], HEAD[1] + 0.125 * WIDE), STRANGE)

    detections = Detections((640, 480), "square", tuple(one for one, _ in [*FIRST, odd]))
    readings = [*(said for _, said in FIRST), STRANGE]
    seen, said = with_missing_bigs(detections, readings, SSSNAKE, look)

    assert len(seen.found) == len(said) == 4
    assert STRANGE not in said


def test_nobody_plays_alone_so_a_second_big_card_is_looked_for():
    assert seen_with([*FIRST, (outline(TAIL[0] - WIDE, 200), CROSSING)]) == BOTH


def test_nothing_is_looked_for_where_no_number_is_missing():
    faint = [outline(*TAIL)]

    assert seen_with([*FIRST, *SECOND], faint=faint) == [("big/2", 0, 500.0), ("big/2", 1, 550.0)]


@pytest.mark.parametrize(
    ("beside", "found"),
    [
        ([(outline(TAIL[0] - WIDE, 200), CROSSING)], [("big/2", 0, 300.0)]),
        ([(outline(TAIL[0], 200), STRANGE)], []),
    ],
    ids=["beside-a-card", "alone"],
)
def test_half_under_a_hand_counts_only_beside_a_card(beside, found):
    assert seen_with([*FIRST, *beside], look_under_a_hand) == found


@pytest.mark.parametrize("others", [[], [(outline(100, 100), STRANGE)]], ids=["blank", "nothing"])
def test_picture_without_cards_is_not_looked_at(others):
    assert seen_with(others, faint=[outline(*TAIL)]) == []


def test_box_without_big_cards_is_not_looked_at():
    blue = CellReading((CellGuess("blue/head", 0, 0, 0.999),), far=0.1)

    assert seen_with([(outline(100, 100), blue)], faint=[outline(*TAIL)], tile_set=NEST) == []


def test_half_whose_other_one_the_edge_cuts_counts():
    shift = np.array([620.0 - TAIL[0], 0.0])
    field = [(outline(500, 330), half("big/1", 0)), (outline(550, 330), half("big/1", 1))]

    def at_the_edge(found: Sequence[Detection]) -> list[CellReading]:
        moved = [Detection(one.corners_px - shift, one.confidence) for one in found]
        return [said if said.guesses[0].cell == 0 else STRANGE for said in look(moved)]

    found, faint = tuple(one for one, _ in field), (outline(615, TAIL[1]),)
    _, said = with_missing_bigs(
        Detections((640, 480), "square", found, faint), [s for _, s in field], SSSNAKE, at_the_edge
    )

    assert [one.guesses[0].tile for one in said] == ["big/1", "big/1", "big/2"]
