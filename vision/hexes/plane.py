"""Describes where hex boards lie in a picture: plane, fixed points and lens distortion.

A board's plane is measured in cell widths: its centre is ``(0, 0)``, x runs to the east along a
row of cells, y to the south.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import cos, pi, sin, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vision.core.lattice import mapped
from vision.core.types import Points

Array = NDArray[Any]

REACH = 5
"""Steps from the centre of a board of side 6 to its corner cells."""
OUTLINE_RADIUS = (8.5 / sqrt(3) + 2.5 / 22) * 2 / sqrt(3)
"""Distance from the centre of a board to its corners, in cell widths, for the usual rim."""
CELLS_RADIUS = 8.5 * 2 / 3
"""Distance from the centre of a board to the corners of its cells' area, in cell widths."""
STEADY = 0.1
"""A board is placed if the last look moved its fixed points by no more, in cell widths: on 63
tables that the picture's edge cut no tile was then claimed wrongly."""
LENSES = np.linspace(-0.24, 0.14, 20)
"""Radial distortions that are tried, as the relative displacement of a picture's corner."""
LENS_SPREAD = 0.12
LENS_TRUST_CELLS = 0.05
"""Standard error of fixed points in cell widths, against which the fit weighs distortion."""
SIXTHS, HALF_TURN = 6, 3
SKEW = np.array([[1.0, 0.5], [0.0, sqrt(3) / 2]])
"""Matrix from steps of a hex lattice to a plane in which all sides are equally long."""
HEX_TURNS = np.arange(SIXTHS) * pi / 3
HEX_CORNERS = np.stack([np.cos(HEX_TURNS - pi / 6), np.sin(HEX_TURNS - pi / 6)], axis=1) / sqrt(3)
"""Corners of a cell of width 1, clockwise; the first and second one are the ends of its east
side."""


def plane_of(cells: Any) -> Points:
    """Return the centres of cells on the plane of their board, N x 2."""
    return np.asarray(np.asarray(cells, float).reshape(-1, 2) @ SKEW.T)


def _turn(angle: float) -> Array:
    """Return the rotation matrix that turns clockwise as seen, for an angle in radians."""
    return np.array([[cos(angle), -sin(angle)], [sin(angle), cos(angle)]])


def _fixed_points() -> Points:
    """Return the points that the network locates: centre, inner ring, corner cells, mid-sides."""
    ring = np.stack([np.cos(HEX_TURNS), np.sin(HEX_TURNS)], axis=1)
    half = ring @ _turn(pi / 6).T * sqrt(3) / 2
    return np.concatenate([np.zeros((1, 2)), ring * REACH / 2, ring * REACH, half * REACH])


FIXED = _fixed_points()


@dataclass(frozen=True, eq=False)
class HexBoard:
    """Where a board lies in a picture."""

    px_from_plane: NDArray[np.float64]
    """Homography from its plane to pixels without lens distortion, 3 x 3."""
    middle_px: tuple[float, float]
    """Centre of the picture, which is also the centre of lens distortion."""
    radius_px: float
    """Distance from the centre of the picture to its corners."""
    lens: float = 0.0
    confidence: float = 1.0
    unsteady: float = 0.0
    """Distance by which the last look at it moved its fixed points, in cell widths."""

    @property
    def is_placed(self) -> bool:
        """Whether looks agree on where the board is."""
        return self.unsteady <= STEADY

    def px(self, plane: Points) -> Points:
        """Return the pixels of places on the board's plane, N x 2."""
        away = mapped(self.px_from_plane, plane) - np.array(self.middle_px)
        share = (away[:, 0] ** 2 + away[:, 1] ** 2) / self.radius_px**2
        return np.asarray(away * (1 + self.lens * share)[:, None] + np.array(self.middle_px))

    def unbent(self, px: Points) -> Points:
        """Return pixels after removing lens distortion, N x 2."""
        return np.asarray(_unbent(px, np.array(self.lens), self))

    def flat(self) -> NDArray[np.float64]:
        """Return the homography that fits best without a lens distortion."""
        return np.asarray(_homographies(self.px(FIXED)[None])[0][0])

    def cell_px(self) -> float:
        """Return the smallest cell width anywhere on the board, in pixels."""
        here, right, down = (self.px(FIXED + step) for step in ((0, 0), (0.5, 0), (0, 0.5)))
        (a, b), (c, d) = (right - here).T, (down - here).T
        return float(2 * np.sqrt(np.abs(a * d - b * c)).min())

    def turned(self, sixths: int) -> HexBoard:
        """Return the same board with another of its six turns taken as upright."""
        turn = np.eye(3)
        turn[:2, :2] = _turn(sixths * pi / 3)
        return replace(self, px_from_plane=self.px_from_plane @ turn)

    def middle(self) -> Points:
        """Return the board's centre in pixels."""
        return np.asarray(self.px(np.zeros((1, 2)))[0])

    def hexagon(self, cell: Sequence[int]) -> Points:
        """Return the six corners of a cell in pixels."""
        return self.px(HEX_CORNERS + plane_of([cell]))

    def outline(self) -> Points:
        """Return the six corners of the board in pixels, clockwise."""
        turns = HEX_TURNS - 2 * pi / 3
        return self.px(np.stack([np.cos(turns), np.sin(turns)], axis=1) * OUTLINE_RADIUS)


