"""From lattices and readings to a table state: which tiles are in play, unsure, or aside."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from engine.lattice import Cell, opposite, square_neighbour
from engine.tiles import GREY, TileSet
from vision.classify.reading import CellReading
from vision.core.ground import Ground
from vision.core.stages import stage
from vision.core.tables import Guesses, TileEntry
from vision.core.types import (
    CLEAR,
    DOUBTED,
    LIKELIER,
    TOLD,
    UNKNOWN_TILE,
    Detection,
    Detections,
    Guess,
    LatticeFit,
)
from vision.layout.around import Sight, Signs, recover_missed_cards, with_islands
from vision.layout.cards import (
    LEAST_SEEN,
    SURELY_A_CARD,
    CardGroup,
    Field,
    SeenCard,
    anchor_of,
    carries_on,
    group_cards,
    leaving,
    likely_house,
    sides_of,
)
from vision.layout.fields import LAID, loose_beside, parted
from vision.layout.play import FEWEST_FIELDS, game_fields, has_bigs, likely_in_play, play_signs

UNKNOWN = "unknown"
"""The name of every tile when the request names no box."""
SURELY_ASIDE = 0.6
"""Cards aside that are read less surely are left out of the table state: they are not in play."""
FEWEST_OF_THE_BOX = 3
"""A group outside the fields needs this many surely read cards to count as cards of the box."""
CONFLICT = 0.1
"""Weight of a guess for each side at which it does not continue its neighbour: one table in ten has
a foul, on one card of many."""
NONE_LEFT = 0.02
"""Weight of a guess if all cards of its kind in the box are already used."""
TINY_PX = 16.0
"""Below this median width every card is unsure: in a long row outlines may shift by one cell."""


@dataclass(frozen=True, eq=False)
class Reconstruction:
    """The entries of a table state, and the cards that they come from."""

    tiles: tuple[TileEntry, ...] = ()
    unsure: tuple[TileEntry, ...] = ()
    aside: tuple[TileEntry, ...] = ()
    laid: tuple[SeenCard, ...] = ()
    """The cards of the layout, sure and unsure, in pixels of the picture that was read."""
    lost: tuple[CardGroup, ...] = ()
    """Groups that are surely in play, at unknown cells: their link to the layout is hidden."""


def reconstruct(
    detections: Detections,
    fits: Sequence[LatticeFit],
    readings: Sequence[CellReading],
    tile_set: TileSet,
    sight: Sight | None = None,
) -> Reconstruction:
    """Return what lies on the table, for a known box.

    Args:
        detections: the outlines.
        fits: the lattices that they form.
        readings: what each outline shows, in the same order.
        tile_set: the box.
        sight: recognises bare table between cards, and finds cards without an outline.
    """
    groups = _groups(detections.found, fits, readings, tile_set)
    signs = play_signs(groups, tile_set, detections.size_px)
    likely = likely_in_play(signs)
    fields = [
        f
        for f in game_fields(likely, tile_set)
        if any(card.confidence >= TOLD for card in f.group.cards)
    ]
    ground = None if sight is None else sight.ground
    fields, left = _with_islands(fields, groups, tile_set, ground, signs)
    if sight is not None:
        fields = _with_missed(fields, left, tile_set, sight)
    lost = [g for g in left if _is_lost(g, likely.get(g, 0.0), len(fields), tile_set)]
    if not fields and not lost and not any(map(_shows_cards, groups)):
        # No field and no stock, so nothing is aside either. Chessboards end here.
        return Reconstruction()
    tiny = _across_px(detections) < TINY_PX
    aside = [card for group in left for card in group.cards if card.is_read(SURELY_ASIDE)]
    table = _entries(fields, aside, tile_set, tiny=tiny)
    return replace(table, lost=tuple(lost))


def _groups(
    found: Sequence[Detection],
    fits: Sequence[LatticeFit],
    readings: Sequence[CellReading],
    tile_set: TileSet,
) -> list[CardGroup]:
    """Return the groups of cards that were laid to each other."""
    lattices = [group_cards(found, fit, readings, tile_set) for fit in fits]
    groups = [
        part
        for group in lattices
        for part in parted(
            group, found, readings, tile_set, loose_beside(group, lattices, tile_set)
        )
    ]
    return _with_touching(groups, tile_set)


def _with_missed(
    fields: Sequence[Field], left: Sequence[CardGroup], tile_set: TileSet, sight: Sight
) -> list[Field]:
    """Return the fields, with cards added that the detector missed."""
    out = []
    for field in fields:
        others = [*left, *(other.group for other in fields if other is not field)]
        group = recover_missed_cards(field.group, others, tile_set, sight)
        out.append(replace(field, group=group))
    return out


def _entries(
    fields: Sequence[Field], aside: list[SeenCard], tile_set: TileSet, *, tiny: bool
) -> Reconstruction:
    """Return the entries of a table state.

    Args:
        fields: the game's fields.
        aside: cards beside the fields; surely face-down cards of the fields are appended.
        tile_set: the box.
        tiny: whether the cards are so small that all of them are unsure.
    """
    tiles: list[TileEntry] = []
    unsure: list[TileEntry] = []
    laid: list[SeenCard] = []
    own: list[list[SeenCard]] = []
    for field in fields:
        cards, beside = _own_cards(field, tile_set)
        own.append(cards)
        aside += beside
    every = [card for cards in own for card in cards]
    for field, cards in zip(fields, own, strict=True):
        for settled_card in settled(cards, every, aside, tile_set):
            card = _doubted(settled_card, DOUBTED, "small") if tiny else settled_card
            card = replace(card, laid=min(card.laid, field.laid))
            card = _doubted(card, card.laid)
            laid.append(card)
            entry = tile_entry(card, field.number)
            if card.confidence >= TOLD and card.laid >= LAID and entry.tile in tile_set:
                tiles.append(entry)
            else:
                unsure.append(replace(entry, guesses=guesses_of(card), why=why_of(card)))
    return Reconstruction(
        tuple(tiles), tuple(unsure), tuple(aside_entry(card) for card in aside), tuple(laid)
    )


def _is_lost(group: CardGroup, likely: float, fields: int, tile_set: TileSet) -> bool:
    """Say whether a group outside the fields is surely in play.

    Args:
        group: the cards.
        likely: the probability that they are in play.
        fields: the number of fields that are seen.
        tile_set: the box.
    """
    missing = has_bigs(tile_set) and fields < FEWEST_FIELDS
    if (
        missing
        and anchor_of(group, tile_set) is None
        and any(card.is_front(CLEAR) and card.found >= SURELY_A_CARD for card in group.cards)
    ):
        # A field is hidden or outside the picture. Where one is seen, these may be a stock instead.
        cut = any(card.cut_off for card in group.cards)
        if not fields or cut or likely >= LIKELIER:
            return True
    return likely >= CLEAR and _shows_cards(group)


def _shows_cards(group: CardGroup) -> bool:
    """Say whether a lattice surely shows cards of the box."""
    return sum(card.is_read(TOLD) for card in group.cards) >= FEWEST_OF_THE_BOX


def _across_px(detections: Detections) -> float:
    """Return the median width of the outlines."""
    return median(detection.across_px for detection in detections.found)


def _doubted(card: SeenCard, share: float, why: str | None = None) -> SeenCard:
    guesses = tuple(replace(g, confidence=g.confidence * share) for g in card.guesses)
    return replace(card, guesses=guesses, why=card.why or why)


def _with_touching(groups: Sequence[CardGroup], tile_set: TileSet) -> list[CardGroup]:
    """Return the groups; in Sssnake those that touch a big card's group are merged into it."""
    if not has_bigs(tile_set):
        return list(groups)
    anchored = [group for group in groups if anchor_of(group, tile_set) is not None]
    left = [group for group in groups if group not in anchored]
    grown = []
    for big in anchored:
        group, taken = with_islands(big, left, tile_set)
        left = [other for other in left if other not in taken]
        grown.append(group)
    return [*grown, *left]


