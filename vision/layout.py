"""Tells the game from the rest of the table: which lattices are the layout, and whose."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.tiles import TileSet
from vision.cards import CardGroup, SeenCard
from vision.lattice import mapped
from vision.looks import BACK
from vision.settle import broken_share
from vision.types import width_of

SEEN = 0.5
"""How sure a house or a big card must be to say which lattice is the game's."""
OFF_CENTRE, LOOSE, ALIKE, BROKEN = 2.0, 16.0, 2.5, 2.5
"""What speaks against a lattice, against the logarithm of its number of cards: lying off the
picture's middle (by half diagonals), gaps (by pitches), neighbours that are the same card turned
the same way, or that do not carry on. On 150 drawn tables, 67 of them with stocks or piles, the
first three took the layout each time; without the gaps or the middle one or two went wrong."""
USUAL_GAP = 0.03
"""Pitches; cards of a game are laid edge to edge."""
UNKNOWN_GAP, NO_SIDES_GAP = 0.04, 0.25
"""Taken for one card, and for more of them that meet at no side and no corner: a layout's do."""
MOST_AT_CORNERS = 3
"""Of more cards two have a side in common, unless they are a stock."""
CORNERS = 0.1
"""Corners at which cards of a layout meet lie so far apart, in widths; crooked ones up to 0.14."""
FEWEST_LOST, MOST_GAP, SURELY_LAID = 3, 0.02, 0.8
"""A lattice of Sssnake without a big card is a field whose big card is hidden, and no stock, when
so many cards are sure, their gaps are hardly wider than a field's, and they are not all alike."""
GUESSED, MOST_GUESSED = 0.02, 0.75
"""How likely a house must be to be counted from where no card is surely one, and how sure it can
become by that."""
FEW_CARDS, NEAR_CELLS, MOST_TURNED_DEG = 4, 2.88, 20.0
"""A big card without any other card is played with only while no field has more cards than that,
it lies that near to another field, from cell to cell, and as straight beside it as players who
sit at one table lay their cards: unused ones lie anyhow. On 80 drawn tables the nine lone big
cards in play lay at most 2.8 cells off and turned by 16 degrees, 25 others further or more."""
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
            # Without a big card nobody can say whose cards lie where.
            return tuple(_big_fields(shown, tile_set))
        anchored = [group for group in shown if anchor_of(group, tile_set) is not None]
        if anchored:
            return (Field(max(anchored, key=lambda group: len(group.cards))),)
    return (Field(_most_alike(shown, size_px, tile_set)),)


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


def anchor_of(group: CardGroup, tile_set: TileSet) -> SeenCard | None:
    """Return the card that a layout is counted from: its house or big card, if it was seen."""
    anchors = [
        card for card in group.cards
        if card.best is not None and card.best.confidence >= SEEN and card.best.tile in tile_set
        and tile_set[card.best.tile].role in (BIG, HOUSE)
    ]  # fmt: skip
    return max(anchors, key=lambda card: card.confidence, default=None)


def likely_house(group: CardGroup, tile_set: TileSet) -> SeenCard | None:
    """Return the card that is most likely the house where none surely is: every game has one."""
    likely = [
        (guess.confidence, guess, card) for card in group.cards for guess in card.guesses
        if guess.tile in tile_set and tile_set[guess.tile].role == HOUSE
    ]  # fmt: skip
    if not likely:
        return None
    share, guess, card = max(likely, key=lambda one: one[0])
    if share < GUESSED:
        return None
    # One of the cards that may be the house is it.
    sure = min(MOST_GUESSED, share / sum(one[0] for one in likely))
    left = (1 - sure) / max(1 - share, 1e-9)
    others = (replace(g, confidence=g.confidence * left) for g in card.guesses if g != guess)
    return replace(card, guesses=(replace(guess, confidence=sure), *others))


