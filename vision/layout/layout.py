"""Tells the game from the rest of the table: which lattices are the layout, and whose."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from engine.tiles import TileSet
from vision.layout.anchors import BIG, Field, anchor_of, is_front
from vision.layout.big_fields import big_fields
from vision.layout.cards import CardGroup
from vision.layout.settle import broken_share
from vision.layout.spacing import neighbours, sameness, usual_gap
from vision.layout.stocks import BESIDE, stock_excess

OFF_CENTRE, LOOSE, ALIKE, BROKEN = 2.0, 16.0, 2.5, 2.5
"""What speaks against a lattice, against the logarithm of its number of cards: lying off the
picture's middle (by half diagonals), gaps (by pitches), neighbours that are the same card turned
the same way, or that do not carry on. On 150 drawn tables, 67 of them with stocks or piles, the
first three took the layout each time; without the gaps or the middle one or two went wrong."""
FEW_PAIRS = 3
"""Where neighbours are so few, such as do not carry on count half: two cards in play may be a foul.
Counted whole, two of 120 layouts of two or three cards went wrong."""
USUAL_GAP = 0.03
"""Pitches; cards of a game are laid edge to edge."""
SURELY_PLAYED = -6.0
"""Cards that look so little like a stock may be all alike: a snake goes on in several curves."""
STOCK_GAP, STOCK_ALIKE = 0.06, 0.4
"""Cards that lie so loosely, and so many neighbours of which are the same card turned the same way,
are a sorted stock: that they are many says nothing then."""
MOST_BY_CORNERS = 4
"""More cards than that of which no two have a side in common are no layout either."""


def game_fields(
    groups: Sequence[CardGroup], tile_set: TileSet | None, size_px: tuple[int, int]
) -> tuple[Field, ...]:
    """Return the lattices that are the game's; one for all games but Sssnake."""
    shown = [group for group in groups if any(is_front(card) for card in group.cards)]
    if not shown:
        return ()
    if tile_set is not None:
        if any(kind.role == BIG for kind in tile_set.kinds.values()):
            # Without a big card nobody can say whose cards lie where.
            return tuple(big_fields(shown, tile_set, size_px))
        anchored = [group for group in shown if anchor_of(group, tile_set) is not None]
        if anchored:
            return (Field(max(anchored, key=lambda group: len(group.cards))),)
    best = _most_alike(shown, size_px, tile_set)
    return () if best is None else (Field(best),)


def _most_alike(
    groups: Sequence[CardGroup], size_px: tuple[int, int], tile_set: TileSet | None
) -> CardGroup | None:
    """Return the lattice that looks most like cards in play; nothing where all are stocks."""
    best, most = None, -math.inf
    for group in sorted(groups, key=lambda one: -len(one.cards)):
        # Nothing speaks for a lattice but its number of cards.
        if math.log(len(group.cards)) <= most:
            break
        like = likeness_to_layout(group, size_px, tile_set)
        if tile_set is not None and like + ALIKE > most:
            excess = stock_excess(group, groups, tile_set)
            like -= math.inf if excess >= 0 else max(0.0, excess + BESIDE)
            like += ALIKE * sameness(group) if excess < SURELY_PLAYED else 0.0
        if like > most:
            best, most = group, like
    return best


def likeness_to_layout(
    group: CardGroup, size_px: tuple[int, int], tile_set: TileSet | None = None
) -> float:
    """Return how much a lattice looks like cards in play rather than stocks and piles."""
    gap, alike = usual_gap(group), sameness(group)
    broken = (broken_share(group.cards, tile_set) or 0.0) if tile_set is not None else 0.0
    pairs = len(list(neighbours(group)))
    broken *= pairs / (pairs + FEW_PAIRS)
    middle = (np.array(size_px) - 1) / 2
    away = float(np.linalg.norm(group.centre_px - middle) / np.linalg.norm(middle))
    stock = gap >= STOCK_GAP and alike >= STOCK_ALIKE
    stock = stock or (not pairs and len(group.cards) > MOST_BY_CORNERS)
    fronts = 1 if stock else sum(is_front(card) for card in group.cards)
    return (
        float(np.log(max(fronts, 1))) - OFF_CENTRE * away - LOOSE * max(0.0, gap - USUAL_GAP)
        - ALIKE * alike - BROKEN * broken
    )  # fmt: skip
