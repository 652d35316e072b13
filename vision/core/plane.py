"""The table as a plane in front of the camera: how far apart cards lie anywhere in a picture.

What outlines say together about size and stretch is smooth, and bends where some of them are wrong
together. A plane cannot bend: a few cards that were found badly do not change it. The camera is
taken to look straight through the middle of its picture.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.core.outline import Forms
from vision.core.types import Points

Array = NDArray[np.float64]

NOISE = 0.06
"""How far off a single outline is, as a natural logarithm."""
OUTLIERS = (0.4, 0.4, 0.4, 0.3, 0.2, 0.15, 0.12, 0.1, 0.1)
"""How far off one counts little, round after round: at first nobody knows the plane."""
USUAL = (0.0, 0.0, 0.0, 0.1)
SPREAD = (0.6, 0.6, 9.0, 0.35)
"""Slope of the table across and down, log of the half width, log of the focal length by half the
picture's diagonal: what is usual, and how much that varies."""
STEP = 1e-4


@dataclass(frozen=True, eq=False)
class TablePlane:
    """A plane by the four numbers above; pixels are taken from the middle of the picture."""

    centre: Array
    reach: float
    numbers: Array

    @classmethod
    def of(cls, forms: Forms, weights: Array, size_px: tuple[int, int]) -> TablePlane:
        """Return the plane that most outlines agree on, those far from it counting little."""
        centre, reach = np.array(size_px, float) / 2, float(np.hypot(*size_px)) / 2
        size = float(np.median(forms.logs[:, 0])) - np.log(reach)
        usual = np.array(USUAL) + np.array([0, 0, size, 0])
        prior = (NOISE / np.array(SPREAD)) ** 2
        plane = cls(centre, reach, usual.copy())
        own = weights
        for outlier in OUTLIERS:
            off = forms.logs - plane.logs(forms.middles)
            own = weights / (1 + (np.linalg.norm(off, axis=1) / outlier) ** 4)
            slopes = plane._slopes(forms.middles)
            normal = np.einsum("n,nki,nkj->ij", own, slopes, slopes) + np.diag(prior)
            said = np.einsum("n,nki,nk->i", own, slopes, off) + prior * (usual - plane.numbers)
            step = np.clip(np.linalg.solve(normal, said), -0.3, 0.3)
            plane = cls(centre, reach, plane.numbers + step)
        return plane

    def logs(self, places: Points) -> Array:
        """Return size and stretch of cards there, as ``Forms`` has them, N x 3."""
        return _logs(self._metric(places))

    def on_table(self, places: Points) -> Array:
        """Return where pixels lie on the table, N x 3, in widths of a card, from the camera."""
        across, down, size, focal = self.numbers
        rays = np.column_stack([(places - self.centre) / self.reach / np.exp(focal),
                                np.ones(len(places))])  # fmt: skip
        depth = 1 - rays[:, 0] * across - rays[:, 1] * down
        return np.asarray(rays / np.maximum(depth, 0.05)[:, None] / (2 * np.exp(size - focal)))

    def along(self, outline_px: Points) -> Array:
        """Return where the upper side of a card runs to on the table, twice as long as the card."""
        corners = self.on_table(outline_px)
        return np.asarray(corners[1] + corners[2] - corners[0] - corners[3])

    def _metric(self, places: Points) -> Array:
        """Return the half axes of cards times themselves, N x 2 x 2, in pixels."""
        middle = self.on_table(places)
        sides = [
            (self.on_table(places + step) - middle) for step in np.array([(1.0, 0.0), (0.0, 1.0)])
        ]
        tangent = np.stack(sides, axis=2)
        return np.asarray(np.linalg.inv(tangent.transpose(0, 2, 1) @ tangent) / 4)

    def _slopes(self, places: Points) -> Array:
        """Return how the logarithms change with each of the numbers, N x 3 x 4."""
        now = self.logs(places)
        changed = []
        for step in np.eye(4) * STEP:
            other = TablePlane(self.centre, self.reach, self.numbers + step)
            changed.append((other.logs(places) - now) / STEP)
        return np.stack(changed, axis=2)


def _logs(metric: Array) -> Array:
    xx, xy, yy = metric[:, 0, 0], metric[:, 0, 1], metric[:, 1, 1]
    half_sum, half_gap = (xx + yy) / 2, (xx - yy) / 2
    root = np.maximum(np.hypot(half_gap, xy), 1e-9)
    large, small = half_sum + root, np.maximum(half_sum - root, 1e-9)
    spread = np.log(large / small) / 4 / root
    size = np.log(large * small) / 4
    return np.stack([size, spread * half_gap, spread * xy], axis=1)
