"""Cards of Sssnake whose big card is not seen: nobody can say where they lie, or whose they are.

What is laid as closely as cards in play, and is no stock, belongs to some field. Where only one
player's field is missing, it is that one's.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from engine.lattice import Cell
from engine.tiles import TileSet
from vision.core.ground import Ground
from vision.core.lattice import cells_beside, mapped
from vision.core.stages import stage
from vision.core.types import Points, width_of
from vision.layout.anchors import BIG, Field, anchor_of, is_front
from vision.layout.cards import CardGroup, SeenCard
from vision.layout.islands import SURELY_HIDDEN, with_islands
from vision.layout.settle import carries_on, met_sides
from vision.layout.spacing import UNKNOWN_GAP, neighbours, sameness, usual_gap
from vision.layout.touching_bigs import pairs_beside

FEWEST_LOST, MOST_GAP, SURELY_LAID = 3, 0.02, 0.8
"""A lattice of Sssnake without a big card is a field whose big card is hidden, and no stock, when
so many cards are sure, their gaps are hardly wider than a field's, and they are not all alike."""
SNAKES_GAP = 0.08
"""The same where snakes of different cards go on from each to the next."""
BOTH_HALVES = np.array([(-0.5, -0.5), (1.5, -0.5), (1.5, 0.5), (-0.5, 0.5)])
"""Corners of a big card, in cells from its left one."""
FEWEST_CUT = 2
"""Such cards as are lost where the picture's edge cuts one."""
TOUCHING = 1.05
"""Cards in play whose middles are nearer, in widths, lie edge to edge; in stocks they do not."""
AROUND, ORNAMENT = 4.0, 0.5
"""A thing's colours are not seen further off, in widths of a card; those of more than half of an
ornament of the cloth are."""


@stage("lost", without=lambda *_: ())
def lost_cards(
    groups: Sequence[CardGroup], fields: Sequence[Field], taken: Collection[CardGroup],
    tile_set: TileSet, size_px: tuple[int, int], doubtful: Sequence[Points] = (),
) -> tuple[SeenCard, ...]:  # fmt: skip
    """Return cards of Sssnake that are laid as in play while the big card of their field is hidden.

    At the picture's edge they are cut off: what they are laid to is. Where no field is seen at all,
    even one of them there is the end of one, and so is one that the edge cuts where a player's
    field is missing, or that lies beside half a card.

    Args:
        groups: all lattices.
        fields: those that belong to the game.
        taken: the fields' own groups and their islands.
        tile_set: the box.
        size_px: the picture's.
        doubtful: middles of outlines that were not taken for cards.
    """
    if all(kind.role != BIG for kind in tile_set.kinds.values()):
        return ()
    lost = []
    missing = missing_fields(fields)
    for group in _laid_closely(groups, fields, taken, tile_set):
        sure = _surely_laid(group)
        cut = any(card.cut_off for card in sure)
        goes_on = cut and len(sure) >= FEWEST_CUT and _goes_on(sure, tile_set)
        fewest = FEWEST_CUT if goes_on else FEWEST_LOST
        at_edge = any(_at_edge(card, size_px) for card in sure)
        alone = any(is_front(card) and ((missing and card.cut_off)
                    or _lies_by_half_a_card(card, doubtful, size_px)) for card in sure)  # fmt: skip
        if len(sure) >= fewest or (at_edge and not fields) or alone:
            lost += [replace(card, cut_off=at_edge) for card in sure]
    return tuple(lost)


def missing_fields(fields: Sequence[Field]) -> list[int]:
    """Return the players before others whose fields are not seen: they take big cards in order."""
    numbers = {field.number for field in fields if field.number is not None}
    return [number for number in range(max(numbers, default=0)) if number not in numbers]


def may_be_missing(group: CardGroup, size_px: tuple[int, int]) -> bool:
    """Say whether a lattice without a big card may be a field whose own lies beyond the edge."""
    return len(_surely_laid(group)) >= FEWEST_LOST and _is_cut(group, size_px)


