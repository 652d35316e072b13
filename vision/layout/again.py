"""Looks again at the cells beside a layout that show no table: a card may lie there untaken.

At the far end of a steep view, on a cloth as white as the cards, or half under a hand a card's
outline may be so poor that it is not taken for one. The cards around it say where it must lie, and
the reader whether it does. Where there is no outline at all, a card is made only where a snake goes
on in it, or beyond a thing that hides the cell between: planks of a table have straight sides and
stripes too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.lattice import Cell
from engine.tiles import TileSet
from vision.classify.reader import CellReading
from vision.core.confidences import CLEAR, EXPECTED
from vision.core.ground import HIDDEN, Ground
from vision.core.lattice import cells_beside, mapped
from vision.core.stages import stage
from vision.core.types import Bgr, Detection, Points
from vision.layout.cards import CardGroup, SeenCard, card_at
from vision.layout.holes import is_paper
from vision.layout.islands import SURELY_HIDDEN
from vision.layout.laid_field import LaidField, off_cells
from vision.layout.open_ends import goes_on, is_open, open_sides
from vision.layout.quality import leaves

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
MOST_DOUBTED = 0.79
"""How sure they can become by that: the game may settle them."""
DISPUTED = 0.5
"""Where a slightly other outline is read so surely as another card, nothing is taken."""
HARDLY_READ = 0.8
"""Cards that are read less surely are looked at where they should lie."""
CLEARLY = 0.3
"""What lies no further from its look is a card, though the table may have its colours: a whole one,
since nothing covers it."""
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
NO_TABLE = 0.03
"""Cells whose colours are seen hardly anywhere are no table: planks are seen twice as often."""
FEWEST_BEYOND, MOST_BEYOND = 4, 12
"""Cards that a lattice must have to be continued beyond a hidden cell, and cells looked at."""
MOST_WAVES, MOST_CELLS = 12, 24
"""Cells beyond the last seen card, and cells that are looked at each time."""


@stage("again", without=lambda group, *_: group)
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
    things: set[Cell] = set()
    for _ in range(MOST_WAVES):
        field = LaidField.of(group)
        if field is None:
            break
        alone = _alone(field, others)
        rest = [other for other in others if all(other is not one for one in alone)]
        rest = [other for other in rest if not _lies_across(field, other)]
        cells = free_cells(field, group, rest, tried)
        tried.update(cells)
        covered = _covered(field, cells, sight.ground)
        things.update(cell for cell, shown in covered.items() if shown < SURELY_HIDDEN)
        looking = replace(sight, doubtful=(*sight.doubtful, *(one.centre_px for one in alone)))
        found = _cards(field, group, covered, tile_set, looking)
        if not found:
            break
        group = CardGroup((*group.cards, *found), group.fit)
        # A snake may go on in a cell from a card that was not there when it was looked at.
        tried -= cells_beside({card.at for card in found}) & things
        tried.update(card.at for card in group.cards)
    return _with_beyond(group, things, others, tile_set, sight)


def _with_beyond(
    group: CardGroup, things: set[Cell], others: Sequence[CardGroup], tile_set: TileSet,
    sight: Sight,
) -> CardGroup:  # fmt: skip
    """Return a field with cards beyond a cup or a hand that hides the cell between.

    Args:
        group: the field.
        things: cells beside it that surely show no table.
        others: cards that were seen elsewhere.
        tile_set: the box.
        sight: what to look with.
    """
    field = LaidField.of(group) if things and len(group.cards) >= FEWEST_BEYOND else None
    if field is None:
        return group
    own = {cell for card in group.cards for cell in card.cells}
    beyond = _free_of(field, sorted(cells_beside(things - own) - cells_beside(own) - own), others)
    shown = _covered(field, beyond, sight.ground)
    hidden = [cell for cell in shown if shown[cell] < HIDDEN]
    # Wood at the picture's edge looks like the half of a card.
    size = (sight.bgr.shape[1], sight.bgr.shape[0])
    hidden = [one for one in hidden if not leaves(field.outlines(np.array([one], float))[0], size)]
    cards = (_card(field, group, cell, tile_set, sight) for cell in hidden[:MOST_BEYOND])
    return CardGroup((*group.cards, *(card for card in cards if card is not None)), group.fit)


def _alone(field: LaidField, others: Sequence[CardGroup]) -> list[CardGroup]:
    """Return the single cards that are hardly read and lie on a cell beside a field.

    Their outlines are poor, or they are no part of it. Which of the two, only a look at the cell
    can tell; such as are read well were weighed before.
    """
    lone = [other for other in others if len(other.cards) == 1 and len(other.cards[0].cells) == 1
            and not _is_read(other.cards[0])]  # fmt: skip
    if not lone:
        return []
    places = mapped(field.cell_from_px, np.stack([other.centre_px for other in lone]))
    cells = np.round(places)
    near = (np.abs(places - cells).max(axis=1) < OUTLINED) & (field.away(cells) == 1)
    return [other for other, one in zip(lone, near, strict=True) if one]


def _lies_across(field: LaidField, other: CardGroup) -> bool:
    """Say whether an outline that is hardly read lies half on a field's card, half beside it.

    Where cards touch and all look alike, halves of two of them may look like one.
    """
    if len(other.cards) > 1 or _is_read(other.cards[0]):
        return False
    place = mapped(field.cell_from_px, other.centres_px)
    return bool(np.abs(field.cells - place).max(axis=1).min() < NEAR_CARD)


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
    return CardGroup(tuple(_better(card, seen.get(card.at)) for card in group.cards), group.fit)


def papers_beside(group: CardGroup, cell: Cell) -> list[Detection]:
    """Return the cards nearest to a cell: what their paper looks like, another one's does."""
    nearest = sorted(group.cards, key=lambda card: _away(card, cell))
    beside = [card for card in nearest if card.at != cell][:MOST_BESIDE]
    return [Detection(card.outline_px, EXPECTED) for card in beside if len(card.cells) == 1]


