"""Puts cards of a field on the cells that they lie on.

Far off in a steep view outlines come out too tall, and two of them may stand for three cards: the
lattice counts them as neighbours though they lie nearly two cells apart, and one that lies across
two cards as one of them. The lattice itself is told by all cards of the field: what lies nearer to
the next cell than to its own, unlike the cards around it, was counted wrongly.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.lattice import Cell
from vision.core.stages import stage
from vision.layout.cards import CardGroup
from vision.layout.laid_field import LaidField

FEWEST = 3
"""Cards that must be read around one to say where it lies."""
AROUND = 2
"""So many cells off at most."""
READ = 0.8
MOVED, ACROSS, BESIDE = 0.65, 0.35, 0.25
"""Cards that lie further off their cell along one axis lie on the next one, unread outlines that do
so across both; along the other axis neither lies so far off. In pitches."""
STRAIGHT = 0.12
"""Half of the cards around lie no further from where the others expect them."""


@stage("misplaced", without=lambda group: group)
def with_cards_in_place(group: CardGroup) -> CardGroup:
    """Return a field, cards that lie on the next cell moved there, unread ones across two left out.

    Where some cards cover two cells nothing is moved.
    """
    if len(group.cards) <= FEWEST:
        return group
    field = LaidField.of(group)
    if field is None or len(field.cells) > len(group.cards):
        return group
    read = np.array([card.why is None and card.confidence >= READ for card in group.cards])
    taken = {card.at for card in group.cards}
    cards = []
    for k, card in enumerate(group.cards):
        step = _step(field, read, k)
        cell = (card.at[0] + step[0], card.at[1] + step[1])
        if step == (0, 0) or cell in taken:
            cards.append(card)
        elif read[k]:
            cards.append(card.moved(step))
            taken.add(cell)
    return CardGroup(tuple(cards), group.fit)


def _step(field: LaidField, read: NDArray[np.bool_], k: int) -> Cell:
    """Return from a card's cell the way to that which it lies on, as the cards around count.

    Args:
        field: the cards.
        read: which of them are.
        k: the number of one of them.
    """
    around = read & (np.abs(field.cells - field.cells[k]).max(axis=1) <= AROUND)
    around[k] = False
    if around.sum() < FEWEST:
        return (0, 0)
    usual = np.median(field.off[around], axis=0)
    uneven = float(np.median(np.abs(field.off[around] - usual).max(axis=1)))
    off = field.off[k] - usual
    axis = int(np.abs(off).argmax())
    least = MOVED if read[k] else ACROSS
    if uneven > STRAIGHT or abs(off[1 - axis]) > BESIDE or abs(off[axis]) < least:
        return (0, 0)
    way = 1 if off[axis] > 0 else -1
    return (way, 0) if axis == 0 else (0, way)
