"""What the table looks like beside the cards, and so where something lies on it or over it.

Colours that are seen here and there in the picture, wherever no card lies, are the table's. A hand,
a cup or a sleeve has colours that are seen in one place only; a patterned cloth has all of its own
everywhere.
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
"""Neither side of the copy that is looked at is longer."""
ROWS, COLUMNS = 24, 32
"""Places that are looked at all over the picture."""
ROOM = 1.2
"""What lies so near around cards, by their widths, may be their edges and shadows."""
ALIKE = 9.0
"""Colours that differ by less are one, in units of Lab in which brightness counts less."""
BRIGHTNESS = 0.6
"""Shadows and lamps change it across a table."""
INNER, SAMPLES = 0.8, 6
"""The part of a cell that is looked at, and places along each axis of it."""
_LINE = (np.arange(SAMPLES) + 0.5) / SAMPLES * INNER + (1 - INNER) / 2
GRID = np.stack(np.meshgrid(_LINE, _LINE), axis=-1).reshape(-1, 2)
"""These places, by the cell's two sides."""
FEWEST_NEAR = 24
"""Of fewer places between cards nothing is said; all of the picture is looked at then."""
THINGS = 0.05
"""What a usual place has so much less than one of the whole picture is no table."""
HIDDEN = 0.25
"""Cells whose colours are seen so much more rarely than the table's are hidden. Cells under hands,
sleeves and cups of five tables had 0.16 at most, 280 cells beside them 0.4 at least."""
HARDLY_TABLE = 0.5
"""Cells whose colours are seen so much more rarely than the table's may be tiles."""
AS_TABLE = 0.8
"""What shows colours that are seen as often as this share of the table's may be the table."""
RARELY = 0.004
"""Share of the table's places that have one of its rarer colours: three of those looked at."""


class SmallCopy:
    """A small copy of a picture, made when first asked for."""

    def __init__(self, bgr: Bgr) -> None:
        self._bgr = bgr

    @cached_property
    def bgr(self) -> Bgr:
        """The copy itself."""
        small = self._bgr
        # Halves only, which takes a tenth of the time that any other share takes.
        while max(small.shape[:2]) > LONG_PX:
            small = halved(small)
        return small

    @cached_property
    def whole_px(self) -> Array:
        """Width and height of the picture itself."""
        return np.array(self._bgr.shape[1::-1], float)

    @cached_property
    def scale(self) -> Array:
        """Pixels of the copy for one of the picture, across and down."""
        return np.asarray(np.array(self.bgr.shape[1::-1], float) / self.whole_px)


class Ground:
    """The colours of a table, looked at when first asked for: few pictures need them."""

    def __init__(self, picture: Bgr | SmallCopy, outlines: Sequence[Points]) -> None:
        self._copy = picture if isinstance(picture, SmallCopy) else SmallCopy(picture)
        self._outlines = outlines

    def beside(self, outlines: Sequence[Points]) -> Ground:
        """Return the same table beside other cards; the picture is made small once for both."""
        return Ground(self._copy, outlines)

    @cached_property
    def _places(self) -> Array:
        """Places all over the copy at which no card lies, N x 2."""
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
        """Their colours, N x 3, as lightness and two hues."""
        return np.asarray(_colours(self._copy.bgr, self._places[None])[0])

    @cached_property
    def _usual(self) -> float:
        """Share of these that is like a usual one near the cards; what is further off is floor."""
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
            # A cup between a few cards may be all that lies near to them.
            usual = max(usual, THINGS * float(np.median(_seen(self._colours, self._colours))))
        return usual

    def inside(self, outlines: Array) -> NDArray[np.bool_]:
        """Return for each outline, N x 4 x 2, whether its middle lies in the picture."""
        middles = outlines.mean(axis=1)
        inside = (middles >= 0) & (middles < self._copy.whole_px)
        return np.asarray(inside.all(axis=1))

    def hidden(self, outlines: Array, below: float = HIDDEN) -> NDArray[np.bool_]:
        """Return for each outline whether it shows no table but a thing, or lies outside.

        Args:
            outlines: N x 4 x 2, in pixels of the picture.
            below: how rarely its colours must be seen, as a share of a usual place's.
        """
        return np.asarray(self.shown(outlines) < below)

    def shown(self, outlines: Array) -> Array:
        """Return how often the table shows each outline's colours, as a share of a usual place's.

        What lies outside shows none of them.
        """
        return np.asarray(_median(self._shares(outlines)) / self._usual)

    def covered(self, outlines: Array) -> Array:
        """Return the share of each outline in colours that the table has somewhere, if rarely.

        All of a piece of cloth is, with whatever is printed on it.
        """
        return np.asarray((self._shares(outlines) >= RARELY).mean(axis=1))

    def _sampled(self, outlines: Array) -> Array:
        """Return places all over each outline, in pixels of the copy."""
        frames = outlines[:, [1, 3]] - outlines[:, :1]
        return np.asarray((outlines[:, :1] + GRID @ frames) * self._copy.scale)

    def _shares(self, outlines: Array) -> Array:
        """Return for places of each outline how much of the table has their colour, N x places."""
        places = self._sampled(outlines)
        height, width = self._copy.bgr.shape[:2]
        outside = ((places < 0) | (places > np.array([width - 1, height - 1]))).any(axis=2)
        colours = _colours(self._copy.bgr, places)
        shares = _seen(colours.reshape(-1, 3), self._colours).reshape(outside.shape)
        shares[outside] = 0.0
        return shares


def _median(shares: Array) -> Array:
    """Return the median of each row; NumPy's own looks for what is no number first."""
    half = shares.shape[1] // 2
    parted = np.partition(shares, (half - 1, half), axis=1)
    return np.asarray((parted[:, half - 1] + parted[:, half]) / 2)


def _seen(colours: Floats, table: Floats) -> Array:
    """Return the share of the table's colours that each colour is like, N."""
    if not len(table):
        return np.zeros(len(colours))
    weights = np.array([BRIGHTNESS, 1.0, 1.0], np.float32)
    one, other = colours * weights, table * weights
    # Squares as one product: NumPy is slow along an axis of three.
    left = np.column_stack([-2 * one, (one**2).sum(axis=1), np.ones(len(one), np.float32)])
    right = np.column_stack([other, np.ones(len(other), np.float32), (other**2).sum(axis=1)])
    # OpenCV counts a row's small numbers three times as fast as NumPy.
    _, alike = cv2.threshold(left @ right.T, ALIKE**2, 1, cv2.THRESH_BINARY_INV)
    return np.asarray(cv2.reduce(alike, 1, cv2.REDUCE_AVG)[:, 0], np.float64)


def _colours(bgr: Bgr, places: Array) -> Floats:
    """Return the colours at places N x K x 2, as lightness and two hues."""
    if not places.size:
        return np.zeros((*places.shape[:2], 3), np.float32)
    at = places.astype(np.float32)
    x, y = np.ascontiguousarray(at[..., 0]), np.ascontiguousarray(at[..., 1])
    sampled = cv2.remap(bgr, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    lab = cv2.cvtColor(np.asarray(sampled, np.float32) / 255, cv2.COLOR_BGR2Lab)
    return np.asarray(lab, np.float32)
