"""Extends a field: islands beyond an occlusion, and cards that the detector missed.

An island is a group on a lattice of its own. If it touches a field, the merge score decides whether
it belongs. If it lies farther off, occluded cells must link it, since a layout is connected, and a
score of its own says how likely it is no stock. Such cards stay unsure and are asked about.

At the far end of a steep view, on a cloth as white as the cards, or half under a hand, a card's
outline may be too poor to be accepted. The neighbours predict its cell and the reader confirms it.
Without any outline a snake must continue in it, since planks have straight sides and stripes too.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.lattice import Cell, opposite, square_neighbour
from engine.tiles import TileSet
from vision.classify.evidence import Trees, load_trees
from vision.classify.reading import CellReading
from vision.core.files import TRAINED
from vision.core.ground import HARDLY_TABLE, Ground
from vision.core.lattice import LaidCells, cells_beside, mapped, turned_cell
from vision.core.stages import stage
from vision.core.types import (
    CLEAR,
    DOUBTED,
    EXPECTED,
    LIKELIER,
    SAME_PLACE,
    TOLD,
    Detection,
    LatticeFit,
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
from vision.layout.fields import likely_joined, loose_beside, over_the_box
from vision.layout.play import NUMBERS as PLAY_NUMBERS

Array = NDArray[np.float64]

TOUCHING, FAR = 1, 6
"""Distance from an island to the field, in cells: touching, and at most, beyond an occlusion."""
FEWEST_OWN = 3
"""Least cards of a field to predict others."""
ANY_CELL = 0.5
"""Largest offset of a touching island from its predicted cells, in pitches."""
ON_CELL = 0.8
"""A card occupies a cell if their centres are nearer than this along both axes, in pitches."""
SHIFTS = ((0.0, 0.0), (-0.1, 0.0), (0.1, 0.0), (0.0, -0.1), (0.0, 0.1))
"""Offsets from a cell's centre at which an outline is tried, in pitches."""
MOST_WAVES, MOST_CELLS = 12, 24
"""Most rings of cells around the seen cards to search, and most cells read per ring."""


NUMBERS = (*PLAY_NUMBERS, "cells_away", "off", "turned", "field", "loose", "over")
"""The features of an island that does not touch the field, in this order."""


@cache
def shipped_score(folder: Path = TRAINED) -> Trees:
    """Return the fitted score of islands that the repository ships, loaded on first use."""
    return load_trees("islands", NUMBERS, folder)


class Covering(Protocol):
    """Knows where something hides the table."""

    def hidden(self, outlines: Array) -> NDArray[np.bool_]:
        """Return for each outline, N x 4 x 2, whether it is hidden or outside the picture."""


Signs = Mapping[CardGroup, Array]
"""The features of each face-up group of a table, as the score of cards in play has them."""


@dataclass(frozen=True, eq=False)
class Sight:
    """Access to the picture for a second look at the table."""

    ground: Ground
    look: Callable[[Sequence[Detection]], Sequence[CellReading]]
    """Reads outlines."""
    doubtful: tuple[Points, ...] = ()
    """Centres of outlines that were found but not accepted as cards."""


@stage("islands", without=lambda group, *_: (group, ()))
def with_islands(
    group: CardGroup,
    others: Sequence[CardGroup],
    tile_set: TileSet,
    ground: Ground | None = None,
    signs: Signs | None = None,
) -> tuple[CardGroup, tuple[CardGroup, ...]]:
    """Return a field with the islands that continue it, and the groups that it absorbed.

    Args:
        group: the field.
        others: groups that may belong to it.
        tile_set: the box.
        ground: the table's appearance, to tell occluded cells from bare table; without it only
            touching groups are absorbed.
        signs: what tells groups in play from stocks.
    """
    taken: list[CardGroup] = []
    left = sorted(others, key=lambda other: -len(other.cards))
    while True:
        field = group.laid()
        # An absorbed island may be what the next one touches.
        found = field and next(
            (
                (other, cards)
                for other in left
                if (cards := _continued(group, field, other, left, tile_set, ground, signs or {}))
            ),
            None,
        )
        if not found:
            return group, tuple(taken)
        group = replace(group, cards=(*group.cards, *found[1]))
        taken.append(found[0])
        left = [other for other in left if other is not found[0]]


