"""Lays the outlines of loose hex tiles on the grid that they form, as exactly as seams show it.

Single outlines are off by a tenth of a radius or so; tiles that lie edge to edge share their sides.
The grid as a whole is moved onto the sides that are seen, then each tile by as much as tiles of
this table lie off their grid. What the grid then shows to be no tile is left out, and what it shows
to be one is taken in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.lattice import Cell
from vision.core.lattice import HEX_SIDES, fit_outlines, mapped
from vision.core.stages import stage
from vision.core.types import LIKELIER, SURE, Bgr, LatticeFit
from vision.detect.hex_seams import NORMALS, Sides, offsets, settled, side_profiles
from vision.detect.network import LEAST_SHOWN, TileMaps
from vision.detect.probe import HINTED, around, like_tiles, shares_of, tile_colours
from vision.hexes.plane import HEX_CORNERS, SKEW, plane_of
from vision.layout.quality import leaves

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]

FEWEST = 7
"""Grids of fewer tiles keep the outlines that they have."""
GRID_REACH, TILE_REACH = 0.14, 0.08
"""How far from where it is expected a side is looked for, in pitches: of the grid at first, of a
single tile at last."""
BELIEVED = 0.5
"""Share of what a tile's sides say that it is moved by: they are seen less exactly than the grid.
On photographs of tiles that lie tight 0 is best, on drawn ones that lie loose 1."""
LEAST_SIDE, LEAST_LIKE = 0.3, 0.4
"""What shows the sides that no other tile has less clearly than that, and has less of the colours
of tiles rather than of what lies around them, is no tile. Sides: 0.26 at least on 146 photographed
and 350 drawn tiles but for one under a hand, 0.24 at most on 7 pictures of a printed frame.
Colours: 0.17 at most on those 7, 0.62 at least on tiles whose sides are shown no better than
0.4."""

EVERY_SIDE, SURROUNDED = 0.22, 5
"""A free place that shows each of its sides so clearly, and the colours of tiles, is one at which
the network hints; beside so many others, whose sides these are, it must more than hint. Two tiles
that were missed on photographs had 0.28 and 0.16 at least, 200 free places 0.04 for one side."""


@stage("loose hexes", without=lambda bgr, maps, corners, confidence: (corners, confidence))
def laid_hexes(bgr: Bgr, maps: TileMaps, corners: Array, sure: Array) -> tuple[Array, Array]:
    """Return outlines laid on the grids that they form, and how sure each is.

    Args:
        bgr: the picture.
        maps: a look at the tiles.
        corners: outlines, N x 6 x 2; those on small grids, or in a single row, stay as they are.
        sure: how sure each is, N.
    """
    out, kept = corners.copy(), np.ones(len(corners), bool)
    more, surer = [corners[:0]], [sure[:0]]
    for fit in fit_outlines(corners, "hex"):
        if not _is_wide(list(fit.cells)):
            continue
        tiles = np.array(list(fit.cells.values()))
        real = _shows_tiles(bgr, _Grid.of(fit, maps), sure[tiles])
        kept[tiles[~real]] = False
        cells = {cell: tile for cell, tile in fit.cells.items() if kept[tile]}
        if _is_wide(list(cells)):
            grid = _Grid.of(LatticeFit(cells, fit.px_from_cell, fit.residual), maps)
            out[list(cells.values())] = grid.outlines(grid.moves())
            missed, clear = _missed(bgr, grid)
            more.append(missed)
            surer.append(clear)
    return np.concatenate([out[kept], *more]), np.concatenate([sure[kept], *surer])


def _is_wide(cells: Sequence[Cell]) -> bool:
    """Say whether cells are enough, and not in one row, to tell where their grid lies."""
    return len(cells) >= FEWEST and bool((np.ptp(np.array(cells), axis=0) > 0).all())


@dataclass(frozen=True, eq=False)
class _Grid:
    """A grid that was moved onto the sides that are seen."""

    cells: tuple[Cell, ...]
    px_from_plane: Array
    maps: TileMaps

    @classmethod
    def of(cls, fit: LatticeFit, maps: TileMaps) -> _Grid:
        """Return the grid of tiles that lie on one, moved onto their sides."""
        steps = np.eye(3)
        steps[:2, :2] = np.linalg.inv(SKEW)
        laid = settled(maps, fit.px_from_cell @ steps, list(fit.cells), GRID_REACH)
        return cls(tuple(fit.cells), laid, maps)

    def outlines(self, moves: Array | float = 0.0) -> Array:
        """Return outlines of its cells in pixels, moved on the plane, N x 6 x 2."""
        places = (plane_of(self.cells) + moves)[:, None] + HEX_CORNERS
        return np.asarray(mapped(self.px_from_plane, places.reshape(-1, 2)).reshape(-1, 6, 2))

    def beside(self) -> _Grid:
        """Return the same grid for the free cells around its own."""
        return replace(self, cells=tuple(sorted(around(self.cells, HEX_SIDES))))

    def moves(self) -> Array:
        """Return by how much each tile lies off the grid, on the plane."""
        seen = offsets(self.maps, self.px_from_plane, Sides.of(self.cells), TILE_REACH)
        off, clear = (numbers.reshape(-1, 6) for numbers in seen)
        normal = np.einsum("nk,ki,kj->nij", clear, NORMALS, NORMALS) + np.eye(2) * 1e-3
        said = np.einsum("nk,nk,ki->ni", clear, off, NORMALS)
        return np.asarray(BELIEVED * np.linalg.solve(normal, said[..., None])[..., 0])

    def side_shares(self) -> Array:
        """Return how clearly each of six sides is shown, N x 6; -1 beyond the picture's edge."""
        sides = Sides.of(self.cells)
        shares = side_profiles(self.maps, self.px_from_plane, sides, TILE_REACH).max(axis=1)
        at = self.maps.map_xy(mapped(self.px_from_plane, sides.middle))
        rows, columns = self.maps.maps.shape[1:]
        beyond = ((at < 0) | (at > (columns - 1, rows - 1))).any(axis=1)
        return np.asarray(np.where(beyond, -1.0, shares).reshape(-1, 6))


