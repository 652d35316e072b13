"""Probes the network's maps for missed tiles, at free cells beside a grid of found ones.

Where neighbours look alike and their seam is faint, pixels surely show a tile but do not agree on
its centre. The tiles around predict its place, and the maps confirm or refute it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.lattice import Cell
from vision.core.lattice import HEX_SIDES, SQUARE_SIDES, mapped
from vision.core.outline import HEX_UNIT, SQUARE_UNIT, frames_of
from vision.core.stages import stage
from vision.core.types import LIKELIER, Bgr, LatticeFit, Shape
from vision.detect.network import CLOSE, LEAST_SHOWN, STRIDE, TileMaps, votes_at
from vision.hexes.plane import SKEW

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

FEWEST_TILES = 3
"""Grids with fewer tiles are not probed."""
SHOWN = 0.6
"""Minimum mean tile probability inside the outline of a predicted tile."""
AGREED, HINTED = 0.7, 0.08
"""Alternative to ``SHOWN``: minimum share of an outline that votes for exactly the predicted tile,
with a minimum mean tile probability."""
ALIKE = 0.25
"""Maximum size difference between a vote and the predicted tile, as a natural logarithm."""
EMPTY = 0.05
"""Predicted outlines with a lower mean tile probability are samples of the table."""
INNER, SAMPLES = 0.8, 8
"""Inner share of an outline that is sampled, and the samples along each axis of it."""
MOST_COLOURS = 400
"""Approximate number of reference colours of tiles, and of the table."""
UNITS: dict[Shape, Array] = {"square": SQUARE_UNIT, "hex": HEX_UNIT}
"""Corners of a tile with half axes of length 1."""


@dataclass(frozen=True, eq=False)
class Probed:
    """A tile that the grid predicted and the maps confirmed."""

    corners_px: Array
    shown: float


@stage("probe", without=lambda *_: [])
def probe(
    bgr: Bgr, seen: TileMaps, shape: Shape, corners: Array, fits: Sequence[LatticeFit]
) -> list[Probed]:
    """Return the tiles that the grids predict and the maps confirm, beyond those already found.

    Args:
        bgr: the picture.
        seen: the network's maps of the picture.
        shape: of the tiles.
        corners: outlines of the tiles found, N x 4 x 2 or N x 6 x 2.
        fits: the grids of these tiles.
    """
    return [
        one
        for fit in fits
        if len(fit.cells) >= FEWEST_TILES
        for one in _grown(bgr, seen, shape, corners, fit)
    ]


def _grown(bgr: Bgr, seen: TileMaps, shape: Shape, corners: Array, fit: LatticeFit) -> list[Probed]:
    """Return missed tiles beside a grid, growing it until no more are found."""
    sides = SQUARE_SIDES if shape == "square" else HEX_SIDES
    own = corners[list(fit.cells.values())]
    form = _common_form(own, fit, shape)
    laid = dict(zip(fit.cells, own.mean(axis=1), strict=True))
    taken, empty = corners.mean(axis=1), corners[:0]
    found: list[Probed] = []
    tried: set[Cell] = set()
    while cells := sorted(around(laid, sides) - tried):
        tried.update(cells)
        middles = _expected(cells, laid, fit, sides)
        frames = _axes(cells, fit) @ form
        outlines = middles[:, None] + UNITS[shape] @ frames.transpose(0, 2, 1)
        half = np.sqrt(np.abs(np.linalg.det(frames)))
        apart = np.linalg.norm(middles[:, None] - taken[None], axis=2).min(axis=1)
        share, emptiest = shares_of(seen, outlines, shape)
        # Every quarter must show a tile: half a tile is none.
        good = (share >= SHOWN) & (emptiest >= LEAST_SHOWN)
        good |= (share >= HINTED) & (_agreed(seen, outlines, shape) >= AGREED)
        good &= apart > 1.2 * half
        empty = np.concatenate([empty, outlines[share < EMPTY]])
        if good.any() and len(empty):
            colours = [tile_colours(bgr, some, shape) for some in (outlines[good], own, empty)]
            good[good] = like_tiles(*colours) >= LIKELIER
        taken = np.concatenate([taken, middles[good]])
        for k in np.nonzero(good)[0]:
            laid[cells[k]] = middles[k]
            found.append(Probed(outlines[k], float(share[k])))
    return found


def around(cells: Iterable[Cell], sides: Sequence[Cell]) -> set[Cell]:
    """Return the free cells that share a side with the given ones."""
    taken = set(cells)
    return {(x + dx, y + dy) for x, y in taken for dx, dy in sides} - taken


def _expected(
    cells: Sequence[Cell], laid: Mapping[Cell, Array], fit: LatticeFit, sides: Sequence[Cell]
) -> Array:
    """Return the predicted tile centre in each cell, given its neighbours' centres, N x 2."""
    off = np.stack(list(laid.values())) - mapped(fit.px_from_cell, np.array(list(laid), float))
    number = {cell: k for k, cell in enumerate(laid)}
    expected = mapped(fit.px_from_cell, np.array(cells, float))
    for k, (x, y) in enumerate(cells):
        near = [number[x - i, y - j] for i, j in sides if (x - i, y - j) in number]
        # A tile lies off the grid by as much as its neighbours do on average.
        expected[k] += off[near].mean(axis=0)
    return expected


