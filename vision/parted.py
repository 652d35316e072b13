"""Parts fields of Sssnake that lie on one lattice by chance: each has a big card of its own.

A second one that cannot be parted and is less surely read is none: squares of a cloth between
cards were read as one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from engine.lattice import Cell
from engine.tiles import TileSet
from vision.anchors import BIG, SEEN
from vision.cards import CardGroup, SeenCard, group_cards
from vision.classify import CellReading
from vision.lattice import cells_beside, fit_outlines
from vision.types import Detection, LatticeFit

SURELY = 0.999
"""How sure a big card is that was seen whole."""


def parted(
    group: CardGroup, found: Sequence[Detection], readings: Sequence[CellReading], tile_set: TileSet
) -> list[CardGroup]:
    """Return a lattice with the cards of several fields as one for each; others as they are.

    Args:
        group: the lattice.
        found: all outlines.
        readings: what each of them shows.
        tile_set: the box.
    """
    if len(_bigs(group, tile_set)) < 2:
        return [group]
    parts = [list(part.values()) for part in _side_by_side(group.fit.cells)]
    fits = [fit for tiles in parts for fit in _fits(tiles, found)]
    groups = [group_cards(found, fit, readings, tile_set) for fit in fits]
    apart = all(len(_bigs(part, tile_set)) < 2 for part in groups)
    return groups if apart else [_without_doubtful(group, tile_set)]


def _without_doubtful(group: CardGroup, tile_set: TileSet) -> CardGroup:
    """Return a lattice without big cards that are less sure than another."""
    bigs = [card for card in group.cards if _is_big(card, tile_set)]
    surest = max(bigs, key=lambda card: card.confidence)
    none = [c for c in bigs if c is not surest and c.confidence < SURELY <= surest.confidence]
    kept = tuple(card for card in group.cards if all(card is not other for other in none))
    return CardGroup(kept, group.fit)


def _bigs(group: CardGroup, tile_set: TileSet) -> set[str]:
    """Return the big cards of a lattice by their names."""
    bigs = (card.best for card in group.cards if _is_big(card, tile_set))
    return {best.tile for best in bigs if best is not None}


def _is_big(card: SeenCard, tile_set: TileSet) -> bool:
    best = card.best
    seen = best is not None and best.confidence >= SEEN and best.tile in tile_set
    return seen and best is not None and tile_set[best.tile].role == BIG


def _side_by_side(cells: Mapping[Cell, int]) -> list[dict[Cell, int]]:
    """Return cells in parts that have no side in common."""
    left, parts = dict(cells), []
    while left:
        edge, part = {next(iter(left))}, set[Cell]()
        while edge:
            part |= edge
            edge = (cells_beside(edge) & left.keys()) - part
        parts.append({cell: left.pop(cell) for cell in sorted(part)})
    return parts


def _fits(tiles: Sequence[int], found: Sequence[Detection]) -> Iterator[LatticeFit]:
    """Yield the lattices of some outlines alone."""
    for fit in fit_outlines(np.stack([found[tile].corners_px for tile in tiles]), "square"):
        yield replace(fit, cells={cell: tiles[number] for cell, number in fit.cells.items()})
