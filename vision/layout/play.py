"""How likely the cards of a lattice are in play, and no stock, hand or pile: one fitted score.

Players sort their cards in front of them, each their own colour, all turned the same way and with
some space around each; and play in the middle, colours mixed, turned as the snakes need it and edge
to edge. None of these signs is sure alone; together they are.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.tiles import TileSet
from vision.classify.evidence import Trees
from vision.core.files import TRAINED
from vision.core.types import CLEAR, LIKELIER, TOLD, period_of, width_of
from vision.layout.cards import (
    BIG,
    MOST_TURNED_DEG,
    CardGroup,
    Field,
    SeenCard,
    anchor_of,
)
from vision.layout.fields import Joining, Part, cell_outlines, lie, load_trees

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
    shown = [group for group in groups if any(card.is_front() for card in group.cards)]
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


# --- which lattices are the game's ---


HARDLY_PLAYED = 0.1
"""Lattices that are less likely in play are none, though no other is or all else speaks for it."""


def has_bigs(tile_set: TileSet) -> bool:
    """Say whether each field of a box's game has a big card of its own."""
    return any(kind.role == BIG for kind in tile_set.kinds.values())


def game_fields(likely: Mapping[CardGroup, float], tile_set: TileSet) -> tuple[Field, ...]:
    """Return the lattices that are the game's; one for all games but Sssnake.

    Args:
        likely: how likely each lattice that shows cards is in play.
        tile_set: the box.
    """
    if has_bigs(tile_set):
        # Without a big card nobody can say whose cards lie where.
        return tuple(big_fields(list(likely), tile_set))
    anchored = [group for group in likely if anchor_of(group, tile_set) is not None]
    if anchored:
        return (Field(max(anchored, key=lambda group: len(group.cards))),)
    # Of several that surely are in play, parts beyond a hand, the largest says where all lie.
    best = max(likely, key=lambda group: (min(likely[group], CLEAR), len(group.cards)),
               default=None)  # fmt: skip
    return () if best is None or likely[best] < HARDLY_PLAYED else (Field(best),)


NEAR_CELLS = 3.01
"""A big card without any other card is played with only where it lies that near to another field,
from cell to cell, and as straight beside it as players who sit at one table lay their cards: unused
ones lie anyhow. On 86 drawn tables 96 in play lay at most 2.98 off, but for one beside a card under
a cup, and turned by 15 degrees; of 27 unused ones three lay nearer than 3.25, one of these askew
and two after their owners' turns. On another table one that was unused lay straight and 3.04 off.
"""
MOST_A_TURN, ONE_WRONG = 3, 1
"""And only while its owner's turn has not come: the players before it laid so many cards each, as
the die shows, and on one field so many but for a foul. In 640 games no field was empty later."""
FEWEST_FIELDS = 2
"""Nobody plays Sssnake alone."""


@dataclass(frozen=True, eq=False)
class _Numbered:
    """A lattice with its big card."""

    group: CardGroup
    big: SeenCard


def big_fields(groups: Sequence[CardGroup], tile_set: TileSet) -> Iterator[Field]:
    """Yield the lattices with a big card, by its number, without unused big cards."""
    numbered = _numbered(groups, tile_set)
    if not numbered:
        return
    grown = [number for number, one in numbered.items() if _others_of(one.group, one.big)]
    first = max(numbered, key=lambda n: (_sure_fronts(numbered[n].group), -n))
    # Players take the big cards in order: one before another that grew is in play.
    played = {first, *(number for number in numbered if number <= max(grown, default=-1))}
    chosen = _with_lone(played, numbered)
    if len(chosen) < FEWEST_FIELDS:
        # One that the picture's edge cuts may lie anywhere; another may be hidden.
        whole = {number for number, one in numbered.items() if not one.big.cut_off}
        two = sorted({*whole, first})[:FEWEST_FIELDS]
        chosen = _with_lone({*chosen, *two}, numbered)
    for number in sorted(chosen):
        yield Field(numbered[number].group, number)


def _numbered(groups: Sequence[CardGroup], tile_set: TileSet) -> dict[int, _Numbered]:
    """Return the lattices with a big card by its number, of two with the same one the larger."""
    bigs = [kind.name for kind in tile_set.kinds.values() if kind.role == BIG]
    numbered: dict[int, _Numbered] = {}
    for group in groups:
        anchor = anchor_of(group, tile_set)
        if anchor is not None and anchor.best is not None and anchor.best.tile in bigs:
            number = bigs.index(anchor.best.tile)
            rival = numbered.get(number)
            if rival is None or _sure_fronts(rival.group) < _sure_fronts(group):
                numbered[number] = _Numbered(group, anchor)
    return numbered


def _with_lone(played: Collection[int], numbered: Mapping[int, _Numbered]) -> set[int]:
    """Return the numbers in play with those of big cards that nothing was laid to yet.

    One after another that is not played with is not either, nor one after another that is not seen
    where all could be. Unused ones may lie beside each other: they say nothing for one another.
    """
    chosen = set(played)
    laid = [_others_of(one.group, one.big) for one in numbered.values()]
    over = sum(max(0, count - MOST_A_TURN) for count in laid)
    for number in sorted(numbered.keys() - chosen):
        others = [one for n, one in numbered.items() if n in chosen]
        gaps = {*range(number)} - chosen
        before = not gaps or (gaps.isdisjoint(numbered) and _is_cut(numbered[number], others))
        early = sum(laid) <= MOST_A_TURN * number and over <= ONE_WRONG
        if before and early and _lies_by(numbered[number].big, others):
            chosen.add(number)
    return chosen


def _is_cut(one: _Numbered, others: Sequence[_Numbered]) -> bool:
    """Say whether the picture's edge cuts some fields: others may lie beyond it."""
    return any(card.cut_off for field in (one, *others) for card in field.group.cards)


def _sure_fronts(group: CardGroup) -> int:
    """Return how many cards are surely some; bricks that look like a big card have none beside."""
    return sum(card.is_front(TOLD) for card in group.cards)


def _others_of(group: CardGroup, big: SeenCard) -> int:
    """Return how many cards beside its big one a lattice surely has."""
    return sum(
        card is not big and card.is_front(LIKELIER) and card.laid >= TOLD
        and card.best is not None and big.best is not None and card.best.tile != big.best.tile
        for card in group.cards
    )  # fmt: skip


def _lies_by(big: SeenCard, others: Sequence[_Numbered]) -> bool:
    """Say whether a big card lies near another field, and as straight as one of them."""
    cards = [card for one in others for card in one.group.cards]
    apart, _ = _between(big, cards)
    _, turned_deg = _between(big, [one.big for one in others])
    return apart <= NEAR_CELLS and turned_deg <= MOST_TURNED_DEG


def _between(card: SeenCard, others: Sequence[SeenCard]) -> tuple[float, float]:
    """Return how many cells off the nearest of some cards lies, and how askew one is at least."""
    own = cell_outlines(card)
    outlines = [*own, *(outline for other in others for outline in cell_outlines(other))]
    one, other = np.indices((len(own), len(outlines) - len(own))).reshape(2, -1)
    gap, slide, turned_deg = lie(np.stack(outlines), one, other + len(own))
    return float(np.hypot(gap + 1, slide).min()), float(turned_deg.min())
