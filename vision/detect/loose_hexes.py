"""Loose hex tiles, for taught boxes of single hexes: their outlines, and the table state.

Single outlines are off by about a tenth of a radius, but tiles that lie edge to edge share their
sides. The whole grid is moved onto the visible sides, then each tile by a part of its own offset
from the grid. Cells that show no tile are then dropped, and missed tiles on free cells are added.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.lattice import Cell, hex_neighbours
from engine.tiles import TileSet
from vision.classify.reading import CellReading
from vision.core.lattice import HEX_SIDES, cell_axes, fit_outlines, mapped
from vision.core.stages import stage
from vision.core.tables import TileEntry
from vision.core.types import (
    LIKELIER,
    SURE,
    TOLD,
    Bgr,
    Detection,
    Detections,
    Guess,
    LatticeFit,
    Points,
    period_of,
)
from vision.detect.hex_seams import NORMALS, Sides, offsets, settled, side_profiles
from vision.detect.network import LEAST_SHOWN, TileMaps
from vision.detect.probe import HINTED, around, like_tiles, shares_of, tile_colours
from vision.hexes.plane import HEX_CORNERS, SIXTHS, SKEW, plane_of
from vision.layout.cards import SURELY_A_CARD, CardGroup, SeenCard
from vision.layout.quality import leaves
from vision.layout.reconstruct import (
    SURELY_ASIDE,
    Reconstruction,
    aside_entry,
    guesses_of,
    why_of,
)

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]

FEWEST = 7
"""Grids with fewer tiles keep their original outlines."""
GRID_REACH, TILE_REACH = 0.14, 0.08
"""Search distance from the predicted place of a side, in pitches: for the whole grid at first, and
for a single tile."""
BELIEVED = 0.5
"""Share of its measured offset by which a tile is moved: single sides are less exact than the grid.
On photographs of tiles that lie tight 0 is best, on drawn ones that lie loose 1."""
LEAST_SIDE, LEAST_LIKE = 0.3, 0.4
"""A cell is no tile if its outer sides are less clear than the first on average, and its share of
tile colours is below the second. Sides had at least 0.26 on 146 photographed and 350 drawn tiles,
except one under a hand, and at most 0.24 on 7 pictures of a printed frame. Colours had at most 0.17
on those 7, and at least 0.62 on tiles whose sides had no more than 0.4."""

EVERY_SIDE, SURROUNDED = 0.22, 5
"""A free cell is a tile if each side is at least this clear, it has the colours of tiles, and the
network hints at a tile; beside this many tiles, which have the same sides, it must more than hint.
Two tiles missed on photographs had at least 0.28 and 0.16, 200 free cells 0.04 for one side."""


# --- Outlines ---


@stage("loose hexes", without=lambda bgr, maps, corners, confidence: (corners, confidence))
def laid_hexes(bgr: Bgr, maps: TileMaps, corners: Array, sure: Array) -> tuple[Array, Array]:
    """Return outlines aligned with the grids that they form, and the confidence of each.

    Args:
        bgr: the picture.
        maps: the network's maps of the tiles.
        corners: outlines, N x 6 x 2; those on small grids, or in a single row, stay as they are.
        sure: the confidence of each, N.
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
    """Say whether there are enough cells, not all in one row, to locate their grid."""
    return len(cells) >= FEWEST and bool((np.ptp(np.array(cells), axis=0) > 0).all())


@dataclass(frozen=True, eq=False)
class _Grid:
    """A grid that is aligned with the visible sides of its cells."""

    cells: tuple[Cell, ...]
    px_from_plane: Array
    maps: TileMaps

    @classmethod
    def of(cls, fit: LatticeFit, maps: TileMaps) -> _Grid:
        """Return the grid of a lattice fit, aligned with the visible sides of its tiles."""
        steps = np.eye(3)
        steps[:2, :2] = np.linalg.inv(SKEW)
        laid = settled(maps, fit.px_from_cell @ steps, list(fit.cells), GRID_REACH)
        return cls(tuple(fit.cells), laid, maps)

    def outlines(self, moves: Array | float = 0.0) -> Array:
        """Return the outlines of the cells in pixels, after moves on the plane, N x 6 x 2."""
        places = (plane_of(self.cells) + moves)[:, None] + HEX_CORNERS
        return np.asarray(mapped(self.px_from_plane, places.reshape(-1, 2)).reshape(-1, 6, 2))

    def beside(self) -> _Grid:
        """Return the same grid for the free cells around its own."""
        return replace(self, cells=tuple(sorted(around(self.cells, HEX_SIDES))))

    def moves(self) -> Array:
        """Return by how much to move each tile on the plane, given its visible sides, N x 2."""
        seen = offsets(self.maps, self.px_from_plane, Sides.of(self.cells), TILE_REACH)
        off, clear = (numbers.reshape(-1, 6) for numbers in seen)
        normal = np.einsum("nk,ki,kj->nij", clear, NORMALS, NORMALS) + np.eye(2) * 1e-3
        said = np.einsum("nk,nk,ki->ni", clear, off, NORMALS)
        return np.asarray(BELIEVED * np.linalg.solve(normal, said[..., None])[..., 0])

    def side_shares(self) -> Array:
        """Return how clearly the six sides of each cell are shown, N x 6; -1 beyond the maps."""
        sides = Sides.of(self.cells)
        shares = side_profiles(self.maps, self.px_from_plane, sides, TILE_REACH).max(axis=1)
        at = self.maps.map_xy(mapped(self.px_from_plane, sides.middle))
        rows, columns = self.maps.maps.shape[1:]
        beyond = ((at < 0) | (at > (columns - 1, rows - 1))).any(axis=1)
        return np.asarray(np.where(beyond, -1.0, shares).reshape(-1, 6))


