"""The table plane: from the printed sheet lying on it, or from the tiles or board themselves.

The positions and turns of the tiles need not be known; it is enough that all of them lie flat and
have the same known size. The plane is the one in which every outline becomes a regular square (or
hexagon) of that size.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import cv2
import numpy as np

from calibration.errors import PatternError
from calibration.profile import Lens, TablePlane
from calibration.sighting import Sighting

ROUNDS = 40
HUBER = 2.0
"""Huber threshold, in multiples of the median error; outlines beyond it weigh less."""
STARTS = 4
"""Fits start from this many of the largest outlines; the best one is kept."""
BAD_SHARE = 0.12
"""Residual, as a share of the tile, above which the outlines are no tiles of one size on a plane;
corners that are off by a pixel of 24 give 0.03."""


def plane_from_sheet(sighting: Sighting, lens: Lens) -> TablePlane:
    """Return the plane that the sheet lies on, from its corners in the picture.

    Raises:
        PatternError: the corners do not lie on a plane.
    """
    straight = lens.straight_px(sighting.seen_px)
    board_mm = sighting.board[:, :2]
    mm_from_px, _ = cv2.findHomography(straight, board_mm)
    if mm_from_px is None:
        raise PatternError("the sheet was seen, but not flat; lay it on the table and try again")
    mapped = _mapped(mm_from_px, straight)
    residual = float(np.sqrt(((mapped - board_mm) ** 2).sum(axis=1).mean()))
    return TablePlane(mm_from_px, "sheet", residual)


def plane_from_outlines(
    corners_px: Any,
    across_mm: float,
    *,
    lens: Lens | None = None,
    learnt_from: Literal["tiles", "board"] = "tiles",
) -> TablePlane:
    """Return the plane in which all outlines are regular squares or hexagons of one size.

    Args:
        corners_px: N x 4 x 2 or N x 6 x 2, the corners of each tile, or of each cell of a board,
            in order; where they start does not matter.
        across_mm: side of a square, or width of a hexagon from flat to flat.
        lens: removes distortion from the corners first.
        learnt_from: what the outlines are, stored in the profile.

    Raises:
        PatternError: there are no outlines, or no plane makes them equal.
    """
    corners = np.asarray(corners_px, np.float64)
    if corners.ndim != 3 or corners.shape[1] not in (4, 6) or corners.shape[2] != 2:
        raise ValueError(f"outlines are N x 4 x 2 or N x 6 x 2, but got {corners.shape}")
    if not len(corners) or not np.isfinite(corners).all():
        raise PatternError("no tiles were seen to learn the table from")
    if lens is not None:
        corners = lens.straight_px(corners.reshape(-1, 2)).reshape(corners.shape)
    fit = _Tiles.of(corners, across_mm).best_fit()
    if fit.residual_mm > BAD_SHARE * across_mm:
        raise PatternError("the outlines are no tiles of one size on a flat table")
    return TablePlane(fit.mm_from_px, learnt_from, fit.residual_mm)


@dataclass(frozen=True, eq=False)
class _Fitted:
    mm_from_px: Any
    residual_mm: float


@dataclass(frozen=True, eq=False)
class _Tiles:
    """Outlines in normalised pixels, and the true shape of the tile."""

    corners: Any
    truth_mm: Any
    """The true corners, K x 2, around the origin."""
    own_from_px: Any

    @staticmethod
    def of(corners_px: Any, across_mm: float) -> _Tiles:
        clockwise = np.array([c if _area(c) > 0 else c[::-1] for c in corners_px])
        points = clockwise.reshape(-1, 2)
        middle, spread = points.mean(axis=0), float(np.abs(points - points.mean(axis=0)).max())
        own_from_px = np.array(
            [[1 / spread, 0, -middle[0] / spread], [0, 1 / spread, -middle[1] / spread], [0, 0, 1]]
        )
        return _Tiles(
            (clockwise - middle) / spread, _regular(len(corners_px[0]), across_mm), own_from_px
        )

    def best_fit(self) -> _Fitted:
        largest = sorted(range(len(self.corners)), key=lambda i: -abs(_area(self.corners[i])))
        fits = [self._fit_from(self._start(i)) for i in largest[:STARTS]]
        params, residual = min(fits, key=lambda fit: fit[1])
        mm_from_own = np.append(params, 1.0).reshape(3, 3)
        return _Fitted(mm_from_own @ self.own_from_px, residual)

    def _start(self, tile: int) -> Any:
        homography, _ = cv2.findHomography(self.corners[tile], self.truth_mm)
        if homography is None or abs(homography[2, 2]) < 1e-9:
            side = np.sqrt(abs(_area(self.corners[tile])) / _area(self.truth_mm))
            return np.array([1 / side, 0, 0, 0, 1 / side, 0, 0, 0])
        return (homography / homography[2, 2]).ravel()[:8]

    def _fit_from(self, params: Any) -> tuple[Any, float]:
        """Improve a map by damped Gauss-Newton steps; outliers are reweighted each round."""
        damping, residuals = 1e-3, self._residuals(params)
        for _ in range(ROUNDS):
            weights = self._weights(residuals)
            jacobian = self._jacobian(params, residuals)
            normal = jacobian.T @ (weights[:, None] * jacobian)
            push = jacobian.T @ (weights * residuals)
            # The table's origin and rotation are undetermined; damping keeps them in place.
            step = np.linalg.solve(normal + damping * np.diag(np.diag(normal) + 1e-9), -push)
            tried = self._residuals(params + step)
            if float(weights @ tried**2) < float(weights @ residuals**2):
                gain = 1 - float(weights @ tried**2) / max(float(weights @ residuals**2), 1e-30)
                params, residuals, damping = params + step, tried, damping / 5
                if gain < 1e-7:
                    break
            else:
                damping *= 5
                if damping > 1e9:
                    break
        # The median over outlines is robust against a few outliers.
        return params, float(np.median(self._off_mm(residuals)))

    def _residuals(self, params: Any) -> Any:
        """Return the offset of each mapped corner from the best aligned true tile, flattened."""
        homography = np.append(params, 1.0).reshape(3, 3)
        depth = self.corners @ homography[2, :2] + 1.0
        if (depth < 0.05).any():
            return np.full(self.corners.size, 1e6)
        mapped = (self.corners @ homography[:2, :2].T + homography[:2, 2]) / depth[..., None]
        mapped = mapped - mapped.mean(axis=1, keepdims=True)
        # With complex numbers the best rotation of the true tile is a single product.
        seen = mapped[..., 0] + 1j * mapped[..., 1]
        true = self.truth_mm[:, 0] + 1j * self.truth_mm[:, 1]
        turn = (seen * true.conj()).sum(axis=1)
        turn = turn / np.maximum(np.abs(turn), 1e-12)
        off = seen - turn[:, None] * true
        return np.stack([off.real, off.imag], axis=-1).ravel()

    def _jacobian(self, params: Any, residuals: Any) -> Any:
        steps = 1e-6 * np.maximum(np.abs(params), 1e-2)
        columns = [
            (self._residuals(params + step * unit) - residuals) / step
            for step, unit in zip(steps, np.eye(8), strict=True)
        ]
        return np.column_stack(columns)

    def _off_mm(self, residuals: Any) -> Any:
        return np.sqrt((residuals.reshape(len(self.corners), -1, 2) ** 2).sum(axis=2).mean(axis=1))

    def _weights(self, residuals: Any) -> Any:
        off = self._off_mm(residuals)
        limit = HUBER * float(np.median(off)) + 1e-9
        return np.repeat(np.minimum(1.0, limit / np.maximum(off, 1e-12)), self.corners[0].size)


def _regular(corners: int, across_mm: float) -> Any:
    """Return a square or a hexagon around the origin, clockwise as seen (y down)."""
    radius = across_mm / np.sqrt(2) if corners == 4 else across_mm / np.sqrt(3)
    angles = 2 * np.pi * np.arange(corners) / corners
    return radius * np.column_stack([np.cos(angles), np.sin(angles)])


def _area(corners: Any) -> float:
    """Return the signed area of an outline, positive if it is clockwise as seen."""
    x, y = corners[:, 0], corners[:, 1]
    return float(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1))) / 2


def _mapped(homography: Any, points: Any) -> Any:
    flat = np.asarray(points, np.float64).reshape(-1, 1, 2)
    return cv2.perspectiveTransform(flat, homography).reshape(-1, 2)
