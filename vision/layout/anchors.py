"""What a layout is counted from: the house of Carnival, the big cards of Sssnake."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from engine.lattice import Cell
from engine.tiles import TileSet
from vision.core.looks import BACK
from vision.layout.cards import CardGroup, SeenCard

SEEN = 0.5
"""How sure a house or a big card must be to say which lattice is the game's."""
GUESSED, MOST_GUESSED = 0.02, 0.75
"""How likely a house must be to be counted from where no card is surely one, and how sure it can
become by that."""
BIG = "big"
HOUSE = "house"


@dataclass(frozen=True, eq=False)
class Field:
    """A lattice that belongs to the game."""

    group: CardGroup
    number: int | None = None
    """Sssnake: whose, from 0."""
    origin: Cell | None = None
    """What it is counted from where its big card is not seen."""


def is_big(card: SeenCard, tile_set: TileSet) -> bool:
    """Say whether a card looks like a big one of Sssnake."""
    return _has_role(card, (BIG,), tile_set)


def _has_role(card: SeenCard, roles: Collection[str], tile_set: TileSet) -> bool:
    best = card.best
    seen = best is not None and best.confidence >= SEEN and best.tile in tile_set
    return seen and best is not None and tile_set[best.tile].role in roles


def is_anchor(card: SeenCard, tile_set: TileSet) -> bool:
    """Say whether a card looks like one that a layout is counted from."""
    return _has_role(card, (BIG, HOUSE), tile_set)


def anchor_of(group: CardGroup, tile_set: TileSet) -> SeenCard | None:
    """Return the card that a layout is counted from: its house or big card, if it was seen."""
    anchors = [card for card in group.cards if is_anchor(card, tile_set)]
    return max(anchors, key=lambda card: card.confidence, default=None)


def likely_house(group: CardGroup, tile_set: TileSet) -> SeenCard | None:
    """Return the card that is most likely the house where none surely is: every game has one."""
    likely = [
        (guess.confidence, guess, card) for card in group.cards for guess in card.guesses
        if guess.tile in tile_set and tile_set[guess.tile].role == HOUSE
    ]  # fmt: skip
    if not likely:
        return None
    share, guess, card = max(likely, key=lambda one: one[0])
    if share < GUESSED:
        return None
    # One of the cards that may be the house is it.
    sure = min(MOST_GUESSED, share / sum(one[0] for one in likely))
    left = (1 - sure) / max(1 - share, 1e-9)
    others = (replace(g, confidence=g.confidence * left) for g in card.guesses if g != guess)
    return replace(card, guesses=(replace(guess, confidence=sure), *others))


def is_front(card: SeenCard) -> bool:
    """Say whether a card lies face up and looks like one of the box."""
    return card.best is not None and card.why is None and card.best.tile != BACK
