"""What the light of one picture makes of the colours of another, and of a lamp that mirrors in it.

What light does is learnt from tiles seen in both pictures: tones are bent and mixed as a whole;
what is left of a colour is put right by what is left of colours close to it. A lamp's mirrored
light lies on some tiles and not on others. It is white and adds to what the print sends back, so
the darkest place of a tile says how much of it there can be at most; it may have to be taken off a
print before anybody can say what it would look like here, and laid over it again. Colours are
natural logarithms of blue, green and red, as in ``vision.classify.faces``.
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
"""Logarithm of a middle tone."""
HOLD = (0.1, 20.0, 60.0)
"""Pixels that would have to speak against it before the light counts as brighter, as coloured, and
as bending tones."""
ROUNDS = 3
NEARBY, FEW_NEARBY, SPOKEN = 0.2, 30.0, 300
"""A colour is put right by what was left of colours so close, as if so many pixels had shown
nothing of it; of all pixels so many are asked."""
LEAST_OFF, LEAST_FUZZ, OUTLIER = 0.05, 0.03, 4.0
"""Tiles differ in brightness by so much at least and pixels in colour; what is further off than so
many times the usual is worn or shines."""


@dataclass(frozen=True, eq=False)
class LightMap:
    """What one picture makes of the colours of another."""

    bent: Colours
    """10 x 3: from colours, their squares and products to colours."""
    known: Colours
    """Colours that were seen, M x 3 ..."""
    left: Colours
    """... what is left of them ..."""
    counts: Colours
    """... and for how many pixels each stands."""
    root: Colours
    """3 x 3: makes what is left of a pixel's colour a length in usual ones."""
    fuzz: float
    """How far off colours come out."""
    uneven: float
    """How much tiles differ in brightness."""

    def makes(self, colours: Colours) -> Colours:
        """Return what becomes of colours, N x 3."""
        put_right = _nearby(colours, self.known, self.left, self.counts)
        return np.asarray(_terms(colours) @ self.bent + put_right)


def light_map(there: Colours, here: Colours) -> LightMap:
    """Return what becomes of colours, from tiles that show them there and here, tiles x pixels x 3.

    Tiles lie in more or less light, and may be worn or shine: what does not fit counts less.
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
    """Return what maps terms to colours, with some hold, and what is left of each pixel."""
    start = np.zeros((terms.shape[1], 3))
    start[0], start[1:4] = MIDDLE, np.eye(3)
    hold = np.diag([HOLD[0], *[HOLD[1]] * 3, *[HOLD[2]] * (terms.shape[1] - 4)])
    wanted = (here - offsets[:, None, None]).reshape(-1, 3)
    weighed = terms * counts[:, None]
    bent = np.linalg.solve(terms.T @ weighed + hold, weighed.T @ wanted + hold @ start)
    return np.asarray(bent, np.float64), wanted - terms @ bent


def _usual(rest: Colours) -> Colours:
    """Return how far off colours usually are, for blue, green and red."""
    return np.asarray(np.maximum(1.4826 * np.median(np.abs(rest), axis=0), LEAST_FUZZ))


def _counts(rest: Colours) -> Colours:
    """Return how much each pixel counts, the less the further off it is."""
    return np.asarray(1 / (1 + ((rest / _usual(rest)) ** 2).mean(axis=1) / 9))


def _terms(colours: Colours) -> Colours:
    tones = colours - MIDDLE
    ones = np.ones((*tones.shape[:-1], 1))
    return np.concatenate([ones, tones, tones**2, tones * np.roll(tones, 1, -1)], axis=-1)


def _nearby(colours: Colours, known: Colours, left: Colours, counts: Colours) -> Colours:
    """Return what is left of colours by what was left of such as are close to them."""
    there, here = known.astype(np.float32), colours.astype(np.float32)
    squares = (here**2).sum(axis=1)[:, None] + (there**2).sum(axis=1)[None]
    near = (here @ there.T - squares / 2) / np.float32(NEARBY**2)
    close = np.exp(np.minimum(near, 0)) * counts.astype(np.float32)
    return np.asarray((close @ left) / (close.sum(axis=1, keepdims=True) + FEW_NEARBY), np.float64)


EDGE = 0.16
"""Share of a patch at each side that is left out of that: what lies around a tile is dark too."""
LEAST_SHINE = 0.04
"""A tile with darker places than that, as a share of white, has no shine worth taking off."""
SHARES = (0.4, 0.6, 0.75, 0.88, 0.96)
"""Parts of what there can be that are taken off."""
TAKEN_OFF = (0.0, 0.5, 0.85)
"""Shares of the light that a print's darkest place allows, that may lie on it there ..."""
ADDED = (0.0, -0.05, 0.05, 0.12, 0.25, 0.45)
"""... and light that may lie on the tile here, less or more than on others, as a share of white."""
OFF_COST, ADDED_COST = 0.1, 0.6
"""What speaks against such light, the second by the root of how much: each must be worth itself."""
COSTS: Floats = np.array(
    [OFF_COST * (off > 0) + ADDED_COST * abs(more) ** 0.5 for off in TAKEN_OFF for more in ADDED],
    np.float32,
)
"""Of each way in which a tile may be lit."""
DARK_SHARE = 0.03
"""Share of a print's places that may be darker than its darkest: noise is."""
FURTHEST = 16.0
"""Squares of lengths beyond which a pixel counts no more."""
EVERY, LAMP_ROUNDS = 4, 2
"""Every so manyth pixel says how a tile is lit, and how often that is asked."""


