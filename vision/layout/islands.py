"""Joins parts of a layout that lost sight of each other: a hand, a cup, or a soft picture between.

Cards that lie on the continued lattice of a field, edge to edge like its own, belong to it. What
touches the field belongs to it however crooked it lies; what lies off must fit, be packed as
closely as cards in play are, and nowhere may bare table be seen between: a layout hangs together,
and stocks beside it may be in line with it by chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from engine.lattice import Cell
from engine.tiles import TileSet
from vision.core.ground import HIDDEN, Ground
from vision.core.lattice import cells_beside, mapped
from vision.core.looks import BACK
from vision.core.stages import stage
from vision.layout.bridges import bridged_shift
from vision.layout.cards import CardGroup, SeenCard, turned_cell
from vision.layout.fields import EVEN, likely_joined
from vision.layout.laid_field import LaidField, off_cells
from vision.layout.settle import broken_share
from vision.layout.stocks import is_part_of_stock, likeness_to_stock

Array = NDArray[np.float64]

FEWEST_OWN = 2
"""Cards that a lattice must have to be continued beyond what touches it."""
TOUCHING, NEAR, FAR = 1, 2, 6
"""Cells from an island to the field: beside it, beyond one hidden card, beyond a hand."""
CORNERS = ((-1, -1), (-1, 1), (1, -1), (1, 1))
"""Steps to the cells that meet one at its corners."""
FEWEST_NEAR, FEWEST_FAR = 2, 4
"""Cards of an island that is to be trusted there where nobody looked between; one that touches may
be alone."""
SURELY_HIDDEN = 0.12
"""How surely what lies between must be hidden for a card alone: patches of light on a table have
0.2, hands and cups 0.1 at most."""
NEARLY_ON = 0.12
"""Unless it lies so near to its cell: hardly one card in twenty does by chance."""
ON_CELL = 0.8
"""A card whose middle lies nearer to a cell's along both axes, in pitches, is seen there."""
OFF = 0.27
"""Pitches that an island that does not touch may lie off where the nearest card expects it."""
ANY_CELL = 0.5
"""What lies further off a cell lies nearer to another."""
MOST_TURNED_DEG = 18.0
MOST_LOOSE = 0.045
"""Cards of an island that does not touch lie at most that much further from each other than the
pitch; in stocks they do by 0.05 to 0.4."""
HIDDEN_LOOSE = 0.09
"""The same where something is known to hide what lies between."""
MOST_BROKEN = 0.34
"""Share of sides inside such an island that may not carry on: fouls are few, stocks are sorted."""
SURE_ALONE = 0.5
"""How sure a single card must be found and read."""
CLEARLY, FEW = 0.98, 4
"""How surely one must be read that is found less surely, beside fewer others than that; beyond a
hand these say too little of where a single one lies."""


@stage("islands", without=lambda group, *_, **__: (group, ()))
def with_islands(
    group: CardGroup, others: Sequence[CardGroup], tile_set: TileSet, farthest: int = FAR,
    ground: Ground | None = None, *, around_edge: bool = True,
) -> tuple[CardGroup, tuple[CardGroup, ...]]:  # fmt: skip
    """Return a field with the islands that continue it, and the groups that were taken.

    Args:
        group: the field.
        others: what may belong to it.
        tile_set: the box.
        farthest: cells that an island may lie off; fields of other players begin there.
        ground: what the table looks like, to see whether it is seen between.
        around_edge: whether it may hang together beyond the picture's edge.
    """
    taken: list[CardGroup] = []
    left = sorted(others, key=lambda other: -len(other.cards))
    while True:
        field = LaidField.of(group)
        reach = farthest if len(group.cards) >= FEWEST_OWN else TOUCHING
        found = (
            None
            if field is None
            else _next_island(group, field, left, tile_set, reach, ground, around_edge=around_edge)
        )
        if found is None:
            break
        # An island may be what the next one touches.
        island, moved = found
        group = CardGroup((*group.cards, *moved), group.fit)
        taken.append(island)
        left = [other for other in left if other is not island]
    return group, tuple(taken)


