"""Models the colours of the table beside the cards, to find where something hides the table.

Colours that occur all over the picture outside the cards are the table's. A hand, a cup or a sleeve
has colours that occur in one place only; a patterned cloth repeats all of its colours everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core.crop import halved
from vision.core.types import Bgr, Points

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

LONG_PX = 1000
"""Maximum side of the reduced copy on which colours are sampled."""
ROWS, COLUMNS = 24, 32
"""Grid of table samples over the whole picture."""
ROOM = 1.2
"""Factor by which card outlines are enlarged before sampling: excludes edges and shadows."""
ALIKE = 9.0
"""Two colours closer than this in Lab, with weighted lightness, count as equal."""
BRIGHTNESS = 0.6
"""Weight of lightness in colour distances: shadows and lamps change it across a table."""
INNER, SAMPLES = 0.8, 6
"""Inner share of an outline that is sampled, and the samples along each axis of it."""
_LINE = (np.arange(SAMPLES) + 0.5) / SAMPLES * INNER + (1 - INNER) / 2
GRID = np.stack(np.meshgrid(_LINE, _LINE), axis=-1).reshape(-1, 2)
"""Sample positions inside an outline, in units of its two sides."""
FEWEST_NEAR = 24
"""With fewer samples between the cards, samples from the whole picture are used."""
THINGS = 0.05
"""Below this share the samples near the cards may show no table: this share of what the whole
picture has is then the lower bound."""
HIDDEN = 0.25
"""Cells whose colours occur less often than this share of a usual table sample's are hidden. Cells
under hands, sleeves and cups of five tables had at most 0.16, 280 cells beside them at least
0.4."""
HARDLY_TABLE = 0.5
"""Cells whose colours occur less often than this share of a usual table sample's may be tiles."""
AS_TABLE = 0.8
"""Areas whose colours occur as often as this share of a usual sample's may be the table."""
RARELY = 0.004
"""Share of table samples from which on a colour counts as the table's: about three samples."""


class SmallCopy:
    """A reduced copy of a picture, computed on first use."""

    def __init__(self, bgr: Bgr) -> None:
        self._bgr = bgr

    @cached_property
    def bgr(self) -> Bgr:
        """The reduced copy."""
        small = self._bgr
        # Halving takes a tenth of the time of any other scale factor.
        while max(small.shape[:2]) > LONG_PX:
            small = halved(small)
        return small

    @cached_property
    def whole_px(self) -> Array:
        """Width and height of the full-size picture."""
        return np.array(self._bgr.shape[1::-1], float)

    @cached_property
    def scale(self) -> Array:
        """Pixels of the copy per pixel of the picture, across and down."""
        return np.asarray(np.array(self.bgr.shape[1::-1], float) / self.whole_px)


