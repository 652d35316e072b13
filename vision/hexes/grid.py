"""The grid that loose hex tiles form, moved onto the seams that a network shows.

Lengths on its plane are in pitches, from one tile's middle to the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.lattice import Cell
from vision.core.lattice import HEX_SIDES, homography_of, mapped
from vision.core.types import LatticeFit
from vision.detect.network import TileMaps

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SeamSettings:
    """How sides are looked for; lengths are in pitches, from one tile's middle to the next."""

    reach: float = 0.14
    """How far from where it is expected a side is looked for at first."""
    steps: int = 29
    places: int = 10
    """Places along each side that are looked at."""
    ends: float = 0.1
    """What is left out at both ends of a side: things stand on corners."""
    rounds: int = 6
    outlier: float = 0.02
    """Sides that lie further off than the others say count little."""
    prior: float = 0.06
    """How far off sides are expected at first."""
    tile_reach: float = 0.1
    """How far from the grid's a tile's own sides are looked for."""
    believed: float = 0.5
    """Share of what a tile's sides say that it is moved by: they are seen less exactly than the
    grid. On photographs of tiles that lie tight 0 is best, on drawn ones that lie loose 1."""
    side_reach: float = 0.06
    """How far from its place a side may be shown to count as shown there."""


DEFAULT = SeamSettings()
SKEW = np.array([[1.0, 0.5], [0.0, np.sqrt(3) / 2]])
"""From steps of a hex lattice to a plane in which all sides are equally long."""
TO_STEPS = np.linalg.inv(SKEW)
FAR_BESIDE = 0.3
"""How far from a side is surely beside it."""
_TURNS = np.arange(6) * np.pi / 3
NORMALS = np.stack([np.cos(_TURNS), np.sin(_TURNS)], axis=1)
"""Towards the neighbours of ``HEX_SIDES``, in their order."""
CORNERS = np.stack([np.cos(_TURNS - np.pi / 6), np.sin(_TURNS - np.pi / 6)], axis=1) / np.sqrt(3)
"""The corners of a cell; its side to a neighbour runs from that number to the next."""


@dataclass(frozen=True, eq=False)
class _Sides:
    """Sides of a grid's cells, each once, on the plane."""

    first: Array
    last: Array
    normal: Array

    @classmethod
    def of(cls, cells: Sequence[Cell]) -> _Sides:
        taken = set(cells)
        picked = [
            (cell, k) for cell in cells for k, (x, y) in enumerate(HEX_SIDES)
            if k < 3 or (cell[0] + x, cell[1] + y) not in taken
        ]  # fmt: skip
        middles = np.array([cell for cell, _ in picked], float) @ SKEW.T
        numbers = np.array([k for _, k in picked])
        return cls(middles + CORNERS[numbers], middles + CORNERS[(numbers + 1) % 6],
                   NORMALS[numbers])  # fmt: skip


@dataclass(frozen=True, eq=False)
class HexGrid:
    """A grid that was moved onto the sides that are seen."""

    cells: tuple[Cell, ...]
    tiles: tuple[int, ...]
    """Numbers of the outlines on its cells."""
    px_from_plane: Array
    maps: TileMaps
    settings: SeamSettings

    @classmethod
    def of(cls, fit: LatticeFit, maps: TileMaps, settings: SeamSettings = DEFAULT) -> HexGrid:
        """Return the grid of tiles that lie on one, moved onto their sides."""
        start = fit.px_from_cell @ _homogeneous(TO_STEPS)
        laid = settled(maps, start, list(fit.cells), settings)
        return cls(tuple(fit.cells), tuple(fit.cells.values()), laid, maps, settings)

    @property
    def middles(self) -> Array:
        """Of its cells, on the plane."""
        return np.asarray(np.array(self.cells, float) @ SKEW.T)

    def outlines(self, moves: Array | float = 0.0) -> Array:
        """Return outlines of its cells in pixels, moved on the plane, N x 6 x 2."""
        places = (self.middles + moves)[:, None] + CORNERS
        return np.asarray(mapped(self.px_from_plane, places.reshape(-1, 2)).reshape(-1, 6, 2))

    def over(self, cells: Sequence[Cell]) -> HexGrid:
        """Return the same grid for other cells, without tiles on them."""
        return replace(self, cells=tuple(cells), tiles=())

    def moves(self) -> Array:
        """Return by how much each tile lies off the grid, on the plane."""
        off, clear = self._every_side(self.settings.tile_reach)
        normal = np.einsum("nk,ki,kj->nij", clear, NORMALS, NORMALS) + np.eye(2) * 1e-3
        said = np.einsum("nk,nk,ki->ni", clear, off, NORMALS)
        return self.settings.believed * np.linalg.solve(normal, said[..., None])[..., 0]

    def _every_side(self, reach: float) -> tuple[Array, Array]:
        """Return how far off and how clearly each of six sides is seen, N x 6 both."""
        off, clear = _offsets(self.maps, self.maps.share("side"), self.px_from_plane,
                              self._sides(), reach, self.settings)  # fmt: skip
        return off.reshape(-1, 6), clear.reshape(-1, 6)

    def _sides(self) -> _Sides:
        first = self.middles[:, None] + CORNERS
        last = self.middles[:, None] + np.roll(CORNERS, -1, axis=0)
        normals = np.tile(NORMALS, (len(self.cells), 1))
        return _Sides(first.reshape(-1, 2), last.reshape(-1, 2), normals)

    def side_shares(self) -> Array:
        """Return how clearly each of six sides is shown, N x 6; -1 beyond the picture's edge."""
        shares = side_profiles(self.maps, self.maps.share("side"), self.px_from_plane,
                               self._sides(), self.settings.side_reach, self.settings)  # fmt: skip
        sides = self._sides()
        at = self.maps.map_xy(mapped(self.px_from_plane, (sides.first + sides.last) / 2))
        rows, columns = self.maps.maps.shape[1:]
        beyond = ((at < 0) | (at > (columns - 1, rows - 1))).any(axis=1)
        return np.asarray(np.where(beyond, -1.0, shares.max(axis=1)).reshape(-1, 6))


