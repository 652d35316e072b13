"""From lattices and readings to a table state: what is played, lies aside, or is unsure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import median

import numpy as np

from engine.tiles import TileSet
from vision.classify.reader import CellReading
from vision.core.ground import Ground
from vision.core.looks import BACK
from vision.core.tables import Guesses, TileEntry
from vision.core.types import UNKNOWN_TILE, Detection, Detections, LatticeFit, width_of
from vision.layout.cards import (
    CardGroup,
    Field,
    SeenCard,
    anchor_of,
    group_cards,
    is_big,
    likely_house,
)
from vision.layout.fields import parted
from vision.layout.islands import with_islands
from vision.layout.layout import game_fields
from vision.layout.missed import Sight, recover_missed_cards
from vision.layout.settle import SURE, settled
from vision.layout.stocks import is_laid, stock_excess

UNKNOWN = "unknown"
"""What every tile is called when no box is told."""
SURELY_A_CARD = 0.75
"""Where nothing in the box looks like it, an outline must be so sure to count as a card at all:
a covered card is found whole, a pattern on the table is not."""
SURELY_ENCLOSED = 0.5
"""The same of one that lies between others: a hand may be over it."""
SURELY_ANOTHER = 0.999
"""How surely a second big card of a field must be read: a field has one."""
SURELY_ALONE = 0.7
"""A tile of an unknown box that has no neighbour must be found so surely, and whole."""
SURELY_ASIDE = 0.6
"""Cards beside the layout that are less sure are left out: nobody plays with them."""
FEWEST_OF_A_STOCK = 3
"""Cards that must be sure where a stock is all that is seen."""
SURELY_LAID = 0.98
"""Cards that less likely belong to the layout are asked about, never claimed. Of 47 cards beside
layouts that were claimed 26 had less, and of 11,900 cards in play one in a hundred."""
SAME_PLACE = 0.35
"""Cards whose middles are closer than that, in widths, are one."""
TINY_PX = 16.0
"""Where the cards are narrower, the outlines of a long row may slip by a cell: nothing is sure."""
TINY_DOUBT = 0.75


@dataclass(frozen=True, eq=False)
class Reconstruction:
    """The entries of a table state, and the cards that they come from."""

    tiles: tuple[TileEntry, ...] = ()
    unsure: tuple[TileEntry, ...] = ()
    aside: tuple[TileEntry, ...] = ()
    laid: tuple[SeenCard, ...] = ()
    """The cards of the layout, sure and unsure, in pixels of the picture that was read."""
    lost: tuple[CardGroup, ...] = ()
    """What is surely in play, while nobody sees where it lies: what leads to it is hidden."""


def reconstruct(
    detections: Detections, fits: Sequence[LatticeFit], readings: Sequence[CellReading],
    tile_set: TileSet, sight: Sight | None = None,
) -> Reconstruction:  # fmt: skip
    """Return what lies on the table, of a known box.

    Args:
        detections: the outlines.
        fits: the lattices that they form.
        readings: what each outline shows, in the same order.
        tile_set: the box.
        sight: what to look with for table between cards, and for cards without an outline.
    """
    lattices = [group_cards(detections.found, fit, readings, tile_set) for fit in fits]
    parts = partial(
        parted, found=detections.found, readings=readings, tile_set=tile_set,
        over_gaps=sight is None,
    )  # fmt: skip
    groups = _with_touching([part for lattice in lattices for part in parts(lattice)], tile_set)
    fields = game_fields(groups, tile_set, detections.size_px)
    fields = tuple(f for f in fields if any(c.confidence >= SURE for c in f.group.cards))
    ground = None if sight is None else sight.ground
    fields, own = _with_islands(fields, groups, tile_set, ground)
    if sight is not None:
        others = [*(group for group in groups if group not in own), *(f.group for f in fields)]
        fields = tuple(
            replace(f, group=recover_missed_cards(f.group, _but(others, f.group), tile_set, sight))
            for f in fields
        )
    if not fields and not _shows_stock(groups, tile_set):
        # Without a game or a stock there is nothing to lie beside; chessboards end here.
        return Reconstruction()
    left = [group for group in groups if group not in own]
    tiny = _across_px(detections) < TINY_PX
    table = _entries(fields, list(_aside(left, fields)), tile_set, tiny=tiny)
    return replace(table, lost=tuple(group for group in left if is_laid(group, tile_set)))


def _aside(groups: Sequence[CardGroup], fields: Sequence[Field]) -> Iterator[SeenCard]:
    """Yield the cards beside the game that are seen well enough to be told."""
    for card in (card for group in groups for card in group.cards):
        told = card.confidence >= SURELY_ASIDE and card.why is None
        if told and not any(_lies_on(card, field.group) for field in fields):
            yield card


def _entries(
    fields: Sequence[Field], aside: list[SeenCard], tile_set: TileSet, *, tiny: bool
) -> Reconstruction:
    """Return the entries of a table state.

    Args:
        fields: what belongs to the game.
        aside: cards that lie beside.
        tile_set: the box.
        tiny: whether cards are so small that nothing is sure.
    """
    tiles: list[TileEntry] = []
    unsure: list[TileEntry] = []
    laid: list[SeenCard] = []
    for field in fields:
        cards, beside = _own_cards(field, tile_set)
        aside += beside
        for settled_card in settled(cards, aside, tile_set):
            card = _doubted(settled_card, TINY_DOUBT, "small") if tiny else settled_card
            card = _doubted(card, card.laid)
            laid.append(card)
            entry = tile_entry(card, field.number)
            if card.confidence >= SURE and card.laid >= SURELY_LAID:
                tiles.append(entry)
            else:
                unsure.append(replace(entry, guesses=guesses_of(card), why=why_of(card)))
    return Reconstruction(
        tuple(tiles), tuple(unsure), tuple(aside_entry(card) for card in aside), tuple(laid)
    )


def _shows_stock(groups: Sequence[CardGroup], tile_set: TileSet) -> bool:
    """Say whether a lattice surely is a stock: then cards of a game lie on the table."""
    return any(
        stock_excess(group, groups, tile_set) >= 0 for group in groups
        if sum(c.why is None and c.confidence >= SURE for c in group.cards) >= FEWEST_OF_A_STOCK
    )  # fmt: skip


def _lies_on(card: SeenCard, group: CardGroup) -> bool:
    """Say whether a card is one of a layout that was seen better there."""
    apart = np.linalg.norm(group.centres_px - card.centre_px, axis=1)
    return bool((apart < SAME_PLACE * width_of(card.outline_px)).any())


def _across_px(detections: Detections) -> float:
    """Return how wide half of the outlines are at least."""
    return median(detection.across_px for detection in detections.found)


def _doubted(card: SeenCard, share: float, why: str | None = None) -> SeenCard:
    guesses = tuple(replace(g, confidence=g.confidence * share) for g in card.guesses)
    return replace(card, guesses=guesses, why=card.why or why)


def _but(groups: Sequence[CardGroup], one: CardGroup) -> list[CardGroup]:
    return [group for group in groups if group is not one]


def _with_touching(groups: Sequence[CardGroup], tile_set: TileSet) -> list[CardGroup]:
    """Return the lattices, big cards of Sssnake with all that touches them: such are in play."""
    bigs = [g for g in groups if any(is_big(card, tile_set) for card in g.cards)]
    left = [g for g in groups if all(g is not big for big in bigs)]
    grown = []
    for big in bigs:
        others = [g for g in left if anchor_of(g, tile_set) is None]
        group, taken = with_islands(big, others, tile_set)
        left = [g for g in left if all(g is not island for island in taken)]
        grown.append(group)
    return [*grown, *left]


def _with_islands(
    fields: Sequence[Field], groups: Sequence[CardGroup], tile_set: TileSet, ground: Ground | None
) -> tuple[tuple[Field, ...], set[CardGroup]]:
    """Return the fields with their islands, and which groups are theirs."""
    own = {field.group for field in fields}
    grown = []
    for field in fields:
        others = [
            group for group in groups if group not in own and anchor_of(group, tile_set) is None
        ]
        group, taken = with_islands(field.group, others, tile_set, ground)
        own |= set(taken)
        grown.append(replace(field, group=group))
    return tuple(grown), own


def reconstruct_unknown(detections: Detections, fits: Sequence[LatticeFit]) -> Reconstruction:
    """Return where tiles of any box lie, all called ``unknown``."""
    found = detections.found
    groups = []
    for fit in fits:
        if len(fit.cells) == 1 and not _stands_alone(found[next(iter(fit.cells.values()))]):
            continue
        cards = tuple(
            SeenCard(cell, (cell,), (), found[i].corners_px, found[i].cut_off,
                     found=found[i].confidence)
            for cell, i in sorted(fit.cells.items())
        )  # fmt: skip
        groups.append(CardGroup(cards, fit))
    if not groups:
        return Reconstruction()
    main = max(groups, key=lambda group: len(group.cards))
    entries = tuple(
        TileEntry(UNKNOWN, card.outline_px, card.found, at=card.at, turns=0) for card in main.cards
    )
    aside = tuple(
        TileEntry(UNKNOWN, card.outline_px, card.found)
        for group in groups if group is not main for card in group.cards
    )  # fmt: skip
    return Reconstruction(entries, (), aside, main.cards)


def _stands_alone(one: Detection) -> bool:
    """Say whether an outline without neighbours is a tile, where no box can tell."""
    return one.confidence >= SURELY_ALONE and not one.cut_off


def _own_cards(field: Field, tile_set: TileSet) -> tuple[list[SeenCard], list[SeenCard]]:
    """Return a field's cards counted from its house or big card, and face-down ones apart."""
    cards = list(field.group.cards)
    anchor = anchor_of(field.group, tile_set)
    cards = [c for c in cards if c is anchor or not _is_no_big(c, anchor, tile_set)]
    if anchor is None:
        anchor = likely_house(field.group, tile_set)
        cards = [anchor if anchor is not None and c.at == anchor.at else c for c in cards]
    cards = _known(_counted_from(anchor, cards, tile_set))
    fronts = [card for card in cards if card.best is not None and card.best.tile != BACK]
    backs = [card for card in cards if card.best is not None and card.best.tile == BACK]
    return fronts, backs


