"""Locates taught hex boards by the seams between their visible cells, also where a part is hidden.

The network that detects tiles shows the sides of all cells, and a board's grid is moved onto those.
Where the board ends tells which cell is which. Loose hexes are aligned with their seams by the same
functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.lattice import HEX_STEPS, Cell, hex_board
from vision.core.lattice import HEX_SIDES, homography_of, mapped
from vision.core.types import LIKELIER, Bgr, Points
from vision.detect.network import TileMaps, TileNetwork, shipped_network
from vision.detect.scales import MOST_ENLARGED, box_around
from vision.hexes.plane import HEX_CORNERS, HEX_TURNS, REACH, HexBoard, plane_of

Array = NDArray[np.float64]

CELLS = hex_board(REACH + 1)
BEYOND = tuple(sorted(set(hex_board(REACH + 2)) - set(CELLS)))
"""The ring of cells just outside a board."""
CELL_PX = 26.0
"""Width of a cell in the network's input."""
LEAST_AHEAD = 2.5
"""Minimum lead of a board's place over those one cell away, as a score in cells: nine boards that
were cut by up to two thirds led by 8.7 and more, one that a hand hid from a corner on by 2.7, and
one that an arm hid from its middle on by 0.1."""
LEAST_SEAMS = 0.54
"""Minimum contrast of sides against what is beside them. Of 48 boards that the picture's edge cut
by up to a third, 37 were placed within 0.07 of a cell and had at least 0.65; the others were off by
0.2 and more and had at most 0.51, except one that lay a whole cell beside."""
FEWEST = 16
"""Minimum number of cells inside the picture to move a board, and of cells clearly shown to place
it: 47 boards cut to 20 to 30 cells lay within 0.05 of a cell, and one more partly under a cup."""

SEAM_REACH = 0.3
"""Search distance from the predicted place of a board's side in the first round, in cells."""
ROUNDS, OFFSETS, PLACES = 8, 15, 5
"""Rounds in which a grid is moved, offsets at which each of its sides is searched, and samples
along a side."""
ENDS = 0.1
"""Share left out at both ends of a side, since things may stand on corners."""
NORMALS = np.stack([np.cos(HEX_TURNS), np.sin(HEX_TURNS)], axis=1)
"""Unit vectors towards the neighbours, in the order of ``HEX_SIDES``."""


def on_its_seams(bgr: Bgr, board: HexBoard, network: TileNetwork | None = None) -> HexBoard:
    """Return a board moved to where the sides of its cells are seen.

    It counts as placed, whatever earlier looks said, if its sides are clear and it could not as
    well lie one cell away. Otherwise starts half a cell away are tried: a hand on a corner may have
    pulled the board that far off.
    """
    cells = _seen(bgr, board, CELLS)
    if len(cells) < FEWEST:
        return board
    around, cell_px = board.px(plane_of(cells)), board.cell_px()
    scale = min(CELL_PX / max(cell_px, 1.0), MOST_ENLARGED)
    maps = (network or shipped_network()).look(bgr, scale, box_around(around, 2.5 * cell_px, bgr))
    flat = replace(board, px_from_plane=board.flat(), lens=0.0)
    first = _laid(bgr, flat, maps)
    others = (_laid(bgr, _shifted(flat, step, 1 / 2), maps) for step in HEX_STEPS)
    return first if first.is_placed else next((one for one in others if one.is_placed), first)


