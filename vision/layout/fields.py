"""Which cards were laid to each other, and which only lie beside: agglomerative clustering.

Cards are joined pairwise, the closest pair first, pairs that meet only at a corner last: few cards
are laid to a corner, and most such pairs are joined by other cards before. Before each merge a
fitted score gives the probability that both parts are one field, from their gap relative to the
gaps inside each part, their offset and angle, whether snakes continue, whether a part is sorted,
and the parts' sizes. So a stock in line with a layout stays apart, and a card that lies a little
off stays in play. A field has one big card, so two parts with one each are never merged.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from statistics import median

import numpy as np
from numpy.typing import NDArray

from engine.lattice import Cell
from engine.tiles import GREY, TileSet
from vision.classify.evidence import Trees, load_trees
from vision.classify.reading import CellReading
from vision.core.files import TRAINED
from vision.core.lattice import cell_axes, fit_outlines
from vision.core.stages import stage
from vision.core.types import LIKELIER, QUARTERS, Detection, period_of, width_of
from vision.layout.cards import (
    CardGroup,
    SeenCard,
    carries_on,
    group_cards,
    is_anchor,
    sides_of,
)

Array = NDArray[np.float64]

STEPS = ((1, 0), (0, 1), (1, 1), (1, -1))
"""Steps from a cell to its neighbours by side and by corner, one of each opposite pair."""

LAID = 0.995
"""Least probability of belonging to its field with which a card is claimed; below, it is asked
about. On 3,000 held-out tables, unpainted, 62 of 65 joints between 0.98 and this were right, and
56,575 of 56,579 above it."""


@dataclass(frozen=True, slots=True)
class Joint:
    """Two neighbouring cards; lengths are in card widths."""

    one: int
    other: int
    gap: float
    slide: float
    turned_deg: float
    corner: bool
    joined: float
    """1 if a snake continues in its own colour, 0.5 if it continues as grey, else 0."""
    broken: bool
    alike: bool
    bent: bool
    """Whether a snake continues in its own colour in a card that is turned differently."""

    @property
    def miss(self) -> float:
        """Distance of one card from the place that the other predicts for it."""
        return math.hypot(self.gap, self.slide)


@dataclass(eq=False)
class Part:
    """A cluster of cards joined so far, with its statistics."""

    cards: list[int]
    families: Counter[str]
    kinds: Counter[str]
    turned: Counter[int]
    """Turns of the cards whose print shows its turn."""
    anchors: int
    bigs: int
    """Cards of several cells that are beyond doubt: a field has one at most."""
    widest: float = 0.0
    sides: int = 0
    gaps: float = 0.0
    joined: float = 0.0
    own: int = 0
    """Sides across which a snake continues in its own colour."""
    broken: int = 0
    alike: int = 0
    bent: int = 0

    def numbers(self) -> tuple[float, ...]:
        """Return the features of this part."""
        sides, count = max(self.sides, 1), len(self.cards)
        return (
            math.log(count),
            self.widest,
            self.gaps / sides,
            self.joined / sides,
            self.own / sides,
            self.broken / sides,
            self.alike / sides,
            self.bent / sides,
            max(self.families.values(), default=0) / count,
            max(self.turned.values(), default=0) / max(self.turned.total(), 1),
            self.anchors,
        )

    def held(self) -> tuple[float, ...]:
        """Return a sort key for how surely this part is the layout.

        A layout has anchors and snakes that continue; a stock has neighbours that are alike.
        """
        return self.anchors, self.joined - self.alike, len(self.cards)

    def join(self, other: Part, between: Sequence[Joint]) -> None:
        """Merge another part into this one."""
        self.cards += other.cards
        self.families += other.families
        self.kinds += other.kinds
        self.turned += other.turned
        self.anchors += other.anchors
        self.bigs += other.bigs
        self.widest = max(
            self.widest, other.widest, min((joint.miss for joint in between), default=0.0)
        )
        self.sides += other.sides
        self.gaps += other.gaps
        self.joined += other.joined
        self.own += other.own
        self.broken += other.broken
        self.alike += other.alike
        self.bent += other.bent
        self.count(between)

    def count(self, inside: Iterable[Joint]) -> None:
        """Add joints to the statistics whose cards are both in this part."""
        for joint in inside:
            if not joint.corner:
                self.sides += 1
                self.gaps += joint.gap
                self.joined += joint.joined
                self.own += joint.joined == 1
                self.broken += joint.broken
                self.alike += joint.alike
                self.bent += joint.bent


@dataclass(frozen=True, slots=True)
class Merge:
    """A possible merge of two parts."""

    cards: frozenset[int]
    outer: tuple[int, ...]
    """The cards of the part that is less likely the layout."""
    between: list[Joint]
    """All joints between the two parts, the closest first."""
    two_bigs: bool
    """Whether both parts have a big card beyond doubt, of which a field has one at most."""
    numbers: list[float]
    """The features of the merge."""


PART_NUMBERS = (
    "size",
    "widest",
    "gaps",
    "joined",
    "own",
    "broken",
    "alike",
    "bent",
    "family",
    "same_way",
    "anchors",
)
"""The features of a part, in this order."""
NUMBERS = (
    "gap",
    "slide",
    "turned",
    "corner",
    "tight",
    "count",
    "gaps",
    "least",
    "slides",
    "turns",
    "joined",
    "own",
    "broken",
    "alike",
    "over",
    "wider",
    "wider_than_usual",
    "beside",
    "wide",
    *(f"{side}_{name}" for side in ("large", "small") for name in PART_NUMBERS),
)
"""The features of a merge, in this order."""


@cache
def shipped_score(folder: Path = TRAINED) -> Trees:
    """Return the fitted merge score that the repository ships, loaded on first use."""
    return load_trees("fields", NUMBERS, folder)


@dataclass(eq=False)
class Joining:
    """Joins the cards of one lattice, the closest pair first, by sides before corners."""

    cards: Sequence[SeenCard]
    tile_set: TileSet
    beside: int = 0
    """Number of cards on other lattices that have no anchor."""
    joints: list[Joint] = field(default_factory=list)

    def __post_init__(self) -> None:
        joints = joints_of(self.cards, self.tile_set)
        self.joints = sorted(joints, key=lambda one: (one.corner, one.miss))
        gaps = sorted(one.gap for one in self.joints if not one.corner)
        self.tight = gaps[len(gaps) // 4] if gaps else 0.0
        self.wide = math.log(max(1.0, median(map(cell_wide_px, self.cards))))

    def merges(self, apart: Collection[frozenset[int]]) -> Iterator[Merge]:
        """Yield the merge of each joint, the closest first, and then perform it.

        Args:
            apart: pairs of cards that must not be joined; the caller may add pairs during the
                iteration to refuse the merge that was just yielded.
        """
        owner = self._owner = [self._part(k) for k in range(len(self.cards))]
        touching: list[list[Joint]] = [[] for _ in self.cards]
        for joint in self.joints:
            touching[joint.one].append(joint)
            touching[joint.other].append(joint)
        for first in self.joints:
            one, other = owner[first.one], owner[first.other]
            if one is other or frozenset((first.one, first.other)) in apart:
                continue
            large, small = (one, other) if len(one.cards) >= len(other.cards) else (other, one)
            between = sorted(
                (
                    joint
                    for k in small.cards
                    for joint in touching[k]
                    if owner[joint.other if joint.one == k else joint.one] is large
                ),
                key=lambda joint: joint.miss,
            )
            outer = min(small, large, key=Part.held).cards
            yield Merge(
                frozenset((*large.cards, *small.cards)),
                tuple(outer),
                between,
                bool(large.bigs and small.bigs),
                self.numbers(large, small, first, between),
            )
            if frozenset((first.one, first.other)) in apart:
                continue
            for k in small.cards:
                owner[k] = large
            large.join(small, between)

    def parts(self) -> list[Part]:
        """Return the parts after all merges, the largest first."""
        return sorted(dict.fromkeys(self._owner), key=lambda part: -len(part.cards))

    def whole(self, numbers: Iterable[int]) -> Part:
        """Return some cards as one part, even if no joint connects them."""
        first, *rest = (self._part(k) for k in numbers)
        own = {*first.cards, *(k for part in rest for k in part.cards)}
        inside = [joint for joint in self.joints if joint.one in own and joint.other in own]
        for part in rest:
            first.join(part, ())
        first.count(inside)
        return first

    def _part(self, k: int) -> Part:
        card = self.cards[k]
        known = card.best is not None and card.best.tile in self.tile_set
        name = card.best.tile if card.best is not None and known else None
        family = None if name is None else self.tile_set[name].colour or name.partition("/")[0]
        turned: Counter[int] = Counter()
        if card.best is not None and name and period_of(self.tile_set, name) == QUARTERS:
            turned[card.best.turns] = 1
        return Part(
            [k],
            Counter([family] if family else []),
            Counter([name] if name else []),
            turned,
            int(is_anchor(card, self.tile_set)),
            int(len(card.cells) > 1 and card.is_beyond_doubt),
        )

    def numbers(
        self, large: Part, small: Part, first: Joint, between: Sequence[Joint]
    ) -> list[float]:
        """Return the features of a merge; ``first`` is the closest joint that is left."""
        sides = [joint for joint in between if not joint.corner] or between
        count = len(sides)
        gaps = sum(joint.gap for joint in sides) / count
        over = over_the_box(large.kinds, small.kinds, self.tile_set)
        usual = large.gaps / max(large.sides, 1) if large.sides else self.tight
        return [
            first.gap,
            first.slide,
            first.turned_deg,
            first.corner,
            self.tight,
            math.log(count),
            gaps,
            min(joint.gap for joint in sides),
            sum(joint.slide for joint in sides) / count,
            sum(joint.turned_deg for joint in sides) / count,
            sum(joint.joined for joint in sides) / count,
            sum(joint.joined == 1 for joint in sides) / count,
            sum(joint.broken for joint in sides) / count,
            sum(joint.alike for joint in sides) / count,
            over,
            first.miss - large.widest,
            gaps - usual,
            math.log1p(self.beside),
            self.wide,
            *large.numbers(),
            *small.numbers(),
        ]


def cell_wide_px(card: SeenCard) -> float:
    """Return the width of one cell of a card in the picture."""
    return width_of(card.outline_px) / math.sqrt(len(card.cells))


def over_the_box(kinds: Counter[str], more: Counter[str], tile_set: TileSet) -> int:
    """Return how many of some more cards exceed what the box has of their kinds."""
    return sum(max(0, kinds[name] + n - tile_set[name].count) for name, n in more.items())


def loose_beside(group: CardGroup, groups: Iterable[CardGroup], tile_set: TileSet) -> int:
    """Return the number of cards on other lattices that have no anchor."""
    others = (other.cards for other in groups if other is not group)
    return sum(len(cards) for cards in others if not any(is_anchor(c, tile_set) for c in cards))


@stage("parted", without=lambda group, *_: [group])
def parted(
    group: CardGroup,
    found: Sequence[Detection],
    readings: Sequence[CellReading],
    tile_set: TileSet,
    beside: int = 0,
) -> list[CardGroup]:
    """Return the groups of a lattice whose cards were laid to each other; usually one.

    Args:
        group: the lattice.
        found: all outlines.
        readings: what each of them shows.
        tile_set: the box.
        beside: the number of cards on other lattices that have no anchor.
    """
    if not any(kind.strands for kind in tile_set.kinds.values()):
        # Tiles without strands may be laid out in any way; nothing on them shows what belongs.
        return [group]
    parts = _together(Joining(group.cards, tile_set, beside))
    if len(parts) == 1:
        return [replace(group, cards=_doubted(group.cards, parts[0]))]
    return [own for part in parts for own in _regrouped(group, part, found, readings, tile_set)]


def _regrouped(
    group: CardGroup,
    part: Mapping[int, float],
    found: Sequence[Detection],
    readings: Sequence[CellReading],
    tile_set: TileSet,
) -> Iterator[CardGroup]:
    """Yield the groups that a part of a group forms on refitted lattices.

    Args:
        group: the group.
        part: the numbers of the part's cards, each with its probability of belonging to it.
        found: all outlines.
        readings: what each of them shows.
        tile_set: the box.
    """
    likely = {
        tile: part[k]
        for k in part
        for cell in group.cards[k].cells
        if (tile := group.fit.cells.get(cell)) is not None
    }
    tiles = list(likely)
    corners = np.stack([found[tile].corners_px for tile in tiles])
    for fit in fit_outlines(corners, "square"):
        own = replace(fit, cells={cell: tiles[k] for cell, k in fit.cells.items()})
        cards = group_cards(found, own, readings, tile_set)
        laid = [
            min(likely[own.cells[cell]] for cell in card.cells if cell in own.cells)
            for card in cards.cards
        ]
        yield replace(cards, cards=_doubted(cards.cards, dict(enumerate(laid))))


def _doubted(cards: Sequence[SeenCard], likely: Mapping[int, float]) -> tuple[SeenCard, ...]:
    return tuple(
        card if likely[k] >= card.laid else replace(card, laid=likely[k])
        for k, card in enumerate(cards)
    )


def _together(joining: Joining) -> list[dict[int, float]]:
    """Return the groups: the numbers of their cards, each with its probability of belonging."""
    apart: set[frozenset[int]] = set()
    while True:
        merges = list(joining.merges(apart))
        rows = np.array([merge.numbers for merge in merges]).reshape(-1, len(NUMBERS))
        one_big = np.array([not merge.two_bigs for merge in merges], bool)
        likely = shipped_score().shares(rows) * one_big
        refused: set[int] = set()
        for merge, sure in zip(merges, likely.tolist(), strict=True):
            if sure < LIKELIER and refused.isdisjoint(merge.cards):
                refused |= merge.cards
                apart |= {frozenset((joint.one, joint.other)) for joint in merge.between}
        if not refused:
            break
    laid = _least_likely(len(joining.cards), merges, likely)
    return [{k: laid[k] for k in part.cards} for part in joining.parts()]


def _least_likely(count: int, merges: Sequence[Merge], likely: Array) -> list[float]:
    """Return for each card the probability of the least likely merge that connects it."""
    laid = [1.0] * count
    for merge, sure in zip(merges, likely.tolist(), strict=True):
        for k in merge.outer:
            laid[k] = min(laid[k], sure)
    return laid


def likely_joined(
    cards: Sequence[SeenCard], others: Sequence[SeenCard], tile_set: TileSet, beside: int
) -> float:
    """Return the probability that cards beside a field, given in its cells, were laid to it."""
    row = numbers_between(cards, others, tile_set, beside)
    return 0.0 if row is None else float(shipped_score().shares(np.array([row]))[0])


def numbers_between(
    cards: Sequence[SeenCard], others: Sequence[SeenCard], tile_set: TileSet, beside: int
) -> list[float] | None:
    """Return the features of merging two groups; ``None`` if they do not touch."""
    joining = Joining((*cards, *others), tile_set, beside)
    own = range(len(cards))
    between = [joint for joint in joining.joints if (joint.one in own) != (joint.other in own)]
    if not between:
        return None
    parts = joining.whole(own), joining.whole(range(len(cards), len(joining.cards)))
    small, large = sorted(parts, key=lambda part: len(part.cards))
    return joining.numbers(large, small, between[0], between)


def joints_of(cards: Sequence[SeenCard], tile_set: TileSet) -> list[Joint]:
    """Return all pairs of cards of a lattice that share a side or a corner."""
    cells: dict[Cell, int] = {}
    outlines: list[Array] = []
    owners: list[int] = []
    for number, card in enumerate(cards):
        for cell, outline in zip(card.cells, cell_outlines(card), strict=True):
            cells[cell] = len(outlines)
            outlines.append(outline)
            owners.append(number)
    pairs = [
        (here, cells[there], step)
        for (x, y), here in cells.items()
        for step in STEPS
        for there in [(x + step[0], y + step[1])]
        if there in cells and owners[here] != owners[cells[there]]
    ]
    if not pairs:
        return []
    one, other = (np.array([pair[k] for pair in pairs]) for k in (0, 1))
    corner = np.array([abs(dx) == abs(dy) for _, _, (dx, dy) in pairs])
    gap, slide, turned = lie(np.stack(outlines), one, other, corner)
    sides = dict(sides_of((card for card in cards if card.confidence >= LIKELIER), tile_set))
    at = list(cells)

    def joint(k: int) -> Joint:
        here, there, step = pairs[k]
        met = _met(at[here], at[there], step, sides)
        a, b = cards[owners[here]], cards[owners[there]]
        joined = _carried(met, tile_set)
        return Joint(
            owners[here],
            owners[there],
            float(gap[k]),
            float(slide[k]),
            float(turned[k]),
            bool(corner[k]),
            joined,
            _is_broken(met),
            _alike(a, b),
            joined == 1 and _bends(a, b),
        )

    return list(map(joint, range(len(pairs))))


def _bends(one: SeenCard, other: SeenCard) -> bool:
    """Say whether two cards are turned differently."""
    both = one.best, other.best
    return len({best.turns for best in both if best is not None}) == len(both)


def cell_outlines(card: SeenCard) -> list[Array]:
    """Return the outline of each cell of a card; the cells lie in a row."""
    count = len(card.cells)
    if count == 1:
        return [card.outline_px]
    shares = np.linspace(0.0, 1.0, count + 1)[:, None]
    upper, lower = (
        card.outline_px[a] + shares * (card.outline_px[b] - card.outline_px[a])
        for a, b in ((0, 1), (3, 2))
    )
    return [np.array([upper[k], upper[k + 1], lower[k + 1], lower[k]]) for k in range(count)]


def lie(
    outlines: Array,
    one: NDArray[np.int64],
    other: NDArray[np.int64],
    corner: NDArray[np.bool_] | bool = False,
) -> tuple[Array, Array, Array]:
    """Return gap and slide (in card widths) and angle (in degrees) of pairs of outlines.

    Args:
        outlines: N x 4 x 2; lengths are averaged over the axes of both outlines of a pair.
        one: the index of the first outline of each pair.
        other: the index of the second outline of each pair.
        corner: whether the pair meets at a corner.
    """
    centres, frames = outlines.mean(axis=1), cell_axes(outlines, "square")
    flat = np.abs(np.linalg.det(frames)) < 1e-6
    inverse = np.linalg.inv(np.where(flat[:, None, None], np.eye(2), frames))
    away = (centres[other] - centres[one])[..., None]
    seen = np.abs(np.stack([inverse[one] @ away, inverse[other] @ away])[..., 0])
    far, near = seen.max(axis=2).mean(axis=0), seen.min(axis=2).mean(axis=0)
    spin = inverse[one] @ frames[other]
    angle = np.arctan2(spin[:, 1, 0] - spin[:, 0, 1], spin[:, 0, 0] + spin[:, 1, 1])
    quarters = np.degrees(angle) / 90
    return (
        far - 1,
        np.where(corner, np.abs(near - 1), near),
        90 * np.abs(quarters - np.round(quarters)),
    )


def _met(
    here: Cell, there: Cell, step: Cell, sides: dict[tuple[Cell, int], str | None]
) -> tuple[str | None, str | None] | None:
    """Return the colours on both sides of a shared edge, if both cards are known."""
    if step[0] and step[1]:
        return None
    edges = (1, 3) if step[0] else (2, 0)
    one, other = (here, edges[0]), (there, edges[1])
    return (sides[one], sides[other]) if one in sides and other in sides else None


def _is_broken(met: tuple[str | None, str | None] | None) -> bool:
    return met is not None and not carries_on(*met)


def _carried(met: tuple[str | None, str | None] | None, tile_set: TileSet) -> float:
    if met is None or None in met or not carries_on(*met):
        return 0.0
    return 0.5 if GREY in met and tile_set.colours else 1.0


def _alike(one: SeenCard, other: SeenCard) -> bool:
    a, b = one.best, other.best
    return a is not None and b is not None and (a.tile, a.turns) == (b.tile, b.turns)