def _shows_tiles(bgr: Bgr, grid: _Grid, sure: Array) -> Bools:
    """Say of each cell whether it shows a tile, and not a part of what frames tiles.

    That shows neither the sides that no other tile has nor the colours that tiles have.
    """
    taken = set(grid.cells)
    free = np.array([[(x + i, y + j) not in taken for i, j in HEX_SIDES] for x, y in grid.cells])
    shown = grid.side_shares()
    # Sides beyond the picture's edge say nothing.
    known = free & (shown >= 0)
    mean = (shown * known).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    doubted = known.any(axis=1) & (mean < LEAST_SIDE) & (sure < SURE)
    beside = _inside(bgr, grid.beside().outlines())
    if not doubted.any() or doubted.all() or not len(beside):
        return np.ones(len(taken), bool)
    colours = tile_colours(bgr, grid.outlines(), "hex")
    like = like_tiles(colours, colours[~doubted], tile_colours(bgr, beside, "hex"))
    return np.asarray(~(doubted & (like < LEAST_LIKE)))


def _inside(bgr: Bgr, outlines: Array) -> Array:
    """Return the outlines that lie in the picture."""
    size = bgr.shape[1], bgr.shape[0]
    return outlines[[not leaves(outline, size) for outline in outlines]]


def _missed(bgr: Bgr, grid: _Grid) -> tuple[Array, Array]:
    """Return the outlines of free cells that show a tile, and how sure each is."""
    free, taken = grid.beside(), set(grid.cells)
    sides, outlines = free.side_shares(), free.outlines()
    near = np.array([sum((x + i, y + j) in taken for i, j in HEX_SIDES) for x, y in free.cells])
    least = np.where(near >= SURROUNDED, LEAST_SHOWN, HINTED)
    good = (sides.min(axis=1) >= EVERY_SIDE) & (shares_of(grid.maps, outlines, "hex")[0] >= least)
    table = _inside(bgr, outlines[~good])
    if good.any() and len(table):
        colours = [
            tile_colours(bgr, some, "hex") for some in (outlines[good], grid.outlines(), table)
        ]
        good[good] = like_tiles(*colours) >= LIKELIER
    return outlines[good], sides[good].mean(axis=1)