def lost_cards(
    groups: Sequence[CardGroup], fields: Sequence[Field], taken: Collection[int], tile_set: TileSet
) -> tuple[SeenCard, ...]:
    """Return cards of Sssnake that are laid as in play while the big card of their field is hidden.

    Args:
        groups: all lattices.
        fields: those that belong to the game.
        taken: the fields' own groups and their islands, by ``id``.
        tile_set: the box.
    """
    if all(kind.role != BIG for kind in tile_set.kinds.values()):
        return ()
    most = MOST_GAP + max((_usual_gap(field.group) for field in fields), default=UNKNOWN_GAP)
    lost = []
    for group in groups:
        sure = [card for card in group.cards if card.why is None and card.confidence >= SURELY_LAID]
        stock = _usual_gap(group) > most or _sameness(group) >= 0.5
        if id(group) not in taken and len(sure) >= FEWEST_LOST and not stock:
            lost += sure
    return tuple(lost)


def _sameness(group: CardGroup) -> float:
    """Return the share of neighbours that are the same card turned the same way."""
    same = [_same(one, other) for one, other in _neighbours(group)]
    return float(np.mean(same)) if same else 0.0


def _usual_gap(group: CardGroup) -> float:
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
    gap, alike = _usual_gap(group), _sameness(group)
    broken = (broken_share(group.cards, tile_set) or 0.0) if tile_set is not None else 0.0
    middle = (np.array(size_px) - 1) / 2
    away = float(np.linalg.norm(group.centre_px - middle) / np.linalg.norm(middle))
    fronts = sum(_is_front(card) for card in group.cards)
    return (
        float(np.log(max(fronts, 1))) - OFF_CENTRE * away - LOOSE * max(0.0, gap - USUAL_GAP)
        - ALIKE * alike - BROKEN * broken
    )  # fmt: skip


def _is_front(card: SeenCard) -> bool:
    return card.best is not None and card.why is None and card.best.tile != BACK


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
    grown = [number for number, (group, anchor) in numbered.items() if _others_of(group, anchor)]
    first = max(numbered, key=lambda n: (len(numbered[n][0].cards), -n))
    few = len(numbered[first][0].cards) <= FEW_CARDS
    chosen: list[int] = []
    for number in sorted(numbered):
        # Players take the big cards in order: one before another that grew is in play, and
        # one after another that is not played with is not either.
        played = number == first or number <= max(grown, default=-1)
        others = [other for n, (other, _) in numbered.items() if n != number]
        lone = few and len(chosen) == sum(n < number for n in numbered)
        if played or (lone and _lies_by(numbered[number][1], others)):
            chosen.append(number)
    if len(chosen) < FEWEST_FIELDS:
        chosen = sorted(numbered)[:FEWEST_FIELDS]
    for number in chosen:
        yield Field(numbered[number][0], number)


def _others_of(group: CardGroup, big: SeenCard) -> int:
    """Return how many cards beside its big one a lattice surely has."""
    return sum(
        card is not big and card.why is None and card.confidence >= SEEN
        and card.best is not None and big.best is not None and card.best.tile != big.best.tile
        for card in group.cards
    )  # fmt: skip


def _lies_by(big: SeenCard, others: Sequence[CardGroup]) -> bool:
    """Say whether a big card lies near another field, and straight beside it."""
    for group in others:
        matrix = group.fit.px_from_cell
        if np.linalg.matrix_rank(matrix) < 3:
            continue
        outline = mapped(np.asarray(np.linalg.inv(matrix), np.float64), big.outline_px)
        along = outline[1] - outline[0]
        angle = float(np.degrees(np.arctan2(along[1], along[0])))
        if abs(angle - 90 * round(angle / 90)) > MOST_TURNED_DEG:
            continue
        left, right = (outline[0] + outline[3]) / 2, (outline[1] + outline[2]) / 2
        shares = (np.arange(len(big.cells)) + 0.5) / len(big.cells)
        cells = left + shares[:, None] * (right - left)
        own = np.array([cell for card in group.cards for cell in card.cells], float)
        if np.linalg.norm(cells[:, None] - own[None], axis=2).min() <= NEAR_CELLS:
            return True
    return False