class Ground:
    """The colours of a table, sampled on first use: few pictures need them."""

    def __init__(self, picture: Bgr | SmallCopy, outlines: Sequence[Points]) -> None:
        self._copy = picture if isinstance(picture, SmallCopy) else SmallCopy(picture)
        self._outlines = outlines

    def beside(self, outlines: Sequence[Points]) -> Ground:
        """Return the same table beside other cards; both share one reduced copy."""
        return Ground(self._copy, outlines)

    @cached_property
    def _places(self) -> Array:
        """Table samples: places all over the copy at which no card lies, N x 2."""
        height, width = self._copy.bgr.shape[:2]
        free = np.ones((height, width), np.uint8)
        if len(self._outlines):
            outlines = np.stack(list(self._outlines))
            middles = outlines.mean(axis=1, keepdims=True)
            wider = ((outlines - middles) * ROOM + middles) * self._copy.scale
            for outline in np.round(wider).astype(np.int32):
                cv2.fillConvexPoly(free, outline, 0)
        xs, ys = np.meshgrid(np.linspace(0, width - 1, COLUMNS), np.linspace(0, height - 1, ROWS))
        places = np.stack([xs, ys], axis=-1).reshape(-1, 2)
        at = places.round().astype(int)
        return np.asarray(places[free[at[:, 1], at[:, 0]] == 1])

    @cached_property
    def _colours(self) -> Floats:
        """Lab colours of the table samples, N x 3."""
        return np.asarray(_colours(self._copy.bgr, self._places[None])[0])

    @cached_property
    def _usual(self) -> float:
        """Share of all samples that match a median one near the cards; farther off may be floor."""
        near = np.ones(len(self._places), bool)
        if len(self._outlines):
            corners = np.concatenate(list(self._outlines)) * self._copy.scale
            near = (self._places >= corners.min(axis=0)) & (self._places <= corners.max(axis=0))
            near = near.all(axis=1)
        if near.sum() < FEWEST_NEAR:
            near[:] = True
        own = self._colours[near]
        usual = float(np.median(_seen(own, self._colours))) if len(own) else 1.0
        if usual < THINGS:
            # The samples near a few cards may all show a cup.
            usual = max(usual, THINGS * float(np.median(_seen(self._colours, self._colours))))
        return usual

    def inside(self, outlines: Array) -> NDArray[np.bool_]:
        """Return for each outline, N x 4 x 2, whether its centre lies in the picture."""
        middles = outlines.mean(axis=1)
        inside = (middles >= 0) & (middles < self._copy.whole_px)
        return np.asarray(inside.all(axis=1))

    def hidden(self, outlines: Array, below: float = HIDDEN) -> NDArray[np.bool_]:
        """Return for each outline whether something hides the table there, or it lies outside.

        Args:
            outlines: N x 4 x 2, in pixels of the picture.
            below: how often its colours may occur at most, as a share of a usual sample's.
        """
        return np.asarray(self.shown(outlines) < below)

    def shown(self, outlines: Array) -> Array:
        """Return how often each outline's colours occur, as a share of a usual table sample's.

        Places outside the picture count as 0.
        """
        return np.asarray(_median(self._shares(outlines)) / self._usual)

    def covered(self, outlines: Array) -> Array:
        """Return the share of each outline whose colours the table has anywhere, even rarely.

        A tablecloth comes close to 1, whatever is printed on it.
        """
        return np.asarray((self._shares(outlines) >= RARELY).mean(axis=1))

    def _sampled(self, outlines: Array) -> Array:
        """Return sample places inside each outline, N x samples x 2, in pixels of the copy."""
        frames = outlines[:, [1, 3]] - outlines[:, :1]
        return np.asarray((outlines[:, :1] + GRID @ frames) * self._copy.scale)

    def _shares(self, outlines: Array) -> Array:
        """Return the share of table samples that match each outline's samples, N x samples."""
        places = self._sampled(outlines)
        height, width = self._copy.bgr.shape[:2]
        outside = ((places < 0) | (places > np.array([width - 1, height - 1]))).any(axis=2)
        colours = _colours(self._copy.bgr, places)
        shares = _seen(colours.reshape(-1, 3), self._colours).reshape(outside.shape)
        shares[outside] = 0.0
        return shares


def _median(shares: Array) -> Array:
    """Return the median of each row of even length, without the NaN check of NumPy's median."""
    half = shares.shape[1] // 2
    parted = np.partition(shares, (half - 1, half), axis=1)
    return np.asarray((parted[:, half - 1] + parted[:, half]) / 2)


def _seen(colours: Floats, table: Floats) -> Array:
    """Return for each colour the share of table colours that match it, N."""
    if not len(table):
        return np.zeros(len(colours))
    weights = np.array([BRIGHTNESS, 1.0, 1.0], np.float32)
    one, other = colours * weights, table * weights
    # Squared distances as one matrix product: NumPy is slow along an axis of three.
    left = np.column_stack([-2 * one, (one**2).sum(axis=1), np.ones(len(one), np.float32)])
    right = np.column_stack([other, np.ones(len(other), np.float32), (other**2).sum(axis=1)])
    # OpenCV thresholds and averages rows three times as fast as NumPy.
    _, alike = cv2.threshold(left @ right.T, ALIKE**2, 1, cv2.THRESH_BINARY_INV)
    return np.asarray(cv2.reduce(alike, 1, cv2.REDUCE_AVG)[:, 0], np.float64)


def _colours(bgr: Bgr, places: Array) -> Floats:
    """Return the Lab colours at places N x K x 2."""
    if not places.size:
        return np.zeros((*places.shape[:2], 3), np.float32)
    at = places.astype(np.float32)
    x, y = np.ascontiguousarray(at[..., 0]), np.ascontiguousarray(at[..., 1])
    sampled = cv2.remap(bgr, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    lab = cv2.cvtColor(np.asarray(sampled, np.float32) / 255, cv2.COLOR_BGR2Lab)
    return np.asarray(lab, np.float32)