def _laid(bgr: Bgr, start: HexBoard, maps: TileMaps) -> HexBoard:
    """Return a board moved onto seams, from a start without lens distortion."""
    unsure = replace(start, unsteady=np.inf)
    cells = _seen(bgr, start, CELLS)
    if len(cells) < FEWEST:
        return unsure
    moved = replace(unsure, px_from_plane=settled(maps, start.px_from_plane, cells, SEAM_REACH))
    shown = np.maximum(maps.share("board"), maps.share("hex"))
    places = [_shifted(moved, step) for step in ((0, 0), *HEX_STEPS)]
    scores = [_filled(bgr, place, maps, shown) for place in places]
    second, best = sorted(range(len(places)), key=lambda number: scores[number])[-2:]
    found = places[best]
    cells = _seen(bgr, found, CELLS)
    shares = _at(maps, shown, found.px(plane_of(cells)))
    own = [cell for cell, share in zip(cells, shares, strict=True) if share > LIKELIER]
    if len(own) < FEWEST or scores[best] - scores[second] < LEAST_AHEAD:
        return found
    clear = _side_contrast(maps, found.px_from_plane, own) >= LEAST_SEAMS
    return replace(found, unsteady=0.0) if clear else found


def _shifted(board: HexBoard, step: Cell, share: float = 1.0) -> HexBoard:
    """Return a board moved by one step, or by a share of it."""
    move = np.eye(3)
    move[:2, 2] = plane_of([step])[0] * share
    return replace(board, px_from_plane=board.px_from_plane @ move)


def _filled(bgr: Bgr, board: HexBoard, maps: TileMaps, shown: NDArray[np.float32]) -> float:
    """Return how many of a board's cells are shown, less those missing and those shown around it.

    Without both penalties, a board that leaves the picture could as well lie one cell further.
    """
    own, around = (
        _at(maps, shown, board.px(plane_of(_seen(bgr, board, cells)))) for cells in (CELLS, BEYOND)
    )
    return float((2 * own - 1).sum() - around.sum())


def _seen(bgr: Bgr, board: HexBoard, cells: Sequence[Cell]) -> list[Cell]:
    """Return the cells whose centre lies in the picture."""
    height, width = bgr.shape[:2]
    px = board.px(plane_of(cells))
    inside = np.asarray(((px >= 0) & (px <= (width - 1, height - 1))).all(axis=1))
    return [cell for cell, own in zip(cells, inside, strict=True) if own]


def _at(maps: TileMaps, shown: NDArray[np.float32], points: Points) -> NDArray[np.float32]:
    """Return the values of a map at places of the picture."""
    if not len(points):
        return np.zeros(0, np.float32)
    at = maps.map_xy(points).astype(np.float32)[None]
    x, y = np.ascontiguousarray(at[..., 0]), np.ascontiguousarray(at[..., 1])
    return np.asarray(cv2.remap(shown, x, y, cv2.INTER_LINEAR), np.float32).ravel()


# --- a grid and the sides of its cells ---


@dataclass(frozen=True, eq=False)
class Sides:
    """Sides of cells on the plane of their grid: both ends and the outward normal, N x 2 each."""

    first: Array
    last: Array
    normal: Array

    @classmethod
    def of(cls, cells: Sequence[Cell], *, once: bool = False) -> Sides:
        """Return the six sides of each cell; with ``once``, a side between two cells only once."""
        taken = set(cells)
        picked = [
            (cell, k)
            for cell in cells
            for k, (x, y) in enumerate(HEX_SIDES)
            if not once or k < len(HEX_SIDES) // 2 or (cell[0] + x, cell[1] + y) not in taken
        ]
        middles = plane_of([cell for cell, _ in picked])
        numbers = np.array([k for _, k in picked])
        ends = np.roll(HEX_CORNERS, -1, axis=0)
        return cls(middles + HEX_CORNERS[numbers], middles + ends[numbers], NORMALS[numbers])

    @property
    def middle(self) -> Array:
        """Midpoints of the sides, N x 2."""
        return np.asarray((self.first + self.last) / 2)


