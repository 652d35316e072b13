"""Tells the game from the rest of the table: which lattices are the layout, and whose."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.tiles import TileSet
from vision.core.outline import Forms
from vision.core.types import Points
from vision.layout.cards import BIG, SEEN, CardGroup, Field, SeenCard, anchor_of, is_front
from vision.layout.fields import cell_outlines
from vision.layout.settle import broken_share
from vision.layout.stocks import BESIDE, neighbours, sameness, stock_excess, usual_gap

OFF_CENTRE, LOOSE, ALIKE, BROKEN = 2.0, 16.0, 2.5, 2.5
"""What speaks against a lattice, against the logarithm of its number of cards: lying off the
picture's middle (by half diagonals), gaps (by pitches), neighbours that are the same card turned
the same way, or that do not carry on. On 150 drawn tables, 67 of them with stocks or piles, the
first three took the layout each time; without the gaps or the middle one or two went wrong."""
FEW_PAIRS = 3
"""Where neighbours are so few, such as do not carry on count half: two cards in play may be a foul.
Counted whole, two of 120 layouts of two or three cards went wrong."""
USUAL_GAP = 0.03
"""Pitches; cards of a game are laid edge to edge."""
SURELY_PLAYED = -6.0
"""Cards that look so little like a stock may be all alike: a snake goes on in several curves."""
STOCK_GAP, STOCK_ALIKE = 0.06, 0.4
"""Cards that lie so loosely, and so many neighbours of which are the same card turned the same way,
are a sorted stock: that they are many says nothing then."""
MOST_BY_CORNERS = 4
"""More cards than that of which no two have a side in common are no layout either."""


def game_fields(
    groups: Sequence[CardGroup], tile_set: TileSet | None, size_px: tuple[int, int]
) -> tuple[Field, ...]:
    """Return the lattices that are the game's; one for all games but Sssnake."""
    shown = [group for group in groups if any(is_front(card) for card in group.cards)]
    if not shown:
        return ()
    if tile_set is not None:
        if any(kind.role == BIG for kind in tile_set.kinds.values()):
            # Without a big card nobody can say whose cards lie where.
            return tuple(big_fields(shown, tile_set, size_px))
        anchored = [group for group in shown if anchor_of(group, tile_set) is not None]
        if anchored:
            return (Field(max(anchored, key=lambda group: len(group.cards))),)
    best = _most_alike(shown, size_px, tile_set)
    return () if best is None else (Field(best),)


def _most_alike(
    groups: Sequence[CardGroup], size_px: tuple[int, int], tile_set: TileSet | None
) -> CardGroup | None:
    """Return the lattice that looks most like cards in play; nothing where all are stocks."""
    best, most = None, -math.inf
    for group in sorted(groups, key=lambda one: -len(one.cards)):
        # Nothing speaks for a lattice but its number of cards.
        if math.log(len(group.cards)) <= most:
            break
        like = likeness_to_layout(group, size_px, tile_set)
        if tile_set is not None and like + ALIKE > most:
            excess = stock_excess(group, groups, tile_set)
            like -= math.inf if excess >= 0 else max(0.0, excess + BESIDE)
            like += ALIKE * sameness(group) if excess < SURELY_PLAYED else 0.0
        if like > most:
            best, most = group, like
    return best


def likeness_to_layout(
    group: CardGroup, size_px: tuple[int, int], tile_set: TileSet | None = None
) -> float:
    """Return how much a lattice looks like cards in play rather than stocks and piles."""
    gap, alike = usual_gap(group), sameness(group)
    broken = (broken_share(group.cards, tile_set) or 0.0) if tile_set is not None else 0.0
    pairs = len(list(neighbours(group)))
    broken *= pairs / (pairs + FEW_PAIRS)
    middle = (np.array(size_px) - 1) / 2
    away = float(np.linalg.norm(group.centre_px - middle) / np.linalg.norm(middle))
    stock = gap >= STOCK_GAP and alike >= STOCK_ALIKE
    stock = stock or (not pairs and len(group.cards) > MOST_BY_CORNERS)
    fronts = 1 if stock else sum(is_front(card) for card in group.cards)
    return (
        float(np.log(max(fronts, 1))) - OFF_CENTRE * away - LOOSE * max(0.0, gap - USUAL_GAP)
        - ALIKE * alike - BROKEN * broken
    )  # fmt: skip


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
    numbered = _numbered(groups, tile_set)
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
    halves = [(half, card.found**2) for card in sure for half in cell_outlines(card)]
    forms = Forms.of(np.stack([half for half, _ in halves]), "square")
    return TablePlane.of(forms, np.array([weight for _, weight in halves]), size_px)


