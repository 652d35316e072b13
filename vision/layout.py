"""Tells the game from the rest of the table: which lattices are the layout, and whose."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from engine.tiles import TileSet
from vision.anchors import BIG, Field, anchor_of, is_front
from vision.big_fields import big_fields
from vision.cards import CardGroup, SeenCard
from vision.settle import broken_share
from vision.stocks import in_the_midst
from vision.types import width_of

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
UNKNOWN_GAP, NO_SIDES_GAP = 0.04, 0.25
"""Taken for one card, and for more of them that meet at no side and no corner: a layout's do."""
MOST_AT_CORNERS = 3
"""Of more cards two have a side in common, unless they are a stock."""
STOCK_GAP, STOCK_ALIKE = 0.06, 0.4
"""Cards that lie so loosely, and so many neighbours of which are the same card turned the same way,
are a sorted stock: that they are many says nothing then."""
CORNERS = 0.1
"""Corners at which cards of a layout meet lie so far apart, in widths; crooked ones up to 0.14."""


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
            return tuple(big_fields(shown, tile_set))
        anchored = [group for group in shown if anchor_of(group, tile_set) is not None]
        if anchored:
            return (Field(max(anchored, key=lambda group: len(group.cards))),)
    best = _most_alike(shown, size_px, tile_set)
    inner = in_the_midst(best, shown, tile_set) if tile_set is not None else []
    return (Field(_most_alike(inner, size_px, tile_set) if inner else best),)


def _most_alike(
    groups: Sequence[CardGroup], size_px: tuple[int, int], tile_set: TileSet | None
) -> CardGroup:
    """Return the lattice that looks most like cards in play; larger ones are looked at first."""
    best, most = groups[0], -math.inf
    for group in sorted(groups, key=lambda one: -len(one.cards)):
        # Nothing speaks for a lattice but its number of cards.
        if math.log(len(group.cards)) <= most:
            break
        like = likeness_to_layout(group, size_px, tile_set)
        if like > most:
            best, most = group, like
    return best


def sameness(group: CardGroup) -> float:
    """Return the share of neighbours that are the same card turned the same way."""
    same = [_same(one, other) for one, other in _neighbours(group)]
    return float(np.mean(same)) if same else 0.0


def usual_gap(group: CardGroup) -> float:
    """Return the free space between neighbours, in widths of a card."""
    gaps = [_gap(one, other) for one, other in _neighbours(group)]
    if gaps:
        return float(np.median(gaps))
    if len(group.cards) == 1:
        return UNKNOWN_GAP
    corners = [_corner_gap(one, other) for one, other in _diagonals(group)]
    if len(group.cards) > MOST_AT_CORNERS:
        return NO_SIDES_GAP
    return max(UNKNOWN_GAP, float(np.median(corners)) - CORNERS) if corners else NO_SIDES_GAP


def likeness_to_layout(
    group: CardGroup, size_px: tuple[int, int], tile_set: TileSet | None = None
) -> float:
    """Return how much a lattice looks like cards in play rather than stocks and piles."""
    gap, alike = usual_gap(group), sameness(group)
    broken = (broken_share(group.cards, tile_set) or 0.0) if tile_set is not None else 0.0
    pairs = len(list(_neighbours(group)))
    broken *= pairs / (pairs + FEW_PAIRS)
    middle = (np.array(size_px) - 1) / 2
    away = float(np.linalg.norm(group.centre_px - middle) / np.linalg.norm(middle))
    stock = gap >= STOCK_GAP and alike >= STOCK_ALIKE
    fronts = 1 if stock else sum(is_front(card) for card in group.cards)
    return (
        float(np.log(max(fronts, 1))) - OFF_CENTRE * away - LOOSE * max(0.0, gap - USUAL_GAP)
        - ALIKE * alike - BROKEN * broken
    )  # fmt: skip


def _neighbours(group: CardGroup) -> Iterator[tuple[SeenCard, SeenCard]]:
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