def _shows_tiles(bgr: Bgr, grid: _Grid, sure: Array) -> Bools:
    """Say of each cell whether it shows a tile, and not a part of a frame printed around tiles.

    A frame shows neither clear outer sides nor the colours of tiles.
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
    """Return the outlines that lie entirely in the picture."""
    size = bgr.shape[1], bgr.shape[0]
    return outlines[[not leaves(outline, size) for outline in outlines]]


def _missed(bgr: Bgr, grid: _Grid) -> tuple[Array, Array]:
    """Return the outlines of free cells that show a tile, and the confidence of each."""
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


# --- The table state ---


def reconstruct_hexes(
    detections: Detections,
    fits: Sequence[LatticeFit],
    readings: Sequence[CellReading],
    tile_set: TileSet,
) -> Reconstruction:
    """Return what lies on the table: the largest lattice is the layout, the rest lies aside.

    Of equally large lattices, the one nearest to the picture's centre is the layout. Its tiles that
    touch no other lie aside too.
    """
    groups = [_group(detections.found, fit, readings, tile_set) for fit in fits]
    groups = [group for group in groups if any(card.confidence >= TOLD for card in group.cards)]
    if not groups:
        return Reconstruction()
    middle = (np.array(detections.size_px) - 1) / 2
    main = max(
        groups, key=lambda one: (*_laid(one), -float(np.linalg.norm(one.centre_px - middle)))
    )
    strays = _strays(main)
    laid = tuple(card for card in main.cards if all(card is not one for one in strays))
    tiles, unsure = _entries(laid, tile_set)
    others = [card for group in groups if group is not main for card in group.cards]
    aside = [aside_entry(card) for card in (*strays, *others) if card.confidence >= SURELY_ASIDE]
    return Reconstruction(tiles, unsure, tuple(aside), laid)


def _entries(
    laid: Sequence[SeenCard], tile_set: TileSet
) -> tuple[tuple[TileEntry, ...], tuple[TileEntry, ...]]:
    """Return the entries of a layout's sure and unsure tiles."""
    tiles = tuple(_entry(card, tile_set) for card in laid if card.confidence >= TOLD)
    unsure = tuple(
        replace(_entry(card, tile_set), guesses=guesses_of(card), why=why_of(card))
        for card in laid
        if card.confidence < TOLD
    )
    return tiles, unsure


def _laid(group: CardGroup) -> tuple[int, int]:
    """Return how many sure tiles touch another tile, and how many sure tiles there are."""
    sure = [card for card in group.cards if card.confidence >= TOLD]
    cells = {card.at for card in group.cards}
    touching = [one for one in sure if cells & set(hex_neighbours(one.at))]
    return len(touching), len(sure)


def _strays(group: CardGroup) -> list[SeenCard]:
    """Return tiles that touch no other, such as a loose one on a cell two steps away.

    Where no tile touches another, all of them stay in the layout.
    """
    cells = {card.at for card in group.cards}
    lone = [card for card in group.cards if not cells & set(hex_neighbours(card.at))]
    return lone if len(lone) < len(cells) else []


def sixths_ahead(corners_px: Points, px_from_cell: Array, cell: Cell) -> int:
    """Return how many sixths an outline's first side is turned clockwise from the lattice's."""
    x, y = cell
    ends = np.array([(x + 0.5, y), (x - 0.5, y), (x, y + 0.5), (x, y - 0.5)], float)
    px = mapped(px_from_cell, ends)
    axes = np.column_stack([px[0] - px[1], px[2] - px[3]])
    own = cell_axes(corners_px[None], "hex")[0]
    relative = SKEW @ np.linalg.lstsq(axes, own, rcond=None)[0] @ np.linalg.inv(SKEW)
    angle = np.arctan2(relative[1, 0] - relative[0, 1], relative[0, 0] + relative[1, 1])
    return round(float(angle) / (np.pi / 3)) % SIXTHS


def _group(
    found: Sequence[Detection], fit: LatticeFit, readings: Sequence[CellReading], tile_set: TileSet
) -> CardGroup:
    cards = []
    for cell, number in sorted(fit.cells.items()):
        one, reading = found[number], readings[number]
        if not reading.guesses or (reading.why and one.confidence < SURELY_A_CARD):
            continue
        ahead = sixths_ahead(one.corners_px, fit.px_from_cell, cell)
        guesses = tuple(
            Guess(g.tile, (g.turns + ahead) % period_of(tile_set, g.tile), g.confidence)
            for g in reading.guesses
        )
        outline = np.roll(one.corners_px, -reading.guesses[0].turns, axis=0)
        cards.append(
            SeenCard(cell, (cell,), guesses, outline, one.cut_off, reading.why, one.confidence)
        )
    return CardGroup(tuple(cards), fit)


def _entry(card: SeenCard, tile_set: TileSet) -> TileEntry:
    best = card.guesses[0]
    turns = best.turns if period_of(tile_set, best.tile) > 1 else None
    return TileEntry(best.tile, card.outline_px, best.confidence, cells=(card.at,), turns=turns)
