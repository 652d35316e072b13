"""What was laid to a layout, and what only lies beside it."""

from __future__ import annotations

import numpy as np
import pytest

from engine.setfile import built_in_set
from vision.classify.reading import CellGuess, CellReading
from vision.core.errors import ModelError
from vision.core.lattice import fit_outlines
from vision.core.types import CLEAR, Detection
from vision.layout.cards import CardGroup, group_cards
from vision.layout.fields import NUMBERS, Joining, joints_of, parted, shipped_score

SSSNAKE, NEST = built_in_set("sssnake"), built_in_set("schlangennest")
UNIT = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
WIDE = 40.0

Cards = list[tuple[tuple[float, float], str, int, int]]
"""Where each cell lies, what it shows, which of its cells that is, and how it is turned."""


def big(name: str, x: float, y: float) -> Cards:
    return [((x, y), name, 0, 0), ((x + 1, y), name, 1, 0)]


def card(x: float, y: float, tile: str = "crossing", turns: int = 0) -> Cards:
    return [((x, y), tile, 0, turns)]


def lattice(cards: Cards, tile_set) -> tuple[CardGroup, list[Detection], list[CellReading]]:
    """Return cards that make one lattice, as they are found and read."""
    found = [Detection((UNIT + np.array(at)) * WIDE + 100, 0.9) for at, *_ in cards]
    readings = [
        CellReading((CellGuess(tile, cell, turns, 1.0),), far=0.1) for _, tile, cell, turns in cards
    ]
    fits = fit_outlines(np.stack([one.corners_px for one in found]), "square")
    assert len(fits) == 1
    return group_cards(found, fits[0], readings, tile_set), found, readings


def groups_of(cards: Cards, tile_set=SSSNAKE) -> list[CardGroup]:
    return parted(*lattice(cards, tile_set), tile_set)


def names(group: CardGroup) -> list[str]:
    return sorted(card.best.tile for card in group.cards if card.best is not None)


SNAKE = [
    *card(0, 0, "blue/curve", 1),
    *card(1, 0, "blue/straight"),
    *card(2, 0, "blue/straight"),
    *card(0, 1, "red/straight"),
    *card(1, 1, "green/curve", 2),
]


def test_two_fields_that_only_are_in_line_are_two_groups():
    first = [*big("big/1", 0, 0), *card(2, 0)]
    second = [*card(4, 0), *big("big/2", 5, 0)]

    groups = groups_of([*first, *second])

    assert sorted(names(group) for group in groups) == [
        ["big/1", "crossing"],
        ["big/2", "crossing"],
    ]


def test_cards_beyond_a_gap_are_a_group_of_their_own():
    groups = groups_of([*big("big/1", 0, 0), *card(3, 0), *card(4, 0)])

    assert [names(group) for group in groups] == [["crossing", "crossing"], ["big/1"]]


def test_a_sorted_row_close_to_a_layout_is_no_part_of_it():
    row = [one for x in range(4) for one in card(x, 2.25, "yellow/straight")]

    groups = groups_of([*SNAKE, *row], NEST)

    assert [len(group.cards) for group in groups] == [5, 4]
    assert names(groups[1]) == ["yellow/straight"] * 4


@pytest.mark.parametrize(("x", "claimed"), [(3.0, True), (3.06, True), (3.3, False)])
def test_a_card_at_the_end_of_a_snake_is_laid_to_it_unless_a_gap_shows(x, claimed):
    largest = groups_of([*SNAKE, *card(x, 0, "blue/curve")], NEST)[0]

    assert sum(one.laid >= CLEAR for one in largest.cards) == 5 + claimed


def test_of_two_parts_the_stock_is_doubted_even_if_it_is_larger():
    row = [one for x in range(6) for one in card(x, 2.2, "yellow/straight")]
    group, *_ = lattice([*SNAKE, *row], NEST)

    last = list(Joining(group.cards, NEST).merges(()))[-1]

    outer = CardGroup(tuple(group.cards[k] for k in last.outer), group.fit)
    assert names(outer) == ["yellow/straight"] * 6


def test_a_foul_stays_in_the_layout():
    (group,) = groups_of([*SNAKE, *card(3, 0, "red/straight")], NEST)

    assert all(one.laid > 0.9 for one in group.cards)


def test_joints_say_how_cards_lie_to_each_other():
    group, *_ = lattice([*card(0, 0, "blue/straight"), *card(1.1, 0.05, "blue/straight")], NEST)
    (joint,) = joints_of(group.cards, NEST)

    assert joint.gap == pytest.approx(0.1, abs=0.01)
    assert joint.slide == pytest.approx(0.05, abs=0.01)
    assert (joint.joined, joint.broken, joint.alike, joint.corner) == (1.0, False, True, False)
    (merge,) = Joining(group.cards, NEST).merges(())
    assert len(merge.numbers) == len(NUMBERS)


def test_a_snake_carries_on_at_the_exits_of_a_big_card_and_nowhere_else_on_it():
    group, *_ = lattice(
        [*big("big/1", 0, 0), *card(2, 0, "straight"), *card(0, 1, "straight", 1)], SSSNAKE
    )

    met = {
        group.cards[joint.other].at: (joint.joined, joint.broken)
        for joint in joints_of(group.cards, SSSNAKE)
        if not joint.corner
    }

    assert sorted(met.values()) == [(0.0, False), (1.0, False)]
    assert [at[0] for at, (joined, _) in met.items() if joined] == [max(at[0] for at in met)]


def test_a_score_that_is_not_there_is_said(tmp_path):
    with pytest.raises(ModelError, match="make train"):
        shipped_score(tmp_path)
