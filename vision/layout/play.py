"""A fitted score: how likely the cards of a lattice are in play, not a stock, hand or pile.

Cards in front of a player are sorted: one colour, all turned the same way, with space around each.
Cards in play lie in the middle, edge to edge, with mixed colours and turned as the snakes need it.
No single sign decides; the score combines all of them.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.tiles import TileSet
from vision.classify.evidence import Trees, load_trees
from vision.core.files import TRAINED
from vision.core.types import CLEAR, LIKELIER, TOLD
from vision.layout.cards import (
    BIG,
    MOST_TURNED_DEG,
    CardGroup,
    Field,
    SeenCard,
    anchor_of,
)
from vision.layout.fields import PART_NUMBERS, Joining, cell_outlines, cell_wide_px, lie

Array = NDArray[np.float64]

NUMBERS = (
    *PART_NUMBERS,
    "sides",
    "space",
    "away",
    "elsewhere",
    "larger",
    "near",
    "near_alike",
    "kin",
    "central",
    "rival",
    "families",
)
"""The features of the score, in this order. ``kin`` is the distance to the nearest lattice of the
same colour, ``central`` how much nearer to the picture's centre than all others a lattice lies, and
``rival`` how often snakes bend in another lattice."""
FURTHEST = 8.0
"""Upper bound of the distance to another lattice, in card widths."""


@cache
def shipped_score(folder: Path = TRAINED) -> Trees:
    """Return the score that the repository ships, loaded on first use."""
    return load_trees("play", NUMBERS, folder)


def play_signs(
    groups: Sequence[CardGroup], tile_set: TileSet, size_px: tuple[int, int]
) -> dict[CardGroup, Array]:
    """Return the features of each lattice that shows face-up cards.

    Args:
        groups: all lattices of the table.
        tile_set: the box.
        size_px: width and height of the picture.
    """
    shown = [group for group in groups if any(card.is_front() for card in group.cards)]
    return dict(zip(shown, numbers_of(shown, tile_set, size_px), strict=True))


def likely_in_play(signs: Mapping[CardGroup, Array]) -> dict[CardGroup, float]:
    """Return the probability of being in play of each lattice with these features."""
    rows = np.array([*signs.values()]).reshape(-1, len(NUMBERS))
    return dict(zip(signs, shipped_score().shares(rows).tolist(), strict=True))


def numbers_of(groups: Sequence[CardGroup], tile_set: TileSet, size_px: tuple[int, int]) -> Array:
    """Return the features of each of a table's lattices, N x ``len(NUMBERS)``."""
    parts = [
        (joining, joining.whole(range(len(joining.cards))))
        for joining in (Joining(group.cards, tile_set) for group in groups)
    ]
    families = len({kind.colour or name.partition("/")[0] for name, kind in tile_set.kinds.items()})
    away = [_away(group, size_px) for group in groups]
    kin = [_family(part.families) for _, part in parts]
    bent = [float(part.bent) for _, part in parts]
    rows = [
        (
            *part.numbers(),
            part.sides / len(part.cards),
            _space(joining),
            away[k],
            *_beside(k, groups, kin),
            min(_others(k, away), default=away[k]) - away[k],
            max(_others(k, bent), default=0.0),
            math.log(max(families, 1)),
        )
        for k, (joining, part) in enumerate(parts)
    ]
    return np.array(rows, float).reshape(-1, len(NUMBERS))


