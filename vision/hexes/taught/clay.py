"""Clay on the tiles of a taught board: whether some lies there, closed or open, and which way.

Clay leaves a rim of its tile to be seen. What differs from that rim, in any colour and light, is
clay; where in the cell it differs says which, and towards which side it opens.
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
"""How wide a cell is in a cut."""
RIM, REACH = (0.36, 0.43), 0.36
"""Where a tile is seen around its clay, and how far clay reaches, in widths of a cell."""
SMALL_PX = 56
SHIFTS_PX = (-6, -4, -2, 0, 2, 4, 6)
"""How far clay may lie beside the middle of its cell, in pixels of a small cut."""
STRONGEST = 0.7
"""The colour of clay is that of what differs more from the rim than so much of the cell."""
DARKEST = 30.0
"""Is added to brightness before the logarithm: colours that are hardly there say little, and lamps
change them most."""
SIDES = 6
KINDS = ("open", "closed")
CLEAR = 0.7
"""How like what was taught clay is whose colour is believed; tiles without were 0.6 at most."""
SHARPNESS = 25.0
"""How much a better likeness counts, as a natural logarithm a whole likeness."""


def _away() -> Floats:
    """Return how far each pixel of a small cut lies from its middle, in cell widths."""
    step = CUT_PX / SMALL_PX / CELL_PX
    place = (np.arange(SMALL_PX) - (SMALL_PX - 1) / 2) * step
    return np.asarray(np.hypot(place[:, None], place[None]))


_AWAY = _away()
_INNER = _AWAY < REACH
_RIM = (RIM[0] <= _AWAY) & (RIM[1] > _AWAY)


def rim_colours(patches: Patches) -> Floats:
    """Return the colours of the rims of cells as logarithms, N x pixels x 3."""
    return _small(patches)[:, _RIM]


@dataclass(frozen=True, eq=False)
class Differences:
    """How cells differ from their rims."""

    maps: Floats
    """How far each place is on the way from the rim's colour to the clay's, N x 56 x 56."""
    strengths: Floats
    """How much cells differ on the whole, as logarithms."""
    colours: Floats
    """The colour of what differs most, as logarithms, N x 3."""


def differences(patches: Patches, clay: Floats | None = None) -> Differences:
    """Return how cells differ from their rims.

    Args:
        patches: the cells.
        clay: the colour of clay in that light; without, what differs most is taken for it.
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
    """Return maps turned so that what opens towards those sides opens to the east."""
    centred = [_centred(one) for one in maps]
    return np.stack([_turned(one, -int(side)) for one, side in zip(centred, sides, strict=True)])


def template(maps: Floats) -> Floats:
    """Return what maps have in common, of mean 0 and length 1 inside a cell."""
    return _plain(np.mean([_plain(one) for one in maps], axis=0))


def _small(patches: Patches) -> Floats:
    small = [cv2.resize(one, (SMALL_PX, SMALL_PX), interpolation=cv2.INTER_AREA) for one in patches]
    return np.log(np.array(small, np.float64).reshape(-1, SMALL_PX, SMALL_PX, 3) + DARKEST)


def _centred(one: Floats) -> Floats:
    """Return a map moved so that the middle of what differs most lies in the middle."""
    ys, xs = np.nonzero(_INNER & (one > LIKELIER))
    if not len(ys):
        return one
    # A ring with a gap is lopsided, the box around it is not.
    middle = (SMALL_PX - 1) / 2
    away = (xs.min() + xs.max()) / 2 - middle, (ys.min() + ys.max()) / 2 - middle
    return _moved(one, -away[0], -away[1])


def _moved(one: Floats, x_px: float, y_px: float) -> Floats:
    move = np.array([[1.0, 0, x_px], [0, 1, y_px]])
    return np.asarray(cv2.warpAffine(one, move, (SMALL_PX, SMALL_PX)), np.float64)


def _turned(one: Floats, sides: int) -> Floats:
    """Return a map turned clockwise by so many sixths."""
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
    """How much a cell must differ from its rim to have clay on it, as a logarithm."""
    slope: float
    """How much surer it is for each step beyond."""

    def __post_init__(self) -> None:
        size = (SMALL_PX, SMALL_PX)
        if self.is_open.shape != size or self.closed.shape != size:
            raise ValueError(f"clay is known by maps of {size}, but got {self.is_open.shape}")
        if not (np.isfinite(self.is_open).all() and np.isfinite(self.closed).all()):
            raise ValueError("the maps hold no numbers")

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what is kept in a file."""
        numbers = np.array([self.least, self.slope])
        return {"clay_open": self.is_open, "clay_closed": self.closed, "clay_from": numbers}

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]]) -> ClayLook | None:
        """Return what arrays say of clay, if they do.

        Raises:
            ValueError: they say something else.
        """
        if "clay_from" not in arrays:
            return None
        least, slope = (float(value) for value in np.asarray(arrays["clay_from"]).ravel())
        if not (np.isfinite(least) and np.isfinite(slope) and slope > 0):
            raise ValueError("where clay begins must be a number")
        return cls(np.asarray(arrays["clay_open"], np.float64),
                   np.asarray(arrays["clay_closed"], np.float64), least, slope)  # fmt: skip

    def read(self, patches: Patches) -> tuple[Floats, Floats]:
        """Return shares of none, open and closed clay, N x 3, and of the sides it opens to."""
        if not len(patches):
            return np.zeros((0, 1 + len(KINDS))), np.zeros((0, SIDES))
        seen = differences(patches)
        there = 1 / (1 + np.exp(-np.clip(self.slope * (seen.strengths - self.least), -30, 30)))
        alike = self.alike(seen.maps)
        clear = (there > LIKELIER) & (alike.max(axis=1) > CLEAR)
        if clear.any():
            # Where clay is plain to see, so is its colour, which tells more on tiles like it.
            colour = np.median(seen.colours[clear], axis=0)
            alike = self.alike(differences(patches, colour).maps)
        weights = np.exp(SHARPNESS * (alike - alike.max(axis=1, keepdims=True)))
        sides = weights[:, :SIDES] / weights[:, :SIDES].sum(axis=1, keepdims=True)
        opened, shut = weights[:, :SIDES].max(axis=1), weights[:, SIDES]
        share = opened / (opened + shut)
        return np.stack([1 - there, there * share, there * (1 - share)], axis=1), sides

    def alike(self, maps: Floats) -> Floats:
        """Return how like clay that opens to each side, and closed clay, maps are, N x 7."""
        looks = np.array([_plain(one) for one in maps]).reshape(len(maps), -1)
        kinds = [_turned(self.is_open, side) for side in range(SIDES)] + [self.closed]
        return np.stack([_likest(looks, kind) for kind in kinds], axis=1)


def _likest(looks: Floats, kind: Floats) -> Floats:
    """Return how like a kind looks are at most, a little beside the middle as well."""
    places = [_plain(_moved(kind, x, y)).ravel() for x in SHIFTS_PX for y in SHIFTS_PX]
    return np.asarray((looks @ np.array(places).T).max(axis=1))