def _with_islands(
    fields: Sequence[Field],
    groups: Sequence[CardGroup],
    tile_set: TileSet,
    ground: Ground | None,
    signs: Signs,
) -> tuple[list[Field], list[CardGroup]]:
    """Return the fields with their islands, and the groups that are left."""
    own = {field.group for field in fields}
    left = [group for group in groups if group not in own]
    grown = []
    for field in fields:
        others = [other for other in left if anchor_of(other, tile_set) is None]
        group, taken = with_islands(field.group, others, tile_set, ground, signs)
        left = [other for other in left if other not in taken]
        grown.append(replace(field, group=group))
    return grown, left


@stage("settle", without=lambda cards, *_: tuple(cards))
def settled(
    cards: Sequence[SeenCard],
    every: Iterable[SeenCard],
    aside: Iterable[SeenCard],
    tile_set: TileSet,
) -> tuple[SeenCard, ...]:
    """Return the cards of one layout; the box and the neighbours re-weight unsure guesses.

    A card with a ``why`` stays as it is: nothing in the box looks like it.

    Args:
        cards: the cards of the layout.
        every: the cards of all layouts of the table, this one included: they share one box.
        aside: the cards beside the layouts.
        tile_set: the box.
    """
    told = [card for card in every if card.confidence >= TOLD]
    over = set(_too_many(told, tile_set))
    used = Counter(
        card.guesses[0].tile
        for card in (*told, *aside)
        if card.confidence >= TOLD and card not in over
    )
    sure = [card for card in cards if card.confidence >= TOLD and card not in over]
    if len(sure) == len(cards):
        return tuple(cards)
    sides = dict(sides_of(sure, tile_set))
    weighed = (
        card if card in sure or card.why else _weighed(card, sides, used, tile_set)
        for card in cards
    )
    return tuple(
        _one_too_many(after) if card in over else after
        for card, after in zip(cards, weighed, strict=True)
    )


