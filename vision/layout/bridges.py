"""Says which cells an island has beyond a hidden stretch: those with which all lie on one lattice.

Far from a field its own lattice is continued badly: a little tilt of the plane is half a card, and
rows drift as they are laid. Counted together with the island's cards the right cells make one plane
of both; one cell further on or back they do not.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from engine.lattice import Cell
from vision.core.lattice import homography_of, mapped
from vision.layout.cards import CardGroup, turned_cell
from vision.layout.spacing import usual_gap

Array = NDArray[np.float64]

CORNERS = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
AROUND = tuple((dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1))
"""Cells off the expected ones that are tried."""
MOST_OFF, MOST_ISLAND_OFF = 0.09, 0.2
"""Pitches that all cards lie off one lattice on average, and each card of the island. Six islands
in play lay off by 0.08 and 0.16 at most, a stock behind a die by 0.36."""
MANY, MOST_OF_MANY_OFF = 8, 0.3
"""The same of an island of so many cards: long rows drift."""
CLEARLY = 1.4
"""Times as far off they must lie with any other cells."""
LOOSER = 0.08
"""Widths of a card that gaps in an island may be wider than the field's. Three islands in play had
gaps wider by 0.03 at most, a stock behind a cup by 0.17."""


def bridged_shift(group: CardGroup, other: CardGroup, turns: int, expected: Cell) -> Cell | None:
    """Return by how much an island's cells are to be moved; nothing where it lies on no lattice.

    Args:
        group: the field.
        other: the island.
        turns: quarter turns from its axes to the field's.
        expected: about how far its turned cells must be moved.
    """
    own, island = list(_corners(group, 0)), list(_corners(other, turns))
    if not own or not island or usual_gap(other) > usual_gap(group) + LOOSER:
        return None
    tried = []
    for dx, dy in AROUND:
        shift = (expected[0] + dx, expected[1] + dy)
        places = np.stack([*(cells for cells, _ in own), *(cells + shift for cells, _ in island)])
        off = _off(places, np.stack([seen for _, seen in (*own, *island)]))
        tried.append((float(np.sqrt(np.mean(off**2))), float(off[len(own) :].max()), shift))
    (least, worst, shift), (rival, *_), *_ = sorted(tried)
    most = MOST_ISLAND_OFF if len(island) < MANY else MOST_OF_MANY_OFF
    fits = least <= MOST_OFF and worst <= most and rival >= CLEARLY * least
    return shift if fits else None


def _corners(group: CardGroup, turns: int) -> Iterator[tuple[Array, Array]]:
    """Yield the corners of single cards in cells, turned, and in pixels."""
    axes = np.array([turned_cell((1, 0), turns), turned_cell((0, 1), turns)], float)
    for card in group.cards:
        if len(card.cells) == 1:
            cells = np.array(card.at, float) + CORNERS
            there = mapped(group.fit.px_from_cell, cells)
            rolled = [np.roll(card.outline_px, k, axis=0) for k in range(len(CORNERS))]
            yield cells @ axes, min(rolled, key=lambda seen: float(np.abs(seen - there).sum()))


def _off(places: Array, seen: Array) -> Array:
    """Return how far the middle of each card lies off the best lattice of all, in pitches."""
    source, target = places.reshape(-1, 2), seen.reshape(-1, 2)
    lattice = homography_of(source, target, np.ones(len(source)))
    if np.linalg.matrix_rank(lattice) < 3:
        return np.full(len(places), np.inf)
    back = mapped(np.asarray(np.linalg.inv(lattice), np.float64), target).reshape(seen.shape)
    return np.asarray(np.linalg.norm(back.mean(axis=1) - places.mean(axis=1), axis=1))
