"""What lies around a field: parts of it beyond what hides the way, and cards that were not found.

What touches a field on a lattice of its own belongs to it if the score of joints says so. What lies
off must fit the field's lattice, be no sorted stock, and nowhere may bare table be seen between: a
layout hangs together. That it does belong cannot be seen, so these cards are asked about.

At the far end of a steep view, on a cloth as white as the cards, or half under a hand a card's
outline may be so poor that it is not taken for one. The cards around it say where it must lie, the
reader whether it does. Where no outline was found at all, a snake must go on in it: planks of a
table have straight sides and stripes too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.lattice import Cell, opposite, square_neighbour
from engine.tiles import TileSet
from vision.classify.reader import CellReading
from vision.core.ground import HARDLY_TABLE, Ground
from vision.core.lattice import FAR_MISS, LaidCells, cells_beside, mapped, turned_cell
from vision.core.stages import stage
from vision.core.types import (
    CLEAR,
    DOUBTED,
    EXPECTED,
    LIKELIER,
    SAME_PLACE,
    TOLD,
    Detection,
    Points,
)
from vision.layout.cards import (
    MOST_TURNED_DEG,
    CardGroup,
    SeenCard,
    card_at,
    carries_on,
    sides_of,
)
from vision.layout.fields import likely_joined, loose_beside

Array = NDArray[np.float64]

TOUCHING, FAR = 1, 6
"""Cells from an island to the field: beside it, beyond a hand."""
FEWEST_OWN, FEWEST_TOGETHER = 3, 4
"""Cards that a field must have to say where others lie, and with an island beyond a hand."""
ANY_CELL = 0.5
"""Pitches that an island which touches may lie off where the nearest card expects it."""
ON_CELL = 0.8
"""A card whose middle lies nearer to a cell's along both axes, in pitches, is seen there."""
SHIFTS = ((0.0, 0.0), (-0.1, 0.0), (0.1, 0.0), (0.0, -0.1), (0.0, 0.1))
"""Places where an outline may be, in pitches off its cell."""
MOST_WAVES, MOST_CELLS = 12, 24
"""Cells beyond the last seen card, and cells that are looked at each time."""


@dataclass(frozen=True, eq=False)
class Sight:
    """What a table can be looked at with once more."""

    ground: Ground
    look: Callable[[Sequence[Detection]], Sequence[CellReading]]
    """Reads outlines."""
    doubtful: tuple[Points, ...] = ()
    """Middles of outlines that were found and not taken for cards."""


@stage("islands", without=lambda group, *_: (group, ()))
def with_islands(
    group: CardGroup, others: Sequence[CardGroup], tile_set: TileSet, ground: Ground | None = None,
    played: Collection[CardGroup] = (),
) -> tuple[CardGroup, tuple[CardGroup, ...]]:  # fmt: skip
    """Return a field with the islands that continue it, and the groups that were taken.

    Args:
        group: the field.
        others: what may belong to it.
        tile_set: the box.
        ground: what the table looks like, to see whether it is seen between; without, only what
            touches is taken.
        played: what is rather in play than a stock; no other lies beyond what hides the way.
    """
    taken: list[CardGroup] = []
    left = sorted(others, key=lambda other: -len(other.cards))
    while True:
        field = group.laid()
        # An island may be what the next one touches.
        found = field and next((
            (other, cards) for other in left
            if (cards := _continued(group, field, other, left, tile_set,
                                    ground if other in played else None))
        ), None)  # fmt: skip
        if not found:
            return group, tuple(taken)
        group = replace(group, cards=(*group.cards, *found[1]))
        taken.append(found[0])
        left = [other for other in left if other is not found[0]]


@dataclass(frozen=True, eq=False)
class _Placed:
    """An island by a field's own cells."""

    turns: int
    shift: Cell
    target: Array
    """Its cells, N x 2."""
    away: int
    """How many cells it lies off."""
    off: float
    """Pitches that its cards lie beside these cells, those near to the field."""

    def cards(self, other: CardGroup, tile_set: TileSet) -> tuple[SeenCard, ...]:
        """Return its cards, turned and moved."""
        return tuple(card.turned(self.turns, tile_set).moved(self.shift) for card in other.cards)


def _placed(field: LaidCells, other: CardGroup) -> _Placed | None:
    """Return where a group lies by a field's cells; nothing where it lies askew."""
    cells = [cell for card in other.cards for cell in card.cells]
    places = field.place(mapped(other.fit.px_from_cell, np.array(cells, float)))
    turns = _turns(field, other)
    if turns is None or not np.isfinite(places).all():
        return None
    nearest = int(field.away(places).argmin())
    first = turned_cell(cells[nearest], turns)
    x, y = np.round(places[nearest])
    shift = (int(x) - first[0], int(y) - first[1])
    moved = [turned_cell(cell, turns) for cell in cells]
    target = np.array([(x + shift[0], y + shift[1]) for x, y in moved], float)
    away = field.away(target)
    off = np.linalg.norm(places - target, axis=1)[away <= away.min() + 1]
    return _Placed(turns, shift, target, int(away.min()), float(off.max()))


