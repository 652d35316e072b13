"""Looks again at the cells beside a layout that show no table: a card may lie there untaken.

At the far end of a steep view, on a cloth as white as the cards, or half under a hand a card's
outline may be so poor that it is not taken for one. The cards around it say where it must lie, and
the reader whether it does. Where there is no outline at all, no card is made: planks of a table
have straight sides and stripes too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.lattice import Cell
from engine.tiles import TileSet
from vision.cards import CardGroup, SeenCard, card_at
from vision.classify import CellReading
from vision.ground import Ground
from vision.holes import is_paper
from vision.islands import LaidField
from vision.lattice import SQUARE_SIDES, mapped
from vision.types import Bgr, Detection, Points

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sight:
    """What a table can be looked at with once more."""

    bgr: Bgr
    ground: Ground
    look: Callable[[Sequence[Detection]], Sequence[CellReading]]
    """Reads outlines."""
    doubtful: tuple[Points, ...] = ()
    """Middles of outlines that were found and not taken for cards."""


FEWEST_OWN = 3
"""Cards that a lattice must have to say where others lie."""
SURE = 0.98
"""How surely a card must be read whose outline was not taken."""
MOST_DOUBTED = 0.79
"""How sure they can become by that: the game may settle them."""
DISPUTED = 0.5
"""Where a slightly other outline is read so surely as another card, nothing is taken."""
HARDLY_READ = 0.8
"""Cards that are read less surely are looked at where they should lie."""
FOUND = 0.8
"""How sure it is that such a card lies there."""
SHIFTS = ((0.0, 0.0), (-0.1, 0.0), (0.1, 0.0), (0.0, -0.1), (0.0, 0.1))
"""Places where its outline may be, in pitches off the cell."""
MOST_BESIDE = 6
"""Nearest cards whose paper it must show too."""
OUTLINED = 0.35
"""An outline whose middle lies nearer along both axes, in pitches, is a cell's."""
NEAR_CARD = 0.75
"""Nearer to a card that was seen, in pitches, lies no other."""
HARDLY_TABLE = 0.5
"""Cells whose colours are seen so much more rarely than the table's may be cards."""
MOST_WAVES, MOST_CELLS = 12, 24
"""Cells beyond the last seen card, and cells that are looked at each time."""


def with_unseen(
    group: CardGroup, others: Sequence[CardGroup], tile_set: TileSet, sight: Sight
) -> CardGroup:
    """Return a field with cards beside it whose outlines were not taken.

    Args:
        group: the field.
        others: cards that were seen elsewhere.
        tile_set: the box.
        sight: what to look with.
    """
    if len(group.cards) < FEWEST_OWN:
        return group
    group = _with_doubtful(group, tile_set, sight)
    tried = {cell for card in group.cards for cell in card.cells}
    for _ in range(MOST_WAVES):
        field = LaidField.of(group)
        if field is None:
            break
        cells = free_cells(field, group, others, tried)
        tried.update(cells)
        found = _cards(field, group, _covered(field, cells, sight.ground), tile_set, sight)
        if not found:
            break
        group = CardGroup((*group.cards, *found), group.fit)
    return group


def _with_doubtful(group: CardGroup, tile_set: TileSet, sight: Sight) -> CardGroup:
    """Return a field with cards that are hardly read as they look where the others expect them."""
    doubtful = [card for card in group.cards if len(card.cells) == 1 and _is_doubtful(card)]
    sure = tuple(card for card in group.cards if all(card is not one for one in doubtful))
    field = LaidField.of(CardGroup(sure, group.fit)) if len(sure) >= FEWEST_OWN else None
    if field is None or not doubtful:
        return group
    again = [
        _card(field, CardGroup(sure, group.fit), one.at, tile_set, sight)
        for one in doubtful[:MOST_CELLS]
    ]
    seen = {card.at: _doubted(card) for card in again if card is not None}
    return CardGroup(tuple(seen.get(card.at, card) for card in group.cards), group.fit)


