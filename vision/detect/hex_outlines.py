"""Lays the outlines of loose hex tiles on the grid that they form, as exactly as seams show it.

Single outlines are off by a tenth of a radius or so; tiles that lie edge to edge share their sides.
The grid as a whole is moved onto the sides that are seen, then each tile by as much as tiles of
this table lie off their grid. What the grid then shows to be no tile is left out, and what it shows
to be one is taken in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.lattice import Cell
from vision.core.lattice import HEX_SIDES, fit_outlines
from vision.core.stages import stage
from vision.core.types import Bgr, LatticeFit
from vision.detect.hex_seams import DEFAULT as SEAMS
from vision.detect.hex_seams import HexGrid, SeamSettings
from vision.detect.network import TileMaps
from vision.detect.probe import like_tiles, shares_of, tile_colours
from vision.layout.quality import leaves

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class EvidenceSettings:
    """What makes a place on a grid a tile; shares are 0 to 1."""

    fewest: int = 7
    """Grids of fewer tiles keep the outlines that they have."""
    least_side: float = 0.3
    """How clearly the sides that no other tile has are shown: 0.26 at least on 146 photographed
    and 350 drawn tiles but for one under a hand, 0.24 at most on 7 pictures of a printed frame."""
    surely: float = 0.9
    least_like: float = 0.4
    """Share of colours that tiles have rather than what lies around them: 0.17 at most on those 7,
    0.62 at least on tiles whose sides are shown no better than 0.4."""
    every_side: float = 0.22
    usual_side: float = 0.4
    surely_like: float = 0.6
    hinted: float = 0.1
    surrounded: int = 5
    surely_shown: float = 0.5
    """A free place is a tile when each of its sides is shown so clearly, all of them on average,
    its colours are those of tiles, and the network hints at a tile; surrounded by so many, more
    than hints: the sides are the others' then. Two tiles that were missed on photographs had 0.28,
    0.45, 0.77 and 0.16 at least, 200 free places 0.04 for one side."""
    a_tile: float = 0.6
    hole_sure: float = 0.5
    """How sure one is at most that others surround and that has the table's colours rather than
    those of tiles that are as sure as the first number: what is read of it tells whether it is
    one. Bricks in a hole of a layout were shown with 0.95, and 0 of them looked like its tiles."""
    replaced: float = 0.6
    """Outlines off the grid whose middle is nearer to such a place, in pitches, are that tile."""


DEFAULT = EvidenceSettings()


@stage("loose hexes", without=lambda bgr, maps, corners, confidence: (corners, confidence))
def laid_hexes(
    bgr: Bgr, maps: TileMaps, corners: Array, sure: Array,
    settings: EvidenceSettings = DEFAULT, seams: SeamSettings = SEAMS,
) -> tuple[Array, Array]:  # fmt: skip
    """Return outlines laid on the grids that they form, and how sure each is.

    Args:
        bgr: the picture.
        maps: a look at the tiles.
        corners: outlines, N x 6 x 2; those on small grids, or in a single row, stay as they are.
        sure: how sure each is, N.
        settings: what makes a place on a grid a tile.
        seams: how sides are looked for.
    """
    out, kept, sure = corners.copy(), np.ones(len(corners), bool), sure.copy()
    more: list[Array] = []
    surer: list[float] = []
    for fit in fit_outlines(corners, "hex"):
        if not _is_wide(list(fit.cells), settings):
            continue
        real = _shows_tiles(bgr, HexGrid.of(fit, maps, seams), sure, settings)
        kept[[tile for tile, own in zip(fit.cells.values(), real, strict=True) if not own]] = False
        cells = {cell: tile for cell, tile in fit.cells.items() if kept[tile]}
        if not _is_wide(list(cells), settings):
            continue
        grid = HexGrid.of(LatticeFit(cells, fit.px_from_cell, fit.residual), maps, seams)
        out[list(grid.tiles)] = grid.outlines(grid.moves())
        missed, shown, places = _missed(bgr, grid, settings)
        holes = _may_be_holes(bgr, grid, places, sure, settings)
        sure[holes] = np.minimum(sure[holes], settings.hole_sure)
        kept &= ~_replaced(out, missed, set(fit.cells.values()), settings)
        more += list(missed)
        surer += shown
    return np.concatenate([out[kept], *[m[None] for m in more]]), np.append(sure[kept], surer)


def _is_wide(cells: Sequence[Cell], settings: EvidenceSettings) -> bool:
    """Say whether cells are enough, and not in one row, to tell where their grid lies."""
    return len(cells) >= settings.fewest and bool((np.ptp(np.array(cells), axis=0) > 0).all())


def _around(grid: HexGrid) -> list[Cell]:
    """Return the free cells beside a grid's tiles."""
    near = {(x + i, y + j) for x, y in grid.cells for i, j in HEX_SIDES}
    return sorted(near.difference(grid.cells))