def settled(
    maps: TileMaps, px_from_plane: Array, cells: Sequence[Cell], settings: SeamSettings = DEFAULT
) -> Array:
    """Return the map from the plane to pixels after it was moved onto the sides that are seen."""
    sides = _Sides.of(cells)
    shown = maps.share("side")
    centre = (sides.first + sides.last).mean(axis=0) / 2
    size = float(np.ptp(sides.first, axis=0).max()) / 2
    for number in range(settings.rounds):
        reach = settings.reach / (1 + number / 2)
        off, weight = _offsets(maps, shown, px_from_plane, sides, reach, settings)
        bend = _bend(((sides.first + sides.last) / 2 - centre) / size, sides.normal, off, weight,
                     settings)  # fmt: skip
        corners = sides.first
        moved = corners + _moves((corners - centre) / size, bend)
        px_from_plane = homography_of(
            corners, mapped(px_from_plane, moved), np.ones(len(corners)), perspective=True
        )
    return px_from_plane


def side_contrast(
    maps: TileMaps, px_from_plane: Array, cells: Sequence[Cell], settings: SeamSettings = DEFAULT
) -> float:
    """Return how much clearer sides are shown where cells have them than beside, -1 to 1."""
    shown = maps.share("side")
    profile = side_profiles(maps, shown, px_from_plane, _Sides.of(cells), FAR_BESIDE, settings)
    near, fifth = settings.steps // 2, settings.steps // 5
    there = profile[:, near - 2 : near + 3].max(axis=1)
    beside = np.minimum(profile[:, :fifth].mean(axis=1), profile[:, -fifth:].mean(axis=1))
    return float((there - beside).mean())


def _homogeneous(matrix: Array) -> Array:
    out = np.eye(3)
    out[:2, :2] = matrix
    return out


def _offsets(
    maps: TileMaps, shown: NDArray[np.float32], px_from_plane: Array, sides: _Sides, reach: float,
    settings: SeamSettings,
) -> tuple[Array, Array]:  # fmt: skip
    """Return how far along its normal each side is seen off its place, and how clearly."""
    away = np.linspace(-reach, reach, settings.steps)
    profile = side_profiles(maps, shown, px_from_plane, sides, reach, settings)
    expected = np.exp(-0.5 * (away / settings.prior) ** 2)
    # The middle of what stands out, not its highest step: maps are coarse and blurred.
    ridge = np.maximum(profile - np.median(profile, axis=1, keepdims=True), 0) * expected
    total = ridge.sum(axis=1)
    off = (ridge * away).sum(axis=1) / np.maximum(total, 1e-9)
    return off, profile.max(axis=1) - profile.min(axis=1)


def side_profiles(
    maps: TileMaps, shown: NDArray[np.float32], px_from_plane: Array, sides: _Sides, reach: float,
    settings: SeamSettings,
) -> Array:  # fmt: skip
    """Return how clearly a side is shown by how far off it is looked for, sides x steps."""
    away = np.linspace(-reach, reach, settings.steps)
    along = np.linspace(settings.ends, 1 - settings.ends, settings.places)
    line = sides.first[:, None] + (sides.last - sides.first)[:, None] * along[None, :, None]
    places = line[:, :, None] + sides.normal[:, None, None] * away[None, None, :, None]
    at = maps.map_xy(mapped(px_from_plane, places.reshape(-1, 2))).astype(np.float32)
    at = at.reshape(len(sides.first), -1, 2)
    x, y = np.ascontiguousarray(at[..., 0]), np.ascontiguousarray(at[..., 1])
    seen = cv2.remap(shown, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    means = np.asarray(seen, float).reshape(len(at), settings.places, -1).mean(axis=1)
    return np.asarray(means)


def _bend(places: Array, normals: Array, off: Array, clear: Array, settings: SeamSettings) -> Array:
    """Return the small change of the homography that brings sides to where they are seen."""
    across, down = _basis(places)
    rows = across * normals[:, :1] + down * normals[:, 1:]
    weights = clear.copy()
    solved: Array = np.zeros(8)
    ridge = np.diag([1e-3] * 6 + [0.05] * 2)
    for _ in range(5):
        weighted = rows * weights[:, None]
        solved = np.asarray(np.linalg.solve(weighted.T @ rows + ridge, weighted.T @ off))
        weights = clear / (1 + ((off - rows @ solved) / settings.outlier) ** 2)
    return solved


def _moves(places: Array, bend: Array) -> Array:
    across, down = _basis(places)
    return np.stack([across @ bend, down @ bend], axis=1)


def _basis(places: Array) -> tuple[Array, Array]:
    """Return by how much each of eight small changes moves places to the right and down."""
    x, y = places.T
    one, nil = np.ones_like(x), np.zeros_like(x)
    return (
        np.stack([one, x, y, nil, nil, nil, x * x, x * y], axis=1),
        np.stack([nil, nil, nil, one, x, y, x * y, y * y], axis=1),
    )
