"""Lays a patch beside the printed face that it is said to show: is it this tile, or something else?

A reader only says which face of its box is nearest. Here a patch is held against that one face: by
the numbers of the network for unseen boxes, and by where brightness changes, pixel by pixel, a
little shifted, turned and resized, since outlines miss by so much.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.classify.embedding import PRINT_NUMBERS, shipped_embedding
from vision.classify.prints import Prints
from vision.core.crop import Patches
from vision.core.looks import QUARTERS, Look
from vision.core.types import Bgr

Floats = NDArray[np.float32]
Slopes = NDArray[np.float32]

FACE_PX = 32
"""Faces are compared at this size."""
RIM_PX = 4
"""So much around a patch is its neighbours' or the table's, or room for shifts."""
MOST_SHIFT_PX = 2
SCALES, TURNS_DEG = (0.94, 1.0, 1.06), (-4.0, 0.0, 4.0)
LEAST_STEEP = 2.0
"""Grey levels a pixel that are added to what slopes are divided by: noise has no shape."""
BLUR_PX = 0.7


@dataclass(frozen=True, eq=False)
class Faces:
    """The printed faces of a box, cell by cell, and what the network says of their looks."""

    cells: tuple[tuple[str, int], ...]
    """Tile and cell of each picture; a taught box has several pictures of a tile."""
    pictures: NDArray[np.uint8]
    """Cells x 32 x 32 x 3, upright, as play would cut them."""
    looks: tuple[Look, ...]
    numbers: Floats
    """Looks x numbers of the network, each row of length 1."""
    _slopes: dict[Look, tuple[FaceSlopes, ...]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if self.pictures.shape != (len(self.cells), FACE_PX, FACE_PX, 3):
            raise ValueError(f"{len(self.cells)} faces, but pictures of {self.pictures.shape}")
        if self.numbers.shape != (len(self.looks), PRINT_NUMBERS):
            raise ValueError(f"{len(self.looks)} looks, but numbers of {self.numbers.shape}")

    @classmethod
    def of(cls, manifest: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Faces:
        """Return the faces of stored arrays."""
        cells = [Look.parse(str(text)) for text in manifest["faces"]]
        looks = tuple(Look.parse(str(text)) for text in manifest["looks"])
        numbers = np.asarray(arrays["numbers"], np.float32)
        return cls(tuple((c.tile, c.cell) for c in cells), arrays["faces"], looks, numbers)

    def most_alike(self, patches: Sequence[Slopes], looks: Sequence[Sequence[Look]]) -> Floats:
        """Return how much each patch is one of the looks that it is said to be, by its slopes.

        Between -1 and 1; 0 where no look is named.
        """
        every = zip(patches, looks, strict=True)
        found = [
            max((face.alike(patch) for look in own for face in self._faces(look)), default=0.0)
            for patch, own in every
        ]
        return np.array(found, np.float32)

    def cosines(self, patches: Patches) -> Floats:
        """Return how much each patch is each look by the network's numbers, N x looks."""
        numbers = shipped_embedding().numbers(patches)[:, :PRINT_NUMBERS]
        return np.asarray(unit(numbers) @ self.numbers.T, np.float32)

    def _faces(self, look: Look) -> tuple[FaceSlopes, ...]:
        if look not in self._slopes:
            own = [n for n, cell in enumerate(self.cells) if cell == (look.tile, look.cell)]
            self._slopes[look] = tuple(
                FaceSlopes.of(np.rot90(self.pictures[n], -look.turns)) for n in own
            )
        return self._slopes[look]


def faces_of_prints(prints: Prints) -> Faces:
    """Return the faces of a taught box of squares: what its owner photographed."""
    turned = [np.rot90(prints.faces, -turns, axes=(1, 2)) for turns in range(QUARTERS)]
    rows = shipped_embedding().numbers(np.ascontiguousarray(np.concatenate(turned)))
    looks = tuple(Look(tile, 0, turns) for turns in range(QUARTERS) for tile in prints.tiles)
    pictures = np.stack([shrunk(face) for face in prints.faces])
    return Faces(tuple((tile, 0) for tile in prints.tiles), pictures, looks,
                 unit(rows[:, :PRINT_NUMBERS]))  # fmt: skip


@dataclass(frozen=True, eq=False)
class FaceSlopes:
    """Where one look gets brighter, without its rim."""

    across: Slopes
    """To the right and down, as a patch's slopes are, of length 1."""
    ways: Floats
    """The same in a row for each turn and scale."""

    @classmethod
    def of(cls, picture: Bgr) -> FaceSlopes:
        """Return the slopes of an upright picture."""
        rows = [_inner(slopes_of(_moved(picture, turn, scale)), (0, 0)).reshape(-1)
                for scale in SCALES for turn in TURNS_DEG]  # fmt: skip
        ways = unit(np.stack(rows))
        middle = ways[len(rows) // 2].reshape(2, FACE_PX - 2 * RIM_PX, -1, 3)
        return cls(np.ascontiguousarray(middle), ways)

    def alike(self, patch: Slopes) -> float:
        """Return how much a patch is that look: where it fits best, then turned and resized."""
        near = slice(RIM_PX - MOST_SHIFT_PX, FACE_PX - RIM_PX + MOST_SHIFT_PX)
        fits = sum(
            cv2.matchTemplate(np.ascontiguousarray(part[near, near]), own, cv2.TM_CCORR)
            for part, own in zip(patch, self.across, strict=True)
        )
        y, x = np.unravel_index(int(np.argmax(fits)), np.shape(fits))
        inner = _inner(patch, (int(x) - MOST_SHIFT_PX, int(y) - MOST_SHIFT_PX)).reshape(-1)
        length = float(np.linalg.norm(inner)) + LEAST_STEEP * np.sqrt(inner.size)
        return float((self.ways @ inner).max() / length)


def unit(rows: Floats) -> Floats:
    """Return rows of length 1."""
    lengths = np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-6)
    return np.asarray(rows / lengths, np.float32)


def shrunk(patch: Bgr) -> Bgr:
    """Return a patch at the size of a face."""
    return np.asarray(cv2.resize(patch, (FACE_PX, FACE_PX), interpolation=cv2.INTER_AREA), np.uint8)


def slopes_of(patch: Bgr) -> Slopes:
    """Return where a patch gets brighter to the right and down, 2 x 32 x 32 x 3."""
    soft = cv2.GaussianBlur(shrunk(patch), (3, 3), BLUR_PX).astype(np.float32)
    slopes = np.zeros((2, *soft.shape), np.float32)
    slopes[0, :, 1:-1] = soft[:, 2:] - soft[:, :-2]
    slopes[1, 1:-1] = soft[2:] - soft[:-2]
    return slopes


def _inner(slopes: Slopes, shift: tuple[int, int]) -> Slopes:
    """Return slopes without their rim, of a window that is shifted to the right and down."""
    (x, y), low, high = shift, RIM_PX, FACE_PX - RIM_PX
    return slopes[:, low + y : high + y, low + x : high + x]


def _moved(picture: Bgr, turn_deg: float, scale: float) -> Bgr:
    middle = ((FACE_PX - 1) / 2, (FACE_PX - 1) / 2)
    spin = cv2.getRotationMatrix2D(middle, turn_deg, scale)
    turned = cv2.warpAffine(np.ascontiguousarray(picture), spin, (FACE_PX, FACE_PX),
                            borderMode=cv2.BORDER_REPLICATE)  # fmt: skip
    return np.asarray(turned, np.uint8)
