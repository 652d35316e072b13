"""How likely the cards of a lattice are in play, and no stock, hand or pile: one fitted score.

Players sort their cards in front of them, each their own colour, all turned the same way and with
some space around each; and play in the middle, colours mixed, turned as the snakes need it and edge
to edge. None of these signs is sure alone; together they are.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.tiles import TileSet
from vision.classify.evidence import Trees
from vision.core.files import TRAINED
from vision.core.looks import period_of
from vision.core.types import width_of
from vision.layout.cards import CardGroup, is_front
from vision.layout.fields import Joining, Part, load_trees

Array = NDArray[np.float64]

NUMBERS = (
    "size", "widest", "gaps", "joined", "broken", "alike", "family", "anchors", "sides", "space",
    "same_way", "away", "elsewhere", "larger", "near", "near_alike", "families",
)  # fmt: skip
"""What the score looks at, in this order."""
FURTHEST = 3.0
"""Widths of a card beyond which it does not matter how far off something lies."""


@cache
def shipped_score(folder: Path = TRAINED) -> Trees:
    """Return the score that the repository ships, loaded on first use."""
    return load_trees("play", NUMBERS, folder)


def likely_in_play(
    groups: Sequence[CardGroup], tile_set: TileSet, size_px: tuple[int, int]
) -> dict[CardGroup, float]:
    """Return how likely each lattice that shows cards is in play.

    Args:
        groups: all lattices of the table.
        tile_set: the box.
        size_px: width and height of the picture.
    """
    shown = [group for group in groups if any(is_front(card) for card in group.cards)]
    likely = shipped_score().shares(numbers_of(shown, tile_set, size_px))
    return dict(zip(shown, likely.tolist(), strict=True))


def numbers_of(groups: Sequence[CardGroup], tile_set: TileSet, size_px: tuple[int, int]) -> Array:
    """Return what the score looks at of each of a table's lattices."""
    parts = [(joining, joining.whole(range(len(joining.cards))))
             for joining in (Joining(group.cards, tile_set) for group in groups)]  # fmt: skip
    families = len({kind.colour or name.partition("/")[0] for name, kind in tile_set.kinds.items()})
    rows = [
        (*part.numbers(), part.sides / len(part.cards), _space(joining),
         _same_way(group, tile_set), _away(group, size_px), *_beside(k, groups, parts),
         math.log(max(families, 1)))
        for k, (group, (joining, part)) in enumerate(zip(groups, parts, strict=True))
    ]  # fmt: skip
    return np.array(rows, float).reshape(-1, len(NUMBERS))


def _space(joining: Joining) -> float:
    """Return how far cards usually lie from where their neighbours expect them."""
    misses = sorted(joint.miss for joint in joining.joints)
    return misses[len(misses) // 2] if misses else 1.0


def _same_way(group: CardGroup, tile_set: TileSet) -> float:
    """Return the share of cards that are turned like most, of those of which that is seen."""
    turned = Counter(
        card.best.turns for card in group.cards
        if card.best is not None and period_of(tile_set, card.best.tile) == 4
    )  # fmt: skip
    return max(turned.values()) / turned.total() if turned else 0.0


def _away(group: CardGroup, size_px: tuple[int, int]) -> float:
    """Return how far a lattice lies off the picture's middle, in half diagonals."""
    middle = (np.array(size_px, float) - 1) / 2
    return float(np.linalg.norm(group.centre_px - middle) / np.linalg.norm(middle))


def _beside(
    k: int, groups: Sequence[CardGroup], parts: Sequence[tuple[Joining, Part]]
) -> tuple[float, float, float, float]:
    """Return how many cards lie elsewhere, how much larger a lattice is, and what lies near it."""
    own, others = groups[k], [n for n in range(len(groups)) if n != k]
    sizes = [len(groups[n].cards) for n in others]
    larger = math.log(len(own.cards) / (1 + max(sizes, default=0)))
    if not others:
        return 0.0, larger, FURTHEST, 0.0
    wide = width_of(own.cards[0].outline_px) / math.sqrt(len(own.cards[0].cells))
    apart = [float(np.linalg.norm(own.centres_px[:, None] - groups[n].centres_px, axis=2).min())
             for n in others]  # fmt: skip
    nearest = min(range(len(others)), key=lambda n: apart[n])
    alike = _family(parts[k][1].families) == _family(parts[others[nearest]][1].families)
    return math.log1p(sum(sizes)), larger, min(apart[nearest] / wide, FURTHEST), float(alike)


def _family(families: Mapping[str, int]) -> str | None:
    return max(families, key=lambda name: families[name], default=None)
