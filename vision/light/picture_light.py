"""Maps the colours of one picture to the light of another, including specular reflection of lamps.

The map is fitted on tiles seen in both pictures: a quadratic colour transform for the whole, plus a
local correction by kernel regression of its residuals. Specular light lies on some tiles only. It
is white and adds to the light from the print, so the darkest place of a tile is its upper bound. It
may have to be subtracted from a photographed print before the map, and added again afterwards.
Colours are natural logarithms of blue, green and red, as in ``vision.classify.faces``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.classify.faces import GAMMA, LIGHT
from vision.classify.features import DARKEST
from vision.core.crop import Patches
from vision.core.types import Bgr

Colours = NDArray[np.float64]
Floats = NDArray[np.float32]

MIDDLE = 4.5
"""Log value of a middle tone, the origin of the colour transform."""
HOLD = (0.1, 20.0, 60.0)
"""Ridge penalties, in pixels, of the constant, linear and quadratic terms of the transform."""
ROUNDS = 3
NEARBY, FEW_NEARBY, SPOKEN = 0.2, 30.0, 300
"""Kernel regression of residuals: bandwidth (log colour), pseudo-count of pixels without residual,
and number of pixels sampled."""
LEAST_OFF, LEAST_FUZZ, OUTLIER = 0.05, 0.03, 4.0
"""Least spread of brightness between tiles and of colour between pixels, in logs; residuals are
clipped at ``OUTLIER`` times the usual one, as such pixels are worn or shine."""


@dataclass(frozen=True, eq=False)
class LightMap:
    """A fitted map from the colours of one picture to those of another."""

    bent: Colours
    """10 x 3: quadratic transform, from colours, their squares and products to colours."""
    known: Colours
    """Sampled colours of the first picture, M x 3."""
    left: Colours
    """Residual of the quadratic transform at each sampled colour, M x 3."""
    counts: Colours
    """Weight of each sampled colour, in pixels, M."""
    root: Colours
    """3 x 3: whitens residuals (Cholesky factor of their inverse covariance)."""
    fuzz: float
    """Typical residual, in logs."""
    uneven: float
    """Standard deviation of the brightness between tiles, in logs."""

    def makes(self, colours: Colours) -> Colours:
        """Return the colours, N x 3, as the second picture would show them."""
        put_right = _nearby(colours, self.known, self.left, self.counts)
        return np.asarray(_terms(colours) @ self.bent + put_right)


def light_map(there: Colours, here: Colours) -> LightMap:
    """Return the map between two pictures of the same tiles, each tiles x pixels x 3.

    The fit is robust: each tile has a brightness offset of its own, and outliers, which may be worn
    or shine, weigh less.
    """
    terms = _terms(there).reshape(-1, 10)
    counts, offsets = np.ones(len(terms)), np.zeros(len(there))
    bent, rest = _bent(terms, here, counts, offsets)
    for _ in range(1, ROUNDS):
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


def _bent(
    terms: Colours, here: Colours, counts: Colours, offsets: Colours
) -> tuple[Colours, Colours]:
    """Return the weighted ridge fit of colours by terms, and the residual of each pixel."""
    start = np.zeros((terms.shape[1], 3))
    start[0], start[1:4] = MIDDLE, np.eye(3)
    hold = np.diag([HOLD[0], *[HOLD[1]] * 3, *[HOLD[2]] * (terms.shape[1] - 4)])
    wanted = (here - offsets[:, None, None]).reshape(-1, 3)
    weighed = terms * counts[:, None]
    bent = np.linalg.solve(terms.T @ weighed + hold, weighed.T @ wanted + hold @ start)
    return np.asarray(bent, np.float64), wanted - terms @ bent


def _usual(rest: Colours) -> Colours:
    """Return the robust standard deviation of residuals, for blue, green and red."""
    return np.asarray(np.maximum(1.4826 * np.median(np.abs(rest), axis=0), LEAST_FUZZ))


def _counts(rest: Colours) -> Colours:
    """Return the weight of each pixel, which falls with its residual."""
    return np.asarray(1 / (1 + ((rest / _usual(rest)) ** 2).mean(axis=1) / 9))


def _terms(colours: Colours) -> Colours:
    tones = colours - MIDDLE
    ones = np.ones((*tones.shape[:-1], 1))
    return np.concatenate([ones, tones, tones**2, tones * np.roll(tones, 1, -1)], axis=-1)


def _nearby(colours: Colours, known: Colours, left: Colours, counts: Colours) -> Colours:
    """Return the residual at each colour, by kernel regression over the known colours."""
    there, here = known.astype(np.float32), colours.astype(np.float32)
    squares = (here**2).sum(axis=1)[:, None] + (there**2).sum(axis=1)[None]
    near = (here @ there.T - squares / 2) / np.float32(NEARBY**2)
    close = np.exp(np.minimum(near, 0)) * counts.astype(np.float32)
    return np.asarray((close @ left) / (close.sum(axis=1, keepdims=True) + FEW_NEARBY), np.float64)


EDGE = 0.16
"""Border of a patch, as a share of its width, that is ignored when its darkest place is sought."""
LEAST_SHINE = 0.04
"""A tile whose darkest place is below this share of white has no shine worth removing."""
SHARES = (0.4, 0.6, 0.75, 0.88, 0.96)
"""Shares of a tile's largest possible shine that are tried for removal."""
TAKEN_OFF = (0.0, 0.5, 0.85)
"""Shares of a photographed print's largest possible shine that are tried for removal."""
ADDED = (0.0, -0.05, 0.05, 0.12, 0.25, 0.45)
"""Light on a tile of this picture, relative to the others, that is tried, as a share of white."""
OFF_COST, ADDED_COST = 0.1, 0.6
"""Penalty for removed shine, and penalty for added light per square root of its amount."""
COSTS: Floats = np.array(
    [OFF_COST * (off > 0) + ADDED_COST * abs(more) ** 0.5 for off in TAKEN_OFF for more in ADDED],
    np.float32,
)
"""Penalty of each way to light a tile: all combinations of ``TAKEN_OFF`` and ``ADDED``."""
DARK_SHARE = 0.03
"""Quantile that counts as a print's darkest place; darker pixels are noise."""
FURTHEST = 16.0
"""Upper bound of a pixel's squared whitened residual."""
EVERY, LAMP_ROUNDS = 4, 2
"""Pixel step when the lighting of tiles is estimated, and number of rounds."""