@dataclass(frozen=True, eq=False)
class Placed:
    """An island's position in a field's cells."""

    field: LaidCells
    island: CardGroup
    turns: int
    shift: Cell
    target: Array
    """The field's cells that the island covers, N x 2."""
    away: int
    """Distance from the field, in cells."""
    off: float
    """Largest offset of the island's nearest cards from the centres of their cells, in pitches."""
    turned_deg: float
    """Angle between the island's axes and the field's."""

    @property
    def touches(self) -> bool:
        """Whether the island may have been laid to the field's own cards."""
        return self.away == TOUCHING and self.off < ANY_CELL

    def cards(self, tile_set: TileSet) -> tuple[SeenCard, ...]:
        """Return the island's cards in the field's cells."""
        own = self.island.cards
        return tuple(card.turned(self.turns, tile_set).moved(self.shift) for card in own)


def placed_in(field: LaidCells, other: CardGroup) -> Placed | None:
    """Return a group's position in a field's cells; ``None`` if it lies askew."""
    cells = [cell for card in other.cards for cell in card.cells]
    places = field.place(mapped(other.fit.px_from_cell, np.array(cells, float)))
    turns, turned_deg = _turns(field, other)
    if turned_deg > MOST_TURNED_DEG or not np.isfinite(places).all():
        return None
    nearest = int(field.away(places).argmin())
    first = turned_cell(cells[nearest], turns)
    x, y = np.round(places[nearest])
    shift = (int(x) - first[0], int(y) - first[1])
    moved = [turned_cell(cell, turns) for cell in cells]
    target = np.array([(x + shift[0], y + shift[1]) for x, y in moved], float)
    away = field.away(target)
    off = np.linalg.norm(places - target, axis=1)[away <= away.min() + 1]
    return Placed(field, other, turns, shift, target, int(away.min()), float(off.max()), turned_deg)


def _continued(
    group: CardGroup,
    field: LaidCells,
    other: CardGroup,
    others: Sequence[CardGroup],
    tile_set: TileSet,
    ground: Ground | None,
    signs: Signs,
) -> tuple[SeenCard, ...]:
    """Return an island's cards in the field's cells; empty if it does not continue the field."""
    if not any(card.found >= LIKELIER and card.is_front(LIKELIER) for card in other.cards):
        return ()
    placed = placed_in(field, other)
    if placed is None:
        return ()
    cards, likely = placed.cards(tile_set), 0.0
    if placed.touches:
        beside = loose_beside(other, others, tile_set)
        likely = likely_joined(group.cards, cards, tile_set, beside)
    elif ground is not None:
        row = island_numbers(group, placed, others, tile_set, ground, signs)
        # Where nothing joins them, people are asked.
        likely = min(DOUBTED, _likely_island(row))
    if likely < LIKELIER:
        return ()
    return tuple(replace(card, laid=min(card.laid, likely)) for card in cards)


def _likely_island(row: Sequence[float] | None) -> float:
    return 0.0 if row is None else float(shipped_score().shares(np.array([row]))[0])


def island_numbers(
    group: CardGroup,
    placed: Placed,
    others: Sequence[CardGroup],
    tile_set: TileSet,
    ground: Covering,
    signs: Signs,
) -> list[float] | None:
    """Return the features of a group beyond something that hides the table between it and a field.

    ``None`` if the group touches the field, lies far off, or bare table is seen between them: a
    layout hangs together.

    Args:
        group: the field.
        placed: the group, in the field's cells.
        others: the groups beside the field.
        tile_set: the box.
        ground: knows where something hides the table.
        signs: what tells groups in play from stocks.
    """
    other = placed.island
    if other not in signs or placed.touches or not TOUCHING <= placed.away <= FAR:
        return None
    if not _is_hidden(placed, others, ground):
        return None
    return [
        *signs[other].tolist(),
        placed.away,
        placed.off,
        placed.turned_deg,
        math.log(len(group.cards)),
        float(np.linalg.norm(placed.field.off, axis=1).mean()),
        over_the_box(_kinds(group, tile_set), _kinds(other, tile_set), tile_set),
    ]