def spread_as(points: Points, grain: float, radius: float, size_px: tuple[int, int]) -> HexBoard:
    """Return a board whose moments match those of points that cover it.

    Args:
        points: pixels all over the board, N x 2.
        grain: distance between neighbouring points, in pixels.
        radius: distance from the centre to the corners of the covered area, in cell widths.
        size_px: the picture's width and height.
    """
    middle = points.mean(axis=0)
    away = points - middle
    values, vectors = np.linalg.eigh(away.T @ away / len(away) + np.eye(2) * grain**2 / 12)
    # A regular hexagon of radius 1 has variance 5/24 along every axis.
    root = vectors @ np.diag(np.sqrt(values * 24 / 5)) @ vectors.T / radius
    flat = away @ np.linalg.inv(root).T
    px_from_plane = np.eye(3)
    # The sixth moment gives the turn of a regular hexagon.
    turn = float(np.angle(((flat[:, 0] + 1j * flat[:, 1]) ** SIXTHS).sum())) / SIXTHS
    px_from_plane[:2, :2] = root @ _turn(turn)
    px_from_plane[:2, 2] = middle
    width, height = size_px
    return HexBoard(px_from_plane, ((width - 1) / 2, (height - 1) / 2), np.hypot(width, height) / 2)


def fitted(seen: Points, like: HexBoard) -> HexBoard:
    """Return a board fitted to the fixed points that are seen of it, with its lens."""
    trust = LENS_TRUST_CELLS * max(like.cell_px(), 1.0)
    errors = _homographies(_unbent(seen, LENSES, like))[1]
    lens = _lowest((LENSES / LENS_SPREAD) ** 2 + errors / trust**2)
    found = _homographies(_unbent(seen, np.array([lens]), like))[0][0]
    return replace(like, px_from_plane=found, lens=lens)


def _lowest(costs: NDArray[np.float64]) -> float:
    """Return the lens of lowest cost, interpolated by a parabola between those tried."""
    best = int(np.argmin(costs))
    lens = float(LENSES[best])
    if 0 < best < len(costs) - 1:
        low, middle, high = costs[best - 1 : best + 2].tolist()
        curve = low - 2 * middle + high
        if curve > 0:
            lens += float((low - high) / (2 * curve) * (LENSES[1] - LENSES[0]))
    return lens


def _unbent(px: Points, lens: Array, like: HexBoard) -> Points:
    """Return pixels after removing lens distortion; several lenses give one row each."""
    middle = np.array(like.middle_px)
    x, y = (px - middle).T / like.radius_px
    bend = np.asarray(lens)[..., None]
    share = x * x + y * y
    shrunk = np.ones_like(share)
    for _ in range(6):
        shrunk = 1 / (1 + bend * share * shrunk**2)
    return np.asarray(np.stack([x * shrunk, y * shrunk], axis=-1) * like.radius_px + middle)


def _homographies(px: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the homographies from the plane to seen fixed points, and their squared errors.

    Args:
        px: sets of all fixed points in pixels, N x points x 2.
    """
    middle = px.mean(axis=1, keepdims=True)
    size = np.maximum(px.std(axis=(1, 2)), 1e-6)
    x, y = np.moveaxis((px - middle) / size[:, None, None], 2, 0)
    u, v = (np.broadcast_to(axis, x.shape) for axis in FIXED.T / REACH)
    one, none = np.ones_like(x), np.zeros_like(x)
    rows = np.concatenate(
        [
            np.stack([u, v, one, none, none, none, -u * x, -v * x], axis=2),
            np.stack([none, none, none, u, v, one, -u * y, -v * y], axis=2),
        ],
        axis=1,
    )
    wanted = np.concatenate([x, y], axis=1)[..., None]
    turned = rows.transpose(0, 2, 1)
    # Solving all sets at once takes a tenth of the time.
    solved = np.linalg.solve(turned @ rows + 1e-12 * np.eye(8), turned @ wanted)[..., 0]
    flat = np.concatenate([solved, np.ones((len(px), 1))], axis=1).reshape(-1, 3, 3)
    back = np.zeros_like(flat)
    back[:, 0, 0] = back[:, 1, 1] = size
    back[:, :2, 2], back[:, 2, 2] = middle[:, 0], 1.0
    found = back @ flat @ np.diag([1 / REACH, 1 / REACH, 1.0])
    sent = FIXED @ found[:, :, :2].transpose(0, 2, 1) + found[:, None, :, 2]
    depth = np.where(np.abs(sent[..., 2:]) < 1e-9, 1e-9, sent[..., 2:])
    return found, ((sent[..., :2] / depth - px) ** 2).sum(axis=(1, 2))