def _next_island(
    group: CardGroup, field: LaidField, others: Sequence[CardGroup], tile_set: TileSet,
    farthest: int, ground: Ground | None, *, around_edge: bool,
) -> tuple[CardGroup, tuple[SeenCard, ...]] | None:  # fmt: skip
    around = None if ground is None else _Around(field, others, ground)
    for other in others:
        outside = around_edge and len(other.cards) > 1 and likeness_to_stock([other], tile_set) < 0
        between = None if around is None else _Between(group, other, around, outside)
        alone = len(other.cards) == 1 and len(field.cells) < FEW
        farther = TOUCHING if alone else farthest
        moved = _continued(group, field, other, tile_set, farther, between)
        if moved:
            return other, moved
    return None


class _Around:
    """What is seen around a field; every cell is looked at once."""

    def __init__(self, field: LaidField, others: Sequence[CardGroup], ground: Ground) -> None:
        self.field, self._others, self._ground = field, others, ground
        self._shown: dict[Cell, float] = {}

    def hidden(self, cells: Sequence[Cell], below: float, island: CardGroup, *,
               outside: bool) -> list[Cell]:  # fmt: skip
        """Return those of some cells that show neither table nor cards of others than an island.

        Args:
            cells: to be looked at.
            below: how rarely their colours must be seen.
            island: whose cards hide nothing.
            outside: whether cells beyond the picture's edge count, where anything may lie.
        """
        free = self._free(cells, island)
        new = [cell for cell in free if cell not in self._shown]
        if new:
            outlines = self.field.outlines(np.array(new, float))
            self._shown.update(zip(new, self._ground.shown(outlines).tolist(), strict=True))
        hidden = [cell for cell in free if self._shown[cell] < below]
        return hidden if outside else self._inside(hidden)

    @cached_property
    def least_shown_beside(self) -> float:
        """How rarely the table shows what the rarest cell that touches the field shows."""
        own = {(int(x), int(y)) for x, y in self.field.cells}
        beside = sorted(cells_beside(own) - own)
        shown = self._ground.shown(self.field.outlines(np.array(beside, float)))
        self._shown.update(zip(beside, shown.tolist(), strict=True))
        return float(shown.min())

    def _inside(self, cells: Sequence[Cell]) -> list[Cell]:
        """Return those of some cells that lie in the picture: beyond its edge lies anything."""
        if not cells:
            return []
        inside = self._ground.inside(self.field.outlines(np.array(cells, float)))
        return [cell for cell, one in zip(cells, inside, strict=True) if one]

    def _free(self, cells: Sequence[Cell], island: CardGroup) -> list[Cell]:
        """Return those of some cells at which no card is seen but an island's own."""
        seen = self._places[[owner is not island for owner in self._owners]]
        if not len(cells) or not len(seen):
            return list(cells)
        return [cell for cell, far in zip(cells, off_cells(cells, seen), strict=True)
                if far >= ON_CELL]  # fmt: skip

    @cached_property
    def _owners(self) -> list[CardGroup]:
        return [other for other in self._others for _ in other.cards]

    @cached_property
    def _places(self) -> Array:
        """Where cards lie, in cells, N x 2; they are seen, and so hide nothing."""
        middles = np.concatenate([other.centres_px for other in self._others])
        return mapped(self.field.cell_from_px, middles)


