"""Parts fields of Sssnake that lie on one lattice by chance: each has a big card of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from engine.lattice import Cell
from engine.tiles import TileSet
from vision.classify.reader import CellReading
from vision.core.lattice import cells_beside, fit_outlines
from vision.core.stages import stage
from vision.core.types import Detection, LatticeFit
from vision.layout.anchors import is_big
from vision.layout.cards import CardGroup, group_cards


@stage("parted", without=lambda group, *_: [group])
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
    return groups if apart else [group]


def _bigs(group: CardGroup, tile_set: TileSet) -> set[str]:
    """Return the big cards of a lattice by their names."""
    bigs = (card.best for card in group.cards if is_big(card, tile_set))
    return {best.tile for best in bigs if best is not None}


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
