"""Cards of Sssnake whose big card is not seen: nobody can say where they lie, or whose they are.

What is laid as closely as cards in play, and is no stock, belongs to some field. Where only one
player's field is missing, it is that one's.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from engine.lattice import Cell
from engine.tiles import TileSet
from vision.anchors import BIG, Field, is_front
from vision.cards import CardGroup, SeenCard
from vision.lattice import cells_beside, mapped
from vision.spacing import UNKNOWN_GAP, sameness, usual_gap

FEWEST_LOST, MOST_GAP, SURELY_LAID = 3, 0.02, 0.8
"""A lattice of Sssnake without a big card is a field whose big card is hidden, and no stock, when
so many cards are sure, their gaps are hardly wider than a field's, and they are not all alike."""


def lost_cards(
    groups: Sequence[CardGroup], fields: Sequence[Field], taken: Collection[int], tile_set: TileSet,
    size_px: tuple[int, int],
) -> tuple[SeenCard, ...]:  # fmt: skip
    """Return cards of Sssnake that are laid as in play while the big card of their field is hidden.

    Where no field is seen at all, cards at the picture's edge are the ends of one: what they are
    laid to is cut off.

    Args:
        groups: all lattices.
        fields: those that belong to the game.
        taken: the fields' own groups and their islands, by ``id``.
        tile_set: the box.
        size_px: the picture's.
    """
    if all(kind.role != BIG for kind in tile_set.kinds.values()):
        return ()
    lost = []
    for group in _laid_closely(groups, fields, taken):
        sure = _surely_laid(group)
        if not fields:
            sure = [replace(card, cut_off=_at_edge(card, size_px)) for card in sure]
        cut_off = any(card.cut_off for card in sure) and not fields
        if len(sure) >= FEWEST_LOST or cut_off:
            lost += sure
    return tuple(lost)


def headless_field(
    groups: Sequence[CardGroup], fields: Sequence[Field], taken: Collection[int],
    size_px: tuple[int, int],
) -> Field | None:  # fmt: skip
    """Return the field of Sssnake whose big card lies beyond the picture's edge, if it is clear.

    Players take the big cards in order: where one before another is missing, and one field too, it
    is that one's. Its cells are counted from where the big card may lie.

    Args:
        groups: all lattices.
        fields: those that belong to the game.
        taken: the fields' own groups and their islands, by ``id``.
        size_px: the picture's.
    """
    numbers = {field.number for field in fields if field.number is not None}
    missing = [number for number in range(max(numbers, default=0)) if number not in numbers]
    if len(missing) != 1:
        return None
    closely = _laid_closely(groups, fields, taken)
    lost = [group for group in closely if _is_headless(group, size_px)]
    if len(lost) != 1:
        return None
    return Field(lost[0], missing[0], _likely_origin(lost[0], size_px))


def _likely_origin(group: CardGroup, size_px: tuple[int, int]) -> Cell | None:
    """Return the left cell of a big card beside a lattice's cards, as far outside as can be."""
    taken = {cell for card in group.cards for cell in card.cells}
    beside = cells_beside(taken) - taken
    lefts = sorted(
        left for x, y in beside for left in ((x, y), (x - 1, y))
        if not taken & {left, (left[0] + 1, left[1])}
    )  # fmt: skip
    if not lefts or np.linalg.matrix_rank(group.fit.px_from_cell) < 3:
        return None
    places = mapped(group.fit.px_from_cell, np.array(lefts, float) + np.array([0.5, 0.0]))
    outside = np.maximum(-places, places - np.array(size_px)).max(axis=1)
    return lefts[int(outside.argmax())]


def _is_headless(group: CardGroup, size_px: tuple[int, int]) -> bool:
    """Say whether what a lattice is laid to may lie beyond the picture's edge.

    Of few cards one must be cut.
    """
    sure = _surely_laid(group)
    if len(sure) < FEWEST_LOST:
        return any(map(is_front, sure)) and any(card.cut_off for card in group.cards)
    return any(_at_edge(card, size_px) for card in sure)


def _surely_laid(group: CardGroup) -> list[SeenCard]:
    return [card for card in group.cards if card.why is None and card.confidence >= SURELY_LAID]


def _laid_closely(
    groups: Sequence[CardGroup], fields: Sequence[Field], taken: Collection[int]
) -> list[CardGroup]:
    """Return other lattices that are laid as closely as the fields: no stocks."""
    most = MOST_GAP + max((usual_gap(field.group) for field in fields), default=UNKNOWN_GAP)
    left = (group for group in groups if id(group) not in taken)
    return [
        group for group in left
        if len(group.cards) == 1 or (usual_gap(group) <= most and sameness(group) < 0.5)
    ]  # fmt: skip


def _at_edge(card: SeenCard, size_px: tuple[int, int]) -> bool:
    """Say whether the picture's edge cuts a card, or what may be laid to a side of it."""
    middle = card.centre_px
    sides = (card.outline_px + np.roll(card.outline_px, -1, axis=0)) / 2
    beside = 2 * sides - middle
    outside = bool(((beside < 0) | (beside > np.array(size_px) - 1)).any())
    return card.cut_off or (is_front(card) and outside)