@dataclass(frozen=True, eq=False)
class _Between:
    """What lies between a field and one of its islands."""

    group: CardGroup
    island: CardGroup
    around: _Around
    outside: bool
    """Whether it may lie beyond the picture's edge as well: the island surely is no stock, nor
    another's."""

    def hides(
        self, target: Array, farthest: int, below: float, *, by_corners: bool = False
    ) -> bool:
        """Say whether hidden cells lead from cells to the field.

        Args:
            target: the cells.
            farthest: more than all hidden cells in a row.
            below: how rarely their colours must be seen, by ``Ground.hidden``.
            by_corners: whether it is enough that they meet at their corners.
        """
        steps = [(int(x), int(y)) for x, y in target]
        own = {(int(x), int(y)) for x, y in self.around.field.cells}
        reached = set(steps)
        for left in range(farthest, 0, -1):
            edge = cells_beside(steps)
            if by_corners:
                edge |= {(x + dx, y + dy) for x, y in steps for dx, dy in CORNERS}
            if edge & own:
                return True
            if not by_corners and self.around.least_shown_beside >= below:
                # No way leads to the field but through what touches it.
                return False
            on_the_way = self.around.field.within(sorted(edge - reached), left - 1)
            steps = self.around.hidden(on_the_way, below, self.island, outside=self.outside)
            reached.update(steps)
            if not steps:
                break
        return False

    def goes_unseen(self, target: Array, farthest: int, off: float) -> bool:
        """Say whether what lies between is hidden, for an island that lies so far off its cells."""
        if len(self.island.cards) == 1:
            return self.hides(target, farthest, SURELY_HIDDEN if off > NEARLY_ON else HIDDEN)
        return self.hides(target, farthest, HIDDEN) or self.hides(
            target, farthest, SURELY_HIDDEN, by_corners=True
        )

    def bridged(
        self, cells: Sequence[Cell], turns: int, expected: Cell, farthest: int
    ) -> Cell | None:
        """Return how far the island is to be moved where it makes one lattice with the field.

        Args:
            cells: the island's own.
            turns: quarter turns from its axes to the field's.
            expected: about how far its cells must be moved.
            farthest: cells that it may lie off.
        """
        shift = None
        if self._may_be_bridged(_placed(cells, turns, expected), farthest):
            shift = bridged_shift(self.group, self.island, turns, expected)
        if shift is None:
            return None
        away = self.around.field.away(_placed(cells, turns, shift)).min()
        return shift if TOUCHING < away <= farthest else None

    def _may_be_bridged(self, target: Array, farthest: int) -> bool:
        """Say whether it is worth fitting a lattice: bare table in between is seen sooner."""
        far = self.around.field.away(target).min() > farthest + 1
        if far or len(self.island.cards) < FEWEST_NEAR:
            return False
        return self.hides(target, farthest, HIDDEN)


def _continued(
    group: CardGroup, field: LaidField, other: CardGroup, tile_set: TileSet, farthest: int,
    between: _Between | None,
) -> tuple[SeenCard, ...] | None:  # fmt: skip
    """Return an island's cards by the field's own cells, or nothing where they do not fit."""
    if len(other.cards) == 1 and not _sure(other.cards[0], few=len(field.cells) < FEW):
        return None
    placed = _placed_by(field, other)
    if placed is None:
        return None
    turns, shift, places = placed
    cells = [cell for card in other.cards for cell in card.cells]
    if not _fits(field, _placed(cells, turns, shift), places, other, farthest,
                 looked=between is not None):  # fmt: skip
        bridge = None if between is None else between.bridged(cells, turns, shift, farthest)
        if bridge is None:
            return None
        shift = bridge
    target = _placed(cells, turns, shift)
    # Only now: to turn and move cards costs more than all of these questions.
    moved = tuple(card.turned(turns, tile_set).moved(shift) for card in other.cards)
    if field.away(target).min() == TOUCHING:
        likely = likely_joined(group.cards, moved, tile_set)
        return tuple(replace(c, laid=min(c.laid, likely)) for c in moved) if likely >= EVEN else ()
    broken = broken_share(moved, tile_set)
    # That two cards which meet at a corner are of one colour says nothing: they are no row.
    by_corner = broken is None and len(other.cards) == 2
    sorted_cards = not by_corner and is_part_of_stock(other, tile_set)
    if sorted_cards or (broken or 0.0) > MOST_BROKEN or (between is None and broken is None):
        return None
    off = float(np.linalg.norm(places - target, axis=1).max())
    return moved if between is None or between.goes_unseen(target, farthest, off) else None