def _lies_by_half_a_card(
    card: SeenCard, doubtful: Sequence[Points], size_px: tuple[int, int]
) -> bool:
    """Say whether an outline lies close beside a card whose middle is beyond the picture's edge."""
    close = TOUCHING * width_of(card.outline_px)
    return any(
        np.linalg.norm(middle - card.centre_px) < close
        and bool(((middle < 0) | (middle > np.array(size_px) - 1)).any())
        for middle in doubtful
    )  # fmt: skip


@stage("headless", without=lambda *_: None)
def headless_field(
    groups: Sequence[CardGroup], fields: Sequence[Field], taken: Collection[CardGroup],
    tile_set: TileSet, size_px: tuple[int, int], ground: Ground | None = None,
) -> tuple[Field, tuple[CardGroup, ...]] | None:  # fmt: skip
    """Return the field of Sssnake whose big card is not seen, if it is clear, and its lattices.

    The card lies beyond the picture's edge or under a thing. Players take the big cards in order:
    where one before another is missing, and one field too, it is that one's. Its cells are counted
    from where the big card may lie.

    Args:
        groups: all lattices.
        fields: those that belong to the game.
        taken: the fields' own groups and their islands.
        tile_set: the box.
        size_px: the picture's.
        ground: what the table looks like, to see where a thing hides it.
    """
    missing = missing_fields(fields)
    if len(missing) != 1:
        return None
    without = [group for group in groups if anchor_of(group, tile_set) is None]
    closely = _laid_closely(without, fields, taken, tile_set)
    lost = _headless(closely, groups, size_px, ground)
    if not lost:
        return None
    first = max(lost, key=lambda group: len(group.cards))
    others = [group for group in without if group is not first and group not in taken]
    grown, islands = with_islands(first, others, tile_set, ground=ground)
    own = (first, *islands)
    if any(all(group is not part for part in own) for group in lost):
        return None
    return Field(grown, missing[0], _likely_origin(grown, size_px, ground)), own


def _headless(
    closely: Sequence[CardGroup], groups: Sequence[CardGroup], size_px: tuple[int, int],
    ground: Ground | None,
) -> list[CardGroup]:  # fmt: skip
    """Return lattices whose big card may be the one that is not seen.

    A card by a thing is likelier to be laid to it than one that the edge cuts. Beside a field of
    several cards these are another's: whose, nobody can say.
    """
    middles = np.concatenate([group.centres_px for group in groups])
    hidden = [group for group in closely if _lies_by_a_thing(group, middles, ground)]
    cut = [group for group in closely if _is_cut(group, size_px)]
    several = [group for group in hidden if len(_surely_laid(group)) >= FEWEST_LOST
               and all(group is not other for other in cut)]  # fmt: skip
    if several or any(len(_surely_laid(group)) >= FEWEST_LOST for group in cut):
        return [*cut, *several]
    return hidden or cut


def _lies_by_a_thing(group: CardGroup, middles: Points, ground: Ground | None) -> bool:
    """Say whether a big card may lie beside a lattice's cards where a thing hides the table."""
    if ground is None:
        return False
    pairs = np.array([pair for card in _surely_laid(group) if is_front(card)
                      for pair in pairs_beside(card.outline_px)])  # fmt: skip
    if not len(pairs):
        return False
    halves = pairs.reshape(-1, 4, 2)
    apart = np.linalg.norm(halves.mean(axis=1)[:, None] - middles[None], axis=2).min(axis=1)
    wide = np.linalg.norm(halves[:, 1] - halves[:, 0], axis=1)
    hidden = ground.hidden(halves, SURELY_HIDDEN) & ground.inside(halves) & (apart > wide / 2)
    both = np.repeat(hidden.reshape(-1, 2).all(axis=1), 2)
    seen = [ground.elsewhere(half, AROUND * float(far)) for half, far in
            zip(halves[both], wide[both], strict=True)]  # fmt: skip
    return any(share < ORNAMENT for share in seen)


