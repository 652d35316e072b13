"""Which kinds of an invented box are one print: drawn twice, a hair's breadth beside.

Boxes are invented with a look at small pictures, and a stripe that lies a pixel beside makes those
differ by more than other prints do. Nobody could tell such kinds apart, so they count as one.
"""

from __future__ import annotations

import cv2
import numpy as np

from models.scenes.arrays import Array
from models.scenes.invented import ALIKE, FACE_PX, InventedSet

COARSE_PX = 44
LOOKED_AT = 2 * ALIKE
"""Coarse pictures that differ by more are not looked at finely."""
SHIFTS_PX = (-2, -1, 0, 1, 2)
"""Of 160, less than outlines miss. Five pairs of the fifty square boxes that
are evaluated differ by 1.9 to 2.9 so, all other pairs by 4 at least."""


def one_print(box: InventedSet) -> dict[str, str]:
    """Return the name of its print for each kind: the first kind that has it."""
    turns = 4 if box.lattice == "square" else 6
    fine = {kind: face.levels[0].astype(np.int16) for kind, face in box.faces.items()}
    coarse = {kind: _small(picture) for kind, picture in fine.items()}
    out: dict[str, str] = {}
    for kind in box.faces:
        turned = [_turned(coarse[kind], turn / turns) for turn in range(turns)]
        out[kind] = kind
        for other in (first for first, name in out.items() if first == name != kind):
            gaps = [_difference(view, coarse[other]) for view in turned]
            turn = int(np.argmin(gaps))
            if gaps[turn] < LOOKED_AT and _apart(fine[kind], fine[other], turn / turns) < ALIKE:
                out[kind] = other
                break
    return out


def _small(picture: Array) -> Array:
    return np.asarray(cv2.resize(picture, (COARSE_PX,) * 2, interpolation=cv2.INTER_AREA))


def _turned(picture: Array, turn: float) -> Array:
    """Return a picture turned clockwise by a share of the circle."""
    size = picture.shape[0]
    spin = cv2.getRotationMatrix2D(((size - 1) / 2,) * 2, -360 * turn, 1.0)
    return np.asarray(cv2.warpAffine(picture, spin, (size, size)))


def _apart(one: Array, other: Array, turn: float) -> float:
    """Return how much two faces differ where they agree best, on the tile."""
    one = _turned(one, turn)
    on_tile = float(one.shape[0] / FACE_PX) ** 2
    return on_tile * min(
        _difference(np.roll(one, (x, y), (0, 1)), other) for x in SHIFTS_PX for y in SHIFTS_PX
    )


def _difference(one: Array, other: Array) -> float:
    return float(np.abs(one - other)[..., :3].mean())