def _better(card: SeenCard, again: SeenCard | None) -> SeenCard:
    """Return a card as it looks where the others expect it, if that says more or something else."""
    if again is None or (_is_read(card) and (again.in_part or _says_the_same(card, again))):
        return card
    return _with_rest(again, card) if _says_the_same(card, again) else again


def _with_rest(card: SeenCard, own: SeenCard) -> SeenCard:
    """Return a card with what else its own outline may show: the game chooses between these too."""
    known = {(guess.tile, guess.turns) for guess in card.guesses}
    others = [guess for guess in own.guesses if (guess.tile, guess.turns) not in known]
    shown = sum(guess.confidence for guess in others)
    left = max(0.0, 1.0 - sum(guess.confidence for guess in card.guesses))
    rest = (replace(g, confidence=g.confidence * min(1.0, left / shown)) for g in others)
    guesses = sorted((*card.guesses, *rest), key=lambda guess: -guess.confidence)
    return replace(card, guesses=tuple(guesses))


def _is_read(card: SeenCard) -> bool:
    return card.why is None and card.confidence >= HARDLY_READ


def _says_the_same(card: SeenCard, other: SeenCard) -> bool:
    a, b = card.best, other.best
    return a is not None and b is not None and (a.tile, a.turns) == (b.tile, b.turns)


def _doubted(card: SeenCard) -> SeenCard:
    """Return a card that its own outline shows less surely than another place."""
    guesses = (replace(g, confidence=MOST_DOUBTED * g.confidence) for g in card.guesses)
    return replace(card, guesses=tuple(guesses))


def _is_doubtful(card: SeenCard) -> bool:
    return card.in_part or not _is_read(card)


def free_cells(
    field: LaidField, group: CardGroup, others: Sequence[CardGroup], tried: set[Cell]
) -> list[Cell]:
    """Return the cells beside a field's cards at which no card was seen."""
    own = {cell for card in group.cards for cell in card.cells}
    return _free_of(field, sorted(cells_beside(own) - tried), others)


def _free_of(field: LaidField, cells: Sequence[Cell], others: Sequence[CardGroup]) -> list[Cell]:
    """Return those of some cells at which no card of other groups was seen."""
    if not cells or not others:
        return list(cells)
    places = mapped(field.cell_from_px, np.concatenate([other.centres_px for other in others]))
    return [cell for cell, far in zip(cells, off_cells(cells, places), strict=True)
            if far > NEAR_CARD]  # fmt: skip


def _covered(field: LaidField, cells: Sequence[Cell], ground: Ground) -> dict[Cell, float]:
    """Return those cells, all in the picture, that show no table, and how little of it they do."""
    if not cells:
        return {}
    outlines = field.outlines(np.array(cells, float))
    shown = ground.shown(outlines)
    hidden = (shown < HARDLY_TABLE) & ground.inside(outlines)
    return {cells[k]: float(shown[k]) for k in np.nonzero(hidden)[0][:MOST_CELLS]}


def _cards(
    field: LaidField, group: CardGroup, cells: Mapping[Cell, float], tile_set: TileSet, sight: Sight
) -> list[SeenCard]:
    """Return the cards that cells show at which an outline was found, or a snake goes on."""
    sides = open_sides(group.cards, tile_set) if cells else {}
    cards = []
    for cell, shown in cells.items():
        outlined = _is_outlined(field, cell, sight.doubtful)
        if outlined or is_open(cell, sides):
            bare = not outlined and shown >= HIDDEN
            card = _card(field, group, cell, tile_set, sight, disputed=not outlined, clearly=bare)
            surely = shown < NO_TABLE
            if card is not None and (
                outlined or goes_on(card, sides, tile_set, surely_a_card=surely)
            ):
                cards.append(card)
    return cards


def _card(
    field: LaidField, group: CardGroup, cell: Cell, tile_set: TileSet, sight: Sight, *,
    disputed: bool = False, clearly: bool = False,
) -> SeenCard | None:  # fmt: skip
    """Return the card that a cell shows where its outline fits best.

    Args:
        field: where cards lie.
        group: their layout.
        cell: the one to look at.
        tile_set: the box.
        sight: what to look with.
        disputed: whether it counts, with doubt, though a slightly other outline shows another card.
        clearly: whether nothing but a card that is clearly seen counts.
    """
    places = np.array(cell, float) + np.array(SHIFTS)
    found = [Detection(outline, EXPECTED) for outline in field.outlines(places)]
    readings = sight.look(found)
    best = max(range(len(found)), key=lambda k: (
        _shows_card(readings[k]), not readings[k].odd, readings[k].best,
    ))  # fmt: skip
    if not _shows_card(readings[best]):
        return None
    if clearly and (readings[best].odd or readings[best].far > CLEARLY):
        return None
    doubt = _disputed(readings, readings[best])
    if doubt and not disputed:
        return None
    if len(tile_set[readings[best].guesses[0].tile].cells) > 1:
        # Half of a big card is none.
        return None
    papers = papers_beside(group, cell)
    if not papers or not is_paper(sight.bgr, found[best], papers):
        return None
    card = card_at(cell, found[best], readings[best], tile_set, group.fit)
    return _doubted(card) if doubt else card


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
        reading.why is None and reading.best >= CLEAR and not reading.is_back
        and (not reading.odd or reading.covered)
    )  # fmt: skip
