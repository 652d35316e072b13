"""How cards lie beside each other: how much space they leave, and how alike neighbours are."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from vision.core.types import width_of
from vision.layout.cards import CardGroup, SeenCard

UNKNOWN_GAP, NO_SIDES_GAP = 0.04, 0.25
"""Taken for one card, and for more of them that meet at no side and no corner: a layout's do."""
CORNERS = 0.1
"""Corners at which cards of a layout meet lie so far apart, in widths; crooked ones up to 0.14."""


def sameness(group: CardGroup) -> float:
    """Return the share of neighbours that are the same card turned the same way."""
    same = [_same(one, other) for one, other in neighbours(group)]
    return float(np.mean(same)) if same else 0.0


@lru_cache(maxsize=16)
def usual_gap(group: CardGroup) -> float:
    """Return the free space between neighbours, in widths of a card."""
    gaps = [_gap(one, other) for one, other in neighbours(group)]
    if gaps:
        return float(np.median(gaps))
    if len(group.cards) == 1:
        return UNKNOWN_GAP
    corners = [_corner_gap(one, other) for one, other in _diagonals(group)]
    return max(UNKNOWN_GAP, float(np.median(corners)) - CORNERS) if corners else NO_SIDES_GAP


def neighbours(group: CardGroup) -> Iterator[tuple[SeenCard, SeenCard]]:
    """Yield the cards that have a side in common."""
    owner = {cell: card for card in group.cards for cell in card.cells}
    for (x, y), card in owner.items():
        for beside in ((x + 1, y), (x, y + 1)):
            other = owner.get(beside)
            if other is not None and other is not card:
                yield card, other


def _diagonals(group: CardGroup) -> Iterator[tuple[SeenCard, SeenCard]]:
    owner = {cell: card for card in group.cards for cell in card.cells}
    for (x, y), card in owner.items():
        for beside in ((x + 1, y + 1), (x + 1, y - 1)):
            other = owner.get(beside)
            if other is not None and other is not card:
                yield card, other


def space_between(one: SeenCard, other: SeenCard) -> float:
    """Return the free space between two cards, side to side or corner to corner, in widths."""
    gap = _gap(one, other)
    return gap if gap < CORNERS else min(gap, _corner_gap(one, other))


def _corner_gap(one: SeenCard, other: SeenCard) -> float:
    """Return how far the corners lie apart at which two cards meet, in widths of one."""
    apart = np.linalg.norm(one.outline_px[:, None] - other.outline_px[None], axis=2)
    wide = (width_of(one.outline_px) + width_of(other.outline_px)) / 2
    return float(apart.min()) / max(wide, 1e-9)


def _gap(one: SeenCard, other: SeenCard) -> float:
    """Return the free space between two cards, in widths of one."""
    # In plain numbers: for four corners NumPy takes many times as long.
    outlines = [card.outline_px.tolist() for card in (one, other)]
    (x, y), (u, v) = ([sum(axis) / len(o) for axis in zip(*o, strict=True)] for o in outlines)
    apart = math.hypot(u - x, v - y)
    along = ((u - x) / max(apart, 1e-9), (v - y) / max(apart, 1e-9))
    reach = [_width_along(outline, along) / 2 for outline in outlines]
    return (apart - sum(reach)) / max(sum(reach), 1e-9)


def _width_along(outline: list[list[float]], along: tuple[float, float]) -> float:
    """Return the length of the pair of sides that run most nearly in a direction."""
    following = [*outline[1:], outline[0]]
    sides = [(u - x, v - y) for (x, y), (u, v) in zip(outline, following, strict=True)]
    lengths = [max(math.hypot(*side), 1e-9) for side in sides]
    like = [abs(x * along[0] + y * along[1]) / n for (x, y), n in zip(sides, lengths, strict=True)]
    first = like.index(max(like))
    return (lengths[first] + lengths[(first + 2) % len(lengths)]) / 2


def _same(one: SeenCard, other: SeenCard) -> bool:
    a, b = one.best, other.best
    return a is not None and b is not None and (a.tile, a.turns) == (b.tile, b.turns)
