"""Looks for a few cards of a known box on a wall of bricks or a tiled floor.

Bricks are outlines too, and many: what finds outlines asks all of them how large tiles are, and
looks as closely as bricks need. A closer look shows some of the cards better, another one others.
So the picture is looked at several times, and only what a reader of the box is sure of says how
large cards are; whatever shows a card at that size is one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from vision.classify.reader import CellReading
from vision.core.outline import agreed_outlines
from vision.core.stages import stage
from vision.core.types import Bgr, Detection, Detections
from vision.detect.network import TileNetwork, shipped_network
from vision.detect.scales import agreed_share
from vision.detect.settings import QUICK
from vision.detect.votes import found_cells
from vision.layout.quality import leaves
from vision.layout.settle import SURE
from vision.layout.unread import burnt_outlines

Look = Callable[[Sequence[Detection]], Sequence[CellReading]]

LONG_PX = (960, 1280, 1920, 2560)
"""Long sides of the picture at which it is looked at, unless that would enlarge it too much."""
MANY, OUTNUMBERED = 8, 3
"""Of so many outlines less than one in this number is surely read where bricks are among them."""
CLEARLY, NEAR = 0.98, 0.35
"""How surely a card must be read, and how near to its look it must be: bricks look a little like
backs, and like straight snakes, by 0.48 and more."""
FEWEST = 2
"""Cards that there must be: one alone may be a brick after all."""
SURELY_OUTLINED = 0.9
"""A card alone whose outline is so sure lies on no bricks."""
MOST_CHANGE = 0.3
"""Outlines larger or smaller than cards there by more, as a natural logarithm, are none."""
FOUND = 0.8
"""How sure it is at least that a card lies where one is read."""
APART, BESIDE = 0.7, 1.25
"""Outlines whose middles are nearer, in widths, are of one card, or of two side by side."""

Card = tuple[Detection, CellReading]


@stage("outnumbered", without=lambda bgr, detections, readings, *_: (detections, readings))
def with_outnumbered(
    bgr: Bgr, detections: Detections, readings: Sequence[CellReading], look: Look,
    network: TileNetwork | None = None,
) -> tuple[Detections, Sequence[CellReading]]:  # fmt: skip
    """Return the cards alone where closer looks show more of them among what is none.

    Args:
        bgr: the picture.
        detections: the outlines.
        readings: what each of them shows.
        look: reads outlines.
        network: by default the one that the repository ships.
    """
    sure = [
        one for one, said in zip(detections.found, readings, strict=True) if said.is_whole(SURE)
    ]
    if not _are_outnumbered(detections, sure) or burnt_outlines(bgr, detections):
        # Cards that light has burnt to blank white are no bricks.
        return detections, readings
    seen = [*sure, *_seen(bgr, network or shipped_network())]
    cards = _cards(seen, look, detections.size_px)
    if len(cards) < FEWEST or len(cards) <= sum(map(_is_card, readings)):
        return detections, readings
    found = tuple(replace(one, confidence=max(one.confidence, FOUND)) for one, _ in cards)
    return replace(detections, found=found), [said for _, said in cards]


def _are_outnumbered(detections: Detections, sure: Sequence[Detection]) -> bool:
    """Say whether bricks may be among the outlines, or may have hidden cards."""
    if len(sure) < FEWEST:
        return all(one.confidence < SURELY_OUTLINED for one in sure)
    return len(detections.found) >= max(MANY, OUTNUMBERED * len(sure))


def _seen(bgr: Bgr, network: TileNetwork) -> Iterator[Detection]:
    """Yield what is seen whole at any size of the picture."""
    size_px = (bgr.shape[1], bgr.shape[0])
    wanted = (long_px / max(size_px) for long_px in LONG_PX)
    for scale in sorted({min(scale, QUICK.most_enlarged) for scale in wanted}):
        for cell in found_cells(network.look(bgr, scale), ("square",)):
            if not leaves(cell.corners_px, size_px):
                sure = agreed_share(cell, size_px) * max(cell.shares)
                yield Detection(cell.corners_px, sure)


def _cards(seen: Sequence[Detection], look: Look, size_px: tuple[int, int]) -> list[Card]:
    """Return the cards among outlines, at the size that those surely read have."""
    said = look(seen)
    # Where an outline has the size of a brick, its reading is further from the look.
    weights = np.array([max(0.0, 1 - one.far) if _is_card(one) else 0.0 for one in said])
    if not weights.any():
        return []
    corners = np.stack([one.corners_px for one in seen])
    outlines, change, _ = agreed_outlines(corners, weights, "square", size_px)
    agreed = [
        replace(one, corners_px=outline)
        for one, outline, changed in zip(seen, outlines, change, strict=True)
        if abs(changed) < MOST_CHANGE
    ]
    read = zip(agreed, look(agreed), strict=True)
    return _distinct([both for both in read if both[1].is_whole(CLEARLY)])


def _is_card(said: CellReading) -> bool:
    return said.is_whole(CLEARLY) and said.far < NEAR


def _distinct(cards: Sequence[Card]) -> list[Card]:
    """Return the cards, of each the outline whose reading is nearest to its look.

    Such as are not near enough must lie beside another card.
    """
    kept: list[Card] = []
    for one, said in sorted(cards, key=lambda card: card[1].far):
        apart = [np.linalg.norm(other.centre_px - one.centre_px) for other, _ in kept]
        near = min(apart, default=np.inf) / one.across_px
        if near > APART and (said.far < NEAR or near < BESIDE):
            kept.append((one, said))
    return kept