def touching_cards(
    field: LaidField, other: CardGroup, tile_set: TileSet
) -> tuple[SeenCard, ...] | None:
    """Return the cards of a group that touches a field, by the field's own cells."""
    placed = _placed_by(field, other)
    if placed is None:
        return None
    turns, shift, places = placed
    cells = [cell for card in other.cards for cell in card.cells]
    target = _placed(cells, turns, shift)
    touches = field.away(target).min() == TOUCHING
    if not touches or not _fits(field, target, places, other, TOUCHING, looked=False):
        return None
    return tuple(card.turned(turns, tile_set).moved(shift) for card in other.cards)


def _placed_by(field: LaidField, other: CardGroup) -> tuple[int, Cell, Array] | None:
    """Return the turns and the shift from a group's cells to a field's, and where it lies there."""
    cells = [cell for card in other.cards for cell in card.cells]
    places = field.place(mapped(other.fit.px_from_cell, np.array(cells, float)))
    turns = _turns(field, other)
    if turns is None or not np.isfinite(places).all():
        return None
    nearest = int(field.away(places).argmin())
    first = turned_cell(cells[nearest], turns)
    x, y = np.round(places[nearest])
    return turns, (int(x) - first[0], int(y) - first[1]), places


def _placed(cells: Sequence[Cell], turns: int, shift: Cell) -> Array:
    """Return cells turned and moved, N x 2."""
    turned = [turned_cell(cell, turns) for cell in cells]
    return np.array([(x + shift[0], y + shift[1]) for x, y in turned], float)


def _sure(card: SeenCard, *, few: bool) -> bool:
    """Say whether a single card is one; beside few others it may be found less surely than read."""
    return (
        card.why is None and card.best is not None and card.best.tile != BACK
        and card.confidence >= SURE_ALONE
        and (card.found >= SURE_ALONE or (few and card.confidence >= CLEARLY))
    )  # fmt: skip


def _turns(field: LaidField, other: CardGroup) -> int | None:
    """Return the quarter turns from an island's axes to the field's, if they are whole ones."""
    ends = np.array([(-0.5, 0), (0.5, 0)]) + np.array(other.cards[0].at, float)
    start, end = mapped(field.cell_from_px, mapped(other.fit.px_from_cell, ends))
    angle = float(np.degrees(np.arctan2(end[1] - start[1], end[0] - start[0])))
    turns = round(angle / 90)
    return turns % 4 if abs(angle - 90 * turns) <= MOST_TURNED_DEG else None


def _fits(
    field: LaidField, target: Array, places: Array, other: CardGroup, farthest: int, *, looked: bool
) -> bool:
    """Say whether an island lies where the field goes on; where nobody looks between, many must."""
    away = field.away(target)
    off = np.linalg.norm(places - target, axis=1)
    if away.min() == TOUCHING:
        return bool(off[away <= NEAR].max() < ANY_CELL)
    fewest = FEWEST_NEAR if away.min() <= NEAR else FEWEST_FAR
    if not 0 < away.min() <= farthest or (len(other.cards) < fewest and not looked):
        return False
    loose = _looseness(field, target, other)
    most = HIDDEN_LOOSE if looked else MOST_LOOSE
    return bool(off.max() <= OFF) and (looked if loose is None else loose <= most)


def _looseness(field: LaidField, target: Array, other: CardGroup) -> float | None:
    """Return how much further than the pitch an island's cards lie from neighbours, if any."""
    own = [cell for card in other.cards for cell in card.cells]
    places = mapped(field.cell_from_px, mapped(other.fit.px_from_cell, np.array(own, float)))
    steps = [
        float(np.linalg.norm(places[i] - places[j])) for i, j in combinations(range(len(own)), 2)
        if np.abs(target[i] - target[j]).sum() == 1
    ]  # fmt: skip
    return float(np.median(steps)) - 1 if steps else None
