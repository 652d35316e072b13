"""Tells the game from the rest of the table: which lattices are the layout, and whose."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from engine.tiles import TileSet
from vision.cards import CardGroup, SeenCard
from vision.looks import BACK

SEEN = 0.5
"""How sure a house or a big card must be to say which lattice is the game's."""
OFF_CENTRE, LOOSE, ALIKE = 2.0, 12.0, 2.0
"""What speaks against a lattice, against the logarithm of its number of cards: lying off the
picture's middle (by half diagonals), gaps (by pitches), neighbours that are the same card turned
the same way. On 150 drawn tables, 67 of them with stocks or piles, these took the layout each
time; without the gaps or the middle one or two tables went wrong."""
USUAL_GAP = 0.03
"""Pitches; cards of a game are laid edge to edge."""
UNKNOWN_GAP = 0.04
"""Taken for a card without neighbours."""
FEW_CARDS, NEAR_CELLS = 4, 4.0
"""A big card without any other card is played with only while no field has more cards than that,
and it lies that near to another field. On 140 drawn tables 14 lone big cards were in play, at
most 3.8 cells away; 52 were not, and of these only those on young tables could be mistaken: the
nearest lay 4.3 cells away."""
FEWEST_FIELDS = 2
"""Nobody plays Sssnake alone."""
BIG = "big"
HOUSE = "house"


@dataclass(frozen=True, eq=False)
class Field:
    """A lattice that belongs to the game."""

    group: CardGroup
    number: int | None = None
    """Sssnake: whose, from 0."""


def game_fields(
    groups: Sequence[CardGroup], tile_set: TileSet | None, size_px: tuple[int, int]
) -> tuple[Field, ...]:
    """Return the lattices that are the game's; one for all games but Sssnake."""
    shown = [group for group in groups if any(_is_front(card) for card in group.cards)]
    if not shown:
        return ()
    if tile_set is not None:
        if any(kind.role == BIG for kind in tile_set.kinds.values()):
            fields = tuple(_big_fields(shown, tile_set))
            if fields:
                return fields
        for group in shown:
            if anchor_of(group, tile_set) is not None:
                return (Field(group),)
    return (Field(max(shown, key=lambda group: likeness_to_layout(group, size_px))),)


def anchor_of(group: CardGroup, tile_set: TileSet) -> SeenCard | None:
    """Return the card that a layout is counted from: its house or big card, if it was seen."""
    anchors = [
        card for card in group.cards
        if card.best is not None and card.best.confidence >= SEEN and card.best.tile in tile_set
        and tile_set[card.best.tile].role in (BIG, HOUSE)
    ]  # fmt: skip
    return max(anchors, key=lambda card: card.confidence, default=None)


def likeness_to_layout(group: CardGroup, size_px: tuple[int, int]) -> float:
    """Return how much a lattice looks like cards in play rather than stocks and piles."""
    pairs = list(_neighbours(group))
    gaps = [_gap(one, other) for one, other in pairs]
    gap = float(np.median(gaps)) if gaps else UNKNOWN_GAP
    alike = float(np.mean([_same(one, other) for one, other in pairs])) if pairs else 0.0
    middle = (np.array(size_px) - 1) / 2
    away = float(np.linalg.norm(group.centre_px - middle) / np.linalg.norm(middle))
    fronts = sum(_is_front(card) for card in group.cards)
    return (
        float(np.log(max(fronts, 1))) - OFF_CENTRE * away - LOOSE * max(0.0, gap - USUAL_GAP)
        - ALIKE * alike
    )  # fmt: skip


def _is_front(card: SeenCard) -> bool:
    return card.best is not None and card.best.tile != BACK


def _neighbours(group: CardGroup) -> Iterator[tuple[SeenCard, SeenCard]]:
    owner = {cell: card for card in group.cards for cell in card.cells}
    for (x, y), card in owner.items():
        for beside in ((x + 1, y), (x, y + 1)):
            other = owner.get(beside)
            if other is not None and other is not card:
                yield card, other


def _gap(one: SeenCard, other: SeenCard) -> float:
    """Return the free space between two cards, in widths of one."""
    # In plain numbers: for four corners NumPy takes many times as long.
    outlines = [card.outline_px.tolist() for card in (one, other)]
    (x, y), (u, v) = ([sum(axis) / len(o) for axis in zip(*o, strict=True)] for o in outlines)
    apart = math.hypot(u - x, v - y)
    along = ((u - x) / max(apart, 1e-9), (v - y) / max(apart, 1e-9))
    reach = [_width_along(outline, along) / 2 for outline in outlines]
    return (apart - sum(reach)) / max(sum(reach), 1e-9)


def _width_along(outline: list[list[float]], along: tuple[float, float]) -> float:
    """Return the length of the pair of sides that run most nearly in a direction."""
    following = [*outline[1:], outline[0]]
    sides = [(u - x, v - y) for (x, y), (u, v) in zip(outline, following, strict=True)]
    lengths = [max(math.hypot(*side), 1e-9) for side in sides]
    like = [abs(x * along[0] + y * along[1]) / n for (x, y), n in zip(sides, lengths, strict=True)]
    first = like.index(max(like))
    return (lengths[first] + lengths[(first + 2) % len(lengths)]) / 2


def _same(one: SeenCard, other: SeenCard) -> bool:
    a, b = one.best, other.best
    return a is not None and b is not None and (a.tile, a.turns) == (b.tile, b.turns)


def _big_fields(groups: Sequence[CardGroup], tile_set: TileSet) -> Iterator[Field]:
    """Yield the lattices with a big card, by its number, without unused big cards."""
    bigs = [kind.name for kind in tile_set.kinds.values() if kind.role == BIG]
    numbered: dict[int, tuple[CardGroup, SeenCard]] = {}
    for group in groups:
        anchor = anchor_of(group, tile_set)
        if anchor is not None and anchor.best is not None and anchor.best.tile in bigs:
            number = bigs.index(anchor.best.tile)
            rival = numbered.get(number)
            if rival is None or len(rival[0].cards) < len(group.cards):
                numbered[number] = (group, anchor)
    if not numbered:
        return
    grown = [number for number, (group, _) in numbered.items() if len(group.cards) > 1]
    first = max(numbered, key=lambda n: (len(numbered[n][0].cards), -n))
    few = len(numbered[first][0].cards) <= FEW_CARDS
    chosen = []
    for number in sorted(numbered):
        # Players take the big cards in order: one before another that grew is in play.
        played = number == first or number <= max(grown, default=-1)
        others = [other for n, (other, _) in numbered.items() if n != number]
        if played or (few and _cells_away(numbered[number][1], others) <= NEAR_CELLS):
            chosen.append(number)
    if len(chosen) < FEWEST_FIELDS:
        chosen = sorted(numbered)[:FEWEST_FIELDS]
    for number in chosen:
        yield Field(numbered[number][0], number)


def _cells_away(big: SeenCard, others: Sequence[CardGroup]) -> float:
    """Return how far a big card lies from the nearest card of other fields."""
    width = float(np.linalg.norm(big.outline_px[1] - big.outline_px[0])) / len(big.cells)
    middle = big.outline_px.mean(axis=0)
    places = [card.outline_px.mean(axis=0) for group in others for card in group.cards]
    return min((float(np.linalg.norm(place - middle)) for place in places), default=0.0) / width
