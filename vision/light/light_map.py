"""What the light of one picture makes of the colours of another: learnt from tiles seen in both.

Colours are natural logarithms of blue, green and red. Tones are bent and mixed as a whole; what is
left of a colour is put right by what is left of colours close to it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MIDDLE = 4.5
"""Logarithm of a middle tone."""
HOLD = (0.1, 20.0, 60.0)
"""Pixels that would have to speak against it before the light counts as brighter, as coloured, and
as bending tones."""
REPEATS = 3
NEARBY, FEW_NEARBY, SPOKEN = 0.2, 30.0, 300
"""A colour is put right by what was left of colours so close, as if so many pixels had shown
nothing of it; of all pixels so many are asked."""
LEAST_OFF, LEAST_FUZZ, OUTLIER = 0.05, 0.03, 4.0
"""Tiles differ in brightness by so much at least and pixels in colour; what is further off than so
many times the usual is worn or shines."""


@dataclass(frozen=True, eq=False)
class LightMap:
    """What one picture makes of the colours of another."""

    bent: Floats
    """10 x 3: from colours, their squares and products to colours."""
    known: Floats
    """Colours that were seen, M x 3 ..."""
    left: Floats
    """... what is left of them ..."""
    counts: Floats
    """... and for how many pixels each stands."""
    root: Floats
    """3 x 3: makes what is left of a pixel's colour a length in usual ones."""
    fuzz: float
    """How far off colours come out."""
    uneven: float
    """How much tiles differ in brightness."""

    def makes(self, colours: Floats) -> Floats:
        """Return what becomes of colours, N x 3."""
        put_right = _nearby(colours, self.known, self.left, self.counts)
        return np.asarray(_terms(colours) @ self.bent + put_right)


def light_map(there: Floats, here: Floats) -> LightMap:
    """Return what becomes of colours, from tiles that show them there and here, tiles x pixels x 3.

    Tiles lie in more or less light, and may be worn or shine: what does not fit counts less.
    """
    terms = _terms(there).reshape(-1, 10)
    counts, offsets = np.ones(len(terms)), np.zeros(len(there))
    bent, rest = _bent(terms, here, counts, offsets)
    for _ in range(1, REPEATS):
        offsets = offsets + np.median(rest.reshape(here.shape).mean(axis=2), axis=1)
        counts = _counts(rest)
        bent, rest = _bent(terms, here, counts, offsets)
    offsets = offsets + np.median(rest.reshape(here.shape).mean(axis=2), axis=1)
    rest = (here - offsets[:, None, None]).reshape(-1, 3) - terms @ bent
    counts = _counts(rest)
    some = np.linspace(0, len(rest) - 1, min(SPOKEN, len(rest))).astype(int)
    known, left = there.reshape(-1, 3)[some], rest[some]
    spoken = counts[some] * (len(rest) / len(some))
    most = OUTLIER * _usual(rest)
    still = np.clip(left - _nearby(known, known, left, spoken), -most, most)
    spread = np.asarray(np.cov(still.T) + np.eye(3) * LEAST_FUZZ**2, np.float64)
    root = np.asarray(np.linalg.cholesky(np.linalg.inv(spread)), np.float64)
    uneven = max(float(np.std(offsets)), LEAST_OFF)
    return LightMap(
        bent, known, left, spoken, root, float(np.linalg.det(spread) ** (1 / 6)), uneven
    )


def _bent(terms: Floats, here: Floats, counts: Floats, offsets: Floats) -> tuple[Floats, Floats]:
    """Return what maps terms to colours, with some hold, and what is left of each pixel."""
    start = np.zeros((terms.shape[1], 3))
    start[0], start[1:4] = MIDDLE, np.eye(3)
    hold = np.diag([HOLD[0], *[HOLD[1]] * 3, *[HOLD[2]] * (terms.shape[1] - 4)])
    wanted = (here - offsets[:, None, None]).reshape(-1, 3)
    weighed = terms * counts[:, None]
    bent = np.linalg.solve(terms.T @ weighed + hold, weighed.T @ wanted + hold @ start)
    return np.asarray(bent, np.float64), wanted - terms @ bent


def _usual(rest: Floats) -> Floats:
    """Return how far off colours usually are, for blue, green and red."""
    return np.asarray(np.maximum(1.4826 * np.median(np.abs(rest), axis=0), LEAST_FUZZ))


def _counts(rest: Floats) -> Floats:
    """Return how much each pixel counts, the less the further off it is."""
    return np.asarray(1 / (1 + ((rest / _usual(rest)) ** 2).mean(axis=1) / 9))


def _terms(colours: Floats) -> Floats:
    tones = colours - MIDDLE
    ones = np.ones((*tones.shape[:-1], 1))
    return np.concatenate([ones, tones, tones**2, tones * np.roll(tones, 1, -1)], axis=-1)


def _nearby(colours: Floats, known: Floats, left: Floats, counts: Floats) -> Floats:
    """Return what is left of colours by what was left of such as are close to them."""
    there, here = known.astype(np.float32), colours.astype(np.float32)
    squares = (here**2).sum(axis=1)[:, None] + (there**2).sum(axis=1)[None]
    near = (here @ there.T - squares / 2) / np.float32(NEARBY**2)
    close = np.exp(np.minimum(near, 0)) * counts.astype(np.float32)
    return np.asarray((close @ left) / (close.sum(axis=1, keepdims=True) + FEW_NEARBY), np.float64)
