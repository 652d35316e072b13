"""Fields of Sssnake on one lattice by chance."""

from __future__ import annotations

import numpy as np

from engine.setfile import built_in_set
from vision.classify.reader import CellGuess, CellReading
from vision.core.lattice import fit_outlines
from vision.core.types import Detection
from vision.layout.cards import CardGroup, group_cards
from vision.layout.parted import parted

SSSNAKE = built_in_set("sssnake")
UNIT = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
WIDE = 40.0

Cards = list[tuple[tuple[int, int], str, int, float]]
"""Where each cell lies, what it shows, which of its cells that is, and how surely."""


def big(name: str, x: int, y: int, sure: float = 1.0) -> Cards:
    return [((x, y), name, 0, sure), ((x + 1, y), name, 1, sure)]


def crossing(x: int, y: int) -> Cards:
    return [((x, y), "crossing", 0, 1.0)]


def groups_of(cards: Cards) -> list[CardGroup]:
    found = [Detection((UNIT + np.array(at)) * WIDE + 100, 0.9) for at, *_ in cards]
    readings = [
        CellReading((CellGuess(tile, cell, 0, sure),), far=0.1) for _, tile, cell, sure in cards
    ]
    fits = fit_outlines(np.stack([one.corners_px for one in found]), "square")
    groups = [group_cards(found, fit, readings, SSSNAKE) for fit in fits]
    assert len(groups) == 1
    return parted(groups[0], found, readings, SSSNAKE)


def names(group: CardGroup) -> list[str]:
    return sorted(card.best.tile for card in group.cards if card.best is not None)


def test_two_fields_that_only_are_in_line_are_two_lattices():
    first = [*big("big/1", 0, 0), *crossing(2, 0)]
    second = [*crossing(4, 0), *big("big/2", 5, 0)]

    groups = groups_of([*first, *second])

    assert sorted(names(group) for group in groups) == [
        ["big/1", "crossing"],
        ["big/2", "crossing"],
    ]


def test_a_field_with_a_hole_stays_one_lattice():
    (group,) = groups_of([*big("big/1", 0, 0), *crossing(3, 0), *crossing(4, 0)])

    assert names(group) == ["big/1", "crossing", "crossing"]
