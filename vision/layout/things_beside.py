"""Places beside the fields of Sssnake where something lies that no outline was found of."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vision.core.ground import Ground
from vision.core.outline import Forms
from vision.core.plane import TablePlane
from vision.core.types import Detection

Array = NDArray[np.float64]

NEAREST, FARTHEST = 1.9, 3.2
"""How far from the cards of other fields a big card lies that nothing was laid to, in widths."""
STEP = 0.5
"""Places that are looked at lie so far apart, likewise."""
FREE = 0.9
"""Nearer to what was found, none is looked at."""
LIKELY = (NEAREST + FARTHEST) / 2


def things_beside(
    cards: Sequence[Detection], found: Sequence[Detection], size_px: tuple[int, int],
    ground: Ground,
) -> Array:  # fmt: skip
    """Return outlines of places that show no table, N x 4 x 2, the likeliest first.

    Args:
        cards: such as are surely in play, one that says how all of them are turned first.
        found: all outlines that show a card.
        size_px: width and height of the picture.
        ground: what the table looks like.
    """
    corners = np.stack([card.corners_px for card in cards])
    weights = np.array([card.confidence for card in cards]) ** 2
    plane = TablePlane.of(Forms.of(corners, "square"), weights, size_px)
    own = plane.on_table(corners.mean(axis=1))
    right = _side(plane, corners[0])
    places = _around(own, right, np.cross(plane.upright, right))
    others = plane.on_table(np.stack([one.centre_px for one in found]))
    off = _nearest(places, own)
    free = (off >= NEAREST) & (off <= FARTHEST) & (_nearest(places, others) > FREE)
    if not free.any():
        return np.zeros((0, 4, 2))
    outlines = plane.squares(places[free], right)
    hidden = ground.hidden(outlines) & ground.inside(outlines)
    return outlines[hidden][np.argsort(np.abs(off[free][hidden] - LIKELY))]


def _side(plane: TablePlane, outline: Array) -> Array:
    """Return the direction of an outline's upper side on the table."""
    along = plane.along(outline)
    return np.asarray(along / max(float(np.linalg.norm(along)), 1e-9))


def _around(own: Array, right: Array, down: Array) -> Array:
    """Return places on the table around cards, N x 3."""
    middle = own.mean(axis=0)
    flat = np.stack([(own - middle) @ right, (own - middle) @ down], axis=1)
    reach = [np.arange(low - FARTHEST, high + FARTHEST, STEP)
             for low, high in zip(flat.min(axis=0), flat.max(axis=0), strict=True)]  # fmt: skip
    across, along = (grid.reshape(-1, 1) for grid in np.meshgrid(*reach))
    return np.asarray(middle + across * right + along * down)


def _nearest(places: Array, cards: Array) -> Array:
    """Return how far each place lies from the nearest card."""
    return np.asarray(np.linalg.norm(places[:, None] - cards[None], axis=2).min(axis=1))
