"""Finds tiles that lie edge to edge, and fits the lattice that they form.

A tile's outline predicts where its neighbours lie, so the lattice is followed from tile to tile and
never laid over all of them at once: the small errors of tiles laid by hand may add up without harm.
Two tiles are neighbours when each predicts the other's place. Tiles that touch only at a corner, or
across one missing tile, are joined last.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.lattice import Cell
from vision.core.outline import SQUARE_UNIT, frames_of
from vision.core.types import QUARTERS, Detections, LatticeFit, Shape

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

SIDE_MISS, FAR_MISS = 0.36, 0.27
"""How far a neighbour may lie from its predicted place, in pitches: across a side; at a corner or
across a gap. A tile is off by up to 3 mm of 45 and 5 degrees, two tiles together by twice that."""
SIZE_RATIO = 1.45
"""Maximum width ratio of two neighbours, even in steep views."""
MOST_TURNED_DEG = 16.0
OWN_AXES = 0.25
"""Weight of a tile's own axes in the lattice fit; its centre has weight 1."""
RIDGE = 1e-3
"""Ridge penalty on the perspective terms: keeps a few tiles from implying a steep view."""
FEWEST_FOR_PERSPECTIVE = 6

SQUARE_SIDES: tuple[Cell, ...] = ((1, 0), (0, 1), (-1, 0), (0, -1))
HEX_SIDES: tuple[Cell, ...] = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))
SQUARE_CORNERS = SQUARE_UNIT / 2
_ANGLES = np.arange(6) * np.pi / 3 - np.pi / 6
HEX_CORNERS = np.stack(
    [np.cos(_ANGLES) / np.sqrt(3) - np.sin(_ANGLES) / 3, np.sin(_ANGLES) * 2 / 3], axis=1
)
"""Corners of a hex cell, in steps of its lattice."""
SQUARE_FAR: tuple[Cell, ...] = (
    (1, 1),
    (-1, 1),
    (-1, -1),
    (1, -1),
    (2, 0),
    (0, 2),
    (-2, 0),
    (0, -2),
)
HEX_FAR: tuple[Cell, ...] = (
    (1, 1),
    (-1, 2),
    (-2, 1),
    (-1, -1),
    (1, -2),
    (2, -1),
    (2, 0),
    (0, 2),
    (-2, 2),
    (-2, 0),
    (0, -2),
    (2, -2),
)


_Link = tuple[int, int, list[int], int]
"""Indices of two tiles that predict each other, the step from the first to the second in the first
one's axes, and how many turns the second's axes are ahead of the first's."""


def cells_beside(cells: Iterable[Cell]) -> set[Cell]:
    """Return all cells that share a side with any of the given square cells."""
    return {(x + dx, y + dy) for x, y in cells for dx, dy in SQUARE_SIDES}


def fit_lattices(detections: Detections) -> list[LatticeFit]:
    """Return the lattices that the tiles form, the one with most tiles first.

    A single tile forms a lattice too: callers that know the game decide whether it counts. Every
    detection is in exactly one lattice; two on one cell are in different lattices.
    """
    found = detections.found
    if not found:
        return []
    corners = np.stack([d.corners_px for d in found])
    return fit_outlines(corners, detections.shape)


def fit_outlines(corners: Array, shape: Shape, fewest: int = 1) -> list[LatticeFit]:
    """Return the lattices of outlines given as N x 4 x 2 (squares) or N x 6 x 2 (hexes).

    Args:
        corners: the outlines.
        shape: of the tiles.
        fewest: lattices with fewer tiles are left out.
    """
    groups = _grouped(corners, shape)
    turns = np.array(groups.turn)
    centres, frames = corners.mean(axis=1), cell_axes(corners, shape)
    fits = [
        _fit(cells, turns, centres, frames, groups.folds)
        for cells in groups.cells()
        if len(cells) >= fewest
    ]
    return sorted(fits, key=lambda fit: -len(fit.cells))


def grouped_outlines(corners: Array, shape: Shape) -> list[list[int]]:
    """Return the outline indices on each lattice, without fitting the lattices."""
    return list(_grouped(corners, shape).members.values())


def _grouped(corners: Array, shape: Shape) -> _Groups:
    centres = corners.mean(axis=1)
    frames = cell_axes(corners, shape)
    folds = QUARTERS if shape == "square" else 6
    sides, far = (SQUARE_SIDES, SQUARE_FAR) if shape == "square" else (HEX_SIDES, HEX_FAR)
    places = _places(centres, frames)
    groups = _Groups(len(corners), folds)
    for steps, most in ((sides, SIDE_MISS), (far, FAR_MISS)):
        for link in _links(centres, frames, places, steps, most, folds):
            groups.join(*link)
    return groups