def _continued(
    group: CardGroup, field: LaidCells, other: CardGroup, others: Sequence[CardGroup],
    tile_set: TileSet, ground: Ground | None,
) -> tuple[SeenCard, ...]:  # fmt: skip
    """Return an island's cards by the field's own cells; none where it does not continue it."""
    if not any(card.found >= LIKELIER and card.is_front(LIKELIER) for card in other.cards):
        return ()
    placed = _placed(field, other)
    if placed is None or not TOUCHING <= placed.away <= FAR:
        return ()
    likely = 0.0
    if placed.away == TOUCHING and placed.off < ANY_CELL:
        beside = loose_beside(other, others, tile_set)
        likely = likely_joined(group.cards, placed.cards(other, tile_set), tile_set, beside)
    elif ground is not None and len(group.cards) + len(other.cards) >= FEWEST_TOGETHER:
        fits = placed.away > TOUCHING and placed.off <= FAR_MISS
        likely = DOUBTED * (fits and _is_hidden(field, placed, other, others, ground))
    if likely < LIKELIER:
        return ()
    cards = placed.cards(other, tile_set)
    return tuple(replace(card, laid=min(card.laid, likely)) for card in cards)


def touching_cards(
    field: LaidCells, other: CardGroup, tile_set: TileSet
) -> tuple[SeenCard, ...] | None:
    """Return the cards of a group that touches a field, by the field's own cells."""
    placed = _placed(field, other)
    if placed is None or placed.away != TOUCHING or placed.off >= ANY_CELL:
        return None
    return placed.cards(other, tile_set)


def _is_hidden(
    field: LaidCells, placed: _Placed, island: CardGroup, others: Sequence[CardGroup],
    ground: Ground,
) -> bool:  # fmt: skip
    """Say whether cells that show neither table nor cards lead from an island to the field."""
    own = {(int(x), int(y)) for x, y in field.cells}
    steps = {(int(x), int(y)) for x, y in placed.target}
    reached = set(steps)
    elsewhere = [other for other in others if other is not island]
    for left in range(FAR, 0, -1):
        edge = cells_beside(steps)
        if edge & own:
            return True
        cells = _free(field, field.within(sorted(edge - reached), left - 1), elsewhere)
        if not cells:
            return False
        hidden = ground.hidden(field.outlines(np.array(cells, float)))
        steps = {cell for cell, one in zip(cells, hidden, strict=True) if one}
        reached |= steps
    return False


def _turns(field: LaidCells, other: CardGroup) -> int | None:
    """Return the quarter turns from an island's axes to the field's, if they are whole ones."""
    ends = np.array([(-0.5, 0), (0.5, 0)]) + np.array(other.cards[0].at, float)
    start, end = mapped(field.cell_from_px, mapped(other.fit.px_from_cell, ends))
    angle = float(np.degrees(np.arctan2(end[1] - start[1], end[0] - start[0])))
    turns = round(angle / 90)
    return turns % 4 if abs(angle - 90 * turns) <= MOST_TURNED_DEG else None


@stage("missed", without=lambda group, *_: group)
def recover_missed_cards(
    group: CardGroup, others: Sequence[CardGroup], tile_set: TileSet, sight: Sight
) -> CardGroup:
    """Return a field with cards beside it whose outlines were not taken.

    Args:
        group: the field.
        others: cards that were seen elsewhere.
        tile_set: the box.
        sight: what to look with.
    """
    lone = [one for one in others if len(one.cards) == 1 and not one.cards[0].is_read(TOLD)]
    others = [one for one in others if all(one is not other for other in lone)]
    sight = replace(sight, doubtful=(*sight.doubtful, *(one.centre_px for one in lone)))
    group = _with_doubtful(group, tile_set, sight)
    return _grown(group, others, tile_set, sight) if len(group.cards) >= FEWEST_OWN else group


def _grown(
    group: CardGroup, others: Sequence[CardGroup], tile_set: TileSet, sight: Sight
) -> CardGroup:
    """Return a field with what lies around it, from ring to ring."""
    tried: set[tuple[Cell, int]] = set()
    for _ in range(MOST_WAVES):
        field = group.laid()
        own = {cell for card in group.cards for cell in card.cells}
        # A snake may go on in a cell from a card that was not there when it was looked at.
        ring = {(cell, len(cells_beside({cell}) & own)) for cell in cells_beside(own) - own}
        cells = sorted(cell for cell, _ in ring - tried)
        tried |= ring
        found = [] if field is None else _cards(field, group, others, cells, tile_set, sight)
        if not found:
            break
        group = replace(group, cards=(*group.cards, *found))
    return group