def _kinds(group: CardGroup, tile_set: TileSet) -> Counter[str]:
    best = (card.best.tile for card in group.cards if card.best is not None)
    return Counter(tile for tile in best if tile in tile_set)


def touching_cards(
    field: LaidCells, other: CardGroup, tile_set: TileSet
) -> tuple[SeenCard, ...] | None:
    """Return the cards of a group in a field's cells; ``None`` if it does not touch the field."""
    placed = placed_in(field, other)
    return placed.cards(tile_set) if placed is not None and placed.touches else None


def _is_hidden(placed: Placed, others: Sequence[CardGroup], ground: Covering) -> bool:
    """Say whether a path of occluded cells (no table, no card) links an island to the field."""
    field = placed.field
    own = {(int(x), int(y)) for x, y in field.cells}
    steps = {(int(x), int(y)) for x, y in placed.target}
    reached = set(steps)
    elsewhere = [other for other in others if other is not placed.island]
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


def _turns(field: LaidCells, other: CardGroup) -> tuple[int, float]:
    """Return the quarter turns from an island's axes to the field's, and the angle that is left."""
    ends = np.array([(-0.5, 0), (0.5, 0)]) + np.array(other.cards[0].at, float)
    start, end = mapped(field.cell_from_px, mapped(other.fit.px_from_cell, ends))
    angle = float(np.degrees(np.arctan2(end[1] - start[1], end[0] - start[0])))
    turns = round(angle / 90)
    return turns % 4, abs(angle - 90 * turns)


@stage("missed", without=lambda group, *_: group)
def recover_missed_cards(
    group: CardGroup, others: Sequence[CardGroup], tile_set: TileSet, sight: Sight
) -> CardGroup:
    """Return a field with cards added that had no outline or a rejected one.

    Args:
        group: the field.
        others: the other groups of the table.
        tile_set: the box.
        sight: access to the picture.
    """
    lone = [one for one in others if len(one.cards) == 1 and not one.cards[0].is_read(TOLD)]
    others = [one for one in others if all(one is not other for other in lone)]
    sight = replace(sight, doubtful=(*sight.doubtful, *(one.centre_px for one in lone)))
    group = _with_doubtful(group, tile_set, sight)
    return _grown(group, others, tile_set, sight) if len(group.cards) >= FEWEST_OWN else group


def _grown(
    group: CardGroup, others: Sequence[CardGroup], tile_set: TileSet, sight: Sight
) -> CardGroup:
    """Return a field with the missed cards around it, searched ring by ring."""
    tried: set[tuple[Cell, int]] = set()
    for _ in range(MOST_WAVES):
        field = group.laid()
        own = {cell for card in group.cards for cell in card.cells}
        # A cell is tried again once it has more neighbours: a snake may now lead into it.
        ring = {(cell, len(cells_beside({cell}) & own)) for cell in cells_beside(own) - own}
        cells = sorted(cell for cell, _ in ring - tried)
        tried |= ring
        found = [] if field is None else _cards(field, group, others, cells, tile_set, sight)
        if not found:
            break
        group = replace(group, cards=(*group.cards, *found))
    return group


def _with_doubtful(group: CardGroup, tile_set: TileSet, sight: Sight) -> CardGroup:
    """Return a field with its doubtful cards read again, where the sure cards predict them.

    A card that was read in part may only have a poor outline; the predicted one shows all of it.
    """
    doubtful = [
        card
        for card in group.cards
        if len(card.cells) == 1 and (card.in_part or not card.is_read(TOLD))
    ]
    sure = tuple(card for card in group.cards if all(card is not one for one in doubtful))
    rest = CardGroup(sure, group.fit)
    field = rest.laid() if doubtful and len(sure) >= FEWEST_OWN else None
    if field is None:
        return group
    found = _cards(field, rest, (), [card.at for card in doubtful], tile_set, sight)
    again = {card.at: card for card in found}
    return CardGroup(tuple(again.get(card.at, card) for card in group.cards), group.fit)


