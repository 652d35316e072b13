"""Tells sorted stocks from cards in play.

Players sort their cards in front of them, each their own colour, all turned the same way and with
some space around each; and play in the middle, colours mixed, turned as the snakes need it and edge
to edge. None of these signs is sure alone; together they are. Cards that lie near each other are
looked at as one heap, since a loose row of them makes no lattice.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import starmap
from statistics import median

import numpy as np

from engine.tiles import GREY, TileSet
from vision.core.confidences import SURE
from vision.core.looks import QUARTERS, period_of
from vision.core.types import width_of
from vision.layout.cards import CardGroup, SeenCard, carries_on, is_front, met_sides

NEAR = 0.7
"""Lattices of one colour with less space between them, in widths of a card, are one heap."""
NEARLY_ALL, A_MISREAD = 0.8, 5
"""Share of a stock's cards that are of one colour; and of so many cards one may be misread."""
OF_ONE_KIND, MIXED = 2.7, -2.6
"""What it says for a stock that its cards are of one colour, and that they are not: logarithms of
how much more often stocks are so. On 300 drawn tables 309 of 347 stocks of three or more cards
were, and 8 of 146 layouts and parts of such."""
FEWEST_KINDS = 3
"""Colours or kinds in a box that can be sorted by them."""
SAME_WAY = {3: 1.0, 4: 2.0}
SAME_WAY_MANY, ALL_WAYS = 3.0, -2.8
"""The same of cards that are all turned the same way, by their number, and of such that are not:
in layouts of three cards one in five were, of more cards hardly any."""
TURNED_DEG = 40.0
"""Cards of a stock lie up to so crooked, as seen aslant; others are turned by a quarter."""
LAID_GAP, PER_GAP, LEAST_LOOSE, MOST_LOOSE = 0.08, 60.0, -3.0, 4.0
"""The same of the space between cards, in widths: 0.14 at most in those layouts, below 0.06 in one
stock of twenty."""
BROKEN, FEW_PAIRS = 4.0, 3
"""The same of neighbours that do not carry on, if none does; of so few of them half."""
OF_TWO = 0.5
"""What such signs count for two cards: these may be anything."""
CARRIED_ON, JOINED = -3.0, 0.6
"""The same of cards so many of which carry on their neighbour's colour as in a row in play."""
BESIDE, ALONE = 2.0, 3.5
"""From where on a heap is a stock, with cards of other colours on the table and without."""
IN_LINE = 1.0
"""The same of one that a layout may go on in."""
FEWEST_LAID = 3
"""Two cards of a stock may carry on by chance."""


def stock_excess(group: CardGroup, groups: Sequence[CardGroup], tile_set: TileSet) -> float:
    """Return how much more than enough a lattice looks like a stock, or part of one: 0 is enough.

    Args:
        group: the lattice.
        groups: all lattices that show cards.
        tile_set: the box.
    """
    heap = _heap(group, groups, tile_set)
    own = set(_families(_cards(heap), tile_set))
    beside = any(family not in own for family in _families(_cards(groups), tile_set))
    return likeness_to_stock(heap, tile_set) - (BESIDE if beside else ALONE)


def is_part_of_stock(group: CardGroup, tile_set: TileSet) -> bool:
    """Say whether cards in line with a layout are sorted, and no snake that goes on in it."""
    return likeness_to_stock([group], tile_set) >= IN_LINE


def is_laid(group: CardGroup, tile_set: TileSet) -> bool:
    """Say whether cards are surely in play: a snake goes on from each to the next."""
    cards = [c for c in group.cards if is_front(c) and c.confidence >= SURE]
    met = met_sides(cards, tile_set)
    looks = {(card.guesses[0].tile, card.guesses[0].turns) for card in cards}
    joined = sum(None not in pair and not (_by_chance(tile_set) and GREY in pair) for pair in met)
    goes_on = len(looks) > 1 and joined >= len(cards) - 1 and all(starmap(carries_on, met))
    return len(cards) >= FEWEST_LAID and goes_on and not is_part_of_stock(group, tile_set)


