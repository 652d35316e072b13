"""What the tiles of a taught box looked like in the photographs that it was learnt from.

Small pictures, upright, so that a doubtful tile can be laid beside the kinds that it may be.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.core.crop import PATCH_PX, Patches, patch_corners
from vision.core.types import Bgr

Floats = NDArray[np.float32]

QUARTERS = 4
COARSE_PX = 32
"""Pictures are compared at this size, and a little blurred: outlines miss by a pixel or two."""
BLUR_PX = 0.8
DARKEST = 12.0
"""Added before logarithms are taken: what is nearly black is all the same."""
INNER = 0.84
"""Share of a tile's width that is compared: what lies around it is no part of it."""
MOST_PRINTS = 4000


@dataclass(frozen=True, eq=False)
class Prints:
    """Kinds as photographs showed them, one picture of a kind a photograph at most."""

    faces: Patches
    """N x 64 x 64 x 3 of uint8, as play would cut them."""
    tiles: tuple[str, ...]
    photos: tuple[int, ...]
    """The number of the photograph that each was cut from."""

    def __post_init__(self) -> None:
        want = (len(self.tiles), PATCH_PX, PATCH_PX, 3)
        if self.faces.shape != want or self.faces.dtype != np.uint8:
            raise ValueError(f"prints are {want} of uint8, but got {self.faces.shape}")
        if len(self.photos) != len(self.tiles) or len(self.tiles) > MOST_PRINTS:
            raise ValueError("every print has a photograph")

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what is stored."""
        return {"faces": self.faces, "face_photos": np.array(self.photos, np.int64)}

    @classmethod
    def of(cls, tiles: Sequence[str], arrays: Mapping[str, NDArray[Any]]) -> Prints:
        """Return the prints of stored arrays."""
        photos = tuple(int(n) for n in arrays["face_photos"].reshape(-1))
        return cls(arrays["faces"], tuple(tiles), photos)

    def places(self) -> dict[tuple[str, int], int]:
        """Return where the print of each kind in each photograph is."""
        pairs = zip(self.tiles, self.photos, strict=True)
        return {pair: number for number, pair in enumerate(pairs)}


def turned_face(face: Bgr, turns: int, folds: int) -> Bgr:
    """Return a picture of a tile turned clockwise by whole steps of its lattice."""
    if folds == QUARTERS:
        return np.ascontiguousarray(np.rot90(face, -turns))
    middle = ((face.shape[1] - 1) / 2, (face.shape[0] - 1) / 2)
    spin = cv2.getRotationMatrix2D(middle, -360.0 / folds * turns, 1.0)
    size = (face.shape[1], face.shape[0])
    return np.asarray(cv2.warpAffine(face, spin, size, borderMode=cv2.BORDER_REPLICATE), np.uint8)


def coarse(patches: Patches) -> Floats:
    """Return logarithms of coarse pictures, N x 32 x 32 x 3."""
    out = np.empty((len(patches), COARSE_PX, COARSE_PX, 3), np.float32)
    for number, patch in enumerate(patches):
        small = cv2.resize(patch, (COARSE_PX, COARSE_PX), interpolation=cv2.INTER_AREA)
        out[number] = cv2.GaussianBlur(small.astype(np.float32), (0, 0), BLUR_PX)
    return np.asarray(np.log(out + DARKEST), np.float32)


@lru_cache(maxsize=2)
def compared(folds: int) -> NDArray[np.bool_]:
    """Return which pixels of a coarse picture are compared: every second one of the tile."""
    middle = (COARSE_PX - 1) / 2
    corners = middle + (patch_corners(folds, COARSE_PX) - middle) * INNER
    inside = np.zeros((COARSE_PX, COARSE_PX), np.uint8)
    cv2.fillConvexPoly(inside, np.round(corners).astype(np.int32), 1)
    even = np.add.outer(np.arange(COARSE_PX), np.arange(COARSE_PX)) % 2 == 0
    return np.asarray(inside.astype(bool) & even)
