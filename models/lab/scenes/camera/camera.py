"""A camera over a table: where a point of the table is seen, and what a pixel looks at.

Table coordinates are millimetres: x to the right, y towards the viewer (down in the picture at
azimuth 0), height above the table top. Pixel ``(0, 0)`` is the centre of the upper left pixel.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import cos, radians, sin

import cv2
import numpy as np

from models.lab.scenes.world.arrays import Array

COARSE_PX = 8
"""Grid step of the undistorted rays; interpolated between them, they are within 0.01 px."""
NEAREST_MM = 5.0
UNDISTORT = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 40, 1e-9)


@dataclass(frozen=True)
class Camera:
    """A pinhole camera with OpenCV's distortion ``k1 k2 p1 p2 k3``."""

    size_px: tuple[int, int]
    matrix: Array
    distortion: Array
    rotation: Array
    """From table axes (x, y, depth below the table top) to camera axes."""
    position_mm: Array
    """Position as x, y, height."""

    def project(self, points_mm: Array) -> Array:
        """Return the pixels, N x 2, of points given as N rows of x, y, height.

        The distortion polynomial folds back far outside the picture; points there are
        extrapolated outwards. Points behind the camera are mapped far away.
        """
        points = np.asarray(points_mm, float).reshape(-1, 3)
        seen = ((points - self.position_mm) * (1, 1, -1)) @ self.rotation.T
        slopes = seen[:, :2] / np.maximum(seen[:, 2:], NEAREST_MM)
        radius = np.hypot(slopes[:, 0], slopes[:, 1])
        beyond = np.maximum(radius / self.widest, 1.0)[:, None]
        k1, k2, p1, p2, k3 = self.distortion
        x, y = (slopes / beyond).T
        r2 = x * x + y * y
        radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
        bent = np.stack(
            [
                x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x),
                y * radial + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y,
            ],
            axis=1,
        )
        focal = self.matrix[[0, 1], [0, 1]]
        return np.asarray(bent * beyond * focal + self.matrix[:2, 2])

    @cached_property
    def widest(self) -> float:
        """The largest ray slope that is distorted: just outside the picture's corners."""
        return 1.05 * float(np.hypot(*np.moveaxis(self.coarse_rays, -1, 0)).max())

    def project_flat(self, points_mm: Array, height_mm: float = 0.0) -> Array:
        """Return the pixels of points x, y that all lie at one height."""
        points = np.asarray(points_mm, float).reshape(-1, 2)
        return self.project(np.column_stack([points, np.full(len(points), height_mm)]))

    def plane_from_ray(self, origin_mm: Array, right_mm: Array, down_mm: Array) -> Array:
        """Return the homography from rays to a plane's own coordinates.

        The plane goes through ``origin_mm`` and is spanned by two vectors of one millimetre,
        all given as x, y, height.
        """
        down_axis = np.array([1.0, 1.0, -1.0])
        away = self.rotation @ ((np.asarray(origin_mm) - self.position_mm) * down_axis)
        right = self.rotation @ (np.asarray(right_mm) * down_axis)
        down = self.rotation @ (np.asarray(down_mm) * down_axis)
        return np.linalg.inv(np.column_stack([right, down, away]))

    def flat_from_ray(self, height_mm: float = 0.0) -> Array:
        """Return the homography from rays to x, y at one height."""
        return self.plane_from_ray(
            np.array([0, 0, height_mm]), np.array([1.0, 0, 0]), np.array([0, 1.0, 0])
        )

    def px_from_mm(self) -> Array:
        """Return the homography from table millimetres to undistorted pixels."""
        homography: Array = self.matrix @ np.linalg.inv(self.flat_from_ray())
        return np.asarray(homography / homography[2, 2])

    @cached_property
    def table_places(self) -> Array:
        """Where the rays of the coarse grid meet the table, in mm; clipped near the horizon."""
        places = cv2.perspectiveTransform(self.coarse_rays, self.flat_from_ray())
        return np.clip(places, -20000, 20000)

    @cached_property
    def rays(self) -> Array:
        """The undistorted direction of every pixel, height x width x 2, as x/z and y/z."""
        return self.enlarged(self.coarse_rays)

    def enlarged(self, coarse: Array) -> Array:
        """Return values of the coarse grid, interpolated to every pixel."""
        width, height = self.size_px
        rows, columns = coarse.shape[:2]
        fine = cv2.resize(
            coarse, (columns * COARSE_PX, rows * COARSE_PX), interpolation=cv2.INTER_LINEAR
        )
        inner = slice(COARSE_PX, COARSE_PX + height), slice(COARSE_PX, COARSE_PX + width)
        return np.ascontiguousarray(fine[inner])

    @cached_property
    def coarse_rays(self) -> Array:
        """Rays on a grid of every eighth pixel that starts one step outside the picture."""
        width, height = self.size_px
        columns, rows = -(-width // COARSE_PX) + 2, -(-height // COARSE_PX) + 2
        middle = (COARSE_PX - 1) / 2
        xs = (np.arange(columns) - 1) * COARSE_PX + middle
        ys = (np.arange(rows) - 1) * COARSE_PX + middle
        grid = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 1, 2).astype(np.float64)
        rays = cv2.undistortPointsIter(
            grid, self.matrix, self.distortion, np.eye(3), np.eye(3), UNDISTORT
        )
        return rays.reshape(rows, columns, 2).astype(np.float32)

    def px_per_mm(self, at_mm: tuple[float, float] = (0.0, 0.0)) -> float:
        """Return the approximate number of pixels per millimetre around a place on the table."""
        x, y = at_mm
        seen = self.project_flat(np.array([(x, y), (x + 1, y), (x, y + 1)]))
        right, down = seen[1] - seen[0], seen[2] - seen[0]
        return float(np.sqrt(abs(right[0] * down[1] - right[1] * down[0])))


def looking_at(
    target_mm: tuple[float, float],
    height_mm: float,
    elevation_deg: float,
    azimuth_deg: float,
    roll_deg: float,
) -> tuple[Array, Array]:
    """Return rotation and position of a camera at a given height, aimed at a place."""
    elevation, azimuth = radians(elevation_deg), radians(azimuth_deg)
    distance = height_mm / sin(elevation)
    roll, up, out = radians(roll_deg), sin(elevation), cos(elevation)
    tilted = np.array([[1, 0, 0], [0, up, out], [0, -out, up]])
    c, s = cos(azimuth), sin(azimuth)
    turned = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])
    rolled = np.array([[cos(roll), -sin(roll), 0], [sin(roll), cos(roll), 0], [0, 0, 1]])
    back = turned.T @ np.array([0, distance * out, 0])
    position = np.array([target_mm[0] + back[0], target_mm[1] + back[1], height_mm])
    return rolled @ tilted @ turned, position


def lens(
    corner_shift: float, focal_px: float, size_px: tuple[int, int], tangential: float
) -> Array:
    """Return distortion coefficients that move the picture's corner by a share of its distance."""
    corner = np.hypot(*size_px) / 2 / focal_px
    # Real lenses bend back a little towards the corners: k2 has the opposite sign.
    k1 = 1.2 * corner_shift / corner**2
    k2 = -0.2 * corner_shift / corner**4
    return np.array([k1, k2, tangential, -tangential / 2, 0.0])
