"""Sssnake's fields: each is counted from its big card, and not every big card is played with."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.tiles import TileSet
from vision.core.outline import Forms
from vision.core.plane import TablePlane
from vision.layout.anchors import BIG, SEEN, Field, anchor_of, is_front
from vision.layout.cards import CardGroup, SeenCard

Array = NDArray[np.float64]

NEAR_CELLS, MOST_TURNED_DEG = 3.01, 18.0
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
SURELY_LAID = 0.8
"""How surely cards must be read that say how much of a field is seen."""


@dataclass(frozen=True, eq=False)
class _Numbered:
    """A lattice with its big card."""

    group: CardGroup
    big: SeenCard


def big_fields(
    groups: Sequence[CardGroup], tile_set: TileSet, size_px: tuple[int, int]
) -> Iterator[Field]:
    """Yield the lattices with a big card, by its number, without unused big cards."""
    bigs = [kind.name for kind in tile_set.kinds.values() if kind.role == BIG]
    numbered: dict[int, _Numbered] = {}
    for group in groups:
        anchor = anchor_of(group, tile_set)
        if anchor is not None and anchor.best is not None and anchor.best.tile in bigs:
            number = bigs.index(anchor.best.tile)
            rival = numbered.get(number)
            if rival is None or _sure_fronts(rival.group) < _sure_fronts(group):
                numbered[number] = _Numbered(group, anchor)
    if not numbered:
        return
    grown = [number for number, one in numbered.items() if _others_of(one.group, one.big)]
    first = max(numbered, key=lambda n: (_sure_fronts(numbered[n].group), -n))
    # Players take the big cards in order: one before another that grew is in play.
    played = {first, *(number for number in numbered if number <= max(grown, default=-1))}
    plane = _plane(groups, size_px)
    chosen = _with_lone(played, numbered, plane)
    if len(chosen) < FEWEST_FIELDS:
        # One that the picture's edge cuts may lie anywhere; another may be hidden.
        whole = {number for number, one in numbered.items() if not one.big.cut_off}
        two = sorted({*whole, first})[:FEWEST_FIELDS]
        chosen = _with_lone({*chosen, *two}, numbered, plane)
    for number in sorted(chosen):
        yield Field(numbered[number].group, number)


def _with_lone(
    played: Collection[int], numbered: Mapping[int, _Numbered], plane: TablePlane
) -> set[int]:
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
        if before and early and _lies_by(numbered[number].big, others, plane):
            chosen.add(number)
    return chosen


def _is_cut(one: _Numbered, others: Sequence[_Numbered]) -> bool:
    """Say whether the picture's edge cuts some fields: others may lie beyond it."""
    return any(card.cut_off for field in (one, *others) for card in field.group.cards)


def _sure_fronts(group: CardGroup) -> int:
    """Return how many cards are surely some; bricks that look like a big card have none beside."""
    return sum(is_front(card) and card.confidence >= SURELY_LAID for card in group.cards)


def _others_of(group: CardGroup, big: SeenCard) -> int:
    """Return how many cards beside its big one a lattice surely has."""
    return sum(
        card is not big and is_front(card) and card.confidence >= SEEN
        and card.best is not None and big.best is not None and card.best.tile != big.best.tile
        for card in group.cards
    )  # fmt: skip


def _askew_deg(along: Array) -> float:
    """Return by how much a side is turned from the nearest of a lattice's axes."""
    angle = float(np.degrees(np.arctan2(along[1], along[0])))
    return abs(angle - 90 * round(angle / 90))


def _lies_by(big: SeenCard, others: Sequence[_Numbered], plane: TablePlane) -> bool:
    """Say whether a big card lies near another field, and as straight as one of them."""
    own, along = _middles(big, plane), plane.along(big.outline_px)
    cells = np.concatenate([_middles(card, plane) for one in others for card in one.group.cards])
    apart = float(np.linalg.norm(own[:, None] - cells[None], axis=2).min())
    fields = [plane.along(one.big.outline_px) for one in others]
    turned = [np.array([along @ one, np.linalg.norm(np.cross(along, one))]) for one in fields]
    return apart <= NEAR_CELLS and min(map(_askew_deg, turned)) <= MOST_TURNED_DEG


def _plane(groups: Sequence[CardGroup], size_px: tuple[int, int]) -> TablePlane:
    """Return the table as all cards that are surely some show it."""
    sure = [card for group in groups for card in group.cards
            if is_front(card) and card.confidence >= SEEN]  # fmt: skip
    halves = [(half, card.found**2) for card in sure for half in _halves(card)]
    forms = Forms.of(np.stack([half for half, _ in halves]), "square")
    return TablePlane.of(forms, np.array([weight for _, weight in halves]), size_px)


def _halves(card: SeenCard) -> Iterator[Array]:
    """Yield the outlines of a card's cells, which lie in a row."""
    upper, lower = card.outline_px[:2], card.outline_px[3:1:-1]
    shares = np.linspace(0.0, 1.0, len(card.cells) + 1)[:, None]
    above = upper[0] + shares * (upper[1] - upper[0])
    below = lower[0] + shares * (lower[1] - lower[0])
    for k in range(len(card.cells)):
        yield np.array([above[k], above[k + 1], below[k + 1], below[k]])


def _middles(card: SeenCard, plane: TablePlane) -> Array:
    """Return the middles of a card's cells on the table, in widths of a card."""
    return plane.on_table(np.stack([half.mean(axis=0) for half in _halves(card)]))