def _middles(card: SeenCard, plane: TablePlane) -> Array:
    """Return the middles of a card's cells on the table, in widths of a card."""
    return plane.on_table(np.stack([half.mean(axis=0) for half in cell_outlines(card)]))


NOISE = 0.06
"""How far off a single outline is, as a natural logarithm."""
OUTLIERS = (0.4, 0.4, 0.4, 0.3, 0.2, 0.15, 0.12, 0.1, 0.1)
"""How far off one counts little, round after round: at first nobody knows the plane."""
USUAL = (0.0, 0.0, 0.0, 0.1)
SPREAD = (0.6, 0.6, 9.0, 0.35)
"""Slope of the table across and down, log of the half width, log of the focal length by half the
picture's diagonal: what is usual, and how much that varies."""
STEP = 1e-4


@dataclass(frozen=True, eq=False)
class TablePlane:
    """A plane by the four numbers above; pixels are taken from the middle of the picture."""

    centre: Array
    reach: float
    numbers: Array

    @classmethod
    def of(cls, forms: Forms, weights: Array, size_px: tuple[int, int]) -> TablePlane:
        """Return the plane that most outlines agree on, those far from it counting little."""
        centre, reach = np.array(size_px, float) / 2, float(np.hypot(*size_px)) / 2
        size = float(np.median(forms.logs[:, 0])) - np.log(reach)
        usual = np.array(USUAL) + np.array([0, 0, size, 0])
        prior = (NOISE / np.array(SPREAD)) ** 2
        plane = cls(centre, reach, usual.copy())
        own = weights
        for outlier in OUTLIERS:
            off = forms.logs - plane.logs(forms.middles)
            own = weights / (1 + (np.linalg.norm(off, axis=1) / outlier) ** 4)
            slopes = plane._slopes(forms.middles)
            normal = np.einsum("n,nki,nkj->ij", own, slopes, slopes) + np.diag(prior)
            said = np.einsum("n,nki,nk->i", own, slopes, off) + prior * (usual - plane.numbers)
            step = np.clip(np.linalg.solve(normal, said), -0.3, 0.3)
            plane = cls(centre, reach, plane.numbers + step)
        return plane

    def logs(self, places: Points) -> Array:
        """Return size and stretch of cards there, as ``Forms`` has them, N x 3."""
        return _logs(self._metric(places))

    def on_table(self, places: Points) -> Array:
        """Return where pixels lie on the table, N x 3, in widths of a card, from the camera."""
        across, down, size, focal = self.numbers
        rays = np.column_stack([(places - self.centre) / self.reach / np.exp(focal),
                                np.ones(len(places))])  # fmt: skip
        depth = 1 - rays[:, 0] * across - rays[:, 1] * down
        return np.asarray(rays / np.maximum(depth, 0.05)[:, None] / (2 * np.exp(size - focal)))

    def along(self, outline_px: Points) -> Array:
        """Return where the upper side of a card runs to on the table, twice as long as the card."""
        corners = self.on_table(outline_px)
        return np.asarray(corners[1] + corners[2] - corners[0] - corners[3])

    def _metric(self, places: Points) -> Array:
        """Return the half axes of cards times themselves, N x 2 x 2, in pixels."""
        middle = self.on_table(places)
        sides = [
            (self.on_table(places + step) - middle) for step in np.array([(1.0, 0.0), (0.0, 1.0)])
        ]
        tangent = np.stack(sides, axis=2)
        return np.asarray(np.linalg.inv(tangent.transpose(0, 2, 1) @ tangent) / 4)

    def _slopes(self, places: Points) -> Array:
        """Return how the logarithms change with each of the numbers, N x 3 x 4."""
        now = self.logs(places)
        changed = []
        for step in np.eye(4) * STEP:
            other = TablePlane(self.centre, self.reach, self.numbers + step)
            changed.append((other.logs(places) - now) / STEP)
        return np.stack(changed, axis=2)


def _logs(metric: Array) -> Array:
    xx, xy, yy = metric[:, 0, 0], metric[:, 0, 1], metric[:, 1, 1]
    half_sum, half_gap = (xx + yy) / 2, (xx - yy) / 2
    root = np.maximum(np.hypot(half_gap, xy), 1e-9)
    large, small = half_sum + root, np.maximum(half_sum - root, 1e-9)
    spread = np.log(large / small) / 4 / root
    size = np.log(large * small) / 4
    return np.stack([size, spread * half_gap, spread * xy], axis=1)