def lit_ways(light: LightMap, prints: Colours) -> Floats:
    """Return the expected colours of prints in this picture: ways x N x pixels x 3.

    Args:
        light: the map from the photograph to this picture.
        prints: colours in the photograph, N x pixels x 3.
    """
    plain = light.makes(prints.reshape(-1, 3)).reshape(prints.shape).astype(np.float32)
    shiny = _darkest(prints) >= LEAST_SHINE
    out = []
    for share in TAKEN_OFF:
        made = plain
        if share and shiny.any():
            made = plain.copy()
            dull = _dulled(prints[shiny], share)
            made[shiny] = light.makes(dull.reshape(-1, 3)).reshape(dull.shape)
        shown = _light(made)
        out += [_colours(shown + np.float32(more)) for more in ADDED]
    return np.stack(out)


def light_under_lamps(there: Colours, here: Colours) -> LightMap:
    """Return the map between two pictures if lamps may shine on some tiles in either of them.

    Args:
        there: colours of tiles in a photograph, tiles x pixels x 3.
        here: colours of the same tiles in this picture.
    """
    light = light_map(there, here)
    for _ in range(LAMP_ROUNDS):
        off = here[None, :, ::EVERY].astype(np.float32) - lit_ways(light, there[:, ::EVERY])
        off -= np.median(off.mean(axis=3), axis=2)[..., None, None]
        best = (lengths(off, light).mean(axis=2) / 3 + COSTS[:, None]).argmin(axis=0)
        taken, more = np.divmod(best, len(ADDED))
        added = np.array(ADDED)[more]
        # Light that is added to most tiles is the picture's own, not a reflection.
        added -= np.median(added)
        dull = _dulled(there, np.array(TAKEN_OFF)[taken])
        bare = _colours(_light(here) - added[:, None, None])
        light = light_map(dull, bare.astype(np.float64))
    return light


def lengths(off: Floats, light: LightMap) -> Floats:
    """Return the squared norm of whitened residuals over the last axis, up to ``FURTHEST``."""
    usual = off.reshape(-1, 3) @ light.root.astype(np.float32)
    return np.asarray(np.minimum((usual**2).sum(axis=1), FURTHEST).reshape(off.shape[:-1]))


def _dulled(prints: Colours, share: float | Colours) -> Colours:
    """Return prints, N x pixels x 3, with a share of their largest possible shine removed."""
    less = np.where((dark := _darkest(prints)) >= LEAST_SHINE, share * dark, 0.0)
    return np.asarray(_colours(_light(prints) - less[:, None, None]), np.float64)


def _darkest(prints: Colours) -> Colours:
    """Return the linear light of each print's darkest place, as a share of white."""
    lightless = np.quantile(prints.min(axis=2), DARK_SHARE, axis=1)
    return np.asarray(_light(lightless), np.float64)


def _light(colours: NDArray[np.floating]) -> NDArray[np.floating]:
    """Return the linear light of log colours, as a share of white, with a gamma of 2."""
    return np.asarray(np.maximum((np.exp(colours) - DARKEST) / 255, 0) ** 2)


def _colours(light: NDArray[np.floating]) -> NDArray[np.floating]:
    return np.asarray(np.log(255 * np.sqrt(np.maximum(light, 0)) + DARKEST))


def without_shine(patch: Bgr) -> Patches:
    """Return a tile with increasing shine removed, K x size x size x 3; empty if it is dark."""
    light = LIGHT[patch]
    edge = round(EDGE * len(patch))
    inner = light[edge:-edge, edge:-edge].min(axis=2)
    most = float(np.quantile(inner, DARK_SHARE))
    if most < LEAST_SHINE:
        return np.zeros((0, *patch.shape), np.uint8)
    less: NDArray[np.float32] = np.stack([light - np.float32(share * most) for share in SHARES])
    return np.round(255 * np.maximum(less, 0) ** np.float32(1 / GAMMA)).astype(np.uint8)
