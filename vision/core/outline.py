"""Makes the outlines of one picture consistent: tiles of one set have one size, on one table.

Each tile has its own place and turn. Its size and foreshortening vary smoothly over the picture,
since all tiles share one table and one lens: a single outline measures them with noise, all
outlines together accurately. The gradient of the size also tells how much nearer one side of a tile
is than the other, which no single outline shows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.core.types import Points, Shape

Array = NDArray[np.float64]

SQUARE_UNIT = np.array([(-1.0, -1), (1, -1), (1, 1), (-1, 1)])
HEX_ANGLES = np.arange(6) * np.pi / 3
HEX_UNIT = np.stack([np.cos(HEX_ANGLES), np.sin(HEX_ANGLES)], axis=1)
NOISE = 0.06
"""Standard error of a single outline's size and stretch, as natural logarithms."""
SLOPE, BEND = 0.6, 0.3
"""Prior deviations of the linear and the quadratic terms of size and stretch over half a picture,
as natural logarithms: steep views reach 1."""
OWN = 0.15
"""Share of its own deviation that a tile keeps: tiles on piles are nearer to the camera."""
OUTLIER = 0.2
"""Deviation, as a natural logarithm, beyond which a tile counts little in the fit."""


@dataclass(frozen=True, eq=False)
class Forms:
    """Outlines decomposed into centre, size, stretch and turn: N rows each."""

    middles: Points
    logs: Array
    """Log of the half width, and the two numbers of the stretch's matrix logarithm, N x 3."""
    turns: Array
    """Angle of the first half axis after the stretch is removed, in radians."""
    shape: Shape

    @classmethod
    def of(cls, corners: Array, shape: Shape) -> Forms:
        """Return the forms of outlines N x 4 x 2 or N x 6 x 2."""
        middles = corners.mean(axis=1)
        frames = frames_of(corners, shape)
        a, b, c, d = (frames[:, i, j] for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)))
        xx, xy, yy = a * a + b * b, a * c + b * d, c * c + d * d
        half_sum, half_gap = (xx + yy) / 2, (xx - yy) / 2
        root = np.maximum(np.hypot(half_gap, xy), 1e-9)
        large, small = half_sum + root, np.maximum(half_sum - root, 1e-9)
        spread = np.log(large / small) / 4 / root
        size = np.log(np.maximum(np.abs(a * d - b * c), 1e-9)) / 2
        logs = np.stack([size, spread * half_gap, spread * xy], axis=1)
        return cls(middles, logs, np.arctan2(c - b, a + d), shape)

    def corners(self, gradients: Array | None = None) -> Array:
        """Return the outlines; gradients of the log size (N x 2) make nearer sides larger."""
        frames = self.frames()
        unit = SQUARE_UNIT if self.shape == "square" else HEX_UNIT
        flat = np.einsum("nij,kj->nki", frames, unit)
        if gradients is None:
            return np.asarray(flat + self.middles[:, None])
        lean = -2 / 3 * np.einsum("nij,ni->nj", frames, gradients)
        nearness = np.clip(1 + np.einsum("nj,kj->nk", lean, unit), 0.7, 1.4)
        bent = flat / nearness[..., None]
        return np.asarray(bent - bent.mean(axis=1, keepdims=True) + self.middles[:, None])

    def frames(self) -> Array:
        """Return the half axes as columns, N x 2 x 2; a hex's first one points to a corner."""
        size, a, b = self.logs.T
        stretch = np.maximum(np.hypot(a, b), 1e-9)
        even, odd = np.cosh(stretch), np.sinh(stretch) / stretch
        matrix = np.stack(
            [np.stack([even + odd * a, odd * b], 1), np.stack([odd * b, even - odd * a], 1)], 1
        )
        c, s = np.cos(self.turns), np.sin(self.turns)
        spin = np.stack([np.stack([c, -s], 1), np.stack([s, c], 1)], 1)
        return np.asarray(np.exp(size)[:, None, None] * matrix @ spin)


def frames_of(corners: Array, shape: Shape) -> Array:
    """Return the half axes as columns, N x 2 x 2; a hex's first one points to a corner."""
    if shape == "square":
        c = [corners[:, k] for k in range(4)]
        right, down = (c[1] + c[2] - c[0] - c[3]) / 4, (c[2] + c[3] - c[0] - c[1]) / 4
        return np.stack([right, down], axis=2)
    around = corners - corners.mean(axis=1, keepdims=True)
    first = np.einsum("nki,k->ni", around, np.cos(HEX_ANGLES)) / 3
    second = np.einsum("nki,k->ni", around, np.sin(HEX_ANGLES)) / 3
    return np.stack([first, second], axis=2)


@dataclass(frozen=True, eq=False)
class Foreshortening:
    """Size and stretch of a tile as a function of its place in the picture."""

    centre: Array
    reach: float
    terms: Array
    """Six coefficients of a quadratic for each of the three logarithms, 6 x 3."""

    def at(self, places: Points) -> Array:
        """Return the three logarithms at places, N x 3."""
        return np.asarray(self._basis(places) @ self.terms)

    def size_gradient(self, places: Points) -> Array:
        """Return the gradient of the log size per pixel, to the right and down, N x 2."""
        x, y = ((np.asarray(places) - self.centre) / self.reach).T
        t = self.terms[:, 0]
        across = t[1] + 2 * t[3] * x + t[4] * y
        down = t[2] + t[4] * x + 2 * t[5] * y
        return np.stack([across, down], axis=1) / self.reach

    def _basis(self, places: Points) -> Array:
        return _basis((np.asarray(places) - self.centre) / self.reach)


def _basis(unit: Array) -> Array:
    x, y = unit.T
    return np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=1)


def foreshortening_of(forms: Forms, weights: Array, size_px: tuple[int, int]) -> Foreshortening:
    """Return the foreshortening that fits all tiles, with outliers down-weighted."""
    centre = np.array(size_px, float) / 2
    reach = max(size_px) / 2
    basis = _basis((forms.middles - centre) / reach)
    prior = NOISE**2 / np.array([100.0, *[SLOPE**2] * 2, *[BEND**2] * 3])
    start = np.median(forms.logs, axis=0)
    own = weights.copy()
    terms: Array = np.zeros((6, 3))
    for _ in range(6):
        normal = basis.T @ (basis * own[:, None]) + np.diag(prior)
        said = basis.T @ ((forms.logs - start) * own[:, None])
        terms = np.asarray(np.linalg.solve(normal, said), float)
        off = np.linalg.norm(forms.logs - start - basis @ terms, axis=1)
        own = weights / (1 + (off / OUTLIER) ** 4)
    terms[0] += start
    return Foreshortening(centre, reach, terms)


def agreed_outlines(
    corners: Array, weights: Array, shape: Shape, size_px: tuple[int, int]
) -> tuple[Array, Array, Foreshortening]:
    """Return consistent outlines, each one's deviation in size, and the fitted foreshortening.

    Args:
        corners: N x 4 x 2 or N x 6 x 2.
        weights: how much each counts, N.
        shape: of the tiles.
        size_px: width and height of the picture.

    The deviation is the log half width measured minus the one fitted, N.
    """
    forms = Forms.of(corners, shape)
    field = foreshortening_of(forms, weights, size_px)
    expected = field.at(forms.middles)
    logs = expected + OWN * (forms.logs - expected)
    agreed = Forms(forms.middles, logs, forms.turns, shape)
    change = forms.logs[:, 0] - expected[:, 0]
    return agreed.corners(field.size_gradient(forms.middles)), change, field
