"""Keeps tiles apart from the slabs of a tiled table when outlines are made to agree.

Slabs are squares too, and all of one size, though of another than the tiles'. What both together
say about size fits neither.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.core.outline import Forms, agreed_outlines, foreshortening_of
from vision.core.types import Shape

Array = NDArray[np.float64]

MIXED = 0.12
"""Outlines of one size change less than that on average, as a natural logarithm."""
APART, FIT = 0.45, 0.12
"""Two sizes differ by that much at least, and outlines from their own by that much on average."""
FEWEST = 4
ROUNDS = 3


def agreed_by_size(
    corners: Array, weights: Array, shape: Shape, size_px: tuple[int, int]
) -> tuple[Array, Array]:
    """Return outlines that agree with those of their size, and how much each had to change.

    Args:
        corners: N x 4 x 2 or N x 6 x 2.
        weights: how much each counts, N.
        shape: of the tiles.
        size_px: width and height of the picture.
    """
    outlines, change, _ = agreed_outlines(corners, weights, shape, size_px)
    if float(np.average(np.abs(change), weights=weights)) < MIXED:
        return outlines, change
    large = larger_of_two(corners, weights, shape, size_px)
    if large is None:
        return outlines, change
    for part in (large, ~large):
        outlines[part], change[part], _ = agreed_outlines(
            corners[part], weights[part], shape, size_px
        )
    return outlines, change


def larger_of_two(
    corners: Array, weights: Array, shape: Shape, size_px: tuple[int, int]
) -> NDArray[np.bool_] | None:
    """Return which outlines are of the larger of two sizes; nothing where there are not two."""
    if len(corners) < 2 * FEWEST:
        return None
    forms = Forms.of(corners, shape)
    sizes = forms.logs[:, 0]
    if float(np.ptp(sizes)) < APART:
        return None
    above = below = np.full(len(sizes), (sizes.min() + sizes.max()) / 2)
    large = np.asarray(sizes > above)
    for _ in range(ROUNDS):
        if min(large.sum(), (~large).sum()) < FEWEST:
            return None
        above, below = (_expected(forms, part, weights, size_px) for part in (large, ~large))
        large = np.abs(sizes - above) < np.abs(sizes - below)
    off = np.where(large, np.abs(sizes - above), np.abs(sizes - below))
    clear = float(np.median(above - below)) >= APART
    return large if clear and float(np.average(off, weights=weights)) <= FIT else None


def _expected(
    forms: Forms, part: NDArray[np.bool_], weights: Array, size_px: tuple[int, int]
) -> Array:
    """Return how large outlines would be everywhere, by what some of them say, N."""
    some = Forms(forms.middles[part], forms.logs[part], forms.turns[part], forms.shape)
    field = foreshortening_of(some, weights[part], size_px)
    return np.asarray(field.at(forms.middles)[:, 0])