def cell_axes(corners: Array, shape: Shape) -> Array:
    """Return each outline's steps to its neighbours, N x 2 x 2: columns are the two axes in pixels.

    For squares the steps to the right and down; for hexes to the neighbours beyond two sides
    that lie next to each other, 60 degrees apart.
    """
    axes = frames_of(corners, shape)
    if shape == "square":
        return 2 * axes
    # Corners lie at 0, 60, … degrees, the neighbours between them, at twice the inner radius.
    between = np.array([np.pi / 6, np.pi / 2])
    return np.asarray(np.sqrt(3.0) * axes @ np.stack([np.cos(between), np.sin(between)]))


def _places(centres: Array, frames: Array) -> Array:
    """Return where tile j lies relative to tile i, in tile i's own steps, N x N x 2."""
    inverse = np.linalg.inv(_sound(frames))
    away = centres[None, :, :] - centres[:, None, :]
    return np.asarray(away @ inverse.transpose(0, 2, 1))


def _sound(frames: Array) -> Array:
    """Return the frames with degenerate ones replaced, so that all can be inverted."""
    area = np.abs(np.linalg.det(frames))
    return np.where(area[:, None, None] > 1e-6, frames, np.eye(2) * 1e-3)


def _links(
    centres: Array, frames: Array, places: Array, steps: tuple[Cell, ...], most: float, folds: int
) -> list[_Link]:
    """Return the pairs that predict each other at one of the steps, the closest match first."""
    listed = np.array(steps)
    width = np.sqrt(np.abs(np.linalg.det(frames)))
    ratio = width[:, None] / np.maximum(width[None], 1e-9)
    reach = np.abs(listed).max() + most
    # One axis at a time: NumPy is slow along an axis of two.
    near = (np.abs(places[..., 0]) < reach) & (np.abs(places[..., 1]) < reach)
    near &= ratio < SIZE_RATIO
    first, second = np.nonzero(np.triu(near & near.T, 1))
    out, miss_out = _nearest(places[first, second], listed)
    home, miss_home = _nearest(places[second, first], listed)
    quarter, turned = _turns(frames[first], frames[second], folds)
    # The first tile's step must be the reverse of the second's step back, in the first's axes.
    there, back = listed[out], turned_cells(listed[home], quarter, folds)
    miss = np.maximum(miss_out, miss_home)
    good = (turned < np.radians(MOST_TURNED_DEG)) & (there == -back).all(axis=1) & (miss < most)
    order = np.nonzero(good)[0][np.argsort(miss[good], kind="stable")]
    picks = [part[order].tolist() for part in (first, second, there, quarter)]
    return list(zip(*picks, strict=True))


def _nearest(places: Array, steps: Ints) -> tuple[Ints, Array]:
    """Return the index of the step nearest to each place, and the distance to it."""
    apart = np.hypot(places[:, :1] - steps[:, 0], places[:, 1:] - steps[:, 1])
    number = apart.argmin(axis=1)
    return number, apart[np.arange(len(places)), number]


def _turns(one: Array, other: Array, folds: int) -> tuple[Ints, Array]:
    """Return by how many whole turns the other's axes are ahead, and the remaining angle."""
    relative = np.linalg.inv(_sound(one)) @ other
    if folds != QUARTERS:
        # Convert skewed hex axes to Cartesian ones, in which a turn is a rotation matrix.
        skew = np.array([[1.0, 0.5], [0.0, np.sqrt(3) / 2]])
        relative = skew @ relative @ np.linalg.inv(skew)
    angle = np.arctan2(relative[:, 1, 0] - relative[:, 0, 1], relative[:, 0, 0] + relative[:, 1, 1])
    unit = 2 * np.pi / folds
    whole = np.round(angle / unit)
    return whole.astype(np.int64) % folds, np.abs(angle - whole * unit)


def turned_cell(cell: Cell, turns: int, folds: int = QUARTERS) -> Cell:
    """Return a cell after clockwise turns about ``(0, 0)``: quarters, or sixths for 6 folds."""
    x, y = cell
    for _ in range(turns % folds):
        x, y = -y, x if folds == QUARTERS else x + y
    return x, y


def turned_cells(cells: Ints, turns: Ints, folds: int) -> Ints:
    """Return steps turned by whole turns of the lattice, each by its own number."""
    out = np.array(cells)
    for turn in range(1, folds):
        more = turns >= turn
        x, y = out[more, 0], out[more, 1]
        out[more] = np.stack([-y, x if folds == QUARTERS else x + y], axis=1)
    return out


