"""Looks at the cells beside a layout that show no table: a card may lie there that was not found.

At the far end of a steep view, on a cloth as white as the cards, or half under a hand a card's
outline may be so poor that it is not taken for one. The cards around it say where it must lie, the
reader whether it does. Where no outline was found at all, a snake must go on in it: planks of a
table have straight sides and stripes too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.lattice import Cell, opposite, square_neighbour
from engine.tiles import TileSet
from vision.classify.reader import CellReading
from vision.core.confidences import CLEAR, EXPECTED
from vision.core.ground import Ground
from vision.core.lattice import cells_beside, mapped
from vision.core.stages import stage
from vision.core.types import Bgr, Detection, Points
from vision.layout.cards import CardGroup, SeenCard, card_at
from vision.layout.islands import LaidField, off_cells
from vision.layout.settle import SURE, carries_on, sides_of


@dataclass(frozen=True, eq=False)
class Sight:
    """What a table can be looked at with once more."""

    bgr: Bgr
    ground: Ground
    look: Callable[[Sequence[Detection]], Sequence[CellReading]]
    """Reads outlines."""
    doubtful: tuple[Points, ...] = ()
    """Middles of outlines that were found and not taken for cards."""


HARDLY_READ = 0.8
"""Cards that are read less surely are looked at where they should lie."""
FEWEST_OWN = 3
"""Cards that a lattice must have to say where others lie."""
SHIFTS = ((0.0, 0.0), (-0.1, 0.0), (0.1, 0.0), (0.0, -0.1), (0.0, 0.1))
"""Places where an outline may be, in pitches off its cell."""
OUTLINED, NEAR_CARD = 0.35, 0.75
"""An outline nearer to a cell's middle, in pitches, is its own; nearer to a card lies no other."""
HARDLY_TABLE = 0.5
"""Cells whose colours are seen so much more rarely than the table's may be cards."""
MOST_WAVES, MOST_CELLS = 12, 24
"""Cells beyond the last seen card, and cells that are looked at each time."""


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
    lone = [one for one in others if len(one.cards) == 1 and not _is_read(one.cards[0])]
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
        field = LaidField.of(group)
        own = {cell for card in group.cards for cell in card.cells}
        # A snake may go on in a cell from a card that was not there when it was looked at.
        ring = {(cell, len(cells_beside({cell}) & own)) for cell in cells_beside(own) - own}
        cells = sorted(cell for cell, _ in ring - tried)
        tried |= ring
        found = [] if field is None else _cards(field, group, others, cells, tile_set, sight)
        if not found:
            break
        group = CardGroup((*group.cards, *found), group.fit)
    return group


def _is_read(card: SeenCard) -> bool:
    return card.why is None and card.confidence >= HARDLY_READ


def _with_doubtful(group: CardGroup, tile_set: TileSet, sight: Sight) -> CardGroup:
    """Return a field with cards that are hardly read as they look where the others expect them.

    Such as are read in part may only be outlined badly: then others see all of them there.
    """
    doubtful = [
        card for card in group.cards
        if len(card.cells) == 1 and (card.in_part or not _is_read(card))
    ]  # fmt: skip
    sure = tuple(card for card in group.cards if all(card is not one for one in doubtful))
    rest = CardGroup(sure, group.fit)
    field = LaidField.of(rest) if doubtful and len(sure) >= FEWEST_OWN else None
    if field is None:
        return group
    found = _cards(field, rest, (), [card.at for card in doubtful], tile_set, sight)
    again = {card.at: card for card in found}
    return CardGroup(tuple(again.get(card.at, card) for card in group.cards), group.fit)


def _cards(
    field: LaidField, group: CardGroup, others: Sequence[CardGroup], cells: Sequence[Cell],
    tile_set: TileSet, sight: Sight,
) -> list[SeenCard]:  # fmt: skip
    """Return the cards that some cells show, all of them looked at together."""
    sides = dict(sides_of((card for card in group.cards if card.confidence >= SURE), tile_set))
    marks = mapped(field.cell_from_px, np.array(sight.doubtful).reshape(-1, 2))
    outlined = {cell for cell in cells if _near(cell, marks, OUTLINED)}
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


def _free(field: LaidField, cells: Sequence[Cell], others: Sequence[CardGroup]) -> list[Cell]:
    """Return those of some cells at which no card of other groups was seen."""
    at = [mapped(field.cell_from_px, other.centres_px) for other in others]
    seen = np.concatenate([*at, np.zeros((0, 2))])
    return [cell for cell in cells if not _near(cell, seen, NEAR_CARD)]


def _near(cell: Cell, places: np.ndarray, least: float) -> bool:
    """Say whether one of some places lies at a cell."""
    return bool(len(places)) and bool(off_cells([cell], places)[0] < least)


def _not_table(field: LaidField, cells: Sequence[Cell], ground: Ground) -> list[Cell]:
    """Return those cells, all in the picture, that show no table."""
    if not cells:
        return []
    outlines = field.outlines(np.array(cells, float))
    hidden = (ground.shown(outlines) < HARDLY_TABLE) & ground.inside(outlines)
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
