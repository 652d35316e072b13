"""Detects clay on the tiles of a taught board: whether it is open or closed, and its direction.

Clay leaves the rim of its tile visible. Whatever differs from that rim, in any colour and light, is
clay; where in the cell it differs tells its kind, and the side to which it opens.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core.types import LIKELIER
from vision.hexes.taught.boards import CUT_PX, Patches

Floats = NDArray[np.float64]

CELL_PX = 66.0
"""Width of a cell in a cut, in pixels."""
RIM, REACH = (0.36, 0.43), 0.36
"""Radii between which a tile is seen around its clay, and radius of clay, in cell widths."""
SMALL_PX = 56
SHIFTS_PX = (-6, -4, -2, 0, 2, 4, 6)
"""Offsets of clay from the centre of its cell that are tried, in pixels of a small cut."""
STRONGEST = 0.7
"""Quantile of the difference from the rim above which pixels give the colour of clay."""
DARKEST = 30.0
"""Level that is added before taking logarithms: very dark colours say little, and lamps change them
most."""
SIDES = 6
KINDS = ("open", "closed")
CLEAR = 0.7
"""Minimum correlation with taught clay to believe its colour; tiles without had at most 0.6."""
SHARPNESS = 25.0
"""Factor from correlation to log-likelihood."""


def _away() -> Floats:
    """Return the distance of each pixel of a small cut from its centre, in cell widths."""
    step = CUT_PX / SMALL_PX / CELL_PX
    place = (np.arange(SMALL_PX) - (SMALL_PX - 1) / 2) * step
    return np.asarray(np.hypot(place[:, None], place[None]))


_AWAY = _away()
_INNER = _AWAY < REACH
_RIM = (RIM[0] <= _AWAY) & (RIM[1] > _AWAY)


def rim_colours(patches: Patches) -> Floats:
    """Return the log colours of the rims of cells, N x pixels x 3."""
    return _small(patches)[:, _RIM]


@dataclass(frozen=True, eq=False)
class Differences:
    """How cells differ from their rims."""

    maps: Floats
    """Position of each pixel between the rim's colour (0) and the clay's (1), N x 56 x 56."""
    strengths: Floats
    """Logarithm of the mean difference of each cell from its rim, N."""
    colours: Floats
    """Mean log colour of the pixels that differ most, N x 3."""


def differences(patches: Patches, clay: Floats | None = None) -> Differences:
    """Return how cells differ from their rims.

    Args:
        patches: the cells.
        clay: the log colour of clay in this light; by default that of the pixels that differ most.
    """
    shown = _small(patches)
    rims = np.median(shown[:, _RIM], axis=1)
    apart = shown - rims[:, None, None]
    far = np.sqrt((apart**2).sum(axis=3))
    maps, colours = np.zeros(far.shape), np.zeros((len(far), 3))
    for number, rim in enumerate(rims):
        least = np.quantile(far[number][_INNER], STRONGEST)
        colours[number] = shown[number][_INNER & (far[number] >= least)].mean(axis=0)
        way = (colours[number] if clay is None else clay) - rim
        along = apart[number] @ way / max(float(way @ way), 1e-6)
        maps[number] = np.where(_INNER, np.clip(along, -0.5, 1.5), 0.0)
    return Differences(maps, np.log(far[:, _INNER].mean(axis=1) + 1e-3), colours)


def aligned(maps: Floats, sides: NDArray[np.int64]) -> Floats:
    """Return maps centred and turned, so that clay open to the given sides opens to the east."""
    centred = [_centred(one) for one in maps]
    return np.stack([_turned(one, -int(side)) for one, side in zip(centred, sides, strict=True)])


def template(maps: Floats) -> Floats:
    """Return the average of maps, normalised to mean 0 and length 1 inside a cell."""
    return _plain(np.mean([_plain(one) for one in maps], axis=0))


def _small(patches: Patches) -> Floats:
    small = [cv2.resize(one, (SMALL_PX, SMALL_PX), interpolation=cv2.INTER_AREA) for one in patches]
    return np.log(np.array(small, np.float64).reshape(-1, SMALL_PX, SMALL_PX, 3) + DARKEST)


def _centred(one: Floats) -> Floats:
    """Return a map moved so that the bounding box of what differs most is centred."""
    ys, xs = np.nonzero(_INNER & (one > LIKELIER))
    if not len(ys):
        return one
    # The centroid of a ring with a gap is off-centre, its bounding box is not.
    middle = (SMALL_PX - 1) / 2
    away = (xs.min() + xs.max()) / 2 - middle, (ys.min() + ys.max()) / 2 - middle
    return _moved(one, -away[0], -away[1])


def _moved(one: Floats, x_px: float, y_px: float) -> Floats:
    move = np.array([[1.0, 0, x_px], [0, 1, y_px]])
    return np.asarray(cv2.warpAffine(one, move, (SMALL_PX, SMALL_PX)), np.float64)


def _turned(one: Floats, sides: int) -> Floats:
    """Return a map turned clockwise by that many sixths."""
    middle = (SMALL_PX - 1) / 2
    turn = cv2.getRotationMatrix2D((middle, middle), -60.0 * sides, 1.0)
    return np.asarray(cv2.warpAffine(one, turn, (SMALL_PX, SMALL_PX)), np.float64)


def _plain(one: Floats) -> Floats:
    made = np.where(_INNER, one - one[_INNER].mean(), 0.0)
    return np.asarray(made / max(float(np.linalg.norm(made)), 1e-9))


@dataclass(frozen=True, eq=False)
class ClayLook:
    """How an owner's clay looks."""

    is_open: Floats
    """Where open clay differs from its tile, opening to the east, 56 x 56."""
    closed: Floats
    least: float
    """Strength of a difference from the rim at which clay is as likely as not."""
    slope: float
    """Log-odds of clay per unit of strength above ``least``."""

    def __post_init__(self) -> None:
        size = (SMALL_PX, SMALL_PX)
        if self.is_open.shape != size or self.closed.shape != size:
            raise ValueError(f"clay is known by maps of {size}, but got {self.is_open.shape}")
        if not (np.isfinite(self.is_open).all() and np.isfinite(self.closed).all()):
            raise ValueError("the maps hold no numbers")

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays to store in a file."""
        numbers = np.array([self.least, self.slope])
        return {"clay_open": self.is_open, "clay_closed": self.closed, "clay_from": numbers}

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]]) -> ClayLook | None:
        """Return the look of clay stored in arrays; ``None`` if they hold none.

        Raises:
            ValueError: the arrays are not valid.
        """
        if "clay_from" not in arrays:
            return None
        least, slope = (float(value) for value in np.asarray(arrays["clay_from"]).ravel())
        if not (np.isfinite(least) and np.isfinite(slope) and slope > 0):
            raise ValueError("where clay begins must be a number")
        return cls(
            np.asarray(arrays["clay_open"], np.float64),
            np.asarray(arrays["clay_closed"], np.float64),
            least,
            slope,
        )

    def read(self, patches: Patches) -> tuple[Floats, Floats]:
        """Return probabilities of no, open and closed clay, N x 3, and of its direction, N x 6."""
        if not len(patches):
            return np.zeros((0, 1 + len(KINDS))), np.zeros((0, SIDES))
        seen = differences(patches)
        there = 1 / (1 + np.exp(-np.clip(self.slope * (seen.strengths - self.least), -30, 30)))
        alike = self.alike(seen.maps)
        clear = (there > LIKELIER) & (alike.max(axis=1) > CLEAR)
        if clear.any():
            # Clearly seen clay reveals its colour, which helps on tiles of a similar colour.
            colour = np.median(seen.colours[clear], axis=0)
            alike = self.alike(differences(patches, colour).maps)
        weights = np.exp(SHARPNESS * (alike - alike.max(axis=1, keepdims=True)))
        sides = weights[:, :SIDES] / weights[:, :SIDES].sum(axis=1, keepdims=True)
        opened, shut = weights[:, :SIDES].max(axis=1), weights[:, SIDES]
        share = opened / (opened + shut)
        return np.stack([1 - there, there * share, there * (1 - share)], axis=1), sides

    def alike(self, maps: Floats) -> Floats:
        """Return the correlation of maps with clay open to each side, and closed clay, N x 7."""
        looks = np.array([_plain(one) for one in maps]).reshape(len(maps), -1)
        kinds = [_turned(self.is_open, side) for side in range(SIDES)] + [self.closed]
        return np.stack([_likest(looks, kind) for kind in kinds], axis=1)


def _likest(looks: Floats, kind: Floats) -> Floats:
    """Return the highest correlation of each look with a kind over all offsets."""
    places = [_plain(_moved(kind, x, y)).ravel() for x in SHIFTS_PX for y in SHIFTS_PX]
    return np.asarray((looks @ np.array(places).T).max(axis=1))