TURNED_UNITS = {
    folds: [turned_cells(np.tile(unit, (folds, 1)), np.arange(folds), folds) for unit in np.eye(2)]
    for folds in (4, 6)
}
"""By number of folds: for each of the two axes, its unit step after each turn."""


class _Groups:
    """Tiles joined so far: each group has its own axes, each tile a cell and a turn in them."""

    def __init__(self, count: int, folds: int) -> None:
        self.folds = folds
        self.group = list(range(count))
        self.members: dict[int, list[int]] = {k: [k] for k in range(count)}
        self.cell: list[Cell] = [(0, 0)] * count
        self.turn = [0] * count

    def join(self, a: int, b: int, step: Sequence[int], quarter: int) -> None:
        """Join the groups of two neighbours, unless two tiles would then share a cell."""
        if self.group[a] == self.group[b]:
            return
        # The second tile's turn in the first's group is the first's turn plus ``quarter``.
        step = turned_cell((step[0], step[1]), self.turn[a], self.folds)
        spin = (self.turn[a] + quarter - self.turn[b]) % self.folds
        target = (self.cell[a][0] + step[0], self.cell[a][1] + step[1])
        own = turned_cell(self.cell[b], spin, self.folds)
        shift = (target[0] - own[0], target[1] - own[1])
        moved = {}
        for tile in self.members[self.group[b]]:
            cell = turned_cell(self.cell[tile], spin, self.folds)
            moved[tile] = (cell[0] + shift[0], cell[1] + shift[1])
        taken = {self.cell[tile] for tile in self.members[self.group[a]]}
        if taken.intersection(moved.values()):
            return
        old = self.group[b]
        for tile, cell in moved.items():
            self.cell[tile] = cell
            self.turn[tile] = (self.turn[tile] + spin) % self.folds
            self.group[tile] = self.group[a]
        self.members[self.group[a]] += self.members.pop(old)

    def cells(self) -> list[dict[Cell, int]]:
        """Return the groups, each as detection indices by cell."""
        return [{self.cell[t]: t for t in sorted(m)} for m in self.members.values()]


def _fit(
    cells: dict[Cell, int], turns: Ints, centres: Array, frames: Array, folds: int
) -> LatticeFit:
    places, tiles = np.array(list(cells), np.int64), np.array(list(cells.values()))
    if len(tiles) == 1:
        # A single tile's own axes are its lattice: there is nothing to fit.
        return LatticeFit(cells, _own_grid(centres[tiles[0]], frames[tiles[0]]), 0.0)
    homography = _homography(places, turns[tiles], centres[tiles], frames[tiles], folds)
    pitch = np.sqrt(np.abs(np.linalg.det(frames[tiles])))
    off = np.linalg.norm(mapped(homography, places.astype(float)) - centres[tiles], axis=1)
    return LatticeFit(cells, homography, float((off / np.maximum(pitch, 1e-9)).mean()))


def _own_grid(centre: Array, frame: Array) -> Array:
    return np.vstack([np.column_stack([frame, centre]), (0.0, 0.0, 1.0)])


def _homography(places: Ints, turns: Ints, seen: Array, frames: Array, folds: int) -> Array:
    """Return the homography from cells to pixels.

    The ends of each tile's own axes count too, with a small weight, so that a single row of tiles
    has a lattice in both directions.
    """
    sources, targets = [places.astype(float)], [seen]
    for axis, units in enumerate(TURNED_UNITS[folds]):
        half, reach = units[turns] / 2, frames[:, :, axis] / 2
        sources += [places + half, places - half]
        targets += [seen + reach, seen - reach]
    weights = np.full(5 * len(places), OWN_AXES)
    weights[: len(places)] = 1.0
    several = len(places) >= FEWEST_FOR_PERSPECTIVE
    return homography_of(
        np.concatenate(sources),
        np.concatenate(targets),
        weights,
        perspective=several and bool((np.ptp(places, axis=0) > 0).all()),
    )


def mapped(homography: Array, points: Array) -> Array:
    """Return points, N x 2, mapped by a homography."""
    flat = np.asarray(points, float) @ homography[:, :2].T + homography[:, 2]
    return np.asarray(flat[:, :2] / flat[:, 2:])