def _doubted(card: SeenCard) -> SeenCard:
    """Return a card that its own outline shows less surely than another place."""
    guesses = (replace(g, confidence=MOST_DOUBTED * g.confidence) for g in card.guesses)
    return replace(card, guesses=tuple(guesses))


def _is_doubtful(card: SeenCard) -> bool:
    return card.confidence < HARDLY_READ or card.why is not None


def free_cells(
    field: LaidField, group: CardGroup, others: Sequence[CardGroup], tried: set[Cell]
) -> list[Cell]:
    """Return the cells beside a field's cards at which no card was seen."""
    own = {cell for card in group.cards for cell in card.cells}
    beside = sorted({(x + dx, y + dy) for x, y in own for dx, dy in SQUARE_SIDES} - tried)
    seen = [card.outline_px.mean(axis=0) for other in others for card in other.cards]
    if not beside or not seen:
        return beside
    places = mapped(field.cell_from_px, np.stack(seen))
    apart = np.abs(np.array(beside, float)[:, None] - places[None]).max(axis=2).min(axis=1)
    return [cell for cell, far in zip(beside, apart, strict=True) if far > NEAR_CARD]


def _covered(field: LaidField, cells: Sequence[Cell], ground: Ground) -> list[Cell]:
    """Return those cells, all in the picture, that show no table."""
    if not cells:
        return []
    outlines = field.outlines(np.array(cells, float))
    hidden = ground.hidden(outlines, HARDLY_TABLE) & ground.inside(outlines)
    return [cell for cell, one in zip(cells, hidden, strict=True) if one][:MOST_CELLS]


def _cards(
    field: LaidField, group: CardGroup, cells: Sequence[Cell], tile_set: TileSet, sight: Sight
) -> list[SeenCard]:
    """Return the cards that cells show at which an outline was found."""
    outlined = [cell for cell in cells if _is_outlined(field, cell, sight.doubtful)]
    cards = [_card(field, group, cell, tile_set, sight) for cell in outlined]
    return [card for card in cards if card is not None]


def _card(
    field: LaidField, group: CardGroup, cell: Cell, tile_set: TileSet, sight: Sight
) -> SeenCard | None:
    """Return the card that a cell shows where its outline fits best."""
    places = np.array(cell, float) + np.array(SHIFTS)
    found = [Detection(outline, FOUND) for outline in field.outlines(places)]
    readings = sight.look(found)
    best = max(range(len(found)), key=lambda k: (
        _shows_card(readings[k]), not readings[k].odd, readings[k].best,
    ))  # fmt: skip
    if not _shows_card(readings[best]) or _disputed(readings, readings[best]):
        return None
    if len(tile_set[readings[best].guesses[0].tile].cells) > 1:
        # Half of a big card is none.
        return None
    beside = sorted(group.cards, key=lambda card: _away(card, cell))[:MOST_BESIDE]
    papers = [Detection(card.outline_px, FOUND) for card in beside if len(card.cells) == 1]
    if not papers or not is_paper(sight.bgr, found[best], papers):
        return None
    return card_at(cell, found[best], readings[best], tile_set, group.fit)


def _disputed(readings: Sequence[CellReading], best: CellReading) -> bool:
    """Say whether another place of the outline shows another card as well."""
    first = best.guesses[0]
    return any(
        not one.odd and one.best >= DISPUTED
        and (one.guesses[0].tile, one.guesses[0].turns) != (first.tile, first.turns)
        for one in readings
    )  # fmt: skip


def _away(card: SeenCard, cell: Cell) -> int:
    return abs(card.at[0] - cell[0]) + abs(card.at[1] - cell[1])


def _is_outlined(field: LaidField, cell: Cell, doubtful: Sequence[Points]) -> bool:
    """Say whether an outline was found at a cell."""
    if not doubtful:
        return False
    places = mapped(field.cell_from_px, np.stack(doubtful))
    return bool((np.abs(places - np.array(cell)).max(axis=1) < OUTLINED).any())


def _shows_card(reading: CellReading) -> bool:
    """Say whether a cell shows a card, or half of one."""
    return (
        reading.why is None and reading.best >= SURE and not reading.is_back
        and (not reading.odd or reading.covered)
    )  # fmt: skip
