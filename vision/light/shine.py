"""Takes off what the mirrored light of a lamp or a window adds to a tile.

Such light is white and adds to what the print itself sends back, so the darkest place of a tile
says how much of it there can be at most. How much there is, only whoever knows the prints can tell:
so a tile is shown with more and more of it taken off.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.core.crop import Patches
from vision.core.types import Bgr

GAMMA = 2.2
_LIGHT = ((np.arange(256) / 255) ** GAMMA).astype(np.float32)
"""How much light each of a picture's numbers stands for, as a share of white."""
DARKEST = 0.03
"""Share of a tile's places that may be darker than its darkest: noise is."""
EDGE = 0.16
"""Share of a patch at each side that is left out of that: what lies around a tile is dark too."""
LEAST = 0.04
"""A tile with darker places than that, as a share of white, has no shine worth taking off."""
SHARES = (0.4, 0.6, 0.75, 0.88, 0.96)
"""Parts of what there can be that are taken off."""


def without_shine(patch: Bgr) -> Patches:
    """Return a tile with more and more light taken off, K x size x size x 3; none if it is dark."""
    light = _LIGHT[patch]
    edge = round(EDGE * len(patch))
    inner = light[edge:-edge, edge:-edge].min(axis=2)
    most = float(np.quantile(inner, DARKEST))
    if most < LEAST:
        return np.zeros((0, *patch.shape), np.uint8)
    less: NDArray[np.float32] = np.stack([light - np.float32(share * most) for share in SHARES])
    return np.round(255 * np.maximum(less, 0) ** np.float32(1 / GAMMA)).astype(np.uint8)
