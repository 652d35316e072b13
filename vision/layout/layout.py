"""Tells the game from the rest of the table: which lattices are the layout, and whose."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from engine.tiles import TileSet
from vision.core.confidences import TOLD
from vision.layout.cards import (
    BIG,
    EVEN,
    MOST_TURNED_DEG,
    CardGroup,
    Field,
    SeenCard,
    anchor_of,
    is_front,
)
from vision.layout.fields import cell_outlines, lie

HARDLY_PLAYED = 0.05
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
    best = max(likely, key=lambda group: likely[group], default=None)
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
    return sum(is_front(card) and card.confidence >= TOLD for card in group.cards)


def _others_of(group: CardGroup, big: SeenCard) -> int:
    """Return how many cards beside its big one a lattice surely has."""
    return sum(
        card is not big and is_front(card) and card.confidence >= EVEN and card.laid >= TOLD
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