def _one_too_many(card: SeenCard) -> SeenCard:
    """Return a card that exceeds the box's count, its confidence lowered to ``LIKELIER``."""
    return _doubted(card, LIKELIER / max(card.confidence, LIKELIER))


def _too_many(sure: Iterable[SeenCard], tile_set: TileSet) -> list[SeenCard]:
    """Return the cards that exceed the box's count of their kind, the least sure ones."""
    same: dict[str, list[SeenCard]] = {}
    for card in sorted(sure, key=lambda card: -card.confidence):
        same.setdefault(card.guesses[0].tile, []).append(card)
    return [
        c for tile, cards in same.items() if tile in tile_set for c in cards[tile_set[tile].count :]
    ]


def _weighed(
    card: SeenCard,
    sides: Mapping[tuple[Cell, int], str | None],
    used: Counter[str],
    tile_set: TileSet,
) -> SeenCard:
    worth: dict[Guess, float] = {}
    for guess in card.guesses:
        share = guess.confidence
        if guess.tile not in tile_set:
            # A face-down card in a layout is as unusual as one that does not continue a snake.
            share *= CONFLICT
        else:
            share *= CONFLICT ** _conflicts(card.at, guess, sides, tile_set)
            if used[guess.tile] >= tile_set[guess.tile].count:
                share *= NONE_LEFT
            share *= _rarity(guess, card, used, tile_set)
        worth[guess] = share
    # The share of "not a tile of this box" stays: the rules say nothing about it.
    rest = max(0.0, 1.0 - sum(guess.confidence for guess in card.guesses))
    total = sum(worth.values()) + rest
    if total <= 0:
        return card
    ranked = sorted(card.guesses, key=lambda g: -worth[g])
    if not ranked or ranked[0].confidence < LEAST_SEEN:
        return card
    guesses = tuple(replace(g, confidence=min(CLEAR, worth[g] / total)) for g in ranked)
    return replace(card, guesses=guesses)


def _rarity(guess: Guess, card: SeenCard, used: Mapping[str, int], tile_set: TileSet) -> float:
    """Return the prior of a guess: how many of its kind the box has left, against its rivals.

    It applies to grey cards, which are rare but continue any colour, so no neighbour contradicts
    them; and to cards at the picture's edge, whose visible part several kinds may share.
    """
    kind = tile_set[guess.tile]
    grey = bool(kind.strands) and all(strand.colour == GREY for strand in kind.strands)
    if not grey and not card.cut_off:
        return 1.0
    shape = [strand.edges for strand in kind.turned(guess.turns)]
    rivals = [
        tile_set[other.tile].count - used[other.tile]
        for other in card.guesses
        if other.tile in tile_set
        and other.tile != guess.tile
        and (card.cut_off or shape == [s.edges for s in tile_set[other.tile].turned(other.turns)])
    ]
    left = max(1, kind.count - used[guess.tile])
    return min(1.0, left / max([1, *rivals]))