def _known(cards: Sequence[SeenCard]) -> list[SeenCard]:
    """Return cards without outlines that look like nothing in the box, and are none."""
    beside = Counter(cell for card in cards for x, y in card.cells
                     for cell in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)))  # fmt: skip
    return [c for c in cards if c.why != UNKNOWN_TILE or is_card(c.found, beside[c.at] >= 2)]


def _counted_from(
    anchor: SeenCard | None, cards: Sequence[SeenCard], tile_set: TileSet
) -> list[SeenCard]:
    """Return cards turned and moved so that one of them lies upright on the first cell."""
    if anchor is None or anchor.best is None:
        return list(cards)
    back = -anchor.best.turns % 4
    x, y = anchor.turned(back, tile_set).at
    return [card.turned(back, tile_set).moved((-x, -y)) for card in cards]


def _is_no_big(card: SeenCard, anchor: SeenCard | None, tile_set: TileSet) -> bool:
    """Say whether a card looks like a big one and is none, since a field has one.

    A hole in a layout may look like half of one, squares of a cloth between cards like a whole.
    """
    best = card.best
    if best is None or best.tile not in tile_set or len(tile_set[best.tile].cells) == 1:
        return False
    doubtful = card.found < SURELY_A_CARD or card.confidence < SURELY_ANOTHER
    return len(card.cells) == 1 or (anchor is not None and doubtful)


def is_card(found: float, enclosed: bool) -> bool:
    """Say whether an outline that looks like nothing in the box is a card all the same."""
    return found >= (SURELY_ENCLOSED if enclosed else SURELY_A_CARD)


def tile_entry(card: SeenCard, field: int | None = None) -> TileEntry:
    """Return a card of the layout as the table state has it."""
    best = card.guesses[0]
    return TileEntry(best.tile, card.outline_px, best.confidence, card.at, turns=best.turns,
                     field=field)  # fmt: skip


def aside_entry(card: SeenCard) -> TileEntry:
    """Return a card beside the layout as the table state has it."""
    return TileEntry(card.guesses[0].tile, card.outline_px, card.confidence)


def guesses_of(card: SeenCard) -> Guesses:
    """Return what a card may be with how sure that is, best first, turns put together."""
    shares: dict[str, float] = defaultdict(float)
    for guess in card.guesses:
        shares[guess.tile] += guess.confidence
    return tuple(sorted(shares.items(), key=lambda item: -item[1]))


def why_of(card: SeenCard) -> str:
    """Return what made a card hard to read, as far as its outline and reading say."""
    return "cut-off" if card.cut_off else card.why or UNKNOWN_TILE
