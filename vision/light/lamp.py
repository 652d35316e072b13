"""What a lamp's mirrored light does to single tiles, in the photograph that was taught and here.

Such light lies on some tiles and not on others. It is white and adds to what the print sends back:
so it may have to be taken off a print before anybody can say what it would look like here, and laid
over it again. Colours are natural logarithms of blue, green and red, as in
``vision.classify.prints``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.classify.prints import DARKEST
from vision.light.light_map import LightMap, light_map
from vision.light.shine import LEAST

Colours = NDArray[np.float64]
Floats = NDArray[np.float32]

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
EVERY = 4
"""Every so manyth pixel says how a tile is lit."""
REPEATS = 2


def lit_ways(light: LightMap, prints: Colours) -> Floats:
    """Return how prints, N x pixels x 3, would show here: ways x N x pixels x 3.

    Args:
        light: what this picture makes of colours.
        prints: as a photograph shows them.
    """
    plain = light.makes(prints.reshape(-1, 3)).reshape(prints.shape).astype(np.float32)
    shiny = _darkest(prints) >= LEAST
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
    for _ in range(REPEATS):
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
    less = np.where((dark := _darkest(prints)) >= LEAST, share * dark, 0.0)
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