def _conflicts(
    at: Cell, guess: Guess, sides: Mapping[tuple[Cell, int], str | None], tile_set: TileSet
) -> int:
    """Return the number of sides at which a guess does not continue a sure neighbour."""
    kind = tile_set[guess.tile]
    if not kind.strands or len(kind.cells) > 1:
        return 0
    wrong = 0
    for edge in range(4):
        key = (square_neighbour(at, edge), opposite(edge))
        if key in sides:
            wrong += not carries_on(leaving(kind, guess.turns, edge), sides[key])
    return wrong


def reconstruct_unknown(detections: Detections, fits: Sequence[LatticeFit]) -> Reconstruction:
    """Return where tiles of any box lie, all called ``unknown``."""
    found = detections.found
    groups = []
    for fit in fits:
        if len(fit.cells) == 1 and not _stands_alone(found[next(iter(fit.cells.values()))]):
            continue
        cards = tuple(
            SeenCard(
                cell, (cell,), (), found[i].corners_px, found[i].cut_off, found=found[i].confidence
            )
            for cell, i in sorted(fit.cells.items())
        )
        groups.append(CardGroup(cards, fit))
    if not groups:
        return Reconstruction()
    main = max(groups, key=lambda group: len(group.cards))
    entries = tuple(
        TileEntry(UNKNOWN, card.outline_px, card.found, at=card.at, turns=0) for card in main.cards
    )
    aside = tuple(
        TileEntry(UNKNOWN, card.outline_px, card.found)
        for group in groups
        if group is not main
        for card in group.cards
    )
    return Reconstruction(entries, (), aside, main.cards)


def _stands_alone(one: Detection) -> bool:
    """Say whether an outline without neighbours counts as a tile when the box is unknown."""
    return one.confidence >= SURELY_A_CARD and not one.cut_off


def _own_cards(field: Field, tile_set: TileSet) -> tuple[list[SeenCard], list[SeenCard]]:
    """Return a field's cards and its surely face-down ones, counted from its house or big card."""
    cards = list(field.group.cards)
    anchor = anchor_of(field.group, tile_set)
    cards = [c for c in cards if c is anchor or not _is_no_big(c, anchor, tile_set)]
    if anchor is None:
        anchor = likely_house(field.group, tile_set)
        cards = [anchor if anchor is not None and c.at == anchor.at else c for c in cards]
    cards = _counted_from(anchor, cards, tile_set)
    read = [card for card in cards if card.best is not None]
    backs = [card for card in read if card.is_read(TOLD) and not card.is_front()]
    return [card for card in read if card not in backs], backs


def _counted_from(
    anchor: SeenCard | None, cards: Sequence[SeenCard], tile_set: TileSet
) -> list[SeenCard]:
    """Return the cards, turned and moved so that the anchor lies upright on cell ``(0, 0)``."""
    if anchor is None or anchor.best is None:
        return list(cards)
    back = -anchor.best.turns % 4
    x, y = anchor.turned(back, tile_set).at
    return [card.turned(back, tile_set).moved((-x, -y)) for card in cards]


def _is_no_big(card: SeenCard, anchor: SeenCard | None, tile_set: TileSet) -> bool:
    """Say whether a card only looks like a big card; a field has a single one.

    A hole in a layout may look like half a big card, a checked cloth like a whole one.
    """
    best = card.best
    if best is None or best.tile not in tile_set or len(tile_set[best.tile].cells) == 1:
        return False
    return len(card.cells) == 1 or (anchor is not None and not card.is_beyond_doubt)


def tile_entry(card: SeenCard, field: int | None = None) -> TileEntry:
    """Return the table state's entry for a card of the layout."""
    best = card.guesses[0]
    return TileEntry(
        best.tile, card.outline_px, best.confidence, card.at, turns=best.turns, field=field
    )


def aside_entry(card: SeenCard) -> TileEntry:
    """Return the table state's entry for a card aside."""
    return TileEntry(card.guesses[0].tile, card.outline_px, card.confidence)


def guesses_of(card: SeenCard) -> Guesses:
    """Return a card's guesses by tile, best first; confidences are summed over all turns."""
    shares: dict[str, float] = defaultdict(float)
    for guess in card.guesses:
        shares[guess.tile] += guess.confidence
    return tuple(sorted(shares.items(), key=lambda item: -item[1]))


def why_of(card: SeenCard) -> str:
    """Return why a card is unsure, as far as its outline and reading tell."""
    return "cut-off" if card.cut_off else card.why or UNKNOWN_TILE