def _free_outlines(bgr: Bgr, grid: HexGrid, cells: Sequence[Cell]) -> Array:
    """Return the outlines of cells that lie in the picture."""
    outlines = grid.over(cells).outlines()
    size = bgr.shape[1], bgr.shape[0]
    return outlines[[not leaves(outline, size) for outline in outlines]]


def _shows_tiles(bgr: Bgr, grid: HexGrid, sure: Array, settings: EvidenceSettings) -> Bools:
    """Say of each cell whether it shows a tile, and not a part of what frames tiles.

    That shows neither the sides that no other tile has nor the colours that tiles have.
    """
    taken = set(grid.cells)
    free = np.array([[(x + i, y + j) not in taken for i, j in HEX_SIDES] for x, y in grid.cells])
    shown = grid.side_shares()
    # Sides beyond the picture's edge say nothing.
    known = free & (shown >= 0)
    mean = (shown * known).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    doubted = known.any(axis=1) & (mean < settings.least_side)
    doubted &= sure[list(grid.tiles)] < settings.surely
    if not doubted.any() or doubted.all():
        return np.ones(len(taken), bool)
    beside = _free_outlines(bgr, grid, _around(grid))
    if not len(beside):
        return np.ones(len(taken), bool)
    colours = tile_colours(bgr, grid.outlines(), "hex")
    like = like_tiles(colours, colours[~doubted], tile_colours(bgr, beside, "hex"))
    return np.asarray(~(doubted & (like < settings.least_like)))


def _may_be_holes(
    bgr: Bgr, grid: HexGrid, also: Sequence[Cell], sure: Array, settings: EvidenceSettings
) -> list[int]:
    """Return the outlines that lie between tiles and have the colours of the table.

    Their sides are the others' then, and a network that sees them takes a hole for a tile.

    Args:
        bgr: the picture.
        grid: the outlines' grid.
        also: cells of tiles that have no outline yet.
        sure: how sure outlines are.
        settings: what makes a place on a grid a tile.
    """
    taken = {*grid.cells, *also}
    near = np.array([sum((x + i, y + j) in taken for i, j in HEX_SIDES) for x, y in grid.cells])
    inner = near >= settings.surrounded
    tiles = ~inner & (sure[list(grid.tiles)] >= settings.a_tile)
    table = _free_outlines(bgr, grid, [cell for cell in _around(grid) if cell not in taken])
    if not inner.any() or not tiles.any() or not len(table):
        return []
    colours = tile_colours(bgr, grid.outlines(), "hex")
    like = like_tiles(colours[inner], colours[tiles], tile_colours(bgr, table, "hex"))
    numbers = np.array(grid.tiles)[inner]
    return [int(number) for number in numbers[like < settings.least_like]]


def _missed(
    bgr: Bgr, grid: HexGrid, settings: EvidenceSettings
) -> tuple[Array, list[float], list[Cell]]:
    """Return outlines of free cells that show a tile, how sure each is, and the cells."""
    taken = set(grid.cells)
    cells = _around(grid)
    over = grid.over(cells)
    sides, outlines = over.side_shares(), over.outlines()
    shown = shares_of(grid.maps, outlines, "hex")
    near = np.array([sum((x + i, y + j) in taken for i, j in HEX_SIDES) for x, y in cells])
    least = np.where(near >= settings.surrounded, settings.surely_shown, settings.hinted)
    good = (sides.min(axis=1) >= settings.every_side) & (shown >= least)
    good &= sides.mean(axis=1) >= settings.usual_side
    beside = _free_outlines(bgr, grid, [c for c, own in zip(cells, good, strict=True) if not own])
    if good.any() and len(beside):
        tiles = tile_colours(bgr, grid.outlines(), "hex")
        table = tile_colours(bgr, beside, "hex")
        like = like_tiles(tile_colours(bgr, outlines[good], "hex"), tiles, table)
        good[good] = like >= settings.surely_like
    places = [cell for cell, own in zip(cells, good, strict=True) if own]
    return outlines[good], sides[good].mean(axis=1).tolist(), places


def _replaced(corners: Array, by: Array, own: set[int], settings: EvidenceSettings) -> Bools:
    """Say of each outline whether it is off the grid and about a tile that the grid has now."""
    off = np.array([number not in own for number in range(len(corners))])
    if not len(by) or not off.any():
        return np.zeros(len(corners), bool)
    middles = by.mean(axis=1)
    apart = np.linalg.norm(corners.mean(axis=1)[:, None] - middles[None], axis=2)
    radius = np.linalg.norm(by - middles[:, None], axis=2).mean(axis=1)
    return np.asarray(off & (apart < settings.replaced * np.sqrt(3) * radius).any(axis=1))