@dataclass(frozen=True, eq=False)
class LaidCells:
    """The cells that the tiles of one lattice cover, and the tiles' offsets from them."""

    px_from_cell: Array
    cell_from_px: Array
    cells: Array
    """All cells of all tiles, N x 2."""
    off: Array
    """Offset from each cell to where its tile really lies, N x 2, in pitches."""

    @classmethod
    def of(
        cls, px_from_cell: Array, cells: Sequence[Sequence[Cell]], middles_px: Array
    ) -> LaidCells | None:
        """Return the cells of tiles with the given centres; ``None`` for a singular homography."""
        if np.linalg.matrix_rank(px_from_cell) < 3:
            return None
        back = np.asarray(np.linalg.inv(px_from_cell), np.float64)
        middles = np.array([np.mean(own, axis=0) for own in cells])
        off = np.repeat(mapped(back, middles_px) - middles, [len(own) for own in cells], axis=0)
        return cls(px_from_cell, back, np.array([c for own in cells for c in own], float), off)

    def place(self, px: Array) -> Array:
        """Return pixels in cell coordinates, corrected by the nearest tile's offset."""
        raw = mapped(self.cell_from_px, px)
        return np.asarray(raw - self._nearest_off(raw))

    def outlines(self, cells: Array, corners: Array = SQUARE_CORNERS) -> Array:
        """Return outlines of cells, shifted by the nearest tile's offset, N x corners x 2."""
        places = (cells + self._nearest_off(cells))[:, None] + corners
        return mapped(self.px_from_cell, places.reshape(-1, 2)).reshape(places.shape)

    def within(self, cells: Sequence[Cell], steps: int) -> list[Cell]:
        """Return the cells that are at most ``steps`` non-diagonal steps away from a tile."""
        if not cells:
            return []
        apart = np.abs(np.array(cells, float)[:, None] - self.cells[None]).sum(axis=2).min(axis=1)
        return [cell for cell, far in zip(cells, apart, strict=True) if far <= steps]

    def away(self, cells: Array) -> Array:
        """Return each cell's distance from the nearest tile in cells, a diagonal counting 1."""
        return np.asarray(np.abs(cells[:, None] - self.cells[None]).max(axis=2).min(axis=1))

    def _nearest_off(self, cells: Array) -> Array:
        apart = np.linalg.norm(cells[:, None] - self.cells[None], axis=2)
        return np.asarray(self.off[apart.argmin(axis=1)])


def homography_of(
    source: Array, target: Array, weights: Array, *, perspective: bool = True
) -> Array:
    """Return the least-squares homography between points, with outliers down-weighted."""
    low, spread = source.min(axis=0), max(float(np.ptp(source, axis=0).max()), 1e-6)
    middle, size = target.mean(axis=0), max(float(np.ptp(target, axis=0).max()), 1e-6)
    matrix = _least_squares(
        (source - low) / spread, (target - middle) / size, weights, perspective=perspective
    )
    undo = np.array([[size, 0, middle[0]], [0, size, middle[1]], [0, 0, 1]])
    into = np.array([[1, 0, -low[0]], [0, 1, -low[1]], [0, 0, spread]]) / spread
    homography = undo @ matrix @ into
    return np.asarray(homography / homography[2, 2])


def median_of(values: Array) -> float:
    """Return the median of a few numbers, in a fifth of the time that NumPy's own takes."""
    half = len(values) // 2
    parted = np.partition(values, (half - 1, half) if half else 0)
    return float(parted[half] if len(values) % 2 else (parted[half - 1] + parted[half]) / 2)


def _least_squares(source: Array, target: Array, given: Array, *, perspective: bool) -> Array:
    weights, many = given, len(source)
    x, y = source.T
    rows = np.zeros((2 * many, 8))
    for half, first, seen in ((rows[:many], 0, target[:, 0]), (rows[many:], 3, target[:, 1])):
        half[:, first], half[:, first + 1], half[:, first + 2] = x, y, 1.0
        half[:, 6], half[:, 7] = -seen * x, -seen * y
    count = 8 if perspective else 6
    rows = rows[:, :count]
    ridge = np.diag(np.where(np.arange(count) < 6, 1e-12, RIDGE))
    values = target.T.ravel()
    solved = np.zeros(9)
    solved[8] = 1.0
    squares = np.empty(2 * many)
    for _ in range(4):
        squares[:many] = squares[many:] = weights**2
        weighted = rows.T * squares
        solved[:count] = np.linalg.solve(weighted @ rows + ridge, weighted @ values)
        missed = mapped(solved.reshape(3, 3), source) - target
        off = np.hypot(missed[:, 0], missed[:, 1])
        weights = given / np.sqrt(1 + (off / max(2 * median_of(off), 1e-6)) ** 2)
    return solved.reshape(3, 3)