def _by_chance(tile_set: TileSet) -> bool:
    """Say whether grey meets colours in any row: all sides of all cards show something."""
    return all(
        len({edge for strand in kind.strands for edge in strand.edges}) == QUARTERS
        for kind in tile_set.kinds.values() if kind.strands
    )  # fmt: skip


def likeness_to_stock(heap: Sequence[CardGroup], tile_set: TileSet) -> float:
    """Return how much more cards look like a stock than like cards in play, as a logarithm.

    Args:
        heap: the lattices that they lie on; a loose row makes several.
        tile_set: the box.
    """
    cards = list(_cards(heap))
    if len(cards) < 2:
        return 0.0
    signs = _of_one_kind(cards, tile_set) + _same_way(cards, tile_set)
    gap = usual_gap(heap[0]) if len(heap) == 1 else _usual_space(cards)
    most = MOST_LOOSE if len(cards) > 2 else OF_TWO * MOST_LOOSE
    signs += min(max(PER_GAP * (gap - LAID_GAP), LEAST_LOOSE), most)
    signs += _carried_on(max(heap, key=lambda group: len(group.cards)), tile_set)
    return signs if len(cards) > 2 else OF_TWO * signs


def _cards(groups: Iterable[CardGroup]) -> Iterator[SeenCard]:
    return (card for group in groups for card in group.cards if is_front(card))


def _heap(group: CardGroup, groups: Sequence[CardGroup], tile_set: TileSet) -> list[CardGroup]:
    """Return a lattice with all that lie beside it, or beside such a one, and are of its colour."""
    family = _family(group, tile_set)
    heap = [group]
    if family is None:
        return heap
    left = [other for other in groups if other is not group and _family(other, tile_set) == family]
    for one in heap:
        near = [_are_near(one, other) for other in left]
        heap += [other for other, is_near in zip(left, near, strict=True) if is_near]
        left = [other for other, is_near in zip(left, near, strict=True) if not is_near]
    return heap


def _are_near(one: CardGroup, other: CardGroup) -> bool:
    apart = np.linalg.norm(one.centres_px[:, None] - other.centres_px[None], axis=2)
    first, second = divmod(int(apart.argmin()), len(other.cards))
    return space_between(one.cards[first], other.cards[second]) < NEAR


def _usual_space(cards: Sequence[SeenCard]) -> float:
    """Return the space between cards and their nearest ones, in widths."""
    places = np.stack([card.centre_px for card in cards])
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    return median(space_between(cards[n], cards[k]) for n, k in enumerate(apart.argmin(axis=1)))


def _carried_on(group: CardGroup, tile_set: TileSet) -> float:
    """Return what it says for a stock how many neighbours carry on each other's snakes."""
    met = met_sides(group.cards, tile_set)
    broken = sum(not carries_on(one, other) for one, other in met)
    # Grey goes on in any sorted row, unless the box has no other colour.
    nothing = (None, GREY) if tile_set.colours else (None,)
    joined = sum(one == other and one not in nothing for one, other in met)
    signs = BROKEN * broken / (len(met) + FEW_PAIRS)
    return signs + (CARRIED_ON if joined >= JOINED * (len(group.cards) - 1) > 0 else 0.0)


def _family(group: CardGroup, tile_set: TileSet) -> str | None:
    """Return what nearly all cards of a lattice are, if they are."""
    families = Counter(_families(_cards([group]), tile_set))
    if not families:
        return None
    name, most = families.most_common(1)[0]
    return name if most >= NEARLY_ALL * families.total() else None


def _of_one_kind(heap: Sequence[SeenCard], tile_set: TileSet) -> float:
    """Return what it says for a stock of how many colours its cards are."""
    every = {kind.colour or name.partition("/")[0] for name, kind in tile_set.kinds.items()}
    if len(every) < FEWEST_KINDS:
        return 0.0
    most = max(Counter(_families(heap, tile_set)).values(), default=0)
    return OF_ONE_KIND if most >= NEARLY_ALL * len(heap) else MIXED


