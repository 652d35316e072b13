"""Reads cards that are not quite sure at two places: where they were found and where they belong.

Outlines that are off by a tenth show some cards as others, and as surely: a yellow snake in bright
light as a log. The cards around one say where it lies; where the two places show different cards,
the game decides.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.tiles import TileSet
from vision.core.stages import stage
from vision.core.types import Detection, Guess
from vision.layout.again import FEWEST_OWN, FOUND, HARDLY_READ, MOST_CELLS, SURE, Sight
from vision.layout.cards import CardGroup, SeenCard, card_at
from vision.layout.laid_field import LaidField


@stage("suspects", without=lambda group, *_: group)
def with_suspects(group: CardGroup, tile_set: TileSet, sight: Sight) -> CardGroup:
    """Return a field with cards that are not quite sure as they look at both places.

    Args:
        group: the field.
        tile_set: the box.
        sight: what to look with.
    """
    suspect = {
        card.at: card for card in group.cards
        if len(card.cells) == 1 and not card.cut_off and HARDLY_READ <= card.confidence < SURE
        and card.why is None
    }  # fmt: skip
    sure = tuple(card for card in group.cards if card.at not in suspect)
    field = LaidField.of(CardGroup(sure, group.fit)) if len(sure) >= FEWEST_OWN else None
    if field is None or not suspect:
        return group
    cells = list(suspect)[:MOST_CELLS]
    found = [Detection(one, FOUND) for one in field.outlines(np.array(cells, float))]
    for cell, one, said in zip(cells, found, sight.look(found), strict=True):
        if said.is_whole(SURE):
            expected = card_at(cell, one, said, tile_set, group.fit)
            suspect[cell] = _both(suspect[cell], expected)
    return CardGroup(tuple(suspect.get(card.at, card) for card in group.cards), group.fit)


def _both(card: SeenCard, other: SeenCard) -> SeenCard:
    """Return a card with what it is by two readings that count the same."""
    shares: dict[tuple[str, int], float] = {}
    for guess in (*card.guesses, *other.guesses):
        key = (guess.tile, guess.turns)
        shares[key] = shares.get(key, 0.0) + guess.confidence / 2
    ranked = sorted(shares.items(), key=lambda one: -one[1])
    return replace(card, guesses=tuple(Guess(*key, share) for key, share in ranked))
