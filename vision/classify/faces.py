"""Lays a patch beside the printed face that it is said to show: is it this tile, or something else?

A reader only says which face of its box is nearest. Here a patch is held against that one face: by
the numbers of the network for unseen boxes, and by where brightness changes, pixel by pixel, a
little shifted, turned and resized, since outlines miss by so much. Then it is held against all
others where light left something to see: what tells this face from the next may be burnt.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.classify.embedding import PRINT_NUMBERS, shipped_embedding
from vision.classify.features import DARKEST
from vision.core.crop import PATCH_PX, Patches, patch_corners
from vision.core.files import Manifest
from vision.core.types import CLIPPED, QUARTERS, Bgr, Look

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
COARSE_PX = 2
"""Prints are compared in squares of so many pixels."""
GAMMA = 2.2
LIGHT = ((np.arange(256) / 255) ** GAMMA).astype(np.float32)
"""How much light each of a picture's numbers stands for, as a share of white."""
PAPER, DIM = 0.5, 0.3
"""A face's brighter half says how bright its light is; so much of it lies in no spot of light."""
WHITE = 0.85
"""Light that is expected to be brighter may be clipped without a spot."""
FEW = 1e-3
PRINT_BLUR_PX = 0.8
"""Pictures of taught tiles are compared a little blurred: outlines miss by a pixel or two."""
INNER = 0.84
"""Share of a tile's width that is compared: what lies around it is no part of it."""
MOST_PRINTS = 4000

SEEN = ("burnt", "seen", "apart", "surely_apart", "printed", "printed_margin",
        "surely_printed_margin", "lit")  # fmt: skip
"""What light left of a print: how much of it is burnt; of what tells it from the face that is
hidden most, the share that is seen; how far it is from the nearest face where something is seen,
also if nothing that is clipped counts; how much it is this face, and more than any other there,
counted in both ways; and how much light is added to it."""


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
    def of(cls, manifest: Manifest, arrays: Mapping[str, NDArray[Any]]) -> Faces:
        """Return the faces of stored arrays."""
        cells = [Look.parse(str(text)) for text in manifest["faces"]]
        looks = tuple(Look.parse(str(text)) for text in manifest["looks"])
        numbers = np.asarray(arrays["numbers"], np.float32)
        return cls(tuple((c.tile, c.cell) for c in cells), arrays["faces"], looks, numbers)

    def fits(self, patches: Sequence[Slopes], looks: Sequence[Sequence[Look]]) -> list[Fit]:
        """Return for each patch which of the looks that it is said to be fits best, and where."""
        return [
            max((Fit(*face.fit(patch), look, number) for look in own
                 for number, face in enumerate(self._faces(look))),
                key=lambda fit: fit.alike, default=NO_FIT)
            for patch, own in zip(patches, looks, strict=True)
        ]  # fmt: skip

    def seen(self, patches: Patches, fits: Sequence[Fit], own: NDArray[np.bool_]) -> Floats:
        """Return what light left of each patch's print, N x ``SEEN``.

        Args:
            patches: as play cuts them.
            fits: how each lies on the face that it is said to show.
            own: N x rows of ``coarse``: which of these it is said to be.
        """
        numbers = {key: row for row, key in enumerate(self.coarse[0])}
        rows = [numbers[fit.look, fit.number] for fit in fits]
        shown = np.stack([_coarse(shrunk(p), f.shift) for p, f in zip(patches, fits, strict=True)])
        return _seen(shown, self.coarse[1], rows, own)

    @cached_property
    def coarse(self) -> tuple[tuple[tuple[Look, int], ...], Floats]:
        """Each look's faces, counted, and their light without their rims, rows x places x 3."""
        keys, rows = [], []
        for look in dict.fromkeys(self.looks):
            own = [n for n, cell in enumerate(self.cells) if cell == (look.tile, look.cell)]
            for number, n in enumerate(own):
                keys.append((look, number))
                rows.append(_coarse(np.rot90(self.pictures[n], -look.turns), (0, 0)))
        return tuple(keys), np.stack(rows)

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


class Fit(NamedTuple):
    """How a patch lies on a face."""

    alike: float
    """Between -1 and 1."""
    shift: tuple[int, int]
    """To the right and down, in pixels of a face."""
    look: Look
    number: int
    """Which of the look's pictures it is."""


NO_FIT = Fit(0.0, (0, 0), Look(""), 0)
"""How a patch lies that is said to be nothing."""


def _coarse(picture: Bgr, shift: tuple[int, int]) -> Floats:
    """Return the light of a picture without its rim, in coarse squares, places x 3."""
    (x, y), low, high = shift, RIM_PX, FACE_PX - RIM_PX
    inner = LIGHT[picture[low + y : high + y, low + x : high + x]]
    count = (high - low) // COARSE_PX
    return np.asarray(inner.reshape(count, COARSE_PX, count, COARSE_PX, 3).mean(axis=(1, 3))
                      .reshape(-1, 3), np.float32)  # fmt: skip