def _space(joining: Joining) -> float:
    """Return the median misalignment between neighbours, in card widths; 1 without neighbours."""
    misses = sorted(joint.miss for joint in joining.joints)
    return misses[len(misses) // 2] if misses else 1.0


def _away(group: CardGroup, size_px: tuple[int, int]) -> float:
    """Return the distance of a lattice from the picture's centre, in half diagonals."""
    middle = (np.array(size_px, float) - 1) / 2
    return float(np.linalg.norm(group.centre_px - middle) / np.linalg.norm(middle))


def _others(k: int, numbers: Sequence[float]) -> list[float]:
    """Return the numbers of all lattices but one."""
    return [*numbers[:k], *numbers[k + 1 :]]


def _beside(
    k: int, groups: Sequence[CardGroup], families: Sequence[str | None]
) -> tuple[float, float, float, float, float]:
    """Return a lattice's features ``elsewhere``, ``larger``, ``near``, ``near_alike``, ``kin``."""
    own, others = groups[k], [n for n in range(len(groups)) if n != k]
    sizes = [len(groups[n].cards) for n in others]
    larger = math.log(len(own.cards) / (1 + max(sizes, default=0)))
    wide = cell_wide_px(own.cards[0])
    apart = {
        n: float(np.linalg.norm(own.centres_px[:, None] - groups[n].centres_px, axis=2).min())
        / wide
        for n in others
    }
    nearest = min(apart, key=lambda n: apart[n], default=k)
    alike = nearest != k and families[nearest] == families[k]
    kin = min((apart[n] for n in others if families[n] == families[k]), default=FURTHEST)
    near = min(apart.get(nearest, FURTHEST), FURTHEST)
    return math.log1p(sum(sizes)), larger, near, float(alike), min(kin, FURTHEST)


def _family(families: Mapping[str, int]) -> str | None:
    return max(families, key=lambda name: families[name], default=None)


# --- which lattices are the game's ---


HARDLY_PLAYED = 0.1
"""Without a house or big card, a lattice below this probability is not the game's."""
RATHER = 0.95
"""Least probability with which a lattice is the game's rather than the most likely other one; below
it is asked about."""


def has_bigs(tile_set: TileSet) -> bool:
    """Say whether each field of a box's game has a big card of its own."""
    return any(kind.role == BIG for kind in tile_set.kinds.values())


def game_fields(likely: Mapping[CardGroup, float], tile_set: TileSet) -> tuple[Field, ...]:
    """Return the lattices of the game: at most one, except in Sssnake.

    Args:
        likely: the probability of being in play, by lattice.
        tile_set: the box.
    """
    if has_bigs(tile_set):
        # Only the big card tells whose field it is and where its first cell lies.
        return tuple(big_fields(list(likely), tile_set))
    anchored = [group for group in likely if anchor_of(group, tile_set) is not None]
    if anchored:
        return (Field(max(anchored, key=lambda group: len(group.cards))),)
    # Several that are surely in play are parts split by a hand: the largest defines the lattice.
    best = max(
        likely, key=lambda group: (min(likely[group], CLEAR), len(group.cards)), default=None
    )
    if best is None or likely[best] < HARDLY_PLAYED:
        return ()
    return (Field(best, laid=_rather_than_others(best, likely)),)


def _rather_than_others(best: CardGroup, likely: Mapping[CardGroup, float]) -> float:
    """Return the probability that a lattice is the game's, rather than the most likely other one.

    One card that was just laid and one that a player has put down beside it look the same; several
    that were laid to each other show what they are. A part surely in play, too, is no rival.
    """
    if len(best.cards) > 1:
        return 1.0
    odds = {group: share / max(1 - share, 1e-6) for group, share in likely.items()}
    rival = max((odds[g] for g in likely if g is not best and likely[g] < CLEAR), default=0.0)
    share = odds[best] / (odds[best] + rival)
    return 1.0 if share >= RATHER else share


NEAR_CELLS = 3.01
"""A big card without any other card is in play only within this distance of another field, in cells
from centre to centre, and parallel to its big card; unused big cards lie anyhow. On 86 drawn tables
96 big cards in play lay at most 2.98 off, except one beside a card under a cup, and were turned by
up to 15 degrees. Of 27 unused ones three lay nearer than 3.25: one askew, two after their owners'
turns. On another table an unused one lay straight and 3.04 off."""
MOST_A_TURN, ONE_WRONG = 3, 1
"""A big card without any other card is in play only before its owner's first turn. A player lays at
most ``MOST_A_TURN`` cards a turn, as the die shows; all fields together may exceed that by
``ONE_WRONG`` card, a foul. In 640 games no field was empty later."""
FEWEST_FIELDS = 2
"""Sssnake needs at least two players."""


@dataclass(frozen=True, eq=False)
class _Numbered:
    """A lattice with its big card."""

    group: CardGroup
    big: SeenCard


def big_fields(groups: Sequence[CardGroup], tile_set: TileSet) -> Iterator[Field]:
    """Yield the fields that have a big card, ordered by its number, without unused big cards."""
    numbered = _numbered(groups, tile_set)
    if not numbered:
        return
    grown = [number for number, one in numbered.items() if _others_of(one.group, one.big)]
    first = max(numbered, key=lambda n: (_sure_fronts(numbered[n].group), -n))
    # Players take the big cards in order, so all up to the last one with cards are in play, also
    # those that are hidden or outside the picture.
    taken = range(max(grown, default=-1) + 1)
    chosen = _with_lone({first, *(number for number in numbered if number in taken)}, numbered)
    if max(len(chosen), len(taken)) < FEWEST_FIELDS:
        # A big card that the picture's edge cuts does not count: it may lie anywhere.
        whole = {number for number, one in numbered.items() if not one.big.cut_off}
        two = sorted({*whole, first})[:FEWEST_FIELDS]
        chosen = _with_lone({*chosen, *two}, numbered)
    for number in sorted(chosen):
        yield Field(numbered[number].group, number)


def _numbered(groups: Sequence[CardGroup], tile_set: TileSet) -> dict[int, _Numbered]:
    """Return the lattices with a big card, by its number; the larger of two with the same one."""
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
    """Return the numbers in play, with those of big cards in play that have no other card yet.

    A big card is not in play if one before it is not, or is not seen though no field is cut off.
    Nearness counts only to fields in play, since unused big cards may lie beside each other.
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
    """Say whether the picture's edge cuts a card of these fields, so others may lie outside."""
    return any(card.cut_off for field in (one, *others) for card in field.group.cards)


def _sure_fronts(group: CardGroup) -> int:
    """Return the number of surely read face-up cards; few where bricks look like a big card."""
    return sum(card.is_front(TOLD) for card in group.cards)


def _others_of(group: CardGroup, big: SeenCard) -> int:
    """Return how many cards other than its big one a lattice surely has."""
    return sum(
        card is not big
        and card.is_front(LIKELIER)
        and card.laid >= TOLD
        and card.best is not None
        and big.best is not None
        and card.best.tile != big.best.tile
        for card in group.cards
    )


def _lies_by(big: SeenCard, others: Sequence[_Numbered]) -> bool:
    """Say whether a big card lies near another field, and parallel to one of their big cards."""
    cards = [card for one in others for card in one.group.cards]
    apart, _ = _between(big, cards)
    _, turned_deg = _between(big, [one.big for one in others])
    return apart <= NEAR_CELLS and turned_deg <= MOST_TURNED_DEG


def _between(card: SeenCard, others: Sequence[SeenCard]) -> tuple[float, float]:
    """Return the distance to the nearest of some cards, in cells, and the least angle to one."""
    own = cell_outlines(card)
    outlines = [*own, *(outline for other in others for outline in cell_outlines(other))]
    one, other = np.indices((len(own), len(outlines) - len(own))).reshape(2, -1)
    gap, slide, turned_deg = lie(np.stack(outlines), one, other + len(own))
    return float(np.hypot(gap + 1, slide).min()), float(turned_deg.min())
