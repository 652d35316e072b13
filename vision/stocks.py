"""Tells a stock of one player's cards from a layout that has only begun.

Players sort their cards in front of them, each their own colour, and play in the middle. A row of
one colour outside all others is a stock where a card lies in the midst of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from engine.tiles import TileSet
from vision.anchors import is_front
from vision.cards import CardGroup
from vision.settle import SURE

FEWEST_OF_A_STOCK = 3
FEWEST_AROUND = 3
"""Other lattices, in as many places, that something can lie in the midst of."""


def in_the_midst(
    best: CardGroup, groups: Sequence[CardGroup], tile_set: TileSet
) -> list[CardGroup]:
    """Return what may be the layout in place of a lattice that looks like a stock.

    Args:
        best: the lattice that looks most like a layout.
        groups: all lattices that show cards.
        tile_set: the box.
    """
    if len(best.cards) < FEWEST_OF_A_STOCK or one_colour(best, tile_set) is None:
        return []
    if _surrounded(best, groups):
        return []
    return [group for group in groups if _is_sure(group) and _surrounded(group, groups)]


def one_colour(group: CardGroup, tile_set: TileSet) -> str | None:
    """Return the colour that all cards of a lattice have, if they have one."""
    colours = {
        tile_set[card.best.tile].colour if card.best.tile in tile_set else None
        for card in group.cards if card.best is not None and is_front(card)
    }  # fmt: skip
    return next(iter(colours)) if len(colours) == 1 else None


def _is_sure(group: CardGroup) -> bool:
    return all(card.why is None and card.confidence >= SURE for card in group.cards)


def _surrounded(group: CardGroup, groups: Sequence[CardGroup]) -> bool:
    """Say whether a lattice lies in the midst of others."""
    others = [other.centre_px for other in groups if other is not group]
    if len(others) < FEWEST_AROUND:
        return False
    hull = cv2.convexHull(np.asarray(others, np.float32))
    x, y = group.centre_px
    return cv2.pointPolygonTest(hull, (float(x), float(y)), measureDist=False) > 0