def _seen(shown: Floats, faces: Floats, rows: Sequence[int], own: NDArray[np.bool_]) -> Floats:
    """Return what light left of prints, N x ``SEEN``.

    Args:
        shown: N x places x 3, light.
        faces: rows x places x 3, light of printed faces.
        rows: which of the faces each is laid on.
        own: N x rows: which of the faces it is said to be.
    """
    face = faces[rows]
    paper = face >= np.quantile(face, PAPER, axis=1, keepdims=True)
    ratios = np.where(paper, shown / np.maximum(face, FEW), np.nan)
    gains = np.nanquantile(ratios, DIM, axis=1, keepdims=True)
    expected = face * gains
    clipped = shown >= LIGHT[CLIPPED]
    hidden = clipped & (expected < WHITE)
    ink = np.maximum(face.max(axis=1, keepdims=True) - face, 0)
    burnt = (ink * hidden).sum(axis=(1, 2)) / np.maximum(ink.sum(axis=(1, 2)), FEW)
    bright = np.maximum(gains.mean(axis=(1, 2)), FEW)
    lit = np.maximum(shown - expected, 0).mean(axis=(1, 2)) / bright
    grey, printed = np.sqrt(shown), np.sqrt(faces)
    lenient = _told_apart(grey, printed, rows, own, (~hidden).astype(np.float32))
    strict = _told_apart(grey, printed, rows, own, (~clipped).astype(np.float32))
    return np.stack([burnt, lenient.seen, lenient.apart, strict.apart, lenient.alike,
                     lenient.margin, strict.margin, lit], axis=1).astype(np.float32)  # fmt: skip


class _Apart(NamedTuple):
    seen: Floats
    apart: Floats
    alike: Floats
    margin: Floats


def _told_apart(
    shown: Floats, faces: Floats, rows: Sequence[int], own: NDArray[np.bool_], counts: Floats
) -> _Apart:
    """Return how prints are told from all others where something is seen.

    Args:
        shown: N x places x 3.
        faces: rows x places x 3.
        rows: which of the faces each is laid on.
        own: N x rows: which of the faces it is said to be.
        counts: N x places x 3 of 0 and 1: what is seen.
    """
    many = np.maximum(counts.sum(axis=1), FEW)
    middles = (counts * shown).sum(axis=1) / many
    inner = (counts * (shown - middles[:, None])).reshape(len(shown), -1)
    flat, weights = faces.reshape(len(faces), -1), counts.reshape(len(shown), -1)
    squares = weights @ (flat**2).T
    sums = np.einsum("npc,rpc->nrc", counts, faces, optimize=True)
    spread = squares - (sums**2 / many[:, None]).sum(axis=2)
    length = np.sqrt(np.maximum((inner * (shown - middles[:, None]).reshape(inner.shape))
                                .sum(axis=1), 0))  # fmt: skip
    alike = inner @ flat.T / (length[:, None] * np.sqrt(np.maximum(spread, 0)) + FEW * 10)
    mine = flat[rows]
    off = (weights * mine**2).sum(axis=1)[:, None] - 2 * (weights * mine) @ flat.T + squares
    whole = (mine**2).sum(axis=1)[:, None] - 2 * mine @ flat.T + (flat**2).sum(axis=1)
    off, whole = np.maximum(off, 0), np.maximum(whole, FEW)
    best = np.where(own, alike, -1).max(axis=1)
    return _Apart(
        np.where(own, 1, off / whole).min(axis=1), np.sqrt(np.where(own, np.inf, off).min(axis=1)),
        best, best - np.where(own, -1, alike).max(axis=1),
    )  # fmt: skip


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
    out = np.empty((len(patches), FACE_PX, FACE_PX, 3), np.float32)
    for number, patch in enumerate(patches):
        small = cv2.resize(patch, (FACE_PX, FACE_PX), interpolation=cv2.INTER_AREA)
        out[number] = cv2.GaussianBlur(small.astype(np.float32), (0, 0), PRINT_BLUR_PX)
    return np.asarray(np.log(out + DARKEST), np.float32)


@lru_cache(maxsize=2)
def compared(folds: int) -> NDArray[np.bool_]:
    """Return which pixels of a coarse picture are compared: every second one of the tile."""
    middle = (FACE_PX - 1) / 2
    corners = middle + (patch_corners(folds, FACE_PX) - middle) * INNER
    inside = np.zeros((FACE_PX, FACE_PX), np.uint8)
    cv2.fillConvexPoly(inside, np.round(corners).astype(np.int32), 1)
    even = np.add.outer(np.arange(FACE_PX), np.arange(FACE_PX)) % 2 == 0
    return np.asarray(inside.astype(bool) & even)


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

    def fit(self, patch: Slopes) -> tuple[float, tuple[int, int]]:
        """Return how much a patch is that look, and where: shifted, then turned and resized."""
        near = slice(RIM_PX - MOST_SHIFT_PX, FACE_PX - RIM_PX + MOST_SHIFT_PX)
        fits = sum(
            cv2.matchTemplate(np.ascontiguousarray(part[near, near]), own, cv2.TM_CCORR)
            for part, own in zip(patch, self.across, strict=True)
        )
        y, x = np.unravel_index(int(np.argmax(fits)), np.shape(fits))
        shift = (int(x) - MOST_SHIFT_PX, int(y) - MOST_SHIFT_PX)
        inner = _inner(patch, shift).reshape(-1)
        length = float(np.linalg.norm(inner)) + LEAST_STEEP * np.sqrt(inner.size)
        return float((self.ways @ inner).max() / length), shift


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