def _families(cards: Iterable[SeenCard], tile_set: TileSet) -> Iterator[str]:
    """Yield what cards are sorted by: their colours, of such without one their kinds."""
    for card in cards:
        if card.best is not None and card.best.tile in tile_set:
            name = card.best.tile
            yield tile_set[name].colour or name.partition("/")[0]


def _same_way(heap: Sequence[SeenCard], tile_set: TileSet) -> float:
    """Return what it says for a stock how cards are turned, as far as that can be seen."""
    turned = [
        (_up_deg(card), 90.0 * period) for card in heap if card.best is not None
        for period in [period_of(tile_set, card.best.tile)] if period > 1
    ]  # fmt: skip
    if len(turned) < min(SAME_WAY):
        return 0.0
    ways = (sum(_apart_deg(up, way, full) < TURNED_DEG for up, full in turned) for way, _ in turned)
    if max(ways) < len(turned) - len(turned) // A_MISREAD:
        return ALL_WAYS
    return SAME_WAY.get(len(turned), SAME_WAY_MANY)


def _up_deg(card: SeenCard) -> float:
    """Return where the upper side of a card's print runs to, in the picture."""
    x, y = card.outline_px[1] - card.outline_px[0]
    return math.degrees(math.atan2(y, x))


def _apart_deg(one: float, other: float, full: float) -> float:
    """Return how far two directions are apart that are the same after a full turn."""
    return abs((one - other + full / 2) % full - full / 2)


UNKNOWN_GAP, NO_SIDES_GAP = 0.04, 0.25
"""Taken for one card, and for more of them that meet at no side and no corner: a layout's do."""
CORNERS = 0.1
"""Corners at which cards of a layout meet lie so far apart, in widths; crooked ones up to 0.14."""


def sameness(group: CardGroup) -> float:
    """Return the share of neighbours that are the same card turned the same way."""
    same = [_same(one, other) for one, other in neighbours(group)]
    return float(np.mean(same)) if same else 0.0


@lru_cache(maxsize=16)
def usual_gap(group: CardGroup) -> float:
    """Return the free space between neighbours, in widths of a card."""
    gaps = [_gap(one, other) for one, other in neighbours(group)]
    if gaps:
        return float(np.median(gaps))
    if len(group.cards) == 1:
        return UNKNOWN_GAP
    corners = [_corner_gap(one, other) for one, other in _diagonals(group)]
    return max(UNKNOWN_GAP, float(np.median(corners)) - CORNERS) if corners else NO_SIDES_GAP


def neighbours(group: CardGroup) -> Iterator[tuple[SeenCard, SeenCard]]:
    """Yield the cards that have a side in common."""
    owner = {cell: card for card in group.cards for cell in card.cells}
    for (x, y), card in owner.items():
        for beside in ((x + 1, y), (x, y + 1)):
            other = owner.get(beside)
            if other is not None and other is not card:
                yield card, other


def _diagonals(group: CardGroup) -> Iterator[tuple[SeenCard, SeenCard]]:
    owner = {cell: card for card in group.cards for cell in card.cells}
    for (x, y), card in owner.items():
        for beside in ((x + 1, y + 1), (x + 1, y - 1)):
            other = owner.get(beside)
            if other is not None and other is not card:
                yield card, other


def space_between(one: SeenCard, other: SeenCard) -> float:
    """Return the free space between two cards, side to side or corner to corner, in widths."""
    gap = _gap(one, other)
    return gap if gap < CORNERS else min(gap, _corner_gap(one, other))


def _corner_gap(one: SeenCard, other: SeenCard) -> float:
    """Return how far the corners lie apart at which two cards meet, in widths of one."""
    apart = np.linalg.norm(one.outline_px[:, None] - other.outline_px[None], axis=2)
    wide = (width_of(one.outline_px) + width_of(other.outline_px)) / 2
    return float(apart.min()) / max(wide, 1e-9)


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