def _axes(cells: Iterable[Cell], fit: LatticeFit) -> Array:
    """Return the local steps of a grid at cells as columns, N x 2 x 2, in pixels."""
    places = np.array(list(cells), float)
    ends = [
        mapped(fit.px_from_cell, places + np.array(step) / 2)
        for step in ((1, 0), (-1, 0), (0, 1), (0, -1))
    ]
    return np.stack([ends[0] - ends[1], ends[2] - ends[3]], axis=2)


def _common_form(outlines: Array, fit: LatticeFit, shape: Shape) -> Array:
    """Return the average half axes of a grid's tiles, in steps of the grid, 2 x 2."""
    folds = len(UNITS[shape])
    skew = np.eye(2) if shape == "square" else SKEW
    straight = skew @ np.linalg.inv(_axes(fit.cells, fit)) @ frames_of(outlines, shape)
    angle = np.arctan2(straight[:, 1, 0] - straight[:, 0, 1], straight[:, 0, 0] + straight[:, 1, 1])
    # Frames are ambiguous by quarter or sixth turns: average the angles modulo one turn.
    turn = np.angle(np.exp(1j * folds * angle).mean()) / folds
    spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    size = np.median(np.sqrt(np.abs(np.linalg.det(straight))))
    return np.asarray(np.linalg.inv(skew) @ spin * size)


def tile_colours(bgr: Bgr, outlines: Array, shape: Shape) -> Floats:
    """Return Lab colours sampled inside each outline, N x samples x 3."""
    places = _places(outlines, shape).astype(np.float32)
    x, y = np.ascontiguousarray(places[..., 0]), np.ascontiguousarray(places[..., 1])
    sampled = cv2.remap(bgr, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    lab = cv2.cvtColor(np.asarray(sampled, np.float32) / 255, cv2.COLOR_BGR2Lab)
    return np.asarray(lab, np.float32)


def like_tiles(colours: Floats, tiles: Floats, table: Floats) -> Array:
    """Return the share of each outline's colours that are nearer to tiles than to the table."""
    nearest = []
    own = colours.reshape(-1, 3)
    for known in (tiles, table):
        flat = known.reshape(-1, 3)
        flat = flat[:: max(1, len(flat) // MOST_COLOURS)]
        # Squared distances by a matrix product: NumPy is slow along an axis of three.
        apart = (own**2).sum(axis=1)[:, None] + (flat**2).sum(axis=1) - 2 * (own @ flat.T)
        # Mean of the four nearest: a single odd pixel is no colour of the table.
        few = np.partition(apart, 3, axis=1)[:, :4]
        nearest.append(np.sqrt(np.maximum(few, 0)).mean(axis=1).reshape(colours.shape[:2]))
    return np.asarray((nearest[0] <= nearest[1]).mean(axis=1))


def _places(outlines: Array, shape: Shape) -> Array:
    """Return a grid of sample places in each outline, N x samples x 2."""
    reach = INNER if shape == "square" else INNER**2
    line = (np.arange(SAMPLES) + 0.5) / SAMPLES * 2 - 1
    grid = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2) * reach
    spread = grid @ frames_of(outlines, shape).transpose(0, 2, 1)
    return np.asarray(outlines.mean(axis=1)[:, None] + spread)


def shares_of(seen: TileMaps, outlines: Array, shape: Shape) -> tuple[Array, Array]:
    """Return the mean tile probability of each outline, and of its emptiest quarter."""
    at = seen.map_xy(_places(outlines, shape).reshape(-1, 2)).astype(np.float32)
    at = at.reshape(len(outlines), -1, 2)
    x, y = np.ascontiguousarray(at[..., 0]), np.ascontiguousarray(at[..., 1])
    values = cv2.remap(seen.share(shape), x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
    quarters = values.reshape(len(outlines), 2, SAMPLES // 2, 2, SAMPLES // 2).mean(axis=(2, 4))
    return values.mean(axis=1), quarters.reshape(len(outlines), 4).min(axis=1)


def _agreed(seen: TileMaps, outlines: Array, shape: Shape) -> Array:
    """Return the share of samples in each outline that vote for it, whatever their probability."""
    at = seen.map_xy(_places(outlines, shape).reshape(-1, 2)).reshape(len(outlines), -1, 2)
    rows, columns = seen.maps.shape[1:]
    x = np.clip(np.round(at[..., 0]).astype(int), 0, columns - 1)
    y = np.clip(np.round(at[..., 1]).astype(int), 0, rows - 1)
    middles, half = votes_at(seen, x, y)
    scale = np.sqrt(seen.scale[0] * seen.scale[1]) / STRIDE
    wanted = np.sqrt(np.abs(np.linalg.det(frames_of(outlines, shape))))[:, None] * scale
    missed = np.linalg.norm(middles - seen.map_xy(outlines.mean(axis=1))[:, None], axis=-1)
    voted = (missed < CLOSE * wanted) & (np.abs(np.log(half / wanted)) < ALIKE)
    return np.asarray(voted.mean(axis=1))