def _with_doubtful(group: CardGroup, tile_set: TileSet, sight: Sight) -> CardGroup:
    """Return a field with cards that are hardly read as they look where the others expect them.

    Such as are read in part may only be outlined badly: then others see all of them there.
    """
    doubtful = [
        card for card in group.cards
        if len(card.cells) == 1 and (card.in_part or not card.is_read(TOLD))
    ]  # fmt: skip
    sure = tuple(card for card in group.cards if all(card is not one for one in doubtful))
    rest = CardGroup(sure, group.fit)
    field = rest.laid() if doubtful and len(sure) >= FEWEST_OWN else None
    if field is None:
        return group
    found = _cards(field, rest, (), [card.at for card in doubtful], tile_set, sight)
    again = {card.at: card for card in found}
    return CardGroup(tuple(again.get(card.at, card) for card in group.cards), group.fit)


def _cards(
    field: LaidCells, group: CardGroup, others: Sequence[CardGroup], cells: Sequence[Cell],
    tile_set: TileSet, sight: Sight,
) -> list[SeenCard]:  # fmt: skip
    """Return the cards that some cells show, all of them looked at together."""
    sides = dict(sides_of((card for card in group.cards if card.confidence >= TOLD), tile_set))
    marks = mapped(field.cell_from_px, np.array(sight.doubtful).reshape(-1, 2))
    outlined = {cell for cell in cells if _near(cell, marks, SAME_PLACE)}
    cells = [cell for cell in cells if cell in outlined or _is_open(cell, sides)]
    cells = _not_table(field, _free(field, cells, others), sight.ground)[:MOST_CELLS]
    if not cells:
        return []
    places = (np.array(cells, float)[:, None] + np.array(SHIFTS)).reshape(-1, 2)
    looked = [Detection(outline, EXPECTED) for outline in field.outlines(places)]
    readings = sight.look(looked)
    cards = []
    for number, cell in enumerate(cells):
        tries = range(number * len(SHIFTS), (number + 1) * len(SHIFTS))
        best = max(tries, key=lambda k: _seen(readings[k], tile_set))
        if _shows_card(readings[best], tile_set):
            card = card_at(cell, looked[best], readings[best], tile_set, group.fit)
            if _goes_on(card, sides, tile_set, outlined=cell in outlined):
                cards.append(card)
    return cards


Sides = Mapping[tuple[Cell, int], str | None]
"""What leaves each side of each card."""


def _is_open(cell: Cell, sides: Sides) -> bool:
    """Say whether a snake goes on into a cell."""
    every = ((square_neighbour(cell, edge), opposite(edge)) for edge in range(4))
    return any(sides.get(side) is not None for side in every)


def _free(field: LaidCells, cells: Sequence[Cell], others: Sequence[CardGroup]) -> list[Cell]:
    """Return those of some cells at which no card of other groups was seen."""
    at = [mapped(field.cell_from_px, other.centres_px) for other in others]
    seen = np.concatenate([*at, np.zeros((0, 2))])
    return [cell for cell in cells if not _near(cell, seen, ON_CELL)]


def _near(cell: Cell, places: Array, least: float) -> bool:
    """Say whether one of some places lies at a cell, nearer than that along both axes."""
    return bool((np.abs(places - np.array(cell, float)).max(axis=1) < least).any())


def _not_table(field: LaidCells, cells: Sequence[Cell], ground: Ground) -> list[Cell]:
    """Return those cells, all in the picture, that show no table."""
    if not cells:
        return []
    outlines = field.outlines(np.array(cells, float))
    hidden = ground.hidden(outlines, HARDLY_TABLE) & ground.inside(outlines)
    return [cell for cell, one in zip(cells, hidden, strict=True) if one]


def _shows_card(reading: CellReading, tile_set: TileSet) -> bool:
    """Say whether a cell shows a card of one cell, or half of one."""
    return (
        reading.why is None and reading.best >= CLEAR and not reading.is_back
        and (not reading.odd or reading.covered)
        and len(tile_set[reading.guesses[0].tile].cells) == 1
    )  # fmt: skip


def _seen(reading: CellReading, tile_set: TileSet) -> tuple[bool, bool, float]:
    """Return how well a place shows a card: a whole one says more than a half."""
    return _shows_card(reading, tile_set), not reading.odd, reading.best


def _goes_on(card: SeenCard, sides: Sides, tile_set: TileSet, *, outlined: bool) -> bool:
    """Say whether all that ends at a card goes on in it; without an outline one snake must."""
    met = [
        (leaving, sides[there]) for (at, edge), leaving in sides_of([card], tile_set)
        if (there := (square_neighbour(at, edge), opposite(edge))) in sides
    ]  # fmt: skip
    joined = outlined or any(None not in pair for pair in met)
    return joined and all(carries_on(*pair) for pair in met)