def _likely_origin(
    group: CardGroup, size_px: tuple[int, int], ground: Ground | None
) -> Cell | None:
    """Return the left cell of a big card beside a lattice's cards, as far outside as can be.

    Where all of them lie in the picture, it is the one that is hidden best.
    """
    taken = {cell for card in group.cards for cell in card.cells}
    beside = cells_beside(taken) - taken
    lefts = sorted(
        left for x, y in beside for left in ((x, y), (x - 1, y))
        if not taken & {left, (left[0] + 1, left[1])}
    )  # fmt: skip
    if not lefts or np.linalg.matrix_rank(group.fit.px_from_cell) < 3:
        return None
    places = mapped(group.fit.px_from_cell, np.array(lefts, float) + np.array([0.5, 0.0]))
    outside = np.maximum(-places, places - np.array(size_px)).max(axis=1)
    if ground is not None and outside.max() < 0:
        corners = np.array(lefts, float)[:, None] + BOTH_HALVES
        shown = ground.shown(
            mapped(group.fit.px_from_cell, corners.reshape(-1, 2)).reshape(-1, 4, 2)
        )
        return lefts[int(shown.argmin())]
    return lefts[int(outside.argmax())]


def _is_cut(group: CardGroup, size_px: tuple[int, int]) -> bool:
    """Say whether what a lattice is laid to may lie beyond the picture's edge.

    Of few cards one must be cut.
    """
    sure = _surely_laid(group)
    if len(sure) < FEWEST_LOST:
        return any(map(is_front, sure)) and any(card.cut_off for card in group.cards)
    return any(_at_edge(card, size_px) for card in sure)


def _surely_laid(group: CardGroup) -> list[SeenCard]:
    return [card for card in group.cards if card.why is None and card.confidence >= SURELY_LAID]


def _laid_closely(
    groups: Sequence[CardGroup],
    fields: Sequence[Field],
    taken: Collection[CardGroup],
    tile_set: TileSet,
) -> list[CardGroup]:
    """Return other lattices that are laid as closely as the fields: no stocks."""
    most = MOST_GAP + max((usual_gap(field.group) for field in fields), default=UNKNOWN_GAP)
    left = (group for group in groups if group not in taken)
    return [
        group for group in left
        if _tells_no_gap(group) or (usual_gap(group) <= most and sameness(group) < 0.5)
        or (usual_gap(group) <= SNAKES_GAP and _goes_on(_surely_laid(group), tile_set))
    ]  # fmt: skip


def _tells_no_gap(group: CardGroup) -> bool:
    """Say whether a lattice is one card, or two that meet at a corner and that the edge cuts."""
    cut = any(card.cut_off for card in group.cards)
    return len(group.cards) == 1 or (len(group.cards) == 2 and cut and not any(neighbours(group)))


def _goes_on(cards: Sequence[SeenCard], tile_set: TileSet) -> bool:
    """Say whether a snake goes on in all of some cards, of which not all are alike."""
    met = met_sides(cards, tile_set)
    looks = {(card.guesses[0].tile, card.guesses[0].turns) for card in cards}
    joined = sum(None not in pair for pair in met)
    whole = all(carries_on(*pair) for pair in met) and joined >= len(cards) - 1
    return len(looks) > 1 and whole


def _at_edge(card: SeenCard, size_px: tuple[int, int]) -> bool:
    """Say whether the picture's edge cuts a card, or what may be laid to a side of it."""
    middle = card.centre_px
    sides = (card.outline_px + np.roll(card.outline_px, -1, axis=0)) / 2
    beside = 2 * sides - middle
    outside = bool(((beside < 0) | (beside > np.array(size_px) - 1)).any())
    return card.cut_off or (is_front(card) and outside)
