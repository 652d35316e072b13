"""Looks in the maps where tiles of a grid should lie and none was found.

Where neighbours look alike and their seam hardly shows, pixels are sure that they show a tile but
not which one. The tiles around say where it must lie; whether it does is read from the maps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.lattice import Cell
from vision.core.lattice import HEX_SIDES, SQUARE_SIDES, mapped
from vision.core.outline import HEX_UNIT, SQUARE_UNIT, frames_of
from vision.core.stages import stage
from vision.core.types import Bgr, LatticeFit, Shape
from vision.detect.network import SIZE_PX, STRIDE, TileMaps

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ProbeSettings:
    """When an expected tile counts as seen."""

    least_shown: float = 0.6
    """Mean share of tile in the expected outline."""
    least_part: float = 0.35
    """The same in its emptiest quarter: half a tile is none."""
    least_agreed: float = 0.7
    """Share of the outline that must vote for just this tile where few of its pixels are sure."""
    least_hinted: float = 0.08
    """The mean share of tile that is enough then."""
    close: float = 0.35
    """A vote is for this tile when it misses its middle by less, in half widths."""
    alike: float = 0.25
    """And when it names its size within that, as a natural logarithm."""
    surely_empty: float = 0.05
    """Expected tiles that are shown less than that tell what the table looks like."""
    least_like: float = 0.55
    """Share of its colours that tiles of this grid have rather than the table around them."""
    fewest_tiles: int = 3
    """Grids of fewer tiles expect nothing."""
    most_waves: int = 6
    inner: float = 0.8
    """The part of the outline that is looked at."""
    samples: int = 8
    """Places along each axis of it."""


DEFAULT = ProbeSettings()
MOST_COLOURS = 400
"""Colours of tiles, and of the table, that others are compared with."""


@dataclass(frozen=True, eq=False)
class Probed:
    """A tile that was expected and then seen."""

    corners_px: Array
    shown: float


@stage("probe", without=lambda *_: [])
def probe(
    bgr: Bgr, seen: TileMaps, shape: Shape, corners: Array, fits: Sequence[LatticeFit],
    settings: ProbeSettings = DEFAULT,
) -> list[Probed]:  # fmt: skip
    """Return the tiles that the grids expect and the maps show, beyond those already found.

    Args:
        bgr: the picture.
        seen: its maps.
        shape: of the tiles.
        corners: outlines of those found, N x 4 x 2 or N x 6 x 2.
        fits: their grids.
        settings: thresholds.
    """
    shown = seen.share(shape)
    found: list[Probed] = []
    for fit in fits:
        if len(fit.cells) >= settings.fewest_tiles:
            found += _grown(bgr, seen, shown, shape, corners, fit, settings)
    return found


def _grown(
    bgr: Bgr, seen: TileMaps, shown: NDArray[np.float32], shape: Shape, corners: Array,
    fit: LatticeFit, settings: ProbeSettings,
) -> list[Probed]:  # fmt: skip
    sides = SQUARE_SIDES if shape == "square" else HEX_SIDES
    every = corners.mean(axis=1)
    middles: dict[Cell, Array] = {cell: every[tile] for cell, tile in fit.cells.items()}
    outline = _common_outline(shape, corners, fit)
    empty = corners[:0]
    found: list[Probed] = []
    tried: set[Cell] = set()
    for _ in range(settings.most_waves):
        cells = [c for c in _around(middles, sides) if c not in tried]
        if not cells:
            break
        tried.update(cells)
        places = _expected(cells, middles, fit, sides)
        outlines = outline(np.array(cells, float), places)
        share, emptiest, agreed = _shares(seen, shown, outlines, shape, settings)
        width = np.sqrt(np.abs(np.linalg.det(frames_of(outlines, shape))))
        others = np.concatenate([every, *[f.corners_px.mean(axis=0)[None] for f in found]])
        apart = np.linalg.norm(places[:, None] - others[None], axis=2).min(axis=1)
        good = (share >= settings.least_shown) & (emptiest >= settings.least_part)
        good |= (agreed >= settings.least_agreed) & (share >= settings.least_hinted)
        good &= apart > 1.2 * width
        empty = np.concatenate([empty, outlines[share < settings.surely_empty]])
        if good.any() and len(empty):
            known = (outlines[good], corners[list(fit.cells.values())], empty)
            colours = [tile_colours(bgr, every, shape, settings) for every in known]
            good[good] = like_tiles(*colours) >= settings.least_like
        for k in np.nonzero(good)[0]:
            middles[cells[k]] = places[k]
            found.append(Probed(outlines[k], float(share[k])))
    return found


def tile_colours(
    bgr: Bgr, outlines: Array, shape: Shape, settings: ProbeSettings = DEFAULT
) -> NDArray[np.float32]:
    """Return colours of places in each outline, N x places x 3, as lightness and two hues."""
    places = _places(outlines, shape, settings).astype(np.float32)
    x, y = np.ascontiguousarray(places[..., 0]), np.ascontiguousarray(places[..., 1])
    sampled = cv2.remap(bgr, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    lab = cv2.cvtColor(np.asarray(sampled, np.float32) / 255, cv2.COLOR_BGR2Lab)
    return np.asarray(lab, np.float32)


def like_tiles(
    colours: NDArray[np.float32], tiles: NDArray[np.float32], table: NDArray[np.float32]
) -> Array:
    """Return the share of each outline's colours that tiles here have rather than the table."""
    nearest = []
    own = colours.reshape(-1, 3)
    for known in (tiles, table):
        flat = known.reshape(-1, 3)
        flat = flat[:: max(1, len(flat) // MOST_COLOURS)]
        # Squares as products: NumPy is slow along an axis of three.
        apart = (own**2).sum(axis=1)[:, None] + (flat**2).sum(axis=1) - 2 * (own @ flat.T)
        # The mean of the few nearest: a single odd pixel is no colour of the table.
        few = np.partition(apart, 3, axis=1)[:, :4]
        nearest.append(np.sqrt(np.maximum(few, 0)).mean(axis=1).reshape(colours.shape[:2]))
    return np.asarray((nearest[0] <= nearest[1]).mean(axis=1))


def _around(taken: Mapping[Cell, Array], sides: Sequence[Cell]) -> list[Cell]:
    near = {(x + dx, y + dy) for x, y in taken for dx, dy in sides}
    return sorted(near.difference(taken))


def _expected(
    cells: Sequence[Cell], middles: Mapping[Cell, Array], fit: LatticeFit, sides: Sequence[Cell]
) -> Array:
    """Return where each cell's tile must lie, by the mean of what its neighbours expect, N x 2."""
    number = {cell: k for k, cell in enumerate(middles)}
    pairs = np.array([
        (k, number[x - dx, y - dy])
        for k, (x, y) in enumerate(cells) for dx, dy in sides if (x - dx, y - dy) in number
    ])  # fmt: skip
    # How far each tile lies off the grid, its free neighbours will too.
    expected = mapped(fit.px_from_cell, np.array(list(middles), float))
    off = np.stack(list(middles.values())) - expected
    near = np.bincount(pairs[:, 0], minlength=len(cells))
    sums = [np.bincount(pairs[:, 0], off[pairs[:, 1], axis], len(cells)) for axis in (0, 1)]
    grid = mapped(fit.px_from_cell, np.array(cells, float))
    return np.asarray(grid + np.stack(sums, axis=1) / near[:, None])


class _common_outline:  # noqa: N801 - called like the function it is
    """Outlines as the grid's tiles have them on average: their size and turn by the grid's axes."""

    def __init__(self, shape: Shape, corners: Array, fit: LatticeFit) -> None:
        self.fit, self.unit = fit, SQUARE_UNIT if shape == "square" else HEX_UNIT
        cells = np.array(list(fit.cells), float)
        frames = frames_of(corners[list(fit.cells.values())], shape)
        local = np.linalg.inv(self.axes(cells)) @ frames
        # A tile's frame may be any of four or six; turned to the one nearest to the first.
        folds = 4 if shape == "square" else 6
        skew = np.eye(2) if folds == 4 else np.array([[1.0, 0.5], [0.0, np.sqrt(3) / 2]])
        straight = skew @ local
        angle = np.arctan2(straight[:, 1, 0] - straight[:, 0, 1],
                           straight[:, 0, 0] + straight[:, 1, 1])  # fmt: skip
        size = np.median(np.sqrt(np.abs(np.linalg.det(straight))))
        turn = np.angle(np.exp(1j * folds * angle).mean()) / folds
        spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        self.local = np.linalg.inv(skew) @ spin * size

    def axes(self, cells: Array) -> Array:
        """Return the grid's steps at cells as columns, N x 2 x 2, in pixels."""
        across = [mapped(self.fit.px_from_cell, cells + np.array(s)) for s in
                  ((0.5, 0), (-0.5, 0), (0, 0.5), (0, -0.5))]  # fmt: skip
        return np.stack([across[0] - across[1], across[2] - across[3]], axis=2)

    def __call__(self, cells: Array, places: Array) -> Array:
        """Return the outlines of cells' tiles at their places."""
        frames = self.axes(cells) @ self.local
        return np.asarray(places[:, None] + self.unit @ frames.transpose(0, 2, 1))


def _places(outlines: Array, shape: Shape, settings: ProbeSettings) -> Array:
    """Return a grid of places in each outline, N x places x 2."""
    reach = settings.inner if shape == "square" else settings.inner * 0.8
    line = (np.arange(settings.samples) + 0.5) / settings.samples * 2 - 1
    grid = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2) * reach
    spread = grid @ frames_of(outlines, shape).transpose(0, 2, 1)
    return np.asarray(outlines.mean(axis=1)[:, None] + spread)


def shares_of(
    seen: TileMaps, outlines: Array, shape: Shape, settings: ProbeSettings = DEFAULT
) -> Array:
    """Return how much of each outline shows a tile, N."""
    return _shares(seen, seen.share(shape), outlines, shape, settings)[0]


def _shares(
    seen: TileMaps, shown: NDArray[np.float32], outlines: Array, shape: Shape,
    settings: ProbeSettings,
) -> tuple[Array, Array, Array]:  # fmt: skip
    """Return how much of each outline shows a tile, of its emptiest quarter, and votes for it.

    Votes are counted where they may matter.
    """
    places = _places(outlines, shape, settings)
    at = seen.map_xy(places.reshape(-1, 2)).astype(np.float32).reshape(len(outlines), -1, 2)
    x, y = np.ascontiguousarray(at[..., 0]), np.ascontiguousarray(at[..., 1])
    values = cv2.remap(shown, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
    half = settings.samples // 2
    blocks = values.reshape(len(outlines), 2, half, 2, half).mean(axis=(2, 4))
    share, agreed = values.mean(axis=1), np.zeros(len(outlines))
    hinted = share >= settings.least_hinted
    if hinted.any():
        agreed[hinted] = _agreement(seen, at[hinted], outlines[hinted], shape, settings)
    return share, blocks.reshape(len(outlines), 4).min(axis=1), agreed


def _agreement(
    seen: TileMaps, at: NDArray[np.float32], outlines: Array, shape: Shape, settings: ProbeSettings
) -> Array:
    """Return the share of places in each outline that vote for this very tile, sure or not."""
    rows, columns = seen.maps.shape[1:]
    x = np.clip(np.round(at[..., 0]).astype(int), 0, columns - 1)
    y = np.clip(np.round(at[..., 1]).astype(int), 0, rows - 1)
    said = seen.maps[6:9, y, x].astype(float)
    half = np.exp(np.clip(said[2], -3, 3)) * SIZE_PX / STRIDE
    voted = np.stack([x + said[0] * half, y + said[1] * half], axis=-1)
    target = seen.map_xy(outlines.mean(axis=1))[:, None]
    scale = np.sqrt(seen.scale[0] * seen.scale[1]) / STRIDE
    wanted = np.sqrt(np.abs(np.linalg.det(frames_of(outlines, shape))))[:, None] * scale
    near = np.linalg.norm(voted - target, axis=2) < settings.close * wanted
    return np.asarray((near & (np.abs(np.log(half / wanted)) < settings.alike)).mean(axis=1))