def lit_ways(light: LightMap, prints: Colours) -> Floats:
    """Return how prints, N x pixels x 3, would show here: ways x N x pixels x 3.

    Args:
        light: what this picture makes of colours.
        prints: as a photograph shows them.
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
    """Return what becomes of colours where lamps may shine on some tiles, in either picture.

    Args:
        there: tiles x pixels x 3, as a photograph shows them.
        here: the same tiles in this picture.
    """
    light = light_map(there, here)
    for _ in range(LAMP_ROUNDS):
        off = here[None, :, ::EVERY].astype(np.float32) - lit_ways(light, there[:, ::EVERY])
        off -= np.median(off.mean(axis=3), axis=2)[..., None, None]
        best = (lengths(off, light).mean(axis=2) / 3 + COSTS[:, None]).argmin(axis=0)
        taken, more = np.divmod(best, len(ADDED))
        added = np.array(ADDED)[more]
        # What lies on all tiles is the picture's own light.
        added -= np.median(added)
        dull = _dulled(there, np.array(TAKEN_OFF)[taken])
        bare = _colours(_light(here) - added[:, None, None])
        light = light_map(dull, bare.astype(np.float64))
    return light


def lengths(off: Floats, light: LightMap) -> Floats:
    """Return how far off colours are, squared and in usual lengths, of the last axis."""
    usual = off.reshape(-1, 3) @ light.root.astype(np.float32)
    return np.asarray(np.minimum((usual**2).sum(axis=1), FURTHEST).reshape(off.shape[:-1]))


def _dulled(prints: Colours, share: float | Colours) -> Colours:
    """Return prints, N x pixels x 3, with some light taken off those that may shine."""
    less = np.where((dark := _darkest(prints)) >= LEAST_SHINE, share * dark, 0.0)
    return np.asarray(_colours(_light(prints) - less[:, None, None]), np.float64)


def _darkest(prints: Colours) -> Colours:
    """Return how much light the darkest place of each print sends back."""
    lightless = np.quantile(prints.min(axis=2), DARK_SHARE, axis=1)
    return np.asarray(_light(lightless), np.float64)


def _light(colours: NDArray[np.floating]) -> NDArray[np.floating]:
    """Return how much light colours stand for, as a share of white: about their square."""
    return np.asarray(np.maximum((np.exp(colours) - DARKEST) / 255, 0) ** 2)


def _colours(light: NDArray[np.floating]) -> NDArray[np.floating]:
    return np.asarray(np.log(255 * np.sqrt(np.maximum(light, 0)) + DARKEST))


def without_shine(patch: Bgr) -> Patches:
    """Return a tile with more and more light taken off, K x size x size x 3; none if it is dark."""
    light = LIGHT[patch]
    edge = round(EDGE * len(patch))
    inner = light[edge:-edge, edge:-edge].min(axis=2)
    most = float(np.quantile(inner, DARK_SHARE))
    if most < LEAST_SHINE:
        return np.zeros((0, *patch.shape), np.uint8)
    less: NDArray[np.float32] = np.stack([light - np.float32(share * most) for share in SHARES])
    return np.round(255 * np.maximum(less, 0) ** np.float32(1 / GAMMA)).astype(np.uint8)
