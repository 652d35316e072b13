"""Maps the colours of one picture to the light of another.

The map is a quadratic colour transform, fitted on tiles seen in both pictures. Colours are natural
logarithms of blue, green and red, as in ``vision.classify.faces``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.classify.features import DARKEST

Colours = NDArray[np.float64]
Floats = NDArray[np.float32]

MIDDLE = 4.5
"""Log value of a middle tone, the origin of the colour transform."""
HOLD = (0.1, 20.0, 60.0)
"""Ridge penalties, in pixels, of the constant, linear and quadratic terms of the transform."""
ROUNDS = 3
LEAST_OFF, LEAST_FUZZ, OUTLIER = 0.05, 0.03, 4.0
"""Least spread of brightness between tiles and of colour between pixels, in logs; residuals are
clipped at ``OUTLIER`` times the usual one, as such pixels are worn or shine."""
SAMPLED = 300
"""Number of pixels from which the spread of residuals is estimated."""
FURTHEST = 16.0
"""Upper bound of a pixel's squared whitened residual."""


@dataclass(frozen=True, eq=False)
class LightMap:
    """A fitted map from the colours of one picture to those of another."""

    bent: Colours
    """10 x 3: quadratic transform, from colours, their squares and products to colours."""
    root: Colours
    """3 x 3: whitens residuals (Cholesky factor of their inverse covariance)."""
    fuzz: float
    """Typical residual, in logs."""
    uneven: float
    """Standard deviation of the brightness between tiles, in logs."""

    def makes(self, colours: Colours) -> Floats:
        """Return the colours, N x 3, as the second picture would show them."""
        return np.asarray(np.maximum(_terms(colours) @ self.bent, np.log(DARKEST)), np.float32)

    def lengths(self, off: Floats) -> Floats:
        """Return the squared norm of whitened residuals over the last axis, up to a limit."""
        squares = (off @ self.root.astype(np.float32)) ** 2
        return np.asarray(np.minimum(squares.sum(axis=-1), FURTHEST))


def light_map(there: Colours, here: Colours) -> LightMap:
    """Return the map between two pictures of the same tiles, each tiles x pixels x 3.

    The fit is robust: each tile has a brightness offset of its own, and outliers, which may be worn
    or shine, weigh less.
    """
    terms = _terms(there).reshape(-1, 10)
    start: Colours = np.zeros((10, 3))
    start[0], start[1:4] = MIDDLE, np.eye(3)
    hold = np.diag(np.repeat(HOLD, (1, 3, 6)))
    counts, offsets = np.ones(len(terms)), np.zeros(len(there))
    bent: Colours = start
    for _ in range(ROUNDS):
        wanted = (here - offsets[:, None, None]).reshape(-1, 3)
        weighed = terms * counts[:, None]
        bent = np.asarray(
            np.linalg.solve(terms.T @ weighed + hold, weighed.T @ wanted + hold @ start)
        )
        rest = wanted - terms @ bent
        # The factor turns a median deviation into a standard deviation.
        usual = np.maximum(1.4826 * np.median(np.abs(rest), axis=0), LEAST_FUZZ)
        counts = 1 / (1 + ((rest / usual) ** 2).mean(axis=1) / 9)
        offsets = offsets + np.median(rest.reshape(here.shape).mean(axis=2), axis=1)
    rest = (here - offsets[:, None, None]).reshape(-1, 3) - terms @ bent
    some = rest[np.linspace(0, len(rest) - 1, min(SAMPLED, len(rest))).astype(int)]
    most = OUTLIER * np.maximum(1.4826 * np.median(np.abs(rest), axis=0), LEAST_FUZZ)
    spread = np.cov(np.clip(some, -most, most).T) + np.eye(3) * LEAST_FUZZ**2
    root = np.asarray(np.linalg.cholesky(np.linalg.inv(spread)), np.float64)
    fuzz = float(np.linalg.det(spread) ** (1 / 6))
    return LightMap(bent, root, fuzz, max(float(np.std(offsets)), LEAST_OFF))


def _terms(colours: Colours) -> Colours:
    tones = colours - MIDDLE
    ones = np.ones((*tones.shape[:-1], 1))
    return np.concatenate([ones, tones, tones**2, tones * np.roll(tones, 1, -1)], axis=-1)
