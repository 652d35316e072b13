"""Cards whose print light has washed out: they look a little like cards that lie face down.

But light that takes a print away leaves paper, and a back shows none. Such a card is unsure, and
stays in the layout.
"""

from __future__ import annotations

from dataclasses import replace

from vision.core.looks import BACK
from vision.core.stages import stage
from vision.core.types import Detection
from vision.layout.again import FOUND, HARDLY_READ, Sight, papers_beside
from vision.layout.cards import CardGroup, SeenCard
from vision.layout.holes import is_paper

LIKELY = 0.05
"""How likely its print must be at least: through a hole in the layout a cloth may show white."""

SURELY_FOUND = 0.5
"""How surely it must be found: such a hole is not, and may be as white as the paper around it."""


@stage("washed-out", without=lambda group, *_: group)
def with_washed_out(group: CardGroup, sight: Sight) -> CardGroup:
    """Return a field whose doubtful cards do not lie face down where they show the others' paper.

    Args:
        group: the field.
        sight: what to look with.
    """
    cards = (_front(card, group, sight) if _is_doubtful(card) else card for card in group.cards)
    return CardGroup(tuple(cards), group.fit)


def _is_doubtful(card: SeenCard) -> bool:
    face_down = card.best is not None and card.best.tile == BACK
    found = card.found >= SURELY_FOUND and card.why is None
    return face_down and found and card.confidence < HARDLY_READ


def _front(card: SeenCard, group: CardGroup, sight: Sight) -> SeenCard:
    fronts = tuple(guess for guess in card.guesses if guess.tile != BACK)
    fronts = fronts if fronts and fronts[0].confidence >= LIKELY else ()
    papers = papers_beside(group, card.at)
    own = Detection(card.outline_px, FOUND)
    shown = bool(fronts and papers) and is_paper(sight.bgr, own, papers)
    return replace(card, guesses=fronts) if shown else card