def settled(maps: TileMaps, px_from_plane: Array, cells: Sequence[Cell], reach: float) -> Array:
    """Return the homography from the plane to pixels after moving it onto the visible sides.

    Args:
        maps: the network's maps of the cells.
        px_from_plane: the initial homography.
        cells: the cells.
        reach: search distance from the predicted sides in the first round, in cells.
    """
    sides = Sides.of(cells, once=True)
    centre = sides.middle.mean(axis=0)
    size = float(np.ptp(sides.first, axis=0).max()) / 2
    for number in range(ROUNDS):
        off, clear = offsets(maps, px_from_plane, sides, reach / (1 + number / 2))
        bend = _bend((sides.middle - centre) / size, sides.normal, off, clear, reach / 6)
        across, down = _basis((sides.first - centre) / size)
        moved = sides.first + np.stack([across @ bend, down @ bend], axis=1)
        px_from_plane = homography_of(
            sides.first, mapped(px_from_plane, moved), np.ones(len(moved)), perspective=True
        )
    return px_from_plane


def offsets(
    maps: TileMaps, px_from_plane: Array, sides: Sides, reach: float
) -> tuple[Array, Array]:
    """Return each side's offset along its normal from its predicted place, and its contrast."""
    away = np.linspace(-reach, reach, OFFSETS)
    profile = side_profiles(maps, px_from_plane, sides, reach)
    expected = np.exp(-2 * (away / reach) ** 2)
    # The centroid of the ridge, not its maximum: maps are coarse and blurred.
    ridge = np.maximum(profile - np.median(profile, axis=1, keepdims=True), 0) * expected
    off = (ridge * away).sum(axis=1) / np.maximum(ridge.sum(axis=1), 1e-9)
    return off, profile.max(axis=1) - profile.min(axis=1)


def side_profiles(maps: TileMaps, px_from_plane: Array, sides: Sides, reach: float) -> Array:
    """Return how clearly each side is shown at each offset along its normal, sides x offsets."""
    away = np.linspace(-reach, reach, OFFSETS)
    along = np.linspace(ENDS, 1 - ENDS, PLACES)
    line = sides.first[:, None] + (sides.last - sides.first)[:, None] * along[None, :, None]
    places = line[:, :, None] + sides.normal[:, None, None] * away[None, None, :, None]
    at = maps.map_xy(mapped(px_from_plane, places.reshape(-1, 2))).astype(np.float32)
    at = at.reshape(len(sides.first), -1, 2)
    x, y = np.ascontiguousarray(at[..., 0]), np.ascontiguousarray(at[..., 1])
    seen = cv2.remap(maps.share("side"), x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(np.asarray(seen, float).reshape(len(at), PLACES, -1).mean(axis=1))


def _side_contrast(maps: TileMaps, px_from_plane: Array, cells: Sequence[Cell]) -> float:
    """Return the mean contrast of the sides of cells against what is beside them, -1 to 1."""
    profile = side_profiles(maps, px_from_plane, Sides.of(cells, once=True), SEAM_REACH)
    near, fifth = OFFSETS // 2, OFFSETS // 5
    there = profile[:, near - 1 : near + 2].max(axis=1)
    beside = np.minimum(profile[:, :fifth].mean(axis=1), profile[:, -fifth:].mean(axis=1))
    return float((there - beside).mean())


def _bend(places: Array, normals: Array, off: Array, clear: Array, outlier: float) -> Array:
    """Return the small change of the homography that moves sides to where they are seen.

    Outliers among the sides are down-weighted.
    """
    across, down = _basis(places)
    rows = across * normals[:, :1] + down * normals[:, 1:]
    weights = clear.copy()
    solved: Array = np.zeros(8)
    ridge = np.diag([1e-3] * 6 + [0.05] * 2)
    for _ in range(5):
        weighted = rows * weights[:, None]
        solved = np.asarray(np.linalg.solve(weighted.T @ rows + ridge, weighted.T @ off))
        weights = clear / (1 + ((off - rows @ solved) / outlier) ** 2)
    return solved


def _basis(places: Array) -> tuple[Array, Array]:
    """Return how each of eight small changes of a homography moves places right and down."""
    x, y = places.T
    one, nil = np.ones_like(x), np.zeros_like(x)
    return (
        np.stack([one, x, y, nil, nil, nil, x * x, x * y], axis=1),
        np.stack([nil, nil, nil, one, x, y, x * y, y * y], axis=1),
    )