def _cards(
    field: LaidCells,
    group: CardGroup,
    others: Sequence[CardGroup],
    cells: Sequence[Cell],
    tile_set: TileSet,
    sight: Sight,
) -> list[SeenCard]:
    """Return the cards that some cells show; all cells are read in one batch."""
    sides = dict(sides_of((card for card in group.cards if card.confidence >= TOLD), tile_set))
    marks = mapped(field.cell_from_px, np.array(sight.doubtful).reshape(-1, 2))
    outlined = {cell for cell in cells if _near(cell, marks, SAME_PLACE)}
    cells = [cell for cell in cells if cell in outlined or _is_open(cell, sides)]
    cells = _not_table(field, _free(field, cells, others), sight.ground)[:MOST_CELLS]
    shown = _shown(field, group.fit, cells, tile_set, sight)
    return [card for card in shown if _goes_on(card, sides, tile_set, outlined=card.at in outlined)]


def _shown(
    field: LaidCells,
    fit: LatticeFit,
    cells: Sequence[Cell],
    tile_set: TileSet,
    sight: Sight,
) -> list[SeenCard]:
    """Return the face-up cards of one cell that are read at some cells, each at its best shift."""
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
            cards.append(card_at(cell, looked[best], readings[best], tile_set, fit))
    return cards


Sides = Mapping[tuple[Cell, int], str | None]
"""The colour of the snake that crosses each side of each card, or ``None``."""


def _is_open(cell: Cell, sides: Sides) -> bool:
    """Say whether a snake of a neighbouring card leads into a cell."""
    every = ((square_neighbour(cell, edge), opposite(edge)) for edge in range(4))
    return any(sides.get(side) is not None for side in every)


def _free(field: LaidCells, cells: Sequence[Cell], others: Sequence[CardGroup]) -> list[Cell]:
    """Return the cells that no card of the other groups occupies."""
    at = [mapped(field.cell_from_px, other.centres_px) for other in others]
    seen = np.concatenate([*at, np.zeros((0, 2))])
    return [cell for cell in cells if not _near(cell, seen, ON_CELL)]


def _near(cell: Cell, places: Array, least: float) -> bool:
    """Say whether any place lies within ``least`` of a cell's centre along both axes."""
    return bool((np.abs(places - np.array(cell, float)).max(axis=1) < least).any())


def _not_table(field: LaidCells, cells: Sequence[Cell], ground: Ground) -> list[Cell]:
    """Return the cells that lie inside the picture and do not show bare table."""
    if not cells:
        return []
    outlines = field.outlines(np.array(cells, float))
    hidden = ground.hidden(outlines, HARDLY_TABLE) & ground.inside(outlines)
    return [cell for cell, one in zip(cells, hidden, strict=True) if one]


def _shows_card(reading: CellReading, tile_set: TileSet) -> bool:
    """Say whether a reading clearly shows a face-up card of one cell, whole or partly covered."""
    return (
        reading.why is None
        and reading.best >= CLEAR
        and not reading.is_back
        and len(tile_set[reading.guesses[0].tile].cells) == 1
    )


def _seen(reading: CellReading, tile_set: TileSet) -> tuple[bool, bool, float]:
    """Return a sort key for how well a place shows a card; whole cards rank above parts."""
    return _shows_card(reading, tile_set), not reading.odd, reading.best


def _goes_on(card: SeenCard, sides: Sides, tile_set: TileSet, *, outlined: bool) -> bool:
    """Say whether a card continues its neighbours; without an outline, a snake must join it."""
    met = [
        (leaving, sides[there])
        for (at, edge), leaving in sides_of([card], tile_set)
        if (there := (square_neighbour(at, edge), opposite(edge))) in sides
    ]
    joined = outlined or any(None not in pair for pair in met)
    return joined and all(carries_on(*pair) for pair in met)
