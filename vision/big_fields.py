"""Sssnake's fields: each is counted from its big card, and not every big card is played with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.tiles import TileSet
from vision.anchors import BIG, SEEN, Field, anchor_of, is_front
from vision.cards import CardGroup, SeenCard
from vision.lattice import homography_of, mapped
from vision.types import width_of

Array = NDArray[np.float64]

FEW_CARDS, NEAR_CELLS, MOST_TURNED_DEG = 5, 3.035, 22.0
"""A big card without any other card is played with only while no field has more cards than that,
it lies that near to another field, from cell to cell, and as straight beside it as players who
sit at one table lay their cards: unused ones lie anyhow. On 700 drawn tables the 61 lone big
cards in play lay at most 2.73 cells off and turned by 21 degrees, 49 unused ones 3.12 or more;
big cards are found up to a tenth too narrow, so that distances in their cells come out longer: up
to 3.03 for such in play, from 3.04 on for unused ones. Beside fields of five cards two tables of
1,200 had lone big cards in play, and one unused ones so near."""
LAID_OFF, LAID_TURNED_DEG = 0.28, 12.0
"""A single card that lies further off its place beside a big card than that, in cells, or more
askew, only lies near it."""
FEWEST_FIELDS = 2
"""Nobody plays Sssnake alone."""
SURELY_LAID = 0.8
"""How surely cards must be read that say how much of a field is seen."""


def big_fields(groups: Sequence[CardGroup], tile_set: TileSet) -> Iterator[Field]:
    """Yield the lattices with a big card, by its number, without unused big cards."""
    bigs = [kind.name for kind in tile_set.kinds.values() if kind.role == BIG]
    numbered: dict[int, tuple[CardGroup, SeenCard]] = {}
    for group in groups:
        anchor = anchor_of(group, tile_set)
        if anchor is not None and anchor.best is not None and anchor.best.tile in bigs:
            number = bigs.index(anchor.best.tile)
            rival = numbered.get(number)
            if rival is None or _sure_fronts(rival[0]) < _sure_fronts(group):
                numbered[number] = (group, anchor)
    if not numbered:
        return
    grown = [number for number, (group, anchor) in numbered.items() if _others_of(group, anchor)]
    first = max(numbered, key=lambda n: (_sure_fronts(numbered[n][0]), -n))
    few = len(numbered[first][0].cards) <= FEW_CARDS
    chosen: list[int] = []
    for number in sorted(numbered):
        # Players take the big cards in order: one before another that grew is in play, and
        # one after another that is not played with is not either.
        played = number == first or number <= max(grown, default=-1)
        # Unused ones may lie beside each other: they say nothing for one another.
        sure = {*grown, *chosen, first} - {number}
        others = [other for n, (other, _) in numbered.items() if n in sure]
        lone = few and len(chosen) == sum(n < number for n in numbered)
        if played or (lone and _lies_by(numbered[number][1], others)):
            chosen.append(number)
    if len(chosen) < FEWEST_FIELDS:
        # One that the picture's edge cuts may lie anywhere; another may be hidden.
        whole = [number for number, (_, big) in numbered.items() if not big.cut_off]
        chosen = sorted({*chosen, *sorted({*whole, first})[:FEWEST_FIELDS]})
    for number in chosen:
        yield Field(numbered[number][0], number)


def _sure_fronts(group: CardGroup) -> int:
    """Return how many cards are surely some; bricks that look like a big card have none beside."""
    return sum(is_front(card) and card.confidence >= SURELY_LAID for card in group.cards)


def _others_of(group: CardGroup, big: SeenCard) -> int:
    """Return how many cards beside its big one a lattice surely has; a single one must fit."""
    others = [
        card for card in group.cards
        if card is not big and card.why is None and card.confidence >= SEEN
        and card.best is not None and big.best is not None and card.best.tile != big.best.tile
    ]  # fmt: skip
    return 0 if len(others) == 1 and not _is_laid_to(big, others[0]) else len(others)


def _is_laid_to(big: SeenCard, card: SeenCard) -> bool:
    """Say whether a card lies at a side of a big card, edge to edge."""
    lattice = big_lattice(big)
    if np.linalg.matrix_rank(lattice) < 3:
        return False
    outline = mapped(np.asarray(np.linalg.inv(lattice), np.float64), card.outline_px)
    place, along = outline.mean(axis=0), outline[1] - outline[0]
    cell = np.round(place)
    mine = min(range(len(big.cells)), key=lambda x: abs(cell[0] - x) + abs(cell[1]))
    step = cell - (mine, 0)
    # One that lies nearer to the camera is larger, and so is half of the way to it.
    off = place - (mine, 0) - step * (1 + width_of(outline)) / 2
    near = bool(np.linalg.norm(off) <= LAID_OFF)
    return bool(np.abs(step).sum() == 1) and near and _askew_deg(along) <= LAID_TURNED_DEG


def _askew_deg(along: Array) -> float:
    """Return by how much a side is turned from the nearest of a lattice's axes."""
    angle = float(np.degrees(np.arctan2(along[1], along[0])))
    return abs(angle - 90 * round(angle / 90))


def _lies_by(big: SeenCard, others: Sequence[CardGroup]) -> bool:
    """Say whether a big card lies near another field, and straight beside it."""
    own = big_lattice(big)
    for group in others:
        matrix = group.fit.px_from_cell
        if np.linalg.matrix_rank(matrix) < 3 or np.linalg.matrix_rank(own) < 3:
            continue
        cells = np.array([cell for card in group.cards for cell in card.cells], float)
        there = _places(np.linalg.inv(matrix) @ own, len(big.cells))
        back = mapped(np.asarray(np.linalg.inv(own) @ matrix, np.float64), cells)
        apart = np.linalg.norm(there[:, None] - cells[None], axis=2)
        nearest = int(apart.min(axis=0).argmin())
        mine = np.arange(len(big.cells))[:, None] * np.array([1.0, 0.0])
        # Each counts in its own cells: the nearer one to the camera too few, the other too many.
        far = float(np.sqrt(apart.min() * np.linalg.norm(mine - back[nearest], axis=1).min()))
        if far <= NEAR_CELLS and _askew_deg(there[-1] - there[0]) <= MOST_TURNED_DEG:
            return True
    return False


def big_lattice(big: SeenCard) -> Array:
    """Return the lattice of a big card's own outline: cells in a row, from left to right."""
    count = len(big.cells)
    corners = np.array([(0.0, 0.0), (count, 0.0), (count, 1.0), (0.0, 1.0)]) - 0.5
    return homography_of(corners, big.outline_px, np.ones(4), perspective=False)


def _places(homography: Array, count: int) -> Array:
    return mapped(
        np.asarray(homography, np.float64), np.arange(count)[:, None] * np.array([1.0, 0.0])
    )
